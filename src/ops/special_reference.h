// The functions of analysis that the C++ library has not, in long double, by other ways than the recipes:
// sums and recurrences that converge everywhere, however slowly.
#pragma once

namespace ingot::ops {

long double erf_inv_of(long double x);
long double digamma_of(long double x);
long double zeta_of(long double s, long double q);       // of Hurwitz
long double polygamma_of(long double n, long double x);  // the n-th derivative of digamma
long double bessel_i0e_of(long double x);
long double bessel_i1e_of(long double x);

}  // namespace ingot::ops
