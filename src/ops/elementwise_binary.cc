// Element-wise operations on two arrays of one type.
#include <limits>

#include "base/visit_dtype.h"
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

// --- reference

struct Add {
  template <class T>
  T operator()(T x, T y) const {
    if constexpr (!std::is_integral_v<T>)
      return x + y;
    else
      return static_cast<T>(bits(x) + bits(y));
  }
};

struct Sub {
  template <class T>
  T operator()(T x, T y) const {
    if constexpr (!std::is_integral_v<T>)
      return x - y;
    else
      return static_cast<T>(bits(x) - bits(y));
  }
};

struct Mul {
  template <class T>
  T operator()(T x, T y) const {
    if constexpr (!std::is_integral_v<T>)
      return multiply(x, y);
    else
      return static_cast<T>(bits(x) * bits(y));
  }
};

struct Div {
  template <class T>
  T operator()(T x, T y) const {
    if constexpr (!std::is_integral_v<T>) {
      return x / y;
    } else {
      if (y == 0) return static_cast<T>(-1);
      if (std::is_signed_v<T> && y == static_cast<T>(-1)) return static_cast<T>(0 - bits(x));
      return static_cast<T>(x / y);
    }
  }
};

struct Rem {
  template <class T>
  T operator()(T x, T y) const {
    if constexpr (std::is_floating_point_v<T>) {
      return std::fmod(x, y);
    } else {
      if (y == 0) return x;
      if (std::is_signed_v<T> && y == static_cast<T>(-1)) return 0;
      return static_cast<T>(x % y);
    }
  }
};

// To the right, of so many bits as an element has.
template <bool kArithmetic>
Tensors shift_right_reference(const Op&, std::span<const Tensor> operands, Evaluator&) {
  const Tensor& x = operands[0];
  Tensor result(x.dtype(), x.shape());
  const int spare = 64 - bit_width(x.dtype());
  for (int64_t i = 0; i < x.size(); ++i) {
    const auto top = static_cast<uint64_t>(x.get_int(i)) << spare;  // the element's bits, above all others
    const uint64_t n = static_cast<uint64_t>(operands[1].get_int(i)) << spare >> spare;
    const uint64_t by = n + static_cast<uint64_t>(spare);
    if (kArithmetic)
      result.set_int(i, static_cast<int64_t>(top) >> (n > 63 || by > 63 ? 63 : by));
    else
      result.set_int(i, static_cast<int64_t>(n > 63 || by > 63 ? 0 : top >> by));
  }
  return {result};
}

struct ShiftLeft {
  template <class T>
  T operator()(T x, T amount) const {
    const uint64_t n = static_cast<std::make_unsigned_t<T>>(amount);
    return n >= sizeof(T) * 8 ? T(0) : static_cast<T>(bits(x) << n);
  }
};

// A power of zero or of an infinity, or an infinite power, as IEEE 754 has them: the libraries do not all
// give them in long double (powl(-inf, -2^63) is inf in glibc).
template <class T>
T special_power(T x, T y) {
  constexpr T kInf = std::numeric_limits<T>::infinity();
  if (std::isnan(x) || std::isnan(y) || y == 0) return std::pow(x, y);
  const T size = std::fabs(x);
  if (std::isinf(y) && size == 1) return 1;
  const T power = (size > 1) == (y > 0) ? kInf : T(0);
  const bool odd = std::isfinite(y) && std::fabs(std::fmod(y, T(2))) == 1;
  return odd && std::signbit(x) ? -power : power;
}

// A complex number's zeroth power is 1, as is any of 1; of zero there are those with a positive real part.
constexpr auto power = []<class T>(T x, T y) {
  if constexpr (!std::is_floating_point_v<T>) {
    if (y == T() || x == T(1)) return T(1);
    if (x == T()) {
      const typename T::value_type zero = 0, nan = std::numeric_limits<typename T::value_type>::quiet_NaN();
      return y.real() > 0 ? T(zero) : T(nan, nan);
    }
    return std::exp(multiply(y, std::log(x)));
  } else {
    return x == 0 || std::isinf(x) || std::isinf(y) ? special_power(x, y) : std::pow(x, y);
  }
};

