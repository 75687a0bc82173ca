#include "kernel/cost/access_price.h"

#include <algorithm>

#include "kernel/cost/table.h"
#include "kernel/ir/places.h"

namespace ingot::kernel {

std::optional<PricedAccess> access_of(const Block& block, const Stmt& stmt) {
  if (auto* s = std::get_if<Load>(&stmt.node))
    return PricedAccess{&block, s->buffer, &s->offset, s->predicate};
  if (auto* s = std::get_if<Store>(&stmt.node)) return PricedAccess{&block, s->buffer, &s->offset};
  return std::nullopt;
}

// Whether an access across rows can be part of a block that is transposed in registers: its neighbours in
// memory are wanted too, by other points or steps of the loops around it, or by the same body. What is read
// under a condition, or at an index that is known at run time, is no part of a block.
bool AccessPrice::transposable(const PricedAccess& access, const std::vector<VarId>& around) const {
  const Index& offset = *access.offset;
  if (access.predicate != kNone || kernel_.uses_bound(offset)) return false;
  const auto is_neighbour = [&](VarId var) { return std::abs(offset.coefficient(var)) == 1; };
  if (std::any_of(around.begin(), around.end(), is_neighbour)) return true;
  return std::any_of(access.block->stmts.begin(), access.block->stmts.end(), [&](const Stmt& stmt) {
    const std::optional<PricedAccess> other = access_of(*access.block, stmt);
    if (!other || other->buffer != access.buffer) return false;
    const Index difference = *other->offset - offset;
    return difference.is_constant() && std::abs(difference.constant()) == 1;
  });
}

double AccessPrice::of(const PricedAccess& access, const LaneLoop& lanes, const std::vector<VarId>& around,
                       bool differs) const {
  const Index& offset = *access.offset;
  if (lanes.var == kNone || (!differs && !offset.uses(lanes.var))) return 1;  // one element for all lanes
  const double stray = prices::kStrayLane * static_cast<double>(lanes.width);
  const bool nonlinear = offset.uses_nonlinearly(lanes.var);
  if (nonlinear && lanes.at_once > 0 && access.predicate == kNone && !kernel_.uses_bound(offset))
    return price_of_permuting(offset, lanes.var, lanes.at_once, lanes.width, target_);
  if (nonlinear || differs) return stray;
  const int64_t stride = offset.coefficient(lanes.var);
  if (stride == 1) return 1;
  if (stride == -1) return prices::kReversedVector;
  return transposable(access, around) ? prices::kTransposedVector : stray;
}

double price_of_permuting(const Index& offset, VarId var, int64_t extent, int64_t lanes,
                          const Target& target) {
  double total = 0, vectors = 0;
  for (int64_t first = 0; first < extent; first += lanes, ++vectors) {
    std::vector<int64_t> places;
    bool dense = true, same = true;
    for (int64_t i = first; i < std::min(first + lanes, extent); ++i) {
      places.push_back(offset.evaluate([&](int id) { return id == var ? i : 0; }));
      dense = dense && places.back() == places[0] + i - first;
      same = same && places.back() == places[0];
    }
    const size_t count = cover(places, lanes).size();
    const auto pieces = static_cast<double>(count);
    // Without permutations of two registers each piece is permuted by itself, and then they are blended.
    const double permutations = target.permutes_two ? std::max(1.0, pieces - 1) : 2 * pieces - 1;
    total += dense || same         ? 1
             : count > kMostPieces ? prices::kStrayLane * static_cast<double>(lanes)
                                   : permutations;
  }
  return total / vectors;
}

double price_of_step(double steps, double unrolled) {
  return steps <= static_cast<double>(prices::kWrittenOut) ? 0 : prices::kLoopStep / unrolled;
}

}  // namespace ingot::kernel
