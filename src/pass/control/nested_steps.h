// Steps of a loop with loops inside, as steps that may be taken in one kernel (take_steps.h).
#pragma once

#include "ir/ir.h"
#include "pass/pass.h"

namespace ingot::pass {

// Where each loop in a while's step, itself of unknown length, is many steps in a kernel already: takes
// many steps of the outer one in a kernel too, the inner loops with them.
// `results` are then those of the loop that stands for it.
bool take_nested_steps(ir::Op& loop, PassContext& context, std::vector<ir::Value*>* results = nullptr);

}  // namespace ingot::pass
