// The parts of a scan: its attributes, read once, and what its operands and region arguments are.
#pragma once

#include "ir/ir.h"

namespace ingot::transform {

struct ScanParts {
  int carries = 0, scanned = 0;
  int64_t length = 0;
  bool reverse = false;
  ir::IntList xs_axes, ys_axes;

  ScanParts() = default;
  explicit ScanParts(const ir::Op& scan) {
    const ir::Attributes& attributes = scan.attributes();
    carries = static_cast<int>(attributes.integer("carries"));
    scanned = static_cast<int>(attributes.integer("scanned"));
    length = attributes.integer("length");
    reverse = attributes.flag("reverse");
    xs_axes = attributes.list("xs_axes");
    ys_axes = attributes.list("ys_axes");
  }
  ir::Attributes attributes() const {
    return {{"carries", static_cast<int64_t>(carries)},
            {"scanned", static_cast<int64_t>(scanned)},
            {"length", length},
            {"reverse", reverse},
            {"xs_axes", xs_axes},
            {"ys_axes", ys_axes}};
  }

  // Of an operand, or an argument of the region.
  bool is_carry(int i) const { return i < carries; }
  bool is_scanned(int i) const { return i >= carries && i < carries + scanned; }
  bool is_invariant(int i) const { return i >= carries + scanned; }
  int64_t axis_of(int i) const { return xs_axes[static_cast<size_t>(i - carries)]; }
};

// A scan that is being put together in any order: arguments of a region that exists already are given their
// roles, and finish() copies the region into one whose arguments stand as a scan wants them.
class ScanBuilder {
 public:
  ScanBuilder(int64_t length, bool reverse) {
    parts_.length = length;
    parts_.reverse = reverse;
  }
  // The argument of the draft region, and the operand that it stands for.
  void carry(ir::Value* argument, ir::Value* operand, ir::Value* next) {
    carries_.push_back({argument, operand});
    next_.push_back(next);
  }
  void scanned(ir::Value* argument, ir::Value* operand, int64_t axis) {
    scanned_.push_back({argument, operand});
    parts_.xs_axes.push_back(axis);
  }
  int carries() const { return static_cast<int>(carries_.size()); }
  void invariant(ir::Value* argument, ir::Value* operand) { invariants_.push_back({argument, operand}); }
  // A value of the draft region to stack; returns its position among the stacks. No value is stacked twice.
  int stacked(ir::Value* value, int64_t axis) {
    for (size_t i = 0; i < ys_.size(); ++i) {
      if (ys_[i] == value && parts_.ys_axes[i] == axis) return static_cast<int>(i);
    }
    ys_.push_back(value);
    parts_.ys_axes.push_back(axis);
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
    parts_.carries = static_cast<int>(carries_.size());
    parts_.scanned = static_cast<int>(scanned_.size());
    result.attributes = parts_.attributes();
    return result;
  }

 private:
  using Role = std::pair<ir::Value*, ir::Value*>;
  ScanParts parts_;
  std::vector<Role> carries_, scanned_, invariants_;
  std::vector<ir::Value*> next_, ys_;
};

}  // namespace ingot::transform
