#include "ingot/stop.h"

#include <cmath>
#include <sstream>

#include "base/stop.h"

namespace ingot {
namespace {

using Clock = Stops::Clock;

// As far away as the clock can tell, where the time is longer than that.
Clock::time_point after(std::chrono::duration<double> time) {
  if (std::isnan(time.count())) throw Error("Deadline: the time from now is not a number");
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

StopScope::StopScope(std::stop_token token) : condition_(std::make_unique<StopCondition>(std::move(token))) {}
StopScope::~StopScope() = default;

Deadline::Deadline(Clock::time_point end)
    : condition_(std::make_unique<StopCondition>(end, "the deadline has passed")) {}
Deadline::Deadline(std::chrono::duration<double> from_now)
    : condition_(std::make_unique<StopCondition>(after(from_now), deadline_of(from_now))) {}
Deadline::~Deadline() = default;

}  // namespace ingot
