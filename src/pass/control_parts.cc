#include "pass/control_parts.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>

#include "ops/control.h"
#include "pass/replace.h"

namespace ingot::pass {
namespace {

using ir::Op;
using ir::Region;
using ir::Value;
using ops::CondOp;
using ops::WhileOp;

std::vector<int> numbers(int count) {
  std::vector<int> list(static_cast<size_t>(count));
  std::iota(list.begin(), list.end(), 0);
  return list;
}

// The operand that argument 0 of the regions is given: a cond has its index before.
int first_argument(const Op& op) {
  return ops::is<CondOp>(op) ? 1 : 0;
}

// The arguments of its region that these values depend on.
void mark(const std::vector<const Value*>& from, std::vector<bool>& arguments) {
  std::vector<const Value*> stack = from;
  std::unordered_set<const Value*> seen(from.begin(), from.end());
  while (!stack.empty()) {
    const Value* value = stack.back();
    stack.pop_back();
    if (value->op() == nullptr) {
      arguments[static_cast<size_t>(value->index())] = true;
      continue;
    }
    for (const Value* operand : value->op()->operands()) {
      if (seen.insert(operand).second) stack.push_back(operand);
    }
  }
}

std::vector<int> indices_of(const std::vector<bool>& kept) {
  std::vector<int> list;
  for (size_t i = 0; i < kept.size(); ++i) {
    if (kept[i]) list.push_back(static_cast<int>(i));
  }
  return list;
}

// Which carries stay the same, so that their initial values are as good as their last ones. If all that is
// used of a loop stays the same, one result remains what it is, and with it the loop: it may never end, or
// be an error where it has a bound that is too small. Of a loop that may take no step that is all results,
// since to be this error is what it is there for.
std::vector<bool> staying_carries(const WhileOp& loop) {
  const std::vector<WhileOp::Carry> carries = loop.carries();
  std::vector<bool> stay(carries.size(), false);
  if (loop.form().max_steps == 0) return stay;
  bool needed = false;  // by a result that changes, or one that does not
  for (size_t k = 0; k < carries.size(); ++k) {
    stay[k] = carries[k].next == carries[k].argument;
    needed = needed || (!stay[k] && carries[k].result->used());
  }
  for (size_t k = 0; k < carries.size() && !needed; ++k) {
    if (!carries[k].result->used()) continue;
    stay[k] = false;
    needed = true;
  }
  return stay;
}

// What this step reads of a carry, the step before has to make.
ControlParts needed_parts_of_while(const WhileOp& loop) {
  const Op& op = loop.op();
  std::vector<bool> arguments(static_cast<size_t>(op.operand_count())), known(op.results().size());
  mark({loop.predicate().results()[0]}, arguments);
  for (const WhileOp::Carry& carry : loop.carries()) {
    if (carry.result->used()) arguments[static_cast<size_t>(carry.argument->index())] = true;
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t k = 0; k < known.size(); ++k) {
      if (!arguments[k] || known[k]) continue;
      known[k] = changed = true;
      mark({loop.body().results()[k]}, arguments);
    }
  }
  return {indices_of(arguments), indices_of(known)};
}

ControlParts needed_parts_of_cond(const CondOp& cond) {
  ControlParts parts;
  std::vector<bool> arguments(static_cast<size_t>(cond.argument_count()));
  for (Value* result : cond.op().results()) {
    if (!result->used()) continue;
    parts.results.push_back(result->index());
    for (int b = 0; b < cond.branch_count(); ++b)
      mark({cond.branch(b).results()[static_cast<size_t>(result->index())]}, arguments);
  }
  parts.arguments = indices_of(arguments);
  return parts;
}

ir::Attributes attributes_for(const Op& op, const ControlParts& parts) {
  ir::Attributes attributes = op.attributes();
  ops::Lanes lanes = ops::Lanes::of(attributes);
  if (lanes.any()) {
    const ir::IntList old = lanes.mapped;
    lanes.mapped.assign(old.begin(), old.begin() + first_argument(op));
    for (int i : parts.arguments) lanes.mapped.push_back(old[static_cast<size_t>(i + first_argument(op))]);
    lanes.write(attributes);
  }
  if (const auto loop = ops::as<WhileOp>(op)) {
    ops::WhileForm form = loop->form();
    form.carries = static_cast<int>(parts.results.size());
    form.lanes = lanes;
    form.write(attributes);
  }
  return attributes;
}

}  // namespace

