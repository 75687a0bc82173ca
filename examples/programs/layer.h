// A dense layer: one matrix product whose bias and activation should cost no pass of their own.
#pragma once

#include <ingot/ingot.h>

namespace programs {

// x : f32[n, in], w : f32[in, out], b : f32[out] -> f32[n, out]
inline ingot::Array layer(ingot::Array x, ingot::Array w, ingot::Array b) {
  return ingot::silu(ingot::dot(x, w) + b);
}

}  // namespace programs
