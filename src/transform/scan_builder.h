// A scan that is being put together.
#pragma once

#include "ops/control.h"

namespace ingot::transform {

// A scan that is being put together in any order: arguments of a region that exists already are given their
// roles, and finish() copies the region into one whose arguments stand as a scan wants them.
class ScanBuilder {
 public:
  ScanBuilder(int64_t length, bool reverse) {
    form_.length = length;
    form_.reverse = reverse;
  }
  // The argument of the draft region, and the operand that it stands for; returns its position among the
  // carries.
  int carry(ir::Value* argument, ir::Value* operand, ir::Value* next) {
    carries_.push_back({argument, operand});
    next_.push_back(next);
    return carries() - 1;
  }
  void scanned(ir::Value* argument, ir::Value* operand, int64_t axis) {
    scanned_.push_back({argument, operand});
    form_.xs_axes.push_back(axis);
  }
  int carries() const { return static_cast<int>(carries_.size()); }
  void invariant(ir::Value* argument, ir::Value* operand) { invariants_.push_back({argument, operand}); }
  // A value of the draft region to stack; returns its position among the stacks. No value is stacked twice.
  int stacked(ir::Value* value, int64_t axis) {
    for (size_t i = 0; i < ys_.size(); ++i) {
      if (ys_[i] == value && form_.ys_axes[i] == axis) return static_cast<int>(i);
    }
    ys_.push_back(value);
    form_.ys_axes.push_back(axis);
    return static_cast<int>(ys_.size()) - 1;
  }

  struct Result {
    std::unique_ptr<ir::Region> region;
    std::vector<ir::Value*> operands;
    ir::Attributes attributes;
  };
  Result finish(ir::Region& draft) {
    Result result;
    result.region = draft.function()->make_region();
    ir::ValueMap map;
    for (const auto* group : {&carries_, &scanned_, &invariants_}) {
      for (const auto& [argument, operand] : *group) {
        map[argument] = result.region->add_argument(argument->type(), argument->name());
        result.operands.push_back(operand);
      }
    }
    std::vector<ir::Value*> results = next_;
    results.insert(results.end(), ys_.begin(), ys_.end());
    draft.set_results({});
    ir::clone_ops(draft, *result.region, map);
    for (ir::Value*& value : results) value = map.at(value);
    result.region->set_results(results);
    form_.carries = carries();
    result.attributes = form_.attributes();
    return result;
  }

 private:
  using Role = std::pair<ir::Value*, ir::Value*>;
  ops::ScanForm form_;
  std::vector<Role> carries_, scanned_, invariants_;
  std::vector<ir::Value*> next_, ys_;
};

}  // namespace ingot::transform
