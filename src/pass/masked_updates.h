// Scatters that do nothing where a condition is false.
//
// Branches of a cond in a scan's step that change a carry in part, or hand it on, are such: they are part of
// the kernel that the scan may be. And a select of an array and a version of it, changed in part: so vmap
// leaves what a lane changes that has ended.
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

// Puts a scatter into `array` before the builder's place that does what the given one does where the pred
// `taken` holds, and else nothing. It is a scalar, or runs along these dimensions of the indices. Returns its
// result.
ir::Value* update_where(ir::Builder& builder, ir::Value* taken, const ir::Op& scatter, ir::Value* array,
                        const ir::IntList& dims = {});

// The select becomes the update under its condition, if it chooses between an array and what scatters have
// made of that for it alone.
bool is_select_of_update(const ir::Op& op);
void make_update(ir::Op& select);

}  // namespace ingot::pass
