#include "pass/numbers/complex_math.h"

#include "ops/make.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace ingot::pass {

using ir::Value;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// How a dtype's numbers lie in their bits.
struct FloatBits {
  DType bits;
  int mantissa, bias;  // bits after the leading one; what is added to exponents
  double largest_exp;  // a whole number, whose exponential is finite and that of the next one is not

  // The bits of 2^(field - bias).
  double power(int field) const { return std::ldexp(field, mantissa); }
};

FloatBits bits_of(const Value* x) {
  return x->dtype() == DType::kF32 ? FloatBits{DType::kS32, 23, 127, 88}
                                   : FloatBits{DType::kS64, 52, 1023, 709};
}

}  // namespace

Value* ComplexMath::number(const Value* like, double value) {
  Tensor scalar(like->dtype(), {});
  scalar.set_double(0, value);
  Value* constant = b_.constant(scalar);
  if (like->shape().empty()) return constant;
  return make::spread(b_, constant, like->shape());
}

Parts ComplexMath::mul(const Parts& x, const Parts& y) {
  Value *rr = op(make::mul, x.re, y.re), *ii = op(make::mul, x.im, y.im);
  Value *re = op(make::sub, rr, ii), *ri = op(make::mul, x.re, y.im), *ir = op(make::mul, x.im, y.re);
  return {re, op(make::add, ri, ir)};
}

// Both numbers are made smaller where a sum of their parts could overflow, and larger where the divisor has
// few digits.
Parts ComplexMath::div(const Parts& x, const Parts& y) {
  const FloatBits layout = bits_of(x.re);
  Value *size = op(make::abs, y.re), *other = op(make::abs, y.im);
  Value* large = select(compare("ge", size, other), size, other);
  Value* huge = number(large, std::ldexp(1, layout.bias - 2));
  Value* over = compare("gt", large, huge);
  for (Value* part : {x.re, x.im}) over = make::bit_or(b_, {over, compare("gt", op(make::abs, part), huge)});
  Value* under = compare("lt", large, number(large, std::ldexp(1, 2 * layout.mantissa - layout.bias)));
  Value* scale = select(under, number(large, std::ldexp(1, layout.mantissa + 3)), number(large, 1));
  scale = select(over, number(large, 0x1p-4), scale);
  return with_limits(x, y, div_inside(scaled(x, scale), scaled(y, scale)));
}

// A quotient that is no number where C99 (annex G) has one: of anything by zero, of an infinity by a finite
// number, of a finite number by an infinity.
Parts ComplexMath::with_limits(const Parts& x, const Parts& y, const Parts& quotient) {
  Value *zero = number(x.re, 0), *one = number(x.re, 1), *infinity = number(x.re, kInfinity);
  const auto any = [&](Value* p, Value* q) { return make::bit_or(b_, {p, q}); };
  const auto both = [&](Value* p, Value* q) { return make::bit_and(b_, {p, q}); };
  const auto endless = [&](const Parts& z) {
    return any(compare("eq", op(make::abs, z.re), infinity), compare("eq", op(make::abs, z.im), infinity));
  };
  const auto finite = [&](const Parts& z) {
    return both(compare("lt", op(make::abs, z.re), infinity), compare("lt", op(make::abs, z.im), infinity));
  };
  // One for an infinity, zero for all else, with the sign.
  const auto boxed = [&](Value* part) {
    return negated_if(is_negative(part), select(compare("eq", op(make::abs, part), infinity), one, zero));
  };
  const auto times_conjugate = [&](const Parts& p, const Parts& q, Value* factor) {
    return scaled({op(make::add, op(make::mul, p.re, q.re), op(make::mul, p.im, q.im)),
                   op(make::sub, op(make::mul, p.im, q.re), op(make::mul, p.re, q.im))},
                  factor);
  };
  Value* lost = both(compare("ne", quotient.re, quotient.re), compare("ne", quotient.im, quotient.im));
  Value* by_zero = both(compare("eq", y.re, zero), compare("eq", y.im, zero));
  by_zero = both(by_zero, any(compare("eq", x.re, x.re), compare("eq", x.im, x.im)));
  Value *rising = both(endless(x), finite(y)), *falling = both(finite(x), endless(y));
  const Parts to_infinity = times_conjugate({boxed(x.re), boxed(x.im)}, y, infinity);
  const Parts to_zero = times_conjugate(x, {boxed(y.re), boxed(y.im)}, zero);
  const Parts limit = select(rising, to_infinity, to_zero);
  const Parts found = select(both(lost, any(rising, falling)), limit, quotient);
  return select(by_zero, scaled(x, negated_if(is_negative(y.re), infinity)), found);
}

