#include "ops/windows.h"

#include <numeric>

#include <algorithm>
#include <limits>

#include "ops/batching.h"
#include "ops/reference.h"

namespace ingot::ops {

WindowDims WindowDims::of(const Attributes& attributes) {
  const std::string& mode = attributes.get<std::string>("mode");
  if (mode != "clip" && mode != "fill" && mode != "zero")
    fail("'mode' is \"", mode, "\", but must be \"clip\", \"fill\" or \"zero\"");
  return {attributes.list("offset_dims"),
          attributes.list("collapsed_slice_dims"),
          attributes.list("operand_batching_dims"),
          attributes.list("start_indices_batching_dims"),
          attributes.list("start_index_map"),
          attributes.integer("index_vector_dim"),
          attributes.list("slice_sizes"),
          mode == "clip"   ? Mode::kClip
          : mode == "fill" ? Mode::kFill
                           : Mode::kZero};
}

Tensor WindowDims::filling(DType dtype) const {
  Tensor value(dtype, {});
  if (mode != Mode::kFill) return value;
  visit_dtype(dtype, [&]<class T>(std::type_identity<T>) {
    using Limits = std::numeric_limits<T>;
    if constexpr (is_complex(dtype_of<T>()))
      value.data<T>()[0] = std::numeric_limits<typename T::value_type>::quiet_NaN();
    else if constexpr (is_float(dtype_of<T>()))
      value.data<T>()[0] = Limits::quiet_NaN();
    else
      value.data<T>()[0] = is_signed(dtype_of<T>()) ? Limits::min() : Limits::max();
  });
  return value;
}

void want_windows(const WindowDims& dims, const TensorType& array, const TensorType& indices) {
  want_dtype(indices, kIntegers, "the array of indices");
  want_length(dims.sizes, array.rank(), "slice_sizes", "one per dimension of the array");
  for (int64_t d = 0; d < array.rank(); ++d) {
    const int64_t size = dims.sizes[static_cast<size_t>(d)], extent = array.shape[static_cast<size_t>(d)];
    if (size < 0 || (size > extent && !contains(dims.array_batching, d)))
      fail("a window has ", size, " elements along dimension ", d, " of ", array, ", but must have 0 to ",
           extent);
  }
  IntList single = dims.collapsed;
  single.insert(single.end(), dims.array_batching.begin(), dims.array_batching.end());
  want_distinct_axes(single, array.rank(), "collapsed_slice_dims and operand_batching_dims together");
  for (int64_t d : single) {
    if (dims.sizes[static_cast<size_t>(d)] != 1)
      fail("a window has ", dims.sizes[static_cast<size_t>(d)], " elements along dimension ", d,
           ", which is collapsed or a batching one, but must have 1");
  }
  if (dims.index_vector_dim < 0 || dims.index_vector_dim > indices.rank())
    fail("'index_vector_dim' is ", dims.index_vector_dim, ", but must be from 0 to ", indices.rank(),
         ", the rank of the indices");
  const int64_t components =
      dims.index_vector_dim < indices.rank() ? indices.shape[static_cast<size_t>(dims.index_vector_dim)] : 1;
  want_distinct_axes(dims.index_map, array.rank(), "start_index_map");
  want_length(dims.index_map, components, "start_index_map", "one per component of an index vector");
  want_distinct_axes(dims.indices_batching, indices.rank(), "start_indices_batching_dims");
  want_length(dims.indices_batching, static_cast<int64_t>(dims.array_batching.size()),
              "start_indices_batching_dims", "one per entry of operand_batching_dims");
  for (size_t k = 0; k < dims.array_batching.size(); ++k) {
    const int64_t a = dims.array_batching[k], i = dims.indices_batching[k];
    const int64_t m = array.shape[static_cast<size_t>(a)], n = indices.shape[static_cast<size_t>(i)];
    if (i == dims.index_vector_dim) fail("'start_indices_batching_dims' names the index_vector_dim ", i);
    if (contains(dims.index_map, a))
      fail("dimension ", a, " is a batching one, but 'start_index_map' names it too");
    if (m != n)
      fail("dimension ", a, " of ", array, " and dimension ", i, " of the indices ", indices,
           " run together, but their extents ", m, " and ", n, " differ");
  }
}

Shape stack_shape(const WindowDims& dims, const TensorType& array, const TensorType& indices) {
  Shape window, outer;
  for (int64_t d = 0; d < array.rank(); ++d) {
    if (!contains(dims.collapsed, d) && !contains(dims.array_batching, d))
      window.push_back(dims.sizes[static_cast<size_t>(d)]);
  }
  for (int64_t d = 0; d < indices.rank(); ++d) {
    if (d != dims.index_vector_dim) outer.push_back(indices.shape[static_cast<size_t>(d)]);
  }
  const int64_t rank = static_cast<int64_t>(window.size() + outer.size());
  want_length(dims.window_dims, static_cast<int64_t>(window.size()), "offset_dims",
              "one per dimension of a window");
  want_distinct_axes(dims.window_dims, rank, "offset_dims");
  if (!std::is_sorted(dims.window_dims.begin(), dims.window_dims.end()))
    fail("'offset_dims' is ", List{dims.window_dims}, ", but must ascend");
  Shape shape;
  size_t w = 0, o = 0;
  for (int64_t d = 0; d < rank; ++d)
    shape.push_back(contains(dims.window_dims, d) ? window[w++] : outer[o++]);
  return shape;
}

bool begin_window(const WindowDims& dims, const Tensor& indices, const Shape& array,
                  WindowPlace<int64_t>& place) {
  const std::vector<int64_t> strides = strides_of(indices.shape());
  bool inside = true;
  for (size_t k = 0; k < dims.index_map.size(); ++k) {
    const auto d = static_cast<size_t>(dims.index_map[k]);
    const int64_t last = array[d] - dims.sizes[d];
    int64_t start = indices.get_int(linear_index(place.indices[k], strides));
    if (indices.dtype() == DType::kU64 && start < 0) start = std::numeric_limits<int64_t>::max();
    inside = inside && start >= 0 && start <= last;
    place.array[d] += std::clamp<int64_t>(start, 0, last);
  }
  return inside || !dims.fills();
}

IntList shared_dims(const WindowDims& dims, const Shape& array, int64_t indices_rank, const Shape& stack) {
  // Numbers that stand for the dimensions of the stack, from 1 on; 0 is where nothing runs.
  std::vector<int64_t> numbers;
  for (size_t i = 0; i < stack.size(); ++i) numbers.push_back(static_cast<int64_t>(i) + 1);
  const auto place = place_of<int64_t>(dims, static_cast<int64_t>(array.size()), indices_rank,
                                       std::span<const int64_t>(numbers));
  IntList result(stack.size(), -1);
  for (size_t d = 0; d < array.size(); ++d) {
    const int64_t number = place.array[d];
    if (number == 0 || stack[static_cast<size_t>(number) - 1] != array[d]) continue;
    result[static_cast<size_t>(number) - 1] = static_cast<int64_t>(d);
  }
  return result;
}

namespace {

// Where a new dimension of the stack goes so that it is number `position` of those in `dims`.
int64_t insertion(const IntList& dims, int64_t position, int64_t otherwise) {
  if (position < static_cast<int64_t>(dims.size())) return dims[static_cast<size_t>(position)];
  return dims.empty() ? otherwise : dims.back() + 1;
}

}  // namespace

// A batch of arrays alone makes windows longer by one dimension; a batch of indices makes more windows; where
// both have one, each window has its own array.
BatchedWindows batched_windows(const Attributes& attributes, int64_t array_axis, int64_t indices_axis,
                               int64_t rank, int64_t size) {
  const WindowDims dims = WindowDims::of(attributes);
  const int64_t p = array_axis, q = indices_axis;
  IntList windows = dims.window_dims, outer, sizes = dims.sizes,
          array_batching = batched_dims(dims.array_batching, p);
  IntList indices_batching = batched_dims(dims.indices_batching, q);
  for (int64_t d = 0; d < rank; ++d) {
    if (!contains(windows, d)) outer.push_back(d);
  }
  int64_t axis;
  if (q == Batched::kShared) {
    int64_t before = 0;  // window dimensions of the array before the batch
    for (int64_t d = 0; d < p; ++d)
      before += !contains(dims.collapsed, d) && !contains(dims.array_batching, d);
    axis = insertion(windows, before, rank);
    windows = with_entry(batched_dims(windows, axis), before, axis);
    sizes = with_entry(sizes, p, size);
  } else {
    axis = insertion(outer, q > dims.index_vector_dim ? q - 1 : q, 0);
    windows = batched_dims(windows, axis);
    if (p != Batched::kShared) {
      sizes = with_entry(sizes, p, 1);
      array_batching.push_back(p);
      indices_batching.push_back(q);
    }
  }
  BatchedWindows result{attributes, axis};
  result.attributes.set("offset_dims", windows);
  result.attributes.set("collapsed_slice_dims", batched_dims(dims.collapsed, p));
  result.attributes.set("operand_batching_dims", array_batching);
  result.attributes.set("start_indices_batching_dims", indices_batching);
  result.attributes.set("start_index_map", batched_dims(dims.index_map, p));
  result.attributes.set("index_vector_dim", batched_dim(dims.index_vector_dim, q));
  result.attributes.set("slice_sizes", sizes);
  return result;
}

Attributes one_window(int64_t rank, const Shape& sizes) {
  IntList all(static_cast<size_t>(rank));
  std::iota(all.begin(), all.end(), int64_t{0});
  return {{"offset_dims", all},
          {"collapsed_slice_dims", IntList{}},
          {"operand_batching_dims", IntList{}},
          {"start_indices_batching_dims", IntList{}},
          {"start_index_map", all},
          {"index_vector_dim", int64_t{0}},
          {"slice_sizes", sizes},
          {"mode", std::string("clip")}};
}

bool is_one_window(const Attributes& attributes, int64_t rank) {
  const WindowDims dims = WindowDims::of(attributes);
  IntList all(static_cast<size_t>(rank));
  std::iota(all.begin(), all.end(), int64_t{0});
  return dims.window_dims == all && dims.collapsed.empty() && dims.array_batching.empty() &&
         dims.index_map == all && dims.index_vector_dim == 0 && dims.mode == WindowDims::Mode::kClip;
}

}  // namespace ingot::ops
