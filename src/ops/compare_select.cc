// Element-wise operations whose operands and results differ in dtype: comparison, choice, conversion.
#include <bit>
#include <cmath>
#include <cstring>
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

// --- compare

Comparison direction_of(const Attributes& attributes) {
  const std::string& name = attributes.get<std::string>("direction");
  if (name == "eq") return Comparison::kEq;
  if (name == "ne") return Comparison::kNe;
  if (name == "lt") return Comparison::kLt;
  if (name == "le") return Comparison::kLe;
  if (name == "gt") return Comparison::kGt;
  if (name == "ge") return Comparison::kGe;
  fail("'direction' is \"", name, "\", but must be \"eq\", \"ne\", \"lt\", \"le\", \"gt\" or \"ge\"");
}

Types infer_compare(const InferContext& context) {
  want_same_type(context.operands[0], context.operands[1]);
  const Comparison direction = direction_of(context.attributes);
  if (is_complex(context.operands[0].dtype) && direction != Comparison::kEq && direction != Comparison::kNe)
    fail("complex numbers have no order, only \"eq\" and \"ne\"; compare their abs, real or imag");
  return {{DType::kPred, context.operands[0].shape}};
}

Scalar emit_compare(ScalarBuilder& b, const ScalarContext& context, Scalars x) {
  const Comparison direction = direction_of(context.attributes);
  if (x[0].dtype != DType::kPred) return b.compare(direction, x[0], x[1]);
  switch (direction) {  // false is below true
    case Comparison::kEq:
      return b.bit_not(b.bit_xor(x[0], x[1]));
    case Comparison::kNe:
      return b.bit_xor(x[0], x[1]);
    case Comparison::kLt:
      return b.bit_and(b.bit_not(x[0]), x[1]);
    case Comparison::kLe:
      return b.bit_or(b.bit_not(x[0]), x[1]);
    case Comparison::kGt:
      return b.bit_and(x[0], b.bit_not(x[1]));
    case Comparison::kGe:
      return b.bit_or(x[0], b.bit_not(x[1]));
  }
  return x[0];
}

template <class T>
bool holds(Comparison direction, T a, T b) {
  if (direction == Comparison::kEq) return a == b;
  if (direction == Comparison::kNe) return a != b;
  if constexpr (!is_complex(dtype_of<T>())) {
    if (direction == Comparison::kLt) return a < b;
    if (direction == Comparison::kLe) return a <= b;
    if (direction == Comparison::kGt) return a > b;
    return a >= b;
  }
  return false;
}

Tensors compare_reference(const Op& op, std::span<const Tensor> x, Evaluator&) {
  const Comparison direction = direction_of(op.attributes());
  Tensor result(DType::kPred, x[0].shape());
  bool* out = result.data<bool>();
  visit_dtype(x[0].dtype(), [&]<class T>(std::type_identity<T>) {
    const T* a = x[0].data<T>();
    const T* b = x[1].data<T>();
    for (int64_t i = 0; i < x[0].size(); ++i) out[i] = holds(direction, a[i], b[i]);
  });
  return {result};
}

constinit const OpRecord compare{
    .name = "compare",
    .doc =
        "The pred x OP y. `direction` is \"eq\", \"ne\", \"lt\", \"le\", \"gt\" or \"ge\". Comparisons with "
        "NaN are false, "
        "but for \"ne\". Complex numbers are equal or not.",
    .operands = kBinary,
    .regions = 0,
    .attributes = AttributeList{attribute::text("direction")},
    .infer = infer_compare,
    .batch = batch_elementwise,
    .becomes = ScalarRecipe{.emit = emit_compare, .cost = 1, .identity = nullptr},
    .reference = compare_reference,
    .identities = compare_identities,
    .jvp = kDiscrete,
    .transpose = ir::NotLinear{},
    .stablehlo = "stablehlo.compare",
};

// --- is_finite

Types infer_is_finite(const InferContext& context) {
  want_dtype(context.operands[0], kFloats);
  return {{DType::kPred, context.operands[0].shape}};
}

// Infinities and NaN are what no finite bound holds.
Scalar emit_is_finite(ScalarBuilder& b, const ScalarContext&, Scalars x) {
  const double greatest =
      x[0].dtype == DType::kF32 ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max();
  return b.compare(Comparison::kLe, b.abs(x[0]), b.constant(x[0].dtype, greatest));
}

Tensors is_finite_reference(const Op&, std::span<const Tensor> x, Evaluator&) {
  Tensor result(DType::kPred, x[0].shape());
  bool* out = result.data<bool>();
  for (int64_t i = 0; i < x[0].size(); ++i) out[i] = std::isfinite(x[0].get_double(i));
  return {result};
}

