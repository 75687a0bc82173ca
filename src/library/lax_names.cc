// jax.lax's names: each says its own in errors.
#include "ingot/lax_names.h"

#include "frontend/compose.h"
#include "ingot/searching.h"

namespace ingot {
namespace {

// The first index along each axis: 0 but for one.
Operands starts_of(int64_t rank, int64_t axis, const Operand& start) {
  std::vector<Array> starts(static_cast<size_t>(rank), Array(0));
  starts[static_cast<size_t>(axis)] = start.array();
  return Operands(starts, start.where());
}

}  // namespace

Array rev(const Operand& x, const Axes& axes) {
  const CallerScope caller(x.where(), "rev");
  return flip(x, axes);
}

Array collapse(const Operand& x, int64_t start, int64_t stop) {
  const CallerScope caller(x.where(), "collapse");
  const Shape& shape = detail::checked_array(x).shape();
  const auto rank = static_cast<int64_t>(shape.size());
  const int64_t first = start < 0 ? start + rank : start, end = stop < 0 ? stop + rank : stop;
  if (first < 0 || first >= end || end > rank) {
    detail::fail(x.where(), "collapse: there are no axes from " + std::to_string(start) + " to before " +
                                std::to_string(stop) + " of " + x.array().type_string());
  }
  Shape joined(shape.begin(), shape.begin() + first);
  joined.push_back(element_count(Shape(shape.begin() + first, shape.begin() + end)));
  joined.insert(joined.end(), shape.begin() + end, shape.end());
  return reshape(x, joined);
}

Array integer_pow(const Operand& x, int64_t n) {
  const CallerScope caller(x.where(), "integer_pow");
  return pow(x, n);
}
Array convert_element_type(const Operand& x, DType dtype) {
  const CallerScope caller(x.where(), "convert_element_type");
  return astype(x, dtype);
}
Array bitcast_convert_type(const Operand& x, DType dtype) {
  const CallerScope caller(x.where(), "bitcast_convert_type");
  return bitcast(x, dtype);
}
Array broadcasted_iota(DType dtype, const Shape& shape, Axis axis, Where where) {
  const CallerScope caller(where, "broadcasted_iota");
  return iota(dtype, shape, axis, where);
}

Array broadcast_in_dim(const Operand& x, const Shape& shape, const std::vector<int64_t>& axes) {
  const std::source_location& where = x.where();
  const CallerScope caller(where, "broadcast_in_dim");
  const Array array = detail::checked_array(x);
  const auto rank = static_cast<int64_t>(shape.size());
  bool fits = axes.size() == array.shape().size();
  for (size_t i = 0; fits && i < axes.size(); ++i) {
    fits = axes[i] >= (i == 0 ? 0 : axes[i - 1] + 1) && axes[i] < rank &&
           (array.shape()[i] == 1 || array.shape()[i] == shape[static_cast<size_t>(axes[i])]);
  }
  if (!fits) {
    detail::fail(where, "broadcast_in_dim: the axes of " + array.type_string() + " cannot be axes " +
                            to_string(axes) + " of " + to_string(shape) +
                            "; they should be one for each axis, ascending, of equal extents or of extent 1");
  }
  Shape spread(shape.size(), 1);
  for (size_t i = 0; i < axes.size(); ++i) spread[static_cast<size_t>(axes[i])] = array.shape()[i];
  return broadcast_to(reshape(array, spread), shape);
}

Array select_n(const Operand& which, const Operands& cases) {
  const CallerScope caller(which.where(), "select_n");
  return choose(which.array().astype(DType::kS32), cases);
}

Array slice_in_dim(const Operand& x, int64_t start, int64_t limit, int64_t stride, Axis axis) {
  const CallerScope caller(x.where(), "slice_in_dim");
  return slice_axis(x, axis, start, limit, stride);
}
Array index_in_dim(const Operand& x, int64_t index, Axis axis, KeepDims keepdims) {
  const CallerScope caller(x.where(), "index_in_dim");
  const Array element = index_axis(x, axis, index);
  if (!keepdims.value) return element;
  return expand_dims(element, detail::checked_axis("index_in_dim", axis, x.array().rank(), x.where()));
}
Array dynamic_slice_in_dim(const Operand& x, const Operand& start, int64_t size, Axis axis) {
  const CallerScope caller(x.where(), "dynamic_slice_in_dim");
  Shape sizes = detail::checked_array(x).shape();
  const auto rank = static_cast<int64_t>(sizes.size());
  const int64_t along = detail::checked_axis("dynamic_slice_in_dim", axis, rank, x.where());
  sizes[static_cast<size_t>(along)] = size;
  return dynamic_slice(x, starts_of(rank, along, start), sizes);
}
Array dynamic_index_in_dim(const Operand& x, const Operand& index, Axis axis, KeepDims keepdims) {
  const CallerScope caller(x.where(), "dynamic_index_in_dim");
  const Array element = dynamic_slice_in_dim(x, index, 1, axis);
  return keepdims.value ? element : squeeze(element, axis);
}
Array dynamic_update_slice_in_dim(const Operand& x, const Operand& part, const Operand& start, Axis axis) {
  const CallerScope caller(x.where(), "dynamic_update_slice_in_dim");
  const int64_t rank = detail::checked_array(x).rank();
  const int64_t along = detail::checked_axis("dynamic_update_slice_in_dim", axis, rank, x.where());
  return dynamic_update_slice(x, part, starts_of(rank, along, start));
}
Array dynamic_update_index_in_dim(const Operand& x, const Operand& part, const Operand& index, Axis axis) {
  const CallerScope caller(x.where(), "dynamic_update_index_in_dim");
  const Array element = detail::checked_array(part);
  const bool without = element.rank() + 1 == detail::checked_array(x).rank();
  return dynamic_update_slice_in_dim(x, without ? Operand(expand_dims(element, axis), x.where()) : part,
                                     index, axis);
}

}  // namespace ingot
