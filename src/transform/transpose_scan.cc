// The transpose of a linear loop is a loop the other way round: cotangents of the carries are its carries,
// stacks of results are scanned, scanned arrays become stacks, and cotangents of invariants are summed up.
#include "ops/derivatives.h"
#include "transform/scan_parts.h"
#include "transform/transpose.h"

namespace ingot::transform {

using ir::Op;
using ir::Region;
using ir::Value;

void RegionTransposer::scan(const Op& op) {
  const ScanParts parts(op);
  const Region& body = op.region();
  const std::vector<Value*> given = cotangents_of(op);

  // Which carries have a cotangent: those that come with one, and those that get one from a step; and which
  // invariants get one, to which every step adds.
  Mask active(static_cast<size_t>(op.operand_count()), false);
  for (size_t k = 0; k < static_cast<size_t>(parts.carries); ++k) active[k] = given[k] != nullptr;
  std::unique_ptr<Region> draft;
  std::unique_ptr<RegionTransposer> inner;
  std::vector<Value*> arguments, sums;  // of the draft: the cotangent of each result; the sum of each operand
  for (bool again = true; again;) {
    again = false;
    inner.reset();
    draft = target_.function()->make_region();
    inner = std::make_unique<RegionTransposer>(shared_, body, *draft);
    inner->provenance_ = provenance_;
    arguments.clear();
    for (int i = 0; i < op.result_count(); ++i) {
      const size_t k = static_cast<size_t>(i);
      const Value* result = body.results()[k];
      const bool has_cotangent = parts.is_carry(i) ? active[k] : given[k] != nullptr;
      arguments.push_back(has_cotangent ? draft->add_argument(result->type(), result->name() + "_ct")
                                        : nullptr);
    }
    sums.assign(active.size(), nullptr);
    for (int i = 0; i < op.operand_count(); ++i) {
      Value* argument = body.argument(i);
      Value*& sum = sums[static_cast<size_t>(i)];
      if (parts.is_invariant(i) && active[static_cast<size_t>(i)])
        sum = draft->add_argument(argument->type(), argument->name() + "_sum");
      if (parts.is_carry(i) || is_linear(i))
        inner->bind_linear(argument, sum);
      else
        inner->bind(argument, draft->add_argument(argument->type(), argument->name()));
    }
    inner->run(arguments);
    for (int i = 0; i < op.operand_count(); ++i) {
      const bool known = parts.is_scanned(i) || active[static_cast<size_t>(i)];
      if (known || inner->cotangent(body.argument(i)) == nullptr) continue;
      active[static_cast<size_t>(i)] = again = true;
    }
  }

  ScanBuilder builder(parts.length, !parts.reverse);
  std::vector<std::pair<int, int>> cotangents;  // an operand, and which result is its cotangent
  for (int k = 0; k < parts.carries; ++k) {
    if (!active[static_cast<size_t>(k)]) continue;
    const Value* carry = body.argument(k);
    builder.carry(arguments[static_cast<size_t>(k)], or_zeros(given[static_cast<size_t>(k)], carry->type()),
                  inner->or_zeros(inner->cotangent(carry), carry->type()));
    cotangents.emplace_back(k, builder.carries() - 1);
  }
  for (int i = parts.carries + parts.scanned; i < op.operand_count(); ++i) {
    Value* sum = sums[static_cast<size_t>(i)];
    if (sum == nullptr) continue;
    builder.carry(sum, or_zeros(take(i), sum->type()), inner->cotangent(body.argument(i)));
    cotangents.emplace_back(i, builder.carries() - 1);
  }
  for (int i = parts.carries; i < op.result_count(); ++i) {
    const size_t k = static_cast<size_t>(i);
    if (given[k] != nullptr)
      builder.scanned(arguments[k], given[k], parts.ys_axes[k - static_cast<size_t>(parts.carries)]);
  }
  for (int i = parts.carries; i < op.operand_count(); ++i) {
    const Value* argument = body.argument(i);
    if (is_linear(i)) {
      if (!parts.is_scanned(i) || inner->cotangent(argument) == nullptr) continue;
      const int stack = builder.stacked(inner->cotangent(argument), parts.axis_of(i));
      cotangents.emplace_back(i, builder.carries() + stack);
    } else if (inner->known_value(argument)->used()) {
      if (parts.is_scanned(i))
        builder.scanned(inner->known_value(argument), known(i), parts.axis_of(i));
      else
        builder.invariant(inner->known_value(argument), known(i));
    }
  }
  ScanBuilder::Result scan = builder.finish(*draft);
  ir::Builder emitter(target_);
  emitter.set_provenance(provenance_);
  std::vector<std::unique_ptr<Region>> regions;
  regions.push_back(std::move(scan.region));
  const Op* made = emitter.make("scan", scan.operands, scan.attributes, std::move(regions));
  for (const auto& [operand, result] : cotangents) add(operand, made->result(result));
}

}  // namespace ingot::transform
