// Branches of a cond in a scan's step that change a carry in part, or hand it on: as scatters that do nothing
// where their branch is not taken, they are part of the kernel that the scan may be.
#pragma once

#include <vector>

#include "ir/builder.h"
#include "ops/control.h"

namespace ingot::pass {

struct MaskedUpdate {
  int argument = -1;  // of the cond, which the result is a version of; -1: the result is of another kind
  std::vector<std::vector<ir::Op*>> scatters;  // by branch, in their order
};
// One for each result.
std::vector<MaskedUpdate> masked_updates(const ops::CondOp& cond);

// Whether it puts few elements where indices say that can also name no place.
bool can_be_masked(const ir::Op& op);

// Puts a scatter into `array` before the builder's place that does what the given one does where the scalar
// pred `taken` holds, and else nothing. Returns its result.
ir::Value* update_where(ir::Builder& builder, ir::Value* taken, const ir::Op& scatter, ir::Value* array);

}  // namespace ingot::pass
