// Runs something in a process of its own, so that whatever goes wrong there ends there.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "tools/bisect.h"

namespace ingot::tools {

// The time that a whole search may take.
class Deadline {
 public:
  explicit Deadline(double seconds) : start_(Clock::now()), seconds_(seconds) {}
  double elapsed() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  double left() const { return seconds_ - elapsed(); }
  bool over() const { return left() <= 0; }
  double seconds() const { return seconds_; }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_;
  double seconds_;
};

// What a process said before it ended, and why it did not end well: "crashed with signal 11 (...)", "no
// answer within 3 seconds", "error: ...", "internal error: ...", "out of memory". Empty if it did.
struct Answer {
  std::string said, failure;
  bool timed_out = false;
};
using Say = std::function<void(const std::string&)>;

// Runs `body` in a forked process, which may use no more memory than the system has to give. What it says
// arrives at once, whatever becomes of it afterwards. The caller must not have started threads yet.
Answer ask_apart(const std::function<void(const Say&)>& body, double seconds);

// The same for a trial: what goes wrong makes it a bad one.
Trial run_apart(const std::function<Trial()>& body, double seconds);

}  // namespace ingot::tools
