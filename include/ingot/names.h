// Names that numpy and jax.numpy have beside others for the same function, and numbers that have names.
#pragma once

#include "ingot/functions.h"

namespace ingot {

inline constexpr double kPi = 3.141592653589793, kE = 2.718281828459045, kEulerGamma = 0.5772156649015329;
inline constexpr double kInf = __builtin_inf(), kNan = __builtin_nan("");

// --- of functions of one array ---
Array absolute(const Operand& x);  // abs
Array fabs(const Operand& x);      // abs, of integers as floats
Array arcsin(const Operand& x);    // asin, and so on
Array arccos(const Operand& x);
Array arctan(const Operand& x);
Array arcsinh(const Operand& x);
Array arccosh(const Operand& x);
Array arctanh(const Operand& x);
Array negative(const Operand& x);
Array positive(const Operand& x);  // x itself
Array conjugate(const Operand& z);
Array invert(const Operand& x);  // ~x
Array bitwise_invert(const Operand& x);
Array bitwise_count(const Operand& x);                 // population_count of |x|, u8 as in JAX
Array matrix_transpose(const Operand& x);              // the last two axes exchanged
Array around(const Operand& x, int64_t decimals = 0);  // round
Array iscomplex(const Operand& x);                     // has it an imaginary part?
Array isreal(const Operand& x);
Array cumulative_sum(const Operand& x, Axis axis = 0);  // cumsum
Array cumulative_prod(const Operand& x, Axis axis = 0);
Array amax(const Operand& x, const Axes& axes = {}, KeepDims keepdims = {});
Array amin(const Operand& x, const Axes& axes = {}, KeepDims keepdims = {});
Array permute_dims(const Operand& x, std::vector<int64_t> permutation);
Array concat(const Operands& arrays, Axis axis = 0);
int64_t ndim(const Operand& x);
int64_t size(const Operand& x);
int64_t size(const Operand& x, Axis axis);
Shape shape(const Operand& x);

// --- of functions of two ---
Array add(const Operand& x, const Operand& y);
Array subtract(const Operand& x, const Operand& y);
Array multiply(const Operand& x, const Operand& y);
Array divide(const Operand& x, const Operand& y);  // true_divide
Array power(const Operand& x, const Operand& y);
Array arctan2(const Operand& y, const Operand& x);
Array bitwise_left_shift(const Operand& x, const Operand& amount);
Array bitwise_right_shift(const Operand& x, const Operand& amount);
Array igamma(const Operand& a, const Operand& x);  // jax.lax's name of gammainc
Array igammac(const Operand& a, const Operand& x);
Array equal(const Operand& x, const Operand& y);
Array not_equal(const Operand& x, const Operand& y);
Array less(const Operand& x, const Operand& y);
Array less_equal(const Operand& x, const Operand& y);
Array greater(const Operand& x, const Operand& y);
Array greater_equal(const Operand& x, const Operand& y);

}  // namespace ingot
