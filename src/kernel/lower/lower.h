// From a fused group of array operations to one kernel over scalars, not yet scheduled.
//
// Lowering is driven by demand: it asks for each element of each output at the band's variables, and every
// operation answers by asking its operands. Views answer with another index, so they never become code. What
// has been computed for an index is remembered in the loop where it was computed, which is also the outermost
// loop where it can stand. Scans and reductions become loops of the band's body when their first element is
// asked for.
#pragma once

#include <cstdint>
#include <string>

#include "kernel/ir/kernel_ir.h"
#include "kernel/lower/group.h"

namespace ingot::kernel {

// Of the body of a kernel: longer ones take too long to compile.
inline constexpr size_t kMostScalars = 20000;

// Throws NotFusible with the reason if the group cannot be one kernel. What a run finds out only on its way
// (which values are stored in tiles, which outputs of scans in stacks) is known to the next one; `runs`
// counts them.
Kernel lower(const Group& group, const std::string& name, int64_t* runs = nullptr);

}  // namespace ingot::kernel
