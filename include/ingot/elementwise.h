// Functions of one or two numbers beside those of functions.h, element by element. Integers and preds become
// f32 where the result is no integer, as in JAX.
#pragma once

#include "ingot/functions.h"

namespace ingot {

// --- questions; the answers are preds ---
Array isfinite(const Operand& x);
Array isnan(const Operand& x);
Array isinf(const Operand& x);
Array isposinf(const Operand& x);
Array isneginf(const Operand& x);
Array signbit(const Operand& x);  // of -0 and of negative NaN, too
struct CloseOptions {
  detail::ByName by_name = detail::ByName();
  double rtol = 1e-5, atol = 1e-8;
  bool equal_nan = false;
};
// |a - b| <= atol + rtol |b|; infinities are close to themselves.
Array isclose(const Operand& a, const Operand& b, const CloseOptions& options = {});
Array allclose(const Operand& a, const Operand& b, const CloseOptions& options = {});
// Is all equal, and the shape, too? array_equiv: after broadcasting. Both are pred[].
Array array_equal(const Operand& a, const Operand& b, bool equal_nan = false);
Array array_equiv(const Operand& a, const Operand& b);
// Is each element of x in `values`?
Array isin(const Operand& x, const Operand& values, bool invert = false);

// Numbers are true where they are not 0.
Array logical_and(const Operand& x, const Operand& y);
Array logical_or(const Operand& x, const Operand& y);
Array logical_xor(const Operand& x, const Operand& y);
Array bitwise_and(const Operand& x, const Operand& y);
Array bitwise_or(const Operand& x, const Operand& y);
Array bitwise_xor(const Operand& x, const Operand& y);
Array bitwise_not(const Operand& x);
Array left_shift(const Operand& x, const Operand& amount);
Array right_shift(const Operand& x, const Operand& amount);

// --- quotients and parts of numbers ---
std::pair<Array, Array> divmod(const Operand& x, const Operand& y);  // floor_divide and mod
Array fmod(const Operand& x, const Operand& y);                      // the rest with the sign of x
Array remainder(const Operand& x, const Operand& y);    // with the sign of y: numpy's name of mod
Array true_divide(const Operand& x, const Operand& y);  // of integers, too, as a float
Array reciprocal(const Operand& x);
Array log10(const Operand& x);
Array trunc(const Operand& x);
Array fix(const Operand& x);                             // the same
Array rint(const Operand& x);                            // round, of integers as floats
Array round(const Operand& x, int64_t decimals);         // so many digits behind the point
std::pair<Array, Array> modf(const Operand& x);          // what is behind the point, and before it
Array ldexp(const Operand& x, const Operand& n);         // x 2^n for integers n, rounded once
std::pair<Array, Array> frexp(const Operand& x);         // m from 0.5 to below 1, n as s32, with x = m 2^n
Array copysign(const Operand& x, const Operand& y);      // |x| with the sign of y
Array heaviside(const Operand& x, const Operand& half);  // 0 below 0, `half` at 0, 1 above
Array float_power(const Operand& x, const Operand& y);
Array gcd(const Operand& x, const Operand& y);  // of integers
Array lcm(const Operand& x, const Operand& y);
Array fmax(const Operand& x, const Operand& y);  // the other one where one is NaN
Array fmin(const Operand& x, const Operand& y);
Array logaddexp2(const Operand& x, const Operand& y);

Array rad2deg(const Operand& x);
Array deg2rad(const Operand& x);
Array degrees(const Operand& x);
Array radians(const Operand& x);
Array sinc(const Operand& x);  // sin(pi x) / (pi x), and 1 at 0

struct NanOptions {
  detail::ByName by_name = detail::ByName();
  double nan = 0;
  Optional<double> posinf = {}, neginf = {};  // by default the greatest and the least number
};
Array nan_to_num(const Operand& x, const NanOptions& options = {});

Array erfinv(const Operand& x);  // infinite at 1, NaN beyond

}  // namespace ingot
