#include "transform/batch.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "ir/builder.h"
#include "ops/batching.h"
#include "ops/control.h"

namespace ingot::transform {
namespace {

using ir::Batched;
using ir::Function;
using ir::Op;
using ir::Region;
using ir::Value;
using ops::CallForm;
using ops::CallOp;

using Axes = std::vector<int64_t>;

// The rule of a call that is batched already, with the batch of its results in front: what the rule makes of
// the outer batch, batched.
class BatchedRule final : public BatchRule {
 public:
  BatchedRule(std::shared_ptr<const BatchRule> base, Batch batch, Axes axes)
      : base_(std::move(base)), batch_(std::move(batch)), axes_(std::move(axes)) {}

  RuleForBatch of(int64_t size, const std::vector<bool>& batched) const override {
    RuleForBatch rule = base_->of(size, batched);
    if (rule.function == nullptr) return rule;
    Axes axes;
    for (size_t j = 0; j < rule.operands.size(); ++j) {
      const int64_t axis = axes_[static_cast<size_t>(rule.operands[j])];
      axes.push_back(axis == Batched::kShared || !rule.batched[j] ? axis : axis + 1);
    }
    struct Made {
      ir::Module module;
      BatchedFunction function;
    };
    const auto made = std::make_shared<Made>();
    made->function =
        transform::batch(*rule.function, made->module, batch_, axes, Axes(rule.results.size(), 1));
    rule.owner = made;
    rule.function = made->function.function;
    return rule;
  }

 private:
  std::shared_ptr<const BatchRule> base_;
  Batch batch_;
  Axes axes_;
};

// One module that is being filled, and the functions that are in it already.
class ModuleBatcher {
 public:
  ModuleBatcher(const Batch& batch, ir::Module& to) : batch_(batch), to_(to) {}

  const Batch& batch() const { return batch_; }
  const BatchedFunction& batched(const Function& from, const Axes& argument_axes, const Axes& wanted);
  bool names_axis(const Op& op);  // see ir::Batcher
  // The name of a copy of what a rule gives.
  const std::string& imported(const RuleForBatch& rule) {
    owners_.push_back(rule.owner);
    return copied(*rule.function);
  }
  // The number of the rule of the call's batched version.
  int64_t batched_rule(const Op& call, const Axes& axes) {
    const auto rule = registered(std::make_shared<BatchedRule>(batch_rule_of(call), batch_, axes));
    owners_.push_back(rule);
    return rule->number();
  }
  const std::vector<BatchedFunction::Declared>& declared() const { return declared_; }
  // Makes calls in a copied operation name the copies of what they called.
  void import_callees(const Op& original, Op& copy);

 private:
  const std::string& copied(const Function& from);
  Function* declare(const Function& from, const std::string& name, const Axes& argument_axes,
                    const Axes& result_axes);
  bool names_axis(const Region& region);

  const Batch& batch_;
  ir::Module& to_;
  std::map<std::tuple<const Function*, Axes, Axes>, BatchedFunction> batched_;
  std::map<const Function*, std::string> copied_;
  std::vector<BatchedFunction::Declared> declared_;
  std::vector<std::shared_ptr<const void>> owners_;  // of functions that were copied
  std::unordered_map<const Function*, bool> names_axis_;
};

const Function& function_named(const Op& op, const std::string& name) {
  const Function* function = op.function()->module()->find(name);
  check(function != nullptr, "a function that is not there: @" + name);
  return *function;
}

size_t result_count(const Function& function) {
  return function.declared ? function.declared->results.size() : function.body().results().size();
}

// One region that is being filled.
class RegionBatcher final : public ir::Batcher {
 public:
  // `line`: of what is made for no operation of the region.
  RegionBatcher(ModuleBatcher& module, Region& to, const ir::Provenance& line)
      : module_(module), builder_(to), line_(line) {}

  // Fills the region; its results are set. Returns where the batch stands in them.
  Axes fill(const Region& from, std::span<const int64_t> argument_axes, std::span<const int64_t> wanted);

  int64_t size() const override { return module_.batch().size; }
  bool binds(std::string_view axis_name) const override {
    return !axis_name.empty() && axis_name == module_.batch().axis_name;
  }
  bool names_axis(const Op& op) override { return module_.names_axis(op); }
  Op* make(std::string_view record, std::vector<Value*> operands, ir::Attributes attributes,
           std::vector<std::unique_ptr<Region>> regions) override;
  std::unique_ptr<Region> make_region() override { return builder_.make_region(); }
  BatchedRegion batch(const Region& region, std::span<const int64_t> argument_axes,
                      std::span<const int64_t> wanted) override;
  BatchedCallee batch_callee(const Op& call, std::span<const int64_t> argument_axes,
                             std::span<const int64_t> wanted) override;

