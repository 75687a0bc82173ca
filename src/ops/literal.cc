// Arrays that are known: constants and counting.
#include "ops/kinds.h"
#include "ops/reference.h"
#include "ops/registry.h"

namespace ingot::ops {
namespace {

Types infer_constant(const InferContext& context) {
  const Tensor& value = context.attributes.get<Tensor>("value");
  return {{value.dtype(), value.shape()}};
}

Tensors constant_reference(const Op& op, std::span<const Tensor>, Evaluator&) {
  return {op.attributes().get<Tensor>("value")};
}

constinit const OpRecord constant{
    .name = "constant",
    .doc = "The array `value`.",
    .operands = Arity{0, 0},
    .regions = 0,
    .attributes = AttributeList{attribute::tensor("value")},
    .infer = infer_constant,
    .batch = nullptr,
    .becomes = ir::Literal{},
    .reference = constant_reference,
    .identities = nullptr,
    .jvp = ir::LocallyConstant{},
    .transpose = ir::NotLinear{},
    .stablehlo = "stablehlo.constant",
};

Types infer_iota(const InferContext& context) {
  const TensorType type{context.attributes.get<DType>("dtype"), context.attributes.list("shape")};
  want_dtype(type, kFields, "'dtype'");
  for (int64_t extent : type.shape) {
    if (extent < 0) fail("'shape' is ", List{type.shape}, ", but extents must not be negative");
  }
  want_axis(context.attributes.integer("axis"), type.rank(), "axis");
  return {type};
}

std::vector<ir::ViewPiece> map_iota(const Op& op, std::span<const Index> result) {
  return {{ir::ViewPiece::kIndexValue, {result[static_cast<size_t>(op.attributes().integer("axis"))]}, {}}};
}

Tensors iota_reference(const Op& op, std::span<const Tensor>, Evaluator&) {
  const size_t axis = static_cast<size_t>(op.attributes().integer("axis"));
  Tensor result(op.result()->dtype(), op.result()->shape());
  std::vector<int64_t> index(result.shape().size(), 0);
  for (int64_t i = 0; i < result.size(); ++i) {
    visit_dtype(result.dtype(),
                [&]<class T>(std::type_identity<T>) { result.data<T>()[i] = static_cast<T>(index[axis]); });
    next_index(result.shape(), index);
  }
  return {result};
}

constinit const OpRecord iota{
    .name = "iota",
    .doc = "An array of `dtype` and `shape` whose element at an index is the index along dimension `axis`.",
    .operands = Arity{0, 0},
    .regions = 0,
    .attributes =
        AttributeList{attribute::dtype("dtype"), attribute::list("shape"), attribute::integer("axis")},
    .infer = infer_iota,
    .batch = nullptr,
    .becomes = ir::View{.map = map_iota},
    .reference = iota_reference,
    .identities = nullptr,
    .jvp = ir::LocallyConstant{},
    .transpose = ir::NotLinear{},
    .stablehlo = "stablehlo.iota",
};

constexpr const OpRecord* kLiteralRecords[] = {&constant, &iota};

}  // namespace

Records literal_records() {
  return kLiteralRecords;
}

const OpRecord& ConstantOp::record() {
  return constant;
}
const OpRecord& IotaOp::record() {
  return iota;
}

}  // namespace ingot::ops
