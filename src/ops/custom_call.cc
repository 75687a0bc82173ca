// Calls of functions of the host (ingot/custom_call.h).
#include "ops/batching.h"
#include "ops/host_call.h"
#include "ops/kinds.h"
#include "ops/registry.h"

namespace ingot::ops {
namespace {

// "f32[3,4] s32[]"
Types types_of(const std::string& text) {
  Types types;
  for (size_t at = 0; at < text.size();) {
    const size_t open = text.find('[', at), close = text.find(']', at);
    const auto dtype = open == std::string::npos ? std::nullopt : parse_dtype(text.substr(at, open - at));
    if (!dtype || close == std::string::npos)
      fail("'types' is \"", text, "\", but must be as \"f32[3] s32[]\"");
    Shape shape;
    for (size_t i = open + 1; i < close;) {
      int64_t extent = 0;
      const size_t start = i;
      for (; i < close && text[i] >= '0' && text[i] <= '9'; ++i) {
        if (__builtin_mul_overflow(extent, int64_t{10}, &extent) ||
            __builtin_add_overflow(extent, int64_t{text[i] - '0'}, &extent))
          fail("'types' has an extent beyond 64 bits");
      }
      if (i == start || (i < close && text[i] != ',')) fail("'types' has a wrong extent: \"", text, "\"");
      shape.push_back(extent);
      if (i < close) ++i;
    }
    element_count(shape);
    types.push_back({*dtype, shape});
    at = close + 1;
    if (at < text.size() && text[at] != ' ') fail("'types' is \"", text, "\"; a space stands between types");
    if (at < text.size()) ++at;
  }
  if (types.empty()) fail("'types' names no results");
  return types;
}

Shape joined(const IntList& batch, const Shape& shape) {
  Shape all(batch.begin(), batch.end());
  all.insert(all.end(), shape.begin(), shape.end());
  return all;
}

Types infer_custom_call(const InferContext& context) {
  const IntList& batch = context.attributes.list("batch");
  for (const int64_t extent : batch) {
    if (extent < 0) fail("'batch' has the extent ", extent);
  }
  for (const TensorType& operand : context.operands) {
    if (operand.shape.size() < batch.size() || !std::equal(batch.begin(), batch.end(), operand.shape.begin()))
      fail("the operand ", operand, " does not begin with the batch ", List{batch});
  }
  Types types = types_of(context.attributes.get<std::string>("types"));
  for (TensorType& type : types) {
    type.shape = joined(batch, type.shape);
    element_count(type.shape);
  }
  return types;
}

Batches batch_custom_call(const Op& op, std::span<const Batched> x, Batcher& batcher) {
  std::vector<Value*> operands;
  for (const Batched& operand : x) operands.push_back(with_batch_at(batcher, operand, 0));
  IntList batch = op.attributes().list("batch");
  batch.insert(batch.begin(), batcher.size());
  Attributes attributes = op.attributes();
  attributes.set("batch", batch);
  Batches results;
  for (Value* result : batcher.make(op.name(), operands, attributes)->results())
    results.push_back({result, 0});
  return results;
}

Tensors custom_call_reference(const Op& op, std::span<const Tensor> x, Evaluator&) {
  Tensors results;
  std::vector<void*> inputs, outputs;
  for (const Tensor& tensor : x) inputs.push_back(const_cast<std::byte*>(tensor.raw()));
  for (const Value* result : op.results()) {
    results.emplace_back(result->dtype(), result->shape());
    outputs.push_back(results.back().raw());
  }
  host_call_of(op).run(inputs.data(), outputs.data());
  return results;
}

constinit const OpRecord custom_call{
    .name = "custom_call",
    .doc =
        "What a function of the host makes of whole arrays: `target` is its name, `handle` its number in the "
        "process that has it (no text of a program brings it along), `config` a text for it (with "
        "`dictionary` attributes, as MLIR prints them), `types` the "
        "types "
        "of its results, as \"f32[3,4] s32[]\". `batch` are dimensions that lead in all operands and "
        "results: it "
        "is called for each of their indices, or once with all where it takes `batches`.",
    .operands = Arity{0, Arity::kAny},
    .regions = 0,
    .attributes =
        AttributeList{attribute::text("target"), attribute::integer("handle"),
                      attribute::text("config").optional(), attribute::flag("dictionary").optional(),
                      attribute::text("types"), attribute::list("batch"), attribute::flag("batches")},
    .infer = infer_custom_call,
    .batch = batch_custom_call,
    .becomes = ir::LibraryRoutine{.routine = "custom_call", .computes = true},
    .reference = custom_call_reference,
    .identities = nullptr,
    .jvp = ir::NotDifferentiable{"it is a function of the host; give one with custom_jvp or custom_vjp",
                                 "target"},
    .transpose = ir::NotLinear{},
    .stablehlo = "stablehlo.custom_call",
};

constexpr const OpRecord* kCustomCallRecords[] = {&custom_call};

}  // namespace

HostCall host_call_of(const Op& op) {
  HostCall call;
  const ir::Attributes& attributes = op.attributes();
  call.name = attributes.get<std::string>("target");
  if (attributes.has("config")) call.config = attributes.get<std::string>("config");
  call.place = op.provenance().place();
  call.handle = attributes.integer("handle");
  call.owner = attributes.kept();
  const IntList& batch = attributes.list("batch");
  const bool whole = attributes.flag("batches");
  if (!whole) call.batch.assign(batch.begin(), batch.end());
  const auto rank = static_cast<std::ptrdiff_t>(call.batch.size());
  const auto buffer = [&](const Value* value) {
    return CustomCall::Buffer{value->dtype(), Shape(value->shape().begin() + rank, value->shape().end()),
                              nullptr};
  };
  for (const Value* operand : op.operands()) call.inputs.push_back(buffer(operand));
  for (const Value* result : op.results()) call.outputs.push_back(buffer(result));
  return call;
}

Records custom_call_records() {
  return kCustomCallRecords;
}

const OpRecord& CustomCallOp::record() {
  return custom_call;
}

}  // namespace ingot::ops