 private:
  void add(const Op& op);
  void copy(const Op& op);
  std::vector<Batched> call_with_rules(const Op& op, std::vector<Batched> operands);
  std::vector<Batched> call_with_batch_rule(const Op& op, const std::vector<Batched>& operands);
  std::vector<Batched> call_of_callee(const Op& op, const std::vector<Batched>& operands, bool keeps_rule);
  std::vector<Batched> batched_op(const Op& op, const std::vector<Batched>& operands);

  ModuleBatcher& module_;
  ir::Builder builder_;
  ir::Provenance line_;
  const Op* current_ = nullptr;  // the operation that is being batched
  std::unordered_map<const Value*, Batched> values_;
};

Axes RegionBatcher::fill(const Region& from, std::span<const int64_t> argument_axes,
                         std::span<const int64_t> wanted) {
  for (int i = 0; i < from.argument_count(); ++i) {
    const Value* argument = from.argument(i);
    ir::TensorType type = argument->type();
    const int64_t axis = argument_axes[static_cast<size_t>(i)];
    if (axis != Batched::kShared) type.shape = ops::batched_shape(type.shape, axis, *this);
    values_[argument] = {builder_.region().add_argument(type, argument->name()), axis};
  }
  for (const auto& op : from.ops()) {
    if (!op->is_return()) add(*op);
  }
  Axes axes;
  std::vector<Value*> results;
  current_ = nullptr;
  for (size_t i = 0; i < from.results().size(); ++i) {
    const Batched& result = values_.at(from.results()[i]);
    const Op* maker = from.results()[i]->op();
    builder_.set_provenance((maker == nullptr ? line_ : maker->provenance()).derived("vmap", "return"));
    const int64_t axis = wanted.empty() || wanted[i] == Batched::kShared ? result.axis : wanted[i];
    results.push_back(axis == Batched::kShared ? result.value : ops::with_batch_at(*this, result, axis));
    axes.push_back(axis);
  }
  builder_.region().set_results(std::move(results));
  return axes;
}

void RegionBatcher::add(const Op& op) {
  std::vector<Batched> operands;
  bool shared = true;
  for (const Value* operand : op.operands()) {
    operands.push_back(values_.at(operand));
    shared = shared && operands.back().shared();
  }
  if (shared && !module_.names_axis(op)) return copy(op);
  current_ = &op;
  builder_.set_provenance(op.provenance().derived("vmap", std::string(op.name())));
  const std::vector<Batched> results = batched_op(op, operands);
  for (int i = 0; i < op.result_count(); ++i) {
    const Batched& result = results[static_cast<size_t>(i)];
    ir::TensorType type = op.result(i)->type();
    if (!result.shared()) type.shape = ops::batched_shape(type.shape, result.axis, *this);
    check(result.value->type() == type, "the batching rule of " + std::string(op.name()) + " gives a " +
                                            to_string(result.value->type()) + " for a " + to_string(type));
    values_[op.result(i)] = result;
  }
}

std::vector<Batched> RegionBatcher::batched_op(const Op& op, const std::vector<Batched>& operands) {
  if (const auto call = ops::as<CallOp>(op)) {
    if (call->form().batch_rule.has_value()) return call_with_batch_rule(op, operands);
    if (call->has_rules()) return call_with_rules(op, operands);
  }
  return (*op.record().batch)(op, operands, *this);
}

// A call with a rule as one without it, but for another batch around this one, for which the rule may count.
std::vector<Batched> RegionBatcher::call_of_callee(const Op& op, const std::vector<Batched>& operands,
                                                   bool keeps_rule) {
  Axes axes;
  std::vector<Value*> values;
  for (const Batched& operand : operands) {
    axes.push_back(operand.axis);
    values.push_back(operand.value);
  }
  const BatchedFunction& callee =
      module_.batched(CallOp(op).callee(), axes, Axes(static_cast<size_t>(op.result_count()), 0));
  CallForm form = CallForm::plain(*callee.function);
  if (keeps_rule) form.batch_rule = module_.batched_rule(op, axes);
  std::vector<Batched> results;
  for (Value* result : make("call", values, form.attributes(), {})->results()) results.push_back({result, 0});
  return results;
}

std::vector<Batched> RegionBatcher::call_with_batch_rule(const Op& op, const std::vector<Batched>& operands) {
  std::vector<bool> batched;
  for (const Batched& operand : operands) batched.push_back(!operand.shared());
  const RuleForBatch rule = batch_rule_of(op)->of(size(), batched);
  std::vector<Batched> results(static_cast<size_t>(op.result_count()), {nullptr, 0});
  if (rule.function != nullptr) {
    std::vector<Value*> values;
    for (size_t i = 0; i < rule.operands.size(); ++i) {
      const Batched& operand = operands[static_cast<size_t>(rule.operands[i])];
      values.push_back(rule.batched[i] ? ops::with_batch_at(*this, operand, 0) : operand.value);
    }
    const Op* made = make("call", values, CallForm{.callee = module_.imported(rule)}.attributes(), {});
    for (size_t i = 0; i < rule.results.size(); ++i)
      results[static_cast<size_t>(rule.results[i])].value = made->result(static_cast<int>(i));
  }
  if (std::all_of(results.begin(), results.end(), [](const Batched& x) { return x.value != nullptr; }))
    return results;
  const std::vector<Batched> others = call_of_callee(op, operands, rule.function == nullptr);
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i].value == nullptr) results[i] = others[i];
  }
  return results;
}

