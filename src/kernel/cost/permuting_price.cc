#include <algorithm>

#include "kernel/cost/price.h"
#include "kernel/cost/table.h"
#include "kernel/ir/places.h"

namespace ingot::kernel {

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
