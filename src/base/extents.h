// Arithmetic on extents that stops at the ends of 64 bits instead of running over them: what comes out of it
// is beyond kMostElements then, and refused where the type is checked (element_count).
#pragma once

#include <cstdint>

#include "ingot/dtype.h"

namespace ingot {

constexpr int64_t add_extents(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a < 0 ? INT64_MIN : INT64_MAX;
}

constexpr int64_t multiply_extents(int64_t a, int64_t b) {
  int64_t product = 0;
  if (!__builtin_mul_overflow(a, b, &product)) return product;
  return (a < 0) != (b < 0) ? INT64_MIN : INT64_MAX;
}

// How far `extent` elements reach that lie `distance` apart.
constexpr int64_t spread_extent(int64_t extent, int64_t distance) {
  return extent == 0 ? 0 : add_extents(multiply_extents(extent - 1, distance), 1);
}

}  // namespace ingot
