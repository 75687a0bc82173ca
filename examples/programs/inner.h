// A jitted function called many times by another: traced once, compiled once.
#pragma once

#include <ingot/ingot.h>

namespace programs {

// x, w : f32[n, n] -> f32[n, n]
inline ingot::Array block(ingot::Array x, ingot::Array w) {
  for (int round = 0; round < 4; ++round)
    x = ingot::tanh(ingot::dot(x, w)) + ingot::softmax(x) * ingot::sin(x);
  return x;
}

inline ingot::Array blocks(ingot::Array x, ingot::Array w, int calls) {
  const auto inner = ingot::jit(block, {.name = "block"});
  for (int i = 0; i < calls; ++i) x = inner(x, w);
  return x;
}

}  // namespace programs
