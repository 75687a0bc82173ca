// What a process must hold still while it forks. A child has one thread, the one that called fork(), and
// everything else as it stood: a mutex that another thread held is held for ever, a structure that another
// thread was changing stays half changed. So fork() waits until no thread is in a *section*, and whoever
// wants to enter one meanwhile waits for fork().
//
// A section is work that runs no code of the user's and waits for nothing but mutexes that are held in
// sections: a pass, the machine code of one kernel, a look into a table. What takes longer, or calls the
// user, is no section; it must leave its state so that a child can tell that nobody works on it any more.
//
// A section may be entered inside of another one. If fork() is called inside of one (which only code of this
// library could do), the child's thread is in it as well.
#pragma once

#include <mutex>

namespace ingot {

class ForkSection {
 public:
  ForkSection();
  ~ForkSection();
  ForkSection(const ForkSection&) = delete;
  ForkSection& operator=(const ForkSection&) = delete;
};

// A mutex that is held in a section.
class ShortLock {
 public:
  explicit ShortLock(std::mutex& mutex) : lock_(mutex) {}

 private:
  ForkSection section_;  // first: who waits for the mutex is in a section, as is who holds it
  std::lock_guard<std::mutex> lock_;
};

// Functions that fork() calls: `prepare` once there is no section, `parent` and `child` afterwards. Any may
// be null. They are called in the order of their registration, and in the opposite one afterwards.
struct ForkHooks {
  void (*prepare)() = nullptr;
  void (*parent)() = nullptr;
  void (*child)() = nullptr;
};
bool on_fork(ForkHooks hooks);  // true, so that it can initialise something

}  // namespace ingot
