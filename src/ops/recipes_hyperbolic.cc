// sinh, cosh, and what grows as a power: exp2, cbrt.
//
// With x = n ln 2 + r and whole n, sinh(x) = D cosh(r) + M sinh(r) and cosh(x) = M cosh(r) + D sinh(r), where
// D and M are (2^n - 2^-n) / 2 and (2^n + 2^-n) / 2: nothing cancels, and the larger term is nearly exact.
// Coefficients are Chebyshev fits.
#include <cmath>
#include <limits>

#include "ops/recipes.h"
#include "ops/recipes_internal.h"

namespace ingot::ops {
namespace {

// Of (sinh(sqrt z) / sqrt z - 1) / z and (cosh(sqrt z) - 1) / z.
constexpr double kSinh32[] = {0.166666672, 0.00833331048, 0.000198919763};
constexpr double kSinh64[] = {0.16666666666666669, 0.0083333333333297944, 0.00019841269864373715,
                              2.7557266428971248e-06, 2.5101342096938203e-08};
constexpr double kCosh32[] = {0.5, 0.0416664556, 0.0013934538};
constexpr double kCosh64[] = {0.5,
                              0.041666666666666678,
                              0.0013888888888878273,
                              2.4801587338554466e-05,
                              2.7557261040760032e-07,
                              2.0918957696509961e-09};
// Of (2^r - 1) / r.
constexpr double kPower32[] = {0.693147182,   0.240226507,   0.0555035695,
                               0.00961808302, 0.00133908633, 0.000154531634};
constexpr double kPower64[] = {0.69314718055994529,    0.24022650695910072,    0.055504108664821625,
                               0.0096181291076284803,  0.0013333558146406471,  0.00015403530393370734,
                               1.5252733841556773e-05, 1.3215486808705563e-06, 1.0178057087733941e-07,
                               7.0548973041554995e-09, 4.4558179083360645e-10, 2.5729324177362305e-11};
// Of the cube root of 1 + f.
constexpr double kCbrt32[] = {0.999687135, 0.338278025, -0.103992365};
constexpr double kCbrt64[] = {0.99999938044540881,  0.33331590062628252, -0.11100069349928585,
                              0.062452503773942243, -0.0443594636982894, 0.02556886509623392};

// 2^n for a whole n whose power is a normal number: n + bias in the low bits of a sum, moved to the exponent.
Scalar power_of_two(ScalarBuilder& b, Scalar n) {
  const DType dtype = n.dtype;
  const bool single = dtype == DType::kF32;
  const DType integer = single ? DType::kS32 : DType::kS64;
  Scalar biased = b.add(n, b.constant(dtype, magic(dtype) + (single ? 127 : 1023)));
  return b.bitcast(b.shift_left(b.bitcast(biased, integer), b.integer(integer, single ? 23 : 52)), dtype);
}

// An eighth of D and of M, of sinh(r) and cosh(r) - 1, for a = |x| cut off where both overflow.
struct Hyperbolic {
  Scalar n, d, m, sinh, cosh_less_one;
};
Hyperbolic hyperbolic(ScalarBuilder& b, Scalar a) {
  const DType dtype = a.dtype;
  const bool single = dtype == DType::kF32;
  const auto number = [&](double value) { return b.constant(dtype, value); };
  a = b.min(a, number(single ? 90 : 711));
  Scalar shifted = b.fma(a, number(0x1.71547652b82fep0), number(magic(dtype)));
  Scalar n = b.sub(shifted, number(magic(dtype)));
  Scalar r = b.fma(n, number(single ? -0x1.62e43p-1 : -0x1.62e42fefa39efp-1), a);
  r = b.fma(n, number(single ? 0x1.05c61p-29 : -0x1.abc9e3b39803fp-56), r);
  Scalar z = b.mul(r, r);
  Scalar s = single ? polynomial(b, z, kSinh32) : polynomial(b, z, kSinh64);
  Scalar c = single ? polynomial(b, z, kCosh32) : polynomial(b, z, kCosh64);
  Scalar up = power_of_two(b, b.sub(n, number(4)));
  // Where 2^-n is cut off it is nothing beside 2^n.
  const double most = single ? 100 : 1000;
  Scalar down = power_of_two(b, b.sub(number(-4), b.min(n, number(most))));
  return {n, b.sub(up, down), b.add(up, down), b.fma(b.mul(r, z), s, r), b.mul(z, c)};
}

}  // namespace

// At most 2 ulp.
Scalar sinh_recipe(ScalarBuilder& b, Scalar x) {
  const DType dtype = x.dtype;
  const Hyperbolic of = hyperbolic(b, b.abs(x));
  Scalar y = b.add(of.d, b.fma(of.m, of.sinh, b.mul(of.d, of.cosh_less_one)));
  y = b.mul(y, b.constant(dtype, 8));
  // Denormal numbers would lose bits in eighths.
  y = b.select(b.compare(Comparison::kEq, of.n, b.constant(dtype, 0)), of.sinh, y);
  return b.copy_sign(y, x);
}

// At most 2 ulp.
Scalar cosh_recipe(ScalarBuilder& b, Scalar x) {
  const Hyperbolic of = hyperbolic(b, b.abs(x));
  Scalar y = b.add(of.m, b.fma(of.d, of.sinh, b.mul(of.m, of.cosh_less_one)));
  return b.mul(y, b.constant(x.dtype, 8));
}

// At most 1 ulp; of denormal numbers half of the last place more. The power is multiplied in two steps, so
// that neither leaves the normal numbers before the result does.
Scalar exp2_recipe(ScalarBuilder& b, Scalar x) {
  const DType dtype = x.dtype;
  const bool single = dtype == DType::kF32;
  const auto number = [&](double value) { return b.constant(dtype, value); };
  Scalar inside = b.max(b.min(x, number(single ? 130 : 1030)), number(single ? -152 : -1078));
  Scalar n = b.round_even(inside), r = b.sub(inside, n);
  Scalar p = single ? polynomial(b, r, kPower32) : polynomial(b, r, kPower64);
  Scalar y = b.fma(r, p, number(1));
  if (b.scales_by_powers(dtype)) return b.scale_by_power(y, n);
  Scalar half = b.floor(b.mul(n, number(0.5)));
  return b.mul(b.mul(y, power_of_two(b, half)), power_of_two(b, b.sub(n, half)));
}

// At most 1 ulp. With |x| = 2^(3 m + d) (1 + f), d one of -1, 0, 1: a polynomial in f, a step of Halley's,
// and one of Newton's with what the cube loses to rounding.
Scalar cbrt_recipe(ScalarBuilder& b, Scalar x) {
  const DType dtype = x.dtype;
  const bool single = dtype == DType::kF32;
  const auto number = [&](double value) { return b.constant(dtype, value); };
  Scalar a = b.abs(x), zero = number(0);
  Scalar denormal = b.compare(Comparison::kLt, a, number(single ? 0x1p-126 : 0x1p-1022));
  Scalar normal = b.select(denormal, b.mul(a, number(single ? 0x1p24 : 0x1p54)), a);
  Split split = single ? split_single(b, normal) : split_double(b, normal);
  Scalar m = b.round_even(b.mul(split.k, number(1.0 / 3)));
  Scalar d = b.fma(m, number(-3), split.k);
  Scalar lower = b.compare(Comparison::kLt, d, zero), upper = b.compare(Comparison::kGt, d, zero);
  const auto choose = [&](double low, double middle, double high) {
    return b.select(lower, number(low), b.select(upper, number(high), number(middle)));
  };
  Scalar t = b.mul(b.add(split.f, number(1)), choose(0.5, 1, 2));
  Scalar y = single ? polynomial(b, split.f, kCbrt32) : polynomial(b, split.f, kCbrt64);
  y = b.mul(y, choose(0.79370052598409974, 1, 1.2599210498948732));
  Scalar cube = b.mul(b.mul(y, y), y), twice = b.add(cube, cube);
  y = b.mul(y, b.div(b.add(cube, b.add(t, t)), b.add(twice, t)));
  Scalar square = b.mul(y, y), rest = b.fma(y, y, b.neg(square));
  Scalar more = b.fma(rest, y, b.fma(square, y, b.neg(t)));  // the cube less t
  y = b.sub(y, b.div(more, b.mul(square, number(3))));
  m = b.sub(m, b.select(denormal, number(single ? 8 : 18), zero));
  y = b.mul(y, power_of_two(b, m));
  Scalar plain = b.bit_and(b.compare(Comparison::kGt, a, zero),
                           b.compare(Comparison::kLt, a, number(std::numeric_limits<double>::infinity())));
  return b.select(plain, b.copy_sign(y, x), x);
}

}  // namespace ingot::ops
