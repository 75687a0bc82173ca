// Views that join several arrays: concatenate and pad.
#include "ops/batching.h"
#include "ops/derivatives.h"
#include "ops/identities.h"
#include "ops/kinds.h"
#include "ops/registry.h"
#include "ops/support.h"

namespace ingot::ops {
namespace {

using ir::ViewPiece;

// --- concatenate

Types infer_concatenate(const InferContext& context) {
  TensorType result = context.operands[0];
  const int64_t axis = context.attributes.integer("axis");
  want_axis(axis, result.rank(), "axis");
  const size_t a = static_cast<size_t>(axis);
  for (size_t k = 1; k < context.operands.size(); ++k) {
    TensorType type = context.operands[k];
    const bool fits = type.rank() == result.rank();
    const int64_t extent = fits ? type.shape[a] : 0;
    if (fits) type.shape[a] = context.operands[0].shape[a];
    if (type != context.operands[0]) {
      fail("operand ", k, " is ", context.operands[k], ", but operand 0 is ", context.operands[0],
           "; they must be equal in dtype and in all dimensions but ", axis);
    }
    result.shape[a] = add_extents(result.shape[a], extent);
  }
  return {result};
}

std::vector<ViewPiece> map_concatenate(const Op& op, std::span<const Index> result) {
  const size_t axis = static_cast<size_t>(op.attributes().integer("axis"));
  std::vector<ViewPiece> pieces;
  int64_t offset = 0;
  for (int k = 0; k < op.operand_count(); ++k) {
    const int64_t extent = op.operand(k)->shape()[axis];
    if (extent == 0) continue;
    ViewPiece piece{k, {result.begin(), result.end()}, {{result[axis], offset, offset + extent}}};
    piece.index[axis] = result[axis] - Index(offset);
    pieces.push_back(std::move(piece));
    offset += extent;
  }
  if (pieces.empty()) pieces.push_back({0, {result.begin(), result.end()}, {}});
  pieces.back().guards.clear();
  return pieces;
}

Tensors concatenate_reference(const Op& op, std::span<const Tensor> x, Evaluator&) {
  const size_t axis = static_cast<size_t>(op.attributes().integer("axis"));
  Tensor result(x[0].dtype(), op.result()->shape());
  const std::vector<int64_t> strides = strides_of(result.shape());
  int64_t offset = 0;
  for (const Tensor& part : x) {
    std::vector<int64_t> index(part.shape().size(), 0);
    for (int64_t i = 0; i < part.size(); ++i) {
      copy_element(result, linear_index(index, strides) + offset * strides[axis], part, i);
      next_index(part.shape(), index);
    }
    offset += part.shape()[axis];
  }
  return {result};
}

Batches batch_concatenate(const Op& op, std::span<const Batched> x, Batcher& batcher) {
  const int64_t axis = first_batch_axis(x);
  std::vector<Value*> parts;
  for (const Batched& part : x) parts.push_back(with_batch_at(batcher, part, axis));
  const int64_t along = batched_dim(op.attributes().integer("axis"), axis);
  return {{batcher.make("concatenate", parts, {{"axis", along}})->result(), axis}};
}

constinit const OpRecord concatenate{
    .name = "concatenate",
    .doc = "The operands one after the other along dimension `axis`.",
    .operands = Arity{1, Arity::kAny},
    .regions = 0,
    .attributes = AttributeList{attribute::integer("axis")},
    .infer = infer_concatenate,
    .batch = batch_concatenate,
    .becomes = ir::View{.map = map_concatenate},
    .reference = concatenate_reference,
    .identities = concatenate_identities,
    .jvp = ir::Linear{.first = 0},
    .transpose = concatenate_transpose,
    .stablehlo = "stablehlo.concatenate",
};

// --- pad

// How far the elements of a dimension reach once `interior` ones stand between each two of them.
int64_t spread(int64_t extent, int64_t interior) {
  return spread_extent(extent, interior + 1);
}

Types infer_pad(const InferContext& context) {
  const TensorType& x = context.operands[0];
  want_scalar(context.operands[1], "the padding value");
  if (context.operands[1].dtype != x.dtype) {
    fail("the padding value is ", context.operands[1], ", but must be of the dtype of ", x);
  }
  TensorType result{x.dtype, {}};
  for (const char* name : {"low", "high", "interior"}) {
    const IntList& list = context.attributes.list(name);
    want_length(list, x.rank(), name);
    want_extents(list, name);
    for (int64_t count : list) {
      if (count < 0)
        fail("'", name, "' is ", List{list}, ", but must not be negative; use a slice to cut off");
    }
  }
  for (size_t i = 0; i < x.shape.size(); ++i) {
    const int64_t around = context.attributes.list("low")[i] + context.attributes.list("high")[i];
    result.shape.push_back(add_extents(spread(x.shape[i], context.attributes.list("interior")[i]), around));
  }
  return {result};
}

std::vector<ViewPiece> map_pad(const Op& op, std::span<const Index> result) {
  const Shape& shape = op.operand(0)->shape();
  const ViewPiece padding{1, {}, {}};
  if (element_count(shape) == 0) return {padding};
  ViewPiece inside{0, {}, {}};
  for (size_t i = 0; i < result.size(); ++i) {
    const int64_t low = op.attributes().list("low")[i], high = op.attributes().list("high")[i];
    const int64_t step = op.attributes().list("interior")[i] + 1;
    const Index at = result[i] - Index(low);
    if (low > 0 || high > 0) inside.guards.push_back({at, 0, spread(shape[i], step - 1)});
    if (step > 1 && shape[i] > 1) inside.guards.push_back({at.mod(step), 0, 1});
    inside.index.push_back(shape[i] == 1 ? Index(0) : at.floor_div(step));
  }
  if (inside.guards.empty()) return {inside};
  return {inside, padding};
}

Tensors pad_reference(const Op& op, std::span<const Tensor> x, Evaluator&) {
  const IntList& low = op.attributes().list("low");
  const IntList& interior = op.attributes().list("interior");
  Tensor result(x[0].dtype(), op.result()->shape());
  for (int64_t i = 0; i < result.size(); ++i) copy_element(result, i, x[1], 0);
  const std::vector<int64_t> strides = strides_of(result.shape());
  std::vector<int64_t> index(low.size(), 0), to(low.size());
  for (int64_t i = 0; i < x[0].size(); ++i) {
    for (size_t d = 0; d < to.size(); ++d) to[d] = low[d] + index[d] * (interior[d] + 1);
    copy_element(result, linear_index(to, strides), x[0], i);
    next_index(x[0].shape(), index);
  }
  return {result};
}

// An element of its own for each of the batch is no padding value: it is chosen where a padded mask says so.
Batches batch_pad(const Op& op, std::span<const Batched> x, Batcher& batcher) {
  if (x[1].shared()) {
    const int64_t axis = x[0].axis;
    Attributes attributes;
    for (const char* name : {"low", "high", "interior"})
      attributes.set(name, with_entry(op.attributes().list(name), axis, 0));
    return {{batcher.make("pad", {x[0].value, x[1].value}, attributes)->result(), axis}};
  }
  const auto padded = [&](const Batched& inside, Value* around) {
    const Batched operands[] = {inside, {around, Batched::kShared}};
    if (!inside.shared()) return batch_pad(op, operands, batcher)[0];
    return Batched{batcher.make("pad", {inside.value, around}, op.attributes())->result(), Batched::kShared};
  };
  Value* everywhere = batcher.constant(Tensor::of<bool>({}, {true}));
  everywhere =
      batcher.make("broadcast", {everywhere}, {{"shape", op.operand(0)->shape()}, {"dims", IntList{}}})
          ->result();
  const Batched mask =
      padded({everywhere, Batched::kShared}, batcher.constant(Tensor::of<bool>({}, {false})));
  const Batched filled = padded(x[0], batcher.constant(Tensor(op.result()->dtype(), {})));
  const int64_t axis = filled.shared() ? 0 : filled.axis;
  Value* around =
      batcher
          .make("broadcast", {x[1].value},
                {{"shape", batched_shape(op.result()->shape(), axis, batcher)}, {"dims", IntList{axis}}})
          ->result();
  Value* chosen =
      batcher
          .make("select", {with_batch_at(batcher, mask, axis), with_batch_at(batcher, filled, axis), around})
          ->result();
  return {{chosen, axis}};
}

constinit const OpRecord pad{
    .name = "pad",
    .doc =
        "(x, value): per dimension `low` copies of the scalar before x, `high` after it, and `interior` "
        "between each "
        "two of its elements.",
    .operands = Arity{2, 2},
    .regions = 0,
    .attributes = AttributeList{attribute::list("low"), attribute::list("high"), attribute::list("interior")},
    .infer = infer_pad,
    .batch = batch_pad,
    .becomes = ir::View{.map = map_pad},
    .reference = pad_reference,
    .identities = pad_identities,
    .jvp = ir::Linear{.first = 0},
    .transpose = pad_transpose,
    .stablehlo = "stablehlo.pad",
};

constexpr const OpRecord* kJoinRecords[] = {&concatenate, &pad};

}  // namespace

Records join_records() {
  return kJoinRecords;
}

const OpRecord& ConcatenateOp::record() {
  return concatenate;
}

}  // namespace ingot::ops
