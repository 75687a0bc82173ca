// Choices among arrays, values put into places, and indices of several axes as one.
#include <algorithm>

#include "frontend/compose.h"
#include "frontend/indices.h"
#include "ingot/creation.h"
#include "ingot/cumulative.h"
#include "ingot/searching.h"
#include "ingot/shapes.h"

namespace ingot {
namespace {

using detail::apply;
using detail::check_indices;
using detail::checked_array;
using detail::fail;

// Wide enough for the products of extents.
Array as_places(const Array& indices, int64_t elements) {
  const bool wide = elements > INT32_MAX || byte_size(indices.dtype()) > 4 || indices.dtype() == DType::kU32;
  return indices.astype(wide ? DType::kS64 : DType::kS32);
}

}  // namespace

std::vector<Array> unravel_index(const Operand& indices, const Shape& shape) {
  const CallerScope caller(indices.where(), "unravel_index");
  const Array given = checked_array(indices);
  check_indices("unravel_index", given, indices.where());
  const int64_t elements = detail::checked_shape("unravel_index", shape, indices.where());
  const Array places = clip(as_places(given, elements), -elements, std::max<int64_t>(elements - 1, 0));
  std::vector<Array> results(shape.size());
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    const Array row = stride == 1 ? places : floor_divide(places, stride);
    results[i] = mod(row, std::max<int64_t>(shape[i], 1));
    stride *= std::max<int64_t>(shape[i], 1);
  }
  return results;
}

Array ravel_multi_index(const Operands& indices, const Shape& shape, RavelMode mode) {
  const std::source_location where = indices.where();
  const CallerScope caller(where, "ravel_multi_index");
  if (indices.items().size() != shape.size())
    fail(where, "ravel_multi_index: there are indices of " + std::to_string(indices.items().size()) +
                    " axes, but the shape " + ingot::to_string(shape) + " has " +
                    std::to_string(shape.size()));
  const int64_t elements = detail::checked_shape("ravel_multi_index", shape, where);
  Array result = Array(0);
  for (size_t i = 0; i < shape.size(); ++i) {
    const Array given = checked_array(indices.items()[i]);
    check_indices("ravel_multi_index", given, where);
    const Array index = as_places(given, elements);
    const Array inside = mode == RavelMode::kWrap ? mod(index, shape[i]) : clip(index, 0, shape[i] - 1);
    result = i == 0 ? inside : result * shape[i] + inside;
  }
  return result;
}

Array select(const Operands& conditions, const Operands& choices, const Operand& otherwise) {
  const std::source_location where = conditions.where();
  const CallerScope caller(where, "select");
  const size_t count = conditions.items().size();
  if (count != choices.items().size() || count == 0)
    fail(where, "select: there are " + std::to_string(count) + " conditions and " +
                    std::to_string(choices.items().size()) + " choices; there should be as many, and some");
  std::vector<Operand> all = choices.items();
  all.push_back(otherwise);
  std::vector<Array> operands = detail::same_dtype("select", all, where);
  for (const Operand& condition : conditions.items())
    operands.push_back(detail::truth(checked_array(condition)));
  return apply("select_first", operands, {}, where, [&](const std::vector<Array>& a) {
    Array result = a[count];
    for (size_t i = count; i-- > 0;) result = ingot::where(a[count + 1 + i], a[i], result);
    return result;
  });
}

Array choose(const Operand& index, const Operands& choices, RavelMode mode) {
  const std::source_location& where = index.where();
  const CallerScope caller(where, "choose");
  const auto count = static_cast<int64_t>(choices.items().size());
  if (count == 0) fail(where, "choose: there is no choice");
  std::vector<Array> operands = detail::same_dtype("choose", choices.items(), where);
  operands.push_back(checked_array(index));
  check_indices("choose", operands.back(), where);
  return apply("choose", operands, {static_cast<int64_t>(mode)}, where, [&](const std::vector<Array>& a) {
    const Array places = as_places(a.back(), count);
    const Array which = mode == RavelMode::kWrap ? mod(places, count) : clip(places, 0, count - 1);
    Array result = a[static_cast<size_t>(count - 1)];
    for (int64_t i = count - 1; i-- > 0;)
      result = ingot::where(which == i, a[static_cast<size_t>(i)], result);
    return broadcast_to(result, detail::broadcast_shape("choose", a, where));
  });
}

Array PieceOfFunction::operator()(const Array& x, DType dtype, Where where) const {
  if (!value_ && !function_) fail(where, "a function of a piece is empty");
  const Array value = value_ ? astype(*value_, dtype) : function_(x);
  detail::checked_node(value, where);
  if (value.rank() > x.rank())
    fail(where, "a piece is " + value.type_string() + ", but should have a number for each element of " +
                    x.type_string());
  return broadcast_to(astype(Operand(value, where), dtype), x.shape());
}

// Not one program outside of a trace, since functions may hold what tells them apart.
Array piecewise(const Operand& x, const Operands& conditions, const std::vector<PieceOfFunction>& pieces) {
  const std::source_location where = x.where();
  const CallerScope caller(where, "piecewise");
  const Array array = checked_array(x);
  const size_t count = conditions.items().size();
  if (pieces.size() != count && pieces.size() != count + 1)
    fail(where, "there are " + std::to_string(pieces.size()) + " pieces for " + std::to_string(count) +
                    " conditions; there should be as many, or one more for where none is true");
  const DType dtype = array.dtype();
  Array result = pieces.size() > count ? pieces[count](array, dtype, where) : zeros_like(array);
  for (size_t i = count; i-- > 0;) {
    const Array condition = detail::truth(checked_array(conditions.items()[i]));
    result = ingot::where(Operand(condition, where), Operand(pieces[i](array, dtype, where), where),
                          Operand(result, where));
  }
  return broadcast_to(result, array.shape());
}

