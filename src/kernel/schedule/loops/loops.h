// Steps of the schedule on loops as they are, whatever runs on lanes or in tiles (schedule.h says what each
// is for).
#pragma once

#include "kernel/ir/kernel_ir.h"
#include "kernel/ir/target.h"

namespace ingot::kernel {

void collapse_loops(Kernel& kernel);
// Reductions whose body is one reduction, seen by every index as one, become one.
void collapse_chains(Kernel& kernel, Block& block);
void split_long_bodies(Kernel& kernel);
void fetch_next(Kernel& kernel, const Target& target);
void hoist_invariants(Kernel& kernel);

}  // namespace ingot::kernel