// Products and quotients of complex numbers in wider arithmetic, as several operations would round several
// times.
template <class Real>
struct InComplex {
  template <class T>
  T operator()(T x, T y) const {
    if constexpr (is_complex(dtype_of<T>()))
      return static_cast<T>(Real()(static_cast<Wide<T>>(x), static_cast<Wide<T>>(y)));
    else
      return Real()(x, y);
  }
};
// --- recipes

int64_t width_of(DType dtype) {
  return static_cast<int64_t>(byte_size(dtype)) * 8;
}

// A divisor that the machine's division takes: 1 in place of 0, and in place of -1 under the least integer.
struct SafeDivision {
  Scalar by_zero;
  Scalar divisor;
};

SafeDivision make_safe(ScalarBuilder& b, Scalar x, Scalar y) {
  const DType dtype = x.dtype;
  Scalar by_zero = b.compare(Comparison::kEq, y, b.integer(dtype, 0));
  Scalar bad = by_zero;
  if (is_signed(dtype)) {
    const int64_t least = std::numeric_limits<int64_t>::min() >> (64 - width_of(dtype));
    Scalar overflow = b.bit_and(b.compare(Comparison::kEq, x, b.integer(dtype, least)),
                                b.compare(Comparison::kEq, y, b.integer(dtype, -1)));
    bad = b.bit_or(bad, overflow);
  }
  return {by_zero, b.select(bad, b.integer(dtype, 1), y)};
}

Scalar emit_div(ScalarBuilder& b, const ScalarContext&, Scalars x) {
  if (is_float(x[0].dtype)) return b.div(x[0], x[1]);
  SafeDivision safe = make_safe(b, x[0], x[1]);
  return b.select(safe.by_zero, b.integer(x[0].dtype, -1), b.div(x[0], safe.divisor));
}

Scalar emit_rem(ScalarBuilder& b, const ScalarContext&, Scalars x) {
  if (is_float(x[0].dtype)) return b.rem(x[0], x[1]);
  SafeDivision safe = make_safe(b, x[0], x[1]);
  return b.select(safe.by_zero, x[0], b.rem(x[0], safe.divisor));
}

template <Scalar (ScalarBuilder::*kShift)(Scalar, Scalar)>
Scalar emit_shift(ScalarBuilder& b, const ScalarContext&, Scalars x) {
  const DType dtype = x[0].dtype, as_unsigned = unsigned_of(dtype);
  const int64_t width = width_of(dtype);
  Scalar in_range = b.compare(Comparison::kLt, b.bitcast(x[1], as_unsigned), b.integer(as_unsigned, width));
  Scalar amount = b.bit_and(x[1], b.integer(dtype, width - 1));
  return b.select(in_range, (b.*kShift)(x[0], amount), b.integer(dtype, 0));
}

Scalar emit_shift_arithmetic(ScalarBuilder& b, const ScalarContext&, Scalars x) {
  const DType dtype = x[0].dtype, as_unsigned = unsigned_of(dtype);
  Scalar amount = b.min(b.bitcast(x[1], as_unsigned), b.integer(as_unsigned, width_of(dtype) - 1));
  return b.shift_right_arithmetic(x[0], b.bitcast(amount, dtype));
}

// --- neutral elements

Tensor zero(DType dtype) {
  return Tensor(dtype, {});
}

Tensor one(DType dtype) {
  Tensor value(dtype, {});
  value.set_int(0, 1);
  return value;
}

Tensor all_bits(DType dtype) {
  Tensor value(dtype, {});
  value.set_int(0, dtype == DType::kPred ? 1 : -1);
  return value;
}

template <bool kMaximum>
Tensor farthest(DType dtype) {
  Tensor value(dtype, {});
  visit_dtype(dtype, [&]<class T>(std::type_identity<T>) {
    using Limits = std::numeric_limits<T>;
    if constexpr (Limits::has_infinity)
      *value.data<T>() = static_cast<T>(kMaximum ? -Limits::infinity() : Limits::infinity());
    else
      *value.data<T>() = kMaximum ? Limits::lowest() : Limits::max();
  });
  return value;
}

