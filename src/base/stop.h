// What ends a run before its end: conditions of the thread that started it (ingot/stop.h). Whoever runs a
// program asks between launches and steps.
#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <stop_token>
#include <string>

#include "ingot/error.h"

namespace ingot {

// A run that a condition has ended: by what, and where it was.
struct RunStopped : Error {
  using Error::Error;
};

// Holds for the runs of the thread that made it, while it lives.
class StopCondition {
 public:
  using Clock = std::chrono::steady_clock;

  explicit StopCondition(std::stop_token token);
  explicit StopCondition(const std::atomic<bool>& flag);  // which a signal may set
  StopCondition(Clock::time_point end, std::string says);
  ~StopCondition();  // on the same thread
  StopCondition(const StopCondition&) = delete;
  StopCondition& operator=(const StopCondition&) = delete;

  // The innermost one of this thread; null if there is none, and nothing to ask.
  static const StopCondition* current();

  // What has ended the run, of this condition and those around it: "the deadline of 5 s has passed".
  std::optional<std::string> met() const;
  // "stopped, since the deadline of 5 s has passed"
  static std::string text_of(const std::string& met) { return "stopped, since " + met; }

 private:
  void enter();

  std::stop_token token_;
  const std::atomic<bool>* flag_ = nullptr;
  std::optional<Clock::time_point> end_;
  std::string says_;
  StopCondition* outer_ = nullptr;
};

// While it lives, no condition holds on the thread: what is made there serves others, too.
class WithoutStop {
 public:
  WithoutStop();
  ~WithoutStop();
  WithoutStop(const WithoutStop&) = delete;
  WithoutStop& operator=(const WithoutStop&) = delete;

 private:
  StopCondition* before_;
};

}  // namespace ingot
