// Recipes of more than one instruction: the functions of analysis as polynomials over reduced arguments.
//
// All take and give f32 or f64. Accuracy is stated where each is defined and held by tests/ops.
#pragma once

#include "ir/scalar_builder.h"

namespace ingot::ops {

using ir::Comparison;
using ir::Scalar;
using ir::ScalarBuilder;

Scalar exp_recipe(ScalarBuilder& b, Scalar x);
Scalar log_recipe(ScalarBuilder& b, Scalar x);
Scalar sin_recipe(ScalarBuilder& b, Scalar x);
Scalar cos_recipe(ScalarBuilder& b, Scalar x);
Scalar tan_recipe(ScalarBuilder& b, Scalar x);
Scalar asin_recipe(ScalarBuilder& b, Scalar x);
Scalar acos_recipe(ScalarBuilder& b, Scalar x);
Scalar atan_recipe(ScalarBuilder& b, Scalar x);
Scalar sinh_recipe(ScalarBuilder& b, Scalar x);
Scalar cosh_recipe(ScalarBuilder& b, Scalar x);
Scalar asinh_recipe(ScalarBuilder& b, Scalar x);
Scalar acosh_recipe(ScalarBuilder& b, Scalar x);
Scalar atanh_recipe(ScalarBuilder& b, Scalar x);
Scalar exp2_recipe(ScalarBuilder& b, Scalar x);
Scalar log2_recipe(ScalarBuilder& b, Scalar x);
Scalar cbrt_recipe(ScalarBuilder& b, Scalar x);
Scalar tanh_recipe(ScalarBuilder& b, Scalar x);
Scalar logistic_recipe(ScalarBuilder& b, Scalar x);
Scalar expm1_recipe(ScalarBuilder& b, Scalar x);
Scalar log1p_recipe(ScalarBuilder& b, Scalar x);
Scalar erf_recipe(ScalarBuilder& b, Scalar x);
Scalar erfc_recipe(ScalarBuilder& b, Scalar x);
Scalar erf_inv_recipe(ScalarBuilder& b, Scalar x);
Scalar lgamma_recipe(ScalarBuilder& b, Scalar x);
Scalar digamma_recipe(ScalarBuilder& b, Scalar x);
Scalar zeta_recipe(ScalarBuilder& b, Scalar s, Scalar q);
Scalar polygamma_recipe(ScalarBuilder& b, Scalar n, Scalar x);
Scalar bessel_i0e_recipe(ScalarBuilder& b, Scalar x);
Scalar bessel_i1e_recipe(ScalarBuilder& b, Scalar x);
Scalar rsqrt_recipe(ScalarBuilder& b, Scalar x);
Scalar pow_recipe(ScalarBuilder& b, Scalar x, Scalar y);
Scalar atan2_recipe(ScalarBuilder& b, Scalar y, Scalar x);

// c[0] + c[1] x + c[2] x^2 + ..., n >= 1, by fused multiply-adds: short chains beside each other.
Scalar polynomial(ScalarBuilder& b, Scalar x, const double* coefficients, int n);
// The same as one chain, c[0] + x * (c[1] + x * (c[2] + ...)): for what the even and the odd powers all but
// cancel in.
Scalar chained_polynomial(ScalarBuilder& b, Scalar x, const double* coefficients, int n);

template <int n>
Scalar polynomial(ScalarBuilder& b, Scalar x, const double (&coefficients)[n]) {
  return polynomial(b, x, coefficients, n);
}
template <int n>
Scalar chained_polynomial(ScalarBuilder& b, Scalar x, const double (&coefficients)[n]) {
  return chained_polynomial(b, x, coefficients, n);
}

}  // namespace ingot::ops