// --- records

constinit const OpRecord add{
    .name = "add",
    .doc = "x + y. Integers wrap around.",
    .operands = kBinary,
    .regions = 0,
    .attributes = ir::kNoAttributes,
    .infer = infer_binary<kFields>,
    .batch = batch_elementwise,
    .becomes = ScalarRecipe{.emit = emit_binary<&ScalarBuilder::add>, .cost = 1, .identity = zero},
    .reference = binary_reference<kFields, Add{}>,
    .identities = add_identities,
    .jvp = ir::Terms{add_term},
    .transpose = add_transpose,
    .stablehlo = "stablehlo.add",
};

constinit const OpRecord sub{
    .name = "sub",
    .doc = "x - y. Integers wrap around.",
    .operands = kBinary,
    .regions = 0,
    .attributes = ir::kNoAttributes,
    .infer = infer_binary<kFields>,
    .batch = batch_elementwise,
    .becomes = ScalarRecipe{.emit = emit_binary<&ScalarBuilder::sub>, .cost = 1, .identity = nullptr},
    .reference = binary_reference<kFields, Sub{}>,
    .identities = sub_identities,
    .jvp = ir::Terms{sub_term},
    .transpose = sub_transpose,
    .stablehlo = "stablehlo.subtract",
};

constinit const OpRecord mul{
    .name = "mul",
    .doc =
        "x * y. Integers wrap around. Complex numbers by the formula, so that an infinity times one with a "
        "part "
        "that is zero or infinite is NaN, as in JAX.",
    .operands = kBinary,
    .regions = 0,
    .attributes = ir::kNoAttributes,
    .infer = infer_binary<kFields>,
    .batch = batch_elementwise,
    .becomes = ScalarRecipe{.emit = emit_binary<&ScalarBuilder::mul>, .cost = 1, .identity = one},
    .reference = binary_reference<kFields, InComplex<Mul>{}>,
    .identities = mul_identities,
    .jvp = ir::Terms{mul_term},
    .transpose = mul_transpose,
    .stablehlo = "stablehlo.multiply",
};

constinit const OpRecord div{
    .name = "div",
    .doc =
        "x / y. Integers truncate; by zero all bits are set, and the least integer / -1 is itself. Complex "
        "quotients by zero, and of or by infinities, are those of C99 (annex G), as in JAX.",
    .operands = kBinary,
    .regions = 0,
    .attributes = ir::kNoAttributes,
    .infer = infer_binary<kFields>,
    .batch = batch_elementwise,
    .becomes = ScalarRecipe{.emit = emit_div, .cost = 6, .identity = nullptr},
    .reference = binary_reference<kFields, InComplex<Div>{}>,
    .identities = div_identities,
    .jvp = ir::Terms{div_term},
    .transpose = div_transpose,
    .stablehlo = "stablehlo.divide",
};

constinit const OpRecord rem{
    .name = "rem",
    .doc = "The rest of the truncating division, with the sign of x. Integers: x where y is zero.",
    .operands = kBinary,
    .regions = 0,
    .attributes = ir::kNoAttributes,
    .infer = infer_binary<kNumbers>,
    .batch = batch_elementwise,
    .becomes = ScalarRecipe{.emit = emit_rem, .cost = 20, .identity = nullptr},
    .reference = binary_reference<kNumbers, Rem{}>,
    .identities = nullptr,
    .jvp = ir::Terms{rem_term},
    .transpose = ir::NotLinear{},
    .stablehlo = "stablehlo.remainder",
};

constinit const OpRecord max{
    .name = "max",
    .doc = "The larger one; NaN if either is NaN; +0 is above -0.",
    .operands = kBinary,
    .regions = 0,
    .attributes = ir::kNoAttributes,
    .infer = infer_binary<kNumbers>,
    .batch = batch_elementwise,
    .becomes = ScalarRecipe{.emit = emit_binary<&ScalarBuilder::max>, .cost = 3, .identity = farthest<true>},
    .reference = binary_reference<kNumbers, Extreme<true>{}>,
    .identities = extreme_identities,
    .jvp = ir::Terms{extreme_term},
    .transpose = ir::NotLinear{},
    .stablehlo = "stablehlo.maximum",
};

