// What constants decide about loops and branches. Part of the pass fold.
#pragma once

#include "pass/pass.h"

namespace ingot::pass {

// A branch takes the place of the cond that always takes it (rule `branch`: the index is a constant, there is
// one branch, or all are equal), initial values that of a while that takes no step (`no_step`), a scan that
// of a while whose steps can be counted (`known_steps`), and its steps that of a short scan which hands on
// tables of constants (`constant_tables`). Whether the operation is gone; what takes its place stands before
// it.
bool fold_control(ir::Op& op, PassContext& context);

}  // namespace ingot::pass
