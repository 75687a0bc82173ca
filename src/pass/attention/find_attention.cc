#include "pass/attention/find_attention.h"

#include <cmath>
#include <unordered_set>

#include "ops/identities.h"
#include "ops/kinds.h"

namespace ingot::pass {

using ir::IntList;
using ir::Op;
using ir::Value;
using ops::made_by;

IntList all_but(int64_t rank, int64_t axis) {
  IntList dims;
  for (int64_t d = 0; d < rank; ++d) {
    if (d != axis) dims.push_back(d);
  }
  return dims;
}

namespace {

// A reduction of one array along one axis by that operation, beginning with `init`.
template <class Combiner>
const Op* reduction(const Value* value, double init, int64_t axis) {
  const Op* op = made_by<ops::ReduceOp>(value);
  if (op == nullptr || op->operand_count() != 2 || ops::ReduceOp(*op).axes() != IntList{axis}) return nullptr;
  const ir::Region& region = op->region();
  const Op* made = region.results()[0]->op();
  const bool plain = made != nullptr && ops::is<Combiner>(*made) && region.ops().size() == 2 &&
                     made->operand(0) == region.argument(0) && made->operand(1) == region.argument(1);
  return plain && ops::is_splat_of(op->operand(1), init) ? op : nullptr;
}

// What a value is a broadcast of along every dimension but `axis`.
Value* spread_along(const Value* value, int64_t axis) {
  const Op* op = made_by<ops::BroadcastOp>(value);
  if (op == nullptr || ops::BroadcastOp(*op).dims() != all_but(value->rank(), axis)) return nullptr;
  return op->operand(0);
}

}  // namespace

std::optional<Attention> find_attention(Op& op, int side) {
  const IntList& contract = ops::DotGeneralOp(op).contract(side);
  if (contract.size() != 1) return std::nullopt;
  Attention found{&op, side, contract[0]};
  Value* weights = op.operand(side);
  const Op* division = made_by<ops::DivOp>(weights);
  const Op* exponential = made_by<ops::ExpOp>(division != nullptr ? division->operand(0) : weights);
  if (exponential == nullptr) return std::nullopt;
  const Op* shifted = made_by<ops::SubOp>(exponential->operand(0));
  if (shifted == nullptr) return std::nullopt;
  found.scores = shifted->operand(0);
  found.inner = {weights, exponential->result(), shifted->result(), shifted->operand(1)};
  const Value* maximum = spread_along(shifted->operand(1), found.axis);
  const Op* largest = maximum == nullptr ? nullptr : reduction<ops::MaxOp>(maximum, -HUGE_VAL, found.axis);
  if (largest == nullptr || largest->operand(0) != found.scores) return std::nullopt;
  found.inner.insert(found.inner.end(), {found.scores, maximum});
  if (division != nullptr) {
    const Value* sum = spread_along(division->operand(1), found.axis);
    const Op* total = sum == nullptr ? nullptr : reduction<ops::AddOp>(sum, 0, found.axis);
    if (total == nullptr || total->operand(0) != exponential->result()) return std::nullopt;
    found.inner.insert(found.inner.end(), {division->operand(1), sum});
    found.divided = true;
  }
  return found;
}

const Op* other_user(const Attention& found) {
  std::unordered_set<const Value*> inner(found.inner.begin(), found.inner.end());
  for (const Value* value : found.inner) {
    for (const ir::Use& use : value->uses()) {
      if (use.op == found.contraction) continue;
      if (use.op->result_count() != 1 || !inner.count(use.op->result())) return use.op;
    }
  }
  return nullptr;
}

}  // namespace ingot::pass
