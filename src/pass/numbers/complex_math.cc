#include "pass/numbers/complex_math.h"

#include <limits>

namespace ingot::pass {

using ir::Value;

Value* ComplexMath::number(const Value* like, double value) {
  Tensor scalar(like->dtype(), {});
  scalar.set_double(0, value);
  Value* constant = b_.constant(scalar);
  if (like->shape().empty()) return constant;
  return b_.value("broadcast", {constant}, {{"shape", like->shape()}, {"dims", ir::IntList()}});
}

Parts ComplexMath::mul(const Parts& x, const Parts& y) {
  Value *rr = op("mul", x.re, y.re), *ii = op("mul", x.im, y.im);
  Value *re = op("sub", rr, ii), *ri = op("mul", x.re, y.im), *ir = op("mul", x.im, y.re);
  return {re, op("add", ri, ir)};
}

// Smith (1962): by the larger part of the divisor, so that no square overflows.
Parts ComplexMath::div(const Parts& x, const Parts& y) {
  Value* wide = compare("ge", op("abs", y.re), op("abs", y.im));
  Value *large = select(wide, y.re, y.im), *small = select(wide, y.im, y.re);
  Value *ratio = op("div", small, large), *divisor = op("add", large, op("mul", small, ratio));
  Value *first = select(wide, x.re, x.im), *second = select(wide, x.im, x.re);
  Value* re = op("div", op("add", first, op("mul", second, ratio)), divisor);
  Value* im = op("div", op("sub", second, op("mul", first, ratio)), divisor);
  return {re, select(wide, im, op("neg", im))};
}

Value* ComplexMath::abs(const Parts& x) {
  Value *re = op("abs", x.re), *im = op("abs", x.im);
  Value *large = op("max", re, im), *small = op("min", re, im);
  Value *zero = number(large, 0), *infinity = number(large, std::numeric_limits<double>::infinity());
  Value* ratio = op("div", small, large);
  Value* size = op("mul", large, op("sqrt", op("add", op("mul", ratio, ratio), number(large, 1))));
  size = select(compare("eq", large, zero), zero, size);
  Value* endless = b_.value("or", {compare("eq", re, infinity), compare("eq", im, infinity)});
  return select(endless, infinity, size);
}

Value* ComplexMath::equal(const Parts& x, const Parts& y) {
  return b_.value("and", {compare("eq", x.re, y.re), compare("eq", x.im, y.im)});
}

// On the real axis it stays there, also where the magnitude is infinite.
Parts ComplexMath::exp(const Parts& x) {
  Value *size = op("exp", x.re), *zero = number(x.im, 0);
  Value* real = compare("eq", x.im, zero);
  return {op("mul", size, op("cos", x.im)), select(real, x.im, op("mul", size, op("sin", x.im)))};
}

Parts ComplexMath::log(const Parts& x) {
  return {op("log", abs(x)), op("atan2", x.im, x.re)};
}

// exp(re) cos(im) - 1 as (exp(re) - 1) cos(im) - 2 sin(im / 2)^2, which does not cancel near zero.
Parts ComplexMath::expm1(const Parts& x) {
  Value *half = op("sin", scaled(x.im, 0.5)), *size = op("expm1", x.re);
  Value* square = scaled(op("mul", half, half), 2);
  return {op("sub", op("mul", size, op("cos", x.im)), square), exp(x).im};
}

// Near zero the magnitude of 1 + x by what its square is more than 1.
Parts ComplexMath::log1p(const Parts& x) {
  const Parts sum = {op("add", x.re, number(x.re, 1)), x.im};
  Value* more = op("add", op("mul", x.re, op("add", x.re, number(x.re, 2))), op("mul", x.im, x.im));
  const Parts far = log(sum);
  Value* near = scaled(op("log1p", more), 0.5);
  return {select(compare("lt", abs(x), number(x.re, 0.5)), near, far.re), far.im};
}

Value* ComplexMath::cosh(Value* x) {
  Value* e = op("exp", op("abs", x));
  return scaled(op("add", e, op("div", number(x, 1), e)), 0.5);
}

// Near zero by exp(x) - 1, which does not cancel.
Value* ComplexMath::sinh(Value* x) {
  Value *size = op("abs", x), *one = number(x, 1);
  Value* m = op("expm1", size);
  Value* small = op("add", m, op("div", m, op("add", m, one)));
  Value* e = op("exp", size);
  Value* magnitude = scaled(select(compare("lt", size, one), small, op("sub", e, op("div", one, e))), 0.5);
  return select(is_negative(x), op("neg", magnitude), magnitude);
}

Parts ComplexMath::sin(const Parts& x) {
  return {op("mul", op("sin", x.re), cosh(x.im)), op("mul", op("cos", x.re), sinh(x.im))};
}

Parts ComplexMath::cos(const Parts& x) {
  return {op("mul", op("cos", x.re), cosh(x.im)), op("neg", op("mul", op("sin", x.re), sinh(x.im)))};
}

// (t + i s c q) / (t^2 + c^2 q) with t = tanh(re), s and c sine and cosine of im, q = 1 / cosh(re)^2: nothing
// overflows where re is large.
Parts ComplexMath::tanh(const Parts& x) {
  Value *t = op("tanh", x.re), *s = op("sin", x.im), *c = op("cos", x.im), *one = number(t, 1);
  Value* e = op("exp", op("neg", op("abs", x.re)));
  Value* reciprocal = op("div", scaled(e, 2), op("add", one, op("mul", e, e)));
  Value* q = op("mul", reciprocal, reciprocal);
  Value* divisor = op("add", op("mul", t, t), op("mul", op("mul", c, c), q));
  return {op("div", t, divisor), op("div", op("mul", op("mul", s, c), q), divisor)};
}

Value* ComplexMath::is_negative(Value* x) {
  const DType bits = x->dtype() == DType::kF32 ? DType::kS32 : DType::kS64;
  Value* pattern = b_.value("bitcast", {x}, {{"dtype", bits}});
  return compare("lt", pattern, number(pattern, 0));
}

// The larger part of the root from a sum, which does not cancel; the other one from the product of both.
Parts ComplexMath::sqrt(const Parts& x) {
  Value *size = abs(x), *zero = number(size, 0);
  Value* large = op("sqrt", op("add", scaled(size, 0.5), scaled(op("abs", x.re), 0.5)));
  Value* small = scaled(op("div", op("abs", x.im), large), 0.5);
  Value* right = compare("ge", x.re, zero);
  Value *re = select(right, large, small), *im = select(right, small, large);
  im = select(is_negative(x.im), op("neg", im), im);
  Value* nothing = compare("eq", size, zero);
  return {select(nothing, zero, re), select(nothing, x.im, im)};
}

Parts ComplexMath::sign(const Parts& x) {
  Value* size = abs(x);
  Value* nothing = compare("eq", size, number(size, 0));
  return select(nothing, x, {op("div", x.re, size), op("div", x.im, size)});
}

// exp(y log(x)); zero has powers of its own.
Parts ComplexMath::pow(const Parts& x, const Parts& y) {
  Value *zero = number(x.re, 0), *one = number(x.re, 1);
  Value* nan = number(x.re, std::numeric_limits<double>::quiet_NaN());
  const Parts nothing{zero, zero};
  const Parts of_zero =
      select(equal(y, nothing), {one, zero}, select(compare("gt", y.re, zero), nothing, {nan, nan}));
  return select(equal(x, nothing), of_zero, exp(mul(y, log(x))));
}

Parts ComplexMath::logistic(const Parts& x) {
  const Parts e = exp(neg(x));
  return one_over({op("add", e.re, number(e.re, 1)), e.im});
}

}  // namespace ingot::pass
