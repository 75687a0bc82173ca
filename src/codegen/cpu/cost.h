// A rough guess at the time of one unit of work, so that the runtime can cut the band into pieces worth a
// thread.
#pragma once

#include "kernel/ir/kernel_ir.h"

namespace ingot::codegen {

// With everything that the kernel may have to copy; with `in_place`, where that input and output are the same
// memory, and nothing is copied from one to the other.
double estimate_unit_cost(const kernel::Kernel& kernel, int64_t units,
                          const kernel::CopiedFirst* in_place = nullptr);

}  // namespace ingot::codegen
