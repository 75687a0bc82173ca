// Views that only reorder elements: transpose and reverse.
#include "ops/batching.h"
#include "ops/derivatives.h"
#include "ops/identities.h"
#include "ops/kinds.h"
#include "ops/registry.h"
#include "ops/support.h"

namespace ingot::ops {
namespace {

using ir::ViewPiece;

// --- transpose

Types infer_transpose(const InferContext& context) {
  const TensorType& x = context.operands[0];
  const IntList& permutation = context.attributes.list("permutation");
  want_length(permutation, x.rank(), "permutation");
  want_distinct_axes(permutation, x.rank(), "permutation");
  TensorType result{x.dtype, {}};
  for (int64_t axis : permutation) result.shape.push_back(x.shape[static_cast<size_t>(axis)]);
  return {result};
}

std::vector<ViewPiece> map_transpose(const Op& op, std::span<const Index> result) {
  const IntList& permutation = op.attributes().list("permutation");
  ViewPiece piece{0, std::vector<Index>(result.size()), {}};
  for (size_t i = 0; i < result.size(); ++i) piece.index[static_cast<size_t>(permutation[i])] = result[i];
  return {piece};
}

Tensors transpose_reference(const Op& op, std::span<const Tensor> x, Evaluator&) {
  const IntList& permutation = op.attributes().list("permutation");
  Tensor result(x[0].dtype(), op.result()->shape());
  // Where a step along a dimension of x goes in the result.
  std::vector<int64_t> strides(permutation.size()), result_strides = strides_of(result.shape());
  for (size_t i = 0; i < permutation.size(); ++i)
    strides[static_cast<size_t>(permutation[i])] = result_strides[i];
  std::vector<int64_t> index(permutation.size(), 0);
  for (int64_t i = 0; i < x[0].size(); ++i) {
    copy_element(result, linear_index(index, strides), x[0], i);
    next_index(x[0].shape(), index);
  }
  return {result};
}

// The batch keeps its place.
Batches batch_transpose(const Op& op, std::span<const Batched> x, Batcher& batcher) {
  const int64_t axis = x[0].axis;
  const IntList permutation = batched_dims(op.attributes().list("permutation"), axis);
  return {{batcher.make("transpose", {x[0].value}, {{"permutation", with_entry(permutation, axis, axis)}})
               ->result(),
           axis}};
}

constinit const OpRecord transpose{
    .name = "transpose",
    .doc = "The dimensions in another order: dimension i of the result is dimension `permutation`[i] of x.",
    .operands = Arity{1, 1},
    .regions = 0,
    .attributes = AttributeList{attribute::list("permutation")},
    .infer = infer_transpose,
    .batch = batch_transpose,
    .becomes = ir::View{.map = map_transpose},
    .reference = transpose_reference,
    .identities = transpose_identities,
    .jvp = ir::Linear{.first = 0},
    .transpose = transpose_transpose,
    .stablehlo = "stablehlo.transpose",
};

// --- reverse

Types infer_reverse(const InferContext& context) {
  want_distinct_axes(context.attributes.list("axes"), context.operands[0].rank(), "axes");
  return {context.operands[0]};
}

std::vector<ViewPiece> map_reverse(const Op& op, std::span<const Index> result) {
  ViewPiece piece{0, {result.begin(), result.end()}, {}};
  for (int64_t axis : op.attributes().list("axes")) {
    const size_t i = static_cast<size_t>(axis);
    piece.index[i] = Index(op.result()->shape()[i] - 1) - result[i];
  }
  return {piece};
}

Tensors reverse_reference(const Op& op, std::span<const Tensor> x, Evaluator&) {
  const IntList& axes = op.attributes().list("axes");
  const Shape& shape = x[0].shape();
  const std::vector<int64_t> strides = strides_of(shape);
  Tensor result(x[0].dtype(), shape);
  std::vector<int64_t> index(shape.size(), 0);
  for (int64_t i = 0; i < result.size(); ++i) {
    std::vector<int64_t> mirrored = index;
    for (int64_t axis : axes) {
      const size_t k = static_cast<size_t>(axis);
      mirrored[k] = shape[k] - 1 - index[k];
    }
    copy_element(result, linear_index(mirrored, strides), x[0], i);
    next_index(shape, index);
  }
  return {result};
}

Batches batch_reverse(const Op& op, std::span<const Batched> x, Batcher& batcher) {
  const IntList axes = batched_dims(op.attributes().list("axes"), x[0].axis);
  return {{batcher.make("reverse", {x[0].value}, {{"axes", axes}})->result(), x[0].axis}};
}

constinit const OpRecord reverse{
    .name = "reverse",
    .doc = "The elements in the opposite order along each of `axes`.",
    .operands = Arity{1, 1},
    .regions = 0,
    .attributes = AttributeList{attribute::list("axes")},
    .infer = infer_reverse,
    .batch = batch_reverse,
    .becomes = ir::View{.map = map_reverse},
    .reference = reverse_reference,
    .identities = reverse_identities,
    .jvp = ir::Linear{.first = 0},
    .transpose = reverse_transpose,
    .stablehlo = "stablehlo.reverse",
};

constexpr const OpRecord* kPermuteRecords[] = {&transpose, &reverse};

}  // namespace

Records permute_records() {
  return kPermuteRecords;
}

const OpRecord& TransposeOp::record() {
  return transpose;
}
const OpRecord& ReverseOp::record() {
  return reverse;
}

}  // namespace ingot::ops
