// Derivatives of loops of which nobody knows how many steps they take.
//
// The jvp of a while is one while over values and tangents side by side; its predicate asks for the values
// alone. Reverse mode needs what every step has computed, so it needs a bound of their number, `max_steps`.
// With one, the loop is written as a scan of so many steps before it is linearised: each step asks the
// predicate and takes a branch, the body or nothing (differentiate_cond.cc). So a step that does not run
// hands over zeros that nobody looks at.
//
// Behind the scan stands a while that may take no step (`max_steps` 0): it hands on its carries, or is an
// error where the bound was not enough. Its derivative is such a while over tangents, with the values that
// the predicate asks for as invariants, and so is the transpose of that. So a gradient cannot be wrong in
// silence, also if nobody looks at the value.
#include <algorithm>

#include "base/check.h"
#include "base/extents.h"
#include "ir/op_record.h"
#include "ops/control.h"
#include "ops/derivatives.h"
#include "ops/make.h"
#include "transform/differentiate.h"
#include "transform/regions_builder.h"

namespace ingot::transform {

using ir::Builder;
using ir::Op;
using ir::Region;
using ir::Value;
using ops::WhileOp;

void RegionDifferentiator::while_of_jvp(const Op& op, const Mask& active) {
  const WhileOp loop(op);
  const std::unique_ptr<Region> asks = forward_.function()->make_region(),
                                step = forward_.function()->make_region();
  clone_region(loop.predicate(), *asks);
  RegionDifferentiator inner(shared_, *step, *step, provenance_);
  for (const Value* argument : loop.body().arguments()) {
    Value* primal = step->add_argument(argument->type(), argument->name());
    const bool has_tangent = active[static_cast<size_t>(argument->index())];
    inner.bind(argument, primal,
               has_tangent ? step->add_argument(argument->type(), argument->name() + "_t") : nullptr);
  }
  inner.run(loop.body());

  RegionsBuilder builder({asks.get(), step.get()}, loop.lanes());
  Values next;
  std::vector<std::pair<const Value*, int>> tangents;  // a result, and where its tangent is
  const auto is_active = [&](const Value* argument) {
    return active[static_cast<size_t>(argument->index())];
  };
  const auto asked = [&](const Value* argument) { return asks->argument(argument->index()); };
  for (const WhileOp::Carry& carry : loop.carries()) {
    builder.carry({asked(carry.asked), inner.primal(carry.argument)}, primal(carry.initial));
    next.push_back(inner.primal(carry.next));
  }
  for (const WhileOp::Carry& carry : loop.carries()) {
    if (!is_active(carry.argument)) continue;
    tangents.emplace_back(
        carry.result, builder.carry({nullptr, inner.tangent(carry.argument)}, linear_tangent(carry.initial)));
    next.push_back(inner.linear_tangent(carry.next));
  }
  step->set_results(next);
  const auto mapped = [&](const Value* argument) { return loop.lanes().is_mapped(argument->index()); };
  for (const WhileOp::Invariant& x : loop.invariants())
    builder.argument({asked(x.asked), inner.primal(x.argument)}, primal(x.value), mapped(x.argument));
  for (const WhileOp::Invariant& x : loop.invariants()) {
    if (is_active(x.argument))
      builder.argument({nullptr, inner.tangent(x.argument)}, linear_tangent(x.value), mapped(x.argument));
  }
  RegionsBuilder::Result made = builder.finish();
  const Op* both = emit_forward("while", made.operands, made.of_while(loop.form()), std::move(made.regions));
  for (int k = 0; k < op.result_count(); ++k) primals_[op.result(k)] = both->result(k);
  for (const auto& [of, k] : tangents) set_tangent(of, both->result(k));
}

namespace {

// The while that may take no step: carries, then invariants, which are arguments of `to` already.
Op* check_of(const WhileOp& loop, Builder& builder, const std::vector<Value*>& operands) {
  std::vector<std::unique_ptr<Region>> regions;
  for (int k = 0; k < 2; ++k) regions.push_back(builder.make_region());
  clone_region(loop.predicate(), *regions[0]);
  for (const Value* argument : loop.body().arguments())
    regions[1]->add_argument(argument->type(), argument->name());
  std::vector<Value*> same = regions[1]->arguments();
  same.resize(static_cast<size_t>(loop.carry_count()));
  regions[1]->set_results(same);
  ops::WhileForm form = loop.form();
  form.steps_before = add_extents(form.steps_before, *form.max_steps);
  form.max_steps = 0;
  return builder.make("while", operands, form.attributes(), std::move(regions));
}

// One step of the scan: the body's carries where the predicate holds, those that it is given where not.
void write_step(const WhileOp& loop, Region& step) {
  const ops::Lanes& lanes = loop.lanes();
  Builder builder(step);
  builder.set_provenance(loop.op().provenance());
  for (const Value* operand : loop.op().operands()) step.add_argument(operand->type(), operand->name());
  std::vector<Value*> operands = step.arguments();
  const auto cond = [&](Value* index, std::vector<std::unique_ptr<Region>> branches) {
    std::vector<Value*> all = {index};
    all.insert(all.end(), operands.begin(), operands.end());
    ops::Lanes of_cond = lanes;
    if (lanes.any()) of_cond.mapped.insert(of_cond.mapped.begin(), 1);
    ir::Attributes attributes;
    of_cond.write(attributes);
    return builder.make("cond", all, attributes, std::move(branches))->results();
  };

  Value* holds = nullptr;
  if (lanes.any()) {  // a cond of one branch is that region for all lanes
    std::vector<std::unique_ptr<Region>> only;
    clone_region(loop.predicate(), *only.emplace_back(builder.make_region()));
    Value* zero = builder.constant(Tensor(DType::kS32, {}));
    holds = cond(make::spread(builder, zero, lanes.extents), std::move(only))[0];
  } else {
    ir::ValueMap map;
    for (const Value* argument : loop.predicate().arguments())
      map[argument] = step.argument(argument->index());
    holds = clone_ops(loop.predicate(), step, map)[0];
  }
  std::vector<std::unique_ptr<Region>> branches;
  Region& stays = *branches.emplace_back(builder.make_region());
  for (const Value* argument : loop.body().arguments())
    stays.add_argument(argument->type(), argument->name());
  std::vector<Value*> same = stays.arguments();
  same.resize(static_cast<size_t>(loop.carry_count()));
  stays.set_results(same);
  clone_region(loop.body(), *branches.emplace_back(builder.make_region()));
  step.set_results(cond(make::convert(builder, holds, DType::kS32), std::move(branches)));
}

// The scan that a while with a bound is, and the while behind it that tells where the bound was not enough:
// a region that takes the operands of the while and returns its results.
void write_as_scan(const WhileOp& loop, Region& to) {
  Builder builder(to);
  builder.set_provenance(loop.op().provenance());
  for (const Value* operand : loop.op().operands()) to.add_argument(operand->type(), operand->name());
  std::vector<Value*> operands = to.arguments();
  std::vector<std::unique_ptr<Region>> steps;
  write_step(loop, *steps.emplace_back(builder.make_region()));
  const ops::ScanForm form{.carries = loop.carry_count(), .length = *loop.form().max_steps};
  const Op* scan = builder.make("scan", operands, form.attributes(), std::move(steps));
  for (int k = 0; k < loop.carry_count(); ++k) operands[static_cast<size_t>(k)] = scan->result(k);
  to.set_results(check_of(loop, builder, operands)->results());
}

void want_bound(const WhileOp& loop) {
  if (loop.form().max_steps.value_or(0) > kMostElements) {
    throw Error(
        ir::line_of(loop.op().provenance()) + "while: `max_steps` is " +
        std::to_string(*loop.form().max_steps) +
        "; reverse mode (grad, vjp, linearize) keeps what each of so many steps has computed, so they "
        "must be at most " +
        std::to_string(kMostElements) + " (2^48), and far fewer for the memory that there is");
  }
  if (loop.form().max_steps.has_value()) return;
  throw Error(
      ir::line_of(loop.op().provenance()) +
      "while: reverse mode (grad, vjp, linearize) needs a bound of the number of steps, since it keeps what "
      "each of them has computed: give `max_steps` in the options of while_loop, or write the loop as a scan "
      "of so many steps; forward mode (jvp, jacfwd) needs no bound. Of a program that was loaded, export the "
      "derivative, or give it a rule by custom_jvp or custom_vjp");
}

}  // namespace

void RegionDifferentiator::while_linearized(const Op& op) {
  const WhileOp loop(op);
  want_bound(loop);
  // What is made for the draft is found by its values, so that it lives as long as the map of these.
  Region& draft = *drafts_.emplace_back(forward_.function()->make_region());
  write_as_scan(loop, draft);
  for (Value* argument : draft.arguments()) {
    const Value* operand = op.operand(argument->index());
    bind(argument, primal(operand), tangent(operand));
  }
  run(draft);
  for (int k = 0; k < op.result_count(); ++k) {
    const Value* result = draft.results()[static_cast<size_t>(k)];
    primals_[op.result(k)] = primal(result);
    set_tangent(op.result(k), tangent(result));
  }
}

// A while in a rule of the user's, with tangents among its operands.
RegionDifferentiator::Values RegionDifferentiator::while_of_rule(const Op& op, const Values& operands) {
  const WhileOp loop(op);
  want_bound(loop);
  if (*loop.form().max_steps > 0) {
    Region& draft = *drafts_.emplace_back(forward_.function()->make_region());
    write_as_scan(loop, draft);
    return inline_rule(draft, operands);
  }
  Values results(op.results().size(), nullptr);
  for (const bool linear : {false, true}) {
    Values carried(results.size(), nullptr);
    std::vector<size_t> carries;
    for (size_t k = 0; k < carried.size(); ++k) {
      if (is_linear(operands[k]) != linear) continue;
      carried[k] = operands[k];
      carries.push_back(k);
    }
    if (carries.empty()) continue;
    ir::Function& home = *(linear ? linear_ : forward_).function();
    auto made = loop_of_no_steps(loop, home, carried, [&](int i) {
      Value* value = operands[static_cast<size_t>(i)];
      if (is_linear(value)) {
        throw Error(ir::line_of(op.provenance()) +
                    "while: a tangent decides how many steps are taken; a rule given to custom_jvp must be "
                    "linear in the tangents");
      }
      return value;
    });
    const Op* part =
        linear ? emit_linear("while", made.operands, made.of_while(loop.form()), std::move(made.regions))
               : emit_forward("while", made.operands, made.of_while(loop.form()), std::move(made.regions));
    for (size_t c = 0; c < carries.size(); ++c) results[carries[c]] = part->result(static_cast<int>(c));
  }
  return results;
}

// A while that may take no step: tangents are handed on as the values are.
void RegionDifferentiator::while_of_no_steps(const Op& op) {
  const WhileOp loop(op);
  copy(op);
  Values carried(op.results().size(), nullptr);
  for (const WhileOp::Carry& carry : loop.carries()) {
    if (carry.result->used()) carried[static_cast<size_t>(carry.result->index())] = tangent(carry.initial);
  }
  auto made =
      loop_of_no_steps(loop, *linear_.function(), carried, [&](int i) { return primal(op.operand(i)); });
  const Op* linear = emit_linear("while", made.operands, made.of_while(loop.form()), std::move(made.regions));
  int next = 0;
  for (int k = 0; k < op.result_count(); ++k) {
    if (carried[static_cast<size_t>(k)] != nullptr) set_tangent(op.result(k), linear->result(next++));
  }
}

}  // namespace ingot::transform
