#include "transform/checkpoint.h"

#include <unordered_map>
#include <unordered_set>

#include "ir/builder.h"
#include "ir/unused.h"
#include "ops/control.h"
#include "transform/scan_builder.h"

namespace ingot::transform {
namespace {

using ir::Function;
using ir::Op;
using ir::Region;
using ir::Value;
using ops::CallForm;
using ops::CallOp;
using ops::ScanOp;

// One region of the function to be split, in three steps: plan() finds what the second run needs and what of
// that is saved; emit_first() and emit_again() make the two versions. The saved values of a region come in
// the order of its operations; those of a loop's body are stacks.
class RegionSplitter {
 public:
  RegionSplitter(Checkpoints& shared, const std::string& policy_text, const Region& from)
      : shared_(shared), policy_text_(policy_text), from_(from) {}

  void plan(const std::vector<bool>& wanted) {
    const auto policy = ops::SavePolicy::parse(policy_text_);
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (wanted[i]) needed_.insert(from_.results()[i]);
    }
    for (auto it = from_.ops().rbegin(); it != from_.ops().rend(); ++it) {
      const Op& op = **it;
      if (op.is_return() || !is_needed(op)) continue;
      if (policy.saves(op))
        saved_ops_.insert(&op);
      else if (ops::is<ScanOp>(op))
        plan_loop(op);
      else if (is_plain_call(op))
        plan_call(op);
      else
        needed_.insert(op.operands().begin(), op.operands().end());
    }
  }
  bool needs(const Value* value) const { return needed_.contains(value); }

  // Copies the region; returns the saved values. `map` has the new arguments, and gets all other values.
  std::vector<Value*> emit_first(Region& to, ir::ValueMap& map);
  // Makes what is needed of the region; `saved` are the values that stand for the saved ones.
  void emit_again(Region& to, ir::ValueMap& map, const std::vector<Value*>& saved) const;

 private:
  bool is_needed(const Op& op) const {
    for (const Value* result : op.results()) {
      if (needs(result)) return true;
    }
    return false;
  }
  // The rules of a call fit its results as they are.
  static bool is_plain_call(const Op& op) { return ops::is<CallOp>(op) && !CallOp(op).has_rules(); }

  void plan_call(const Op& op) {
    std::vector<bool> wanted;
    for (const Value* result : op.results()) wanted.push_back(needs(result));
    const TwoRuns& runs = shared_.split(CallOp(op).callee(), op.result_count(), wanted, policy_text_);
    calls_[&op] = &runs;
    for (int i : runs.arguments) needed_.insert(op.operand(i));
  }

  // A carry that a step needs is needed of every step.
  void plan_loop(const Op& op) {
    const ScanOp scan(op);
    std::vector<bool> wanted;
    for (const Value* result : op.results()) wanted.push_back(needs(result));
    for (bool changed = true; changed;) {
      changed = false;
      auto& body = loops_[&op] = std::make_unique<RegionSplitter>(shared_, policy_text_, op.region());
      body->plan(wanted);
      for (const ScanOp::Carry& carry : scan.carries()) {
        const auto k = static_cast<size_t>(carry.result->index());
        if (wanted[k] || !body->needs(carry.argument)) continue;
        wanted[k] = changed = true;
      }
    }
    for (int i = 0; i < op.operand_count(); ++i) {
      const bool carry = scan.is_carry(i) && wanted[static_cast<size_t>(i)];
      if (carry || loops_[&op]->needs(op.region().argument(i))) needed_.insert(op.operand(i));
    }
    wanted_of_loop_[&op] = wanted;
  }

  Op* first_call(const Op& op, Region& to, const ir::ValueMap& map) const;
  Op* first_loop(const Op& op, Region& to, const ir::ValueMap& map) const;
  void again_call(const Op& op, Region& to, ir::ValueMap& map, std::vector<Value*> saved) const;
  void again_loop(const Op& op, Region& to, ir::ValueMap& map, const std::vector<Value*>& saved) const;

