// The size of an array of one dtype.
#pragma once

#include "ingot/dtype.h"

namespace ingot {

// element_count, and an Error for complex arrays of more than kMostElements / 2 elements: kernels have them
// as real ones of twice as many (pass/numbers/split_complex.cc).
int64_t element_count(DType dtype, const Shape& shape);

}  // namespace ingot
