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

#include <cstdint>
#include <functional>
#include <source_location>
#include <utility>

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
  // A std::stop_token, or anything else that answers stop_requested(), in any thread.
  template <class Token>
  requires requires(const Token& token) { static_cast<bool>(token.stop_requested()); }
  explicit StopScope(Token token)
      : StopScope(std::function<bool()>([token = std::move(token)] { return token.stop_requested(); })) {}
  ~StopScope();
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

 private:
  explicit StopScope(std::function<bool()> asks);
  StopCondition* condition_;
};

// The same from some time on.
class Deadline {
 public:
  // At a time_point of std::chrono::steady_clock.
  template <class TimePoint>
  requires(TimePoint::clock::is_steady) explicit Deadline(TimePoint end)
      : Deadline(seconds_of(end.time_since_epoch()), Begin::kEpoch, std::source_location::current()) {}
  // From now on, a std::chrono::duration; negative: at once. Error where it is no number.
  template <class Duration>
  requires requires(Duration duration) {
    duration.count();
    Duration::period::den;
  }
  explicit Deadline(Duration from_now, const std::source_location& where = std::source_location::current())
      : Deadline(seconds_of(from_now), Begin::kNow, where) {}
  ~Deadline();
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

 private:
  enum class Begin { kNow, kEpoch };
  Deadline(long double seconds, Begin begin, const std::source_location& where);
  template <class Duration>
  static long double seconds_of(Duration duration) {
    using Period = typename Duration::period;
    return static_cast<long double>(duration.count()) * Period::num / Period::den;
  }

  StopCondition* condition_;
};

}  // namespace ingot
