// exp, and what is made of it: expm1, logistic, tanh, erf.
//
// x = n ln 2 + r with whole n and |r| <= ln 2 / 2, so that exp(x) = 2^n (1 + p) with p = exp(r) - 1 as a
// polynomial. Adding 1.5 * 2^m to x / ln 2, m the bits of the mantissa, rounds it to n and leaves n in the
// low bits of the sum, from where a shift brings it to the exponent, where no instruction scales by powers of
// two. Coefficients are from a weighted Remez iteration.
#include <cmath>
#include <limits>

#include "ops/recipes.h"
#include "ops/recipes_internal.h"

namespace ingot::ops {
namespace {

// The parts of the exponential: x = n ln 2 + r, and q with exp(r) = 1 + r + r^2 q.
struct Reduced {
  Scalar r, q, n;
  Scalar shifted;  // a float with n in the low bits of its mantissa
};

constexpr double kQ32[] = {0.49999994, 0.166665211, 0.0416681655, 0.00836890098, 0.00138363102};
constexpr double kQ64[] = {0.50000000000000111,   0.1666666666666641,    0.041666666666529191,
                           0.0083333333334956253, 0.0013888888943922751, 0.00019841269504762283,
                           2.480149276266683e-05, 2.755758734550042e-06, 2.7630378669068822e-07,
                           2.4999964139070082e-08};

DType integer_of(DType dtype) {
  return dtype == DType::kF32 ? DType::kS32 : DType::kS64;
}

// `low`, if it is there, is added to the argument.
Reduced reduce_range(ScalarBuilder& b, Scalar x, const Scalar* low = nullptr) {
  const DType dtype = x.dtype;
  const bool single = dtype == DType::kF32;
  const double magic = single ? 0x1.8p23 : 0x1.8p52;
  const double ln2_high = single ? 0x1.62e43p-1 : 0x1.62e42fefa39efp-1;  // ln 2 in two parts
  const double ln2_low = single ? -0x1.05c61p-29 : 0x1.abc9e3b39803fp-56;
  Scalar shifted = b.fma(x, b.constant(dtype, 0x1.71547652b82fep0), b.constant(dtype, magic));
  Scalar n = b.sub(shifted, b.constant(dtype, magic));
  Scalar r = b.fma(n, b.constant(dtype, -ln2_high), x);
  r = b.fma(n, b.constant(dtype, -ln2_low), r);
  if (low != nullptr) r = b.add(r, *low);
  Scalar q = single ? polynomial(b, r, kQ32) : polynomial(b, r, kQ64);
  return {r, q, n, shifted};
}

// exp(r) - 1, relatively accurate near zero.
Scalar below_one(ScalarBuilder& b, const Reduced& reduced) {
  return b.fma(b.mul(reduced.r, reduced.r), reduced.q, reduced.r);
}

// The bits of a times 2^n, if it is a normal number as a is.
Scalar scale_by_bits(ScalarBuilder& b, Scalar a, const Reduced& reduced) {
  const DType integer = integer_of(a.dtype);
  const Scalar bits = b.bitcast(reduced.shifted, integer);
  const Scalar exponent = b.shift_left(bits, b.integer(integer, a.dtype == DType::kF32 ? 23 : 52));
  return b.bitcast(b.add(b.bitcast(a, integer), exponent), a.dtype);
}

Scalar scale(ScalarBuilder& b, Scalar a, const Reduced& reduced) {
  return b.scales_by_powers(a.dtype) ? b.scale_by_power(a, reduced.n) : scale_by_bits(b, a, reduced);
}

// Where exp leaves the normal numbers.
double largest(DType dtype) {
  return dtype == DType::kF32 ? 88.72283172607421875 : 709.78271289338397;
}
double smallest(DType dtype) {
  return dtype == DType::kF32 ? -87.33654022216796875 : -708.3964185322641;
}

// exp(x) - 1 for x not above the upper bound and not far below -40, relatively accurate near zero: with s =
// 2^n / 2 it is 2 (s p + (s - 1/2)).
Scalar half_expm1_inside(ScalarBuilder& b, Scalar x) {
  Reduced reduced = reduce_range(b, x);
  Scalar half = b.constant(x.dtype, 0.5);
  Scalar s = scale(b, half, reduced);
  return b.fma(s, below_one(b, reduced), b.sub(s, half));
}

// Whether exp(a) - 1 is `a` to half a unit in the last place, for a from 0 on.
Scalar is_little(ScalarBuilder& b, Scalar a) {
  return b.compare(Comparison::kLt, a, b.constant(a.dtype, a.dtype == DType::kF32 ? 0x1p-25 : 0x1p-54));
}

Scalar exp_bounded(ScalarBuilder& b, Scalar x, const Scalar* low) {
  const DType dtype = x.dtype;
  // Scaling takes care of what is too large, once r is small; `low` is no small part of an infinite x.
  const bool scales = b.scales_by_powers(dtype) && low == nullptr;
  Reduced reduced = reduce_range(b, scales ? b.min(x, b.constant(dtype, 2 * largest(dtype))) : x, low);
  Scalar one = b.constant(dtype, 1);
  Scalar mantissa = b.fma(reduced.r, b.fma(reduced.r, reduced.q, one), one);
  Scalar y = scale(b, mantissa, reduced);
  if (!scales) {  // above the bound the sum is infinite, and NaN where x is NaN
    Scalar above = b.add(x, b.constant(dtype, INFINITY));
    y = b.select(b.compare(Comparison::kLe, x, b.constant(dtype, largest(dtype))), y, above);
  }
  return b.select(b.compare(Comparison::kLt, x, b.constant(dtype, smallest(dtype))), b.constant(dtype, 0), y);
}

}  // namespace

// At most 1 ulp.
Scalar exp_recipe(ScalarBuilder& b, Scalar x) {
  return exp_bounded(b, x, nullptr);
}

Scalar exp_of_sum(ScalarBuilder& b, Scalar x, Scalar low) {
  return exp_bounded(b, x, &low);
}

// At most 2 ulp. Results below the smallest normal number are zero, as for exp.
Scalar logistic_recipe(ScalarBuilder& b, Scalar x) {
  const DType dtype = x.dtype;
  Scalar one = b.constant(dtype, 1), e = exp_recipe(b, b.neg(x));
  Scalar y = b.div(one, b.add(one, e));
  // What sum and quotient lose to rounding: 1 - y (1 + e) of the whole.
  y = b.fma(y, b.sub(b.fma(b.neg(y), e, one), y), y);
  return b.select(b.compare(Comparison::kLt, x, b.constant(dtype, smallest(dtype))), b.constant(dtype, 0), y);
}

// At most 2 ulp: with m = (exp(2a) - 1) / 2 it is m / (m + 1), which keeps the accuracy of m near zero.
Scalar tanh_recipe(ScalarBuilder& b, Scalar x) {
  const DType dtype = x.dtype;
  Scalar one = b.constant(dtype, 1), a = b.abs(x);
  Scalar m = half_expm1_inside(b, b.add(a, a));
  Scalar y = b.div(m, b.add(m, one));
  // What sum and quotient lose to rounding, m - y (m + 1), divided by m + 1, which is 1 - y times it: the
  // square, since a large m, whose difference from y is rounded, needs no more.
  Scalar rest = b.sub(one, y);
  y = b.fma(b.mul(b.fma(b.neg(y), m, b.sub(m, y)), rest), rest, y);
  // Beyond it rounds to 1.
  Scalar far = b.compare(Comparison::kGt, a, b.constant(dtype, dtype == DType::kF32 ? 9.5 : 20));
  y = b.select(far, one, y);
  return b.select(b.compare(Comparison::kEq, x, x), b.copy_sign(y, x), x);
}

// At most 2 ulp.
Scalar expm1_recipe(ScalarBuilder& b, Scalar x) {
  const DType dtype = x.dtype;
  Scalar half = half_expm1_inside(b, x);
  Scalar y = b.add(half, half);
  y = b.select(b.compare(Comparison::kLt, x, b.constant(dtype, -40)), b.constant(dtype, -1), y);
  Scalar above = b.add(x, b.constant(dtype, INFINITY));
  y = b.select(b.compare(Comparison::kLe, x, b.constant(dtype, largest(dtype))), y, above);
  return b.select(is_little(b, b.abs(x)), x, y);  // -0 is itself, and the least number has no half
}

namespace {

// Single precision: erf(x) / x - 1 in x^2, up to kErfSplit; the fourth root of erfc(a) in a - kErfMiddle
// beyond.
constexpr double kErfSplit = 1.1, kErfMiddle = 2.5;
constexpr double kErfNear32[] = {0.128379166,   -0.376126111,    0.112833641,   -0.026843518,
                                 0.00516773108, -0.000782473944, 7.23606863e-05};
constexpr double kErfFar32[] = {0.142032817,    -0.190061331,  0.0936289504,   -0.0123287262,
                                -0.00650303205, 0.00275805173, 0.000109538356, -0.000174918925};
// Double precision: after 2 / sqrt(pi), which is in two parts.
constexpr double kErf64[] = {
    1.5335459613165881e-17,  0.63661977236758283,     0.10277260330182049,     -0.019128447005656236,
    -0.00020919468869493919, 0.0016962063446390838,   -0.00059012536462905107, 2.5877984020340712e-05,
    6.4493383030485117e-05,  -2.972690074195428e-05,  3.4114344872249774e-06,  2.8303317607715414e-06,
    -1.737123195490325e-06,  3.3309510950762306e-07,  1.3913021338094662e-07,  -1.4269878683925927e-07,
    6.609640563211337e-08,   -2.107530452845297e-08,  5.0254602628615218e-09,  -9.1356992563722381e-10,
    1.2562801119242869e-10,  -1.2696340373286743e-11, 8.909749114475608e-13,   -3.8803829224011179e-14,
    7.8988548581276204e-16};

// Two short polynomials beside each other. Roundings of the far one's count as much as erfc(a) does in the
// result.
Scalar erf_single(ScalarBuilder& b, Scalar x) {
  constexpr DType kF = DType::kF32;
  Scalar a = b.abs(x), limit = b.constant(kF, 4);  // from 3.92 on it rounds to 1
  Scalar near = b.fma(x, polynomial(b, b.mul(x, x), kErfNear32), x);
  Scalar inside = b.select(b.compare(Comparison::kGt, a, limit), limit, a);
  Scalar root = polynomial(b, b.sub(inside, b.constant(kF, kErfMiddle)), kErfFar32);
  Scalar square = b.mul(root, root);
  Scalar far = b.copy_sign(b.fma(b.neg(square), square, b.constant(kF, 1)), x);
  return b.select(b.compare(Comparison::kGt, a, b.constant(kF, kErfSplit)), far, near);
}

// With a = |x| it is 1 - exp(-a P(a)), where a P(a) is the logarithm of 1 / erfc(a): one smooth function over
// the whole range, accurate near zero through expm1 and near one through exp.
Scalar erf_double(ScalarBuilder& b, Scalar x) {
  constexpr DType kF = DType::kF64;
  Scalar limit = b.constant(kF, 5.95);  // from here on it rounds to 1
  Scalar a = b.abs(x);
  a = b.select(b.compare(Comparison::kGt, a, limit), limit, a);
  Scalar g = b.fma(a, b.constant(kF, 0x1.20dd750429b6dp0), b.mul(a, polynomial(b, a, kErf64)));
  Scalar half = half_expm1_inside(b, b.neg(g));
  Scalar y = b.select(is_little(b, a), g, b.add(half, half));
  return b.select(b.compare(Comparison::kEq, x, x), b.copy_sign(y, x), x);
}

}  // namespace

// At most 2 ulp.
Scalar erf_recipe(ScalarBuilder& b, Scalar x) {
  return x.dtype == DType::kF32 ? erf_single(b, x) : erf_double(b, x);
}

}  // namespace ingot::ops
