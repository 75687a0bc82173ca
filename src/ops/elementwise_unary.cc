// Element-wise operations on one array.
#include <limits>

#include "ops/derivatives.h"
#include "ops/elementwise.h"
#include "ops/identities.h"
#include "ops/kinds.h"
#include "ops/recipes.h"
#include "ops/reference.h"
#include "ops/registry.h"

namespace ingot::ops {
namespace {

using ir::ScalarRecipe;

Scalar emit_abs(ScalarBuilder& b, const ScalarContext&, Scalars x) {
  return is_signed(x[0].dtype) ? b.abs(x[0]) : x[0];
}

Scalar emit_sign(ScalarBuilder& b, const ScalarContext&, Scalars x) {
  const DType dtype = x[0].dtype;
  if (is_float(dtype)) {
    // Zeros and NaN are not above zero in magnitude, and are their own sign.
    Scalar nonzero = b.compare(Comparison::kGt, b.abs(x[0]), b.constant(dtype, 0));
    return b.select(nonzero, b.copy_sign(b.constant(dtype, 1), x[0]), x[0]);
  }
  Scalar zero = b.integer(dtype, 0), one = b.integer(dtype, 1);
  Scalar not_above =
      is_signed(dtype) ? b.select(b.compare(Comparison::kLt, x[0], zero), b.integer(dtype, -1), zero) : zero;
  return b.select(b.compare(Comparison::kGt, x[0], zero), one, not_above);
}

struct Neg {
  template <class T>
  T operator()(T x) const {
    if constexpr (is_inexact(dtype_of<T>()))
      return -x;
    else
      return static_cast<T>(0 - bits(x));
  }
};

struct Abs {
  template <class T>
  T operator()(T x) const {
    if constexpr (std::is_floating_point_v<T>)
      return std::fabs(x);
    else
      return x < T(0) ? Neg()(x) : x;
  }
};

struct Sign {
  template <class T>
  std::complex<T> operator()(std::complex<T> x) const {
    return x == std::complex<T>() ? x
                                  : static_cast<std::complex<T>>(std::complex<long double>(x) /
                                                                 std::abs(std::complex<long double>(x)));
  }
  template <class T>
  T operator()(T x) const {
    if (x > T(0)) return T(1);
    if (x < T(0)) return static_cast<T>(-1);
    return x;
  }
};

struct Not {
  template <class T>
  T operator()(T x) const {
    if constexpr (std::is_same_v<T, bool>)
      return !x;
    else
      return static_cast<T>(~x);
  }
};

struct Sqrt {
  template <class T>
  T operator()(T x) const {
    if constexpr (is_complex(dtype_of<T>()))
      return static_cast<T>(std::sqrt(static_cast<Wide<T>>(x)));
    else
      return std::sqrt(x);
  }
};

struct RoundEven {
  template <class T>
  T operator()(T x) const {
    const T below = std::floor(x), rest = x - below;
    const bool up = rest > T(0.5) || (rest == T(0.5) && std::fmod(below, T(2)) != 0);
    return std::copysign(up ? below + 1 : below, x);
  }
};

// Of complex numbers by their formulas: a real part that is infinite has no sine, whatever the imaginary one
// is. A factor of zero stays zero beside an infinite one.
template <class T>
T sine(T x) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::sin(x);
  } else {
    const auto re = x.real() == 0 ? x.real() : std::sin(x.real()) * std::cosh(x.imag());
    return {re, std::cos(x.real()) * std::sinh(x.imag())};
  }
}

template <class T>
T cosine(T x) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::cos(x);
  } else {
    const bool flip = std::signbit(x.imag());
    const auto im = x.real() == 0 ? (flip ? -x.real() : x.real()) : std::sin(x.real()) * std::sinh(x.imag());
    return {std::cos(x.real()) * std::cosh(x.imag()), -im};
  }
}

// Without a finite imaginary part there is none, but where the real one is infinite.
template <class T>
T hyperbolic_tangent(T x) {
  if constexpr (!std::is_floating_point_v<T>) {
    constexpr auto kNan = std::numeric_limits<typename T::value_type>::quiet_NaN();
    if (!std::isfinite(x.imag()) && !std::isinf(x.real())) return {kNan, kNan};
  }
  return std::tanh(x);
}

