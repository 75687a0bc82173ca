// What ends a run before its end: conditions of the thread that started it (ingot/stop.h). Whoever runs a
// program asks between launches and steps.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "ingot/error.h"

namespace ingot {

// A run that a condition has ended: by what, and where it was.
struct RunStopped : Error {
  using Error::Error;
};

// A condition and those around it. A run that has begun under them keeps them.
class Stops {
 public:
  using Clock = std::chrono::steady_clock;

  // Of this thread; null if there are none, and nothing to ask.
  static std::shared_ptr<const Stops> current();

  // What has ended the run: "the deadline of 5 s has passed".
  std::optional<std::string> met() const;
  // "stopped, since the deadline of 5 s has passed"
  static std::string text_of(const std::string& met) { return "stopped, since " + met; }

 private:
  friend class StopCondition;
  friend class WithoutStop;

  std::function<bool()> asks_;
  const std::atomic<bool>* flag_ = nullptr;
  std::optional<Clock::time_point> end_;
  std::string says_;
  std::shared_ptr<Stops> outer_;
  std::atomic<bool> over_ = false;  // holds no more
};

// Holds for the runs of the thread that made it, while it lives. Any thread may end it.
class StopCondition {
 public:
  explicit StopCondition(std::function<bool()> asks);  // in any thread
  explicit StopCondition(
      const std::atomic<bool>& flag);  // which a signal may set, and which outlives all runs
  StopCondition(Stops::Clock::time_point end, std::string says);
  ~StopCondition();
  StopCondition(const StopCondition&) = delete;
  StopCondition& operator=(const StopCondition&) = delete;

 private:
  void enter(std::string says);

  std::shared_ptr<Stops> stops_;
};

// While it lives, no condition holds on the thread: what is made there serves others, too.
class WithoutStop {
 public:
  WithoutStop();
  ~WithoutStop();
  WithoutStop(const WithoutStop&) = delete;
  WithoutStop& operator=(const WithoutStop&) = delete;

 private:
  std::shared_ptr<Stops> before_;
};

}  // namespace ingot
