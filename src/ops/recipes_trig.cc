// sin, cos and tan.
//
// x = n pi + r with whole n and |r| <= pi / 2, subtracted in three fused steps with pi in three parts, each
// cut off (not rounded), so that zeros keep their sign. The sine of r is r (1 + r^2 P(r^2)); an odd n turns
// the sign. Where n would lose its exactness, the C library takes over. Coefficients are from a weighted
// Remez iteration.
#include <cmath>

#include "ops/recipes.h"
#include "ops/recipes_internal.h"

namespace ingot::ops {
namespace {

constexpr double kSin32[] = {-0.166666597, 0.00833306927, -0.000198097769, 2.60609522e-06};
constexpr double kSin64[] = {-0.16666666666666666,    0.0083333333333332066,   -0.00019841269841212479,
                             2.7557319211569347e-06,  -2.5052106904384336e-08, 1.6058940998390195e-10,
                             -7.6430192026732297e-13, 2.7214169211483505e-15};

// Of (tan(sqrt z) / sqrt z - 1) / z.
constexpr double kTan32[] = {0.333333343,   0.133332267,   0.0539952703, 0.0216147993,
                             0.00998428091, 0.00115004939, 0.00386401778};
constexpr double kTan64[] = {0.33333333333333331,    0.13333333333332972,     0.053968253968687353,
                             0.021869488515661832,   0.0088632360359950351,   0.0035921205341115097,
                             0.001455906697217029,   0.00058955186218153624,  0.00024132532479568712,
                             8.9695361912412637e-05, 5.6182023966352562e-05,  -1.1848278942975567e-05,
                             3.7281427570719198e-05, -1.8727743470423564e-05, 8.582409658225887e-06};

constexpr double kPi32[] = {0x1.921fb4p1, 0x1.4442dp-23, 0x1.846988p-47};
constexpr double kPi64[] = {0x1.921fb54442d18p1, 0x1.1a62633145c06p-53, 0x1.c1cd129024e08p-106};

// x - n pi.
Scalar subtract_pi(ScalarBuilder& b, Scalar x, Scalar n) {
  for (double part : x.dtype == DType::kF32 ? kPi32 : kPi64) x = b.fma(n, b.constant(x.dtype, -part), x);
  return x;
}

// The sine of r, negated where the lowest bit of `parity` is set.
Scalar signed_sine(ScalarBuilder& b, Scalar r, Scalar parity) {
  const DType dtype = r.dtype;
  const bool single = dtype == DType::kF32;
  const DType integer = single ? DType::kS32 : DType::kS64;
  Scalar square = b.mul(r, r);
  Scalar p = single ? polynomial(b, square, kSin32) : polynomial(b, square, kSin64);
  Scalar sine = b.fma(b.mul(r, square), p, r);
  // Rounding may take it beyond 1. NaN stays, by the order of these comparisons.
  const Scalar one = b.constant(dtype, 1), minus_one = b.constant(dtype, -1);
  sine = b.select(b.compare(Comparison::kGt, sine, one), one, sine);
  sine = b.select(b.compare(Comparison::kLt, sine, minus_one), minus_one, sine);
  Scalar sign = b.shift_left(b.bitcast(parity, integer), b.integer(integer, single ? 31 : 63));
  return b.bitcast(b.bit_xor(b.bitcast(sine, integer), sign), dtype);
}

Scalar patch_far(ScalarBuilder& b, Scalar x, Scalar usual, const ir::RareFunction& function) {
  const double limit = x.dtype == DType::kF32 ? 39000 : 0x1p30;
  Scalar near = b.compare(Comparison::kLe, b.abs(x), b.constant(x.dtype, limit));
  return b.patch_rare(b.bit_not(near), usual, function, x);
}

constexpr double kInversePi = 0x1.45f306dc9c883p-2;

constexpr ir::RareFunction kFarSin{"ingot_far_sin", [](float x) { return std::sin(x); },
                                   [](double x) { return std::sin(x); }};
// The C library's tangent of a float is up to 1.4 ulp off, where this one is to be closer.
constexpr ir::RareFunction kFarTan{
    "ingot_far_tan", [](float x) { return static_cast<float>(std::tan(static_cast<double>(x))); },
    [](double x) { return std::tan(x); }};
constexpr ir::RareFunction kFarCos{"ingot_far_cos", [](float x) { return std::cos(x); },
                                   [](double x) { return std::cos(x); }};

}  // namespace

// At most 2 ulp.
Scalar sin_recipe(ScalarBuilder& b, Scalar x) {
  const DType dtype = x.dtype;
  Scalar shift = b.constant(dtype, magic(dtype));
  Scalar shifted = b.fma(x, b.constant(dtype, kInversePi), shift);
  Scalar r = subtract_pi(b, x, b.sub(shifted, shift));
  // The sum in signed_sine gives +0 for -0.
  Scalar y = b.select(b.compare(Comparison::kEq, x, b.constant(dtype, 0)), x, signed_sine(b, r, shifted));
  return patch_far(b, x, y, kFarSin);
}

// At most 2 ulp. cos(x) is sin(x + pi / 2): n is a whole number and a half.
Scalar cos_recipe(ScalarBuilder& b, Scalar x) {
  const DType dtype = x.dtype;
  Scalar shift = b.constant(dtype, magic(dtype)), half = b.constant(dtype, 0.5);
  Scalar shifted = b.add(b.fma(x, b.constant(dtype, kInversePi), half), shift);
  Scalar r = subtract_pi(b, x, b.sub(b.sub(shifted, shift), half));
  return patch_far(b, x, signed_sine(b, r, shifted), kFarCos);
}

// At most 1.2 ulp. x = n pi / 2 + r with |r| <= pi / 4, r as a number and what it lacks; an odd n turns the
// tangent into minus its inverse, whose own error is taken off.
Scalar tan_recipe(ScalarBuilder& b, Scalar x) {
  const DType dtype = x.dtype;
  const bool single = dtype == DType::kF32;
  const DType integer = single ? DType::kS32 : DType::kS64;
  const double* parts = single ? kPi32 : kPi64;
  Scalar shift = b.constant(dtype, magic(dtype)), one = b.constant(dtype, 1);
  Scalar shifted = b.fma(x, b.constant(dtype, 2 * kInversePi), shift), n = b.sub(shifted, shift);
  Scalar first = b.fma(n, b.constant(dtype, -parts[0] / 2), x);
  Scalar middle = b.constant(dtype, parts[1] / 2), taken = b.mul(n, middle);
  Scalar r = b.sub(first, taken), back = b.sub(r, first);  // either of the two may be the larger
  Scalar low = b.sub(b.sub(first, b.sub(r, back)), b.add(taken, back));
  low = b.sub(low, b.fma(n, middle, b.neg(taken)));
  low = b.fma(n, b.constant(dtype, -parts[2] / 2), low);
  Scalar z = b.mul(r, r);
  Scalar p = single ? polynomial(b, z, kTan32) : polynomial(b, z, kTan64);
  Scalar cubic = b.mul(b.mul(r, z), p), slope = b.add(r, cubic);
  Scalar rest = b.fma(low, b.fma(slope, slope, one), cubic);
  Scalar t = b.add(r, rest), lost = b.sub(rest, b.sub(t, r));
  Scalar inverse = b.div(b.constant(dtype, -1), t);
  Scalar more = b.fma(inverse, lost, b.fma(inverse, t, one));
  Scalar turned = b.fma(inverse, more, inverse);
  Scalar parity = b.bit_and(b.bitcast(shifted, integer), b.integer(integer, 1));
  Scalar y = b.select(b.compare(Comparison::kEq, parity, b.integer(integer, 0)), t, turned);
  y = b.select(b.compare(Comparison::kEq, x, b.constant(dtype, 0)), x, y);
  const double limit = single ? 19500 : 0x1p29;
  Scalar near = b.compare(Comparison::kLe, b.abs(x), b.constant(dtype, limit));
  return b.patch_rare(b.bit_not(near), y, kFarTan, x);
}

}  // namespace ingot::ops