  Checkpoints& shared_;
  const std::string& policy_text_;
  const Region& from_;
  std::unordered_set<const Value*> needed_;
  std::unordered_set<const Op*> saved_ops_;
  std::unordered_map<const Op*, const TwoRuns*> calls_;
  std::unordered_map<const Op*, std::unique_ptr<RegionSplitter>> loops_;
  std::unordered_map<const Op*, std::vector<bool>> wanted_of_loop_;
  std::vector<ir::TensorType> saved_types_;  // as emit_first() has made them
};

Op* make_like(const Op& op, Region& to, std::vector<Value*> operands, ir::Attributes attributes,
              std::vector<std::unique_ptr<Region>> regions = {}) {
  ir::Builder builder(to);
  builder.set_provenance(op.provenance());
  std::vector<std::string> names;
  for (const Value* result : op.results()) names.push_back(result->name());
  return builder.make(op.name(), std::move(operands), std::move(attributes), std::move(regions),
                      std::move(names));
}

// --- the first run

std::vector<Value*> RegionSplitter::emit_first(Region& to, ir::ValueMap& map) {
  std::vector<Value*> saved;
  for (const auto& op : from_.ops()) {
    if (op->is_return()) continue;
    Op* made = nullptr;
    if (auto call = calls_.find(op.get()); call != calls_.end() && call->second->saved > 0) {
      made = first_call(*op, to, map);
    } else if (auto loop = loops_.find(op.get()); loop != loops_.end()) {
      made = first_loop(*op, to, map);
    } else {
      clone_op(*op, to, map);
      if (!saved_ops_.contains(op.get())) continue;
      for (const Value* result : op->results()) {
        if (needs(result)) saved.push_back(map.at(result));
      }
      continue;
    }
    for (int i = 0; i < made->result_count(); ++i) {
      if (i < op->result_count())
        map[op->result(i)] = made->result(i);
      else
        saved.push_back(made->result(i));
    }
  }
  saved_types_.clear();
  for (const Value* value : saved) saved_types_.push_back(value->type());
  return saved;
}

std::vector<Value*> mapped(const Op& op, const ir::ValueMap& map) {
  std::vector<Value*> operands;
  for (const Value* operand : op.operands()) operands.push_back(map.at(operand));
  return operands;
}

Op* RegionSplitter::first_call(const Op& op, Region& to, const ir::ValueMap& map) const {
  const CallForm form = CallOp(op).form().calling(*calls_.at(&op)->first);
  return make_like(op, to, mapped(op, map), form.attributes());
}

Op* RegionSplitter::first_loop(const Op& op, Region& to, const ir::ValueMap& map) const {
  std::vector<std::unique_ptr<Region>> regions;
  Region& body = *regions.emplace_back(to.function()->make_region());
  ir::ValueMap inside;
  for (const Value* argument : op.region().arguments())
    inside[argument] = body.add_argument(argument->type(), argument->name());
  const std::vector<Value*> saved = loops_.at(&op)->emit_first(body, inside);
  std::vector<Value*> results;
  for (const Value* result : op.region().results()) results.push_back(inside.at(result));
  results.insert(results.end(), saved.begin(), saved.end());
  body.set_results(results);
  ops::ScanForm form = ScanOp(op).form();
  form.ys_axes.resize(form.ys_axes.size() + saved.size(), 0);
  form.active.reset();  // every step is to stack what is saved
  return make_like(op, to, mapped(op, map), form.attributes(), std::move(regions));
}

// --- the second run

void RegionSplitter::emit_again(Region& to, ir::ValueMap& map, const std::vector<Value*>& saved) const {
  auto next = saved.begin();
  const auto take = [&](int count) {
    const auto begin = next;
    next += count;
    return std::vector<Value*>(begin, next);
  };
  for (const auto& op : from_.ops()) {
    if (op->is_return() || !is_needed(*op)) continue;
    if (saved_ops_.contains(op.get())) {
      for (const Value* result : op->results()) {
        if (needs(result)) map[result] = *next++;
      }
    } else if (auto call = calls_.find(op.get()); call != calls_.end()) {
      again_call(*op, to, map, take(call->second->saved));
    } else if (auto loop = loops_.find(op.get()); loop != loops_.end()) {
      again_loop(*op, to, map, take(static_cast<int>(loop->second->saved_types_.size())));
    } else {
      clone_op(*op, to, map);
    }
  }
}

void RegionSplitter::again_call(const Op& op, Region& to, ir::ValueMap& map,
                                std::vector<Value*> saved) const {
  const TwoRuns& runs = *calls_.at(&op);
  std::vector<Value*> operands;
  for (int i : runs.arguments) operands.push_back(map.at(op.operand(i)));
  operands.insert(operands.end(), saved.begin(), saved.end());
  const CallForm form = CallOp(op).form().calling(*runs.again);
  const Op* made = make_like(op, to, operands, form.attributes());
  int next = 0;
  for (const Value* result : op.results()) {
    if (needs(result)) map[result] = made->result(next++);
  }
}

void RegionSplitter::again_loop(const Op& op, Region& to, ir::ValueMap& map,
                                const std::vector<Value*>& saved) const {
  const ScanOp scan(op);
  const RegionSplitter& inner = *loops_.at(&op);
  const std::vector<bool>& wanted = wanted_of_loop_.at(&op);
  const std::unique_ptr<Region> draft = to.function()->make_region();
  ir::ValueMap inside;
  const auto is_used = [&](int i) {
    return (scan.is_carry(i) && wanted[static_cast<size_t>(i)]) || inner.needs(op.region().argument(i));
  };
  for (int i = 0; i < op.operand_count(); ++i) {
    const Value* argument = op.region().argument(i);
    if (is_used(i)) inside[argument] = draft->add_argument(argument->type(), argument->name());
  }
  std::vector<Value*> slices;
  for (const ir::TensorType& type : inner.saved_types_) slices.push_back(draft->add_argument(type, "saved"));
  inner.emit_again(*draft, inside, slices);

  ScanBuilder builder(scan.length(), scan.reverse());
  std::vector<std::pair<const Value*, int>> carries, stacks;  // results of the loop, and their new places
  for (const ScanOp::Carry& carry : scan.carries()) {
    if (!is_used(carry.argument->index())) continue;
    const int place = builder.carry(inside.at(carry.argument), map.at(carry.initial), inside.at(carry.next));
    if (wanted[static_cast<size_t>(carry.result->index())]) carries.emplace_back(carry.result, place);
  }
  for (const ScanOp::Scanned& x : scan.scanned()) {
    if (is_used(x.slice->index())) builder.scanned(inside.at(x.slice), map.at(x.array), x.axis);
  }
  for (const ScanOp::Invariant& x : scan.invariants()) {
    if (is_used(x.argument->index())) builder.invariant(inside.at(x.argument), map.at(x.value));
  }
  for (size_t s = 0; s < saved.size(); ++s) builder.scanned(slices[s], saved[s], 0);
  for (const ScanOp::Stack& stack : scan.stacks()) {
    if (wanted[static_cast<size_t>(stack.whole->index())])
      stacks.emplace_back(stack.whole, builder.stacked(inside.at(stack.slice), stack.axis));
  }
  ScanBuilder::Result result = builder.finish(*draft);
  std::vector<std::unique_ptr<Region>> regions;
  regions.push_back(std::move(result.region));
  ir::Builder emitter(to);
  emitter.set_provenance(op.provenance());
  const ScanOp made(*emitter.make("scan", result.operands, result.attributes, std::move(regions)));
  for (const auto& [of, k] : carries) map[of] = made.carry(k).result;
  for (const auto& [of, k] : stacks) map[of] = made.stack(k).whole;
}

}  // namespace

