// Long chains of element-wise operations: their compile time should grow as their length and no faster.
#pragma once

#include <ingot/ingot.h>

namespace programs {

inline ingot::Array sine_chain(ingot::Array x, int length) {
  for (int i = 0; i < length; ++i) x = ingot::sin(x) * 1.01 + i;
  return x;
}

inline ingot::Array max_chain(ingot::Array x, ingot::Array y, int length) {
  for (int i = 0; i < length; ++i) x = ingot::maximum(x * y + 0.001 * i, y);
  return x;
}

}  // namespace programs
