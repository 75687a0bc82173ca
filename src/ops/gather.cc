// Reads at indices that are known at run time.
#include "ops/batching.h"
#include "ops/derivatives.h"
#include "ops/identities.h"
#include "ops/reference.h"
#include "ops/registry.h"
#include "ops/windows.h"

namespace ingot::ops {
namespace {

Types infer_gather(const InferContext& context) {
  const WindowDims dims = WindowDims::of(context.attributes);
  want_windows(dims, context.operands[0], context.operands[1]);
  return {{context.operands[0].dtype, stack_shape(dims, context.operands[0], context.operands[1])}};
}

// --- meaning

Tensors gather_reference(const Op& op, std::span<const Tensor> x, Evaluator&) {
  const WindowDims dims = WindowDims::of(op.attributes());
  Tensor result(x[0].dtype(), op.result()->shape());
  const Tensor nothing = dims.filling(x[0].dtype());
  const std::vector<int64_t> strides = strides_of(x[0].shape());
  std::vector<int64_t> at(result.shape().size(), 0);
  for (int64_t i = 0; i < result.size(); ++i) {
    WindowPlace<int64_t> place = place_of<int64_t>(dims, op.operand(0)->rank(), op.operand(1)->rank(), at);
    if (begin_window(dims, x[1], x[0].shape(), place))
      copy_element(result, i, x[0], linear_index(place.array, strides));
    else
      copy_element(result, i, nothing, 0);
    next_index(result.shape(), at);
  }
  return {result};
}

Batches batch_gather(const Op& op, std::span<const Batched> x, Batcher& batcher) {
  const BatchedWindows batched =
      batched_windows(op.attributes(), x[0].axis, x[1].axis, op.result()->rank(), batcher.size());
  return {
      {batcher.make("gather", {x[0].value, x[1].value}, batched.attributes)->result(), batched.stack_axis}};
}

// --- derivatives

// Where nothing is read, nothing changes.
Value* gather_term(const ir::TermContext& context, int operand, Value* tangent, ir::Emitter& emitter) {
  if (operand != 0) return nullptr;
  Attributes attributes = context.op.attributes();
  if (attributes.get<std::string>("mode") == "fill") attributes.set("mode", std::string("zero"));
  return emitter.make("gather", {tangent, context.operands[1]}, attributes);
}

void gather_transpose(const Op& op, Value* cotangent, ir::Transposition& transposition) {
  Attributes attributes = op.attributes();
  attributes.set("combiner", std::string("add"));
  Value* sum = transposition.take(0);
  if (sum == nullptr) sum = zeros(transposition, op.operand(0)->type());
  transposition.add(0, transposition.make("scatter", {sum, transposition.known(1), cotangent}, attributes));
}

constinit const OpRecord gather{
    .name = "gather",
    .doc =
        "(x, indices): windows of x of `slice_sizes`, one for each index vector along `index_vector_dim` of "
        "the "
        "indices (their rank: each is a vector of one), which begin where it says: component k is the "
        "beginning along "
        "dimension `start_index_map`[k] of x. Dimensions in `collapsed_slice_dims` are dropped from windows; "
        "those in "
        "`operand_batching_dims` run along with `start_indices_batching_dims` of the indices. The result has "
        "the "
        "dimensions of a window at `offset_dims` and those of the indices at the others. A window that would "
        "leave x "
        "begins where it just fits (`mode` \"clip\"), holds NaN, the least signed or the greatest unsigned "
        "number "
        "(\"fill\"), or zero (\"zero\").",
    .operands = Arity{2, 2},
    .regions = 0,
    .attributes = AttributeList{attribute::list("offset_dims"), attribute::list("collapsed_slice_dims"),
                                attribute::list("operand_batching_dims"),
                                attribute::list("start_indices_batching_dims"),
                                attribute::list("start_index_map"), attribute::integer("index_vector_dim"),
                                attribute::list("slice_sizes"), attribute::text("mode")},
    .infer = infer_gather,
    .batch = batch_gather,
    .becomes = ir::Gather{},
    .reference = gather_reference,
    .identities = gather_identities,
    .jvp = ir::Terms{gather_term},
    .transpose = gather_transpose,
    .stablehlo = "stablehlo.gather",
};

constexpr const OpRecord* kGatherRecords[] = {&gather};

}  // namespace

Records gather_records() {
  return kGatherRecords;
}

}  // namespace ingot::ops
