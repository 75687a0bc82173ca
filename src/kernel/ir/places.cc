#include "kernel/ir/places.h"
#include "kernel/ir/target.h"

#include <algorithm>
#include <cmath>

namespace ingot::kernel {
namespace {

constexpr double kPerElement = 1.2;  // instructions for a lane that is read by itself

}  // namespace

std::vector<Span> cover(std::vector<int64_t> places, int64_t lanes) {
  std::sort(places.begin(), places.end());
  auto spans = [&](bool aligned) {
    std::vector<Span> result;
    for (int64_t place : places) {
      const int64_t from = result.empty() ? 0
                           : aligned      ? floor_to(result.back().first, lanes)
                                          : result.back().first;
      if (result.empty() || place >= from + lanes)
        result.push_back({place, place});
      else
        result.back().last = place;
    }
    return result;
  };
  std::vector<Span> aligned = spans(true);
  if (aligned.size() <= 2) return aligned;
  std::vector<Span> anywhere = spans(false);
  return anywhere.size() < aligned.size() ? anywhere : aligned;
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
             : count > kMostPieces ? kPerElement * static_cast<double>(lanes)
                                   : permutations;
  }
  return total / vectors;
}

}  // namespace ingot::kernel
