// hold: an array as it is, and a word to the kernel that it is part of. Without it, a kernel computes an
// element where it is read; a chain of views and arithmetic that reads each element several times would
// compute it as often. A kernel with holds works in stages: all that one point of its band has of the held
// array is there before anything reads it.
#include "ops/hold.h"

#include "ops/batching.h"
#include "ops/derivatives.h"
#include "ops/registry.h"

namespace ingot::ops {
namespace {

Types infer_hold(const InferContext& context) {
  const TensorType& x = context.operands[0];
  want_distinct_axes(context.attributes.list("dims"), x.rank(), "dims");
  return {x};
}

std::vector<ir::ViewPiece> map_hold(const Op&, std::span<const Index> result) {
  return {{0, {result.begin(), result.end()}, {}}};
}

Tensors hold_reference(const Op&, std::span<const Tensor> x, Evaluator&) {
  return {x[0]};
}

Batches batch_hold(const Op& op, std::span<const Batched> x, Batcher& batcher) {
  const IntList dims = batched_dims(op.attributes().list("dims"), x[0].axis);
  return {{batcher.make("hold", {x[0].value}, {{"dims", dims}})->result(), x[0].axis}};
}

constinit const OpRecord hold{
    .name = "hold",
    .doc =
        "x itself. A kernel computes all that it has of x along `dims` at one place of the other "
        "dimensions, piece by piece where x is a concatenate, and keeps it, before it computes what reads "
        "it. A program outside of kernels gains nothing by it.",
    .operands = Arity{1, 1},
    .regions = 0,
    .attributes = AttributeList{attribute::list("dims")},
    .infer = infer_hold,
    .batch = batch_hold,
    .becomes = ir::View{.map = map_hold},
    .reference = hold_reference,
    .identities = nullptr,
    .jvp = ir::Linear{.first = 0},
    .transpose = hold_transpose,
    .stablehlo = "",
};

constexpr const OpRecord* kHoldRecords[] = {&hold};

}  // namespace

Records hold_records() {
  return kHoldRecords;
}

const OpRecord& HoldOp::record() {
  return hold;
}

}  // namespace ingot::ops
