// The transpose of a linear loop is a loop the other way round: cotangents of the carries are its carries,
// stacks of results are scanned, scanned arrays become stacks, and cotangents of invariants are summed up.
#include "ops/control.h"
#include "ops/derivatives.h"
#include "transform/scan_builder.h"
#include "transform/transpose.h"

namespace ingot::transform {

using ir::Op;
using ir::Region;
using ir::Value;
using ops::ScanOp;

void RegionTransposer::scan(const Op& op) {
  const ScanOp scan(op);
  const Region& body = scan.body();
  const std::vector<Value*> given = cotangents_of(op);

  // Which carries have a cotangent: those that come with one, and those that get one from a step; and which
  // invariants get one, to which every step adds.
  Mask active(static_cast<size_t>(op.operand_count()), false);
  for (size_t k = 0; k < static_cast<size_t>(scan.carry_count()); ++k) active[k] = given[k] != nullptr;
  std::unique_ptr<Region> draft;
  std::unique_ptr<RegionTransposer> inner;
  std::vector<Value*> arguments, sums;  // of the draft: the cotangent of each result; the sum of each operand
  for (bool again = true; again;) {
    again = false;
    inner.reset();
    draft = target_.function()->make_region();
    inner = std::make_unique<RegionTransposer>(shared_, body, *draft, provenance_);
    arguments.clear();
    for (int i = 0; i < op.result_count(); ++i) {
      const size_t k = static_cast<size_t>(i);
      const Value* result = body.results()[k];
      const bool has_cotangent = scan.is_stack(i) ? given[k] != nullptr : active[k];
      arguments.push_back(has_cotangent ? draft->add_argument(result->type(), result->name() + "_ct")
                                        : nullptr);
    }
    sums.assign(active.size(), nullptr);
    for (int i = 0; i < op.operand_count(); ++i) {
      Value* argument = body.argument(i);
      Value*& sum = sums[static_cast<size_t>(i)];
      if (scan.is_invariant(i) && active[static_cast<size_t>(i)])
        sum = draft->add_argument(argument->type(), argument->name() + "_sum");
      if (scan.is_carry(i) || is_linear(i))
        inner->bind_linear(argument, sum);
      else
        inner->bind(argument, draft->add_argument(argument->type(), argument->name()));
    }
    inner->run(arguments);
    for (int i = 0; i < op.operand_count(); ++i) {
      const bool known = scan.is_scanned(i) || active[static_cast<size_t>(i)];
      if (known || inner->cotangent(body.argument(i)) == nullptr) continue;
      active[static_cast<size_t>(i)] = again = true;
    }
  }

  ScanBuilder builder(scan.length(), !scan.reverse());
  // Of which operand the carries and the stacks of the new loop are the cotangents.
  std::vector<std::pair<int, int>> carried, stacked;
  for (const ScanOp::Carry& carry : scan.carries()) {
    const int i = carry.argument->index();
    const size_t k = static_cast<size_t>(i);
    if (!active[k]) continue;
    const ir::TensorType& type = carry.argument->type();
    Value* next = inner->or_zeros(inner->cotangent(carry.argument), type);
    carried.emplace_back(i, builder.carry(arguments[k], or_zeros(given[k], type), next));
  }
  for (const ScanOp::Invariant& invariant : scan.invariants()) {
    const int i = invariant.argument->index();
    Value* sum = sums[static_cast<size_t>(i)];
    if (sum == nullptr) continue;
    Value* next = inner->cotangent(invariant.argument);
    carried.emplace_back(i, builder.carry(sum, or_zeros(take(i), sum->type()), next));
  }
  for (const ScanOp::Stack& stack : scan.stacks()) {
    const size_t k = static_cast<size_t>(stack.whole->index());
    if (given[k] != nullptr) builder.scanned(arguments[k], given[k], stack.axis);
  }
  for (const ScanOp::Scanned& x : scan.scanned()) {
    const int i = x.slice->index();
    if (is_linear(i)) {
      if (Value* cotangent = inner->cotangent(x.slice))
        stacked.emplace_back(i, builder.stacked(cotangent, x.axis));
    } else if (Value* value = inner->known_value(x.slice); value->used()) {
      builder.scanned(value, known(i), x.axis);
    }
  }
  for (const ScanOp::Invariant& invariant : scan.invariants()) {
    const int i = invariant.argument->index();
    if (is_linear(i)) continue;
    if (Value* value = inner->known_value(invariant.argument); value->used())
      builder.invariant(value, known(i));
  }
  ScanBuilder::Result result = builder.finish(*draft);
  ir::Builder emitter(target_);
  emitter.set_provenance(provenance_);
  std::vector<std::unique_ptr<Region>> regions;
  regions.push_back(std::move(result.region));
  const ScanOp made(*emitter.make("scan", result.operands, result.attributes, std::move(regions)));
  for (const auto& [operand, k] : carried) add(operand, made.carry(k).result);
  for (const auto& [operand, k] : stacked) add(operand, made.stack(k).whole);
}

}  // namespace ingot::transform
