// The greatest (least) element so far along an axis, for cummax and cummin.
#pragma once

#include "ingot/functions.h"

namespace ingot::detail {

// `x` in a dtype that is computed in; recorded, so only while tracing. The derivative shares what several
// equal elements give as a balanced tree of maximum (minimum) would, which is that of JAX.
Array running_extreme(const Array& x, int64_t axis, bool reverse, bool greatest);

}  // namespace ingot::detail
