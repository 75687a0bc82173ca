// Who waits for what is written down under one mutex; only threads that make something or wait come here. A
// thread waits for one thing, which has one maker, so following both from there finds a circle if there is
// one. That a maker waits for another thread to end is asked of the system, by those who have waited for a
// while, and again and again, since it may begin later.
#include "base/maker.h"

#include <chrono>
#include <climits>
#include <map>
#include <mutex>
#include <set>

#include "base/fork.h"
#include "base/futex.h"
#include "base/joins.h"
#include "ingot/error.h"

namespace ingot {

struct Makers {
  std::mutex mutex;
  std::map<int, const Maker*> waiting;  // threads, and what they wait for
  uint64_t process = 1;

  static Makers& global() {
    static Makers& only = *new Makers;
    return only;
  }

  bool is_being_made(const Maker& maker) const { return maker.thread_ != 0 && maker.process_ == process; }

  // Does the maker wait for this thread, or for another one that does? With `joins`, also for one to end.
  bool waits_for(const Maker& maker, int thread, bool joins) const {
    std::set<int> seen;
    for (int at = maker.thread_; at != 0 && seen.insert(at).second;) {
      if (at == thread) return true;
      const auto next = waiting.find(at);
      if (next != waiting.end() && is_being_made(*next->second))
        at = next->second->thread_;
      else
        at = joins ? thread_joined_by(at) : 0;
    }
    return false;
  }

  // True if the thread is the maker now; else `turn` is what changes when another try is worth while.
  bool take(Maker& maker, const std::string& what, bool has_waited, uint32_t& turn);
  void leave(Maker& maker);
  void start_in_child();
};

namespace {

constinit thread_local Maker* innermost = nullptr;  // of what this thread makes

[[maybe_unused]] const bool knows_forks =
    (Makers::global(), on_fork({.child = [] { Makers::global().start_in_child(); }}));

}  // namespace

bool Makers::take(Maker& maker, const std::string& what, bool has_waited, uint32_t& turn) {
  const int self = this_thread_number();
  const ShortLock lock(mutex);
  waiting.erase(self);
  if (!is_being_made(maker)) {
    maker.thread_ = self;
    maker.process_ = process;
    maker.next_of_thread_ = innermost;
    innermost = &maker;
    return true;
  }
  if (waits_for(maker, self, false)) {
    throw Error(what +
                " calls itself while it is being traced, with the same types, which would never end; " +
                "use ingot::scan, or recursion that ends on a C++ value");
  }
  if (has_waited && waits_for(maker, self, true)) {
    throw Error(what +
                " is being traced, with the same types, by a thread that waits for this one to end, which " +
                "would never be; call it before, or wait for the thread after the trace");
  }
  waiting[self] = &maker;
  turn = maker.turns_.load(std::memory_order_relaxed);
  return false;
}

void Makers::leave(Maker& maker) {
  const ShortLock lock(mutex);
  maker.thread_ = 0;
  innermost = maker.next_of_thread_;
  maker.turns_.fetch_add(1, std::memory_order_release);
  wake_sleepers(maker.turns_, INT_MAX);
}

// What this thread makes it still makes, under a new number; all other makers are gone.
void Makers::start_in_child() {
  waiting.clear();
  ++process;
  for (Maker* own = innermost; own != nullptr; own = own->next_of_thread_) {
    own->process_ = process;
    own->thread_ = this_thread_number();
  }
}

MakerScope::MakerScope(Maker& maker, const std::string& what) : maker_(maker) {
  // A trace takes milliseconds; who waits for longer looks whether that can end, at a cost of some 10 us.
  constexpr std::chrono::milliseconds kLook{100};
  uint32_t turn = 0;
  for (bool has_waited = false; !Makers::global().take(maker, what, has_waited, turn); has_waited = true)
    sleep_while_equal(maker.turns_, turn, kLook);
}

MakerScope::~MakerScope() {
  Makers::global().leave(maker_);
}

}  // namespace ingot
