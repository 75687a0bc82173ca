// Views that give elements another shape: reshape and broadcast.
#include <cstring>

#include "ops/batching.h"
#include "ops/derivatives.h"
#include "ops/identities.h"
#include "ops/kinds.h"
#include "ops/registry.h"
#include "ops/support.h"

namespace ingot::ops {
namespace {

using ir::ViewPiece;

const Shape& shape_attribute(const Attributes& attributes) {
  const Shape& shape = attributes.list("shape");
  for (int64_t extent : shape) {
    if (extent < 0) fail("'shape' is ", List{shape}, ", but extents must not be negative");
  }
  return shape;
}

// --- reshape

Types infer_reshape(const InferContext& context) {
  const TensorType& x = context.operands[0];
  const Shape& shape = shape_attribute(context.attributes);
  if (element_count(shape) != x.elements()) {
    fail(x, " has ", x.elements(), " elements, but 'shape' ", List{shape}, " has ", element_count(shape),
         "; they must be equal");
  }
  return {{x.dtype, shape}};
}

// Runs of dimensions that hold the same elements on both sides are mapped each on its own, so that a
// dimension that stays whole keeps its index as it is.
std::vector<ViewPiece> map_reshape(const Op& op, std::span<const Index> result) {
  const Shape& from = op.operand(0)->shape();
  const Shape& to = op.result()->shape();
  ViewPiece piece{0, std::vector<Index>(from.size()), {}};
  if (element_count(from) == 0) return {piece};
  size_t i = 0, k = 0;
  while (i < from.size()) {
    const size_t first = i;
    int64_t from_size = from[i++], to_size = 1;
    Index linear(0);
    while (to_size != from_size) {
      if (to_size < from_size) {
        to_size *= to[k];
        linear = linear * to[k] + result[k];
        ++k;
      } else {
        from_size *= from[i++];
      }
    }
    for (size_t d = i; d-- > first;) {
      piece.index[d] = d == first ? linear : linear.mod(from[d]);
      if (d != first) linear = linear.floor_div(from[d]);
    }
  }
  return {piece};
}

Tensors reshape_reference(const Op& op, std::span<const Tensor> x, Evaluator&) {
  Tensor result(x[0].dtype(), op.result()->shape());
  std::memcpy(result.raw(), x[0].raw(), x[0].bytes());
  return {result};
}

// The batch can stay between two dimensions if as many elements lie behind it in both shapes; else it goes to
// the front.
Batches batch_reshape(const Op& op, std::span<const Batched> x, Batcher& batcher) {
  const Shape &from = op.operand(0)->shape(), &to = op.result()->shape();
  const int64_t behind = element_count(Shape(from.begin() + x[0].axis, from.end()));
  Value* value = x[0].value;
  int64_t axis = 0;
  while (axis < static_cast<int64_t>(to.size()) &&
         element_count(Shape(to.begin() + axis, to.end())) != behind)
    ++axis;
  if (element_count(Shape(to.begin() + axis, to.end())) != behind) {
    axis = 0;
    value = with_batch_at(batcher, x[0], axis);
  }
  return {{batcher.make("reshape", {value}, {{"shape", batched_shape(to, axis, batcher)}})->result(), axis}};
}

constinit const OpRecord reshape{
    .name = "reshape",
    .doc = "The elements in their row-major order in an array of `shape`.",
    .operands = Arity{1, 1},
    .regions = 0,
    .attributes = AttributeList{attribute::list("shape")},
    .infer = infer_reshape,
    .batch = batch_reshape,
    .becomes = ir::View{.map = map_reshape},
    .reference = reshape_reference,
    .identities = reshape_identities,
    .jvp = ir::Linear{.first = 0},
    .transpose = reshape_transpose,
    .stablehlo = "stablehlo.reshape",
};

// --- broadcast

Types infer_broadcast(const InferContext& context) {
  const TensorType& x = context.operands[0];
  const Shape& shape = shape_attribute(context.attributes);
  const IntList& dims = context.attributes.list("dims");
  want_length(dims, x.rank(), "dims", "one per dimension of the operand");
  want_distinct_axes(dims, static_cast<int64_t>(shape.size()), "dims");
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t extent = shape[static_cast<size_t>(dims[i])];
    if (extent == x.shape[i]) continue;
    fail("dimension ", i, " of ", x, " becomes dimension ", dims[i], " of ", List{shape}, ", but ",
         x.shape[i], " is not ", extent,
         x.shape[i] == 1 ? "; drop the dimension of extent 1 by a reshape first"
                         : "; the extents must be equal");
  }
  return {{x.dtype, shape}};
}

std::vector<ViewPiece> map_broadcast(const Op& op, std::span<const Index> result) {
  ViewPiece piece{0, {}, {}};
  for (int64_t dim : op.attributes().list("dims")) piece.index.push_back(result[static_cast<size_t>(dim)]);
  return {piece};
}

Tensors broadcast_reference(const Op& op, std::span<const Tensor> x, Evaluator&) {
  const IntList& dims = op.attributes().list("dims");
  Tensor result(x[0].dtype(), op.result()->shape());
  std::vector<int64_t> strides(result.shape().size(), 0), from = strides_of(x[0].shape());
  for (size_t i = 0; i < dims.size(); ++i) strides[static_cast<size_t>(dims[i])] = from[i];
  std::vector<int64_t> index(result.shape().size(), 0);
  for (int64_t i = 0; i < result.size(); ++i) {
    copy_element(result, i, x[0], linear_index(index, strides));
    next_index(result.shape(), index);
  }
  return {result};
}

// The batch stays behind the dimension that it followed.
Batches batch_broadcast(const Op& op, std::span<const Batched> x, Batcher& batcher) {
  const IntList& dims = op.attributes().list("dims");
  const int64_t from = x[0].axis, to = from == 0 ? 0 : dims[static_cast<size_t>(from) - 1] + 1;
  const Shape shape = batched_shape(op.result()->shape(), to, batcher);
  const IntList places = with_entry(batched_dims(dims, to), from, to);
  return {{batcher.make("broadcast", {x[0].value}, {{"shape", shape}, {"dims", places}})->result(), to}};
}

constinit const OpRecord broadcast{
    .name = "broadcast",
    .doc =
        "Repeats x along new dimensions: dimension i of x is dimension `dims`[i] of the result, which has "
        "`shape`.",
    .operands = Arity{1, 1},
    .regions = 0,
    .attributes = AttributeList{attribute::list("dims"), attribute::list("shape")},
    .infer = infer_broadcast,
    .batch = batch_broadcast,
    .becomes = ir::View{.map = map_broadcast},
    .reference = broadcast_reference,
    .identities = broadcast_identities,
    .jvp = ir::Linear{.first = 0},
    .transpose = broadcast_transpose,
    .stablehlo = "stablehlo.broadcast_in_dim",
};

constexpr const OpRecord* kShapeRecords[] = {&reshape, &broadcast};

}  // namespace

Records shape_records() {
  return kShapeRecords;
}

const OpRecord& ReshapeOp::record() {
  return reshape;
}
const OpRecord& BroadcastOp::record() {
  return broadcast;
}

}  // namespace ingot::ops