constinit const OpRecord min{
    .name = "min",
    .doc = "The smaller one; NaN if either is NaN; -0 is below +0.",
    .operands = kBinary,
    .regions = 0,
    .attributes = ir::kNoAttributes,
    .infer = infer_binary<kNumbers>,
    .batch = batch_elementwise,
    .becomes = ScalarRecipe{.emit = emit_binary<&ScalarBuilder::min>, .cost = 3, .identity = farthest<false>},
    .reference = binary_reference<kNumbers, Extreme<false>{}>,
    .identities = extreme_identities,
    .jvp = ir::Terms{extreme_term},
    .transpose = ir::NotLinear{},
    .stablehlo = "stablehlo.minimum",
};

constinit const OpRecord and_{
    .name = "and",
    .doc = "The bits that are set in x and in y; for preds the logical and.",
    .operands = kBinary,
    .regions = 0,
    .attributes = ir::kNoAttributes,
    .infer = infer_binary<kBits>,
    .batch = batch_elementwise,
    .becomes = ScalarRecipe{.emit = emit_binary<&ScalarBuilder::bit_and>, .cost = 1, .identity = all_bits},
    .reference = binary_reference<kBits, [](auto x, auto y) { return x & y; }>,
    .identities = and_identities,
    .jvp = kDiscrete,
    .transpose = ir::NotLinear{},
    .stablehlo = "stablehlo.and",
};

constinit const OpRecord or_{
    .name = "or",
    .doc = "The bits that are set in x or in y; for preds the logical or.",
    .operands = kBinary,
    .regions = 0,
    .attributes = ir::kNoAttributes,
    .infer = infer_binary<kBits>,
    .batch = batch_elementwise,
    .becomes = ScalarRecipe{.emit = emit_binary<&ScalarBuilder::bit_or>, .cost = 1, .identity = zero},
    .reference = binary_reference<kBits, [](auto x, auto y) { return x | y; }>,
    .identities = or_identities,
    .jvp = kDiscrete,
    .transpose = ir::NotLinear{},
    .stablehlo = "stablehlo.or",
};

constinit const OpRecord xor_{
    .name = "xor",
    .doc = "The bits in which x and y differ; for preds the exclusive or.",
    .operands = kBinary,
    .regions = 0,
    .attributes = ir::kNoAttributes,
    .infer = infer_binary<kBits>,
    .batch = batch_elementwise,
    .becomes = ScalarRecipe{.emit = emit_binary<&ScalarBuilder::bit_xor>, .cost = 1, .identity = zero},
    .reference = binary_reference<kBits, [](auto x, auto y) { return x ^ y; }>,
    .identities = xor_identities,
    .jvp = kDiscrete,
    .transpose = ir::NotLinear{},
    .stablehlo = "stablehlo.xor",
};

constinit const OpRecord shift_left{
    .name = "shift_left",
    .doc = "x shifted towards the high bits; 0 where the amount, read as unsigned, is not below the width.",
    .operands = kBinary,
    .regions = 0,
    .attributes = ir::kNoAttributes,
    .infer = infer_binary<kIntegers>,
    .batch = batch_elementwise,
    .becomes = ScalarRecipe{.emit = emit_shift<&ScalarBuilder::shift_left>, .cost = 4, .identity = nullptr},
    .reference = binary_reference<kIntegers, ShiftLeft{}>,
    .identities = shift_identities,
    .jvp = kDiscrete,
    .transpose = ir::NotLinear{},
    .stablehlo = "stablehlo.shift_left",
};

