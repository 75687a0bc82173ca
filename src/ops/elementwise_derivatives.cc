// Derivatives of the element-wise operations. A term multiplies the tangent with a factor of primal values,
// so its transpose is that of the multiplication.
#include <cmath>
#include <limits>
#include <numbers>

#include "ops/derivatives.h"
#include "ops/euler_maclaurin.h"

namespace ingot::ops {
namespace {

// The arithmetic of rules, on whole arrays of one type.
class Math {
 public:
  explicit Math(Emitter& emitter) : emitter_(emitter) {}

  Value* number(const Value* like, double value) { return filled(emitter_, like->type(), value); }
  Value* add(Value* a, Value* b) { return emitter_.make("add", {a, b}); }
  Value* sub(Value* a, Value* b) { return emitter_.make("sub", {a, b}); }
  Value* mul(Value* a, Value* b) { return emitter_.make("mul", {a, b}); }
  Value* div(Value* a, Value* b) { return emitter_.make("div", {a, b}); }
  Value* neg(Value* a) { return emitter_.make("neg", {a}); }
  Value* apply(const char* name, Value* a) { return emitter_.make(name, {a}); }
  Value* equal(Value* a, Value* b) {
    return emitter_.make("compare", {a, b}, {{"direction", std::string("eq")}});
  }
  Value* select(Value* pred, Value* a, Value* b) { return emitter_.make("select", {pred, a, b}); }
  // x, but 1 where it is 0.
  Value* nonzero(Value* x) { return select(equal(x, number(x, 0)), number(x, 1), x); }

