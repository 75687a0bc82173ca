// Whether a reduction may join its points in any order, or in theirs alone.
#pragma once

#include "kernel/ir/kernel_ir.h"

namespace ingot::kernel {

// True if the loop's combiner is known to give the same for (a, b) and (b, a). Lanes and accumulators, which
// join points that do not follow each other, need it; parts of consecutive points, joined in their order, do
// not.
bool commutes(const Kernel& kernel, const Loop& reduction);

// The same, or it carries a place that grows from point to point, by which their order is known.
bool knows_order(const Kernel& kernel, const Loop& reduction);
// Makes such a reduction commute: what joins two points asks which place comes first, f(a, b) where it is
// a's, f(b, a) where it is b's.
void order_by_place(Kernel& kernel, Loop& reduction);

}  // namespace ingot::kernel
