// A value of each thread that may be used for as long as the thread runs anything: also by destructors of
// thread-local and static objects, and by handlers of atexit(). A thread_local object with a destructor may
// not: it may have been destroyed before them.
//
// The value ends with the thread. If it is asked for after that, there is a new one, which stays until the
// process has ended.
#pragma once

#include <atomic>
#include <memory>

namespace ingot {

namespace detail {

// Owners of late values, in a list that leads to all of them and that nobody destroys.
struct LateValue {
  std::shared_ptr<void> value;
  LateValue* next;
};
inline constinit std::atomic<LateValue*> late_values{nullptr};

inline void keep_for_good(std::shared_ptr<void> value) {
  auto* late = new LateValue{std::move(value), late_values.load(std::memory_order_relaxed)};
  while (!late_values.compare_exchange_weak(late->next, late)) {
  }
}

}  // namespace detail

// The calling thread's value for that tag, made by its default constructor at the first question.
template <class T, class Tag>
T& thread_value() {
  struct Slot {  // trivially destructible
    T* value;
    bool ended;
  };
  static thread_local constinit Slot slot{nullptr, false};
  if (slot.value != nullptr) [[likely]]
    return *slot.value;
  struct Ender {
    ~Ender() {
      T* value = slot.value;
      slot = {nullptr, true};
      delete value;
    }
  };
  if (slot.ended) {
    auto value = std::make_shared<T>();
    slot.value = value.get();
    detail::keep_for_good(std::move(value));
  } else {
    static thread_local Ender ender;
    (void)ender;
    slot.value = new T();
  }
  return *slot.value;
}

}  // namespace ingot
