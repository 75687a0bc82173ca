// The derivatives of the operations: terms of tangents, and transposes of what is linear (ir/derivative.h).
//
// Where a function has a kink the choice is JAX's: equal arguments of max and min share the derivative
// evenly, abs has 1 at 0, and select passes on what its branch gives.
#pragma once

#include "ops/support.h"

namespace ingot::ops {

using ir::Emitter;
using ir::TermContext;
using ir::Transposition;

inline constexpr ir::NotDifferentiable kDiscrete{"integers and preds do not vary continuously"};

// --- what rules are written with

// An array of that type whose elements are all `number`.
Value* filled(Emitter& emitter, const TensorType& type, double number);
inline Value* zeros(Emitter& emitter, const TensorType& type) {
  return filled(emitter, type, 0);
}
// The sum over some axes (ascending), which go.
Value* sum_over(Emitter& emitter, Value* x, const IntList& axes);
// Dimension i of the result is dimension permutation[i] of x; x itself if nothing moves.
Value* permuted(Emitter& emitter, Value* x, const IntList& permutation);

// --- terms, by operation

using TermFunction = Value*(const TermContext&, int operand, Value* tangent, Emitter&);
TermFunction neg_term, abs_term, sqrt_term, rsqrt_term, exp_term, log_term, sin_term, cos_term, tanh_term,
    logistic_term, expm1_term, log1p_term, erf_term;
TermFunction tan_term, asin_term, acos_term, atan_term, sinh_term, cosh_term, asinh_term, acosh_term,
    atanh_term, exp2_term, log2_term, cbrt_term;
TermFunction erfc_term, erf_inv_term, lgamma_term, digamma_term, zeta_term, polygamma_term, bessel_i0e_term,
    bessel_i1e_term;
TermFunction atan2_term, add_term, sub_term, mul_term, div_term, rem_term, extreme_term, pow_term;
TermFunction reduce_term, dot_general_term, convolution_term;
TermFunction cholesky_term, triangular_solve_term, lu_term;

// --- tangents of all results, of operations of one operand

using TangentsFunction = std::vector<Value*>(const TermContext&, Value* tangent, Emitter&);
TangentsFunction qr_tangents, eigh_tangents, svd_tangents, eig_tangents;

// The name of the one binary operation that the combiner of a reduce applies to its accumulator and its
// element, or "". reduce_term knows add, max and min; transform/ writes all others as loops first.
std::string_view combiner_of(const Op& reduce);

// --- transposes, by operation

using TransposeFunction = void(const Op&, Value* cotangent, Transposition&);
TransposeFunction neg_transpose, add_transpose, sub_transpose, mul_transpose, div_transpose, select_transpose,
    convert_transpose;
TransposeFunction complex_transpose, real_transpose, imag_transpose, conj_transpose;
TransposeFunction transpose_transpose, reverse_transpose, reshape_transpose, broadcast_transpose,
    slice_transpose, take_transpose, concatenate_transpose, pad_transpose;
TransposeFunction reduce_transpose, dot_general_transpose, convolution_transpose;
TransposeFunction triangular_solve_transpose;
TransposeFunction fft_transpose, hold_transpose;

}  // namespace ingot::ops