// A call that carries the rules of its derivative: these are batched, too, with the batch in front of all
// that they return, so that they fit each other.
std::vector<Batched> RegionBatcher::call_with_rules(const Op& op, std::vector<Batched> operands) {
  CallForm form = CallOp(op).form();
  const bool reverse = !form.vjp_forward.empty(), turned = !form.transpose.empty();
  const auto residuals = static_cast<size_t>(turned ? form.residuals.value() : 0);
  Axes axes, floating;  // of the operands
  std::vector<Value*> values;
  for (Batched& operand : operands) {
    const bool is_floating = is_inexact(operand.value->dtype());
    const bool gets_cotangent = (reverse && is_floating) || (turned && values.size() >= residuals);
    // The backward function gives a cotangent per element; that of the broadcast sums them.
    if (gets_cotangent && operand.shared()) operand = {ops::with_batch_at(*this, operand, 0), 0};
    axes.push_back(operand.axis);
    if (is_floating) floating.push_back(operand.axis);
    values.push_back(operand.value);
  }
  const auto batch = [&](std::string& name, const Axes& arguments, const Axes& wanted) {
    name = module_.batched(function_named(op, name), arguments, wanted).function->name();
  };
  const auto in_front = [&](const std::string& name) {
    return Axes(result_count(function_named(op, name)), 0);
  };
  batch(form.callee, axes, in_front(form.callee));
  if (reverse) {
    batch(form.vjp_forward, axes, in_front(form.vjp_forward));
    const auto inputs = static_cast<size_t>(function_named(op, form.vjp_backward).body().argument_count());
    batch(form.vjp_backward, Axes(inputs, 0), floating);
  } else if (turned) {
    Axes known(axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(residuals));
    const Axes wanted(axes.begin() + static_cast<std::ptrdiff_t>(residuals), axes.end());
    known.resize(residuals + static_cast<size_t>(op.result_count()), 0);
    batch(form.transpose, known, wanted);
  } else {
    Axes both = axes;
    both.insert(both.end(), floating.begin(), floating.end());
    batch(form.jvp, both, in_front(form.jvp));
  }
  std::vector<Batched> results;
  for (Value* result : make("call", values, form.attributes(), {})->results()) results.push_back({result, 0});
  return results;
}

void RegionBatcher::copy(const Op& op) {
  ir::ValueMap map;
  for (const Value* operand : op.operands()) map[operand] = values_.at(operand).value;
  Op* made = ir::clone_op(op, builder_.region(), map);
  module_.import_callees(op, *made);
  for (int i = 0; i < op.result_count(); ++i) values_[op.result(i)] = {made->result(i), Batched::kShared};
}

Op* RegionBatcher::make(std::string_view record, std::vector<Value*> operands, ir::Attributes attributes,
                        std::vector<std::unique_ptr<Region>> regions) {
  std::vector<std::string> names;
  if (current_ != nullptr && current_->name() == record) {
    for (const Value* result : current_->results()) names.push_back(result->name());
  }
  try {
    return builder_.make(record, std::move(operands), std::move(attributes), std::move(regions),
                         std::move(names));
  } catch (const Error& error) {  // of one element it was right
    throw Error(std::string(error.what()) + "; vmap makes it for a whole batch of " +
                std::to_string(module_.batch().size));
  }
}

RegionBatcher::BatchedRegion RegionBatcher::batch(const Region& region,
                                                  std::span<const int64_t> argument_axes,
                                                  std::span<const int64_t> wanted) {
  BatchedRegion result{make_region(), {}};
  result.axes =
      RegionBatcher(module_, *result.region, builder_.provenance()).fill(region, argument_axes, wanted);
  return result;
}

RegionBatcher::BatchedCallee RegionBatcher::batch_callee(const Op& call,
                                                         std::span<const int64_t> argument_axes,
                                                         std::span<const int64_t> wanted) {
  const BatchedFunction& batched =
      module_.batched(*ops::callee_of(call), Axes(argument_axes.begin(), argument_axes.end()),
                      Axes(wanted.begin(), wanted.end()));
  return {batched.function->name(), batched.result_axes};
}

