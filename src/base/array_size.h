// The size of an array of one dtype.
#pragma once

#include <cstddef>

#include "ingot/dtype.h"

namespace ingot {

// The most dimensions that an array may have: what is nested by dimension, text for one, is walked by
// recursion. element_count, which sees all shapes, holds them to it; readers of files already when they read.
inline constexpr size_t kMostDimensions = 1000;

// element_count, and an Error for complex arrays of more than kMostElements / 2 elements: kernels have them
// as real ones of twice as many (pass/numbers/split_complex.cc).
int64_t element_count(DType dtype, const Shape& shape);

}  // namespace ingot
