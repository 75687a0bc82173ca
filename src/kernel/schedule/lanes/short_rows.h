// Rows that are shorter than a vector, such as those of a batch of 3x3 matrices. Private to the schedule.
#pragma once

#include "kernel/ir/nest.h"
#include "kernel/ir/target.h"

namespace ingot::kernel {

// Lanes along memory: points of the loop at `lane` and of all loops inside of it are numbered as they are
// stored, and so many of them as fill whole vectors become one loop on lanes. False: the outputs do not lie
// that way, or lanes across the rows are cheaper.
bool lanes_along_short_rows(Kernel& kernel, const Target& target, Nest& nest, size_t lane);

}  // namespace ingot::kernel
