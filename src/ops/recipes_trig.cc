// sin and cos.
//
// x = n pi + r with whole n and |r| <= pi / 2, subtracted in three fused steps with pi in three parts, each
// cut off (not rounded), so that zeros keep their sign. The sine of r is r (1 + r^2 P(r^2)); an odd n turns
// the sign. Where n would lose its exactness, the C library takes over. Coefficients are from a weighted
// Remez iteration.
#include <cmath>

#include "ops/recipes.h"

namespace ingot::ops {
namespace {

constexpr double kSin32[] = {-0.166666597, 0.00833306927, -0.000198097769, 2.60609522e-06};
constexpr double kSin64[] = {-0.16666666666666666,    0.0083333333333332066,   -0.00019841269841212479,
                             2.7557319211569347e-06,  -2.5052106904384336e-08, 1.6058940998390195e-10,
                             -7.6430192026732297e-13, 2.7214169211483505e-15};

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
  Scalar sign = b.shift_left(b.bitcast(parity, integer), b.integer(integer, single ? 31 : 63));
  return b.bitcast(b.bit_xor(b.bitcast(sine, integer), sign), dtype);
}

Scalar patch_far(ScalarBuilder& b, Scalar x, Scalar usual, const ir::RareFunction& function) {
  const double limit = x.dtype == DType::kF32 ? 39000 : 0x1p30;
  Scalar near = b.compare(Comparison::kLe, b.abs(x), b.constant(x.dtype, limit));
  return b.patch_rare(b.bit_not(near), usual, function, x);
}

constexpr double magic(DType dtype) {
  return dtype == DType::kF32 ? 0x1.8p23 : 0x1.8p52;
}
constexpr double kInversePi = 0x1.45f306dc9c883p-2;

constexpr ir::RareFunction kFarSin{"ingot_far_sin", [](float x) { return std::sin(x); },
                                   [](double x) { return std::sin(x); }};
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

}  // namespace ingot::ops
