// Operations over the axis of a batch, which a function that is mapped over one knows by its name. They stand
// in a program only until that axis is batched, and then become a reduction or a count.
#include "ir/builder.h"
#include "ops/batching.h"
#include "ops/derivatives.h"
#include "ops/reference.h"
#include "ops/registry.h"

namespace ingot::ops {
namespace {

[[noreturn]] void unbound(const Attributes& attributes) {
  fail("there is no batch axis called '", attributes.get<std::string>("axis_name"),
       "' here; only a function that is mapped over one of that name can use it");
}

Tensors unbound_reference(const Op& op, std::span<const Tensor>, Evaluator&) {
  unbound(op.attributes());
}

// --- axis_reduce

const OpRecord& combiner_record(const Attributes& attributes) {
  const std::string& name = attributes.get<std::string>("combiner");
  const OpRecord* record = ir::find_record(name);
  const auto* recipe = record == nullptr ? nullptr : std::get_if<ir::ScalarRecipe>(&*record->becomes);
  if (recipe == nullptr || *recipe->identity == nullptr) {
    fail("'combiner' is \"", name, "\", but must name an associative operation, such as \"add\" or \"max\"");
  }
  return *record;
}

Types infer_axis_reduce(const InferContext& context) {
  context.attributes.get<std::string>("axis_name");
  const std::string_view combiner = *combiner_record(context.attributes).name;
  want_dtype(context.operands[0], combiner == "add" || combiner == "mul" ? kFields : kNumbers);
  return {context.operands[0]};
}

// Along the batch that it names, a reduction, whose result all share. Along another one it is element-wise.
Batches batch_axis_reduce(const Op& op, std::span<const Batched> x, Batcher& batcher) {
  if (!batcher.binds(op.attributes().get<std::string>("axis_name"))) return batch_elementwise(op, x, batcher);
  const OpRecord& combiner = combiner_record(op.attributes());
  const TensorType scalar{op.result()->dtype(), {}};
  auto region = batcher.make_region();
  Value *sum = region->add_argument(scalar), *element = region->add_argument(scalar);
  region->set_results({ir::Builder(*region).value(combiner.name, {sum, element})});
  Value* neutral = batcher.constant((*std::get<ir::ScalarRecipe>(*combiner.becomes).identity)(scalar.dtype));
  std::vector<std::unique_ptr<ir::Region>> regions;
  regions.push_back(std::move(region));
  const int64_t axis = first_batch_axis(x);
  const Op* made = batcher.make("reduce", {with_batch_at(batcher, x[0], axis), neutral},
                                {{"axes", IntList{axis}}}, std::move(regions));
  return {{made->result(), Batched::kShared}};
}

Value* axis_sum(const Attributes& attributes, Value* x, ir::Emitter& emitter) {
  return emitter.make(
      "axis_reduce", {x},
      {{"axis_name", attributes.get<std::string>("axis_name")}, {"combiner", std::string("add")}});
}

// Elements that share the greatest or the least value share the derivative.
Value* axis_reduce_term(const ir::TermContext& context, int, Value* tangent, ir::Emitter& emitter) {
  const Attributes& attributes = context.op.attributes();
  const std::string& combiner = attributes.get<std::string>("combiner");
  if (combiner == "add") return axis_sum(attributes, tangent, emitter);
  if (combiner != "max" && combiner != "min")
    fail("the derivative for the combiner \"", combiner, "\" is not known");
  Value* equal =
      emitter.make("compare", {context.operands[0], context.result}, {{"direction", std::string("eq")}});
  Value* count =
      axis_sum(attributes, emitter.make("convert", {equal}, {{"dtype", context.result->dtype()}}), emitter);
  Value* chosen = emitter.make("select", {equal, tangent, zeros(emitter, context.result->type())});
  return emitter.make("div", {axis_sum(attributes, chosen, emitter), count});
}

// Each element's result counts, and each holds every element.
void axis_reduce_transpose(const Op& op, Value* cotangent, ir::Transposition& transposition) {
  transposition.add(0, axis_sum(op.attributes(), cotangent, transposition));
}

constinit const OpRecord axis_reduce{
    .name = "axis_reduce",
    .doc =
        "x combined over all elements of the batch whose axis is called `axis_name`, by the associative "
        "operation `combiner`. Batching makes it a reduction.",
    .operands = Arity{1, 1},
    .regions = 0,
    .attributes = AttributeList{attribute::text("axis_name"), attribute::text("combiner")},
    .infer = infer_axis_reduce,
    .batch = batch_axis_reduce,
    .becomes = ir::Collective{},
    .reference = unbound_reference,
    .identities = nullptr,
    .jvp = ir::Terms{axis_reduce_term},
    .transpose = axis_reduce_transpose,
    .stablehlo = "",
};

// --- axis_index

Types infer_axis_index(const InferContext& context) {
  context.attributes.get<std::string>("axis_name");
  return {{DType::kS32, {}}};
}

Batches batch_axis_index(const Op& op, std::span<const Batched>, Batcher& batcher) {
  if (!batcher.binds(op.attributes().get<std::string>("axis_name")))
    return {{batcher.make("axis_index", {}, op.attributes())->result(), Batched::kShared}};
  const Attributes attributes{
      {"dtype", DType::kS32}, {"shape", IntList{batcher.size()}}, {"axis", int64_t{0}}};
  return {{batcher.make("iota", {}, attributes)->result(), 0}};
}

constinit const OpRecord axis_index{
    .name = "axis_index",
    .doc =
        "Which element of the batch this is, an s32, along the axis called `axis_name`. Batching makes it an "
        "iota.",
    .operands = Arity{0, 0},
    .regions = 0,
    .attributes = AttributeList{attribute::text("axis_name")},
    .infer = infer_axis_index,
    .batch = batch_axis_index,
    .becomes = ir::Collective{},
    .reference = unbound_reference,
    .identities = nullptr,
    .jvp = kDiscrete,
    .transpose = ir::NotLinear{},
    .stablehlo = "",
};

constexpr const OpRecord* kCollectiveRecords[] = {&axis_reduce, &axis_index};

}  // namespace

Records collective_records() {
  return kCollectiveRecords;
}

}  // namespace ingot::ops
