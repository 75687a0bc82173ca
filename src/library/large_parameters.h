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
// x b - y a, the distance of x from a / (a + b) times a + b, where y = 1 - x. Both products are as good as
// equal, and their roundings would be as if x were another float.
Array off_centre(const Array& a, const Array& b, const Array& x, const Array& y);
// x^a y^b / (a B(a, b)), where x and y are above 0. The logarithms are given, too: that of the one that is
// near 1 knows more than it does.
Array beta_scale(const Array& a, const Array& b, const Array& x, const Array& y, const Array& off,
                 const Array& log_x, const Array& log_y);

// Where the uniform expansions hold: all of a large a, and x not far from it (DLMF 8.12).
Array gamma_is_central(const Array& a, const Array& x);
Array central_gamma(const Array& a, const Array& x, bool upper);
// The same for a and b that are both large (DLMF 8.18(ii)), of off_centre.
Array beta_is_central(const Array& a, const Array& b, const Array& off);
Array central_beta(const Array& a, const Array& b, const Array& off);
// The lesser of a and b from which on it holds.
double least_central_beta(DType dtype);

}  // namespace ingot::detail
