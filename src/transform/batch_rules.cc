#include "transform/batch_rules.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "base/fork.h"
#include "ir/builder.h"
#include "ops/control.h"
#include "ops/derivatives.h"
#include "transform/derivatives.h"
#include "transform/extract.h"

namespace ingot::transform {
namespace {

using ir::Function;
using ir::Op;
using ir::Value;
using ops::CallOp;
using Values = std::vector<Value*>;

// --- rules by their numbers

struct Registry {
  std::mutex mutex;
  std::map<int64_t, std::weak_ptr<const BatchRule>> rules;
  int64_t next = 0;
};
Registry& registry() {
  static auto& only = *new Registry;
  return only;
}

std::shared_ptr<const BatchRule> find(int64_t number) {
  Registry& all = registry();
  const ShortLock lock(all.mutex);
  auto it = all.rules.find(number);
  return it == all.rules.end() ? nullptr : it->second.lock();
}

bool any_batched(const Mask& mask) {
  return std::find(mask.begin(), mask.end(), true) != mask.end();
}

// --- functions that are derived of others

class FunctionEmitter final : public ir::Emitter {
 public:
  FunctionEmitter(Function& function, const ir::Provenance& line) : builder_(function.body()) {
    builder_.set_provenance(line.derived("linearize", "call"));
  }
  Op* emit(std::string_view record, Values operands, ir::Attributes attributes,
           const FillRegion& fill) override {
    std::vector<std::unique_ptr<ir::Region>> regions;
    if (fill) {
      regions.push_back(builder_.make_region());
      fill(*regions.back());
    }
    return builder_.make(record, std::move(operands), std::move(attributes), std::move(regions));
  }
  Value* argument(const Value* like, const char* suffix = "") {
    return builder_.region().add_argument(like->type(), like->name() + suffix);
  }
  Values call(const Function& callee, const Values& operands) {
    if (callee.body().results().empty()) return {};
    const auto results =
        emit("call", operands, ops::CallForm::plain(callee).attributes(), nullptr)->results();
    return {results.begin(), results.end()};
  }

 private:
  ir::Builder builder_;
};

// The linear function on these tangents: those of all floating results of the function it is of.
Values all_tangents(FunctionEmitter& emitter, const Linearized& made, const Function& of, Values tangents,
                    const Values& residuals) {
  tangents.insert(tangents.end(), residuals.begin(), residuals.end());
  const Values given = emitter.call(*made.linear, tangents);
  Values all;
  size_t next = 0;
  for (size_t i = 0; i < made.result_tangents.size(); ++i) {
    const Value* result = of.body().results()[i];
    if (made.result_tangents[i])
      all.push_back(given[next++]);
    else if (is_inexact(result->dtype()))
      all.push_back(ops::zeros(emitter, result->type()));
  }
  return all;
}

// The transpose of a function for cotangents of all of its floating results: those of all linear arguments.
Values all_cotangents(FunctionEmitter& emitter, Derivatives& derivatives, Function& of, const Mask& linear,
                      Values cotangents, const Values& arguments) {
  Mask given;
  for (const Value* result : of.body().results()) given.push_back(is_inexact(result->dtype()));
  Values all(arguments.size(), nullptr), result;
  if (any_batched(linear)) {
    const Transposed& made = derivatives.transpose(&of, linear, given);
    for (int i : made.known) cotangents.push_back(arguments[static_cast<size_t>(i)]);
    const Values found = emitter.call(*made.function, cotangents);
    for (size_t k = 0; k < found.size(); ++k) all[static_cast<size_t>(made.arguments[k])] = found[k];
  }
  for (size_t i = 0; i < all.size(); ++i) {
    if (!linear[i]) continue;
    const Value* argument = of.body().argument(static_cast<int>(i));
    result.push_back(all[i] != nullptr ? all[i] : ops::zeros(emitter, argument->type()));
  }
  return result;
}

Mask floating_results(const Op& call) {
  Mask mask;
  for (const Value* result : call.results()) mask.push_back(is_inexact(result->dtype()));
  return mask;
}

// What a rule makes of a batch, in a module of its own to be differentiated there.
struct Derived {
  explicit Derived(const RuleForBatch& base)
      : owner(base.owner), module(extract(*base.function)), derivatives(*module, base.line) {}
  Function& function() const { return *module->functions().front(); }

  std::shared_ptr<const void> owner;
  std::unique_ptr<ir::Module> module;
  Derivatives derivatives;
};

// How many are true before each place.
std::vector<int> places(const Mask& mask, bool of = true, int first = 0) {
  std::vector<int> result;
  for (bool entry : mask) {
    result.push_back(first);
    if (entry == of) ++first;
  }
  return result;
}

class LinearRule final : public BatchRule {
 public:
  LinearRule(std::shared_ptr<const BatchRule> base, Mask active, int residuals, Mask floating)
      : base_(std::move(base)),
        active_(std::move(active)),
        residuals_(residuals),
        floating_(std::move(floating)) {}