constinit const OpRecord is_finite{
    .name = "is_finite",
    .doc = "Whether x is neither infinite nor NaN.",
    .operands = kUnary,
    .regions = 0,
    .attributes = ir::kNoAttributes,
    .infer = infer_is_finite,
    .batch = batch_elementwise,
    .becomes = ScalarRecipe{.emit = emit_is_finite, .cost = 2, .identity = nullptr},
    .reference = is_finite_reference,
    .identities = nullptr,
    .jvp = kDiscrete,
    .transpose = ir::NotLinear{},
    .stablehlo = "stablehlo.is_finite",
};

// --- select

Types infer_select(const InferContext& context) {
  const TensorType& pred = context.operands[0];
  want_same_type(context.operands[1], context.operands[2]);
  const TensorType want{DType::kPred, context.operands[1].shape};
  if (pred != want)
    fail("the condition is ", pred, ", but must be ", want, " for branches of ", context.operands[1]);
  return {context.operands[1]};
}

Scalar emit_select(ScalarBuilder& b, const ScalarContext&, Scalars x) {
  return b.select(x[0], x[1], x[2]);
}

Tensors select_reference(const Op&, std::span<const Tensor> x, Evaluator&) {
  Tensor result(x[1].dtype(), x[1].shape());
  const bool* pred = x[0].data<bool>();
  for (int64_t i = 0; i < result.size(); ++i) copy_element(result, i, pred[i] ? x[1] : x[2], i);
  return {result};
}

constinit const OpRecord select{
    .name = "select",
    .doc = "(pred, x, y): x where the pred is true, y elsewhere.",
    .operands = Arity{3, 3},
    .regions = 0,
    .attributes = ir::kNoAttributes,
    .infer = infer_select,
    .batch = batch_elementwise,
    .becomes = ScalarRecipe{.emit = emit_select, .cost = 1, .identity = nullptr},
    .reference = select_reference,
    .identities = select_identities,
    .jvp = ir::Linear{.first = 1},
    .transpose = select_transpose,
    .stablehlo = "stablehlo.select",
};

// --- convert and bitcast

Types infer_convert(const InferContext& context) {
  const DType from = context.operands[0].dtype, to = context.attributes.get<DType>("dtype");
  if (is_complex(from) && !is_complex(to))
    fail(context.operands[0], " has no counterpart in ", name_of(to), "; take real, imag or abs first");
  return {{context.attributes.get<DType>("dtype"), context.operands[0].shape}};
}

Scalar emit_convert(ScalarBuilder& b, const ScalarContext& context, Scalars x) {
  return x[0].dtype == context.result ? x[0] : b.convert(x[0], context.result);
}

