// Derivatives of calls that carry rules of the user's. A rule for forward mode is inlined: its operations
// fall to the forward or the linear side by what they depend on, and what has regions, and takes tangents
// beside values, is split into a forward and a linear part as its linearisation is.
#include <algorithm>
#include <utility>

#include "ops/control.h"
#include "ops/derivatives.h"
#include "ops/make.h"
#include "transform/differentiate.h"

namespace ingot::transform {

using ir::Op;
using ir::Region;
using ir::Value;
using ops::CallForm;
using ops::CallOp;

RegionDifferentiator::Values RegionDifferentiator::floating_tangents(const Op& op) {
  Values tangents;
  for (const Value* operand : op.operands()) {
    if (!is_inexact(operand->dtype())) continue;
    Value* known = tangent(operand);
    tangents.push_back(known != nullptr ? known : ops::zeros(*this, operand->type()));
  }
  return tangents;
}

// The rule's operations fall to the forward or the linear side, by what they depend on.
void RegionDifferentiator::call_with_jvp_rule(const Op& op) {
  Values arguments = primals_of(op);
  for (Value* known : floating_tangents(op)) arguments.push_back(known);
  const Values results = inline_rule(shared_.function(CallOp(op).form().jvp)->body(), arguments);
  size_t next = static_cast<size_t>(op.result_count());
  for (int i = 0; i < op.result_count(); ++i) {
    primals_[op.result(i)] = results[static_cast<size_t>(i)];
    if (is_inexact(op.result(i)->dtype())) set_tangent(op.result(i), results[next++]);
  }
}

RegionDifferentiator::Values RegionDifferentiator::inline_rule(const Region& rule, const Values& arguments) {
  ir::ValueMap map;
  for (int i = 0; i < rule.argument_count(); ++i) map[rule.argument(i)] = arguments[static_cast<size_t>(i)];
  for (const auto& op : rule.ops()) {
    if (op->is_return()) break;
    Values operands;
    bool linear = false;
    for (const Value* operand : op->operands()) {
      operands.push_back(map.at(operand));
      linear = linear || is_linear(operands.back());
    }
    Values results;
    const auto call = linear ? ops::as<CallOp>(*op) : std::nullopt;
    if (call.has_value() && !call->has_rules()) {
      results = inline_rule(call->callee().body(), operands);
    } else if (splits() && linear && ops::is_any<ops::ScanOp, ops::WhileOp, ops::CondOp>(*op)) {
      const ir::Provenance line = std::exchange(provenance_, op->provenance());
      results = parts_of_rule(*op, operands);
      provenance_ = line;
    } else {
      // Operations of the rule keep their own lines.
      Region& home = linear ? linear_ : forward_;
      ir::ValueMap operand_map;
      for (int i = 0; i < op->operand_count(); ++i) {
        Value* operand = operands[static_cast<size_t>(i)];
        operand_map[op->operand(i)] = linear ? in_linear(operand) : operand;
      }
      results = clone_op(*op, home, operand_map)->results();
    }
    for (int i = 0; i < op->result_count(); ++i) map[op->result(i)] = results[static_cast<size_t>(i)];
  }
  Values results;
  for (const Value* result : rule.results()) results.push_back(map.at(result));
  return results;
}

RegionDifferentiator::Values RegionDifferentiator::parts_of_rule(const Op& op, const Values& operands) {
  if (ops::is<ops::ScanOp>(op)) return scan_of_rule(op, operands);
  if (ops::is<ops::WhileOp>(op)) return while_of_rule(op, operands);
  if (is_linear(operands[0])) {
    throw Error(ir::line_of(op.provenance()) +
                "cond: a tangent decides which branch is taken; a rule given to custom_jvp must be linear in "
                "the tangents");
  }
  return cond_of_rule(op, operands);
}

void RegionDifferentiator::call_with_vjp_rule(const Op& op) {
  if (!splits()) {
    throw Error(ir::line_of(op.provenance()) +
                "a custom_vjp function has a rule for reverse mode alone, so jvp and jacfwd cannot "
                "differentiate it; use grad or vjp, or give it a custom_jvp rule");
  }
  const CallForm form = CallOp(op).form();
  const Op* forward = emit_forward("call", primals_of(op), CallForm{.callee = form.vjp_forward}.attributes());
  Values operands;
  for (int i = 0; i < forward->result_count(); ++i) {
    if (i < op.result_count())
      primals_[op.result(i)] = forward->result(i);
    else
      operands.push_back(forward->result(i));
  }
  const auto residuals = static_cast<int>(operands.size());
  for (Value* known : floating_tangents(op)) operands.push_back(known);
  const Op* linear =
      emit_linear("linear_call", operands, ops::LinearCallOp::attributes(form.vjp_backward, residuals));
  int next = 0;
  for (const Value* result : op.results()) {
    if (is_inexact(result->dtype())) set_tangent(result, linear->result(next++));
  }
}

// Linear in the arguments behind the residuals, so the same call of their tangents; in the residuals it is
// differentiated as any function is.
void RegionDifferentiator::call_with_transpose_rule(const Op& op, const Mask& active) {
  const int residuals = CallOp(op).form().residuals.value();
  Mask in_residuals = active;
  std::fill(in_residuals.begin() + residuals, in_residuals.end(), false);
  if (std::find(in_residuals.begin(), in_residuals.end(), true) != in_residuals.end()) {
    splits() ? call_linearized(op, in_residuals) : call_of_jvp(op, in_residuals);
  } else {
    const Op* forward = emit_forward("call", primals_of(op), op.attributes());
    for (int i = 0; i < op.result_count(); ++i) primals_[op.result(i)] = forward->result(i);
  }
  if (std::find(active.begin() + residuals, active.end(), true) == active.end()) return;
  Values operands = primals_of(op);
  for (int i = residuals; i < op.operand_count(); ++i)
    operands[static_cast<size_t>(i)] = linear_tangent(op.operand(i));
  const Op* linear = emit_linear("call", operands, op.attributes());
  for (int i = 0; i < op.result_count(); ++i) {
    Value* known = tangent(op.result(i));
    Value* made = linear->result(i);
    set_tangent(op.result(i), known == nullptr ? made : make::add(*this, {known, made}));
  }
}

// Both sides stay calls with a batching rule. The linear one takes all arguments too, since what the rule
// makes of a batch has residuals of its own, which it computes from them.
void RegionDifferentiator::call_with_batch_rule(const Op& op, const Mask& active) {
  const CallOp call(op);
  ir::Function* function = &call.callee();
  if (!splits()) shared_.jvp(function, active);  // says what forward mode cannot differentiate
  Values operands = primals_of(op);
  const CallForm form = call.form().calling(*shared_.linearize(function, active).forward);
  const Op* forward = emit_forward("call", operands, form.attributes());
  for (int i = 0; i < op.result_count(); ++i) primals_[op.result(i)] = forward->result(i);

  const RuledCall& made = shared_.linear_call(op, active);
  for (int residual : made.residuals) operands.push_back(forward->result(residual));
  for (const Value* operand : op.operands()) {
    if (Value* known = tangent(operand)) operands.push_back(known);
  }
  CallForm ruled = CallForm::plain(*made.function);
  ruled.batch_rule = made.rule->number();
  const Op* linear = emit_linear("call", operands, ruled.attributes());
  int next = 0;
  for (const Value* result : op.results()) {
    if (is_inexact(result->dtype())) set_tangent(result, linear->result(next++));
  }
}

void RegionDifferentiator::linear_call(const Op& op) {
  throw Error(
      ir::line_of(op.provenance()) +
      "the linear function of a custom_vjp function cannot be differentiated before it is transposed");
}

}  // namespace ingot::transform
