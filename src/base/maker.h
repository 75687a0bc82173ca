// Something that is made once, by the thread that comes first, while others that want it wait: a trace, a
// program. Making it may take long and run the user's code, so no lock is held meanwhile.
//
//   Maker maker;
//   { MakerScope scope(maker, "'step'"); if (!made) made = make(); }
//
// A thread that would have to wait for itself, directly or through other threads, gets an Error instead; also
// where one of these waits for another one to end, as far as that is known (joins.h). In a
// child of fork() whatever another thread was making has no maker any more; what is under way must be
// published in one section (fork.h), so that a child finds all of it or nothing.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace ingot {

class Maker {
 private:
  friend class MakerScope;
  friend struct Makers;
  int thread_ = 0;                   // who makes it (joins.h); 0: nobody
  uint64_t process_ = 0;             // and in which process: how often it and its parents were forked
  Maker* next_of_thread_ = nullptr;  // what the same thread was making before
  std::atomic<uint32_t> turns_{0};   // changes when a maker leaves
};

class MakerScope {
 public:
  // Waits until nobody else makes it. `what` names it in the Error.
  MakerScope(Maker& maker, const std::string& what);
  ~MakerScope();
  MakerScope(const MakerScope&) = delete;
  MakerScope& operator=(const MakerScope&) = delete;

 private:
  Maker& maker_;
};

}  // namespace ingot
