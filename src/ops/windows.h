// Where gathers read and scatters write: what their attributes mean, for their rules and for the kernels.
//
// Both move windows between an array and a stack of windows, one for each index vector. The names are
// StableHLO's. A dimension of the array is one of three kinds: a *window* dimension, which the stack has too;
// a *collapsed* one, of which a window has one element; or a *batching* one, which runs along with a
// dimension of the indices. The stack has the window dimensions at `window_dims` and the dimensions of the
// indices, but for the one that holds the index vectors, at the other places.
#pragma once

#include <optional>

#include "ops/support.h"

namespace ingot::ops {

struct WindowDims {
  // What an index out of range does: it is cut off, or nothing is there: a gather then gives NaN (or the
  // least signed or the greatest unsigned number), or zero; a scatter does nothing.
  enum class Mode { kClip, kFill, kZero };

  IntList window_dims;       // of the stack; ascending; one for each window dimension of the array, in order
  IntList collapsed;         // of the array
  IntList array_batching;    // of the array, ...
  IntList indices_batching;  // ... and the dimensions of the indices that they run along with
  IntList index_map;         // the dimension of the array that each component of an index vector is for
  int64_t index_vector_dim;  // of the indices; their rank if the indices are scalars
  Shape sizes;               // of a window, along each dimension of the array
  Mode mode;

  static WindowDims of(const Attributes& attributes);
  bool fills() const { return mode != Mode::kClip; }
  Tensor filling(DType dtype) const;  // what a gather gives where nothing is
};

// The attributes of one window of the array, at an index vector with a component for each dimension, which is
// moved back inside; and whether they are such.
Attributes one_window(int64_t rank, const Shape& sizes);
bool is_one_window(const Attributes& attributes, int64_t rank);

// The checks that gather and scatter share; the shape of the stack of windows.
void want_windows(const WindowDims& dims, const TensorType& array, const TensorType& indices);
Shape stack_shape(const WindowDims& dims, const TensorType& array, const TensorType& indices);

// The attributes for a batch of arrays along `array_axis` and of indices along `indices_axis`, one of which
// may be shared; and where the batch then stands in the stack, which has `rank` dimensions without it.
struct BatchedWindows {
  Attributes attributes;
  int64_t stack_axis;
};
BatchedWindows batched_windows(const Attributes& attributes, int64_t array_axis, int64_t indices_axis,
                               int64_t rank, int64_t size);

// An element of the stack, seen from the array and from the indices. I is Index or int64_t.
template <class I>
struct WindowPlace {
  std::vector<I> array;  // the element's index, for windows that begin at 0 ...
  std::vector<std::vector<I>>
      indices;  // ... and where the components of the beginning stand, as in index_map
};

template <class I>
WindowPlace<I> place_of(const WindowDims& dims, int64_t array_rank, int64_t indices_rank,
                        std::span<const I> stack) {
  std::vector<I> outer, window;
  for (size_t i = 0; i < stack.size(); ++i)
    (contains(dims.window_dims, static_cast<int64_t>(i)) ? window : outer).push_back(stack[i]);
  WindowPlace<I> place;
  size_t next = 0;
  for (int64_t d = 0; d < array_rank; ++d) {
    if (contains(dims.collapsed, d)) {
      place.array.push_back(I(0));
      continue;
    }
    size_t k = 0;
    while (k < dims.array_batching.size() && dims.array_batching[k] != d) ++k;
    if (k == dims.array_batching.size()) {
      place.array.push_back(window[next++]);
      continue;
    }
    const int64_t at = dims.indices_batching[k];
    place.array.push_back(outer[static_cast<size_t>(at > dims.index_vector_dim ? at - 1 : at)]);
  }
  for (size_t k = 0; k < dims.index_map.size(); ++k) {
    std::vector<I> at = outer;
    if (dims.index_vector_dim < indices_rank)
      at.insert(at.begin() + dims.index_vector_dim, I(static_cast<int64_t>(k)));
    place.indices.push_back(std::move(at));
  }
  return place;
}

// For each dimension of the stack the one of the array that it runs along as a whole, whatever the indices;
// or -1.
IntList shared_dims(const WindowDims& dims, const Shape& array, int64_t indices_rank, const Shape& stack);

// Moves an element of the array to where its window begins; false if that is out of range, so that nothing is
// there.
bool begin_window(const WindowDims& dims, const Tensor& indices, const Shape& array,
                  WindowPlace<int64_t>& place);

}  // namespace ingot::ops
