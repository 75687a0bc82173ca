// Phases that a loop need not run at each step.
#pragma once

#include <cstdint>

#include "kernel/ir/kernel_ir.h"

namespace ingot::kernel {

// The phases, one bit each, that read nothing but kept inputs and each other's results, and fill shared
// memory that no other phase writes: it is still there at the next launch, if that has the same shared
// memory.
uint64_t kept_phases(const Kernel& kernel);

}  // namespace ingot::kernel
