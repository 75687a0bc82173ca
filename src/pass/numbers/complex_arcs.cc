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

#include "ops/make.h"
#include "pass/numbers/complex_math.h"

namespace ingot::pass {

using ir::Value;

ComplexMath::Arc ComplexMath::arc(const Parts& x) {
  Value *a = op(make::abs, x.re), *b = op(make::abs, x.im), *one = number(a, 1), *zero = number(a, 0);
  // Far from 1: log(2 |x|), and b for the cosine.
  Value* limit = number(a, 0x1p30);
  Value* far = make::bit_or(b_, {compare("gt", a, limit), compare("gt", b, limit)});
  Value* far_height = op(make::add, log(x).re, number(a, std::numbers::ln2));
  a = select(compare("gt", a, limit), limit, a);
  b = select(compare("gt", b, limit), limit, b);

  Value *beyond = op(make::add, a, one), *off = op(make::sub, a, one), *within = op(make::abs, off);
  Value* r = op(make::sqrt, op(make::add, op(make::mul, beyond, beyond), op(make::mul, b, b)));
  Value* s = abs({within, b});
  Value *u = op(make::add, s, within), *p = op(make::div, b, op(make::add, r, beyond));
  Value* v = select(compare("eq", u, zero), zero, op(make::div, b, u));
  // 2 (A - 1) is b (p + v) up to 1, and b p + u beyond; 2 (A - a) the other way round. What b makes tiny has
  // b's root taken by itself.
  Value *little = op(make::add, p, v), *much = op(make::add, op(make::mul, b, p), u);
  Value *inside = compare("le", a, one), *whole = scaled(op(make::add, r, s), 0.5);  // A
  const auto of_little = [&](Value* f) {
    return op(make::mul, op(make::sqrt, b), op(make::sqrt, op(make::mul, little, f)));
  };
  const auto of_much = [&](Value* f) { return op(make::sqrt, op(make::mul, much, f)); };
  Value *with_one = scaled(op(make::add, whole, one), 0.5), *with_a = scaled(op(make::add, whole, a), 0.5);
  Value* sine = select(inside, of_little(with_one), of_much(with_one));
  Value* cosine = select(inside, of_much(with_a), of_little(with_a));
  Value* near =
      op(make::log1p, op(make::add, scaled(select(inside, op(make::mul, b, little), much), 0.5), sine));
  return {select(far, far_height, near), select(far, op(make::abs, x.im), cosine)};
}

Parts ComplexMath::asin(const Parts& given) {
  return in_double(given, [&](const Parts& x) {
    const Arc of = arc(x);
    return Parts{op(make::atan2, x.re, of.cosine), signed_like(of.height, x.im)};
  });
}

Parts ComplexMath::acos(const Parts& given) {
  return in_double(given, [&](const Parts& x) {
    const Arc of = arc(x);
    return Parts{op(make::atan2, of.cosine, x.re), op(make::neg, signed_like(of.height, x.im))};
  });
}

Parts ComplexMath::acosh(const Parts& given) {
  return in_double(given, [&](const Parts& x) {
    const Arc of = arc(x);
    return Parts{of.height, signed_like(op(make::atan2, of.cosine, x.re), x.im)};
  });
}

Parts ComplexMath::asinh(const Parts& x) {
  const Parts turned = asin({x.im, x.re});
  return {turned.im, turned.re};
}

// log1p(4 a / ((a - 1)^2 + y^2)) / 4 and atan2(2 y, (1 - a) (1 + a) - y^2) / 2;
// close to 1 the logarithm of the distance, far out the real part of 1 / x.
Parts ComplexMath::atanh_double(const Parts& x) {
  Value *a = op(make::abs, x.re), *b = op(make::abs, x.im), *one = number(a, 1), *limit = number(a, 0x1p60);
  Value* far = make::bit_or(b_, {compare("gt", a, limit), compare("gt", b, limit)});
  Value* size = abs(x);
  Value* inverse = op(make::div, op(make::div, a, size), size);
  inverse = select(compare("eq", size, number(size, std::numeric_limits<double>::infinity())), number(a, 0),
                   inverse);
  Value* right_angle = select(compare("eq", b, b), number(a, std::numbers::pi / 2), b);
  Value* c = select(far, one, a);
  Value* y = select(far, one, b);

  Value* off = op(make::sub, c, one);
  Value* distance = abs({off, y});
  Value* close = compare("lt", distance, number(a, 0x1p-30));
  Value* square = op(make::add, op(make::mul, off, off), op(make::mul, y, y));
  Value* apart = scaled(op(make::log1p, op(make::div, scaled(c, 4), select(close, one, square))), 0.25);
  Value* beside =
      scaled(op(make::sub, op(make::log, scaled(op(make::sqrt, c), 2)), op(make::log, distance)), 0.5);
  Value* along =
      op(make::sub, op(make::mul, op(make::sub, one, c), op(make::add, one, c)), op(make::mul, y, y));
  Value* angle = scaled(op(make::atan2, scaled(y, 2), along), 0.5);
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
    return Parts{op(make::div, of.re, base), op(make::div, of.im, base)};
  });
}

// The principal one: the root of the magnitude, and a third of the angle. Of
// large numbers an eighth, whose magnitude is finite.
Parts ComplexMath::cbrt(const Parts& given) {
  return in_double(given, [&](const Parts& x) {
    Value* one = number(x.re, 1);
    Value* large =
        make::bit_or(b_, {compare("gt", op(make::abs, x.re), one), compare("gt", op(make::abs, x.im), one)});
    Value* size = abs(scaled(x, select(large, number(one, 0.125), one)));
    Value* root = op(make::mul, op(make::cbrt, size), select(large, number(one, 2), one));
    Value* angle = op(make::div, op(make::atan2, x.im, x.re), number(one, 3));
    return Parts{op(make::mul, root, op(make::cos, angle)), sine_times(angle, root, one)};
  });
}

}  // namespace ingot::pass
