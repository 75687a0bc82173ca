#include "frontend/pending.h"

#include <utility>

#include "base/fork.h"

namespace ingot::detail {

PendingFunction::PendingFunction(std::string what, Make make)
    : what_(std::move(what)), make_(std::move(make)) {}

std::shared_ptr<const TracedFunction> PendingFunction::traced() const {
  if (auto ready = known()) return ready;
  const MakerScope scope(maker_, what_);
  if (auto ready = known()) return ready;
  std::shared_ptr<const TracedFunction> made = make_();
  const ShortLock lock(mutex_);
  return traced_ = std::move(made);
}

std::shared_ptr<const TracedFunction> PendingFunction::known() const {
  const ShortLock lock(mutex_);
  return traced_;
}

}  // namespace ingot::detail
