#include "base/stack.h"

#include <pthread.h>

#include <cstdint>
#include <limits>
#include <utility>

namespace ingot {
namespace {

// The lowest address of this thread's stack; 0 if it is not known. That of the main thread grows up to the
// limit (ulimit -s), which is what the system tells.
uintptr_t lowest() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
  void* address = nullptr;
  size_t size = 0;
  const int status = pthread_attr_getstack(&attributes, &address, &size);
  pthread_attr_destroy(&attributes);
  return status == 0 ? reinterpret_cast<uintptr_t>(address) : 0;
}

}  // namespace

size_t stack_left() {
  thread_local const uintptr_t low = lowest();
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  return low == 0 || here < low ? std::numeric_limits<size_t>::max() : here - low;
}

bool run_on_stack(size_t bytes, void (*fn)(void* context), void* context) {
  // What the thread's own variables take of its stack, and the system's frames at its start.
  constexpr size_t kForThread = 64 << 10, kPage = 64 << 10;
  std::pair<void (*)(void*), void*> call(fn, context);
  const auto run = [](void* what) -> void* {
    const auto& [function, argument] = *static_cast<std::pair<void (*)(void*), void*>*>(what);
    function(argument);
    return nullptr;
  };
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  pthread_t thread;
  const size_t size = (bytes + kForThread + kPage - 1) / kPage * kPage;
  const bool made = pthread_attr_setstacksize(&attributes, size) == 0 &&
                    pthread_create(&thread, &attributes, run, &call) == 0;
  pthread_attr_destroy(&attributes);
  return made && pthread_join(thread, nullptr) == 0;
}

}  // namespace ingot
