// Derivatives of loops.
//
// The jvp of a scan is one scan over values and tangents side by side. Its linearisation is two: the forward
// scan stacks, besides its own results, what the linear one needs of each step; the linear scan runs over
// tangents and these stacks. Of what the linear body needs,
//   - slices and invariants are those of the forward scan: nothing is stacked;
//   - what follows from invariants alone is computed once, before the loop;
//   - a carry that is also a result is that result's stack, one step late: a view.
// What the linear body computes from invariants alone leaves the loop; so does a contraction of a slice with
// an invariant, which becomes one contraction over all steps. The transpose then has one, too: the gradient
// of a weight is not added up step by step.
#include <algorithm>

#include "base/check.h"
#include "ir/op_record.h"
#include "ir/unused.h"
#include "ops/control.h"
#include "ops/derivatives.h"
#include "transform/differentiate.h"
#include "transform/hoist.h"
#include "transform/scan_builder.h"

namespace ingot::transform {

using ir::IntList;
using ir::Op;
using ir::Region;
using ir::Value;
using ops::ScanOp;

void RegionDifferentiator::scan_of_jvp(const Op& op, const Mask& active) {
  const ScanOp scan(op);
  const Region& source = scan.body();
  std::unique_ptr<Region> draft = forward_.function()->make_region();
  RegionDifferentiator inner(shared_, *draft, *draft, provenance_);
  for (Value* argument : source.arguments()) {
    Value* primal = draft->add_argument(argument->type(), argument->name());
    const bool has_tangent = active[static_cast<size_t>(argument->index())];
    inner.bind(argument, primal,
               has_tangent ? draft->add_argument(argument->type(), argument->name() + "_t") : nullptr);
  }
  inner.run(source);

  ScanBuilder builder(scan.length(), scan.reverse());
  using At = std::pair<const Value*, int>;  // a result of the scan, and its place among carries or stacks
  std::vector<At> primal_carries, tangent_carries, primal_stacks, tangent_stacks;
  for (const ScanOp::Carry& carry : scan.carries())
    primal_carries.emplace_back(carry.result, builder.carry(inner.primal(carry.argument),
                                                            primal(carry.initial), inner.primal(carry.next)));
  for (const ScanOp::Scanned& x : scan.scanned())
    builder.scanned(inner.primal(x.slice), primal(x.array), x.axis);
  for (const ScanOp::Invariant& x : scan.invariants())
    builder.invariant(inner.primal(x.argument), primal(x.value));
  const auto is_active = [&](const Value* argument) {
    return active[static_cast<size_t>(argument->index())];
  };
  for (const ScanOp::Carry& carry : scan.carries()) {
    if (!is_active(carry.argument)) continue;
    Value* next = inner.linear_tangent(carry.next);
    tangent_carries.emplace_back(
        carry.result, builder.carry(inner.tangent(carry.argument), linear_tangent(carry.initial), next));
  }
  for (const ScanOp::Scanned& x : scan.scanned()) {
    if (is_active(x.slice)) builder.scanned(inner.tangent(x.slice), linear_tangent(x.array), x.axis);
  }
  for (const ScanOp::Invariant& x : scan.invariants()) {
    if (is_active(x.argument)) builder.invariant(inner.tangent(x.argument), linear_tangent(x.value));
  }
  for (const ScanOp::Stack& stack : scan.stacks())
    primal_stacks.emplace_back(stack.whole, builder.stacked(inner.primal(stack.slice), stack.axis));
  for (const ScanOp::Stack& stack : scan.stacks()) {
    if (Value* value = inner.tangent(stack.slice))
      tangent_stacks.emplace_back(stack.whole, builder.stacked(value, stack.axis));
  }
  ScanBuilder::Result result = builder.finish(*draft);
  Regions regions;
  regions.push_back(std::move(result.region));
  const ScanOp made(*emit_forward("scan", result.operands, result.attributes, std::move(regions)));
  for (const auto& [of, k] : primal_carries) primals_[of] = made.carry(k).result;
  for (const auto& [of, k] : primal_stacks) primals_[of] = made.stack(k).whole;
  for (const auto& [of, k] : tangent_carries) set_tangent(of, made.carry(k).result);
  for (const auto& [of, k] : tangent_stacks) set_tangent(of, made.stack(k).whole);
}

namespace {

// What a value of a loop body follows from. Of a loop without steps nothing is to be computed before it: it
// might not end, or be an error.
class Dependence {
 public:
  explicit Dependence(const ScanOp& scan) : scan_(scan) {}
  bool on_invariants_alone(const Value* value) {
    if (value->op() == nullptr) return scan_.is_invariant(value->index());
    if (scan_.length() == 0) return false;
    auto it = known_.find(value);
    if (it != known_.end()) return it->second;
    bool alone = true;
    for (const Value* operand : value->op()->operands()) alone = alone && on_invariants_alone(operand);
    return known_[value] = alone;
  }