  RuleForBatch of(int64_t size, const Mask& batched) const override {
    const size_t count = active_.size();
    const std::vector<int> tangent_of = places(active_, true, static_cast<int>(count) + residuals_);
    Mask mask(batched.begin(), batched.begin() + static_cast<std::ptrdiff_t>(count));
    if (!any_batched(mask)) return {};
    for (size_t i = 0; i < count; ++i) {
      if (active_[i] && batched[static_cast<size_t>(tangent_of[i])]) mask[i] = true;
    }
    const RuleForBatch base = base_->of(size, mask);
    if (base.function == nullptr) return {};
    auto derived = std::make_shared<Derived>(base);
    Function& from = derived->function();
    RuleForBatch rule{
        derived,  derived->module->add_function(from.name() + "_tangent"), base.operands, base.batched, {},
        base.line};
    Mask active;
    for (size_t j = 0; j < base.operands.size(); ++j) {
      const int operand = base.operands[j];
      active.push_back(active_[static_cast<size_t>(operand)]);
      if (!active[j]) continue;
      rule.operands.push_back(tangent_of[static_cast<size_t>(operand)]);
      rule.batched.push_back(base.batched[j]);
    }
    const std::vector<int> place = places(floating_);
    for (int result : base.results) {
      if (floating_[static_cast<size_t>(result)]) rule.results.push_back(place[static_cast<size_t>(result)]);
    }
    fill(*derived, active, *derived->module->functions().back());
    return rule;
  }

 private:
  static void fill(Derived& derived, const Mask& active, Function& to) {
    Function& from = derived.function();
    const Linearized& made = derived.derivatives.linearize(&from, active);
    FunctionEmitter emitter(to, derived.derivatives.line());
    Values arguments, tangents, residuals;
    for (const Value* argument : from.body().arguments()) arguments.push_back(emitter.argument(argument));
    for (const Value* argument : from.body().arguments()) {
      if (active[static_cast<size_t>(argument->index())])
        tangents.push_back(emitter.argument(argument, "_t"));
    }
    const Values results = emitter.call(*made.forward, arguments);
    for (const auto& [is_argument, index] : made.residuals)
      residuals.push_back((is_argument ? arguments : results)[static_cast<size_t>(index)]);
    to.body().set_results(all_tangents(emitter, made, from, tangents, residuals));
  }

  std::shared_ptr<const BatchRule> base_;
  Mask active_;
  int residuals_;
  Mask floating_;
};

class TransposedRule final : public BatchRule {
 public:
  TransposedRule(std::shared_ptr<const BatchRule> base, Mask linear, Mask floating)
      : base_(std::move(base)), linear_(std::move(linear)), floating_(std::move(floating)) {}

  RuleForBatch of(int64_t size, const Mask& batched) const override {
    const std::vector<int> known_at = places(linear_, false), cotangent_at = places(linear_);
    const auto known = static_cast<int>(std::count(linear_.begin(), linear_.end(), false));
    Mask mask(linear_.size(), true);
    for (size_t i = 0; i < linear_.size(); ++i) {
      if (!linear_[i]) mask[i] = batched[static_cast<size_t>(known_at[i])];
    }
    const RuleForBatch base = base_->of(size, mask);
    if (base.function == nullptr) return {};
    auto derived = std::make_shared<Derived>(base);
    Function& from = derived->function();
    Function* to = derived->module->add_function(from.name() + "_cotangent");
    FunctionEmitter emitter(*to, base.line);
    RuleForBatch rule{derived, to, {}, {}, {}, base.line};
    Mask linear;
    Values arguments, cotangents;
    for (size_t j = 0; j < base.operands.size(); ++j) {
      const auto operand = static_cast<size_t>(base.operands[j]);
      linear.push_back(linear_[operand]);
      if (linear[j]) {
        rule.results.push_back(cotangent_at[operand]);
        arguments.push_back(nullptr);
      } else {
        rule.operands.push_back(known_at[operand]);
        rule.batched.push_back(base.batched[j]);
        arguments.push_back(emitter.argument(from.body().argument(static_cast<int>(j))));
      }
    }
    const std::vector<int> place = places(floating_, true, known);
    for (size_t r = 0; r < base.results.size(); ++r) {
      const auto result = static_cast<size_t>(base.results[r]);
      if (!floating_[result]) continue;
      rule.operands.push_back(place[result]);
      rule.batched.push_back(true);
      cotangents.push_back(emitter.argument(from.body().results()[r], "_ct"));
    }
    to->body().set_results(
        all_cotangents(emitter, derived->derivatives, from, linear, cotangents, arguments));
    return rule;
  }