template <auto kFn>
constexpr ir::ReferenceFn rounded = unary_reference<kFloats, Rounded<kFn>{}>;
template <auto kFn>
constexpr ir::ReferenceFn rounded_inexact = unary_reference<kInexact, Rounded<kFn>{}>;

// Complex numbers have real magnitudes.
Types infer_abs(const InferContext& context) {
  want_dtype(context.operands[0], kFields);
  return {{real_dtype(context.operands[0].dtype), context.operands[0].shape}};
}

Tensors abs_reference(const Op& op, std::span<const Tensor> x, Evaluator& evaluator) {
  if (!is_complex(x[0].dtype())) return unary_reference<kNumbers, Abs{}>(op, x, evaluator);
  Tensor result(real_dtype(x[0].dtype()), x[0].shape());
  for (int64_t i = 0; i < result.size(); ++i) {
    const std::complex<double> z = x[0].get_complex(i);
    result.set_double(i, static_cast<double>(std::hypot(static_cast<long double>(z.real()),
                                                        static_cast<long double>(z.imag()))));
  }
  return {result};
}

constinit const OpRecord neg{
    .name = "neg",
    .doc = "-x. Integers wrap around.",
    .operands = kUnary,
    .regions = 0,
    .attributes = ir::kNoAttributes,
    .infer = infer_unary<kFields>,
    .batch = batch_elementwise,
    .becomes = ScalarRecipe{.emit = emit_unary<&ScalarBuilder::neg>, .cost = 1, .identity = nullptr},
    .reference = unary_reference<kFields, Neg{}>,
    .identities = involution_identities,
    .jvp = ir::Terms{neg_term},
    .transpose = neg_transpose,
    .stablehlo = "stablehlo.negate",
};

constinit const OpRecord abs{
    .name = "abs",
    .doc =
        "The magnitude of x. The least signed integer is its own magnitude. That of complex numbers is real.",
    .operands = kUnary,
    .regions = 0,
    .attributes = ir::kNoAttributes,
    .infer = infer_abs,
    .batch = batch_elementwise,
    .becomes = ScalarRecipe{.emit = emit_abs, .cost = 1, .identity = nullptr},
    .reference = abs_reference,
    .identities = projection_identities,
    .jvp = ir::Terms{abs_term},
    .transpose = ir::NotLinear{},
    .stablehlo = "stablehlo.abs",
};

constinit const OpRecord sign{
    .name = "sign",
    .doc =
        "-1, 0 or 1; for floats a zero keeps its sign, and NaN stays NaN. For complex numbers x / abs(x), or "
        "0.",
    .operands = kUnary,
    .regions = 0,
    .attributes = ir::kNoAttributes,
    .infer = infer_unary<kFields>,
    .batch = batch_elementwise,
    .becomes = ScalarRecipe{.emit = emit_sign, .cost = 4, .identity = nullptr},
    .reference = unary_reference<kFields, Sign{}>,
    .identities = projection_identities,
    .jvp = ir::LocallyConstant{},
    .transpose = ir::NotLinear{},
    .stablehlo = "stablehlo.sign",
};

constinit const OpRecord not_{
    .name = "not",
    .doc = "Every bit of x inverted; for a pred its opposite.",
    .operands = kUnary,
    .regions = 0,
    .attributes = ir::kNoAttributes,
    .infer = infer_unary<kBits>,
    .batch = batch_elementwise,
    .becomes = ScalarRecipe{.emit = emit_unary<&ScalarBuilder::bit_not>, .cost = 1, .identity = nullptr},
    .reference = unary_reference<kBits, Not{}>,
    .identities = involution_identities,
    .jvp = kDiscrete,
    .transpose = ir::NotLinear{},
    .stablehlo = "stablehlo.not",
};

constinit const OpRecord floor{
    .name = "floor",
    .doc = "The largest whole number that is not above x.",
    .operands = kUnary,
    .regions = 0,
    .attributes = ir::kNoAttributes,
    .infer = infer_unary<kFloats>,
    .batch = batch_elementwise,
    .becomes = ScalarRecipe{.emit = emit_unary<&ScalarBuilder::floor>, .cost = 1, .identity = nullptr},
    .reference = unary_reference<kFloats, [](auto x) { return std::floor(x); }>,
    .identities = projection_identities,
    .jvp = ir::LocallyConstant{},
    .transpose = ir::NotLinear{},
    .stablehlo = "stablehlo.floor",
};

