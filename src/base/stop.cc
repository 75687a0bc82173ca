#include "base/stop.h"

#include <utility>

namespace ingot {
namespace {

thread_local StopCondition* innermost_condition = nullptr;

}  // namespace

StopCondition::StopCondition(std::stop_token token)
    : token_(std::move(token)), says_("a stop was requested") {
  enter();
}

StopCondition::StopCondition(const std::atomic<bool>& flag) : flag_(&flag), says_("it was interrupted") {
  enter();
}

StopCondition::StopCondition(Clock::time_point end, std::string says) : end_(end), says_(std::move(says)) {
  enter();
}

void StopCondition::enter() {
  outer_ = innermost_condition;
  innermost_condition = this;
}

// Scopes may end in another order than they began in.
StopCondition::~StopCondition() {
  StopCondition** at = &innermost_condition;
  while (*at != nullptr && *at != this) at = &(*at)->outer_;
  if (*at == this) *at = outer_;
}

const StopCondition* StopCondition::current() {
  return innermost_condition;
}

WithoutStop::WithoutStop() : before_(std::exchange(innermost_condition, nullptr)) {}
WithoutStop::~WithoutStop() {
  innermost_condition = before_;
}

std::optional<std::string> StopCondition::met() const {
  for (const StopCondition* one = this; one != nullptr; one = one->outer_) {
    if (one->token_.stop_requested() ||
        (one->flag_ != nullptr && one->flag_->load(std::memory_order_relaxed)) ||
        (one->end_.has_value() && Clock::now() >= *one->end_))
      return one->says_;
  }
  return std::nullopt;
}

}  // namespace ingot
