// Ends calls that take too long, or that nobody waits for any more.
//
//   ingot::Deadline deadline(std::chrono::seconds(5));   // for the calls of this thread, while it lives
//   ingot::StopScope stop(source.get_token());           // any thread may say source.request_stop()
//   try {
//     x = simulate(x);
//   } catch (const ingot::Stopped& stopped) {
//     // "... in step 31415 of the loop @body at model.cc:12, ..."
//   }
//
// A call ends between two steps of a loop, or two kernels, never inside of one: a loop that is one kernel is
// a step of its own, and so is what is traced and compiled. Arrays are then as they were before the call, but
// for those donated to it, which are gone. Scopes nest; the first condition that is met ends the call.
// Without one nothing is asked.
#pragma once

#include <chrono>
#include <memory>
#include <stop_token>

#include "ingot/error.h"

namespace ingot {

class StopCondition;

// A call that a Deadline or a StopScope has ended: by what, and in which step of which loop.
class Stopped : public Error {
 public:
  using Error::Error;
};

// For the calls of the thread that makes it, until it goes out of scope.
class StopScope {
 public:
  explicit StopScope(std::stop_token token);
  ~StopScope();
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

 private:
  std::unique_ptr<StopCondition> condition_;
};

// The same from some time on.
class Deadline {
 public:
  explicit Deadline(std::chrono::steady_clock::time_point end);
  // From now on; negative: at once. Error where it is no number.
  explicit Deadline(std::chrono::duration<double> from_now);
  ~Deadline();
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

 private:
  std::unique_ptr<StopCondition> condition_;
};

}  // namespace ingot