 private:
  std::shared_ptr<const BatchRule> base_;
  Mask linear_, floating_;
};

}  // namespace

BatchRule::~BatchRule() {
  Registry& all = registry();
  const ShortLock lock(all.mutex);
  all.rules.erase(number_);
}

std::shared_ptr<const BatchRule> registered(std::shared_ptr<BatchRule> rule) {
  Registry& all = registry();
  const ShortLock lock(all.mutex);
  rule->number_ = all.next++;
  all.rules.emplace(rule->number_, rule);
  return rule;
}

std::shared_ptr<const BatchRule> batch_rule_of(const Op& call) {
  const int64_t number = CallOp(call).form().batch_rule.value();
  std::shared_ptr<const BatchRule> rule = find(number);
  if (rule == nullptr)
    ir::fail_at(call,
                Error("there is no batching rule " + std::to_string(number) +
                      " in this process: the attribute 'batch_rule' has the number of a rule of the "
                      "process that has traced the function; trace it here, or leave the attribute out, "
                      "and the batch follows from the callee"));
  return rule;
}

std::vector<std::shared_ptr<const BatchRule>> batch_rules_of(const ir::Module& module) {
  std::vector<std::shared_ptr<const BatchRule>> rules;
  for (const auto& function : module.functions()) {
    ir::walk(function->body(), [&](const Op& op) {
      const auto call = ops::as<CallOp>(op);
      if (!call.has_value() || !call->form().batch_rule.has_value()) return;
      if (auto rule = find(*call->form().batch_rule)) rules.push_back(std::move(rule));
    });
  }
  return rules;
}

std::shared_ptr<const BatchRule> linear_rule(std::shared_ptr<const BatchRule> base, Mask active,
                                             int residuals, Mask floating_results) {
  return registered(std::make_shared<LinearRule>(std::move(base), std::move(active), residuals,
                                                 std::move(floating_results)));
}

std::shared_ptr<const BatchRule> transposed_rule(std::shared_ptr<const BatchRule> base, Mask linear,
                                                 Mask floating_results) {
  return registered(
      std::make_shared<TransposedRule>(std::move(base), std::move(linear), std::move(floating_results)));
}

// --- derivatives of calls with rules

const RuledCall& Derivatives::linear_call(const Op& call, const Mask& active) {
  Function* from = &CallOp(call).callee();
  const auto key = std::tuple(CallOp(call).form().batch_rule.value(), from, active);
  if (auto known = linear_calls_.find(key); known != linear_calls_.end()) return known->second;
  const Linearized& made = linearize(from, active);
  RuledCall result;
  result.function = module_.add_function(from->name() + "_tangent");
  FunctionEmitter emitter(*result.function, call.provenance());
  Values arguments, tangents, residuals;
  for (const Value* argument : from->body().arguments()) arguments.push_back(emitter.argument(argument));
  for (const auto& [is_argument, index] : made.residuals) {
    if (is_argument) {
      residuals.push_back(arguments[static_cast<size_t>(index)]);
    } else {
      residuals.push_back(emitter.argument(made.forward->body().results()[static_cast<size_t>(index)]));
      result.residuals.push_back(index);
    }
  }
  for (const Value* argument : from->body().arguments()) {
    if (active[static_cast<size_t>(argument->index())]) tangents.push_back(emitter.argument(argument, "_t"));
  }
  result.function->body().set_results(all_tangents(emitter, made, *from, tangents, residuals));
  result.rule = linear_rule(batch_rule_of(call), active, static_cast<int>(result.residuals.size()),
                            floating_results(call));
  return linear_calls_.emplace(key, std::move(result)).first->second;
}

const RuledCall& Derivatives::transposed_call(const Op& call, const Mask& linear) {
  Function* from = &CallOp(call).callee();
  const auto key = std::tuple(CallOp(call).form().batch_rule.value(), from, linear);
  if (auto known = transposed_calls_.find(key); known != transposed_calls_.end()) return known->second;
  RuledCall result;
  result.function = module_.add_function(from->name() + "_cotangent");
  FunctionEmitter emitter(*result.function, call.provenance());
  Values arguments, cotangents;
  for (const Value* argument : from->body().arguments()) {
    const bool is_linear = linear[static_cast<size_t>(argument->index())];
    arguments.push_back(is_linear ? nullptr : emitter.argument(argument));
  }
  for (const Value* value : from->body().results()) {
    if (is_inexact(value->dtype())) cotangents.push_back(emitter.argument(value, "_ct"));
  }
  result.function->body().set_results(all_cotangents(emitter, *this, *from, linear, cotangents, arguments));
  result.rule = transposed_rule(batch_rule_of(call), linear, floating_results(call));
  return transposed_calls_.emplace(key, std::move(result)).first->second;
}

}  // namespace ingot::transform
