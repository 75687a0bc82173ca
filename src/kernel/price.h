// What fusing costs in arithmetic: a value that several places of a kernel need may be computed more than
// once.
#pragma once

#include "kernel/group.h"
#include "kernel/kernel_ir.h"

namespace ingot::kernel {

// Instructions per vector lane that a kernel executes, over all its points.
double work(const Kernel& kernel);
// The same if every operation of the group computed each element of its results once.
double least_work(const Group& group);

}  // namespace ingot::kernel