constinit const OpRecord shift_right_logical{
    .name = "shift_right_logical",
    .doc = "x shifted towards the low bits, filled with zeros; 0 where the amount is not below the width.",
    .operands = kBinary,
    .regions = 0,
    .attributes = ir::kNoAttributes,
    .infer = infer_binary<kIntegers>,
    .batch = batch_elementwise,
    .becomes =
        ScalarRecipe{.emit = emit_shift<&ScalarBuilder::shift_right_logical>, .cost = 4, .identity = nullptr},
    .reference = shift_right_reference<false>,
    .identities = shift_identities,
    .jvp = kDiscrete,
    .transpose = ir::NotLinear{},
    .stablehlo = "stablehlo.shift_right_logical",
};

constinit const OpRecord shift_right_arithmetic{
    .name = "shift_right_arithmetic",
    .doc =
        "x shifted towards the low bits, filled with its highest bit, also where the amount is not below the "
        "width.",
    .operands = kBinary,
    .regions = 0,
    .attributes = ir::kNoAttributes,
    .infer = infer_binary<kIntegers>,
    .batch = batch_elementwise,
    .becomes = ScalarRecipe{.emit = emit_shift_arithmetic, .cost = 2, .identity = nullptr},
    .reference = shift_right_reference<true>,
    .identities = shift_identities,
    .jvp = kDiscrete,
    .transpose = ir::NotLinear{},
    .stablehlo = "stablehlo.shift_right_arithmetic",
};

constinit const OpRecord pow{
    .name = "pow",
    .doc =
        "x to the power of y. A negative x gives NaN unless y is a whole number; x^0 and 1^y are 1, of NaN "
        "too. In f64 "
        "results below the smallest normal number are zero. Complex powers are exp(y log(x)), too.",
    .operands = kBinary,
    .regions = 0,
    .attributes = ir::kNoAttributes,
    .infer = infer_binary<kInexact>,
    .batch = batch_elementwise,
    .becomes = ScalarRecipe{.emit = emit_recipe2<pow_recipe>, .cost = 100, .identity = nullptr},
    .reference = binary_reference<kInexact, Rounded<power>{}>,
    .identities = nullptr,
    .jvp = ir::Terms{pow_term},
    .transpose = ir::NotLinear{},
    .stablehlo = "stablehlo.power",
};

constinit const OpRecord atan2{
    .name = "atan2",
    .doc = "(y, x): the angle of the vector (x, y), from -pi to pi. The signs of zeros count.",
    .operands = kBinary,
    .regions = 0,
    .attributes = ir::kNoAttributes,
    .infer = infer_binary<kFloats>,
    .batch = batch_elementwise,
    .becomes = ScalarRecipe{.emit = emit_recipe2<atan2_recipe>, .cost = 50, .identity = nullptr},
    .reference = binary_reference<kFloats, Rounded<[](auto y, auto x) { return std::atan2(y, x); }>{}>,
    .identities = nullptr,
    .jvp = ir::Terms{atan2_term},
    .transpose = ir::NotLinear{},
    .stablehlo = "stablehlo.atan2",
};

constexpr const OpRecord* kBinaryRecords[] = {
    &add,
    &sub,
    &mul,
    &div,
    &rem,
    &max,
    &min,
    &and_,
    &or_,
    &xor_,
    &shift_left,
    &shift_right_logical,
    &shift_right_arithmetic,
    &pow,
    &atan2,
};

}  // namespace

Records binary_records() {
  return kBinaryRecords;
}

const OpRecord& AddOp::record() {
  return add;
}
const OpRecord& SubOp::record() {
  return sub;
}
const OpRecord& MulOp::record() {
  return mul;
}
const OpRecord& DivOp::record() {
  return div;
}
const OpRecord& MaxOp::record() {
  return max;
}
const OpRecord& MinOp::record() {
  return min;
}
const OpRecord& AndOp::record() {
  return and_;
}
const OpRecord& OrOp::record() {
  return or_;
}
const OpRecord& XorOp::record() {
  return xor_;
}
const OpRecord& ShiftLeftOp::record() {
  return shift_left;
}
const OpRecord& ShiftRightLogicalOp::record() {
  return shift_right_logical;
}
const OpRecord& ShiftRightArithmeticOp::record() {
  return shift_right_arithmetic;
}

}  // namespace ingot::ops
