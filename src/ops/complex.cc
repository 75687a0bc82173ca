// Complex numbers and their parts.
//
// No kernel knows a complex number: the pass split_complex has made pairs of real values of all of them. So
// the records here, and the complex side of others, have a meaning but no recipe.
#include "base/check.h"
#include "ops/derivatives.h"
#include "ops/elementwise.h"
#include "ops/identities.h"
#include "ops/kinds.h"
#include "ops/reference.h"
#include "ops/registry.h"

namespace ingot::ops {
namespace {

using ir::ScalarRecipe;

Scalar emit_nothing(ScalarBuilder&, const ScalarContext&, Scalars) {
  throw InternalError("a kernel holds complex numbers, which split_complex should have taken apart");
}

DType complex_dtype(DType part) {
  return part == DType::kF32 ? DType::kC64 : DType::kC128;
}

Types infer_complex(const InferContext& context) {
  want_same_type(context.operands[0], context.operands[1]);
  const TensorType& part = context.operands[0];
  if (part.dtype != DType::kF32 && part.dtype != DType::kF64)
    fail("the parts are ", part, ", but must be f32 or f64");
  return {{complex_dtype(part.dtype), part.shape}};
}

Types infer_part(const InferContext& context) {
  want_dtype(context.operands[0], kComplexes);
  return {{real_dtype(context.operands[0].dtype), context.operands[0].shape}};
}

Tensors complex_reference(const Op& op, std::span<const Tensor> x, Evaluator&) {
  Tensor result(op.result()->dtype(), x[0].shape());
  for (int64_t i = 0; i < result.size(); ++i) result.set_complex(i, {x[0].get_double(i), x[1].get_double(i)});
  return {result};
}

template <bool kImaginary>
Tensors part_reference(const Op& op, std::span<const Tensor> x, Evaluator&) {
  Tensor result(op.result()->dtype(), x[0].shape());
  for (int64_t i = 0; i < result.size(); ++i) {
    const std::complex<double> z = x[0].get_complex(i);
    result.set_double(i, kImaginary ? z.imag() : z.real());
  }
  return {result};
}

Tensors conj_reference(const Op&, std::span<const Tensor> x, Evaluator&) {
  Tensor result(x[0].dtype(), x[0].shape());
  for (int64_t i = 0; i < result.size(); ++i) result.set_complex(i, std::conj(x[0].get_complex(i)));
  return {result};
}

// The parts of complex(re, im) are re and im.
std::vector<Value*> part_identities(Op& op, Rewriter& rewriter) {
  const Op* whole = made_by(op.operand(0), "complex");
  if (whole == nullptr || !rewriter.may("part_of_complex", op)) return {};
  return {whole->operand(op.name() == "imag" ? 1 : 0)};
}

constinit const OpRecord complex_{
    .name = "complex",
    .doc = "(re, im): the complex numbers re + i im.",
    .operands = kBinary,
    .regions = 0,
    .attributes = ir::kNoAttributes,
    .infer = infer_complex,
    .batch = batch_elementwise,
    .becomes = ScalarRecipe{.emit = emit_nothing, .cost = 0, .identity = nullptr},
    .reference = complex_reference,
    .identities = nullptr,
    .jvp = ir::Linear{.first = 0},
    .transpose = complex_transpose,
    .stablehlo = "stablehlo.complex",
};

constinit const OpRecord real{
    .name = "real",
    .doc = "The real part.",
    .operands = kUnary,
    .regions = 0,
    .attributes = ir::kNoAttributes,
    .infer = infer_part,
    .batch = batch_elementwise,
    .becomes = ScalarRecipe{.emit = emit_nothing, .cost = 0, .identity = nullptr},
    .reference = part_reference<false>,
    .identities = part_identities,
    .jvp = ir::Linear{.first = 0},
    .transpose = real_transpose,
    .stablehlo = "stablehlo.real",
};

constinit const OpRecord imag{
    .name = "imag",
    .doc = "The imaginary part.",
    .operands = kUnary,
    .regions = 0,
    .attributes = ir::kNoAttributes,
    .infer = infer_part,
    .batch = batch_elementwise,
    .becomes = ScalarRecipe{.emit = emit_nothing, .cost = 0, .identity = nullptr},
    .reference = part_reference<true>,
    .identities = part_identities,
    .jvp = ir::Linear{.first = 0},
    .transpose = imag_transpose,
    .stablehlo = "stablehlo.imag",
};

constinit const OpRecord conj{
    .name = "conj",
    .doc = "The complex conjugate: the imaginary part with the other sign.",
    .operands = kUnary,
    .regions = 0,
    .attributes = ir::kNoAttributes,
    .infer = infer_unary<kComplexes>,
    .batch = batch_elementwise,
    .becomes = ScalarRecipe{.emit = emit_nothing, .cost = 0, .identity = nullptr},
    .reference = conj_reference,
    .identities = involution_identities,
    .jvp = ir::Linear{.first = 0},
    .transpose = conj_transpose,
    .stablehlo = "",
};

constexpr const OpRecord* kComplexRecords[] = {&complex_, &real, &imag, &conj};

}  // namespace

Records complex_records() {
  return kComplexRecords;
}

const OpRecord& ComplexOp::record() {
  return complex_;
}
const OpRecord& RealOp::record() {
  return real;
}
const OpRecord& ImagOp::record() {
  return imag;
}

}  // namespace ingot::ops
