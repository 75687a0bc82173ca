// Control: loops over an axis, calls of functions, and the groups that fusion makes.
#include <algorithm>

#include "ops/batching.h"
#include "ops/control.h"
#include "ops/identities.h"
#include "ops/registry.h"
#include "ops/save_policy.h"
#include "ops/support.h"

namespace ingot::ops {
namespace {

// --- scan

int64_t count_attribute(const Attributes& attributes, const char* name) {
  const int64_t value = attributes.integer(name);
  if (value < 0) fail("'", name, "' is ", value, ", but must not be negative");
  if (value > kMostElements)
    fail("'", name, "' is ", value, ", but may be at most ", kMostElements, " (2^48)");
  return value;
}

// The types of the region's arguments, once the operands are known to be right.
Types scan_arguments(const InferContext& context, size_t carries, size_t scanned, int64_t length) {
  const IntList& xs_axes = context.attributes.list("xs_axes");
  want_length(xs_axes, static_cast<int64_t>(scanned), "xs_axes", "one per scanned array");
  Types types;
  for (size_t k = 0; k < context.operands.size(); ++k) {
    const TensorType& x = context.operands[k];
    if (k < carries || k >= carries + scanned) {
      types.push_back(x);
      continue;
    }
    const int64_t axis = xs_axes[k - carries];
    want_axis(axis, x.rank(), "xs_axes");
    if (x.shape[static_cast<size_t>(axis)] != length) {
      fail("scanned array ", k - carries, " is ", x, ", but its dimension ", axis, " must have the 'length' ",
           length);
    }
    types.push_back({x.dtype, without_axes(x.shape, {&axis, 1})});
  }
  return types;
}

void want_active(const InferContext& context, size_t carries) {
  const IntList& active = context.attributes.list("active");
  want_length(active, 4, "active", "a dimension and three coefficients");
  if (carries == 0) fail("'active' is about carries, but there are none");
  want_axis(active[0], context.operands[0].rank(), "active");
}

void want_running(const InferContext& context, size_t carries) {
  const int64_t running = context.attributes.integer("running");
  if (running < 0 || static_cast<size_t>(running) >= carries)
    fail("'running' is ", running, ", but must be the number of one of the ", carries, " carries");
  const TensorType& mask = context.operands[static_cast<size_t>(running)];
  if (mask.dtype != DType::kPred)
    fail("'running' names carry ", running, ", which is ", mask, " and no pred");
  if (!context.attributes.list("ys_axes").empty())
    fail("'running' promises that steps need not run, but each of them makes slices of stacks");
}

Types infer_scan(const InferContext& context) {
  const size_t carries = static_cast<size_t>(count_attribute(context.attributes, "carries"));
  const size_t scanned = static_cast<size_t>(count_attribute(context.attributes, "scanned"));
  const int64_t length = count_attribute(context.attributes, "length");
  context.attributes.flag("reverse");
  if (context.operands.size() < carries + scanned) {
    fail("has ", context.operands.size(), " operands, but needs ", carries, " carries and ", scanned,
         " scanned arrays");
  }
  want_region_arguments(*context.regions[0], scan_arguments(context, carries, scanned, length),
                        "the carries, a slice of each scanned array, the invariants");
  if (context.attributes.has("active")) want_active(context, carries);
  if (context.attributes.has("running")) want_running(context, carries);
  const IntList& ys_axes = context.attributes.list("ys_axes");
  Types results = result_types(*context.regions[0]);
  if (results.size() != carries + ys_axes.size()) {
    fail("the region returns ", results.size(), " values, but must return ", carries, " carries and ",
         ys_axes.size(), " slices, one per entry of 'ys_axes'");
  }
  for (size_t k = 0; k < results.size(); ++k) {
    if (k < carries) {
      if (results[k] == context.operands[k]) continue;
      fail("carry ", k, " starts as ", context.operands[k], ", but the region returns ", results[k],
           " for the next step; they must be equal");
    }
    const int64_t axis = ys_axes[k - carries];
    want_axis(axis, results[k].rank() + 1, "ys_axes");
    results[k].shape.insert(results[k].shape.begin() + axis, length);
  }
  return with_stored_forms(context.attributes, std::move(results));
}

// Copies between a stack and its slice at position `at` along the axis.
void copy_slice(Tensor& to, const Tensor& from, int64_t axis, int64_t at, bool into_stack) {
  const Tensor& stack = into_stack ? to : from;
  const size_t a = static_cast<size_t>(axis);
  int64_t inner = 1, outer = 1;
  for (size_t i = 0; i < stack.shape().size(); ++i) {
    if (i != a) (i < a ? outer : inner) *= stack.shape()[i];
  }
  for (int64_t o = 0; o < outer; ++o) {
    const int64_t in_stack = (o * stack.shape()[a] + at) * inner, in_slice = o * inner;
    for (int64_t i = 0; i < inner; ++i) {
      copy_element(to, (into_stack ? in_stack : in_slice) + i, from, (into_stack ? in_slice : in_stack) + i);
    }
  }
}

Tensors scan_reference(const Op& op, std::span<const Tensor> operands, Evaluator& evaluator) {
  const ScanOp scan(op);
  const auto carries = static_cast<std::ptrdiff_t>(scan.carry_count());
  Tensors results(operands.begin(), operands.begin() + carries);
  for (const ScanOp::Stack& stack : scan.stacks())
    results.emplace_back(stack.whole->dtype(), stack.whole->shape());
  for (int64_t step = 0; step < scan.length(); ++step) {
    const int64_t at = scan.reverse() ? scan.length() - 1 - step : step;
    Tensors arguments(results.begin(), results.begin() + carries);
    for (size_t i = arguments.size(); i < operands.size(); ++i) {
      const Tensor& x = operands[i];
      const int operand = static_cast<int>(i);
      if (scan.is_invariant(operand)) {
        arguments.push_back(x);
        continue;
      }
      const int64_t axis = scan.scanned_axis(operand);
      Tensor slice(x.dtype(), without_axes(x.shape(), {&axis, 1}));
      copy_slice(slice, x, axis, at, false);
      arguments.push_back(slice);
    }
    if (scan.form().running.has_value()) {  // tens of thousands of steps that change nothing are not run
      const Tensor& mask = arguments[static_cast<size_t>(*scan.form().running)];
      bool any = false;
      for (int64_t i = 0; i < mask.size(); ++i) any = any || mask.get_int(i) != 0;
      if (!any) break;
    }
    Tensors next = evaluator.run(op.region(), arguments);
    for (size_t k = 0; k < next.size(); ++k) {
      const int result = static_cast<int>(k);
      if (scan.is_stack(result))
        copy_slice(results[k], next[k], scan.stack_axis(result), at, true);
      else
        results[k] = next[k];
    }
  }
  return results;
}

// A slice that loses or gains the scanned dimension keeps its batch between the same neighbours.
Batches batch_scan(const Op& op, std::span<const Batched> x, Batcher& batcher) {
  ScanForm form = ScanForm::of(op.attributes());
  const auto carries = static_cast<size_t>(form.carries);
  std::vector<int64_t> argument_axes = axes_of(x);
  for (size_t k = 0; k < form.xs_axes.size(); ++k) {
    int64_t& axis = argument_axes[carries + k];
    if (axis == Batched::kShared) continue;
    const int64_t at = form.xs_axes[k];
    form.xs_axes[k] = batched_dim(at, axis);
    if (axis > at) --axis;
  }
  Batcher::BatchedRegion steps = batcher.batch_steps(op.region(), carries, argument_axes);
  std::vector<Value*> operands;
  for (size_t k = 0; k < x.size(); ++k) {
    const bool carry = k < carries && argument_axes[k] != Batched::kShared;
    operands.push_back(carry ? with_batch_at(batcher, x[k], argument_axes[k]) : x[k].value);
  }
  std::vector<int64_t> axes = steps.axes;
  for (size_t k = 0; k < form.ys_axes.size(); ++k) {
    int64_t& axis = axes[carries + k];
    if (axis == Batched::kShared) continue;
    if (form.ys_axes[k] > axis)
      ++form.ys_axes[k];
    else
      ++axis;
  }
  if (form.active.has_value() && argument_axes[0] != Batched::kShared)
    form.active->dim = batched_dim(form.active->dim, argument_axes[0]);
  Attributes attributes = op.attributes();
  form.write(attributes);
  std::vector<std::unique_ptr<ir::Region>> regions;
  regions.push_back(std::move(steps.region));
  const Op* made = batcher.make("scan", operands, attributes, std::move(regions));
  Batches results;
  for (int i = 0; i < made->result_count(); ++i)
    results.push_back({made->result(i), axes[static_cast<size_t>(i)]});
  return results;
}

constinit const OpRecord scan{
    .name = "scan",
    .doc =
        "A loop of `length` steps. Operands: `carries` initial values, `scanned` arrays, then invariants. "
        "Step s hands "
        "the region the carries, slice s of each scanned array along its axis in `xs_axes`, and the "
        "invariants; the "
        "region returns the next carries and slices, which are stacked along `ys_axes`. Results: the final "
        "carries, the "
        "stacks. With `reverse` step s works on slice length-1-s of all arrays and stacks. `active` = [d, a, "
        "b, "
        "c], if "
        "given, is a promise: where a*i + b*s + c < 0, step s leaves alone what it carries at index i of "
        "dimension d "
        "of the first carry, and in all carries along with it. `running` is another one: where that carry, a "
        "pred, is false, no step that is left changes anything along with it. Such steps need not run. "
        "Result "
        "i lies in memory with its dimensions in the `order`i that layout chose.",
    .operands = Arity{0, Arity::kAny},
    .regions = 1,
    .attributes =
        AttributeList{attribute::integer("carries"), attribute::integer("scanned"),
                      attribute::integer("length"), attribute::flag("reverse"), attribute::list("xs_axes"),
                      attribute::list("ys_axes"), attribute::list("active").optional(),
                      attribute::integer("running").optional(), attribute::list("order").per_result()},
    .infer = infer_scan,
    .batch = batch_scan,
    .becomes = ir::RegionControl{},
    .reference = scan_reference,
    .identities = scan_identities,
    .jvp = ir::Structural{},
    .transpose = ir::Structural{},
    .stablehlo = "",
};

// --- call

// Rules for batches have their numbers in the process that has traced the function: whether there is one is
// known where a batch asks for it. A text of another process is compiled, and interpreted, without it.
void want_number_of_rule(const Attributes& attributes) {
  const int64_t number = attributes.integer("batch_rule");
  if (number < 0) fail("'batch_rule' is ", number, ", but rules have numbers from 0 on");
}

Types infer_call(const InferContext& context) {
  const std::string& name = context.attributes.get<ir::Symbol>("callee").name;
  if (context.callee == nullptr) fail("there is no function @", name);
  const ir::Region& body = context.callee->body();
  if (!body.terminated() && !context.callee->declared)
    fail("@", name, " is not complete yet; a function cannot call itself");
  if (body.argument_count() != static_cast<int>(context.operands.size())) {
    fail("@", name, " takes ", body.argument_count(), " arguments, but is given ", context.operands.size());
  }
  for (int i = 0; i < body.argument_count(); ++i) {
    const TensorType& type = context.operands[static_cast<size_t>(i)];
    if (body.argument(i)->type() != type) {
      fail("argument ", i, " of @", name, ", %", body.argument(i)->name(), ", is ", body.argument(i)->type(),
           ", but is given ", type);
    }
  }
  if (context.attributes.has("policy")) SavePolicy::parse(context.attributes.get<std::string>("policy"));
  if (context.attributes.has("batch_rule")) want_number_of_rule(context.attributes);
  return with_stored_forms(context.attributes,
                           context.callee->declared ? context.callee->declared->results : result_types(body));
}

Tensors call_reference(const Op& op, std::span<const Tensor> operands, Evaluator& evaluator) {
  return evaluator.run(CallOp(op).callee().body(), operands);
}

Batches batch_call(const Op& op, std::span<const Batched> x, Batcher& batcher) {
  const Batcher::BatchedCallee callee = batcher.batch_callee(op, axes_of(x));
  std::vector<Value*> operands;
  for (const Batched& operand : x) operands.push_back(operand.value);
  Attributes attributes = op.attributes();
  attributes.set("callee", ir::Symbol{callee.name});
  const Op* made = batcher.make("call", operands, attributes);
  Batches results;
  for (int i = 0; i < made->result_count(); ++i)
    results.push_back({made->result(i), callee.axes[static_cast<size_t>(i)]});
  return results;
}

constinit const OpRecord call{
    .name = "call",
    .doc =
        "The results of the function `callee` of the same module for these arguments. Rules of the user's "
        "own "
        "for derivatives are functions, too: `jvp`, `vjp_forward` and `vjp_backward`, or `transpose` behind "
        "so many `residuals`; one for batches has the number `batch_rule`. With `checkpoint` reverse mode "
        "keeps of the callee what the `policy` names and computes the rest again, in calls with `recompute`. "
        "Result i lies in memory with its dimensions in the `order`i that layout chose.",
    .operands = Arity{0, Arity::kAny},
    .regions = 0,
    .attributes =
        AttributeList{attribute::symbol("callee"), attribute::symbol("jvp").optional(),
                      attribute::symbol("vjp_forward").optional(),
                      attribute::symbol("vjp_backward").optional(), attribute::symbol("transpose").optional(),
                      attribute::integer("residuals").optional(), attribute::integer("batch_rule").optional(),
                      attribute::flag("checkpoint").optional(), attribute::text("policy").optional(),
                      attribute::flag("recompute").optional(), attribute::list("order").per_result()},
    .infer = infer_call,
    .batch = batch_call,
    .becomes = ir::RegionControl{},
    .reference = call_reference,
    .identities = nullptr,
    .jvp = ir::Structural{},
    .transpose = ir::Structural{},
    .stablehlo = "func.call",
};

// --- linear_call

// The tangents come behind the residuals, so the callee's arguments behind its residuals are the results.
Types infer_linear_call(const InferContext& context) {
  const std::string& name = context.attributes.get<ir::Symbol>("callee").name;
  if (context.callee == nullptr) fail("there is no function @", name);
  const ir::Region& body = context.callee->body();
  const size_t residuals = static_cast<size_t>(count_attribute(context.attributes, "residuals"));
  const Types tangents = result_types(body);
  if (context.operands.size() != residuals + tangents.size() ||
      static_cast<size_t>(body.argument_count()) < residuals) {
    fail("has ", context.operands.size(), " operands, but needs ", residuals, " residuals and ",
         tangents.size(), " tangents, one per result of @", name);
  }
  Types results;
  for (int i = 0; i < body.argument_count(); ++i) {
    const size_t k = static_cast<size_t>(i);
    const TensorType& want = body.argument(i)->type();
    if (k >= residuals) {
      results.push_back(want);
    } else if (context.operands[k] != want) {
      fail("residual ", i, " is ", context.operands[k], ", but @", name, " takes ", want);
    }
  }
  for (size_t k = 0; k < tangents.size(); ++k) {
    if (context.operands[residuals + k] == tangents[k]) continue;
    fail("tangent ", k, " is ", context.operands[residuals + k], ", but @", name, " returns ", tangents[k]);
  }
  return results;
}

Tensors linear_call_reference(const Op& op, std::span<const Tensor>, Evaluator&) {
  LinearCallOp(op).fail_forwards();
}

// What is known is the transpose, so that is batched: for residuals as they are, and with a batch in front of
// all that it takes and gives besides.
Batches batch_linear_call(const Op& op, std::span<const Batched> x, Batcher& batcher) {
  const auto residuals = static_cast<size_t>(LinearCallOp(op).residuals());
  std::vector<int64_t> axes = axes_of(x.subspan(0, residuals));
  axes.resize(residuals + static_cast<size_t>(op.result_count()), 0);
  const std::vector<int64_t> wanted(x.size() - residuals, 0);
  const Batcher::BatchedCallee callee = batcher.batch_callee(op, axes, wanted);
  std::vector<Value*> operands;
  for (size_t k = 0; k < x.size(); ++k)
    operands.push_back(k < residuals ? x[k].value : with_batch_at(batcher, x[k], 0));
  Attributes attributes = op.attributes();
  attributes.set("callee", ir::Symbol{callee.name});
  Batches results;
  for (Value* result : batcher.make("linear_call", operands, attributes)->results())
    results.push_back({result, 0});
  return results;
}

constinit const OpRecord linear_call{
    .name = "linear_call",
    .doc =
        "The linear function whose transpose is the function `callee`, of which nothing else is known. "
        "Operands: `residuals` known values, then tangents, one per result of the callee. Results: one per "
        "argument of the callee behind its residuals. A callee with a batching rule has the number "
        "`batch_rule`.",
    .operands = Arity{0, Arity::kAny},
    .regions = 0,
    .attributes = AttributeList{attribute::symbol("callee"), attribute::integer("residuals"),
                                attribute::integer("batch_rule").optional()},
    .infer = infer_linear_call,
    .batch = batch_linear_call,
    .becomes = ir::RegionControl{},
    .reference = linear_call_reference,
    .identities = nullptr,
    .jvp = ir::Structural{},
    .transpose = ir::Structural{},
    .stablehlo = "",
};

// --- fused

void want_parts_of_a_kernel(const ir::Region& region) {
  for (const auto& op : region.ops()) {
    if (op->is_return()) continue;
    const ir::Becomes& becomes = *op->record().becomes;
    if (std::holds_alternative<ir::Collective>(becomes) ||
        std::holds_alternative<ir::LibraryRoutine>(becomes) ||
        (std::holds_alternative<ir::RegionControl>(becomes) && !is<ScanOp>(*op)))
      fail("'", op->name(), "' cannot be part of a kernel, only stand outside of one");
    for (int r = 0; r < op->region_count(); ++r) want_parts_of_a_kernel(op->region(r));
  }
}

Types infer_fused(const InferContext& context) {
  context.attributes.get<std::string>("kernel");
  want_parts_of_a_kernel(*context.regions[0]);
  want_region_arguments(*context.regions[0], {context.operands.begin(), context.operands.end()},
                        "the operands");
  return with_stored_forms(context.attributes, result_types(*context.regions[0]));
}

Tensors fused_reference(const Op& op, std::span<const Tensor> operands, Evaluator& evaluator) {
  return evaluator.run(op.region(), operands);
}

Batches batch_fused(const Op& op, std::span<const Batched> x, Batcher& batcher) {
  Batcher::BatchedRegion body = batcher.batch(op.region(), axes_of(x));
  std::vector<Value*> operands;
  for (const Batched& operand : x) operands.push_back(operand.value);
  std::vector<std::unique_ptr<ir::Region>> regions;
  regions.push_back(std::move(body.region));
  const Op* made = batcher.make("fused", operands, op.attributes(), std::move(regions));
  Batches results;
  for (int i = 0; i < made->result_count(); ++i)
    results.push_back({made->result(i), body.axes[static_cast<size_t>(i)]});
  return results;
}

constinit const OpRecord fused{
    .name = "fused",
    .doc =
        "One kernel, called `kernel`: the results of its region for its operands. Made by fusion. Result i "
        "lies in memory with its dimensions in the `order`i that layout chose, and with rows `pitch`i "
        "elements apart.",
    .operands = Arity{0, Arity::kAny},
    .regions = 1,
    .attributes = AttributeList{attribute::text("kernel"), attribute::list("order").per_result(),
                                attribute::integer("pitch").per_result()},
    .infer = infer_fused,
    .batch = batch_fused,
    .becomes = ir::RegionControl{},
    .reference = fused_reference,
    .identities = nullptr,
    .jvp = ir::NotDifferentiable{"fusion makes it after everything has been differentiated"},
    .transpose = ir::NotLinear{},
    .stablehlo = "",
};

constexpr const OpRecord* kControlRecords[] = {&scan, &call, &linear_call, &fused};

}  // namespace

Records control_records() {
  return kControlRecords;
}

const OpRecord& ScanOp::record() {
  return scan;
}
const OpRecord& CallOp::record() {
  return call;
}
const OpRecord& LinearCallOp::record() {
  return linear_call;
}
const OpRecord& FusedOp::record() {
  return fused;
}

}  // namespace ingot::ops
