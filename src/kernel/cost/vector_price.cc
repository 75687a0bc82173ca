// What one access costs by how its address moves from lane to lane.
#include <algorithm>

#include "kernel/cost/price.h"
#include "kernel/cost/table.h"
#include "kernel/ir/places.h"

namespace ingot::kernel {

bool transposable(const Block& block, BufferId buffer, const Index& offset,
                  const std::vector<VarId>& around) {
  const auto is_neighbour = [&](VarId var) { return std::abs(offset.coefficient(var)) == 1; };
  if (std::any_of(around.begin(), around.end(), is_neighbour)) return true;
  return std::any_of(block.stmts.begin(), block.stmts.end(), [&](const Stmt& stmt) {
    const Index* other = nullptr;
    if (auto* s = std::get_if<Load>(&stmt.node); s && s->buffer == buffer) other = &s->offset;
    if (auto* s = std::get_if<Store>(&stmt.node); s && s->buffer == buffer) other = &s->offset;
    if (other == nullptr) return false;
    const Index difference = *other - offset;
    return difference.is_constant() && std::abs(difference.constant()) == 1;
  });
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

}  // namespace ingot::kernel
