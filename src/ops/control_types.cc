#include "ops/control.h"

#include <algorithm>

#include "base/array_size.h"
#include "ir/builder.h"
#include "ops/support.h"

namespace ingot::ops {

using ir::Attributes;
using ir::Op;
using ir::Symbol;
using ir::Value;

namespace {

size_t at(int i) {
  return static_cast<size_t>(i);
}

Value* returned(const Op& op, int i) {
  return op.region().results()[at(i)];
}

template <class Loop, class Part>
std::vector<Part> all_parts(const Loop& loop, int count, Part (Loop::*part)(int) const) {
  std::vector<Part> parts;
  parts.reserve(at(count));
  for (int k = 0; k < count; ++k) parts.push_back((loop.*part)(k));
  return parts;
}

void set_or_erase(Attributes& attributes, const char* name, bool is_there, ir::Attribute value) {
  if (is_there)
    attributes.set(name, std::move(value));
  else
    attributes.erase(name);
}

void set_or_erase(Attributes& attributes, const char* name, const std::string& function) {
  set_or_erase(attributes, name, !function.empty(), Symbol{function});
}

std::string function_name(const Attributes& attributes, const char* name) {
  return attributes.has(name) ? attributes.get<Symbol>(name).name : std::string();
}

std::string order_attribute(int result) {
  return "order" + std::to_string(result);
}
std::string pitch_attribute(int result) {
  return "pitch" + std::to_string(result);
}

}  // namespace

// --- scan

ScanForm ScanForm::of(const Attributes& attributes) {
  ScanForm form;
  form.carries = static_cast<int>(attributes.integer("carries"));
  form.length = attributes.integer("length");
  form.reverse = attributes.flag("reverse");
  form.xs_axes = attributes.list("xs_axes");
  form.ys_axes = attributes.list("ys_axes");
  if (attributes.has("active")) {
    const ir::IntList& active = attributes.list("active");
    form.active = {active[0], active[1], active[2], active[3]};
  }
  if (attributes.has("running")) form.running = static_cast<int>(attributes.integer("running"));
  return form;
}

Attributes ScanForm::attributes() const {
  Attributes attributes;
  write(attributes);
  return attributes;
}

void ScanForm::write(Attributes& attributes) const {
  attributes.set("carries", int64_t{carries});
  attributes.set("scanned", static_cast<int64_t>(xs_axes.size()));
  attributes.set("length", length);
  attributes.set("reverse", reverse);
  attributes.set("xs_axes", xs_axes);
  attributes.set("ys_axes", ys_axes);
  if (active.has_value())
    attributes.set("active", ir::IntList{active->dim, active->per_index, active->per_step, active->constant});
  else
    attributes.erase("active");
  if (running.has_value())
    attributes.set("running", int64_t{*running});
  else
    attributes.erase("running");
}

ScanOp::ScanOp(const Op& op) : op_(&op), form_(ScanForm::of(op.attributes())) {
  check(is<ScanOp>(op), "not a scan: " + std::string(op.name()));
}

ScanOp::Carry ScanOp::carry(int k) const {
  return {op_->operand(k), body().argument(k), returned(*op_, k), op_->result(k)};
}

ScanOp::Scanned ScanOp::scanned(int k) const {
  const int i = carry_count() + k;
  return {op_->operand(i), body().argument(i), form_.xs_axes[at(k)]};
}

ScanOp::Stack ScanOp::stack(int k) const {
  const int i = carry_count() + k;
  return {returned(*op_, i), op_->result(i), form_.ys_axes[at(k)]};
}

ScanOp::Invariant ScanOp::invariant(int k) const {
  const int i = carry_count() + scanned_count() + k;
  return {op_->operand(i), body().argument(i)};
}

std::vector<ScanOp::Carry> ScanOp::carries() const {
  return all_parts(*this, carry_count(), &ScanOp::carry);
}
std::vector<ScanOp::Scanned> ScanOp::scanned() const {
  return all_parts<ScanOp, ScanOp::Scanned>(*this, scanned_count(), &ScanOp::scanned);
}
std::vector<ScanOp::Stack> ScanOp::stacks() const {
  return all_parts(*this, stack_count(), &ScanOp::stack);
}
std::vector<ScanOp::Invariant> ScanOp::invariants() const {
  return all_parts(*this, invariant_count(), &ScanOp::invariant);
}

// --- while

WhileForm WhileForm::of(const Attributes& attributes) {
  WhileForm form;
  form.carries = static_cast<int>(attributes.integer("carries"));
  if (attributes.has("max_steps")) form.max_steps = attributes.integer("max_steps");
  if (attributes.has("steps_before")) form.steps_before = attributes.integer("steps_before");
  if (attributes.has("at_once")) form.at_once = attributes.integer("at_once");
  form.lanes = Lanes::of(attributes);
  return form;
}

Attributes WhileForm::attributes() const {
  Attributes attributes;
  write(attributes);
  return attributes;
}

void WhileForm::write(Attributes& attributes) const {
  attributes.set("carries", int64_t{carries});
  set_or_erase(attributes, "max_steps", max_steps.has_value(), max_steps.value_or(0));
  set_or_erase(attributes, "steps_before", steps_before != 0, steps_before);
  set_or_erase(attributes, "at_once", at_once != 1, at_once);
  lanes.write(attributes);
}

WhileOp::WhileOp(const Op& op) : op_(&op), form_(WhileForm::of(op.attributes())) {
  check(is<WhileOp>(op), "not a while: " + std::string(op.name()));
}

WhileOp::Carry WhileOp::carry(int k) const {
  return {op_->operand(k), predicate().argument(k), body().argument(k), body().results()[at(k)],
          op_->result(k)};
}

WhileOp::Invariant WhileOp::invariant(int k) const {
  const int i = carry_count() + k;
  return {op_->operand(i), predicate().argument(i), body().argument(i)};
}

std::vector<WhileOp::Carry> WhileOp::carries() const {
  return all_parts(*this, carry_count(), &WhileOp::carry);
}
std::vector<WhileOp::Invariant> WhileOp::invariants() const {
  return all_parts(*this, invariant_count(), &WhileOp::invariant);
}

// --- cond

CondOp::CondOp(const Op& op) : op_(&op), lanes_(Lanes::of(op.attributes())) {
  check(is<CondOp>(op), "not a cond: " + std::string(op.name()));
}

bool runs_regions(const Op& op) {
  return is_any<ScanOp, WhileOp, CondOp>(op);
}

// --- calls

bool has_callee(const Op& op) {
  return op.attributes().has("callee");
}

const std::string& callee_name(const Op& op) {
  return op.attributes().get<Symbol>("callee").name;
}

void set_callee(Op& op, const ir::Function& callee) {
  op.attributes().set("callee", Symbol{callee.name()});
}

bool recomputes(const Op& op) {
  return op.attributes().has("recompute");
}

ir::Function* callee_of(const Op& op) {
  if (!has_callee(op)) return nullptr;
  ir::Function* callee = op.function()->module()->find(callee_name(op));
  check(callee != nullptr, "a call of a function that is not there: @" + callee_name(op));
  return callee;
}

CallForm CallForm::of(const Attributes& attributes) {
  CallForm form;
  form.callee = attributes.get<Symbol>("callee").name;
  form.jvp = function_name(attributes, "jvp");
  form.vjp_forward = function_name(attributes, "vjp_forward");
  form.vjp_backward = function_name(attributes, "vjp_backward");
  form.transpose = function_name(attributes, "transpose");
  if (!form.transpose.empty() || attributes.has("residuals"))
    form.residuals = static_cast<int>(attributes.integer("residuals"));
  if (attributes.has("batch_rule")) form.batch_rule = attributes.integer("batch_rule");
  form.checkpoint = attributes.has("checkpoint");
  if (attributes.has("policy")) form.policy = attributes.get<std::string>("policy");
  form.recompute = attributes.has("recompute");
  return form;
}

CallForm CallForm::plain(const ir::Function& callee) {
  CallForm form;
  form.callee = callee.name();
  return form;
}

CallForm CallForm::calling(const ir::Function& other) const {
  CallForm form = *this;
  form.callee = other.name();
  return form;
}

CallForm CallForm::derivative(const ir::Function& other) const {
  CallForm form = calling(other);
  form.transpose.clear();
  form.residuals.reset();
  form.batch_rule.reset();
  return form;
}

Attributes CallForm::attributes() const {
  Attributes attributes;
  write(attributes);
  return attributes;
}

void CallForm::write(Attributes& attributes) const {
  attributes.set("callee", Symbol{callee});
  set_or_erase(attributes, "jvp", jvp);
  set_or_erase(attributes, "vjp_forward", vjp_forward);
  set_or_erase(attributes, "vjp_backward", vjp_backward);
  set_or_erase(attributes, "transpose", transpose);
  set_or_erase(attributes, "residuals", residuals.has_value(), int64_t{residuals.value_or(0)});
  set_or_erase(attributes, "batch_rule", batch_rule.has_value(), batch_rule.value_or(0));
  set_or_erase(attributes, "checkpoint", checkpoint, true);
  set_or_erase(attributes, "policy", !policy.empty(), policy);
  set_or_erase(attributes, "recompute", recompute, true);
}

CallOp::CallOp(const Op& op) : op_(&op), form_(CallForm::of(op.attributes())) {
  check(is<CallOp>(op), "not a call: " + std::string(op.name()));
}

ir::Function& CallOp::callee() const {
  return *callee_of(*op_);
}

LinearCallOp::LinearCallOp(const Op& op)
    : op_(&op), residuals_(static_cast<int>(op.attributes().integer("residuals"))) {
  check(is<LinearCallOp>(op), "not a linear_call: " + std::string(op.name()));
}

void LinearCallOp::fail_forwards() const {
  ir::fail_at(*op_,
              Error("@" + callee_name(*op_) +
                    " was given as the rule of reverse mode alone, so there is no forward mode; use grad "
                    "or vjp, or custom_jvp instead of custom_vjp"));
}

ir::Function& LinearCallOp::callee() const {
  return *callee_of(*op_);
}

Attributes LinearCallOp::attributes(const std::string& callee, int residuals) {
  return {{"callee", Symbol{callee}}, {"residuals", int64_t{residuals}}};
}

// --- kernels

const std::string& FusedOp::kernel() const {
  return op_->attributes().get<std::string>("kernel");
}

Attributes FusedOp::attributes(std::string kernel) {
  return {{"kernel", std::move(kernel)}};
}

std::optional<ir::IntList> stored_order(const Value& result) {
  if (result.op() == nullptr) return std::nullopt;
  const std::string name = order_attribute(result.index());
  const Attributes& attributes = result.op()->attributes();
  return attributes.has(name) ? std::optional(attributes.list(name)) : std::nullopt;
}

void set_stored_order(Attributes& attributes, int result, ir::IntList order) {
  attributes.set(order_attribute(result), std::move(order));
}

std::optional<int64_t> stored_pitch(const Value& result) {
  if (result.op() == nullptr) return std::nullopt;
  const std::string name = pitch_attribute(result.index());
  const Attributes& attributes = result.op()->attributes();
  return attributes.has(name) ? std::optional(attributes.integer(name)) : std::nullopt;
}

void set_stored_pitch(Attributes& attributes, int result, int64_t pitch) {
  attributes.set(pitch_attribute(result), pitch);
}

std::vector<TensorType> with_stored_forms(const Attributes& attributes, std::vector<TensorType> results) {
  const auto says_so = [](const auto& item) {
    return item.first.starts_with("order") || item.first.starts_with("pitch");
  };
  const auto& items = attributes.items();
  if (std::none_of(items.begin(), items.end(), says_so)) return results;
  for (size_t i = 0; i < results.size(); ++i) {
    const std::string order = order_attribute(static_cast<int>(i)),
                      pitch = pitch_attribute(static_cast<int>(i));
    const TensorType& type = results[i];
    if (attributes.has(order)) {
      const ir::IntList& given = attributes.list(order);
      ir::IntList sorted = given;
      std::sort(sorted.begin(), sorted.end());
      bool all = given.size() == static_cast<size_t>(type.rank());
      for (size_t d = 0; d < sorted.size() && all; ++d) all = sorted[d] == static_cast<int64_t>(d);
      if (!all)
        fail("'", order, "' is ", ingot::to_string(given), ", but must name each of the ", type.rank(),
             " dimensions of result ", i, ", a ", type, ", once");
    }
    if (!attributes.has(pitch)) continue;
    const int64_t given = attributes.integer(pitch);
    if (type.rank() == 0) fail("'", pitch, "' is ", given, ", but result ", i, ", a ", type, ", has no rows");
    if (given < type.shape.back())
      fail("'", pitch, "' is ", given, ", but the rows of result ", i, ", a ", type, ", have ",
           type.shape.back(), " elements; it says how many elements lie from one row to the next");
    Shape stored = type.shape;
    stored.back() = given;
    try {
      element_count(type.dtype, stored);
    } catch (const Error& error) {
      fail("'", pitch, "' is ", given, ", too much for result ", i, ", a ", type, ": ", error.what());
    }
  }
  return results;
}

void erase_stored_pitches(Attributes& attributes) {
  std::vector<std::string> names;
  for (const auto& [name, value] : attributes.items()) {
    if (name.starts_with("pitch")) names.push_back(name);
  }
  for (const std::string& name : names) attributes.erase(name);
}

}  // namespace ingot::ops
