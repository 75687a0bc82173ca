// The distribution functions of gamma and beta where their parameters are large: there x^a exp(-x) and
// gamma(a) are out of all bounds, or cancel, and what is computed of them is how far x is from the middle.
#pragma once

#include "ingot/array.h"

namespace ingot::detail {

// All of these take parameters above 0 that are finite.

// x^a exp(-x) / gamma(a + 1), of a finite x above 0.
Array gamma_scale(const Array& a, const Array& x);
// log(x) - digamma(a), which cancels where both are large.
Array log_less_digamma(const Array& a, const Array& x);

// Where x is for a beta distribution, and y = 1 - x: how far from the middle, by how much of a and of b, and
// whether that is so little that a series holds, with what it gives.
struct BetaPlace {
  Array off, of_a, of_b, near_a, near_b, c_a, c_b;
};
BetaPlace beta_place(const Array& a, const Array& b, const Array& x, const Array& y);
// x^a y^b / B(a, b), of x and y above 0, and a and b from kLeastStirling on.
inline constexpr double kLeastStirling = 8;
Array beta_power(const Array& a, const Array& b, const Array& x, const Array& y, const BetaPlace& place);

// Where the uniform expansions hold: all of a large a, and x not far from it (DLMF 8.12).
Array gamma_is_central(const Array& a, const Array& x);
Array central_gamma(const Array& a, const Array& x, bool upper);
// The same for a and b that are both large (DLMF 8.18(ii)). Off is 0 where it is not asked.
Array beta_is_central(const Array& a, const Array& b, const BetaPlace& place);
Array central_beta(const Array& a, const Array& b, const BetaPlace& place);
// The lesser of a and b from which on it holds.
double least_central_beta(DType dtype);

}  // namespace ingot::detail
