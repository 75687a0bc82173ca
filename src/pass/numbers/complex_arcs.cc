// The inverse functions of complex numbers, and those that follow from others
// by a turn.
//
// asin and acos after Hull, Fairgrieve and Tang (1997): with a and b the sizes
// of the parts, r and s the distances from -1 and 1 and A = (r + s) / 2, the
// parts are functions of A - 1 and A - a, neither of which is computed as a
// difference. Single precision is computed in double, which has room for all
// squares.
#include <cmath>
#include <limits>
#include <numbers>

#include "pass/numbers/complex_math.h"

namespace ingot::pass {

using ir::Value;

template <class Fn>
Parts ComplexMath::in_double(const Parts& x, Fn f) {
  if (x.re->dtype() != DType::kF32) return f(x);
  const auto converted = [&](Value* v, DType to) { return b_.value("convert", {v}, {{"dtype", to}}); };
  const Parts y = f({converted(x.re, DType::kF64), converted(x.im, DType::kF64)});
  return {converted(y.re, DType::kF32), converted(y.im, DType::kF32)};
}

ComplexMath::Arc ComplexMath::arc(const Parts& x) {
  Value *a = op("abs", x.re), *b = op("abs", x.im), *one = number(a, 1), *zero = number(a, 0);
  // Far from 1: log(2 |x|), and b for the cosine.
  Value* limit = number(a, 0x1p30);
  Value* far = b_.value("or", {compare("gt", a, limit), compare("gt", b, limit)});
  Value* far_height = op("add", log(x).re, number(a, std::numbers::ln2));
  a = select(compare("gt", a, limit), limit, a);
  b = select(compare("gt", b, limit), limit, b);

  Value *beyond = op("add", a, one), *off = op("sub", a, one), *within = op("abs", off);
  Value* r = op("sqrt", op("add", op("mul", beyond, beyond), op("mul", b, b)));
  Value* s = abs({within, b});
  Value *u = op("add", s, within), *p = op("div", b, op("add", r, beyond));
  Value* v = select(compare("eq", u, zero), zero, op("div", b, u));
  // 2 (A - 1) is b (p + v) up to 1, and b p + u beyond; 2 (A - a) the other way round. What b makes tiny has
  // b's root taken by itself.
  Value *little = op("add", p, v), *much = op("add", op("mul", b, p), u);
  Value *inside = compare("le", a, one), *whole = scaled(op("add", r, s), 0.5);  // A
  const auto of_little = [&](Value* f) { return op("mul", op("sqrt", b), op("sqrt", op("mul", little, f))); };
  const auto of_much = [&](Value* f) { return op("sqrt", op("mul", much, f)); };
  Value *with_one = scaled(op("add", whole, one), 0.5), *with_a = scaled(op("add", whole, a), 0.5);
  Value* sine = select(inside, of_little(with_one), of_much(with_one));
  Value* cosine = select(inside, of_much(with_a), of_little(with_a));
  Value* near = op("log1p", op("add", scaled(select(inside, op("mul", b, little), much), 0.5), sine));
  return {select(far, far_height, near), select(far, op("abs", x.im), cosine)};
}

Parts ComplexMath::asin(const Parts& given) {
  return in_double(given, [&](const Parts& x) {
    const Arc of = arc(x);
    return Parts{op("atan2", x.re, of.cosine), signed_like(of.height, x.im)};
  });
}

Parts ComplexMath::acos(const Parts& given) {
  return in_double(given, [&](const Parts& x) {
    const Arc of = arc(x);
    return Parts{op("atan2", of.cosine, x.re), op("neg", signed_like(of.height, x.im))};
  });
}

Parts ComplexMath::acosh(const Parts& given) {
  return in_double(given, [&](const Parts& x) {
    const Arc of = arc(x);
    return Parts{of.height, signed_like(op("atan2", of.cosine, x.re), x.im)};
  });
}

Parts ComplexMath::asinh(const Parts& x) {
  const Parts turned = asin({x.im, x.re});
  return {turned.im, turned.re};
}

// log1p(4 a / ((a - 1)^2 + y^2)) / 4 and atan2(2 y, (1 - a) (1 + a) - y^2) / 2;
// close to 1 the logarithm of the distance, far out the real part of 1 / x.
Parts ComplexMath::atanh_double(const Parts& x) {
  Value *a = op("abs", x.re), *b = op("abs", x.im), *one = number(a, 1), *limit = number(a, 0x1p60);
  Value* far = b_.value("or", {compare("gt", a, limit), compare("gt", b, limit)});
  Value* size = abs(x);
  Value* inverse = op("div", op("div", a, size), size);
  inverse = select(compare("eq", size, number(size, std::numeric_limits<double>::infinity())), number(a, 0),
                   inverse);
  Value* right_angle = select(compare("eq", b, b), number(a, std::numbers::pi / 2), b);
  Value* c = select(far, one, a);
  Value* y = select(far, one, b);

  Value* off = op("sub", c, one);
  Value* distance = abs({off, y});
  Value* close = compare("lt", distance, number(a, 0x1p-30));
  Value* square = op("add", op("mul", off, off), op("mul", y, y));
  Value* apart = scaled(op("log1p", op("div", scaled(c, 4), select(close, one, square))), 0.25);
  Value* beside = scaled(op("sub", op("log", scaled(op("sqrt", c), 2)), op("log", distance)), 0.5);
  Value* along = op("sub", op("mul", op("sub", one, c), op("add", one, c)), op("mul", y, y));
  Value* angle = scaled(op("atan2", scaled(y, 2), along), 0.5);
  Value* re = select(far, inverse, select(close, beside, apart));
  return {signed_like(re, x.re), signed_like(select(far, right_angle, angle), x.im)};
}

Parts ComplexMath::atanh(const Parts& x) {
  return in_double(x, [&](const Parts& y) { return atanh_double(y); });
}

Parts ComplexMath::atan(const Parts& x) {
  const Parts turned = atanh({x.im, x.re});
  return {turned.im, turned.re};
}

Parts ComplexMath::tan(const Parts& x) {
  const Parts turned = tanh({x.im, x.re});
  return {turned.im, turned.re};
}

Parts ComplexMath::sinh(const Parts& x) {
  const Parts turned = sin({x.im, x.re});
  return {turned.im, turned.re};
}

Parts ComplexMath::cosh(const Parts& x) {
  return conj(cos({x.im, x.re}));
}

Parts ComplexMath::exp2(const Parts& given) {
  return in_double(given, [&](const Parts& x) {
    return exp({scaled(x.re, std::numbers::ln2), scaled(x.im, std::numbers::ln2)});
  });
}

Parts ComplexMath::log2(const Parts& given) {
  return in_double(given, [&](const Parts& x) {
    const Parts of = log(x);
    Value* base = number(of.re, std::numbers::ln2);
    return Parts{op("div", of.re, base), op("div", of.im, base)};
  });
}

// The principal one: the root of the magnitude, and a third of the angle. Of
// large numbers an eighth, whose magnitude is finite.
Parts ComplexMath::cbrt(const Parts& given) {
  return in_double(given, [&](const Parts& x) {
    Value* one = number(x.re, 1);
    Value* large = b_.value("or", {compare("gt", op("abs", x.re), one), compare("gt", op("abs", x.im), one)});
    Value* size = abs(scaled(x, select(large, number(one, 0.125), one)));
    Value* root = op("mul", op("cbrt", size), select(large, number(one, 2), one));
    Value* angle = op("div", op("atan2", x.im, x.re), number(one, 3));
    return Parts{op("mul", root, op("cos", angle)), sine_times(angle, root, one)};
  });
}

}  // namespace ingot::pass
