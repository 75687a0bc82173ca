// pow: exp(y log |x|), with the sign and the special values put right.
//
// In single precision the double functions have bits to spare. In double precision the product needs some 64
// bits, so that the logarithm is a sum of two doubles, as is the product with y.
#include <cmath>

#include "ops/recipes.h"
#include "ops/recipes_internal.h"

namespace ingot::ops {
namespace {

struct Pair {
  Scalar high, low;
};

// a + b as a rounded sum and its error, for |a| >= |b|.
Pair sum(ScalarBuilder& b, Scalar large, Scalar small) {
  Scalar high = b.add(large, small);
  return {high, b.add(b.sub(large, high), small)};
}

// x * y as a rounded product and its error.
Pair product(ScalarBuilder& b, Scalar x, Scalar y) {
  Scalar high = b.mul(x, y);
  return {high, b.fma(x, y, b.neg(high))};
}

// (x.high + x.low) (y.high + y.low) without the product of the low parts.
Pair product(ScalarBuilder& b, Pair x, Pair y) {
  Pair p = product(b, x.high, y.high);
  return {p.high, b.fma(x.high, y.low, b.fma(x.low, y.high, p.low))};
}

// In log((1 + s) / (1 - s)) = s (2 + z (2/3 + z T(z))), where z = s^2. From a weighted Remez iteration.
constexpr double kT[] = {0.3999999999999998,  0.28571428571445218, 0.22222222217510562, 0.1818181887349663,
                         0.15384556653626513, 0.13336325793870696, 0.11674648249656509, 0.11990433276807738};

// log(a) for a normal positive a, to some 64 bits. `k_offset` is added to the exponent of two.
Pair precise_log(ScalarBuilder& b, Scalar a, Scalar k_offset) {
  constexpr DType kF = DType::kF64;
  auto constant = [&](double value) { return b.constant(kF, value); };
  Split split = split_double(b, a);
  Scalar k = b.add(split.k, k_offset), f = split.f;
  // s = f / (2 + f)
  Pair divisor = sum(b, constant(2), f);
  Scalar s = b.div(f, divisor.high), minus_s = b.neg(s);
  Scalar rest = b.fma(minus_s, divisor.low, b.fma(minus_s, divisor.high, f));
  Pair root{s, b.div(rest, divisor.high)};
  Pair z = product(b, root, root);
  // The two leading terms of the series in two parts, the rest in one.
  Pair inner = sum(b, constant(0x1.5555555555555p-1), b.mul(z.high, polynomial(b, z.high, kT)));
  inner.low = b.add(inner.low, constant(0x1.5555555555555p-55));
  Pair outer = product(b, z, inner);
  Pair series = sum(b, constant(2), outer.high);
  series.low = b.add(series.low, outer.low);
  Pair log = product(b, root, series);
  // ln 2 in two parts, the first one short enough for an exact product with k.
  Pair total = sum(b, b.mul(k, constant(0x1.62e42fefa38p-1)), log.high);
  total.low = b.add(total.low, b.fma(k, constant(0x1.ef35793c7673p-45), log.low));
  return sum(b, total.high, total.low);
}

// |x|^y in double precision, but for |x| = 1 and y = 0.
Scalar power_of_magnitude(ScalarBuilder& b, Scalar a, Scalar y) {
  constexpr DType kF = DType::kF64;
  Scalar zero = b.constant(kF, 0), infinity = b.constant(kF, INFINITY);
  Scalar denormal = b.compare(Comparison::kLt, a, b.constant(kF, 0x1p-1022));
  Scalar normal = b.select(denormal, b.mul(a, b.constant(kF, 0x1p52)), a);
  Pair log = precise_log(b, normal, b.select(denormal, b.constant(kF, -52), zero));
  log.high = b.select(b.compare(Comparison::kLt, a, infinity), log.high, a);  // infinity and NaN
  log.high = b.select(b.compare(Comparison::kEq, a, zero), b.constant(kF, -INFINITY), log.high);
  Pair exponent = product(b, y, log.high);
  return exp_of_sum(b, exponent.high, b.fma(y, log.low, exponent.low));
}

}  // namespace

// At most 1 ulp in single, 1.2 in double precision.
Scalar pow_recipe(ScalarBuilder& b, Scalar x, Scalar y) {
  const DType dtype = x.dtype;
  Scalar zero = b.constant(dtype, 0), one = b.constant(dtype, 1), a = b.abs(x);
  Scalar magnitude;
  if (dtype == DType::kF32) {
    Scalar exponent = b.mul(b.convert(y, DType::kF64), log_recipe(b, b.convert(a, DType::kF64)));
    magnitude = b.convert(exp_recipe(b, exponent), dtype);
  } else {
    magnitude = power_of_magnitude(b, a, y);
  }
  // One, even where the other operand is NaN; so is (-1)^infinity, an even power.
  Scalar is_one = b.bit_or(b.compare(Comparison::kEq, y, zero), b.compare(Comparison::kEq, a, one));
  magnitude = b.select(is_one, one, magnitude);
  Scalar whole = b.compare(Comparison::kEq, b.floor(y), y);
  Scalar half = b.mul(y, b.constant(dtype, 0.5));
  Scalar odd = b.bit_and(whole, b.compare(Comparison::kNe, b.floor(half), half));
  Scalar result = b.select(odd, b.copy_sign(magnitude, x), magnitude);
  Scalar negative = b.bit_and(b.compare(Comparison::kLt, x, zero),
                              b.compare(Comparison::kGt, x, b.constant(dtype, -INFINITY)));
  Scalar undefined = b.bit_and(negative, b.bit_not(whole));
  return b.select(undefined, b.constant(dtype, NAN), result);
}

}  // namespace ingot::ops
