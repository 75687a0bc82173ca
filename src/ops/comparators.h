// Comparators of `sort` that order by keys, in the form in which the pass `sort_keys` finds the keys again.
#pragma once

#include <memory>
#include <vector>

#include "ir/builder.h"
#include "ops/kinds.h"

namespace ingot::ops {

// The integer that orders as the float does, -NaN < -inf < .. < -0 < +0 < .. < NaN: the bits, with all but
// the sign inverted where it is set.
ir::Value* total_order(ir::Builder& builder, ir::Value* x);

// For arrays of these dtypes, of which as many as there are orders are keys. Complex keys are ordered by
// their real parts, then by their imaginary ones.
std::unique_ptr<ir::Region> comparator_by_keys(ir::Function& function, const std::vector<DType>& dtypes,
                                               const std::vector<KeyOrder>& orders,
                                               const ir::Provenance& provenance);

}  // namespace ingot::ops
