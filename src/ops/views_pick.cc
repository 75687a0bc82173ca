// Views that pick some elements: slice and take.
#include <algorithm>
#include <memory>

#include "ops/batching.h"
#include "ops/derivatives.h"
#include "ops/identities.h"
#include "ops/kinds.h"
#include "ops/registry.h"
#include "ops/support.h"

namespace ingot::ops {
namespace {

using ir::ViewPiece;

// --- slice

Types infer_slice(const InferContext& context) {
  const TensorType& x = context.operands[0];
  const IntList& starts = context.attributes.list("starts");
  const IntList& limits = context.attributes.list("limits");
  const IntList& strides = context.attributes.list("strides");
  want_length(starts, x.rank(), "starts");
  want_length(limits, x.rank(), "limits");
  want_length(strides, x.rank(), "strides");
  want_extents(strides, "strides");
  TensorType result{x.dtype, {}};
  for (size_t i = 0; i < x.shape.size(); ++i) {
    if (strides[i] < 1) fail("'strides' is ", List{strides}, ", but every stride must be at least 1");
    if (starts[i] < 0 || starts[i] > limits[i] || limits[i] > x.shape[i]) {
      fail("the slice ", starts[i], ":", limits[i], " of dimension ", i, " of ", x,
           " must have 0 <= start <= limit <= ", x.shape[i]);
    }
    result.shape.push_back((limits[i] - starts[i] + strides[i] - 1) / strides[i]);
  }
  return {result};
}

std::vector<ViewPiece> map_slice(const Op& op, std::span<const Index> result) {
  const IntList& starts = op.attributes().list("starts");
  const IntList& strides = op.attributes().list("strides");
  ViewPiece piece{0, {}, {}};
  for (size_t i = 0; i < result.size(); ++i) piece.index.push_back(result[i] * strides[i] + Index(starts[i]));
  return {piece};
}

Tensors slice_reference(const Op& op, std::span<const Tensor> x, Evaluator&) {
  const IntList& starts = op.attributes().list("starts");
  const IntList& steps = op.attributes().list("strides");
  Tensor result(x[0].dtype(), op.result()->shape());
  const std::vector<int64_t> strides = strides_of(x[0].shape());
  std::vector<int64_t> index(starts.size(), 0), from(starts.size());
  for (int64_t i = 0; i < result.size(); ++i) {
    for (size_t d = 0; d < index.size(); ++d) from[d] = starts[d] + index[d] * steps[d];
    copy_element(result, i, x[0], linear_index(from, strides));
    next_index(result.shape(), index);
  }
  return {result};
}

Batches batch_slice(const Op& op, std::span<const Batched> x, Batcher& batcher) {
  const int64_t axis = x[0].axis;
  const ir::Attributes attributes{
      {"starts", with_entry(op.attributes().list("starts"), axis, 0)},
      {"limits", with_entry(op.attributes().list("limits"), axis, batcher.size())},
      {"strides", with_entry(op.attributes().list("strides"), axis, 1)}};
  return {{batcher.make("slice", {x[0].value}, attributes)->result(), axis}};
}

constinit const OpRecord slice{
    .name = "slice",
    .doc =
        "The elements from `starts` up to, not including, `limits`, every `strides`-th one; lists with one "
        "entry per "
        "dimension.",
    .operands = Arity{1, 1},
    .regions = 0,
    .attributes =
        AttributeList{attribute::list("starts"), attribute::list("limits"), attribute::list("strides")},
    .infer = infer_slice,
    .batch = batch_slice,
    .becomes = ir::View{.map = map_slice},
    .reference = slice_reference,
    .identities = slice_identities,
    .jvp = ir::Linear{.first = 0},
    .transpose = slice_transpose,
    .stablehlo = "stablehlo.slice",
};

// --- take

Types infer_take(const InferContext& context) {
  const TensorType& x = context.operands[0];
  const int64_t axis = context.attributes.integer("axis");
  const IntList& indices = context.attributes.list("indices");
  want_axis(axis, x.rank(), "axis");
  TensorType result = x;
  int64_t& extent = result.shape[static_cast<size_t>(axis)];
  for (int64_t index : indices) {
    if (index < 0 || index >= extent) {
      fail("'indices' has ", index, ", but dimension ", axis, " of ", x, " has the indices 0 to ",
           extent - 1);
    }
  }
  extent = static_cast<int64_t>(indices.size());
  return {result};
}

// An arithmetic progression needs no table. A map may be asked about indices that a guard excludes: the table
// is then continued with its ends, so that every index has an entry, or, where that would make it much
// longer, repeated.
Index look_up(const IntList& indices, const Index& at) {
  if (indices.empty()) return Index(0);
  const int64_t step = indices.size() > 1 ? indices[1] - indices[0] : 0;
  bool progression = true;
  for (size_t i = 1; i < indices.size(); ++i)
    progression = progression && indices[i] - indices[i - 1] == step;
  if (progression) return at * step + Index(indices[0]);
  const int64_t last = static_cast<int64_t>(indices.size()) - 1;
  const int64_t low = std::min<int64_t>(at.min(), 0), high = std::max(at.max(), last);
  constexpr int64_t kMostContinued = 1 << 16;
  if (high - low - last > kMostContinued)
    return at.mod(last + 1).lookup(std::make_shared<const std::vector<int64_t>>(indices));
  auto table = std::make_shared<std::vector<int64_t>>();
  for (int64_t i = low; i <= high; ++i)
    table->push_back(indices[static_cast<size_t>(std::clamp<int64_t>(i, 0, last))]);
  return (at - Index(low)).lookup(std::move(table));
}

std::vector<ViewPiece> map_take(const Op& op, std::span<const Index> result) {
  const size_t axis = static_cast<size_t>(op.attributes().integer("axis"));
  ViewPiece piece{0, {result.begin(), result.end()}, {}};
  piece.index[axis] = look_up(op.attributes().list("indices"), result[axis]);
  return {piece};
}

Tensors take_reference(const Op& op, std::span<const Tensor> x, Evaluator&) {
  const size_t axis = static_cast<size_t>(op.attributes().integer("axis"));
  const IntList& indices = op.attributes().list("indices");
  Tensor result(x[0].dtype(), op.result()->shape());
  const std::vector<int64_t> strides = strides_of(x[0].shape());
  std::vector<int64_t> index(x[0].shape().size(), 0);
  for (int64_t i = 0; i < result.size(); ++i) {
    std::vector<int64_t> from = index;
    from[axis] = indices[static_cast<size_t>(index[axis])];
    copy_element(result, i, x[0], linear_index(from, strides));
    next_index(result.shape(), index);
  }
  return {result};
}

Batches batch_take(const Op& op, std::span<const Batched> x, Batcher& batcher) {
  Attributes attributes = op.attributes();
  attributes.set("axis", batched_dim(attributes.integer("axis"), x[0].axis));
  return {{batcher.make("take", {x[0].value}, attributes)->result(), x[0].axis}};
}

constinit const OpRecord take{
    .name = "take",
    .doc =
        "Element i along dimension `axis` of the result is element `indices`[i] of x; the indices are "
        "constants.",
    .operands = Arity{1, 1},
    .regions = 0,
    .attributes = AttributeList{attribute::integer("axis"), attribute::list("indices")},
    .infer = infer_take,
    .batch = batch_take,
    .becomes = ir::View{.map = map_take},
    .reference = take_reference,
    .identities = take_identities,
    .jvp = ir::Linear{.first = 0},
    .transpose = take_transpose,
    .stablehlo = "",
};

constexpr const OpRecord* kPickRecords[] = {&slice, &take};

}  // namespace

Records pick_records() {
  return kPickRecords;
}

const OpRecord& SliceOp::record() {
  return slice;
}

}  // namespace ingot::ops
