// Functions that Ingot has no operation for and that are formulas over others: computed in f64 and rounded,
// for which the formulas are accurate enough; f64 itself where they are so there, too.
#include <cmath>

#include "stablehlo/importer.h"

namespace ingot::stablehlo {
namespace {

// A formula over f64 arrays of one shape.
struct Formula {
  OpImport& op;
  const ir::TensorType type;

  ir::Value* number(double value) { return op.filled(type, value); }
  ir::Value* unary(const char* name, ir::Value* x) { return op.make(name, {x}); }
  ir::Value* add(ir::Value* a, ir::Value* b) { return op.make("add", {a, b}); }
  ir::Value* sub(ir::Value* a, ir::Value* b) { return op.make("sub", {a, b}); }
  ir::Value* mul(ir::Value* a, ir::Value* b) { return op.make("mul", {a, b}); }
  ir::Value* div(ir::Value* a, ir::Value* b) { return op.make("div", {a, b}); }
  ir::Value* less(ir::Value* a, ir::Value* b) {
    return op.make("compare", {a, b}, {{"direction", std::string("lt")}});
  }
  ir::Value* select(ir::Value* p, ir::Value* a, ir::Value* b) { return op.make("select", {p, a, b}); }
  ir::Value* sqrt(ir::Value* x) { return unary("sqrt", x); }
  // The magnitude of `size` with the sign of x.
  ir::Value* signed_like(ir::Value* x, ir::Value* size) { return mul(unary("sign", x), size); }
};

using Body = ir::Value* (*)(Formula&, ir::Value*);

template <Body body>
void import_formula(OpImport& op) {
  ir::Value* x = op.operand(0);
  if (!is_float(x->dtype()))
    op.refuse("Ingot has this function of real floats alone so far, not of " +
              std::string(name_of(x->dtype())));
  Formula formula{op, {DType::kF64, x->shape()}};
  op.set(op.convert(body(formula, op.convert(x, DType::kF64)), x->dtype()));
}

ir::Value* tan(Formula& f, ir::Value* x) {
  return f.div(f.unary("sin", x), f.unary("cos", x));
}

// sqrt((1 - x) (1 + x)): both factors are exact or rounded once.
ir::Value* other_side(Formula& f, ir::Value* x) {
  return f.sqrt(f.mul(f.sub(f.number(1), x), f.add(f.number(1), x)));
}
ir::Value* asin(Formula& f, ir::Value* x) {
  return f.op.make("atan2", {x, other_side(f, x)});
}
ir::Value* acos(Formula& f, ir::Value* x) {
  return f.op.make("atan2", {other_side(f, x), x});
}
ir::Value* atan(Formula& f, ir::Value* x) {
  return f.op.make("atan2", {x, f.number(1)});
}

// With e = exp(|x|) - 1: (e + e / (e + 1)) / 2. Beyond 22 the second term is below the last place, and half
// the square of exp(|x| / 2) reaches further.
ir::Value* sinh(Formula& f, ir::Value* x) {
  ir::Value *size = f.unary("abs", x), *e = f.unary("expm1", size);
  ir::Value* near = f.mul(f.number(0.5), f.add(e, f.div(e, f.add(e, f.number(1)))));
  ir::Value* root = f.unary("exp", f.mul(f.number(0.5), size));
  ir::Value* far = f.mul(f.mul(f.number(0.5), root), root);
  return f.signed_like(x, f.select(f.less(size, f.number(22)), near, far));
}
ir::Value* cosh(Formula& f, ir::Value* x) {
  ir::Value* size = f.unary("abs", x);
  ir::Value* root = f.unary("exp", f.mul(f.number(0.5), size));
  ir::Value* half = f.mul(f.number(0.5), root);
  ir::Value* small = f.div(f.number(0.5), f.mul(root, root));  // exp(-|x|) / 2; 0 where the square overflows
  return f.add(f.mul(half, root), small);
}

// log1p(|x| + x^2 / (1 + sqrt(x^2 + 1))); where squares would overflow, log(|x|) + log(2).
ir::Value* asinh(Formula& f, ir::Value* x) {
  ir::Value *size = f.unary("abs", x), *square = f.mul(size, size);
  ir::Value* root = f.sqrt(f.add(square, f.number(1)));
  ir::Value* near = f.unary("log1p", f.add(size, f.div(square, f.add(f.number(1), root))));
  ir::Value* far = f.add(f.unary("log", size), f.number(M_LN2));
  return f.signed_like(x, f.select(f.less(size, f.number(1e150)), near, far));
}
// With t = x - 1: log1p(t + sqrt(2 t + t^2)).
ir::Value* acosh(Formula& f, ir::Value* x) {
  ir::Value* t = f.sub(x, f.number(1));
  ir::Value* root = f.sqrt(f.mul(t, f.add(t, f.number(2))));
  ir::Value* near = f.unary("log1p", f.add(t, root));
  ir::Value* far = f.add(f.unary("log", x), f.number(M_LN2));
  return f.select(f.less(f.number(1e150), x), far, near);
}
ir::Value* atanh(Formula& f, ir::Value* x) {
  ir::Value* size = f.unary("abs", x);
  ir::Value* ratio = f.div(f.mul(f.number(2), size), f.sub(f.number(1), size));
  return f.signed_like(x, f.mul(f.number(0.5), f.unary("log1p", ratio)));
}

// exp(log|x| / 3) and a step of Newton's, which makes of 1e-14 what is rounded alone. Zeros and infinities
// stay.
ir::Value* cbrt(Formula& f, ir::Value* x) {
  ir::Value* size = f.unary("abs", x);
  ir::Value* guess = f.op.make("pow", {size, f.number(1.0 / 3)});
  ir::Value* square = f.mul(guess, guess);
  ir::Value* better = f.sub(guess, f.div(f.sub(guess, f.div(size, square)), f.number(3)));
  ir::Value* plain = f.op.make("is_finite", {better});
  return f.signed_like(x, f.select(plain, better, guess));
}

void import_erf(OpImport& op) {
  op.set(op.make("erf", {op.operand(0)}));
}

void import_square(OpImport& op) {
  op.set(op.make("mul", {op.operand(0), op.operand(0)}));
}

void import_conj(OpImport& op) {
  ir::Value* x = op.operand(0);
  op.set(is_complex(x->dtype()) ? op.make("conj", {x}) : x);
}

// abs(x) == inf, x == inf or x == -inf
void import_is_infinite(OpImport& op) {
  ir::Value* x = op.operand(0);
  const bool any = op.op().name == "chlo.is_inf", negative = op.op().name == "chlo.is_neg_inf";
  ir::Value* infinity = op.filled(x->type(), negative ? -INFINITY : INFINITY);
  op.set(op.make("compare", {any ? op.make("abs", {x}) : x, infinity}, {{"direction", std::string("eq")}}));
}

// The next number from x towards y: one up or down in the order of the bits. From a zero it is the least
// number with the sign of y.
void import_next_after(OpImport& op) {
  ir::Value *x = op.operand(0), *y = op.operand(1);
  if (!is_float(x->dtype())) op.refuse("Ingot has this function of real floats alone");
  const size_t bytes = byte_size(x->dtype());
  const DType dtype = bytes == 2 ? DType::kS16 : bytes == 4 ? DType::kS32 : DType::kS64;
  const ir::TensorType bits_type{dtype, x->shape()};
  const auto compare = [&](ir::Value* a, ir::Value* b, const char* direction) {
    return op.make("compare", {a, b}, {{"direction", std::string(direction)}});
  };
  const auto bits_of = [&](ir::Value* v) { return op.make("bitcast", {v}, {{"dtype", dtype}}); };
  ir::Value *zero = op.filled(x->type(), 0), *one = op.filled_int(bits_type, 1);
  ir::Value* least = op.filled_int(bits_type, bytes == 2 ? INT16_MIN : bytes == 4 ? INT32_MIN : INT64_MIN);
  ir::Value *bits = bits_of(x), *y_bits = bits_of(y);
  // Away from zero adds one to the magnitude, which is all but the first bit.
  ir::Value* up = compare(x, y, "lt");
  ir::Value* positive = compare(x, zero, "gt");
  ir::Value* grows = op.make("not", {op.make("xor", {up, positive})});
  ir::Value* moved = op.make("select", {grows, op.make("add", {bits, one}), op.make("sub", {bits, one})});
  ir::Value* from_zero = op.make("or", {op.make("and", {y_bits, least}), one});
  ir::Value* next = op.make("select", {compare(x, zero, "eq"), from_zero, moved});
  next = op.make("select", {compare(x, y, "eq"), y_bits, next});
  ir::Value* result = op.make("bitcast", {next}, {{"dtype", x->dtype()}});
  ir::Value* nan = op.make("or", {compare(x, x, "ne"), compare(y, y, "ne")});
  op.set(op.make("select", {nan, op.make("add", {x, y}), result}));
}

constexpr NamedRule kFunctions[] = {
    {"chlo.acos", import_formula<acos>},
    {"chlo.acosh", import_formula<acosh>},
    {"chlo.asin", import_formula<asin>},
    {"chlo.asinh", import_formula<asinh>},
    {"chlo.atan", import_formula<atan>},
    {"chlo.atanh", import_formula<atanh>},
    {"chlo.conj", import_conj},
    {"chlo.cosh", import_formula<cosh>},
    {"chlo.erf", import_erf},
    {"chlo.is_inf", import_is_infinite},
    {"chlo.is_neg_inf", import_is_infinite},
    {"chlo.is_pos_inf", import_is_infinite},
    {"chlo.next_after", import_next_after},
    {"chlo.sinh", import_formula<sinh>},
    {"chlo.square", import_square},
    {"chlo.tan", import_formula<tan>},
    {"stablehlo.cbrt", import_formula<cbrt>},
    {"stablehlo.tan", import_formula<tan>},
};

}  // namespace

Rules function_rules() {
  return kFunctions;
}

}  // namespace ingot::stablehlo
