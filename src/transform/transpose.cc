#include "transform/transpose.h"

#include <algorithm>

#include "base/check.h"
#include "ops/control.h"
#include "ops/derivatives.h"
#include "ops/make.h"

namespace ingot::transform {

using ir::Op;
using ir::Value;
using ops::CallForm;
using ops::CallOp;

void RegionTransposer::run(const std::vector<Value*>& cotangents) {
  std::vector<const Op*> linear_ops;
  for (const auto& op : source_.ops()) {
    if (op->is_return()) continue;
    const auto operands = op->operands();
    if (std::any_of(operands.begin(), operands.end(), [&](const Value* v) { return linear(v); })) {
      for (const Value* result : op->results()) linear_.insert(result);
      linear_ops.push_back(op.get());
    }
  }
  const ir::Provenance line = provenance_;
  for (size_t i = 0; i < cotangents.size(); ++i) {
    const Value* result = source_.results()[i];
    provenance_ =
        (result->op() == nullptr ? line : result->op()->provenance()).derived("transpose", "return");
    if (cotangents[i] != nullptr) accumulate(result, cotangents[i]);
  }
  for (auto it = linear_ops.rbegin(); it != linear_ops.rend(); ++it) visit(**it);
  provenance_ = line;
}

void RegionTransposer::visit(const Op& op) {
  const std::vector<Value*> cotangents = cotangents_of(op);
  if (std::all_of(cotangents.begin(), cotangents.end(), [](const Value* v) { return v == nullptr; })) return;
  op_ = &op;
  provenance_ = op.provenance().derived("transpose", std::string(op.name()));
  const ir::Transpose& rule = *op.record().transpose;
  if (const auto* transpose = std::get_if<ir::TransposeFn>(&rule))
    return ir::at_line_of(op, [&] { (*transpose)(op, cotangents[0], *this); });
  if (ops::is<CallOp>(op)) return call(op);
  if (ops::is<ops::LinearCallOp>(op)) return linear_call(op);
  if (ops::is<ops::ScanOp>(op)) return scan(op);
  if (ops::is<ops::CondOp>(op)) return cond(op);
  if (ops::is<ops::WhileOp>(op)) return while_of_no_steps(op);
  throw Error(
      ir::line_of(op.provenance()) + std::string(op.name()) +
      " is not linear, but stands where only linear operations may: a rule given to custom_jvp must be "
      "linear in the tangents");
}

std::vector<Value*> RegionTransposer::cotangents_of(const Op& op) const {
  std::vector<Value*> cotangents;
  for (const Value* result : op.results()) cotangents.push_back(cotangent(result));
  return cotangents;
}

Value* RegionTransposer::cotangent(const Value* source) const {
  auto it = cotangents_.find(source);
  return it == cotangents_.end() ? nullptr : it->second;
}

void RegionTransposer::accumulate(const Value* source, Value* cotangent) {
  if (!linear(source)) return;
  check(cotangent->type() == source->type(),
        "a cotangent is " + to_string(cotangent->type()) + ", but its value " + to_string(source->type()));
  Value*& sum = cotangents_[source];
  sum = sum == nullptr ? cotangent : make::add(*this, {sum, cotangent});
}

Value* RegionTransposer::or_zeros(Value* cotangent, const ir::TensorType& type) {
  return cotangent != nullptr ? cotangent : ops::zeros(*this, type);
}

Op* RegionTransposer::emit(std::string_view record, std::vector<Value*> operands, ir::Attributes attributes,
                           const FillRegion& fill) {
  ir::Builder builder(target_);
  builder.set_provenance(provenance_);
  std::vector<std::unique_ptr<ir::Region>> regions;
  if (fill) {
    regions.push_back(builder.make_region());
    fill(*regions.back());
  }
  return builder.make(record, std::move(operands), std::move(attributes), std::move(regions));
}

// Chains of known values may be longer than the stack is deep.
Value* RegionTransposer::known_value(const Value* source) {
  std::vector<const Value*> wanted = {source};
  while (!wanted.empty()) {
    const Value* value = wanted.back();
    if (known_.count(value)) {
      wanted.pop_back();
      continue;
    }
    const Op& op = *value->op();
    const size_t before = wanted.size();
    // The last operand is asked for last, so that operations are made in the order of their operands.
    for (int i = op.operand_count(); i-- > 0;) {
      if (!known_.count(op.operand(i))) wanted.push_back(op.operand(i));
    }
    if (wanted.size() > before) continue;
    ir::ValueMap map;
    for (const Value* operand : op.operands()) map[operand] = known_.at(operand);
    clone_op(op, target_, map);
    for (const Value* result : op.results()) known_[result] = map.at(result);
  }
  return known_.at(source);
}

Value* RegionTransposer::known(int operand) {
  if (is_linear(operand)) {
    throw Error(ir::line_of(op_->provenance()) + std::string(op_->name()) +
                " has tangents on both sides: a rule given to custom_jvp must be linear in the tangents");
  }
  return known_value(op_->operand(operand));
}

void RegionTransposer::add(int operand, Value* cotangent) {
  accumulate(op_->operand(operand), cotangent);
}

Value* RegionTransposer::take(int operand) {
  auto it = cotangents_.find(op_->operand(operand));
  if (it == cotangents_.end()) return nullptr;
  Value* sum = it->second;
  cotangents_.erase(it);
  return sum;
}

// A call that says what its transpose is, where it stands for a function of its linear arguments. Its own
// transpose is the function again.
bool RegionTransposer::call_with_rule(const Op& op) {
  CallForm form = CallOp(op).form();
  if (form.transpose.empty()) return false;
  const int residuals = form.residuals.value();
  std::vector<Value*> operands;
  for (int i = 0; i < residuals; ++i) {
    if (is_linear(i)) return false;
    operands.push_back(known(i));
  }
  const std::vector<Value*> cotangents = cotangents_of(op);
  for (int i = 0; i < op.result_count(); ++i)
    operands.push_back(or_zeros(cotangents[static_cast<size_t>(i)], op.result(i)->type()));
  std::swap(form.callee, form.transpose);
  const Op* made = emit("call", operands, form.attributes());
  for (int i = residuals; i < op.operand_count(); ++i) add(i, made->result(i - residuals));
  return true;
}

void RegionTransposer::call_with_batch_rule(const Op& op) {
  Mask linear_operands;
  std::vector<Value*> operands;
  for (int i = 0; i < op.operand_count(); ++i) {
    linear_operands.push_back(is_linear(i));
    if (!is_linear(i)) operands.push_back(known(i));
  }
  for (const Value* result : op.results()) {
    if (is_inexact(result->dtype())) operands.push_back(or_zeros(cotangent(result), result->type()));
  }
  const RuledCall& transposed = shared_.transposed_call(op, linear_operands);
  CallForm form = CallForm::plain(*transposed.function);
  form.batch_rule = transposed.rule->number();
  const Op* made = emit("call", operands, form.attributes());
  int next = 0;
  for (int i = 0; i < op.operand_count(); ++i) {
    if (linear_operands[static_cast<size_t>(i)]) add(i, made->result(next++));
  }
}

void RegionTransposer::call(const Op& op) {
  if (call_with_rule(op)) return;
  const CallOp call(op);
  if (call.form().batch_rule.has_value()) return call_with_batch_rule(op);
  Mask linear_arguments, given;
  std::vector<Value*> operands;
  for (const Value* operand : op.operands()) linear_arguments.push_back(linear(operand));
  for (Value* cotangent : cotangents_of(op)) {
    given.push_back(cotangent != nullptr);
    if (cotangent != nullptr) operands.push_back(cotangent);
  }
  const Transposed& transposed = shared_.transpose(&call.callee(), linear_arguments, given);
  for (int i : transposed.known) operands.push_back(known(i));
  const Op* made = emit("call", operands, call.form().derivative(*transposed.function).attributes());
  for (size_t k = 0; k < transposed.arguments.size(); ++k)
    add(transposed.arguments[k], made->result(static_cast<int>(k)));
}

void RegionTransposer::linear_call(const Op& op) {
  const ops::LinearCallOp linear(op);
  const int residuals = linear.residuals();
  std::vector<Value*> operands;
  for (int i = 0; i < residuals; ++i) operands.push_back(known(i));
  const std::vector<Value*> cotangents = cotangents_of(op);
  for (int i = 0; i < op.result_count(); ++i)
    operands.push_back(or_zeros(cotangents[static_cast<size_t>(i)], op.result(i)->type()));
  const Op* made = emit("call", operands, CallForm::plain(linear.callee()).attributes());
  for (int i = residuals; i < op.operand_count(); ++i) add(i, made->result(i - residuals));
}

}  // namespace ingot::transform
