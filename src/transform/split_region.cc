#include "transform/split_region.h"

#include <algorithm>

#include "ir/builder.h"
#include "ops/control.h"
#include "transform/scan_builder.h"

namespace ingot::transform {

using ir::Op;
using ir::Region;
using ir::Value;
using ops::CallForm;
using ops::CallOp;
using ops::CondOp;
using ops::ScanOp;

namespace {

// The rules of a call fit its results as they are.
bool is_plain_call(const Op& op) {
  return ops::is<CallOp>(op) && !CallOp(op).has_rules();
}

Op* make_like(const Op& op, Region& to, std::vector<Value*> operands, ir::Attributes attributes,
              std::vector<std::unique_ptr<Region>> regions = {}) {
  ir::Builder builder(to);
  builder.set_provenance(op.provenance());
  std::vector<std::string> names;
  for (const Value* result : op.results()) names.push_back(result->name());
  return builder.make(op.name(), std::move(operands), std::move(attributes), std::move(regions),
                      std::move(names));
}

std::vector<Value*> mapped(const Op& op, const ir::ValueMap& map) {
  std::vector<Value*> operands;
  for (const Value* operand : op.operands()) operands.push_back(map.at(operand));
  return operands;
}

}  // namespace

// --- the plan

bool RegionSplitter::is_needed(const Op& op) const {
  for (const Value* result : op.results()) {
    if (needs(result)) return true;
  }
  return false;
}

void RegionSplitter::plan(const std::vector<bool>& wanted) {
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
    else if (ops::is<CondOp>(op))
      plan_cond(op);
    else if (is_plain_call(op))
      plan_call(op);
    else
      needed_.insert(op.operands().begin(), op.operands().end());
  }
}

void RegionSplitter::plan_call(const Op& op) {
  std::vector<bool> wanted;
  for (const Value* result : op.results()) wanted.push_back(needs(result));
  const TwoRuns& runs = shared_.split(CallOp(op).callee(), op.result_count(), wanted, policy_text_);
  calls_[&op] = &runs;
  for (int i : runs.arguments) needed_.insert(op.operand(i));
}

// A carry that a step needs is needed of every step.
void RegionSplitter::plan_loop(const Op& op) {
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

void RegionSplitter::plan_cond(const Op& op) {
  const CondOp cond(op);
  std::vector<bool> wanted;
  for (const Value* result : op.results()) wanted.push_back(needs(result));
  Branches& branches = conds_[&op];
  needed_.insert(cond.index());
  for (int b = 0; b < cond.branch_count(); ++b) {
    const auto& branch = branches.splitters.emplace_back(
        std::make_unique<RegionSplitter>(shared_, policy_text_, cond.branch(b)));
    branch->plan(wanted);
    for (int i = 0; i < cond.argument_count(); ++i) {
      if (branch->needs(cond.branch(b).argument(i))) needed_.insert(cond.argument(i));
    }
  }
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
    } else if (conds_.contains(op.get())) {
      made = first_cond(*op, to, map);
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
  form.running.reset();
  return make_like(op, to, mapped(op, map), form.attributes(), std::move(regions));
}

Op* RegionSplitter::first_cond(const Op& op, Region& to, const ir::ValueMap& map) {
  const CondOp cond(op);
  Branches& branches = conds_.at(&op);
  std::vector<std::unique_ptr<Region>> regions;
  std::vector<std::vector<Value*>> saved;
  std::vector<ir::ValueMap> inside(branches.splitters.size());
  for (size_t b = 0; b < branches.splitters.size(); ++b) {
    Region& branch = *regions.emplace_back(to.function()->make_region());
    for (const Value* argument : op.region(static_cast<int>(b)).arguments())
      inside[b][argument] = branch.add_argument(argument->type(), argument->name());
    saved.push_back(branches.splitters[b]->emit_first(branch, inside[b]));
    branches.places.push_back(branches.saved.places_for(saved[b]));
  }
  for (size_t b = 0; b < branches.splitters.size(); ++b) {
    RegionEmitter emitter(*regions[b], op.provenance());
    std::vector<Value*> results;
    for (const Value* result : op.region(static_cast<int>(b)).results())
      results.push_back(inside[b].at(result));
    for (Value* value : branches.saved.filled(saved[b], branches.places[b], emitter))
      results.push_back(value);
    regions[b]->set_results(results);
  }
  return make_like(op, to, mapped(op, map), op.attributes(), std::move(regions));
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
    } else if (auto cond = conds_.find(op.get()); cond != conds_.end()) {
      again_cond(*op, to, map, take(static_cast<int>(cond->second.saved.types().size())));
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

void RegionSplitter::again_cond(const Op& op, Region& to, ir::ValueMap& map,
                                const std::vector<Value*>& saved) const {
  const CondOp cond(op);
  const Branches& branches = conds_.at(&op);
  const size_t count = branches.splitters.size();
  std::vector<std::unique_ptr<Region>> owned;
  std::vector<Region*> drafts;
  // By argument of the cond, and by place among what is saved: what it is in each branch.
  std::vector<std::vector<Value*>> arguments(static_cast<size_t>(cond.argument_count())),
      places(saved.size());
  for (auto* list : {&arguments, &places}) {
    for (std::vector<Value*>& inside : *list) inside.resize(count, nullptr);
  }
  for (size_t b = 0; b < count; ++b) {
    const RegionSplitter& inner = *branches.splitters[b];
    const Region& source = op.region(static_cast<int>(b));
    Region& draft = *owned.emplace_back(to.function()->make_region());
    drafts.push_back(&draft);
    ir::ValueMap inside;
    for (size_t i = 0; i < arguments.size(); ++i) {
      const Value* argument = source.argument(static_cast<int>(i));
      if (!inner.needs(argument)) continue;
      inside[argument] = arguments[i][b] = draft.add_argument(argument->type(), argument->name());
    }
    std::vector<Value*> given;
    for (const int place : branches.places[b]) {
      const auto p = static_cast<size_t>(place);
      given.push_back(places[p][b] = draft.add_argument(branches.saved.types()[p], "saved"));
    }
    inner.emit_again(draft, inside, given);
    std::vector<Value*> results;
    for (int i = 0; i < op.result_count(); ++i) {
      if (needs(op.result(i))) results.push_back(inside.at(source.results()[static_cast<size_t>(i)]));
    }
    draft.set_results(results);
  }
  RegionsBuilder builder(drafts, cond.lanes());
  builder.index(map.at(cond.index()));
  for (int i = 0; i < cond.argument_count(); ++i) {
    const auto& inside = arguments[static_cast<size_t>(i)];
    if (std::any_of(inside.begin(), inside.end(), [](const Value* value) { return value != nullptr; }))
      builder.argument(inside, map.at(cond.argument(i)), cond.lanes().is_mapped(i + 1));
  }
  for (size_t p = 0; p < saved.size(); ++p) builder.argument(places[p], saved[p], cond.lanes().any());
  RegionsBuilder::Result result = builder.finish();
  const Op* made = make_like(op, to, result.operands, result.of_cond(), std::move(result.regions));
  int next = 0;
  for (const Value* of : op.results()) {
    if (needs(of)) map[of] = made->result(next++);
  }
}

}  // namespace ingot::transform
