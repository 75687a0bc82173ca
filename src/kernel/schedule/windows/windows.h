// Reductions over windows that overlap.
#pragma once

#include "kernel/ir/kernel_ir.h"
#include "kernel/ir/target.h"

namespace ingot::kernel {

bool tile_windows(Kernel& kernel, const Target& target);  // false: no windows that overlap

}  // namespace ingot::kernel
