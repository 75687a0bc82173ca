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

// What a value of a loop body follows from.
class Dependence {
 public:
  explicit Dependence(const ScanOp& scan) : scan_(scan) {}
  bool on_invariants_alone(const Value* value) {
    if (value->op() == nullptr) return scan_.is_invariant(value->index());
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

}  // namespace

void RegionDifferentiator::scan_linearized(const Op& op, const Mask& active) {
  const ScanOp scan(op);
  const Region& source = scan.body();
  std::unique_ptr<Region> forward = forward_.function()->make_region();
  std::unique_ptr<Region> linear = linear_.function()->make_region();
  RegionDifferentiator inner(shared_, *forward, *linear, provenance_);
  for (Value* argument : source.arguments()) {
    const bool has_tangent = active[static_cast<size_t>(argument->index())];
    inner.bind(argument, forward->add_argument(argument->type(), argument->name()),
               has_tangent ? linear->add_argument(argument->type(), argument->name() + "_t") : nullptr);
  }
  inner.run(source);

  Values next, tangents;  // results of the two bodies
  std::vector<int> with_tangent;
  for (int i = 0; i < op.result_count(); ++i) {
    const Value* result = source.results()[static_cast<size_t>(i)];
    next.push_back(inner.primal(result));
    const bool has_tangent = scan.is_stack(i) ? inner.tangent(result) != nullptr && op.result(i)->used()
                                              : active[static_cast<size_t>(i)];
    if (!has_tangent) continue;
    with_tangent.push_back(i);
    tangents.push_back(inner.linear_tangent(result));
  }
  linear->set_results(tangents);
  forward->set_results(next);

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
  const std::vector<Residual> kept = plan_residuals(*linear, inner.residuals(), is_free);

  // The forward scan, with the stacks that nobody else has made.
  ops::ScanForm more = scan.form();
  more.active.reset();
  Values results = next;
  std::vector<int> extra(kept.size(), -1);
  for (size_t r = 0; r < kept.size(); ++r) {
    if (is_free(kept[r].value)) continue;
    extra[r] = static_cast<int>(results.size());
    results.push_back(kept[r].value);
    more.ys_axes.push_back(0);
  }
  ir::ValueMap outside;
  for (int i = 0; i < op.operand_count(); ++i) {
    if (scan.is_invariant(i)) outside[forward->argument(i)] = primal(op.operand(i));
  }
  std::unordered_map<const Value*, Value*> hoisted;
  for (const Residual& residual : kept) {
    if (dependence.on_invariants_alone(residual.value))
      hoisted[residual.value] = before_loop(residual.value, forward_, outside);
  }
  forward->set_results(results);
  erase_unused(*forward);
  Region& forward_body = *forward;
  Regions regions;
  regions.push_back(std::move(forward));
  const Op* made = emit_forward("scan", primals_of(op), more.attributes(), std::move(regions));
  for (int i = 0; i < op.result_count(); ++i) primals_[op.result(i)] = made->result(i);

  // The linear scan: each argument of its body, and what it stands for outside.
  LoopArguments arguments;
  for (int i = 0; i < op.operand_count(); ++i) {
    if (!active[static_cast<size_t>(i)] || scan.is_carry(i)) continue;
    Value* argument = inner.tangent(source.argument(i));
    arguments.add(argument, linear_tangent(op.operand(i)), scan.is_scanned(i) ? scan.scanned_axis(i) : -1);
  }
  for (size_t r = 0; r < kept.size(); ++r) {
    const auto& [value, argument] = kept[r];
    const bool is_hoisted = hoisted.contains(value);  // then its copy in the loop may be gone
    const int index = !is_hoisted && value->region() == &forward_body ? value->index() : -1;
    if (is_hoisted) {
      arguments.add(argument, hoisted.at(value), -1);
    } else if (index >= 0 && scan.is_scanned(index)) {
      arguments.add(argument, primal(op.operand(index)), scan.scanned_axis(index));
    } else if (extra[r] >= 0) {
      arguments.add(argument, made->result(extra[r]), 0);
    } else {
      const int stack = stack_of(index >= 0 ? next[static_cast<size_t>(index)] : value);
      const int64_t axis = scan.stack_axis(stack);
      Value* whole = made->result(stack);
      arguments.add(
          argument,
          index < 0 ? whole : one_step_late(*this, primal(op.operand(index)), whole, axis, scan.reverse()),
          axis);
    }
  }
  hoist_from_loop(*linear, arguments, *this);

  ScanBuilder builder(scan.length(), scan.reverse());
  const auto body_results = linear->results();
  std::vector<int> places;  // of the tangents, among the carries or the stacks
  for (size_t k = 0; k < with_tangent.size(); ++k) {
    const int i = with_tangent[k];
    if (scan.is_stack(i))
      places.push_back(builder.stacked(body_results[k], scan.stack_axis(i)));
    else
      places.push_back(
          builder.carry(inner.tangent(source.argument(i)), linear_tangent(op.operand(i)), body_results[k]));
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
  for (size_t k = 0; k < with_tangent.size(); ++k) {
    const int i = with_tangent[k];
    set_tangent(op.result(i), scan.is_stack(i) ? tangent_scan.stack(places[k]).whole
                                               : tangent_scan.carry(places[k]).result);
  }
}

}  // namespace ingot::transform