constinit const OpRecord ceil{
    .name = "ceil",
    .doc = "The smallest whole number that is not below x.",
    .operands = kUnary,
    .regions = 0,
    .attributes = ir::kNoAttributes,
    .infer = infer_unary<kFloats>,
    .batch = batch_elementwise,
    .becomes = ScalarRecipe{.emit = emit_unary<&ScalarBuilder::ceil>, .cost = 1, .identity = nullptr},
    .reference = unary_reference<kFloats, [](auto x) { return std::ceil(x); }>,
    .identities = projection_identities,
    .jvp = ir::LocallyConstant{},
    .transpose = ir::NotLinear{},
    .stablehlo = "stablehlo.ceil",
};

constinit const OpRecord round_even{
    .name = "round_even",
    .doc = "The nearest whole number, the even one of two that are equally near.",
    .operands = kUnary,
    .regions = 0,
    .attributes = ir::kNoAttributes,
    .infer = infer_unary<kFloats>,
    .batch = batch_elementwise,
    .becomes = ScalarRecipe{.emit = emit_unary<&ScalarBuilder::round_even>, .cost = 1, .identity = nullptr},
    .reference = unary_reference<kFloats, RoundEven{}>,
    .identities = projection_identities,
    .jvp = ir::LocallyConstant{},
    .transpose = ir::NotLinear{},
    .stablehlo = "stablehlo.round_nearest_even",
};

constinit const OpRecord sqrt{
    .name = "sqrt",
    .doc =
        "The square root, correctly rounded; NaN below zero. Of complex numbers the one with a positive real "
        "part.",
    .operands = kUnary,
    .regions = 0,
    .attributes = ir::kNoAttributes,
    .infer = infer_unary<kInexact>,
    .batch = batch_elementwise,
    .becomes = ScalarRecipe{.emit = emit_unary<&ScalarBuilder::sqrt>, .cost = 6, .identity = nullptr},
    .reference = unary_reference<kInexact, Sqrt{}>,
    .identities = nullptr,
    .jvp = ir::Terms{sqrt_term},
    .transpose = ir::NotLinear{},
    .stablehlo = "stablehlo.sqrt",
};

constinit const OpRecord rsqrt{
    .name = "rsqrt",
    .doc = "1 / sqrt(x).",
    .operands = kUnary,
    .regions = 0,
    .attributes = ir::kNoAttributes,
    .infer = infer_unary<kInexact>,
    .batch = batch_elementwise,
    .becomes = ScalarRecipe{.emit = emit_recipe<rsqrt_recipe>, .cost = 10, .identity = nullptr},
    .reference = rounded_inexact<[](auto x) { return decltype(x)(1) / std::sqrt(x); }>,
    .identities = nullptr,
    .jvp = ir::Terms{rsqrt_term},
    .transpose = ir::NotLinear{},
    .stablehlo = "stablehlo.rsqrt",
};

constinit const OpRecord exp{
    .name = "exp",
    .doc = "e to the power of x. Results below the smallest normal number are zero.",
    .operands = kUnary,
    .regions = 0,
    .attributes = ir::kNoAttributes,
    .infer = infer_unary<kInexact>,
    .batch = batch_elementwise,
    .becomes = ScalarRecipe{.emit = emit_recipe<exp_recipe>, .cost = 18, .identity = nullptr},
    .reference = rounded_inexact<[](auto x) { return std::exp(x); }>,
    .identities = nullptr,
    .jvp = ir::Terms{exp_term},
    .transpose = ir::NotLinear{},
    .stablehlo = "stablehlo.exponential",
};

constinit const OpRecord log{
    .name = "log",
    .doc = "The natural logarithm; -inf at zero, NaN below.",
    .operands = kUnary,
    .regions = 0,
    .attributes = ir::kNoAttributes,
    .infer = infer_unary<kInexact>,
    .batch = batch_elementwise,
    .becomes = ScalarRecipe{.emit = emit_recipe<log_recipe>, .cost = 28, .identity = nullptr},
    .reference = rounded_inexact<[](auto x) { return std::log(x); }>,
    .identities = nullptr,
    .jvp = ir::Terms{log_term},
    .transpose = ir::NotLinear{},
    .stablehlo = "stablehlo.log",
};

