// What a kernel moves and computes, as reports and prices tell it.
#pragma once

#include "kernel/ir/kernel_ir.h"

namespace ingot::kernel {

// Fills in bytes_read, bytes_written, parameter_bytes, copied_first and the report. Bytes count each element
// once that is read from an input or written to an output: what is read again comes from a cache. Flops are
// operations whose result is a float, for the points that want it: of arrays that are put together those of
// each for its own elements, of sums over windows none for the zeros of padding and dilation. What a kernel
// computes twice, since that costs less than to keep it, counts once; a conversion to or from f16 and bf16,
// and the question whether an index of a gather or scatter lies inside of the array, count nothing.
//
// Conditions are decided in so many parts of the points at most, and in fewer where that takes many steps: a
// step is a statement that is gone through, or a question whether a condition holds. In what is beyond they
// count as if they held. Returns the steps.
constexpr int64_t kMostPartsTold = 1 << 16;
int64_t count_work(Kernel& kernel, int64_t most_parts = kMostPartsTold);

}  // namespace ingot::kernel
