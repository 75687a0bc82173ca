// Integers in parts.
#pragma once

#include <algorithm>
#include <cstdint>

namespace ingot {

// Both positive.
constexpr int64_t divide_up(int64_t a, int64_t b) {
  return (a + b - 1) / b;
}

// The largest divisor of n that is at most `most`, or n itself if there is none of at least half of that.
constexpr int64_t near_divisor(int64_t n, int64_t most) {
  for (int64_t d = std::min(n, most); d * 2 >= most && d > 0; --d) {
    if (n % d == 0) return d;
  }
  return n;
}

}  // namespace ingot