constinit const OpRecord sin{
    .name = "sin",
    .doc = "The sine of x in radians.",
    .operands = kUnary,
    .regions = 0,
    .attributes = ir::kNoAttributes,
    .infer = infer_unary<kInexact>,
    .batch = batch_elementwise,
    .becomes = ScalarRecipe{.emit = emit_recipe<sin_recipe>, .cost = 22, .identity = nullptr},
    .reference = rounded_inexact<[](auto x) { return sine(x); }>,
    .identities = nullptr,
    .jvp = ir::Terms{sin_term},
    .transpose = ir::NotLinear{},
    .stablehlo = "stablehlo.sine",
};

constinit const OpRecord cos{
    .name = "cos",
    .doc = "The cosine of x in radians.",
    .operands = kUnary,
    .regions = 0,
    .attributes = ir::kNoAttributes,
    .infer = infer_unary<kInexact>,
    .batch = batch_elementwise,
    .becomes = ScalarRecipe{.emit = emit_recipe<cos_recipe>, .cost = 22, .identity = nullptr},
    .reference = rounded_inexact<[](auto x) { return cosine(x); }>,
    .identities = nullptr,
    .jvp = ir::Terms{cos_term},
    .transpose = ir::NotLinear{},
    .stablehlo = "stablehlo.cosine",
};

constinit const OpRecord tanh{
    .name = "tanh",
    .doc = "The hyperbolic tangent.",
    .operands = kUnary,
    .regions = 0,
    .attributes = ir::kNoAttributes,
    .infer = infer_unary<kInexact>,
    .batch = batch_elementwise,
    .becomes = ScalarRecipe{.emit = emit_recipe<tanh_recipe>, .cost = 31, .identity = nullptr},
    .reference = rounded_inexact<[](auto x) { return hyperbolic_tangent(x); }>,
    .identities = nullptr,
    .jvp = ir::Terms{tanh_term},
    .transpose = ir::NotLinear{},
    .stablehlo = "stablehlo.tanh",
};

constinit const OpRecord logistic{
    .name = "logistic",
    .doc = "1 / (1 + exp(-x)). Results below the smallest normal number are zero.",
    .operands = kUnary,
    .regions = 0,
    .attributes = ir::kNoAttributes,
    .infer = infer_unary<kInexact>,
    .batch = batch_elementwise,
    .becomes = ScalarRecipe{.emit = emit_recipe<logistic_recipe>, .cost = 30, .identity = nullptr},
    .reference = rounded_inexact<[](auto x) { return decltype(x)(1) / (decltype(x)(1) + std::exp(-x)); }>,
    .identities = nullptr,
    .jvp = ir::Terms{logistic_term},
    .transpose = ir::NotLinear{},
    .stablehlo = "stablehlo.logistic",
};

// Both parts by what does not cancel near zero.
template <class T>
T exp_minus_one(T x) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::expm1(x);
  } else {
    if (std::isinf(x.real())) return std::exp(x) - T(1);
    const auto half = std::sin(x.imag() / 2);
    const auto im = x.imag() == 0 ? x.imag() : std::exp(x.real()) * std::sin(x.imag());
    return {std::expm1(x.real()) * std::cos(x.imag()) - 2 * half * half, im};
  }
}

template <class T>
T log_plus_one(T x) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::log1p(x);
  } else {
    const T sum(x.real() + 1, x.imag());  // keeps the sign of an imaginary zero
    if (!(std::abs(x) < 0.5)) return std::log(sum);
    return {std::log1p(x.real() * (2 + x.real()) + x.imag() * x.imag()) / 2, std::arg(sum)};
  }
}

constinit const OpRecord expm1{
    .name = "expm1",
    .doc = "exp(x) - 1, accurate near zero.",
    .operands = kUnary,
    .regions = 0,
    .attributes = ir::kNoAttributes,
    .infer = infer_unary<kInexact>,
    .batch = batch_elementwise,
    .becomes = ScalarRecipe{.emit = emit_recipe<expm1_recipe>, .cost = 24, .identity = nullptr},
    .reference = rounded_inexact<[](auto x) { return exp_minus_one(x); }>,
    .identities = nullptr,
    .jvp = ir::Terms{expm1_term},
    .transpose = ir::NotLinear{},
    .stablehlo = "stablehlo.exponential_minus_one",
};

