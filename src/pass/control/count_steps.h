// A loop of known length whose step holds some of unknown length, as a while that counts. Private to
// rotate_loops.
#pragma once

#include "ir/ir.h"

namespace ingot::pass {

// Whether the scan's step holds a loop of unknown length, and the scan nothing but carries, slices and
// stacks.
bool holds_a_while(ir::Op& scan);
// The scan as a while, before it: its carries are the predicate, the number of the step, those of the scan,
// and the stacks, into which each step puts its slice. Results of the while that stand for those of the scan
// begin at kCountingCarries. The scan stays as it is.
inline constexpr int kCountingCarries = 2;
ir::Op* count_steps(ir::Op& scan);

}  // namespace ingot::pass
