// What a kernel reaches of its inputs: a slice of an array is an array of its own to the kernel that reads
// nothing else, wherever it begins. So kernels that differ in where they begin to read are one.
#pragma once

#include "kernel/ir/kernel_ir.h"

namespace ingot::kernel {

// Makes buffers of inputs begin at the first element that a load can touch, and end behind the last one; sets
// `input_starts`. Inputs of which loads can touch all, or that are read under a predicate outside of the
// array, stay as they are. Before the schedule.
void cut_to_reach(Kernel& kernel);

}  // namespace ingot::kernel