template <class To, class From>
To convert_element(From x) {
  if constexpr (is_narrow(dtype_of<From>()) && !std::is_same_v<From, To>) {
    return convert_element<To>(static_cast<ElementOf<computed_dtype(dtype_of<From>())>>(x));
  } else if constexpr (is_complex(dtype_of<From>())) {
    if constexpr (is_complex(dtype_of<To>())) return static_cast<To>(x);
    return To();  // there is no such conversion
  } else if constexpr (is_complex(dtype_of<To>())) {
    return To(static_cast<typename To::value_type>(x));
  } else if constexpr (std::is_same_v<To, bool>) {
    return x != From(0);
  } else if constexpr (std::is_floating_point_v<From> && is_integer(dtype_of<To>())) {
    // The bounds are powers of two, or next to one, and so exact in the test against them.
    if (std::isnan(x)) return To(0);
    if (x <= static_cast<From>(std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
    if (x >= std::ldexp(From(1), std::numeric_limits<To>::digits)) return std::numeric_limits<To>::max();
    return static_cast<To>(x);
  } else {
    return static_cast<To>(x);
  }
}

// The dtype by way of which it goes, or one of the two: what is narrow goes by what it is computed in.
constexpr DType between(DType from, DType to) {
  if (from == to) return to;
  if (is_narrow(from)) return computed_dtype(from);
  if (is_small_float(to) && from != DType::kF64) return DType::kF32;
  if (is_small_integer(to) && from != DType::kF32 && from != DType::kF64) return DType::kS64;
  return to;
}

Tensor convert_all(const Tensor& x, DType to) {
  if (const DType step = between(x.dtype(), to); step != to && step != x.dtype())
    return convert_all(convert_all(x, step), to);
  Tensor result(to, x.shape());
  visit_dtype(x.dtype(), [&]<class From>(std::type_identity<From>) {
    visit_dtype(to, [&]<class To>(std::type_identity<To>) {
      constexpr DType own = dtype_of<From>(), wanted = dtype_of<To>(), step = between(own, wanted);
      if constexpr (step == wanted || step == own) {
        const From* in = x.data<From>();
        To* out = result.data<To>();
        for (int64_t i = 0; i < result.size(); ++i) out[i] = convert_element<To>(in[i]);
      }
    });
  });
  return result;
}

Tensors convert_reference(const Op& op, std::span<const Tensor> x, Evaluator&) {
  return {convert_all(x[0], op.attributes().get<DType>("dtype"))};
}

constinit const OpRecord convert{
    .name = "convert",
    .doc =
        "The same values in another `dtype`. Floats to integers truncate and saturate, NaN becomes 0; "
        "integers to "
        "narrower ones wrap around; real numbers become complex ones, never the reverse; to pred: is it "
        "nonzero. To f16, bf16 and the floats of a byte by way of f32: rounded to it, "
        "then "
        "to nearest even; what is too large for a format without infinities is NaN, or its greatest number "
        "where it has no NaN. With `rounds`, it does so even where the result is converted back at once: "
        "compiled "
        "programs keep in f32 what their own operations on f16 and bf16 make within a kernel, but not what "
        "they convert.",
    .operands = kUnary,
    .regions = 0,
    .attributes = AttributeList{attribute::dtype("dtype"), attribute::flag("rounds").optional()},
    .infer = infer_convert,
    .batch = batch_elementwise,
    .becomes = ScalarRecipe{.emit = emit_convert, .cost = 2, .identity = nullptr},
    .reference = convert_reference,
    .identities = convert_identities,
    .jvp = ir::Linear{.first = 0},
    .transpose = convert_transpose,
    .stablehlo = "stablehlo.convert",
};

Types infer_bitcast(const InferContext& context) {
  const DType from = context.operands[0].dtype, to = context.attributes.get<DType>("dtype");
  if ((from == DType::kPred) != (to == DType::kPred)) fail("a pred has no bits to cast; use convert");
  TensorType result = context.operands[0];
  result.dtype = to;
  if (is_complex(from) && to == real_dtype(from)) {
    result.shape.push_back(2);
    return {result};
  }
  if (is_complex(to) && from == real_dtype(to)) {
    if (result.shape.empty() || result.shape.back() != 2)
      fail("cannot read ", context.operands[0], " as ", name_of(to), "; its last dimension must be 2");
    result.shape.pop_back();
    return {result};
  }
  if (is_complex(from) != is_complex(to))
    fail("the bits of complex numbers are those of their parts, ",
         name_of(real_dtype(is_complex(from) ? from : to)));
  if (bit_width(from) != bit_width(to)) {
    fail("cannot reinterpret ", context.operands[0], " as ", name_of(to), "; the dtypes must have one width");
  }
  return {result};
}

// The dimension of the parts stays the last one.
Batches batch_bitcast(const Op& op, std::span<const Batched> x, Batcher& batcher) {
  const bool pairs = is_complex(op.operand(0)->dtype()) != is_complex(op.result()->dtype());
  const Batched operand = pairs ? Batched{with_batch_at(batcher, x[0], 0), 0} : x[0];
  return {{batcher.make("bitcast", {operand.value}, op.attributes())->result(), operand.axis}};
}

Scalar emit_bitcast(ScalarBuilder& b, const ScalarContext& context, Scalars x) {
  return x[0].dtype == context.result ? x[0] : b.bitcast(x[0], context.result);
}

Tensors bitcast_reference(const Op& op, std::span<const Tensor> x, Evaluator&) {
  Tensor result(op.result()->dtype(), op.result()->shape());
  std::memcpy(result.raw(), x[0].raw(), x[0].bytes());
  return {result};
}

constinit const OpRecord bitcast{
    .name = "bitcast",
    .doc =
        "The same bits read as another `dtype` of the same width. Complex numbers become their parts along a "
        "new last dimension of 2 elements, and such a dimension complex numbers.",
    .operands = kUnary,
    .regions = 0,
    .attributes = AttributeList{attribute::dtype("dtype")},
    .infer = infer_bitcast,
    .batch = batch_bitcast,
    .becomes = ScalarRecipe{.emit = emit_bitcast, .cost = 0, .identity = nullptr},
    .reference = bitcast_reference,
    .identities = bitcast_identities,
    .jvp = ir::NotDifferentiable{"reading bits as another number is no continuous map"},
    .transpose = ir::NotLinear{},
    .stablehlo = "stablehlo.bitcast_convert",
};

constexpr const OpRecord* kCompareSelectRecords[] = {&compare, &is_finite, &select, &convert, &bitcast};

}  // namespace

Records compare_select_records() {
  return kCompareSelectRecords;
}

const OpRecord& CompareOp::record() {
  return compare;
}
const OpRecord& SelectOp::record() {
  return select;
}
const OpRecord& ConvertOp::record() {
  return convert;
}
const OpRecord& BitcastOp::record() {
  return bitcast;
}

}  // namespace ingot::ops
