// Decides which operations of a region share a kernel.
//
// Operations are taken in reverse, so that each one meets the groups of its users. Cheap operations and views
// join them, in several groups at once if need be; scans, reductions and contractions join if the kernel
// layer can build the whole and the band does not shrink to where threads and lanes starve. Every refusal is
// recorded with its reason.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/ir.h"
#include "kernel/candidates.h"

namespace ingot::pass {

// By place in the region: what a group decides does not depend on addresses.
class ByPosition {
 public:
  using Positions = std::unordered_map<const ir::Op*, int>;
  explicit ByPosition(std::shared_ptr<const Positions> positions) : positions_(std::move(positions)) {}
  bool operator()(const ir::Op* a, const ir::Op* b) const { return position(a) < position(b); }
  bool operator()(const ir::Value* a, const ir::Value* b) const {
    return a->op() == b->op() ? a->index() < b->index() : (*this)(a->op(), b->op());
  }

  // What makes no value of the region, as null for its arguments, is before all.
  int position(const ir::Op* op) const {
    const auto it = positions_->find(op);
    return it == positions_->end() ? -1 : it->second;
  }

 private:
  std::shared_ptr<const Positions> positions_;
};

struct FusionGroup {
  explicit FusionGroup(const ByPosition& order) : ops(order), outputs(order), reads(order), upstream(order) {}
  std::set<ir::Op*, ByPosition> ops;
  std::set<ir::Value*, ByPosition> outputs;
  // What makes the values that its operations read from outside: where walks to what it needs begin. Kept
  // while operations are placed, and where groups are joined.
  std::set<ir::Op*, ByPosition> reads;
  // Of all of its operations, if they are arithmetic, each element of which is made of those at the same
  // place, or of constants; or null.
  const Shape* one_shape = nullptr;
  // The shape of all of its arithmetic, if that needs nothing of the group's from other places, and all else
  // are views of arguments: to take in more of both needs no trial. Or null.
  const Shape* places = nullptr;
  // The shape of arithmetic that leaves the kernel: more of the same is taken to leave it as well, unless it
  // is doubted. Or null.
  const Shape* leaving = nullptr;
  bool contraction = false;                // holds one, whose register tile no other anchor may take
  std::set<ir::Op*, ByPosition> upstream;  // operations that feed the contraction
};

// Two groups that stay two kernels although one reads what the other makes, or both read the same.
struct FusionRefusal {
  size_t first, second;  // groups; the first makes the value, or comes first
  const ir::Op *producer, *consumer;
  const ir::Value* value;
  bool siblings;  // both read the value
  std::string reason;
};

struct FusionChoice {
  std::vector<FusionGroup> groups;
  std::vector<FusionRefusal> refusals;                       // of pairs of those groups
  std::vector<std::pair<const ir::Op*, std::string>> alone;  // operations that no kernel can hold, and why
};

// The groups of the region's own operations, in no particular order, which depends on nothing but the
// program. Operations in no group stay as they are: calls, scans that no kernel can hold, constants.
FusionChoice choose_groups(ir::Region& region, kernel::Candidates& candidates);

// Why the scan cannot be a kernel, or empty.
std::string why_no_kernel(ir::Op& scan, kernel::Candidates& candidates);

// A constant that is written into the kernel's code: a scalar, or one value everywhere.
bool is_inline_constant(const ir::Op& op);

}  // namespace ingot::pass
