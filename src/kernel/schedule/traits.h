// What the schedule would make of a kernel: fusion asks before it forms one.
#pragma once

#include "kernel/ir/kernel_ir.h"

namespace ingot::kernel {

// True if the schedule shares all of the kernel's work among threads, however few points its band has: what
// it reduces is cut into parts (see split_reductions), each of which reads memory as it lies.
bool shares_reductions(Kernel kernel);

// True if rows of the band can share what reductions at several points read, in scans or not, in blocks (see
// block_rows.cc).
bool blocks_rows(Kernel kernel);

// True if the kernel joins rows of a contraction that has a register tile (see reduce_columns.cc).
bool reduces_columns(Kernel kernel);

}  // namespace ingot::kernel