constinit const OpRecord log1p{
    .name = "log1p",
    .doc = "log(1 + x), accurate near zero; -inf at -1, NaN below.",
    .operands = kUnary,
    .regions = 0,
    .attributes = ir::kNoAttributes,
    .infer = infer_unary<kInexact>,
    .batch = batch_elementwise,
    .becomes = ScalarRecipe{.emit = emit_recipe<log1p_recipe>, .cost = 38, .identity = nullptr},
    .reference = rounded_inexact<[](auto x) { return log_plus_one(x); }>,
    .identities = nullptr,
    .jvp = ir::Terms{log1p_term},
    .transpose = ir::NotLinear{},
    .stablehlo = "stablehlo.log_plus_one",
};

constinit const OpRecord erf{
    .name = "erf",
    .doc = "The error function.",
    .operands = kUnary,
    .regions = 0,
    .attributes = ir::kNoAttributes,
    .infer = infer_unary<kFloats>,
    .batch = batch_elementwise,
    .becomes = ScalarRecipe{.emit = emit_recipe<erf_recipe>, .cost = 34, .identity = nullptr},
    .reference = rounded<[](auto x) { return std::erf(x); }>,
    .identities = nullptr,
    .jvp = ir::Terms{erf_term},
    .transpose = ir::NotLinear{},
    .stablehlo = "chlo.erf",
};

Scalar emit_itself(ScalarBuilder&, const ScalarContext&, Scalars x) {
  return x[0];
}

constinit const OpRecord stop_gradient{
    .name = "stop_gradient",
    .doc = "x itself, but a constant for derivatives.",
    .operands = kUnary,
    .regions = 0,
    .attributes = ir::kNoAttributes,
    .infer = infer_unary<kAnything>,
    .batch = batch_elementwise,
    .becomes = ScalarRecipe{.emit = emit_itself, .cost = 0, .identity = nullptr},
    .reference = [](const Op&, std::span<const Tensor> x, Evaluator&) { return Tensors{x[0]}; },
    .identities = nullptr,  // "forget_derivatives" removes it, once nothing can be differentiated any more
    .jvp = ir::LocallyConstant{},
    .transpose = ir::NotLinear{},
    .stablehlo = "",
};

Types infer_checkpoint_name(const InferContext& context) {
  context.attributes.get<std::string>("name");
  return infer_unary<kAnything>(context);
}

// The tangent has no name: only values of the function itself are saved by it.
Value* checkpoint_name_term(const ir::TermContext&, int, Value* tangent, ir::Emitter&) {
  return tangent;
}

constinit const OpRecord checkpoint_name{
    .name = "checkpoint_name",
    .doc = "x itself; the attribute `name` tells the policies of checkpoints which value it is.",
    .operands = kUnary,
    .regions = 0,
    .attributes = AttributeList{attribute::text("name")},
    .infer = infer_checkpoint_name,
    .batch = batch_elementwise,
    .becomes = ScalarRecipe{.emit = emit_itself, .cost = 0, .identity = nullptr},
    .reference = [](const Op&, std::span<const Tensor> x, Evaluator&) { return Tensors{x[0]}; },
    .identities = nullptr,  // "forget_derivatives" removes it, as it does stop_gradient
    .jvp = ir::Terms{checkpoint_name_term},
    .transpose = ir::NotLinear{},
    .stablehlo = "",
};

constexpr const OpRecord* kUnaryRecords[] = {&stop_gradient, &checkpoint_name,
                                             &neg,           &abs,
                                             &sign,          &not_,
                                             &floor,         &ceil,
                                             &round_even,    &sqrt,
                                             &rsqrt,         &exp,
                                             &log,           &sin,
                                             &cos,           &tanh,
                                             &logistic,      &expm1,
                                             &log1p,         &erf};

}  // namespace

Records unary_records() {
  return kUnaryRecords;
}

const OpRecord& StopGradientOp::record() {
  return stop_gradient;
}
const OpRecord& CheckpointNameOp::record() {
  return checkpoint_name;
}
const OpRecord& NotOp::record() {
  return not_;
}
const OpRecord& ExpOp::record() {
  return exp;
}
const OpRecord& AbsOp::record() {
  return abs;
}

}  // namespace ingot::ops