 private:
  Emitter& emitter_;
};

}  // namespace

// --- one operand

Value* neg_term(const TermContext&, int, Value* t, Emitter& e) {
  return Math(e).neg(t);
}

Value* abs_term(const TermContext& c, int, Value* t, Emitter& e) {
  Math m(e);
  Value* x = c.operands[0];
  if (is_complex(x->dtype())) {  // of |x|: what t has in the direction of x
    Value* size = m.nonzero(c.result);
    Value* direction = m.div(m.apply("conj", x), e.make("complex", {size, m.number(size, 0)}));
    return m.apply("real", m.mul(t, direction));
  }
  Value* positive = e.make("compare", {x, m.number(x, 0)}, {{"direction", std::string("ge")}});
  return m.mul(t, m.select(positive, m.number(t, 1), m.number(t, -1)));
}

Value* sqrt_term(const TermContext& c, int, Value* t, Emitter& e) {
  Math m(e);
  return m.mul(t, m.div(m.number(t, 0.5), c.result));
}

Value* rsqrt_term(const TermContext& c, int, Value* t, Emitter& e) {
  Math m(e);
  return m.mul(t, m.mul(m.number(t, -0.5), m.div(c.result, c.operands[0])));
}

Value* exp_term(const TermContext& c, int, Value* t, Emitter& e) {
  return Math(e).mul(t, c.result);
}

Value* log_term(const TermContext& c, int, Value* t, Emitter& e) {
  return Math(e).div(t, c.operands[0]);
}

Value* sin_term(const TermContext& c, int, Value* t, Emitter& e) {
  Math m(e);
  return m.mul(t, m.apply("cos", c.operands[0]));
}

Value* cos_term(const TermContext& c, int, Value* t, Emitter& e) {
  Math m(e);
  return m.mul(t, m.neg(m.apply("sin", c.operands[0])));
}

Value* tanh_term(const TermContext& c, int, Value* t, Emitter& e) {
  Math m(e);
  return m.mul(t, m.sub(m.number(t, 1), m.mul(c.result, c.result)));
}

Value* logistic_term(const TermContext& c, int, Value* t, Emitter& e) {
  Math m(e);
  return m.mul(t, m.mul(c.result, m.sub(m.number(t, 1), c.result)));
}

Value* expm1_term(const TermContext& c, int, Value* t, Emitter& e) {
  Math m(e);
  return m.mul(t, m.add(c.result, m.number(t, 1)));
}

Value* log1p_term(const TermContext& c, int, Value* t, Emitter& e) {
  Math m(e);
  return m.div(t, m.add(c.operands[0], m.number(t, 1)));
}

Value* erf_term(const TermContext& c, int, Value* t, Emitter& e) {
  Math m(e);
  Value* bell = m.apply("exp", m.neg(m.mul(c.operands[0], c.operands[0])));
  return m.mul(t, m.mul(m.number(t, 2 * std::numbers::inv_sqrtpi), bell));
}

Value* tan_term(const TermContext& c, int, Value* t, Emitter& e) {
  Math m(e);
  return m.mul(t, m.add(m.number(t, 1), m.mul(c.result, c.result)));
}

Value* asin_term(const TermContext& c, int, Value* t, Emitter& e) {
  Math m(e);
  Value* x = c.operands[0];
  return m.mul(t, m.apply("rsqrt", m.sub(m.number(t, 1), m.mul(x, x))));
}

Value* acos_term(const TermContext& c, int operand, Value* t, Emitter& e) {
  return asin_term(c, operand, Math(e).neg(t), e);
}

Value* atan_term(const TermContext& c, int, Value* t, Emitter& e) {
  Math m(e);
  return m.div(t, m.add(m.number(t, 1), m.mul(c.operands[0], c.operands[0])));
}

Value* sinh_term(const TermContext& c, int, Value* t, Emitter& e) {
  Math m(e);
  return m.mul(t, m.apply("cosh", c.operands[0]));
}

Value* cosh_term(const TermContext& c, int, Value* t, Emitter& e) {
  Math m(e);
  return m.mul(t, m.apply("sinh", c.operands[0]));
}

Value* asinh_term(const TermContext& c, int, Value* t, Emitter& e) {
  Math m(e);
  Value* x = c.operands[0];
  return m.mul(t, m.apply("rsqrt", m.add(m.mul(x, x), m.number(t, 1))));
}

Value* acosh_term(const TermContext& c, int, Value* t, Emitter& e) {
  Math m(e);
  Value* x = c.operands[0];
  return m.mul(t, m.apply("rsqrt", m.sub(m.mul(x, x), m.number(t, 1))));
}

Value* atanh_term(const TermContext& c, int, Value* t, Emitter& e) {
  Math m(e);
  Value *x = c.operands[0], *one = m.number(t, 1);
  return m.mul(m.div(t, m.sub(one, x)), m.div(one, m.add(one, x)));
}

Value* exp2_term(const TermContext& c, int, Value* t, Emitter& e) {
  Math m(e);
  return m.mul(m.mul(t, c.result), m.number(t, std::numbers::ln2));
}

Value* log2_term(const TermContext& c, int, Value* t, Emitter& e) {
  Math m(e);
  return m.div(m.div(t, c.operands[0]), m.number(t, std::numbers::ln2));
}

Value* cbrt_term(const TermContext& c, int, Value* t, Emitter& e) {
  Math m(e);
  Value* inverse = m.div(m.number(t, 1), c.result);
  return m.mul(t, m.mul(m.number(t, 1.0 / 3), m.mul(inverse, inverse)));
}

Value* erfc_term(const TermContext& c, int operand, Value* t, Emitter& e) {
  return Math(e).neg(erf_term(c, operand, t, e));
}

Value* erf_inv_term(const TermContext& c, int, Value* t, Emitter& e) {
  Math m(e);
  Value* bell = m.apply("exp", m.mul(c.result, c.result));
  return m.mul(t, m.mul(m.number(t, std::sqrt(std::numbers::pi) / 2), bell));
}

Value* lgamma_term(const TermContext& c, int, Value* t, Emitter& e) {
  Math m(e);
  return m.mul(t, m.apply("digamma", c.operands[0]));
}

// zeta(2, x), and left of 1/2 by its reflection: pi^2 / sin(pi x)^2 - zeta(2, 1 - x).
Value* digamma_term(const TermContext& c, int, Value* t, Emitter& e) {
  Math m(e);
  Value *x = c.operands[0], *one = m.number(x, 1);
  Value* left = e.make("compare", {x, m.number(x, 0.5)}, {{"direction", std::string("lt")}});
  Value* right = m.select(left, m.sub(one, x), x);
  Value* sum = e.make("zeta", {m.number(x, 2), right});
  Value* rest = m.select(left, m.sub(x, m.apply("round_even", x)), m.number(x, 0.5));
  Value* sine = m.apply("sin", m.mul(rest, m.number(x, std::numbers::pi)));
  Value* pole = m.div(m.number(x, std::numbers::pi), sine);
  return m.mul(t, m.select(left, m.sub(m.mul(pole, pole), sum), sum));
}

namespace {

// The derivative of the zeta function in s, times -1: the sum of log(q + k) (q + k)^-s over k, some terms of
// it and the rest by Euler and Maclaurin, as the function itself has it.
Value* zeta_decline(Value* s, Value* q, Emitter& e) {
  Math m(e);
  const bool narrow = significant_bits(s->dtype()) <= 24;
  const int terms = narrow ? 6 : 10, corrections = narrow ? 5 : 12;
  const auto plus = [&](Value* x, int k) { return k == 0 ? x : m.add(x, m.number(x, k)); };
  Value* sum = nullptr;
  for (int k = 0; k < terms; ++k) {
    Value* log = m.apply("log", plus(q, k));
    Value* term = m.mul(log, m.apply("exp", m.neg(m.mul(s, log))));
    sum = sum == nullptr ? term : m.add(sum, term);
  }
  Value *a = plus(q, terms), *log = m.apply("log", a), *one = m.number(s, 1), *inverse = m.div(one, a);
  Value* rest = m.apply("exp", m.mul(m.sub(one, s), log));
  Value* over = m.div(one, m.sub(s, one));
  Value* power = m.mul(rest, inverse);
  sum = m.add(sum, m.mul(m.mul(rest, over), m.add(log, over)));
  sum = m.add(sum, m.mul(m.number(s, 0.5), m.mul(log, power)));
  Value *ratio = m.mul(s, inverse), *inverses = m.div(one, s);
  for (int j = 0; j < corrections; ++j) {
    Value* term = m.mul(power, m.mul(ratio, m.number(s, 1 / kEulerMaclaurin[j])));
    sum = m.add(sum, m.mul(term, m.sub(log, inverses)));
    if (j + 1 == corrections) break;
    for (const int i : {2 * j + 1, 2 * j + 2}) {
      Value* next = plus(s, i);
      ratio = m.mul(ratio, m.mul(next, inverse));
      inverses = m.add(inverses, m.div(one, next));
    }
  }
  return sum;
}

}  // namespace

Value* zeta_term(const TermContext& c, int operand, Value* t, Emitter& e) {
  Math m(e);
  Value *s = c.operands[0], *q = c.operands[1];
  if (operand == 0) return m.mul(t, m.neg(zeta_decline(s, q, e)));
  Value* next = e.make("zeta", {m.add(s, m.number(s, 1)), q});
  return m.mul(t, m.neg(m.mul(s, next)));
}

Value* polygamma_term(const TermContext& c, int operand, Value* t, Emitter& e) {
  if (operand == 0) throw Error("has no derivative in its order");
  Math m(e);
  Value *n = c.operands[0], *x = c.operands[1];
  return m.mul(t, e.make("polygamma", {m.add(n, m.number(n, 1)), x}));
}

Value* bessel_i0e_term(const TermContext& c, int, Value* t, Emitter& e) {
  Math m(e);
  Value* x = c.operands[0];
  return m.mul(t, m.sub(m.apply("bessel_i1e", x), m.mul(m.apply("sign", x), c.result)));
}

// At zero it is 1/2, which the formula has as a difference of infinities.
Value* bessel_i1e_term(const TermContext& c, int, Value* t, Emitter& e) {
  Math m(e);
  Value* x = c.operands[0];
  Value* tiny = m.number(x, std::ldexp(1.0, 1 - significant_bits(x->dtype())));
  Value* away = e.make("compare", {m.apply("abs", x), tiny}, {{"direction", std::string("gt")}});
  Value* safe = m.select(away, x, tiny);
  Value* over = m.add(m.apply("sign", safe), m.div(m.number(x, 1), safe));
  Value* slope = m.sub(m.apply("bessel_i0e", safe), m.mul(c.result, over));
  return m.mul(t, m.select(away, slope, m.number(x, 0.5)));
}

// --- two operands

Value* add_term(const TermContext&, int, Value* t, Emitter&) {
  return t;
}

Value* sub_term(const TermContext&, int operand, Value* t, Emitter& e) {
  return operand == 0 ? t : Math(e).neg(t);
}

Value* mul_term(const TermContext& c, int operand, Value* t, Emitter& e) {
  return Math(e).mul(t, c.operands[static_cast<size_t>(1 - operand)]);
}

Value* div_term(const TermContext& c, int operand, Value* t, Emitter& e) {
  Math m(e);
  if (operand == 0) return m.div(t, c.operands[1]);
  return m.mul(t, m.neg(m.div(c.result, c.operands[1])));
}

// Of atan2(y, x): (x dy - y dx) / (x^2 + y^2).
Value* atan2_term(const TermContext& c, int operand, Value* t, Emitter& e) {
  Math m(e);
  Value *y = c.operands[0], *x = c.operands[1];
  Value* square = m.add(m.mul(x, x), m.mul(y, y));
  return m.mul(t, m.div(operand == 0 ? x : m.neg(y), square));
}

// x - y * trunc(x / y), and trunc is constant between its steps.
Value* rem_term(const TermContext& c, int operand, Value* t, Emitter& e) {
  if (operand == 0) return t;
  Math m(e);
  Value* quotient = m.div(c.operands[0], c.operands[1]);
  Value* whole = m.mul(m.apply("sign", quotient), m.apply("floor", m.apply("abs", quotient)));
  return m.mul(t, m.neg(whole));
}

// 1 for the operand that is the result, 1/2 if both are.
Value* extreme_term(const TermContext& c, int operand, Value* t, Emitter& e) {
  Math m(e);
  Value *mine = c.operands[static_cast<size_t>(operand)],
        *other = c.operands[static_cast<size_t>(1 - operand)];
  Value* share = m.select(m.equal(other, c.result), m.number(t, 0.5), m.number(t, 1));
  return m.mul(t, m.select(m.equal(mine, c.result), share, m.number(t, 0)));
}

// The two places where the plain formula would give NaN: x^0 is constant in x, and 0^y is (almost) in y. In x
// it is y x^(y-1), which depends on y where y is 0 too, so nothing is cut there, unless x^-1 is not finite:
// then x counts as 1, and neither it nor y is seen by further derivatives.
Value* pow_term(const TermContext& c, int operand, Value* t, Emitter& e) {
  Math m(e);
  Value *x = c.operands[0], *y = c.operands[1];
  if (operand == 1) return m.mul(t, m.mul(m.apply("log", m.nonzero(x)), c.result));
  Value* inverse = m.apply("abs", m.div(m.number(x, 1), x));
  Value* finite = e.make("compare", {inverse, m.number(inverse, std::numeric_limits<double>::infinity())},
                         {{"direction", std::string("lt")}});
  Value* constant = m.equal(y, m.number(y, 0));
  Value* base = m.select(constant, m.select(finite, x, m.number(x, 1)), x);
  Value* exponent = m.select(constant, m.select(finite, y, m.number(y, 0)), y);
  return m.mul(t, m.mul(exponent, e.make("pow", {base, m.sub(exponent, m.number(y, 1))})));
}

// --- transposes

void neg_transpose(const Op&, Value* ct, Transposition& t) {
  t.add(0, Math(t).neg(ct));
}

void add_transpose(const Op&, Value* ct, Transposition& t) {
  t.add(0, ct);
  t.add(1, ct);
}

void sub_transpose(const Op&, Value* ct, Transposition& t) {
  t.add(0, ct);
  if (t.is_linear(1)) t.add(1, Math(t).neg(ct));
}

void mul_transpose(const Op&, Value* ct, Transposition& t) {
  const int linear = t.is_linear(0) ? 0 : 1;
  t.add(linear, Math(t).mul(ct, t.known(1 - linear)));
}

void div_transpose(const Op&, Value* ct, Transposition& t) {
  t.add(0, Math(t).div(ct, t.known(1)));
}

void select_transpose(const Op&, Value* ct, Transposition& t) {
  Math m(t);
  Value* zero = m.number(ct, 0);
  if (t.is_linear(1)) t.add(1, m.select(t.known(0), ct, zero));
  if (t.is_linear(2)) t.add(2, m.select(t.known(0), zero, ct));
}

// A pairing of cotangent and tangent is the real part of their product, without a conjugate, as in JAX.
void complex_transpose(const Op&, Value* ct, Transposition& t) {
  Math m(t);
  if (t.is_linear(0)) t.add(0, m.apply("real", ct));
  if (t.is_linear(1)) t.add(1, m.neg(m.apply("imag", ct)));
}

void real_transpose(const Op&, Value* ct, Transposition& t) {
  t.add(0, t.make("complex", {ct, Math(t).number(ct, 0)}));
}

void imag_transpose(const Op&, Value* ct, Transposition& t) {
  Math m(t);
  t.add(0, t.make("complex", {m.number(ct, 0), m.neg(ct)}));
}

void conj_transpose(const Op&, Value* ct, Transposition& t) {
  t.add(0, Math(t).apply("conj", ct));
}

void convert_transpose(const Op& op, Value* ct, Transposition& t) {
  if (is_complex(ct->dtype()) && !is_complex(op.operand(0)->dtype())) ct = Math(t).apply("real", ct);
  if (ct->dtype() == op.operand(0)->dtype()) return t.add(0, ct);
  t.add(0, t.make("convert", {ct}, {{"dtype", op.operand(0)->dtype()}}));
}

}  // namespace ingot::ops