ControlParts ControlParts::of(const Op& op) {
  return {numbers(op.operand_count() - first_argument(op)), numbers(op.result_count())};
}

ControlParts needed_parts_of(const Op& op) {
  if (const auto loop = ops::as<WhileOp>(op)) return needed_parts_of_while(*loop);
  return needed_parts_of_cond(CondOp(op));
}

std::vector<PassedThrough> passed_through(const Op& op) {
  std::vector<PassedThrough> found;
  if (const auto loop = ops::as<WhileOp>(op)) {
    const std::vector<bool> stay = staying_carries(*loop);
    for (const WhileOp::Carry& carry : loop->carries()) {
      if (stay[static_cast<size_t>(carry.result->index())])
        found.push_back({carry.result->index(), carry.initial});
    }
    return found;
  }
  const CondOp cond(op);
  for (const Value* result : op.results()) {
    const auto k = static_cast<size_t>(result->index());
    const Value* first = cond.branch(0).results()[k];
    if (first->op() != nullptr) continue;
    bool all = true;
    for (int b = 1; b < cond.branch_count() && all; ++b) {
      const Value* other = cond.branch(b).results()[k];
      all = other->op() == nullptr && other->index() == first->index();
    }
    Value* value = cond.argument(first->index());
    if (all && value->type() == result->type()) found.push_back({result->index(), value});  // not of a lane
  }
  return found;
}

ControlParts without_constant_carries_of(const Op& op) {
  const WhileOp loop(op);
  ControlParts parts;
  std::vector<int> constant;
  const std::vector<bool> stay = staying_carries(loop);
  for (const WhileOp::Carry& carry : loop.carries()) {
    const int k = carry.argument->index();
    (stay[static_cast<size_t>(k)] ? constant : parts.results).push_back(k);
  }
  parts.arguments = parts.results;
  parts.arguments.insert(parts.arguments.end(), constant.begin(), constant.end());
  for (const WhileOp::Invariant& invariant : loop.invariants())
    parts.arguments.push_back(invariant.argument->index());
  return parts;
}

Op* rebuild_control(Op& op, const ControlParts& parts) {
  const bool is_loop = ops::is<WhileOp>(op);
  std::vector<Value*> operands(op.operands().begin(), op.operands().begin() + first_argument(op));
  for (int i : parts.arguments) operands.push_back(op.operand(i + first_argument(op)));
  std::vector<ir::TensorType> types;
  std::vector<std::string> result_names;
  for (int i : parts.results) {
    types.push_back(op.result(i)->type());
    result_names.push_back(op.result(i)->name());
  }
  std::vector<std::vector<std::string>> argument_names;
  std::vector<std::unique_ptr<Region>> regions;
  for (int r = 0; r < op.region_count(); ++r) {
    auto& names = argument_names.emplace_back();
    for (int i : parts.arguments) names.push_back(op.region(r).argument(i)->name());
    regions.push_back(
        keep_parts(op.region(r), parts.arguments, is_loop && r == 0 ? std::vector<int>{0} : parts.results));
  }
  Op* fresh = op.parent()->insert(op.record(), std::move(operands), attributes_for(op, parts),
                                  std::move(types), op.provenance(), &op, std::move(regions));
  for (size_t k = 0; k < parts.results.size(); ++k)
    op.result(parts.results[k])->replace_all_uses_with(fresh->result(static_cast<int>(k)));
  ir::Function* function = op.function();
  op.erase();
  for (size_t k = 0; k < result_names.size(); ++k)
    function->rename(fresh->result(static_cast<int>(k)), result_names[k]);
  for (int r = 0; r < fresh->region_count(); ++r) {
    for (int i = 0; i < fresh->region(r).argument_count(); ++i)
      function->rename(fresh->region(r).argument(i),
                       argument_names[static_cast<size_t>(r)][static_cast<size_t>(i)]);
  }
  return fresh;
}

}  // namespace ingot::pass
