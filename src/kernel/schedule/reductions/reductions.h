// Long chains of combinations.
#pragma once

#include "kernel/ir/kernel_ir.h"
#include "kernel/ir/target.h"

namespace ingot::kernel {

void shorten_chains(Kernel& kernel, const Target& target);  // of a kernel with one phase

}  // namespace ingot::kernel
