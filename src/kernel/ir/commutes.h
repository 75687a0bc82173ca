// Whether a reduction may join its points in any order, or in theirs alone.
#pragma once

#include "kernel/ir/kernel_ir.h"

namespace ingot::kernel {

// True if the loop's combiner is known to give the same for (a, b) and (b, a). Lanes and accumulators, which
// join points out of their order, need it; parts of consecutive points, joined in order, do not.
bool commutes(const Kernel& kernel, const Loop& reduction);

// The same, or it carries a place that grows from point to point, by which their order is known.
bool knows_order(const Kernel& kernel, const Loop& reduction);
// Makes such a reduction commute: joining two points is f(a, b) where a's place comes first, else f(b, a).
void order_by_place(Kernel& kernel, Loop& reduction);

}  // namespace ingot::kernel
