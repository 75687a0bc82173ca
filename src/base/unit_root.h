// Roots of unity, to the last digit: angles are reduced to the first eighth of a turn by integers, where sine
// and cosine lose nothing.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>

namespace ingot {

// exp(2 pi i k / n) for n > 0, any k.
template <class Real>
std::complex<Real> unit_root(int64_t k, int64_t n) {
  k %= n;
  if (k < 0) k += n;
  // Eighths of a turn, and what is beyond them, in parts of 8 n.
  const int64_t eighth = 8 * k / n, rest = 8 * k - eighth * n;
  const bool turned = eighth % 2 != 0;
  const Real angle =
      std::numbers::pi_v<Real> / 4 * (static_cast<Real>(turned ? n - rest : rest) / static_cast<Real>(n));
  Real c = std::cos(angle), s = std::sin(angle);
  if (turned) std::swap(c, s);  // from the quarter's other end
  switch (eighth / 2) {
    case 0:
      return {c, s};
    case 1:
      return {-s, c};
    case 2:
      return {-c, -s};
    default:
      return {s, -c};
  }
}

}  // namespace ingot
