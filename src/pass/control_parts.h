// Taking parts of a while or a cond away: carries, arguments and results that nobody needs.
#pragma once

#include <vector>

#include "ir/ir.h"

namespace ingot::pass {

// Which parts of a while or a cond stay, in the order of the new one, by their indices in the old one.
struct ControlParts {
  std::vector<int> arguments;  // of the regions; of a while, carries come first, as many as there are results
  std::vector<int> results;

  static ControlParts of(const ir::Op& op);  // all of it
  bool operator==(const ControlParts&) const = default;
};

// Without what no used result, and of a while the predicate, depends on.
ControlParts needed_parts_of(const ir::Op& op);

// A result and the value that it is, though nothing of the operation is run: what every step of a while hands
// on unchanged, what all branches of a cond pass through.
struct PassedThrough {
  int result;
  ir::Value* value;
};
std::vector<PassedThrough> passed_through(const ir::Op& op);
// With those carries of a while as invariants.
ControlParts without_constant_carries_of(const ir::Op& loop);

// Replaces the operation by one with these parts. What is left out must be unused, but for operations of the
// regions that only it needs, which are erased. Values keep their names.
ir::Op* rebuild_control(ir::Op& op, const ControlParts& parts);

}  // namespace ingot::pass
