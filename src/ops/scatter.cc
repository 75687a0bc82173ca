// Writes and sums at indices that are known at run time.
#include <algorithm>

#include "ops/batching.h"
#include "ops/derivatives.h"
#include "ops/kinds.h"
#include "ops/reference.h"
#include "ops/registry.h"
#include "ops/windows.h"

namespace ingot::ops {
namespace {

const std::string& combiner_of_scatter(const Attributes& attributes) {
  const std::string& name = attributes.get<std::string>("combiner");
  for (const char* known : {"set", "add", "mul", "max", "min"}) {
    if (name == known) return name;
  }
  fail("'combiner' is \"", name, "\", but must be \"set\", \"add\", \"mul\", \"max\" or \"min\"");
}

Types infer_scatter(const InferContext& context) {
  const TensorType &array = context.operands[0], &updates = context.operands[2];
  const WindowDims dims = WindowDims::of(context.attributes);
  want_windows(dims, array, context.operands[1]);
  const std::string& combiner = combiner_of_scatter(context.attributes);
  if (combiner != "set") {
    want_dtype(array, combiner == "add" || combiner == "mul" ? kFields : kNumbers, "the array");
  }
  const TensorType want{array.dtype, stack_shape(dims, array, context.operands[1])};
  if (updates != want)
    fail("the updates are ", updates, ", but must be ", want, ", a stack of windows of ", array);
  return {array};
}

template <class T>
T combined(const std::string& combiner, T a, T b) {
  if (combiner == "set") return b;
  if constexpr (is_complex(dtype_of<T>())) {
    return combiner == "mul" ? a * b : a + b;
  } else if constexpr (is_float(dtype_of<T>())) {
    if (combiner == "add") return static_cast<T>(a + b);
    if (combiner == "mul") return static_cast<T>(a * b);
  } else {
    if (combiner == "add") return static_cast<T>(bits(a) + bits(b));
    if (combiner == "mul") return static_cast<T>(bits(a) * bits(b));
  }
  if constexpr (!is_complex(dtype_of<T>()))
    return combiner == "max" ? Extreme<true>()(a, b) : Extreme<false>()(a, b);
}

Tensors scatter_reference(const Op& op, std::span<const Tensor> x, Evaluator& evaluator) {
  const DType dtype = x[0].dtype();
  if (is_narrow_float(dtype) && combiner_of_scatter(op.attributes()) != "set") {  // rounded once, at the end
    const Tensor wide[] = {converted(x[0], DType::kF32), x[1], converted(x[2], DType::kF32)};
    return {converted(scatter_reference(op, wide, evaluator)[0], dtype)};
  }
  const WindowDims dims = WindowDims::of(op.attributes());
  const std::string& combiner = combiner_of_scatter(op.attributes());
  const std::vector<int64_t> strides = strides_of(x[0].shape());
  Tensor result(x[0].dtype(), x[0].shape());
  for (int64_t i = 0; i < result.size(); ++i) copy_element(result, i, x[0], i);
  std::vector<int64_t> at(x[2].shape().size(), 0);
  for (int64_t i = 0; i < x[2].size(); ++i) {
    auto place = place_of<int64_t>(dims, op.operand(0)->rank(), op.operand(1)->rank(), at);
    next_index(x[2].shape(), at);
    if (!begin_window(dims, x[1], x[0].shape(), place)) continue;
    visit_dtype(result.dtype(), [&]<class T>(std::type_identity<T>) {
      T& element = result.data<T>()[linear_index(place.array, strides)];
      element = combined(combiner, element, x[2].data<T>()[i]);
    });
  }
  return {result};
}

Batches batch_scatter(const Op& op, std::span<const Batched> x, Batcher& batcher) {
  const int64_t axis = x[0].shared() ? 0 : x[0].axis;
  const BatchedWindows batched =
      batched_windows(op.attributes(), axis, x[1].axis, op.operand(2)->rank(), batcher.size());
  Value* array = with_batch_at(batcher, x[0], axis);
  Value* updates = with_batch_at(batcher, x[2], batched.stack_axis);
  return {{batcher.make("scatter", {array, x[1].value, updates}, batched.attributes)->result(), axis}};
}

// --- derivatives

Attributes with_combiner(Attributes attributes, const char* combiner) {
  attributes.set("combiner", std::string(combiner));
  return attributes;
}

// The attributes of the gather that reads what the scatter writes: zeros where that is left out.
Attributes reading(Attributes attributes) {
  attributes.erase("combiner");
  attributes.erase("unique");
  if (attributes.get<std::string>("mode") == "fill") attributes.set("mode", std::string("zero"));
  return attributes;
}

Value* equal(Value* x, Value* y, ir::Emitter& emitter) {
  return emitter.make("compare", {x, y}, {{"direction", std::string("eq")}});
}

// Of what is equal to the greatest or the least value, be it in the array or an update, each has its share.
Value* extreme_term(const ir::TermContext& context, int operand, Value* tangent, ir::Emitter& emitter) {
  const Attributes add = with_combiner(context.op.attributes(), "add");
  Value *array = context.operands[0], *indices = context.operands[1], *updates = context.operands[2];
  Value* kept = equal(array, context.result, emitter);
  Value* found = emitter.make("gather", {context.result, indices}, reading(context.op.attributes()));
  Value* put = equal(updates, found, emitter);
  const Attributes as_number{{"dtype", array->dtype()}};
  Value* count = emitter.make(
      "scatter",
      {emitter.make("convert", {kept}, as_number), indices, emitter.make("convert", {put}, as_number)}, add);
  Value* chosen =
      emitter.make("select", {operand == 0 ? kept : put, tangent, zeros(emitter, tangent->type())});
  if (operand == 2) chosen = emitter.make("scatter", {zeros(emitter, array->type()), indices, chosen}, add);
  return emitter.make("div", {chosen, count});
}

// Whether no element is met twice: it is said so, or there is one window, of each part of the array that
// indices of its own belong to.
bool meets_once(const Op& op) {
  if (op.attributes().has("unique") && op.attributes().flag("unique")) return true;
  const WindowDims dims = WindowDims::of(op.attributes());
  int64_t windows = 1;
  for (int64_t d = 0; d < op.operand(1)->rank(); ++d)
    if (d != dims.index_vector_dim && std::ranges::count(dims.indices_batching, d) == 0)
      windows *= op.operand(1)->shape()[static_cast<size_t>(d)];
  return windows <= 1;
}

// The array's tangent where nothing is put, and what the updates' tangents put elsewhere.
Value* scatter_term(const ir::TermContext& context, int operand, Value* tangent, ir::Emitter& emitter) {
  const Attributes& attributes = context.op.attributes();
  const std::string& combiner = combiner_of_scatter(attributes);
  if (operand == 1) return nullptr;
  if (combiner == "max" || combiner == "min") return extreme_term(context, operand, tangent, emitter);
  if (combiner == "mul" && operand == 2) {
    if (!meets_once(context.op))
      fail(
          "the derivative of products with regard to the updates is not known where two of them may meet; "
          "write them as sums of logarithms, or as one product after the other");
    Value* factor = emitter.make("gather", {context.operands[0], context.operands[1]}, reading(attributes));
    return emitter.make("scatter",
                        {zeros(emitter, context.op.operand(0)->type()), context.operands[1],
                         emitter.make("mul", {tangent, factor})},
                        with_combiner(attributes, "add"));
  }
  if (operand == 0 && combiner == "add") return tangent;
  if (combiner == "mul")
    return emitter.make("scatter", {tangent, context.operands[1], context.operands[2]}, attributes);
  Value* array = operand == 0 ? tangent : zeros(emitter, context.op.operand(0)->type());
  Value* updates = operand == 2 ? tangent : zeros(emitter, context.op.operand(2)->type());
  return emitter.make("scatter", {array, context.operands[1], updates}, attributes);
}

// Which updates are still there at the end: each puts its number, and looks whether it finds it.
Value* is_last(const Op& op, Value* indices, ir::Emitter& emitter, const Attributes& read) {
  const Shape& shape = op.operand(2)->shape();
  Value* numbers = emitter.make(
      "iota", {}, {{"dtype", DType::kS32}, {"shape", IntList{element_count(shape)}}, {"axis", int64_t{0}}});
  numbers = emitter.make("reshape", {numbers}, {{"shape", shape}});
  Value* nobody = filled(emitter, {DType::kS32, op.operand(0)->shape()}, -1);
  Value* winners = emitter.make("scatter", {nobody, indices, numbers}, op.attributes());
  Value* found = emitter.make("gather", {winners, indices}, read);
  return equal(found, numbers, emitter);
}

void scatter_transpose(const Op& op, Value* cotangent, ir::Transposition& transposition) {
  const std::string& combiner = combiner_of_scatter(op.attributes());
  Value* indices = transposition.known(1);
  if (combiner == "mul") {
    Value* updates = transposition.known(2);
    return transposition.add(0,
                             transposition.make("scatter", {cotangent, indices, updates}, op.attributes()));
  }
  const Attributes read = reading(op.attributes());
  if (transposition.is_linear(0)) {
    Value* hidden = cotangent;
    if (combiner == "set") {
      Value* nothing = zeros(transposition, op.operand(2)->type());
      hidden = transposition.make("scatter", {cotangent, indices, nothing}, op.attributes());
    }
    transposition.add(0, hidden);
  }
  if (!transposition.is_linear(2)) return;
  Value* updates = transposition.make("gather", {cotangent, indices}, read);
  if (combiner == "set") {
    Value* nothing = zeros(transposition, op.operand(2)->type());
    updates = transposition.make("select", {is_last(op, indices, transposition, read), updates, nothing});
  }
  transposition.add(2, updates);
}

constinit const OpRecord scatter{
    .name = "scatter",
    .doc =
        "(x, indices, updates): x with windows put into it, or combined with what is there by the `combiner` "
        "\"set\", "
        "\"add\", \"mul\", \"max\" or \"min\", one after the other in the order of the updates, which have "
        "the "
        "type of what a gather with the same attributes gives: `slice_sizes`, `start_index_map`, "
        "`index_vector_dim`, "
        "`collapsed_slice_dims`, `offset_dims`, `operand_batching_dims`, `start_indices_batching_dims`. A "
        "window that "
        "would leave x begins where it just fits (`mode` \"clip\") or is left out (\"fill\", \"zero\"). "
        "`unique` says that "
        "no element is met twice, which products need for derivatives in the updates.",
    .operands = Arity{3, 3},
    .regions = 0,
    .attributes = AttributeList{attribute::list("offset_dims"), attribute::list("collapsed_slice_dims"),
                                attribute::list("operand_batching_dims"),
                                attribute::list("start_indices_batching_dims"),
                                attribute::list("start_index_map"), attribute::integer("index_vector_dim"),
                                attribute::list("slice_sizes"), attribute::text("mode"),
                                attribute::text("combiner"), attribute::flag("unique").optional()},
    .infer = infer_scatter,
    .batch = batch_scatter,
    .becomes = ir::Scatter{},
    .reference = scatter_reference,
    .identities = nullptr,
    .jvp = ir::Terms{scatter_term},
    .transpose = scatter_transpose,
    .stablehlo = "stablehlo.scatter",
};

constexpr const OpRecord* kScatterRecords[] = {&scatter};

}  // namespace

Records scatter_records() {
  return kScatterRecords;
}

const OpRecord& ScatterOp::record() {
  return scatter;
}

}  // namespace ingot::ops
