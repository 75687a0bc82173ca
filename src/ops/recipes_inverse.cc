// The inverses of sine and cosine, and of the hyperbolic functions.
//
// Near zero an odd polynomial; elsewhere a square root or a logarithm of a sum, of which what rounding lost
// is added again. Coefficients are Chebyshev fits of (f(sqrt z) / sqrt z - 1) / z.
#include <cmath>
#include <limits>

#include "ops/recipes.h"
#include "ops/recipes_internal.h"

namespace ingot::ops {
namespace {

constexpr double kAsin32[] = {0.166666657,  0.0750009492, 0.0445993207,
                              0.0311017279, 0.017143717,  0.0337007269};
constexpr double kAsin64[] = {0.16666666666666666,   0.075000000000001191,  0.044642857142550188,
                              0.030381944475693704,  0.022372157435623815,  0.017352816768546473,
                              0.013963775787848137,  0.011566511821890942,  0.0096214027473448295,
                              0.0093221015010827735, 0.0030350071727267623, 0.019579201619744684,
                              -0.019277545928584557, 0.029635026263548549};
constexpr double kAsinh32[] = {-0.166666672, 0.0749997273,  -0.0446300022,
                               0.0301559512, -0.0205256324, 0.00993445143};
constexpr double kAsinh64[] = {-0.16666666666666666,  0.074999999999999192,   -0.044642857142676524,
                               0.03038194442845777,   -0.022372158353448204,  0.017352744100632582,
                               -0.013964482486015398, 0.011547467566226112,   -0.0097256606007664771,
                               0.0081821244466585008, -0.0064739269176348601, 0.004137287295866399,
                               -0.0014980926997373353};
constexpr double kAtanh32[] = {0.333333343,  0.199999586, 0.142882928, 0.110507116,
                               0.0975296721, 0.040875826, 0.156350762};
constexpr double kAtanh64[] = {0.33333333333333331,  0.2000000000000087,   0.14285714285488846,
                               0.1111111113405809,   0.090909078756885184, 0.076923461088050663,
                               0.066658832326590464, 0.058931382593187094, 0.051604446522550286,
                               0.054437926679378391, 0.012219494246581248, 0.13576149109826188,
                               -0.14477005451011898, 0.21115109506841148};
// Of (acosh(1 + t) / sqrt(2 t) - 1) / t.
constexpr double kAcosh32[] = {-0.0833333209, 0.0187489558, -0.00556330523, 0.00179894269, -0.000446478749};
constexpr double kAcosh64[] = {-0.083333333333333329,   0.018749999999996592,    -0.0055803571425309777,
                               0.001898871515514872,    -0.00069912973248144675, 0.00027113417979376182,
                               -0.00010907994622331822, 4.502417947595126e-05,   -1.8733105657241001e-05,
                               7.4433496076851781e-06,  -2.4375751225820094e-06, 4.6020107730469114e-07};

// pi / 2 and what it is more than that.
struct HalfPi {
  double high, low;
};
constexpr HalfPi half_pi(DType dtype) {
  return dtype == DType::kF32 ? HalfPi{0x1.921fb6p0, -0x1.777a5cp-25}
                              : HalfPi{0x1.921fb54442d18p0, 0x1.1a62633145c07p-54};
}

Scalar asin_polynomial(ScalarBuilder& b, Scalar z) {
  return z.dtype == DType::kF32 ? polynomial(b, z, kAsin32) : polynomial(b, z, kAsin64);
}

// With z = (1 - a) / 2 for a from 1/2 to 1: asin(a) = pi / 2 - 2 asin(sqrt z). The root as a number and what
// it lacks.
struct Steep {
  Scalar root, rest;  // asin(sqrt z) is their sum
};
Steep steep(ScalarBuilder& b, Scalar a) {
  const DType dtype = a.dtype;
  Scalar half = b.constant(dtype, 0.5), zero = b.constant(dtype, 0);
  Scalar z = b.fma(a, b.neg(half), half), root = b.sqrt(z);
  Scalar lost = b.div(b.fma(b.neg(root), root, z), b.add(root, root));
  lost = b.select(b.compare(Comparison::kEq, root, zero), zero, lost);
  return {root, b.fma(b.mul(root, z), asin_polynomial(b, z), lost)};
}

// log(v), where v is a + root, a + root + rest before it was rounded: with root = sqrt(a^2 + sign).
Scalar log_of_hyperbola(ScalarBuilder& b, Scalar a, double sign) {
  const DType dtype = a.dtype;
  const bool single = dtype == DType::kF32;
  Scalar zero = b.constant(dtype, 0);
  // Beyond, the root is a itself, and the square might overflow.
  Scalar far = b.compare(Comparison::kGt, a, b.constant(dtype, single ? 0x1p14 : 0x1p30));
  Scalar one = b.constant(dtype, sign), square = b.mul(a, a), sum = b.add(square, one);
  // The square is at least 1/4, and more than 1 where the sign is negative: either term may be the larger.
  Scalar part = b.sub(sum, square);
  Scalar low = b.add(b.sub(square, b.sub(sum, part)), b.sub(one, part));
  low = b.add(low, b.fma(a, a, b.neg(square)));
  Scalar root = b.sqrt(sum);
  Scalar lost = b.div(b.add(b.fma(b.neg(root), root, sum), low), b.add(root, root));
  Scalar v = b.add(a, root);
  // Of a and the root either may be the larger, too.
  Scalar rest = b.sub(v, a);
  lost = b.add(lost, b.add(b.sub(a, b.sub(v, rest)), b.sub(root, rest)));
  lost = b.select(far, zero, b.div(lost, v));
  Split split = single ? split_single(b, b.select(far, a, v)) : split_double(b, b.select(far, a, v));
  split.k = b.add(split.k, b.select(far, b.constant(dtype, 1), zero));
  return log_of_split(b, split, lost);
}

Scalar odd(ScalarBuilder& b, Scalar a, Scalar series) {
  Scalar z = b.mul(a, a);
  return b.fma(b.mul(a, z), series, a);
}

}  // namespace

// At most 1.6 ulp. NaN beyond 1, from the root.
Scalar asin_recipe(ScalarBuilder& b, Scalar x) {
  const DType dtype = x.dtype;
  const auto [high, low] = half_pi(dtype);
  Scalar a = b.abs(x);
  Scalar near = odd(b, a, asin_polynomial(b, b.mul(a, a)));
  const auto [root, rest] = steep(b, a);
  Scalar far = b.sub(b.constant(dtype, low), b.add(rest, rest));
  far = b.add(b.sub(b.constant(dtype, high), b.add(root, root)), far);
  Scalar y = b.select(b.compare(Comparison::kLt, a, b.constant(dtype, 0.5)), near, far);
  return b.copy_sign(y, x);
}

// At most 1 ulp.
Scalar acos_recipe(ScalarBuilder& b, Scalar x) {
  const DType dtype = x.dtype;
  const auto [high, low] = half_pi(dtype);
  Scalar a = b.abs(x), z = b.mul(x, x);
  Scalar cubic = b.mul(b.mul(x, z), asin_polynomial(b, z));
  Scalar near = b.sub(b.constant(dtype, high), b.add(x, b.sub(cubic, b.constant(dtype, low))));
  const auto [root, rest] = steep(b, a);
  Scalar right = b.add(root, rest);
  Scalar left = b.sub(b.constant(dtype, high), b.add(root, b.sub(rest, b.constant(dtype, low))));
  Scalar negative = b.compare(Comparison::kLt, x, b.constant(dtype, 0));
  Scalar far = b.select(negative, left, right);
  return b.select(b.compare(Comparison::kLt, a, b.constant(dtype, 0.5)), near, b.add(far, far));
}

// At most 2 ulp.
Scalar asinh_recipe(ScalarBuilder& b, Scalar x) {
  const DType dtype = x.dtype;
  Scalar a = b.abs(x), z = b.mul(a, a);
  Scalar series = dtype == DType::kF32 ? polynomial(b, z, kAsinh32) : polynomial(b, z, kAsinh64);
  Scalar y = b.select(b.compare(Comparison::kLt, a, b.constant(dtype, 0.5)), odd(b, a, series),
                      log_of_hyperbola(b, a, 1));
  Scalar finite = b.compare(Comparison::kLt, a, b.constant(dtype, std::numeric_limits<double>::infinity()));
  return b.copy_sign(b.select(finite, y, a), x);
}

// At most 2 ulp; NaN below 1.
Scalar acosh_recipe(ScalarBuilder& b, Scalar x) {
  const DType dtype = x.dtype;
  Scalar one = b.constant(dtype, 1), t = b.sub(x, one), root = b.sqrt(b.add(t, t));
  Scalar series = dtype == DType::kF32 ? polynomial(b, t, kAcosh32) : polynomial(b, t, kAcosh64);
  Scalar near = b.fma(b.mul(root, t), series, root);
  Scalar y =
      b.select(b.compare(Comparison::kLt, t, b.constant(dtype, 0.5)), near, log_of_hyperbola(b, x, -1));
  Scalar finite = b.compare(Comparison::kLt, x, b.constant(dtype, std::numeric_limits<double>::infinity()));
  y = b.select(finite, y, x);
  return b.select(b.compare(Comparison::kLt, x, one), b.constant(dtype, NAN), y);
}

// At most 2 ulp; infinite at 1, NaN beyond.
Scalar atanh_recipe(ScalarBuilder& b, Scalar x) {
  const DType dtype = x.dtype;
  Scalar a = b.abs(x), z = b.mul(a, a);
  Scalar series = dtype == DType::kF32 ? polynomial(b, z, kAtanh32) : polynomial(b, z, kAtanh64);
  Scalar ratio = b.div(b.add(a, a), b.sub(b.constant(dtype, 1), a));
  Scalar far = b.mul(b.constant(dtype, 0.5), log1p_recipe(b, ratio));
  Scalar y = b.select(b.compare(Comparison::kLt, a, b.constant(dtype, 0.5)), odd(b, a, series), far);
  return b.copy_sign(y, x);
}

}  // namespace ingot::ops
