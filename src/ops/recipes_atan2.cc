// The angle of a vector, and that of (1, x).
//
// The smaller coordinate by the larger one is a tangent of at most 1; above tan(pi / 8) the angle is taken
// from pi / 4 instead of from the axis, by the addition theorem, so that the one division has a quotient of
// at most 0.4143 in size. Coefficients are a Chebyshev fit of (atan(sqrt z) / sqrt z - 1) / z.
#include <cmath>
#include <limits>
#include <numbers>

#include "ops/recipes.h"

namespace ingot::ops {
namespace {

constexpr double kAtan32[] = {-0.33333333280866856, 0.19999977708936642,   -0.14284171391752912,
                              0.11071682693363642,  -0.086267167623927721, 0.050527266134787405};
constexpr double kAtan64[] = {-0.33333333333333331,  0.19999999999998838,   -0.14285714285518442,
                              0.11111111093836253,   -0.090909082321722678, 0.076922817817685882,
                              -0.066661665454458341, 0.058759815554891952,  -0.052088734469922619,
                              0.044537464265353384,  -0.032071682575082416, 0.013538748344192133};

}  // namespace

// Within 2.5 units in the last place. The signs of zeros count; of two infinities the angle is a diagonal's.
Scalar atan2_recipe(ScalarBuilder& b, Scalar y, Scalar x) {
  const DType dtype = x.dtype;
  const bool single = dtype == DType::kF32;
  const auto number = [&](double value) { return b.constant(dtype, value); };
  const auto compare = [&](Comparison c, Scalar u, Scalar v) { return b.compare(c, u, v); };
  const Scalar zero = number(0), one = number(1), infinity = number(std::numeric_limits<double>::infinity());
  Scalar ax = b.abs(x), ay = b.abs(y);
  Scalar steep = compare(Comparison::kGt, ay, ax);
  Scalar most = b.select(steep, ay, ax), least = b.select(steep, ax, ay);
  // Infinities and zeros as quotients of 1, and halves of what the sum below could not hold.
  Scalar endless = compare(Comparison::kEq, most, infinity);
  least = b.select(endless, b.select(compare(Comparison::kEq, least, infinity), one, zero), least);
  most = b.select(b.bit_or(endless, compare(Comparison::kEq, most, zero)), one, most);
  Scalar scale =
      b.select(compare(Comparison::kGt, most, number(single ? 0x1p126 : 0x1p1022)), number(0.25), one);
  most = b.mul(most, scale);
  least = b.mul(least, scale);
  Scalar diagonal = compare(Comparison::kGt, least, b.mul(most, number(0.41421356237309503)));
  Scalar t =
      b.div(b.select(diagonal, b.sub(least, most), least), b.select(diagonal, b.add(least, most), most));
  Scalar z = b.mul(t, t);
  Scalar series = single ? polynomial(b, z, kAtan32) : polynomial(b, z, kAtan64);
  Scalar angle = b.fma(b.mul(t, z), series, t);
  angle = b.select(diagonal, b.add(angle, number(std::numbers::pi / 4)), angle);
  angle = b.select(steep, b.sub(number(std::numbers::pi / 2), angle), angle);
  Scalar left = compare(Comparison::kLt, b.copy_sign(one, x), zero);
  angle = b.select(left, b.sub(number(std::numbers::pi), angle), angle);
  angle = b.copy_sign(angle, y);
  Scalar ordered = b.bit_and(compare(Comparison::kEq, x, x), compare(Comparison::kEq, y, y));
  return b.select(ordered, angle, b.add(x, y));
}

// At most 1.8 ulp: from tan(pi / 8) on pi / 4 and the tangent of the rest, from tan(3 pi / 8) on pi / 2.
Scalar atan_recipe(ScalarBuilder& b, Scalar x) {
  const DType dtype = x.dtype;
  const bool single = dtype == DType::kF32;
  const auto number = [&](double value) { return b.constant(dtype, value); };
  const double high = single ? 0x1.921fb6p0 : 0x1.921fb54442d18p0;  // pi / 2 in two parts
  const double low = single ? -0x1.777a5cp-25 : 0x1.1a62633145c07p-54;
  Scalar a = b.abs(x), one = number(1), zero = number(0);
  Scalar middle = b.compare(Comparison::kGt, a, number(0.41421356237309503));
  Scalar steep = b.compare(Comparison::kGt, a, number(2.4142135623730949));
  Scalar above = b.select(steep, number(-1), b.select(middle, b.sub(a, one), a));
  Scalar below = b.select(steep, a, b.select(middle, b.add(a, one), one));
  Scalar t = b.div(above, below), z = b.mul(t, t);
  Scalar series = single ? polynomial(b, z, kAtan32) : polynomial(b, z, kAtan64);
  const auto choose = [&](double part) {
    return b.select(steep, number(part), b.select(middle, number(part / 2), zero));
  };
  Scalar rest = b.fma(b.mul(t, z), series, choose(low));
  Scalar angle = b.add(choose(high), b.add(t, rest));
  return b.copy_sign(angle, x);
}

}  // namespace ingot::ops
