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
#include "ops/derivatives.h"
#include "transform/differentiate.h"
#include "transform/hoist.h"
#include "transform/scan_parts.h"

namespace ingot::transform {

using ir::IntList;
using ir::Op;
using ir::Region;
using ir::Value;

void RegionDifferentiator::scan_of_jvp(const Op& op, const Mask& active) {
  const ScanParts parts(op);
  const Region& source = op.region();
  std::unique_ptr<Region> draft = forward_.function()->make_region();
  RegionDifferentiator inner(shared_, *draft, *draft);
  for (Value* argument : source.arguments()) {
    Value* primal = draft->add_argument(argument->type(), argument->name());
    const bool has_tangent = active[static_cast<size_t>(argument->index())];
    inner.bind(argument, primal,
               has_tangent ? draft->add_argument(argument->type(), argument->name() + "_t") : nullptr);
  }
  inner.run(source);

  ScanBuilder builder(parts.length, parts.reverse);
  const auto role = [&](int i, Value* argument, Value* operand, Value* next) {
    if (parts.is_carry(i))
      builder.carry(argument, operand, next);
    else if (parts.is_scanned(i))
      builder.scanned(argument, operand, parts.axis_of(i));
    else
      builder.invariant(argument, operand);
  };
  for (int i = 0; i < op.operand_count(); ++i) {
    const Value* next = parts.is_carry(i) ? source.results()[static_cast<size_t>(i)] : nullptr;
    role(i, inner.primal(source.argument(i)), primal(op.operand(i)), next ? inner.primal(next) : nullptr);
  }
  std::vector<std::pair<int, int>> tangents;  // of results: which, and where it stands among its kind
  int active_carries = 0;
  for (int i = 0; i < op.operand_count(); ++i) {
    if (!active[static_cast<size_t>(i)]) continue;
    const Value* next = parts.is_carry(i) ? source.results()[static_cast<size_t>(i)] : nullptr;
    role(i, inner.tangent(source.argument(i)), linear_tangent(op.operand(i)),
         next ? inner.linear_tangent(next) : nullptr);
    if (parts.is_carry(i)) tangents.emplace_back(i, parts.carries + active_carries++);
  }
  const int ys = op.result_count() - parts.carries, all_carries = parts.carries + active_carries;
  std::vector<int> stacks;
  for (int pass = 0; pass < 2; ++pass) {
    for (int k = 0; k < ys; ++k) {
      const Value* y = source.results()[static_cast<size_t>(parts.carries + k)];
      Value* value = pass == 0 ? inner.primal(y) : inner.tangent(y);
      if (value == nullptr) continue;
      const int at = all_carries + builder.stacked(value, parts.ys_axes[static_cast<size_t>(k)]);
      if (pass == 0)
        stacks.push_back(at);
      else
        tangents.emplace_back(parts.carries + k, at);
    }
  }
  ScanBuilder::Result scan = builder.finish(*draft);
  Regions regions;
  regions.push_back(std::move(scan.region));
  const Op* made = emit_forward("scan", scan.operands, scan.attributes, std::move(regions));
  for (int k = 0; k < parts.carries; ++k) primals_[op.result(k)] = made->result(k);
  for (int k = 0; k < ys; ++k)
    primals_[op.result(parts.carries + k)] = made->result(stacks[static_cast<size_t>(k)]);
  for (const auto& [which, at] : tangents) set_tangent(op.result(which), made->result(at));
}

namespace {

// What a value of a loop body follows from.
class Dependence {
 public:
  explicit Dependence(const ScanParts& parts) : parts_(parts) {}
  bool on_invariants_alone(const Value* value) {
    if (value->op() == nullptr) return parts_.is_invariant(value->index());
    auto it = known_.find(value);
    if (it != known_.end()) return it->second;
    bool alone = true;
    for (const Value* operand : value->op()->operands()) alone = alone && on_invariants_alone(operand);
    return known_[value] = alone;
  }