const TwoRuns& Checkpoints::split(const Function& function, int kept, const std::vector<bool>& wanted,
                                  const std::string& policy) {
  const Key key(&function, kept, wanted, policy);
  if (auto known = made_.find(key); known != made_.end()) return *known->second;
  auto runs = std::make_unique<TwoRuns>();
  const Region& from = function.body();
  RegionSplitter splitter(*this, policy, from);
  splitter.plan(wanted);

  runs->first = module_.add_function(function.name() + "_saving");
  Region& first = runs->first->body();
  ir::ValueMap map;
  for (const Value* argument : from.arguments())
    map[argument] = first.add_argument(argument->type(), argument->name());
  const std::vector<Value*> saved = splitter.emit_first(first, map);
  std::vector<Value*> results;
  for (int i = 0; i < kept; ++i) results.push_back(map.at(from.results()[static_cast<size_t>(i)]));
  results.insert(results.end(), saved.begin(), saved.end());
  first.set_results(results);
  erase_unused(first);
  runs->saved = static_cast<int>(saved.size());

  runs->again = module_.add_function(function.name() + "_again");
  Region& again = runs->again->body();
  map.clear();
  for (int i = 0; i < from.argument_count(); ++i) {
    const Value* argument = from.argument(i);
    if (!splitter.needs(argument)) continue;
    map[argument] = again.add_argument(argument->type(), argument->name());
    runs->arguments.push_back(i);
  }
  std::vector<Value*> given;
  for (const Value* value : saved) given.push_back(again.add_argument(value->type(), value->name()));
  splitter.emit_again(again, map, given);
  results.clear();
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i]) results.push_back(map.at(from.results()[i]));
  }
  again.set_results(results);
  if (saved.empty()) {
    module_.erase_function(runs->first);
    runs->first = nullptr;
  }
  return *made_.emplace(key, std::move(runs)).first->second;
}

}  // namespace ingot::transform
