#include "kernel/ir/places.h"

#include <algorithm>

namespace ingot::kernel {

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

}  // namespace ingot::kernel