 private:
  const ScanParts& parts_;
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
  const ScanParts parts(op);
  const Region& source = op.region();
  std::unique_ptr<Region> forward = forward_.function()->make_region();
  std::unique_ptr<Region> linear = linear_.function()->make_region();
  RegionDifferentiator inner(shared_, *forward, *linear);
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
    const bool has_tangent = parts.is_carry(i) ? active[static_cast<size_t>(i)]
                                               : inner.tangent(result) != nullptr && op.result(i)->used();
    if (!has_tangent) continue;
    with_tangent.push_back(i);
    tangents.push_back(inner.linear_tangent(result));
  }
  linear->set_results(tangents);
  forward->set_results(next);

  // A carry whose next value is also stacked is that stack, one step late.
  const auto stack_of = [&](const Value* value) {
    for (size_t i = static_cast<size_t>(parts.carries); i < next.size(); ++i) {
      if (next[i] == value) return static_cast<int>(i);
    }
    return -1;
  };
  Dependence dependence(parts);
  const auto is_free = [&](const Value* value) {
    if (value->region() != nullptr && parts.is_carry(value->index()))
      return stack_of(next[static_cast<size_t>(value->index())]) >= 0;
    return value->region() != nullptr || stack_of(value) >= 0 || dependence.on_invariants_alone(value);
  };
  const std::vector<Residual> kept = plan_residuals(*linear, inner.residuals(), is_free);

  // The forward scan, with the stacks that nobody else has made.
  ScanParts more = parts;
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
    if (parts.is_invariant(i)) outside[forward->argument(i)] = primal(op.operand(i));
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
    if (!active[static_cast<size_t>(i)] || parts.is_carry(i)) continue;
    Value* argument = inner.tangent(source.argument(i));
    arguments.add(argument, linear_tangent(op.operand(i)), parts.is_scanned(i) ? parts.axis_of(i) : -1);
  }
  for (size_t r = 0; r < kept.size(); ++r) {
    const auto& [value, argument] = kept[r];
    const bool is_hoisted = hoisted.contains(value);  // then its copy in the loop may be gone
    const int index = !is_hoisted && value->region() == &forward_body ? value->index() : -1;
    if (is_hoisted) {
      arguments.add(argument, hoisted.at(value), -1);
    } else if (index >= 0 && parts.is_scanned(index)) {
      arguments.add(argument, primal(op.operand(index)), parts.axis_of(index));
    } else if (extra[r] >= 0) {
      arguments.add(argument, made->result(extra[r]), 0);
    } else {
      const int stack = stack_of(index >= 0 ? next[static_cast<size_t>(index)] : value);
      const int64_t axis = parts.ys_axes[static_cast<size_t>(stack - parts.carries)];
      Value* whole = made->result(stack);
      arguments.add(
          argument,
          index < 0 ? whole : one_step_late(*this, primal(op.operand(index)), whole, axis, parts.reverse),
          axis);
    }
  }
  hoist_from_loop(*linear, arguments, *this);

  ScanBuilder builder(parts.length, parts.reverse);
  const auto body_results = linear->results();
  std::vector<int> places;  // of the tangents, among the results; carries come first
  for (size_t k = 0; k < with_tangent.size(); ++k) {
    const int i = with_tangent[k];
    if (parts.is_carry(i)) {
      builder.carry(inner.tangent(source.argument(i)), linear_tangent(op.operand(i)), body_results[k]);
      places.push_back(builder.carries() - 1);
    } else {
      const int64_t axis = parts.ys_axes[static_cast<size_t>(i - parts.carries)];
      places.push_back(builder.carries() + builder.stacked(body_results[k], axis));
    }
  }
  for (const LoopArguments::Argument& a : arguments.list) {
    if (!a.inside->used()) continue;
    if (a.axis >= 0)
      builder.scanned(a.inside, a.outside, a.axis);
    else
      builder.invariant(a.inside, a.outside);
  }
  ScanBuilder::Result scan = builder.finish(*linear);
  Regions linear_regions;
  linear_regions.push_back(std::move(scan.region));
  const Op* tangent_scan = emit_linear("scan", scan.operands, scan.attributes, std::move(linear_regions));
  for (size_t k = 0; k < with_tangent.size(); ++k)
    set_tangent(op.result(with_tangent[k]), tangent_scan->result(places[k]));
}

}  // namespace ingot::transform