// Smith (1962): by the larger part of the divisor, so that no square overflows. Of a divisor of zeros or
// infinities the ratio is of no account.
Parts ComplexMath::div_inside(const Parts& x, const Parts& y) {
  Value *size = op(make::abs, y.re), *other = op(make::abs, y.im);
  Value* wide = compare("ge", size, other);
  Value *large = select(wide, y.re, y.im), *small = select(wide, y.im, y.re);
  Value* ratio = op(make::div, small, large);
  Value* lost = make::bit_and(b_, {compare("ne", ratio, ratio), compare("eq", size, other)});
  small = select(lost, number(small, -0.0), small);  // a zero keeps its sign
  ratio = select(lost, number(ratio, 0), ratio);
  Value* divisor = op(make::add, large, op(make::mul, small, ratio));
  Value *first = select(wide, x.re, x.im), *second = select(wide, x.im, x.re);
  Value* re = op(make::div, op(make::add, first, op(make::mul, second, ratio)), divisor);
  Value* im = op(make::div, op(make::sub, second, op(make::mul, first, ratio)), divisor);
  return {re, select(wide, im, op(make::neg, im))};
}

// The unit is 2^k with odd exponent bits: k is even, and 0 around 1, where logarithms must not cancel.
ComplexMath::Sized ComplexMath::sized(const Parts& x) {
  const FloatBits layout = bits_of(x.re);
  Value *re = op(make::abs, x.re), *im = op(make::abs, x.im);
  Value* large = select(compare("gt", re, im), re, im);
  Value* high = number(large, std::ldexp(1, layout.bias - 1));
  Value* low = number(large, std::ldexp(1, 1 - layout.bias));
  large = select(compare("lt", large, high), large, high);
  large = select(compare("gt", large, low), large, low);
  Value* bits = make::bitcast(b_, large, layout.bits);
  bits = make::bit_and(b_, {bits, number(bits, layout.power(2 * layout.bias))});
  bits = make::bit_or(b_, {bits, number(bits, layout.power(1))});
  Value* inverse = op(make::sub, number(bits, layout.power(2 * layout.bias)), bits);
  const Parts part = scaled({re, im}, make::bitcast(b_, inverse, x.re->dtype()));
  Value* size =
      op(make::sqrt, op(make::add, op(make::mul, part.re, part.re), op(make::mul, part.im, part.im)));
  Value* infinity = number(size, kInfinity);
  Value* endless = make::bit_or(b_, {compare("eq", re, infinity), compare("eq", im, infinity)});
  return {part, select(endless, infinity, size), bits};
}

Value* ComplexMath::abs(const Parts& x) {
  const Sized of = sized(x);
  return op(make::mul, of.size, make::bitcast(b_, of.unit, x.re->dtype()));
}

Value* ComplexMath::equal(const Parts& x, const Parts& y) {
  return make::bit_and(b_, {compare("eq", x.re, y.re), compare("eq", x.im, y.im)});
}

ComplexMath::Growth ComplexMath::growth(Value* x) {
  Value* over = compare("gt", x, number(x, bits_of(x).largest_exp));
  Value* e = op(make::exp, select(over, scaled(x, 0.5), x));
  return {e, select(over, e, number(e, 1))};
}

// On the real axis it stays there, also where the magnitude is infinite. A magnitude that is infinite or zero
// remains so at an angle that is no number (C99, annex G).
Parts ComplexMath::exp(const Parts& x) {
  Value *infinity = number(x.re, kInfinity), *zero = number(x.re, 0);
  const auto [size, rest] = growth(x.re);
  Value *cosine = op(make::cos, x.im), *re = op(make::mul, op(make::mul, size, cosine), rest);
  Value* im = op(make::mul, op(make::mul, size, op(make::sin, x.im)), rest);
  Value* endless = make::bit_and(b_, {compare("eq", x.re, infinity), compare("ne", cosine, cosine)});
  Value* nothing = compare("eq", x.re, number(x.re, -kInfinity));
  im = select(nothing, zero, select(compare("eq", x.im, zero), x.im, im));
  return {select(nothing, zero, select(endless, infinity, re)), im};
}

