// Complex arithmetic on pairs of real values, for split_complex.
//
// Products are four real ones: three would do, but lose digits where parts differ in size. Functions and
// quotients of finite numbers are finite where the result is: magnitudes and divisors are scaled by powers of
// two, exponentials that overflow are multiplied on in two steps. Of infinities, square roots and
// exponentials are those of C99's annex G (JAX has NaN where one part is NaN), a number divided by zero or
// infinity has the parts divided; products, and what else has no limit, are what the formulas make of them.
#pragma once

#include <string_view>

#include "ir/builder.h"
#include "ops/make.h"

namespace ingot::pass {

// The real and the imaginary part of a complex value.
struct Parts {
  ir::Value* re = nullptr;
  ir::Value* im = nullptr;
};

// Writes operations on parts, all of one type, at a builder's place.
class ComplexMath {
 public:
  explicit ComplexMath(ir::Builder& builder) : b_(builder) {}

  Parts add(const Parts& x, const Parts& y) { return {op(make::add, x.re, y.re), op(make::add, x.im, y.im)}; }
  Parts sub(const Parts& x, const Parts& y) { return {op(make::sub, x.re, y.re), op(make::sub, x.im, y.im)}; }
  Parts conj(const Parts& x) { return {x.re, op(make::neg, x.im)}; }
  Parts neg(const Parts& x) { return {op(make::neg, x.re), op(make::neg, x.im)}; }
  // Four products: three would do, but lose digits where the parts differ in size.
  Parts mul(const Parts& x, const Parts& y);
  Parts div(const Parts& x, const Parts& y);
  ir::Value* abs(const Parts& x);
  ir::Value* equal(const Parts& x, const Parts& y);

  Parts exp(const Parts& x);
  Parts log(const Parts& x);
  Parts expm1(const Parts& x);
  Parts log1p(const Parts& x);
  Parts sin(const Parts& x);
  Parts cos(const Parts& x);
  Parts tanh(const Parts& x);
  Parts tan(const Parts& x);
  Parts sinh(const Parts& x);
  Parts cosh(const Parts& x);
  Parts asin(const Parts& x);
  Parts acos(const Parts& x);
  Parts atan(const Parts& x);
  Parts asinh(const Parts& x);
  Parts acosh(const Parts& x);
  Parts atanh(const Parts& x);
  Parts exp2(const Parts& x);
  Parts log2(const Parts& x);
  Parts cbrt(const Parts& x);
  Parts sqrt(const Parts& x);
  Parts sign(const Parts& x);
  Parts pow(const Parts& x, const Parts& y);
  Parts rsqrt(const Parts& x);
  Parts logistic(const Parts& x);

  ir::Value* number(const ir::Value* like, double value);

 private:
  ir::Value* op(make::Unary* make, ir::Value* x) { return make(b_, x, {}); }
  ir::Value* op(make::Binary* make, ir::Value* x, ir::Value* y) { return make(b_, {x, y}, {}); }
  ir::Value* scaled(ir::Value* x, double factor) { return op(make::mul, x, number(x, factor)); }
  Parts scaled(const Parts& x, ir::Value* factor) {
    return {op(make::mul, x.re, factor), op(make::mul, x.im, factor)};
  }
  ir::Value* compare(const char* direction, ir::Value* x, ir::Value* y) {
    return make::compare(b_, direction, {x, y});
  }
  ir::Value* select(ir::Value* pred, ir::Value* x, ir::Value* y) { return make::select(b_, {pred, x, y}); }
  Parts select(ir::Value* pred, const Parts& x, const Parts& y) {
    return {select(pred, x.re, y.re), select(pred, x.im, y.im)};
  }
  // Where neither the sum of the dividend's parts nor that of the divisor's overflows or loses digits.
  Parts div_inside(const Parts& x, const Parts& y);
  Parts with_limits(const Parts& x, const Parts& y, const Parts& quotient);
  ir::Value* is_negative(ir::Value* x);  // -0 too
  ir::Value* negated_if(ir::Value* pred, ir::Value* x);

  // A magnitude that neither overflows nor loses digits: `size` times a power of two, whose bits `unit` has,
  // and by whose inverse `scaled`, the magnitudes of the parts, have been multiplied.
  struct Sized {
    Parts scaled;
    ir::Value *size, *unit;
  };
  Sized sized(const Parts& x);

  // The logarithm of a magnitude, with what it is made of: `exponent` is that of the power of two.
  struct Logarithm {
    ir::Value* far;  // rounds much where the magnitude is about 1
    Parts scaled;
    ir::Value* exponent;
  };
  Logarithm log_of_size(const Parts& x);

  // exp(x) is e times rest, one after the other onto a factor below 1; rest is 1 unless exp(x) overflows.
  struct Growth {
    ir::Value *e, *rest;
  };
  Growth growth(ir::Value* x);

  // cosh(x) and sinh(|x|), both to be multiplied by rest, last.
  struct Hyperbolic {
    ir::Value *cosh, *sinh, *rest;
  };
  Hyperbolic hyperbolic(ir::Value* x);
  ir::Value* sine_times(ir::Value* x, ir::Value* factor, ir::Value* rest);

  // f(x) in f64, and rounded: squares and their differences have room there.
  template <class Fn>
  Parts in_double(const Parts& x, Fn f) {
    if (x.re->dtype() != DType::kF32) return f(x);
    const auto converted = [&](ir::Value* v, DType to) { return make::convert(b_, v, to); };
    const Parts y = f({converted(x.re, DType::kF64), converted(x.im, DType::kF64)});
    return {converted(y.re, DType::kF32), converted(y.im, DType::kF32)};
  }
  // Of asin and acos: |Im| of both, and sqrt((A - a)(A + a)), the cosine's size.
  struct Arc {
    ir::Value *height, *cosine;
  };
  Arc arc(const Parts& x);
  Parts atanh_double(const Parts& x);
  ir::Value* signed_like(ir::Value* size, ir::Value* sign) { return negated_if(is_negative(sign), size); }

  ir::Builder& b_;
};

}  // namespace ingot::pass
