// Conditions that say which steps of a window there are, apart from those that say where it lies.
#pragma once

#include <set>

#include "kernel/ir/kernel_ir.h"

namespace ingot::kernel {

// `band`: the variables that places depend on. Returns the scalars that say whether a step is there.
std::set<ScalarId> separate_step_conditions(Kernel& kernel, Block& body, const std::set<VarId>& band);

}  // namespace ingot::kernel