Array put(const Operand& x, const Array& indices, const Operand& values) {
  const CallerScope caller(x.where(), "put");
  std::vector<Array> operands = detail::same_dtype("put", {x, values}, x.where());
  check_indices("put", indices, x.where());
  operands.push_back(indices);
  const int64_t count = indices.size();
  if (operands[0].size() == 0 || count == 0) return operands[0];
  if (operands[1].size() == 0) fail(x.where(), "put: there are no values for " + indices.type_string());
  return apply("put", operands, {}, x.where(), [&](const std::vector<Array>& a) {
    const Array given = ravel(a[1]);
    const Array each = given.size() >= count ? given.slice({0, count}) : [&] {
      const int64_t times = (count + given.size() - 1) / given.size();
      return tile(given, {times}).slice({0, count});
    }();
    return reshape(scatter(Scatter::kSet, ravel(a[0]), ravel(a[2]), each), a[0].shape());
  });
}

Array put_along_axis(const Operand& x, const Array& indices, const Operand& values, Axis wanted) {
  const std::source_location& where = x.where();
  const CallerScope caller(where, "put_along_axis");
  std::vector<Array> operands = detail::same_dtype("put_along_axis", {x, values}, where);
  check_indices("put_along_axis", indices, where);
  operands.push_back(indices);
  const int64_t rank = operands[0].rank(), axis = detail::checked_axis("put_along_axis", wanted, rank, where);
  Shape shape = operands[0].shape();
  if (indices.rank() == rank) shape[static_cast<size_t>(axis)] = indices.shape(axis);
  bool fits = indices.rank() == rank;
  for (int64_t i = 0; fits && i < rank; ++i)
    fits = indices.shape(i) == shape[static_cast<size_t>(i)] || indices.shape(i) == 1;
  if (!fits)
    fail(where, "put_along_axis: the indices are " + indices.type_string() + ", but should broadcast to " +
                    operands[0].type_string() + " along all axes but axis " + std::to_string(axis));
  broadcast_to(Operand(operands[1], where), shape);  // an Error if that is not so
  if (element_count(shape) == 0) return operands[0];
  return apply("put_along_axis", operands, {axis}, where, [&](const std::vector<Array>& a) {
    const int64_t extent = a[0].shape(axis);
    const Array given = as_places(broadcast_to(a[2], shape), extent);
    const Array places = ingot::where(given < 0, given + extent, given);
    ir::IntList others;
    for (int64_t i = 0; i < rank; ++i)
      if (i != axis) others.push_back(i);
    return detail::emit("scatter", {a[0], places, broadcast_to(a[1], shape)},
                        {{"offset_dims", ir::IntList{}},
                         {"collapsed_slice_dims", ir::IntList{axis}},
                         {"operand_batching_dims", others},
                         {"start_indices_batching_dims", others},
                         {"start_index_map", ir::IntList{axis}},
                         {"index_vector_dim", rank},
                         {"slice_sizes", Shape(static_cast<size_t>(rank), 1)},
                         {"mode", std::string("fill")},
                         {"combiner", std::string("set")}},
                        where);
  });
}

Array place(const Operand& x, const Operand& mask, const Operand& values) {
  const CallerScope caller(x.where(), "place");
  std::vector<Array> operands = detail::same_dtype("place", {x, values}, x.where());
  operands.push_back(detail::truth(checked_array(mask)));
  if (operands[2].shape() != operands[0].shape())
    fail(x.where(), "place: the mask is " + operands[2].type_string() + ", but should have the shape of " +
                        operands[0].type_string());
  if (operands[0].size() == 0) return operands[0];
  if (operands[1].size() == 0) fail(x.where(), "place: there are no values");
  return apply("place", operands, {}, x.where(), [&](const std::vector<Array>& a) {
    const Array rank =
        reshape(cumsum(ravel(a[2]).astype(detail::places_dtype(a[2].size()))) - 1, a[2].shape());
    const Array given = ravel(a[1]);
    return where(a[2], take(given, mod(rank, given.size()), 0, IndexMode::kClip), a[0]);
  });
}

Array fill_diagonal(const Operand& x, const Operand& value) {
  const CallerScope caller(x.where(), "fill_diagonal");
  const std::vector<Array> operands = detail::same_dtype("fill_diagonal", {x, value}, x.where());
  const Shape& whole = operands[0].shape();
  if (whole.size() < 2 || operands[1].rank() != 0)
    fail(x.where(), "fill_diagonal: takes an array of two axes or more and a number, but these are " +
                        operands[0].type_string() + " and " + operands[1].type_string());
  if (whole.size() > 2 && std::any_of(whole.begin(), whole.end(), [&](int64_t n) { return n != whole[0]; }))
    fail(x.where(), "fill_diagonal: more than two axes are to be of one length, but this is a " +
                        operands[0].type_string());
  return apply("fill_diagonal", operands, {}, x.where(), [&](const std::vector<Array>& a) {
    const Shape& shape = a[0].shape();
    const DType places = detail::places_dtype(std::max(shape[0], shape[1]));
    const Array first = iota(places, shape, 0);
    Array diagonal = first == iota(places, shape, 1);
    for (int64_t axis = 2; axis < a[0].rank(); ++axis)
      diagonal = diagonal & (first == iota(places, shape, axis));
    return where(diagonal, a[1], a[0]);
  });
}

}  // namespace ingot
