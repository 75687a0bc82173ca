// The logarithm of the gamma function, its derivatives, and the zeta function of Hurwitz.
//
// All are computed in double precision: recurrences and reflections lose digits that single precision has not
// to spare. Coefficients are Chebyshev fits.
#include <cmath>
#include <iterator>
#include <limits>
#include <numbers>

#include "ops/euler_maclaurin.h"
#include "ops/recipes.h"
#include "ops/recipes_internal.h"

namespace ingot::ops {
namespace {
namespace on_reals {

// Of lgamma(2 + d) / d.
constexpr double kGammaNear[] = {0.42278433509846713,     0.3224670334241132,      -0.067352301053195562,
                                 0.020580808427783339,    -0.0073855510289432495,  0.0028905103308695655,
                                 -0.0011927539007270808,  0.00050966951952366771,  -0.00022315498211142174,
                                 9.9457619132475072e-05,  -4.4923684613393784e-05, 2.0505999273440372e-05,
                                 -9.4565070166425736e-06, 4.3829584628307289e-06,  -1.9737349326646116e-06,
                                 9.24011377961569e-07,    -5.8174128763225009e-07, 2.7504570346981783e-07};
// Of y (lgamma(y) - (y - 1/2) log(y) + y - log(2 pi) / 2) in 1 / y^2.
constexpr double kGammaFar[] = {0.083333333333333329,    -0.0027777777777736315, 0.00079365078945165012,
                                -0.00059523649316466402, 0.00084145769192612999, -0.0018896152995825425,
                                0.0050482127893834586};
// Of digamma(1.5 + d) / (1.5 + d - kRoot).
constexpr double kDigammaNear[] = {
    0.95105587603183295,    -0.42362742128146053,    0.24054248424077365,    -0.14840492305390848,
    0.094988724455021017,   -0.061922133273117734,   0.040760833807986528,   -0.02697579675318211,
    0.017907252563756783,   -0.011908218084438935,   0.0079269426559763108,  -0.0052799635463073079,
    0.0035190257109930633,  -0.0023452805055195068,  0.0015565162971733493,  -0.0010375604430819139,
    0.00072374221529293819, -0.00048247611097490577, 0.00022640765401537018, -0.00015093552762279793,
    0.00026037967853501462, -0.00017358585566624218};
// Of y^2 (log(y) - 1 / (2 y) - digamma(y)) in 1 / y^2.
constexpr double kDigammaFar[] = {0.083333333333333329,   -0.0083333333333255669, 0.0039682539570272662,
                                  -0.0041666605586073774, 0.0075741659640691048,  -0.020877565363371937,
                                  0.068512868495182996};
// Of sin(pi sqrt z) / sqrt z and cos(pi sqrt z).
constexpr double kSinPi[] = {3.1415926535897931,     -5.1677127800499694,     2.5501640398773007,
                             -0.59926452931894469,   0.0821458865731029,      -0.0073704305059169436,
                             0.00046629981618983939, -2.1903497074626018e-05, 7.6978267682241909e-07};
constexpr double kCosPi[] = {1,
                             -4.9348022005446763,
                             4.0587121264164967,
                             -1.3352627688434471,
                             0.23533063012953284,
                             -0.025806888737002202,
                             0.0019295562724817132,
                             -0.00010456655338748738,
                             4.1495643539425857e-06};
constexpr double kRoot = 0x1.762d86356be3fp0, kRootLow = 0x1.b86a722197829p-54;  // of digamma
constexpr double kInf = std::numeric_limits<double>::infinity();

// Double numbers by their operators.
struct Real {
  ScalarBuilder* b;
  Scalar s;
};
Real operator+(Real x, Real y) {
  return {x.b, x.b->add(x.s, y.s)};
}
Real operator-(Real x, Real y) {
  return {x.b, x.b->sub(x.s, y.s)};
}
Real operator*(Real x, Real y) {
  return {x.b, x.b->mul(x.s, y.s)};
}
Real operator/(Real x, Real y) {
  return {x.b, x.b->div(x.s, y.s)};
}
Real operator-(Real x) {
  return {x.b, x.b->neg(x.s)};
}
Real number(const Real& like, double value) {
  return {like.b, like.b->constant(DType::kF64, value)};
}
Real operator+(Real x, double y) {
  return x + number(x, y);
}
Real operator-(Real x, double y) {
  return x - number(x, y);
}
Real operator*(double x, Real y) {
  return number(y, x) * y;
}
Scalar operator<(Real x, Real y) {
  return x.b->compare(Comparison::kLt, x.s, y.s);
}
Scalar operator<(Real x, double y) {
  return x < number(x, y);
}
Scalar equal(Real x, Real y) {
  return x.b->compare(Comparison::kEq, x.s, y.s);
}
Scalar equal(Real x, double y) {
  return equal(x, number(x, y));
}
Real select(Scalar pred, Real x, Real y) {
  return {x.b, x.b->select(pred, x.s, y.s)};
}
Real abs(Real x) {
  return {x.b, x.b->abs(x.s)};
}
Real floor(Real x) {
  return {x.b, x.b->floor(x.s)};
}
Real round_even(Real x) {
  return {x.b, x.b->round_even(x.s)};
}
Real log(Real x) {
  return {x.b, log_recipe(*x.b, x.s)};
}
Real exp(Real x) {
  return {x.b, exp_recipe(*x.b, x.s)};
}
Real pow(Real x, Real y) {
  return {x.b, pow_recipe(*x.b, x.s, y.s)};
}
template <int n>
Real series(Real x, const double (&c)[n]) {
  return {x.b, polynomial(*x.b, x.s, c, n)};
}

template <class Fn>
Scalar in_double(ScalarBuilder& b, Scalar x, Fn fn) {
  return b.convert(fn(Real{&b, b.convert(x, DType::kF64)}).s, x.dtype);
}
template <class Fn>
Scalar in_double(ScalarBuilder& b, Scalar x, Scalar y, Fn fn) {
  return b.convert(fn(Real{&b, b.convert(x, DType::kF64)}, Real{&b, b.convert(y, DType::kF64)}).s, x.dtype);
}

// sin(pi r) and cos(pi r) for |r| <= 1/2.
Real sin_pi(Real r) {
  return r * series(r * r, kSinPi);
}
Real cos_pi(Real r) {
  return series(r * r, kCosPi);
}

// From 1/2 on: from 8 on by Stirling's series, up to there by the one around 2 and lgamma(y + 1) = lgamma(y)
// + log(y), by which the argument comes to between 3/2 and 5/2.
Real lgamma_right(Real y) {
  const Scalar near = y < 8;
  Real reduced = y, factor = number(y, 1);
  for (int k = 1; k <= 6; ++k) {
    const Scalar above = number(y, 1.5 + k) < y;
    const Real less = y - k;
    factor = select(above, factor * less, factor);
    reduced = select(above, less, reduced);
  }
  const Scalar left = y < 1.5;
  reduced = select(left, y + 1, reduced);
  factor = select(left, y, factor);
  const Real d = select(left, y - 1, reduced - 2);
  const Real logarithm = log(select(near, factor, y));
  const Real small = d * series(d, kGammaNear);
  const Real inside = select(left, small - logarithm, small + logarithm);
  const Real inverse = number(y, 1) / y;
  const Real half_log = number(y, 0.91893853320467274) + inverse * series(inverse * inverse, kGammaFar);
  // (y - 1/2) log(y) - y, without a difference of infinities.
  const Real outside = (y - 0.5) * (logarithm - 1) + (half_log - 0.5);
  return select(near, inside, outside);
}

Real lgamma(Real x) {
  const Scalar left = x < 0.5;
  const Real right = lgamma_right(select(left, number(x, 1) - x, x));
  const Real r = x - round_even(x);
  // log(pi / |sin(pi x)|), also of denormal numbers, whose inverse is none.
  const Real reflected = -log(abs(r) * (std::numbers::inv_pi * series(r * r, kSinPi))) - right;
  const Real y = select(left, reflected, right);
  const Scalar pole = x.b->bit_and(equal(x, floor(x)), x < 0.5);
  const Real infinity = number(x, kInf);
  return select(x.b->bit_or(pole, equal(abs(x), infinity)), infinity, y);
}

// From 1/2 on: from 10 on by the asymptotic series, up to there from 1 to 2 by the one around 3/2.
Real digamma_right(Real y) {
  const Scalar near = y < 10;
  // The sum of 1 / (y - k) as a quotient.
  Real reduced = y, above = number(y, 0), below = number(y, 1);
  for (int k = 1; k <= 8; ++k) {
    const Scalar more = number(y, 1.0 + k) < y;
    const Real less = y - k;
    above = select(more, above * less + below, above);
    below = select(more, below * less, below);
    reduced = select(more, less, reduced);
  }
  const Scalar left = y < 1;
  reduced = select(left, y + 1, reduced);
  above = select(left, number(y, -1), above);
  below = select(left, y, below);
  const Real from_root = (reduced - kRoot) - kRootLow;
  const Real inside = from_root * series(reduced - 1.5, kDigammaNear) + above / below;
  const Real inverse = number(y, 1) / y, square = inverse * inverse;
  const Real outside = log(y) - (0.5 * inverse + square * series(square, kDigammaFar));
  return select(near, inside, outside);
}

Real digamma(Real x) {
  const Scalar left = x < 0.5;
  const Real right = digamma_right(select(left, number(x, 1) - x, x));
  const Real r = x - round_even(x);
  const Real reflected = right - number(x, std::numbers::pi) * cos_pi(r) / sin_pi(r);
  const Real y = select(left, reflected, right);
  const Scalar pole = x.b->bit_and(equal(x, floor(x)), x < 0.5);
  return select(pole, number(x, std::numeric_limits<double>::quiet_NaN()), y);
}

// The sum of (q + k)^-s: ten terms, and the rest by Euler and Maclaurin.
Real zeta(Real s, Real q) {
  ScalarBuilder& b = *s.b;
  s = {&b, b.min(s.s, number(s, 1e300).s)};
  const Real minus = -s, one = number(s, 1);
  Real a = q, power = pow(q, minus), sum = power;
  for (int k = 1; k < 9; ++k) {
    a = a + 1;
    power = pow(a, minus);
    sum = sum + power;
  }
  a = a + 1;
  const Real rest = pow(a, one - s), tail = rest / (s - 1);
  const Scalar converged = b.compare(Comparison::kLe, abs(tail).s, (0x1p-54 * abs(sum)).s);
  const Real inverse = one / a;
  power = rest * inverse;
  // Each factor over a, so that nothing leaves the normal numbers before the term does.
  Real total = sum + tail + 0.5 * power, ratio = s * inverse;
  for (int j = 0; j < static_cast<int>(std::size(kEulerMaclaurin)); ++j) {
    total = total + power * (ratio * number(s, 1 / kEulerMaclaurin[j]));
    ratio = ratio * ((s + (2 * j + 1)) * inverse) * ((s + (2 * j + 2)) * inverse);
  }
  total = select(converged, sum, total);
  const Scalar even = equal(0.5 * s, floor(0.5 * s));
  const Scalar left = b.compare(Comparison::kLe, q.s, number(s, 0).s);
  const Real nan = number(s, std::numeric_limits<double>::quiet_NaN()), infinity = number(s, kInf);
  total = select(left, nan, total);
  const Scalar pole = b.bit_and(left, equal(q, floor(q)));
  total = select(pole, select(even, infinity, nan), total);
  total = select(equal(s, 1), infinity, total);
  total = select(s < 1, nan, total);
  return select(equal(q, q), total, q);
}

Real polygamma(Real n, Real x) {
  ScalarBuilder& b = *n.b;
  const Scalar even = equal(0.5 * n, floor(0.5 * n));
  const Real sum = zeta(n + 1, x);
  const Real size = exp(lgamma_right(n + 1)) * select(abs(sum) < 0x1p-1022, number(n, 0), sum);
  Real y = select(even, -size, size);
  y = select(equal(n, 0), digamma(x), y);
  const Scalar natural = b.bit_and(equal(n, floor(n)), b.compare(Comparison::kGe, n.s, number(n, 0).s));
  return select(natural, y, number(n, std::numeric_limits<double>::quiet_NaN()));
}

}  // namespace on_reals
}  // namespace

// In f32 at most 1 ulp. In f64 at most 5 ulp for positive x; left of zero 8, or 32 epsilon near zeros.
// Infinite at the poles.
Scalar lgamma_recipe(ScalarBuilder& b, Scalar x) {
  return on_reals::in_double(b, x, on_reals::lgamma);
}

// As lgamma; NaN at the poles.
Scalar digamma_recipe(ScalarBuilder& b, Scalar x) {
  return on_reals::in_double(b, x, on_reals::digamma);
}

// In f32 at most 1 ulp, in f64 at most 8; terms below the normal numbers are left out.
Scalar zeta_recipe(ScalarBuilder& b, Scalar s, Scalar q) {
  return on_reals::in_double(b, s, q, on_reals::zeta);
}

// In f32 at most 1 ulp, in f64 some log(n!) ulp: n! times a zeta, where both are in the range of f64.
Scalar polygamma_recipe(ScalarBuilder& b, Scalar n, Scalar x) {
  return on_reals::in_double(b, n, x, on_reals::polygamma);
}

}  // namespace ingot::ops