// The exponent of the unit as a float: its bits in the mantissa of a number that has whole ones there.
ComplexMath::Logarithm ComplexMath::log_of_size(const Parts& x) {
  const FloatBits layout = bits_of(x.re);
  const Sized of = sized(x);
  Value* k = make::shift_right_logical(b_, {of.unit, number(of.unit, layout.mantissa)});
  k = make::bit_or(b_, {k, number(k, layout.power(layout.bias + layout.mantissa))});
  k = make::bitcast(b_, k, x.re->dtype());
  k = op(make::sub, k, number(k, std::ldexp(1, layout.mantissa) + layout.bias));
  return {op(make::add, op(make::log, of.size), scaled(k, std::numbers::ln2)), of.scaled, k};
}

// Where the exponent is 0, the magnitude may be all but 1: by what its square is more than 1 then, which
// rounds less.
Parts ComplexMath::log(const Parts& x) {
  const auto [far, size, k] = log_of_size(x);
  Value *re = size.re, *im = size.im, *wide = compare("ge", re, im);
  Value *large = select(wide, re, im), *small = select(wide, im, re), *one = number(re, 1);
  Value* more = op(make::mul, op(make::sub, large, one), op(make::add, large, one));
  more = op(make::add, more, op(make::mul, small, small));
  Value* near = scaled(op(make::log1p, more), 0.5);
  return {select(compare("eq", k, number(k, 0)), near, far), op(make::atan2, x.im, x.re)};
}

// exp(re) cos(im) - 1 as (exp(re) - 1) cos(im) - 2 sin(im / 2)^2, which does not cancel near zero.
Parts ComplexMath::expm1(const Parts& x) {
  Value *half = op(make::sin, scaled(x.im, 0.5)), *size = op(make::expm1, x.re);
  Value* re = op(make::sub, op(make::mul, size, op(make::cos, x.im)), scaled(op(make::mul, half, half), 2));
  const Parts far = exp(x);
  Value* large = compare("gt", x.re, number(x.re, bits_of(x.re).largest_exp));
  re = select(compare("eq", x.re, number(x.re, -kInfinity)), number(x.re, -1), re);
  return {select(large, far.re, re), far.im};
}

// The magnitude of 1 + x by what its square is more than 1, where it lies between 1/2 and 2. Elsewhere it is
// far from 1, so that its logarithm does not round much.
Parts ComplexMath::log1p(const Parts& given) {
  return in_double(given, [&](const Parts& x) {
    const Parts sum{op(make::add, x.re, number(x.re, 1)), x.im};
    Value* far = log_of_size(sum).far;
    Value* more = op(make::mul, x.re, op(make::add, x.re, number(x.re, 2)));
    more = op(make::add, more, op(make::mul, x.im, x.im));
    Value* near = scaled(op(make::log1p, more), 0.5);
    Value* close =
        make::bit_and(b_, {compare("gt", more, number(more, -0.75)), compare("lt", more, number(more, 3))});
    return Parts{select(close, near, far), op(make::atan2, sum.im, sum.re)};
  });
}

// sinh near zero by exp(x) - 1, which does not cancel. Where `rest` is not 1, 1 / e is nothing beside e.
ComplexMath::Hyperbolic ComplexMath::hyperbolic(Value* x) {
  Value *size = op(make::abs, x), *one = number(x, 1);
  const auto [e, rest] = growth(size);
  Value *m = op(make::expm1, size), *reciprocal = op(make::div, one, e);
  Value* small = op(make::add, m, op(make::div, m, op(make::add, m, one)));
  Value* sinh = select(compare("lt", size, one), small, op(make::sub, e, reciprocal));
  return {scaled(op(make::add, e, reciprocal), 0.5), scaled(sinh, 0.5), rest};
}

Value* ComplexMath::negated_if(Value* pred, Value* x) {
  return select(pred, op(make::neg, x), x);
}

// A sine of zero stays zero where the other factor is infinite; a cosine is never zero.
Value* ComplexMath::sine_times(Value* x, Value* factor, Value* rest) {
  return select(compare("eq", x, number(x, 0)), x,
                op(make::mul, op(make::mul, op(make::sin, x), factor), rest));
}

Parts ComplexMath::sin(const Parts& x) {
  const Hyperbolic of = hyperbolic(x.im);
  Value* im = op(make::mul, op(make::mul, op(make::cos, x.re), of.sinh), of.rest);
  return {sine_times(x.re, of.cosh, of.rest), negated_if(is_negative(x.im), im)};
}

Parts ComplexMath::cos(const Parts& x) {
  const Hyperbolic of = hyperbolic(x.im);
  Value* re = op(make::mul, op(make::mul, op(make::cos, x.re), of.cosh), of.rest);
  Value* im = op(make::neg, sine_times(x.re, of.sinh, of.rest));
  return {re, negated_if(is_negative(x.im), im)};
}

