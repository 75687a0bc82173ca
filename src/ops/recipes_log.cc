// log and the roots.
//
// x = 2^k (1 + f) with 1 + f between sqrt(1/2) and sqrt(2), by integer arithmetic on the bits of x.
// Coefficients are from a weighted Remez iteration.
#include <cmath>
#include <vector>

#include "ops/recipes.h"
#include "ops/recipes_internal.h"

namespace ingot::ops {
Split split_single(ScalarBuilder& b, Scalar x) {
  constexpr DType kF = DType::kF32, kI = DType::kS32;
  Scalar bits = b.bitcast(x, kI);
  Scalar offset = b.sub(bits, b.integer(kI, 0x3f3504f3));  // the bits of sqrt(1/2)
  Scalar k = b.shift_right_arithmetic(offset, b.integer(kI, 23));
  Scalar m = b.bitcast(b.sub(bits, b.bit_and(offset, b.integer(kI, -0x00800000))), kF);
  return {b.sub(m, b.constant(kF, 1)), b.convert(k, kF)};
}

// AVX2 neither shifts 64-bit integers arithmetically nor converts them: k + 1024 goes into the mantissa of
// 2^52.
Split split_double(ScalarBuilder& b, Scalar x) {
  constexpr DType kF = DType::kF64, kI = DType::kS64;
  Scalar bits = b.bitcast(x, kI);
  Scalar offset = b.sub(bits, b.integer(kI, 0x3fe6a09e667f3bcd));  // the bits of sqrt(1/2)
  Scalar biased = b.shift_right_logical(b.add(offset, b.integer(kI, int64_t{1} << 62)), b.integer(kI, 52));
  Scalar k = b.sub(b.bitcast(b.bit_or(biased, b.integer(kI, 0x4330000000000000)), kF),
                   b.constant(kF, 0x1p52 + 1024));
  Scalar m = b.bitcast(b.sub(bits, b.bit_and(offset, b.integer(kI, -(int64_t{1} << 52)))), kF);
  return {b.sub(m, b.constant(kF, 1)), k};
}

namespace {

// Coefficients of a polynomial that are one chain of multiply-adds, which wait for each other; longer ones
// keep a processor from reaching the next element's. On Zen 3 (AVX2), 4096 elements of f32 in the first
// level: atan 3.9 -> 2.6 us, erfc 9.0 -> 6.8, exp 2.07 -> 1.5 at best, tanh (short chains) the same.
constexpr int kLongestChain = 5;

constexpr double kP32[] = {0.333333104, -0.249999866, 0.200022263,  -0.166692518, 0.142186638,
                           -0.12384335, 0.11872926,   -0.117898656, 0.0691554119};
constexpr double kR64[] = {0.66666666666667351, 0.39999999999411084, 0.28571428743264904, 0.22222198475778462,
                           0.18183569749120046, 0.15313903046386129, 0.14797509370109865};

// log(1 + f) + k ln 2 + small in single precision: f - f^2 / 2 + f^3 P(f). `small` may be absent.
Scalar log_single(ScalarBuilder& b, const Split& s, const Scalar* small) {
  constexpr DType kF = DType::kF32;
  Scalar square = b.mul(s.f, s.f);
  Scalar y = b.mul(b.mul(s.f, square), polynomial(b, s.f, kP32));
  y = b.fma(s.k, b.constant(kF, -0x1.05c61p-29), y);
  if (small != nullptr) y = b.add(y, *small);
  y = b.fma(square, b.constant(kF, -0.5), y);
  return b.fma(s.k, b.constant(kF, 0x1.62e43p-1), b.add(s.f, y));
}

// In double precision with s = f / (2 + f): f - h + s (h + R), where h = f^2 / 2 and R = s^2 (2/3 + 2/5 s^2 +
// ...).
Scalar log_double(ScalarBuilder& b, const Split& split, const Scalar* small) {
  constexpr DType kF = DType::kF64;
  Scalar s = b.div(split.f, b.add(split.f, b.constant(kF, 2)));
  Scalar square = b.mul(s, s);
  Scalar r = b.mul(square, polynomial(b, square, kR64));
  Scalar h = b.mul(b.mul(split.f, b.constant(kF, 0.5)), split.f);
  Scalar low = b.fma(split.k, b.constant(kF, 0x1.abc9e3b39803fp-56), b.mul(s, b.add(h, r)));
  if (small != nullptr) low = b.add(low, *small);
  Scalar rest = b.sub(split.f, b.sub(h, low));
  return b.fma(split.k, b.constant(kF, 0x1.62e42fefa39efp-1), rest);
}

}  // namespace

Scalar chained_polynomial(ScalarBuilder& b, Scalar x, const double* coefficients, int n) {
  Scalar y = b.constant(x.dtype, coefficients[n - 1]);
  for (int i = n - 2; i >= 0; --i) y = b.fma(y, x, b.constant(x.dtype, coefficients[i]));
  return y;
}

namespace {

Scalar in_short_chains(ScalarBuilder& b, Scalar x, const std::vector<double>& coefficients) {
  const auto n = static_cast<int>(coefficients.size());
  if (n <= kLongestChain) return chained_polynomial(b, x, coefficients.data(), n);
  std::vector<double> even, odd;
  for (size_t i = 0; i < coefficients.size(); ++i) (i % 2 == 0 ? even : odd).push_back(coefficients[i]);
  Scalar square = b.mul(x, x);
  return b.fma(in_short_chains(b, square, odd), x, in_short_chains(b, square, even));
}

}  // namespace

// What is added last is as large as the result mostly: by itself, it costs one rounding.
Scalar polynomial(ScalarBuilder& b, Scalar x, const double* coefficients, int n) {
  if (n <= kLongestChain) return chained_polynomial(b, x, coefficients, n);
  Scalar rest = in_short_chains(b, x, {coefficients + 1, coefficients + n});
  return b.fma(rest, x, b.constant(x.dtype, coefficients[0]));
}

Scalar log_of_split(ScalarBuilder& b, const Split& split, Scalar small) {
  return split.f.dtype == DType::kF32 ? log_single(b, split, &small) : log_double(b, split, &small);
}

namespace {

// The parts of the logarithm: of denormal numbers, too.
Split split_any(ScalarBuilder& b, Scalar x) {
  const DType dtype = x.dtype;
  const bool single = dtype == DType::kF32;
  Scalar denormal = b.compare(Comparison::kLt, x, b.constant(dtype, single ? 0x1p-126 : 0x1p-1022));
  Scalar normal = b.select(denormal, b.mul(x, b.constant(dtype, single ? 0x1p23 : 0x1p52)), x);
  Split split = single ? split_single(b, normal) : split_double(b, normal);
  split.k = b.sub(split.k, b.select(denormal, b.constant(dtype, single ? 23 : 52), b.constant(dtype, 0)));
  return split;
}

// `y`, but where x is not positive or not finite.
Scalar with_special(ScalarBuilder& b, Scalar x, Scalar y) {
  const DType dtype = x.dtype;
  Scalar zero = b.constant(dtype, 0), infinity = b.constant(dtype, INFINITY);
  y = b.select(b.compare(Comparison::kLt, x, infinity), y, x);  // infinity and NaN are their own logarithm
  Scalar special =
      b.select(b.compare(Comparison::kEq, x, zero), b.constant(dtype, -INFINITY), b.constant(dtype, NAN));
  return b.select(b.compare(Comparison::kLe, x, zero), special, y);
}

}  // namespace

// At most 1 ulp, denormal arguments included.
Scalar log_recipe(ScalarBuilder& b, Scalar x) {
  const Split split = split_any(b, x);
  return with_special(b, x,
                      x.dtype == DType::kF32 ? log_single(b, split, nullptr) : log_double(b, split, nullptr));
}

// At most 1 ulp. log(1 + f) / ln 2 as f / ln 2 and a rest, so that near 1 one rounding is left; of powers of
// two it is exact.
Scalar log2_recipe(ScalarBuilder& b, Scalar x) {
  const DType dtype = x.dtype;
  const Split split = split_any(b, x);
  Scalar f = split.f, square = b.mul(f, f), rest;  // log(1 + f) - f
  if (dtype == DType::kF32) {
    rest = b.fma(square, b.constant(dtype, -0.5), b.mul(b.mul(f, square), polynomial(b, f, kP32)));
  } else {
    Scalar s = b.div(f, b.add(f, b.constant(dtype, 2))), z = b.mul(s, s);
    Scalar h = b.mul(square, b.constant(dtype, 0.5));
    rest = b.sub(b.mul(s, b.fma(z, polynomial(b, z, kR64), h)), h);
  }
  const double high = dtype == DType::kF32 ? 0x1.715476p0 : 0x1.71547652b82fep0;  // 1 / ln 2 in two parts
  const double low = dtype == DType::kF32 ? 0x1.4ae0cp-26 : 0x1.777d0ffda0d24p-56;
  rest = b.fma(f, b.constant(dtype, low), b.mul(rest, b.constant(dtype, high)));
  return with_special(b, x, b.add(split.k, b.fma(f, b.constant(dtype, high), rest)));
}

// At most 2 ulp. The logarithm of the rounded u = 1 + x, and what the rounding lost, divided by u.
Scalar log1p_recipe(ScalarBuilder& b, Scalar x) {
  const DType dtype = x.dtype;
  const bool single = dtype == DType::kF32;
  Scalar one = b.constant(dtype, 1), zero = b.constant(dtype, 0), infinity = b.constant(dtype, INFINITY);
  Scalar u = b.add(one, x), of_x = b.sub(u, one);
  Scalar lost = b.add(b.sub(one, b.sub(u, of_x)), b.sub(x, of_x));
  Scalar small = b.div(lost, u);
  Split split = single ? split_single(b, u) : split_double(b, u);
  Scalar y = single ? log_single(b, split, &small) : log_double(b, split, &small);
  y = b.select(b.compare(Comparison::kLt, x, infinity), y, x);
  Scalar special =
      b.select(b.compare(Comparison::kEq, u, zero), b.constant(dtype, -INFINITY), b.constant(dtype, NAN));
  y = b.select(b.compare(Comparison::kLe, u, zero), special, y);
  return b.select(b.compare(Comparison::kEq, x, zero), x, y);  // -0 is itself
}

// At most 1.5 ulp.
Scalar rsqrt_recipe(ScalarBuilder& b, Scalar x) {
  return b.div(b.constant(x.dtype, 1), b.sqrt(x));
}

}  // namespace ingot::ops
