// What windows that slide over an array read: for reduce_window and select_and_scatter.
#pragma once

#include "stablehlo/importer.h"

namespace ingot::stablehlo {

inline constexpr int64_t kMostPlaces = 128;  // of a window that is written out place by place

struct Windows {
  Ints sizes, strides, base_dilation, dilation, low, high;
  int64_t places = 1;
};

Windows windows_of(OpImport& op, int64_t rank);

// How many windows there are along each dimension.
Shape window_counts(const Shape& array, const Windows& windows);
// Whether no window fits into the array along some dimension, so that the results have no elements.
bool no_window_fits(const Shape& counts);

// x with its dilation and padding; what is negative cuts off.
ir::Value* padded_for(OpImport& op, ir::Value* x, ir::Value* value, const Windows& windows);

// Calls visit(where the place stands in its window) for all places, in row-major order.
template <class Visit>
void for_each_place(const Windows& windows, const Visit& visit) {
  Ints place(windows.sizes.size(), 0);
  for (int64_t p = 0; p < windows.places; ++p) {
    visit(place);
    for (size_t d = place.size(); d-- > 0;) {
      if (++place[d] < windows.sizes[d]) break;
      place[d] = 0;
    }
  }
}

// The elements at one place of each of `count` windows.
ir::Value* at_place(OpImport& op, ir::Value* padded, const Ints& place, const Windows& windows,
                    const Shape& count);

// The same at a place that is known when the program runs: its number in row-major order, a scalar s64.
ir::Value* at_numbered_place(OpImport& op, ir::Value* padded, ir::Value* number, const Windows& windows,
                             const Shape& count);

}  // namespace ingot::stablehlo