// (t + i s c q) / (t^2 + c^2 q) with t = tanh(re), s and c sine and cosine of im, q = 1 / cosh(re)^2: nothing
// overflows where re is large. Where q is zero, im may be infinite.
Parts ComplexMath::tanh(const Parts& x) {
  Value *t = op(make::tanh, x.re), *one = number(t, 1);
  Value* e = op(make::exp, op(make::neg, op(make::abs, x.re)));
  Value* reciprocal = op(make::div, scaled(e, 2), op(make::add, one, op(make::mul, e, e)));
  Value *q = op(make::mul, reciprocal, reciprocal), *zero = number(q, 0);
  Value* far = compare("eq", q, zero);
  Value *s = select(far, zero, op(make::sin, x.im)), *c = select(far, zero, op(make::cos, x.im));
  Value* divisor = op(make::add, op(make::mul, t, t), op(make::mul, op(make::mul, c, c), q));
  Value* im = op(make::div, op(make::mul, op(make::mul, s, c), q), divisor);
  return {op(make::div, t, divisor), select(compare("eq", x.im, zero), x.im, im)};
}

Value* ComplexMath::is_negative(Value* x) {
  Value* pattern = make::bitcast(b_, x, bits_of(x).bits);
  return compare("lt", pattern, number(pattern, 0));
}

// The larger part of the root from a sum, which does not cancel; the other one from the product of both. An
// infinite imaginary part makes both infinite, an infinite real one the larger (C99, annex G).
Parts ComplexMath::sqrt(const Parts& x) {
  const FloatBits layout = bits_of(x.re);
  const Sized of = sized(x);
  Value *height = op(make::abs, x.im), *zero = number(height, 0), *infinity = number(height, kInfinity);
  Value* root = op(make::add, of.unit, number(of.unit, layout.power(layout.bias)));  // wraps around
  root = make::shift_right_logical(b_, {root, number(root, 1)});
  root = make::bitcast(b_, root, x.re->dtype());
  Value* large = op(make::mul, root, op(make::sqrt, scaled(op(make::add, of.size, of.scaled.re), 0.5)));
  Value* small = op(make::div, height, op(make::add, large, large));
  large = select(compare("eq", of.size, infinity), infinity, large);
  small = select(compare("eq", height, infinity), infinity, small);
  small = select(compare("eq", of.size, zero), zero, small);
  Value* right = compare("ge", x.re, zero);
  Value *re = select(right, large, small), *im = select(right, small, large);
  return {re, negated_if(is_negative(x.im), im)};
}

Parts ComplexMath::rsqrt(const Parts& x) {
  const Parts one{number(x.re, 1), number(x.re, 0)}, root = sqrt(x);
  return with_limits(one, root, div_inside(one, root));
}

Parts ComplexMath::sign(const Parts& x) {
  const Sized of = sized(x);
  Value* nothing = compare("eq", of.size, number(of.size, 0));
  const auto part = [&](Value* given, Value* size) {
    return select(nothing, given, negated_if(is_negative(given), op(make::div, size, of.size)));
  };
  return {part(x.re, of.scaled.re), part(x.im, of.scaled.im)};
}

// exp(y log(x)); zero has powers of its own.
Parts ComplexMath::pow(const Parts& x, const Parts& y) {
  Value *zero = number(x.re, 0), *one = number(x.re, 1);
  Value* nan = number(x.re, std::numeric_limits<double>::quiet_NaN());
  const Parts nothing{zero, zero};
  const Parts of_zero = select(compare("gt", y.re, zero), nothing, {nan, nan});
  const Parts power = select(equal(x, nothing), of_zero, exp(mul(y, log(x))));
  return select(op(make::bit_or, equal(y, nothing), equal(x, {one, zero})), {one, zero}, power);
}

// Left of the imaginary axis exp(x) / (exp(x) + 1), else 1 / (1 + exp(-x)): no magnitude is above 1.
Parts ComplexMath::logistic(const Parts& x) {
  Value *size = op(make::exp, op(make::neg, op(make::abs, x.re))), *zero = number(size, 0),
        *one = number(size, 1);
  Value *far = compare("eq", size, zero), *left = compare("lt", x.re, zero);
  Value* re = select(far, zero, op(make::mul, size, op(make::cos, x.im)));
  Value* im = select(far, zero, op(make::mul, size, op(make::sin, x.im)));
  const Parts e{re, select(left, im, op(make::neg, im))};
  return div_inside(select(left, e, {one, zero}), {op(make::add, e.re, one), e.im});
}

}  // namespace ingot::pass
