// Products of integers that hold a factor more than once.
#pragma once

#include "kernel/ir/kernel_ir.h"

namespace ingot::kernel {

// Regroups chains of integer products into powers: c*b*b*b*b*b*b is c * p * p with p = b*b*b, and chains that
// hold equal products share them. Integers only, which wrap around and so may be multiplied in any order.
void regroup_products(Kernel& kernel, Block& block);

}  // namespace ingot::kernel