const BatchedFunction& ModuleBatcher::batched(const Function& from, const Axes& argument_axes,
                                              const Axes& wanted) {
  auto [known, fresh] = batched_.try_emplace({&from, argument_axes, wanted});
  if (fresh && from.declared) {
    known->second.result_axes = wanted;
    known->second.function = declare(from, "vmap_" + from.name(), argument_axes, wanted);
  } else if (fresh) {
    Function* to = to_.add_function("vmap_" + from.name());
    known->second.result_axes =
        RegionBatcher(*this, to->body(), batch_.line).fill(from.body(), argument_axes, wanted);
    known->second.function = to;
  }
  return known->second;
}

const std::string& ModuleBatcher::copied(const Function& from) {
  if (from.module() == &to_) return from.name();
  auto [known, fresh] = copied_.try_emplace(&from);
  if (fresh && from.declared) {
    known->second = declare(from, from.name(), {}, {})->name();
  } else if (fresh) {
    Function* to = to_.add_function(from.name());
    known->second = to->name();
    ir::ValueMap map;
    for (const Value* argument : from.body().arguments())
      map[argument] = to->body().add_argument(argument->type(), argument->name());
    for (const auto& op : from.body().ops()) {
      if (!op->is_return()) import_callees(*op, *ir::clone_op(*op, to->body(), map));
    }
    std::vector<Value*> results;
    for (const Value* result : from.body().results()) results.push_back(map.at(result));
    to->body().set_results(std::move(results));
  }
  return known->second;
}

// The batch stands where it is wanted: what a function that is not there would do with it nobody knows.
Function* ModuleBatcher::declare(const Function& from, const std::string& name, const Axes& argument_axes,
                                 const Axes& result_axes) {
  const auto with_batch = [&](ir::TensorType type, const Axes& axes, size_t i) {
    if (i < axes.size() && axes[i] != Batched::kShared)
      type.shape.insert(type.shape.begin() + axes[i], batch_.size);
    return type;
  };
  Function* to = to_.add_function(name);
  to->declared = from.declared;
  std::vector<ir::TensorType>& results = to->declared->results;
  for (size_t i = 0; i < results.size(); ++i) results[i] = with_batch(results[i], result_axes, i);
  for (const Value* argument : from.body().arguments())
    to->body().add_argument(
        with_batch(argument->type(), argument_axes, static_cast<size_t>(argument->index())),
        argument->name());
  declared_.push_back({to->name(), from.name(), argument_axes, result_axes});
  return to;
}

void ModuleBatcher::import_callees(const Op& original, Op& copy) {
  for (const auto& [name, attribute] : original.attributes().items()) {
    if (std::holds_alternative<ir::Symbol>(attribute))
      copy.attributes().set(
          name, ir::Symbol{copied(function_named(original, std::get<ir::Symbol>(attribute).name))});
  }
  for (int i = 0; i < copy.region_count(); ++i) {
    auto from = original.region(i).ops().begin();
    for (auto& op : copy.region(i).ops()) import_callees(**from++, *op);
  }
}

bool ModuleBatcher::names_axis(const Op& op) {
  if (batch_.axis_name.empty()) return false;
  if (op.attributes().has("axis_name") && op.attributes().get<std::string>("axis_name") == batch_.axis_name)
    return true;
  for (int i = 0; i < op.region_count(); ++i) {
    if (names_axis(op.region(i))) return true;
  }
  const Function* callee = ops::callee_of(op);
  if (callee == nullptr) return false;
  auto [known, fresh] = names_axis_.try_emplace(callee, false);
  if (fresh && names_axis(callee->body())) names_axis_[callee] = true;
  return names_axis_[callee];
}

bool ModuleBatcher::names_axis(const Region& region) {
  for (const auto& op : region.ops()) {
    if (names_axis(*op)) return true;
  }
  return false;
}

}  // namespace

BatchedFunction batch(const ir::Function& from, ir::Module& to, const Batch& batch,
                      std::span<const int64_t> argument_axes, std::span<const int64_t> wanted) {
  ModuleBatcher batcher(batch, to);
  BatchedFunction made = batcher.batched(from, Axes(argument_axes.begin(), argument_axes.end()),
                                         Axes(wanted.begin(), wanted.end()));
  made.rules = batch_rules_of(to);
  made.declared = batcher.declared();
  return made;
}

BatchedRegion batch_region(const ir::Region& from, const Batch& batch, std::span<const int64_t> argument_axes,
                           std::span<const int64_t> wanted) {
  ModuleBatcher module(batch, *from.function()->module());
  BatchedRegion made{from.function()->make_region(), {}};
  made.result_axes = RegionBatcher(module, *made.region, batch.line).fill(from, argument_axes, wanted);
  return made;
}

}  // namespace ingot::transform
