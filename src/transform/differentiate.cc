#include "transform/differentiate.h"

#include <algorithm>

#include "base/check.h"
#include "ops/control.h"
#include "ops/derivatives.h"
#include "ops/kinds.h"
#include "ops/make.h"

namespace ingot::transform {

using ir::Op;
using ir::Region;
using ir::Value;
using ops::CallForm;
using ops::CallOp;

void RegionDifferentiator::bind(const Value* source, Value* primal, Value* tangent) {
  primals_[source] = primal;
  if (tangent != nullptr) tangents_[source] = tangent;
}

Value* RegionDifferentiator::tangent(const Value* source) const {
  auto it = tangents_.find(source);
  return it == tangents_.end() ? nullptr : it->second;
}

Value* RegionDifferentiator::linear_tangent(const Value* source) {
  Value* known = tangent(source);
  return in_linear(known != nullptr ? known : ops::zeros(*this, source->type()));
}

bool RegionDifferentiator::is_linear(const Value* value) const {
  const Region* home = value->op() != nullptr ? value->op()->parent() : value->region();
  return home == &linear_;
}

Value* RegionDifferentiator::in_linear(Value* value) {
  if (is_linear(value)) return value;
  Value*& argument = residual_of_[value];
  if (argument == nullptr) {
    argument = linear_.add_argument(value->type(), value->name());
    residuals_.push_back({value, argument});
  }
  return argument;
}

RegionDifferentiator::Values RegionDifferentiator::primals_of(const Op& op) const {
  Values values;
  for (const Value* operand : op.operands()) values.push_back(primal(operand));
  return values;
}

Op* RegionDifferentiator::emit(std::string_view record, Values operands, ir::Attributes attributes,
                               const FillRegion& fill) {
  bool linear = false;
  for (const Value* operand : operands) linear = linear || is_linear(operand);
  Regions regions;
  if (fill) {
    regions.push_back((linear ? linear_ : forward_).function()->make_region());
    fill(*regions.back());
  }
  return linear ? emit_linear(record, std::move(operands), std::move(attributes), std::move(regions))
                : emit_forward(record, std::move(operands), std::move(attributes), std::move(regions));
}

Op* RegionDifferentiator::emit_forward(std::string_view record, Values operands, ir::Attributes attributes,
                                       Regions regions) {
  ir::Builder builder(forward_);
  builder.set_provenance(provenance_);
  return builder.make(record, std::move(operands), std::move(attributes), std::move(regions));
}

Op* RegionDifferentiator::emit_linear(std::string_view record, Values operands, ir::Attributes attributes,
                                      Regions regions) {
  for (Value*& operand : operands) operand = in_linear(operand);
  ir::Builder builder(linear_);
  builder.set_provenance(provenance_);
  return builder.make(record, std::move(operands), std::move(attributes), std::move(regions));
}

void RegionDifferentiator::set_tangent(const Value* result, Value* tangent) {
  if (tangent != nullptr && is_inexact(result->dtype())) tangents_[result] = tangent;
}

void RegionDifferentiator::run(const Region& source) {
  const ir::Provenance line = provenance_;
  for (const auto& op : source.ops()) {
    if (!op->is_return()) visit(*op);
  }
  provenance_ = line;
}

void RegionDifferentiator::visit(const Op& op) {
  bool active = false, wanted = false;
  for (const Value* operand : op.operands()) active = active || tangent(operand) != nullptr;
  for (const Value* result : op.results()) wanted = wanted || (is_inexact(result->dtype()) && result->used());
  provenance_ = op.provenance().derived(splits() ? "linearize" : "jvp", std::string(op.name()));
  const ir::Jvp& rule = *op.record().jvp;
  const bool constant = !active || !wanted || std::holds_alternative<ir::LocallyConstant>(rule);
  if (!constant && std::holds_alternative<ir::Structural>(rule)) return structure(op);

  copy(op);
  if (ops::is<ops::CheckpointNameOp>(op) && splits()) give_name(op);
  if (constant) return;
  if (const auto* none = std::get_if<ir::NotDifferentiable>(&rule)) {
    std::string name(op.name());
    if (!none->named_by.empty()) name += " '" + op.attributes().get<std::string>(none->named_by) + "'";
    throw Error(ir::line_of(op.provenance()) + name + ": has no derivative: " + std::string(none->reason));
  }
  ir::at_line_of(op, [&] {
    if (const auto* several = std::get_if<ir::AllTangents>(&rule)) return all_tangents(op, *several);
    const auto* linear = std::get_if<ir::Linear>(&rule);
    linear != nullptr ? linear_op(op, linear->first) : terms(op, std::get<ir::Terms>(rule));
  });
}

void RegionDifferentiator::copy(const Op& op) {
  ir::ValueMap map;
  for (const Value* operand : op.operands()) map[operand] = primal(operand);
  clone_op(op, forward_, map);
  for (const Value* result : op.results()) primals_[result] = map.at(result);
}

// A value that has a name is used under that name alone, also by what was made before it got it: what a
// policy saves by the name is all that is to be saved of it.
void RegionDifferentiator::give_name(const Op& op) {
  Value *value = primal(op.operand(0)), *named = primal(op.result());
  if (value->op() == nullptr) return;
  auto next = std::find_if(forward_.ops().begin(), forward_.ops().end(),
                           [&](const auto& made) { return made.get() == value->op(); });
  if ((++next)->get() != named->op()) forward_.take(named->op(), next->get());
  value->replace_all_uses_with(named);
  named->op()->set_operand(0, value);
  primals_[op.operand(0)] = named;
  if (auto known = residual_of_.extract(value)) {
    known.key() = named;
    residual_of_.insert(std::move(known));
  }
  for (Residual& residual : residuals_) {
    if (residual.value == value) residual.value = named;
  }
}

// The operation itself, on tangents.
void RegionDifferentiator::linear_op(const Op& op, int first) {
  Values operands;
  for (int i = 0; i < op.operand_count(); ++i) {
    const Value* operand = op.operand(i);
    if (i < first) {
      operands.push_back(primal(operand));
    } else {
      Value* known = tangent(operand);
      operands.push_back(known != nullptr ? known : ops::zeros(*this, operand->type()));
    }
  }
  set_tangent(op.result(), make(op.name(), operands, op.attributes()));
}

void RegionDifferentiator::terms(const Op& op, const ir::Terms& terms) {
  const Values operands = primals_of(op);
  const ir::TermContext context{op, operands, primal(op.result())};
  Value* sum = nullptr;
  for (int i = 0; i < op.operand_count(); ++i) {
    Value* known = tangent(op.operand(i));
    Value* term = known != nullptr ? terms.of(context, i, known, *this) : nullptr;
    if (term != nullptr) sum = sum == nullptr ? term : make::add(*this, {sum, term});
  }
  set_tangent(op.result(), sum);
}

void RegionDifferentiator::all_tangents(const Op& op, const ir::AllTangents& rule) {
  const Values operands = primals_of(op);
  const Values tangents = rule.of({op, operands, primal(op.result(0))}, tangent(op.operand(0)), *this);
  for (int i = 0; i < op.result_count(); ++i) set_tangent(op.result(i), tangents[static_cast<size_t>(i)]);
}

void RegionDifferentiator::structure(const Op& op) {
  if (ops::is<CallOp>(op)) return call(op);
  if (ops::is<ops::LinearCallOp>(op)) return linear_call(op);
  if (ops::is<ops::CondOp>(op)) return splits() ? cond_linearized(op) : cond_of_jvp(op);
  check(ops::is_any<ops::ScanOp, ops::WhileOp>(op),
        "no derivative of the structure " + std::string(op.name()));
  Mask active;
  for (const Value* operand : op.operands()) active.push_back(tangent(operand) != nullptr);
  active = shared_.active_arguments(op, active);
  if (ops::is<ops::ScanOp>(op)) return splits() ? scan_linearized(op, active) : scan_of_jvp(op, active);
  // A loop whose tangents reach nothing but its predicate has no derivative, and needs no bound.
  bool wanted = false;
  for (const Value* result : op.results())
    wanted = wanted || (result->used() && active[static_cast<size_t>(result->index())]);
  if (!wanted) return copy(op);
  if (ops::WhileOp(op).form().max_steps == 0) return while_of_no_steps(op);
  splits() ? while_linearized(op) : while_of_jvp(op, active);
}

// --- calls

void RegionDifferentiator::call(const Op& op) {
  Mask active;
  for (const Value* operand : op.operands()) active.push_back(tangent(operand) != nullptr);
  const CallForm form = CallOp(op).form();
  if (!form.jvp.empty()) return call_with_jvp_rule(op);
  if (!form.vjp_forward.empty()) return call_with_vjp_rule(op);
  if (!form.transpose.empty()) return call_with_transpose_rule(op, active);
  if (form.batch_rule.has_value()) return call_with_batch_rule(op, active);
  splits() ? call_linearized(op, active) : call_of_jvp(op, active);
}

void RegionDifferentiator::call_of_jvp(const Op& op, const Mask& active) {
  const CallOp call(op);
  const Jvp& jvp = shared_.jvp(&call.callee(), active);
  Values operands = primals_of(op);
  for (int i = 0; i < op.operand_count(); ++i) {
    if (active[static_cast<size_t>(i)]) operands.push_back(tangent(op.operand(i)));
  }
  const Op* made = emit_forward("call", operands, call.form().derivative(*jvp.function).attributes());
  int next = op.result_count();
  for (int i = 0; i < op.result_count(); ++i) {
    primals_[op.result(i)] = made->result(i);
    if (jvp.result_tangents[static_cast<size_t>(i)]) set_tangent(op.result(i), made->result(next++));
  }
}

void RegionDifferentiator::call_linearized(const Op& op, const Mask& active) {
  const CallOp call(op);
  const Linearized& made = shared_.linearize(&call.callee(), active);
  const Values residuals = call.form().checkpoint ? call_checkpointed(op, made) : call_forward(op, made);
  Values operands;
  for (int i = 0; i < op.operand_count(); ++i) {
    if (active[static_cast<size_t>(i)]) operands.push_back(tangent(op.operand(i)));
  }
  operands.insert(operands.end(), residuals.begin(), residuals.end());
  const Op* linear = emit_linear("call", operands, CallForm::plain(*made.linear).attributes());
  int next = 0;
  for (int i = 0; i < op.result_count(); ++i) {
    if (made.result_tangents[static_cast<size_t>(i)]) set_tangent(op.result(i), linear->result(next++));
  }
}

// The forward side of a call; returns the residuals.
RegionDifferentiator::Values RegionDifferentiator::call_forward(const Op& op, const Linearized& made) {
  const Values arguments = primals_of(op);
  const CallForm form = CallOp(op).form().derivative(*made.forward);
  const Op* forward = emit_forward("call", arguments, form.attributes());
  for (int i = 0; i < op.result_count(); ++i) primals_[op.result(i)] = forward->result(i);
  Values residuals;
  for (const auto& [is_argument, index] : made.residuals)
    residuals.push_back(is_argument ? arguments[static_cast<size_t>(index)] : forward->result(index));
  return residuals;
}

// The same for a checkpoint: the residuals are computed by a second run, on the linear side, from arguments
// and what the first one has saved. Both stay checkpoints for the next derivative. The second one is called
// by that name, and stays a call, so that no pass finds that it does again what the first one did.
RegionDifferentiator::Values RegionDifferentiator::call_checkpointed(const Op& op, const Linearized& made) {
  std::vector<bool> wanted(made.forward->body().results().size(), false);
  for (const auto& [is_argument, index] : made.residuals) {
    if (!is_argument) wanted[static_cast<size_t>(index)] = true;
  }
  CallForm form = CallOp(op).form();
  const std::string policy = form.policy.empty() ? "nothing_saveable" : form.policy;
  const TwoRuns& runs = shared_.checkpoints().split(*made.forward, op.result_count(), wanted, policy);
  const Values arguments = primals_of(op);
  if (runs.saved > 0) form = form.calling(*runs.first);
  const Op* first = emit_forward("call", arguments, form.attributes());
  for (int i = 0; i < op.result_count(); ++i) primals_[op.result(i)] = first->result(i);

  Values operands;
  for (int i : runs.arguments) operands.push_back(arguments[static_cast<size_t>(i)]);
  for (int i = op.result_count(); i < first->result_count(); ++i) operands.push_back(first->result(i));
  // What the second run hands through needs no call.
  Values results;
  bool computes = false;
  for (const Value* result : runs.again->body().results()) {
    const bool passed = result->region() != nullptr;
    computes = computes || !passed;
    results.push_back(passed ? operands[static_cast<size_t>(result->index())] : nullptr);
  }
  if (computes) {
    form = form.calling(*runs.again);
    form.recompute = true;
    const Op* again = emit_linear("call", operands, form.attributes());
    for (size_t i = 0; i < results.size(); ++i) {
      if (results[i] == nullptr) results[i] = again->result(static_cast<int>(i));
    }
  }
  Values residuals;
  for (const auto& [is_argument, index] : made.residuals) {
    if (is_argument) {
      residuals.push_back(arguments[static_cast<size_t>(index)]);
    } else {
      const auto before = std::count(wanted.begin(), wanted.begin() + index, true);
      residuals.push_back(results[static_cast<size_t>(before)]);
    }
  }
  return residuals;
}

}  // namespace ingot::transform
