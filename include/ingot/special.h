// Special functions beside those of functions.h, as in jax.scipy.special.
#pragma once

#include "ingot/functions.h"

namespace ingot {

Array gammaln(const Operand& x);  // scipy's name of lgamma
Array gamma(const Operand& x);    // NaN at negative integers
Array beta(const Operand& a, const Operand& b);
Array betaln(const Operand& a, const Operand& b);
Array factorial(const Operand& n);
Array poch(const Operand& z, const Operand& m);  // gamma(z + m) / gamma(z)
Array multigammaln(const Operand& a, int64_t d);
// The parts of gamma(a) whose integrals go up to x, and from x on: a series, a continued fraction, and where
// a is large and x near it the uniform expansion. Derivatives in both arguments, twice.
Array gammainc(const Operand& a, const Operand& x);
Array gammaincc(const Operand& a, const Operand& x);
// The part of beta(a, b) whose integral goes up to x, by continued fractions, and where both a and b are
// large by the uniform expansion. Differentiable in all three arguments (in JAX in x alone), twice.
Array betainc(const Operand& a, const Operand& b, const Operand& x);

Array i0(const Operand& x);  // modified Bessel functions of the first kind
Array i1(const Operand& x);
Array i0e(const Operand& x);  // exp(-|x|) times that: jax.lax's bessel_i0e
Array i1e(const Operand& x);
Array expi(const Operand& x);  // the exponential integral, the integral of exp(t) / t up to x
Array exp1(const Operand& x);  // -expi(-x)

Array ndtr(const Operand& x);      // the normal distribution function
Array log_ndtr(const Operand& x);  // its logarithm, accurate in both tails
Array ndtri(const Operand& p);     // its inverse
Array expit(const Operand& x);     // scipy's name of logistic

Array entr(const Operand& x);                        // -x log(x)
Array rel_entr(const Operand& p, const Operand& q);  // p log(p / q)
Array kl_div(const Operand& p, const Operand& q);    // p log(p / q) - p + q

}  // namespace ingot
