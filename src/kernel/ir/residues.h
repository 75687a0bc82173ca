// Loops cut by what remainders say. Private to the counting of work.
#pragma once

#include <optional>

#include "kernel/ir/kernel_ir.h"

namespace ingot::kernel {

// Where conditions ask for `i mod m` of a loop over independent points whose extent is a multiple of m, the
// loop becomes one over i div m with one over i mod m inside: what holds at every m-th point then holds at
// points in a row. Nothing if there is no such loop.
std::optional<Kernel> cut_by_residues(const Kernel& kernel);

}  // namespace ingot::kernel