 private:
  const ScanOp& scan_;
  std::unordered_map<const Value*, bool> known_;
};

// Copies what the value follows from out of the loop body, before the loop.
Value* before_loop(const Value* value, Region& outside, ir::ValueMap& map) {
  if (auto it = map.find(value); it != map.end()) return it->second;
  for (const Value* operand : value->op()->operands()) before_loop(operand, outside, map);
  clone_op(*value->op(), outside, map);
  return map.at(value);
}

// What is left of the scan where some operands and results are not its own.
ops::ScanForm form_of_parts(const ScanOp& scan, const std::vector<Value*>& operands,
                            const std::vector<Value*>& results) {
  ops::ScanForm form = scan.form();
  form.active.reset();
  form.running.reset();
  form.xs_axes.clear();
  form.ys_axes.clear();
  for (int i = 0; i < static_cast<int>(operands.size()); ++i) {
    if (operands[static_cast<size_t>(i)] == nullptr && scan.is_carry(i)) --form.carries;
    if (operands[static_cast<size_t>(i)] != nullptr && scan.is_scanned(i))
      form.xs_axes.push_back(scan.scanned_axis(i));
  }
  for (int i = 0; i < static_cast<int>(results.size()); ++i) {
    if (results[static_cast<size_t>(i)] != nullptr && scan.is_stack(i))
      form.ys_axes.push_back(scan.stack_axis(i));
  }
  return form;
}

}  // namespace

// A loop body in two drafts, and what its parts stand for outside. In a rule of the user's a part belongs to
// one of them; what is linearised has a forward part always, and a linear one where it has a tangent.
struct RegionDifferentiator::LoopDrafts {
  std::unique_ptr<Region> forward, linear;
  std::unique_ptr<RegionDifferentiator> inner;
  // By operand of the scan; null where it has none there. `forward` has all arguments.
  Values operands, tangent_arguments;
  std::function<Value*(int)> tangent_operand;
  Values next, next_tangents;  // by result of the scan, likewise
};

void RegionDifferentiator::scan_linearized(const Op& op, const Mask& active) {
  const ScanOp scan(op);
  const Region& source = scan.body();
  LoopDrafts drafts;
  drafts.forward = forward_.function()->make_region();
  drafts.linear = linear_.function()->make_region();
  drafts.inner =
      std::make_unique<RegionDifferentiator>(shared_, *drafts.forward, *drafts.linear, provenance_);
  RegionDifferentiator& inner = *drafts.inner;
  for (Value* argument : source.arguments()) {
    const bool has_tangent = active[static_cast<size_t>(argument->index())];
    Value* primal = drafts.forward->add_argument(argument->type(), argument->name());
    drafts.tangent_arguments.push_back(
        has_tangent ? drafts.linear->add_argument(argument->type(), argument->name() + "_t") : nullptr);
    inner.bind(argument, primal, drafts.tangent_arguments.back());
  }
  inner.run(source);
  for (int i = 0; i < op.result_count(); ++i) {
    const Value* result = source.results()[static_cast<size_t>(i)];
    drafts.next.push_back(inner.primal(result));
    const bool has_tangent = scan.is_stack(i) ? inner.tangent(result) != nullptr && op.result(i)->used()
                                              : active[static_cast<size_t>(i)];
    drafts.next_tangents.push_back(has_tangent ? inner.linear_tangent(result) : nullptr);
  }
  drafts.operands = primals_of(op);
  drafts.tangent_operand = [&](int i) { return linear_tangent(op.operand(i)); };
  const auto [results, tangents] = two_scans(scan, drafts);
  for (int i = 0; i < op.result_count(); ++i) {
    primals_[op.result(i)] = results[static_cast<size_t>(i)];
    set_tangent(op.result(i), tangents[static_cast<size_t>(i)]);
  }
}

// A scan in a rule of the user's that takes tangents: what depends on none of them is the forward scan's.
RegionDifferentiator::Values RegionDifferentiator::scan_of_rule(const Op& op, const Values& operands) {
  const ScanOp scan(op);
  std::vector<bool> linear_operands;
  for (const Value* operand : operands) linear_operands.push_back(is_linear(operand));
  LoopDrafts drafts;
  for (bool again = true; again;) {
    again = false;
    drafts = LoopDrafts();
    drafts.forward = forward_.function()->make_region();
    drafts.linear = linear_.function()->make_region();
    drafts.inner =
        std::make_unique<RegionDifferentiator>(shared_, *drafts.forward, *drafts.linear, provenance_);
    Values arguments;
    for (size_t i = 0; i < operands.size(); ++i) {
      const Value* argument = scan.body().argument(static_cast<int>(i));
      Value* known = drafts.forward->add_argument(argument->type(), argument->name());
      Value* tangent =
          linear_operands[i] ? drafts.linear->add_argument(argument->type(), argument->name()) : nullptr;
      arguments.push_back(linear_operands[i] ? tangent : known);
      drafts.operands.push_back(linear_operands[i] ? nullptr : operands[i]);
      drafts.tangent_arguments.push_back(tangent);
    }
    const Values results = drafts.inner->inline_rule(scan.body(), arguments);
    for (size_t i = 0; i < results.size(); ++i) {
      const bool carry = scan.is_carry(static_cast<int>(i));
      const bool linear = drafts.inner->is_linear(results[i]) || (carry && linear_operands[i]);
      drafts.next.push_back(linear ? nullptr : results[i]);
      drafts.next_tangents.push_back(linear ? drafts.inner->in_linear(results[i]) : nullptr);
      if (carry && linear && !linear_operands[i]) linear_operands[i] = again = true;
    }
  }
  drafts.tangent_operand = [&](int i) { return in_linear(operands[static_cast<size_t>(i)]); };
  auto [results, tangents] = two_scans(scan, drafts);
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i] == nullptr) results[i] = tangents[i];
  }
  return results;
}

