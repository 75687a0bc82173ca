// Steps of a loop of unknown length, many in one kernel. Private to rotate_loops.
#pragma once

#include <vector>

#include "pass/pass.h"

namespace ingot::pass {

// The body of the while, whose predicate is one of its carries, becomes a scan of many steps if that is one
// kernel: what is carried stays in registers, and a point of its band takes steps as long as it has some
// (ScanForm::running). Two kinds of loops are:
// - a scalar decides for all, and the step does what it does element by element, or for a few numbers and few
//   elements of arrays;
// - the predicate is whether any lane goes on, and the step leaves alone those that do not: what becomes of
//   lanes, and what JAX makes of a batched while.
// Returns whether it did.
//
// A step with loops inside may be left in the middle of one of them: some preds that it carries say that it
// was, and other carries are read only then. The scan ends there, so that in it no step waits for what the
// one before has left.
struct LoopsInside {
  std::vector<int> left, values;
};
bool take_steps(ir::Op& loop, PassContext& context, const LoopsInside* inside = nullptr);

}  // namespace ingot::pass
