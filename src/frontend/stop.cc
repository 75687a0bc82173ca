#include "ingot/stop.h"

#include <chrono>
#include <cmath>
#include <sstream>

#include "base/stop.h"
#include "frontend/node.h"

namespace ingot {
namespace {

using Clock = Stops::Clock;

// As far away as the clock can tell, where the time is longer than that.
Clock::time_point after(std::chrono::duration<double> time) {
  const auto now = Clock::now();
  const std::chrono::duration<double> most = Clock::time_point::max() - now;
  if (time <= std::chrono::duration<double>(0)) return now;
  return time < most * 0.99 ? now + std::chrono::duration_cast<Clock::duration>(time)
                            : Clock::time_point::max();
}

std::string deadline_of(std::chrono::duration<double> time) {
  std::ostringstream text;
  text << "the deadline of " << time.count() << " s has passed";
  return text.str();
}

}  // namespace

StopScope::StopScope(std::function<bool()> asks) : condition_(new StopCondition(std::move(asks))) {}
StopScope::~StopScope() {
  delete condition_;
}

// Nanoseconds since the clock's begin are exact in a long double.
Deadline::Deadline(long double seconds, Begin begin, const std::source_location& where) {
  if (std::isnan(seconds)) detail::fail(where, "Deadline: the time from now is not a number");
  const std::chrono::duration<double> time(static_cast<double>(seconds));
  if (begin == Begin::kNow) {
    condition_ = new StopCondition(after(time), deadline_of(time));
  } else {
    const std::chrono::duration<long double> since(seconds);
    const Clock::time_point end(std::chrono::round<Clock::duration>(since));
    condition_ = new StopCondition(end, "the deadline has passed");
  }
}
Deadline::~Deadline() {
  delete condition_;
}

}  // namespace ingot