// The forward scan and the linear one: their results, by result of the scan, null where it has none there.
std::pair<RegionDifferentiator::Values, RegionDifferentiator::Values> RegionDifferentiator::two_scans(
    const ScanOp& scan, LoopDrafts& drafts) {
  const Op& op = scan.op();
  const Values& next = drafts.next;
  std::unique_ptr<Region>&forward = drafts.forward, &linear = drafts.linear;
  Values results, tangents;  // of the two bodies
  std::vector<int> places(next.size(), -1), with_tangent;
  for (int i = 0; i < op.result_count(); ++i) {
    const auto k = static_cast<size_t>(i);
    if (next[k] != nullptr) {
      places[k] = static_cast<int>(results.size());
      results.push_back(next[k]);
    }
    if (drafts.next_tangents[k] == nullptr) continue;
    with_tangent.push_back(i);
    tangents.push_back(drafts.next_tangents[k]);
  }
  linear->set_results(tangents);
  forward->set_results(results);

  // A carry whose next value is also stacked is that stack, one step late.
  const auto stack_of = [&](const Value* value) {
    for (const ScanOp::Stack& stack : scan.stacks()) {
      const int i = stack.whole->index();
      if (next[static_cast<size_t>(i)] == value) return i;
    }
    return -1;
  };
  Dependence dependence(scan);
  const auto is_free = [&](const Value* value) {
    if (value->region() != nullptr && scan.is_carry(value->index()))
      return stack_of(next[static_cast<size_t>(value->index())]) >= 0;
    return value->region() != nullptr || stack_of(value) >= 0 || dependence.on_invariants_alone(value);
  };
  const std::vector<Residual> kept = plan_residuals(*linear, drafts.inner->residuals(), is_free);

  // The forward scan, with the stacks that nobody else has made.
  std::vector<int> extra(kept.size(), -1), argument_of(kept.size(), -1);
  ops::ScanForm more = form_of_parts(scan, drafts.operands, next);
  for (size_t r = 0; r < kept.size(); ++r) {
    if (kept[r].value->region() != nullptr) argument_of[r] = kept[r].value->index();
    if (is_free(kept[r].value)) continue;
    extra[r] = static_cast<int>(results.size());
    results.push_back(kept[r].value);
    more.ys_axes.push_back(0);
  }
  ir::ValueMap outside;
  for (int i = 0; i < op.operand_count(); ++i) {
    if (scan.is_invariant(i)) outside[forward->argument(i)] = drafts.operands[static_cast<size_t>(i)];
  }
  std::unordered_map<const Value*, Value*> hoisted;
  for (const Residual& residual : kept) {
    if (dependence.on_invariants_alone(residual.value))
      hoisted[residual.value] = before_loop(residual.value, forward_, outside);
  }
  forward->set_results(results);
  erase_unused(*forward);
  Values operands;
  for (int i = op.operand_count(); i-- > 0;) {
    if (Value* operand = drafts.operands[static_cast<size_t>(i)])
      operands.insert(operands.begin(), operand);
    else
      forward->erase_argument(i);
  }
  Regions regions;
  regions.push_back(std::move(forward));
  const Op* made = emit_forward("scan", operands, more.attributes(), std::move(regions));
  const auto made_for = [&](int result) { return made->result(places[static_cast<size_t>(result)]); };

  // The linear scan: each argument of its body, and what it stands for outside.
  LoopArguments arguments;
  for (int i = 0; i < op.operand_count(); ++i) {
    Value* argument = drafts.tangent_arguments[static_cast<size_t>(i)];
    if (argument == nullptr || scan.is_carry(i)) continue;
    arguments.add(argument, drafts.tangent_operand(i), scan.is_scanned(i) ? scan.scanned_axis(i) : -1);
  }
  for (size_t r = 0; r < kept.size(); ++r) {
    const auto& [value, argument] = kept[r];
    const bool is_hoisted = hoisted.contains(value);  // then its copy in the loop may be gone
    const int index = is_hoisted ? -1 : argument_of[r];
    if (is_hoisted) {
      arguments.add(argument, hoisted.at(value), -1);
    } else if (index >= 0 && scan.is_scanned(index)) {
      arguments.add(argument, drafts.operands[static_cast<size_t>(index)], scan.scanned_axis(index));
    } else if (extra[r] >= 0) {
      arguments.add(argument, made->result(extra[r]), 0);
    } else {
      const int stack = stack_of(index >= 0 ? next[static_cast<size_t>(index)] : value);
      const int64_t axis = scan.stack_axis(stack);
      Value* whole = made_for(stack);
      if (index >= 0) {
        Value* first = drafts.operands[static_cast<size_t>(index)];
        whole = one_step_late(*this, first, whole, axis, scan.reverse());
      }
      arguments.add(argument, whole, axis);
    }
  }
  hoist_from_loop(*linear, arguments, *this);

  ScanBuilder builder(scan.length(), scan.reverse());
  const auto body_results = linear->results();
  std::vector<int> tangent_places;  // among the carries or the stacks
  for (size_t k = 0; k < with_tangent.size(); ++k) {
    const int i = with_tangent[k];
    tangent_places.push_back(scan.is_stack(i)
                                 ? builder.stacked(body_results[k], scan.stack_axis(i))
                                 : builder.carry(drafts.tangent_arguments[static_cast<size_t>(i)],
                                                 drafts.tangent_operand(i), body_results[k]));
  }
  for (const LoopArguments::Argument& a : arguments.list) {
    if (!a.inside->used()) continue;
    if (a.axis >= 0)
      builder.scanned(a.inside, a.outside, a.axis);
    else
      builder.invariant(a.inside, a.outside);
  }
  ScanBuilder::Result result = builder.finish(*linear);
  Regions linear_regions;
  linear_regions.push_back(std::move(result.region));
  const ScanOp tangent_scan(
      *emit_linear("scan", result.operands, result.attributes, std::move(linear_regions)));
  std::pair<Values, Values> both{Values(next.size(), nullptr), Values(next.size(), nullptr)};
  for (int i = 0; i < op.result_count(); ++i) {
    if (next[static_cast<size_t>(i)] != nullptr) both.first[static_cast<size_t>(i)] = made_for(i);
  }
  for (size_t k = 0; k < with_tangent.size(); ++k) {
    const int i = with_tangent[k];
    both.second[static_cast<size_t>(i)] = scan.is_stack(i) ? tangent_scan.stack(tangent_places[k]).whole
                                                           : tangent_scan.carry(tangent_places[k]).result;
  }
  return both;
}

}  // namespace ingot::transform
