// Elements at indices that are known at run time: all are gathers and scatters.
#include "frontend/compose.h"
#include "frontend/indices.h"
#include "ops/windows.h"

namespace ingot {

Axes::Axes() = default;
Axes::Axes(const Axes& other) = default;
Axes& Axes::operator=(const Axes& other) = default;
Axes::~Axes() = default;
Axes::Axes(Axis axis) : axes_{std::vector<int64_t>{axis}} {}
Axes::Axes(std::initializer_list<int64_t> axes) : axes_{std::vector<int64_t>(axes)} {}
Axes::Axes(std::vector<int64_t> axes) : axes_{std::move(axes)} {}
namespace {

using detail::check_indices;
using detail::fail;
using detail::from_the_end;
using detail::wide_enough;

std::vector<int64_t> axes_between(int64_t first, int64_t last) {
  std::vector<int64_t> axes;
  for (int64_t i = first; i < last; ++i) axes.push_back(i);
  return axes;
}

const char* text_of(IndexMode mode) {
  return mode == IndexMode::kClip ? "clip" : "fill";
}

}  // namespace

namespace {

void check_mode(const char* name, IndexMode mode, const std::source_location& where) {
  detail::checked_choice(name, "the mode", static_cast<int64_t>(mode), 2, where);
}

// What gathers and scatters of whole rows along an axis have in common.
ir::Attributes row_attributes(const Array& x, const Array& indices, int64_t axis, IndexMode mode) {
  std::vector<int64_t> windows = axes_between(0, axis);
  for (int64_t i = axis + 1; i < x.rank(); ++i) windows.push_back(i - 1 + indices.rank());
  Shape sizes = x.shape();
  sizes[static_cast<size_t>(axis)] = x.shape(axis) == 0 ? 0 : 1;
  return {{"offset_dims", windows},
          {"collapsed_slice_dims", ir::IntList{axis}},
          {"operand_batching_dims", ir::IntList{}},
          {"start_indices_batching_dims", ir::IntList{}},
          {"start_index_map", ir::IntList{axis}},
          {"index_vector_dim", indices.rank()},
          {"slice_sizes", sizes},
          {"mode", std::string(text_of(mode))}};
}

int64_t checked_rows(const char* name, const Array& x, const Array& indices, int64_t axis,
                     const std::source_location& where) {
  const int64_t rank = detail::checked_node(x, where).type->tensor().rank();
  check_indices(name, indices, where);
  axis = detail::checked_axis(name, axis, rank, where);
  if (x.shape(axis) > 0 || indices.size() == 0) return axis;
  fail(where, std::string(name) + ": axis " + std::to_string(axis) + " of " + x.type_string() +
                  " has no elements to index");
}

}  // namespace

Array take_at(const Operand& operand, const Array& wanted, Axis axis, IndexMode mode) {
  const std::source_location& where = operand.where();
  const CallerScope caller(where);
  const Array array = operand.array();
  axis = checked_rows("take", array, wanted, axis, where);
  check_mode("take", mode, where);
  if (array.shape(axis) == 0) {  // and no indices: no element that a gather could read
    Shape shape = array.shape();
    shape.erase(shape.begin() + axis);
    shape.insert(shape.begin() + axis, wanted.shape().begin(), wanted.shape().end());
    return Array::zeros(shape, array.dtype(), where);
  }
  return detail::apply(
      "take", {array, wanted}, {axis, static_cast<int64_t>(mode)}, where,
      [&](const std::vector<Array>& arrays) {
        const Array &x = arrays[0], &indices = arrays[1];
        const Array starts = mode == IndexMode::kFill ? from_the_end(indices, x.shape(axis), where) : indices;
        return detail::emit("gather", {x, starts}, row_attributes(x, indices, axis, mode), where);
      });
}

namespace {

Array scatter_called(const char* name, Scatter combiner, const Operand& operand, const Array& wanted,
                     const Operand& values, int64_t axis, IndexMode mode) {
  const std::source_location& where = operand.where();
  const CallerScope caller(where);
  detail::checked_node(operand.array(), where);
  constexpr const char* kNames[] = {"set", "add", "mul", "max", "min"};
  const int64_t which =
      detail::checked_choice(name, "the combiner", static_cast<int64_t>(combiner), std::size(kNames), where);
  check_mode(name, mode, where);
  const std::vector<Array> same = detail::same_dtype(name, {operand, values}, where);
  axis = checked_rows(name, same[0], wanted, axis, where);
  Shape rows = same[0].shape();
  rows.erase(rows.begin() + axis);
  rows.insert(rows.begin() + axis, wanted.shape().begin(), wanted.shape().end());
  const Shape& given = same[1].shape();
  bool fits = given.size() <= rows.size();
  for (size_t i = 0; i < given.size() && fits; ++i)
    fits = given[given.size() - 1 - i] == 1 || given[given.size() - 1 - i] == rows[rows.size() - 1 - i];
  if (!fits)
    fail(where, std::string(name) + ": the updates are " + same[1].type_string() +
                    ", but must broadcast to " + ingot::to_string(rows) +
                    ", the shape of what take gives of " + same[0].type_string() + " at indices " +
                    wanted.type_string() + " along axis " + std::to_string(axis));
  if (same[0].shape(axis) == 0) return Array::zeros(same[0].shape(), same[0].dtype(), where);  // no indices
  return detail::apply("scatter", {same[0], wanted, same[1]}, {axis, static_cast<int64_t>(mode), which},
                       where, [&](const std::vector<Array>& arrays) {
                         const Array &x = arrays[0], &indices = arrays[1];
                         const Array starts =
                             mode == IndexMode::kFill ? from_the_end(indices, x.shape(axis), where) : indices;
                         ir::Attributes attributes = row_attributes(x, indices, axis, mode);
                         attributes.set("combiner", std::string(kNames[which]));
                         const Array updates = detail::emit_broadcast(arrays[2], rows, where);
                         return detail::emit("scatter", {x, starts, updates}, attributes, where);
                       });
}

}  // namespace

Array scatter(Scatter combiner, const Operand& operand, const Array& wanted, const Operand& values, Axis axis,
              IndexMode mode) {
  return scatter_called("scatter", combiner, operand, wanted, values, axis, mode);
}

Array scatter_add(const Operand& x, const Array& indices, const Operand& updates, Axis axis) {
  return scatter_called("scatter_add", Scatter::kAdd, x, indices, updates, axis, IndexMode::kFill);
}

Array segment_sum(const Operand& x, const Array& ids, int64_t segments) {
  const CallerScope caller(x.where(), "segment_sum");
  const Array rows = x.array();
  detail::checked_node(rows, x.where());
  check_indices("segment_sum", ids, x.where());
  if (rows.rank() == 0 || ids.rank() != 1 || ids.shape(0) != rows.shape(0))
    fail(x.where(), "segment_sum: the ids are " + ids.type_string() + ", but must be one for each row of " +
                        rows.type_string());
  if (segments < 0)
    fail(x.where(),
         "segment_sum: " + std::to_string(segments) + " is no number of segments; it should be 0 or more");
  Shape shape = rows.shape();
  shape[0] = segments;
  detail::checked_shape("segment_sum", shape, x.where());
  if (segments == 0) return Array::zeros(shape, rows.dtype(), x.where());  // no row has a place
  // No negative id counts from the end.
  Array places = ids;
  if (is_signed(ids.dtype())) {
    const Operand id(wide_enough(ids, segments, x.where()), x.where());
    places = select(id < 0, segments, id);
  }
  return scatter_add(Operand(Array::zeros(shape, rows.dtype(), x.where()), x.where()), places, x);
}

Array take_along_axis(const Operand& operand, const Array& wanted, Axis axis, IndexMode mode) {
  const std::source_location& where = operand.where();
  const CallerScope caller(where);
  const Array array = operand.array();
  const int64_t rank = detail::checked_node(array, where).type->tensor().rank();
  check_indices("take_along_axis", wanted, where);
  check_mode("take_along_axis", mode, where);
  axis = detail::checked_axis("take_along_axis", axis, rank, where);
  if (wanted.rank() != rank)
    fail(where, "take_along_axis: the indices are " + wanted.type_string() + " and the array " +
                    array.type_string() + "; they must have as many axes");
  Shape without = array.shape(), indices_without = wanted.shape();
  without[static_cast<size_t>(axis)] = indices_without[static_cast<size_t>(axis)] = 1;
  const Shape common = detail::broadcast_shape(
      "take_along_axis",
      {Array::abstract(array.dtype(), without), Array::abstract(wanted.dtype(), indices_without)}, where);
  if (array.shape(axis) == 0) {
    Shape shape = common;
    shape[static_cast<size_t>(axis)] = wanted.shape(axis);
    if (element_count(shape) == 0) return Array::zeros(shape, array.dtype(), where);
    fail(where, "take_along_axis: axis " + std::to_string(axis) + " of " + array.type_string() +
                    " has no elements to index");
  }
  return detail::apply("take_along_axis", {array, wanted}, {axis, static_cast<int64_t>(mode)}, where,
                       [&](const std::vector<Array>& arrays) {
                         Shape x_shape = common, shape = common;
                         x_shape[static_cast<size_t>(axis)] = arrays[0].shape(axis);
                         shape[static_cast<size_t>(axis)] = arrays[1].shape(axis);
                         const Array x = detail::emit_broadcast(arrays[0], x_shape, where);
                         Array indices = detail::emit_broadcast(arrays[1], shape, where);
                         if (mode == IndexMode::kFill) indices = from_the_end(indices, x.shape(axis), where);
                         std::vector<int64_t> others = axes_between(0, rank);
                         others.erase(others.begin() + axis);
                         return detail::emit("gather", {x, indices},
                                             {{"offset_dims", ir::IntList{}},
                                              {"collapsed_slice_dims", ir::IntList{axis}},
                                              {"operand_batching_dims", others},
                                              {"start_indices_batching_dims", others},
                                              {"start_index_map", ir::IntList{axis}},
                                              {"index_vector_dim", rank},
                                              {"slice_sizes", Shape(static_cast<size_t>(rank), 1)},
                                              {"mode", std::string(text_of(mode))}},
                                             where);
                       });
}

namespace {

// The starts as one vector.
Array start_vector(const Array& x, const std::vector<Array>& starts, const std::source_location& where) {
  std::vector<Array> components;
  for (size_t i = 0; i < starts.size(); ++i) {
    const int64_t extent = x.shape(static_cast<int64_t>(i));
    Array start = from_the_end(starts[i], extent, where);
    // Half of the unsigned numbers would be negative as signed ones; all beyond the end are alike.
    if (start.dtype() == DType::kU64)
      start = minimum(Operand(start, where), Operand(static_cast<uint64_t>(extent), where));
    components.push_back(reshape(Operand(astype(Operand(start, where), DType::kS64), where), {1}));
  }
  if (components.empty()) return Array::zeros({0}, DType::kS64, where);
  return concatenate(Operands(components, where), 0);
}

std::vector<Array> checked_starts(const char* name, const Array& x, const Operands& starts,
                                  const Shape& sizes, const std::source_location& where) {
  detail::checked_node(x, where);
  const auto rank = static_cast<size_t>(x.rank());
  if (starts.items().size() != rank || sizes.size() != rank)
    fail(where, std::string(name) + ": a " + x.type_string() + " needs " + std::to_string(rank) +
                    " starts and sizes, but there are " + std::to_string(starts.items().size()) + " and " +
                    std::to_string(sizes.size()));
  std::vector<Array> arrays;
  for (size_t i = 0; i < rank; ++i) {
    arrays.push_back(starts.items()[i].array());
    check_indices(name, arrays.back(), where);
    if (arrays.back().rank() != 0)
      fail(where, std::string(name) + ": start " + std::to_string(i) + " is " + arrays.back().type_string() +
                      ", but must be a scalar");
    if (sizes[i] < 0 || sizes[i] > x.shape()[i])
      fail(where, std::string(name) + ": the size " + std::to_string(sizes[i]) + " along axis " +
                      std::to_string(i) + " of " + x.type_string() + " must be from 0 to " +
                      std::to_string(x.shape()[i]));
  }
  return arrays;
}

}  // namespace

Array dynamic_slice(const Operand& operand, const Operands& starts, Shape sizes) {
  const std::source_location& where = operand.where();
  const CallerScope caller(where);
  std::vector<Array> operands = checked_starts("dynamic_slice", operand.array(), starts, sizes, where);
  operands.insert(operands.begin(), operand.array());
  return detail::apply("dynamic_slice", operands, sizes, where, [&](const std::vector<Array>& arrays) {
    const Array starts = start_vector(arrays[0], {arrays.begin() + 1, arrays.end()}, where);
    return detail::emit("gather", {arrays[0], starts}, ops::one_window(arrays[0].rank(), sizes), where);
  });
}

Array dynamic_update_slice(const Operand& operand, const Operand& part, const Operands& starts) {
  const std::source_location& where = operand.where();
  const CallerScope caller(where);
  detail::checked_node(operand.array(), where);
  detail::checked_node(part.array(), where);
  const std::vector<Array> same = detail::same_dtype("dynamic_update_slice", {operand, part}, where);
  if (same[1].rank() != same[0].rank())
    fail(where, "dynamic_update_slice: the update is " + same[1].type_string() +
                    ", but needs as many axes as " + same[0].type_string() +
                    "; axes of extent 1 do, as reshape or expand_dims make them");
  std::vector<Array> operands =
      checked_starts("dynamic_update_slice", same[0], starts, same[1].shape(), where);
  operands.insert(operands.begin(), same.begin(), same.end());
  return detail::apply("dynamic_update_slice", operands, {}, where, [&](const std::vector<Array>& arrays) {
    const Array where_to = start_vector(arrays[0], {arrays.begin() + 2, arrays.end()}, where);
    ir::Attributes attributes = ops::one_window(arrays[0].rank(), arrays[1].shape());
    attributes.set("combiner", std::string("set"));
    return detail::emit("scatter", {arrays[0], where_to, arrays[1]}, attributes, where);
  });
}

}  // namespace ingot
