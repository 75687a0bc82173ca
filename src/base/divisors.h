// Divisors in a range.
#pragma once

#include "base/divide.h"

namespace ingot {

// The largest divisor of n > 0 from `least` > 0 to `most` > 0, or 0: in as many steps as the root of n, or as
// there are numbers between the ends, or between what n divided by them is.
constexpr int64_t largest_divisor(int64_t n, int64_t least, int64_t most) {
  int64_t quotient = divide_up(n, most);
  for (; quotient <= n / quotient && n / quotient >= least; ++quotient) {
    if (n % quotient == 0) return n / quotient;
  }
  for (int64_t d = n / quotient; d >= least; --d) {
    if (n % d == 0) return d;
  }
  return 0;
}

}  // namespace ingot
