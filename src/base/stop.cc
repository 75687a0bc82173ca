#include "base/stop.h"

#include <utility>

namespace ingot {
namespace {

// Innermost first. Conditions may end in another order than they began in, and on other threads: what is over
// is left out where somebody looks.
thread_local std::shared_ptr<Stops> innermost_stops;

}  // namespace

StopCondition::StopCondition(std::function<bool()> asks) : stops_(std::make_shared<Stops>()) {
  stops_->asks_ = std::move(asks);
  enter("a stop was requested");
}

StopCondition::StopCondition(const std::atomic<bool>& flag) : stops_(std::make_shared<Stops>()) {
  stops_->flag_ = &flag;
  enter("it was interrupted");
}

StopCondition::StopCondition(Stops::Clock::time_point end, std::string says)
    : stops_(std::make_shared<Stops>()) {
  stops_->end_ = end;
  enter(std::move(says));
}

void StopCondition::enter(std::string says) {
  stops_->says_ = std::move(says);
  Stops::current();  // leaves out what is over
  stops_->outer_ = std::exchange(innermost_stops, stops_);
}

StopCondition::~StopCondition() {
  stops_->over_ = true;
  Stops::current();
}

std::shared_ptr<const Stops> Stops::current() {
  for (std::shared_ptr<Stops>* at = &innermost_stops; *at != nullptr;) {
    if ((*at)->over_) {
      *at = std::shared_ptr<Stops>((*at)->outer_);
    } else {
      at = &(*at)->outer_;
    }
  }
  return innermost_stops;
}

WithoutStop::WithoutStop() : before_(std::exchange(innermost_stops, nullptr)) {}
WithoutStop::~WithoutStop() {
  innermost_stops = std::move(before_);
}

std::optional<std::string> Stops::met() const {
  for (const Stops* one = this; one != nullptr; one = one->outer_.get()) {
    if (one->over_) continue;
    if ((one->asks_ && one->asks_()) ||
        (one->flag_ != nullptr && one->flag_->load(std::memory_order_relaxed)) ||
        (one->end_.has_value() && Clock::now() >= *one->end_))
      return one->says_;
  }
  return std::nullopt;
}

}  // namespace ingot
