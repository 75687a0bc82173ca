// Who waits for what is written down under one mutex; only threads that make something or wait come here. A
// thread waits for one thing, which has one maker, so following both from there finds a circle if there is
// one.
#include "base/maker.h"

#include <map>
#include <mutex>

#include "base/fork.h"
#include "ingot/error.h"

namespace ingot {

struct Makers {
  std::mutex mutex;
  std::map<std::thread::id, const Maker*> waiting;  // threads, and what they wait for
  uint64_t process = 1;

  static Makers& global() {
    static Makers& only = *new Makers;
    return only;
  }

  bool is_being_made(const Maker& maker) const {
    return maker.thread_ != std::thread::id() && maker.process_ == process;
  }

  // Does the maker wait for this thread, or for another one that does?
  bool waits_for(const Maker& maker, std::thread::id thread) const {
    for (const Maker* at = &maker; at != nullptr && is_being_made(*at);) {
      if (at->thread_ == thread) return true;
      const auto next = waiting.find(at->thread_);
      at = next == waiting.end() ? nullptr : next->second;
    }
    return false;
  }

  // True if the thread is the maker now; else `turn` is what changes when another try is worth while.
  bool take(Maker& maker, const std::string& what, uint32_t& turn);
  void leave(Maker& maker);
  void start_in_child();
};

namespace {

constinit thread_local Maker* innermost = nullptr;  // of what this thread makes

[[maybe_unused]] const bool knows_forks =
    (Makers::global(), on_fork({.child = [] { Makers::global().start_in_child(); }}));

}  // namespace

bool Makers::take(Maker& maker, const std::string& what, uint32_t& turn) {
  const std::thread::id self = std::this_thread::get_id();
  const ShortLock lock(mutex);
  waiting.erase(self);
  if (!is_being_made(maker)) {
    maker.thread_ = self;
    maker.process_ = process;
    maker.next_of_thread_ = innermost;
    innermost = &maker;
    return true;
  }
  if (waits_for(maker, self)) {
    throw Error(what +
                " calls itself while it is being traced, with the same types, which would never end; " +
                "use ingot::scan, or recursion that ends on a C++ value");
  }
  waiting[self] = &maker;
  turn = maker.turns_.load(std::memory_order_relaxed);
  return false;
}

void Makers::leave(Maker& maker) {
  const ShortLock lock(mutex);
  maker.thread_ = std::thread::id();
  innermost = maker.next_of_thread_;
  maker.turns_.fetch_add(1, std::memory_order_release);
  maker.turns_.notify_all();
}

// What this thread makes it still makes; all other makers are gone.
void Makers::start_in_child() {
  waiting.clear();
  ++process;
  for (Maker* own = innermost; own != nullptr; own = own->next_of_thread_) own->process_ = process;
}

MakerScope::MakerScope(Maker& maker, const std::string& what) : maker_(maker) {
  uint32_t turn = 0;
  while (!Makers::global().take(maker, what, turn)) maker.turns_.wait(turn, std::memory_order_acquire);
}

MakerScope::~MakerScope() {
  Makers::global().leave(maker_);
}

}  // namespace ingot
