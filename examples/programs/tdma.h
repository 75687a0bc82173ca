// Tridiagonal systems, one per row, by the Thomas algorithm: a sweep down and a sweep back, each a recurrence
// along the row. Written twice, and expected to become the same single kernel.
#pragma once

#include <ingot/ingot.h>

namespace programs {

// Row t of a system reads a x[t-1] + b x[t] + c x[t+1] = d.
struct Equations {
  ingot::Array a, b, c, d;
};

// The same after the sweep down: x[t] = d - c x[t+1].
struct Swept {
  ingot::Array c, d;
};

inline auto sweep_down(Swept last, Equations now) {
  const ingot::Array n = 1 / (now.b - now.a * last.c);
  const Swept next{now.c * n, (now.d - now.a * last.d) * n};
  return std::pair(next, next);
}

inline auto sweep_back(ingot::Array last, Swept now) {
  const ingot::Array x = now.d - now.c * last;
  return std::pair(x, x);
}

// All of shape [systems, length]; scans along axis 1, where the data lies.
inline ingot::Array tdma(ingot::Array a, ingot::Array b, ingot::Array c, ingot::Array d) {
  const ingot::Array zero = ingot::Array::zeros({a.shape(0)}, a.dtype());
  const auto [unused, swept] = ingot::scan(sweep_down, Swept{zero, zero}, Equations{a, b, c, d}, {.axis = 1});
  return ingot::scan(sweep_back, zero, swept, {.axis = 1, .reverse = true}).second;
}

// The same by a user who knows scans over the first axis only: transposes around, reversals in between.
inline ingot::Array tdma_transposed(ingot::Array a, ingot::Array b, ingot::Array c, ingot::Array d) {
  const ingot::Array zero = ingot::Array::zeros({a.shape(0)}, a.dtype());
  const auto [unused, swept] =
      ingot::scan(sweep_down, Swept{zero, zero}, Equations{a.T(), b.T(), c.T(), d.T()});
  const ingot::Slice reversed{.step = -1};
  const Swept upwards{swept.c.slice(reversed), swept.d.slice(reversed)};
  return ingot::scan(sweep_back, zero, upwards).second.slice(reversed).T();
}

}  // namespace programs
