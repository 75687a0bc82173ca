// From indices to a plan of reads and writes, with the errors of what is no index.
#include "frontend/index_plan.h"

#include <algorithm>

#include "frontend/indices.h"

namespace ingot::detail {
namespace {

using Kind = Subscript::Kind;

IndexPart slice_part(const Slice& given, int64_t axis, int64_t extent, const std::source_location& where) {
  if (given.step == 0) fail(where, "the step of a slice is 0; it should be positive or negative");
  const int64_t step = std::clamp(given.step, -kMostElements, kMostElements);
  const auto place = [&](int64_t index, int64_t otherwise, int64_t low, int64_t high) {
    if (index == Slice::kEnd) return otherwise;
    return std::clamp(index < 0 ? index + extent : index, low, high);
  };
  const bool back = step < 0;
  const int64_t start =
      back ? place(given.start, extent - 1, -1, extent - 1) : place(given.start, 0, 0, extent);
  const int64_t stop = back ? place(given.stop, -1, -1, extent - 1) : place(given.stop, extent, 0, extent);
  const int64_t length = back ? start - stop : stop - start, width = std::abs(step);
  const int64_t count = std::max<int64_t>(0, (length + width - 1) / width);
  return {Kind::kSlice, axis, count == 0 ? 0 : start, count, count <= 1 ? 1 : step};
}

void check_index_array(const Array& indices, const std::source_location& where) {
  detail::checked_node(indices, where);
  if (is_integer(indices.dtype())) return;
  fail(where, "an index is a " + indices.type_string() +
                  ", but should be an array of integers; convert it with "
                  "astype");
}

// The indices with whole slices in place of an ellipsis, and for the axes that are not named.
std::vector<Subscript> whole_list(const Array& x, const std::vector<Subscript>& given,
                                  const std::source_location& where) {
  std::vector<Subscript> indices;
  int64_t used = 0, ellipses = 0;
  const auto is_given = [](const Subscript& index) { return index.kind() != Kind::kNone; };
  const auto end = std::find_if(given.rbegin(), given.rend(), is_given).base();
  for (auto one = given.begin(); one != end; ++one) {
    const Subscript index = is_given(*one) ? *one : Subscript(Slice{}, where);
    indices.push_back(index);
    ellipses += index.kind() == Kind::kEllipsis;
    used += index.kind() != Kind::kEllipsis && index.kind() != Kind::kNewAxis;
  }
  if (ellipses > 1) fail(where, "there are " + std::to_string(ellipses) + " ellipses; there can be one");
  if (used > x.rank())
    fail(where, "there are " + std::to_string(used) + " indices for the " + std::to_string(x.rank()) +
                    (x.rank() == 1 ? " axis of " : " axes of ") + x.type_string());
  if (ellipses == 0) indices.emplace_back(kEllipsis, where);
  const auto dots = std::find_if(indices.begin(), indices.end(),
                                 [](const Subscript& index) { return index.kind() == Kind::kEllipsis; });
  const std::vector<Subscript> whole(static_cast<size_t>(x.rank() - used), Subscript(Slice{}, where));
  indices.insert(indices.erase(dots), whole.begin(), whole.end());
  return indices;
}

IndexPart part_of(const Array& x, const Subscript& index, int64_t axis, std::vector<Array>& arrays,
                  bool integers_are_arrays) {
  switch (index.kind()) {
    case Kind::kInteger: {
      const int64_t extent = x.shape(axis), i = index.integer();
      if (i < -extent || i >= extent)
        fail(index.where(), "index " + std::to_string(i) + " is out of range for axis " +
                                std::to_string(axis) + " of " + x.type_string());
      const int64_t place = i < 0 ? i + extent : i;
      if (!integers_are_arrays) return {Kind::kInteger, axis, place};
      arrays.push_back(Array(place));
      return {.kind = Kind::kArray, .axis = axis, .array = arrays.size() - 1};
    }
    case Kind::kSlice:
      return slice_part(index.slice(), axis, x.shape(axis), index.where());
    case Kind::kArray:
      check_index_array(index.array(), index.where());
      arrays.push_back(index.array());
      return {.kind = Kind::kArray, .axis = axis, .array = arrays.size() - 1};
    default:
      return {.kind = Kind::kNewAxis};
  }
}

// Where the block stands: numpy's rule. Integers beside arrays count as arrays.
size_t place_of_block(const std::vector<IndexPart>& parts) {
  const auto takes = [](const IndexPart& part) { return !keeps_axis(part); };
  const auto first = std::find_if(parts.begin(), parts.end(), takes);
  const auto last = std::find_if(parts.rbegin(), parts.rend(), takes).base();
  const bool together = std::all_of(first, last, takes);
  return together ? static_cast<size_t>(first - parts.begin()) : 0;
}

}  // namespace

IndexPlan plan_index(const Array& x, const std::vector<Subscript>& given, bool integers_are_arrays,
                     const std::source_location& where) {
  detail::checked_node(x, where);
  IndexPlan plan;
  int64_t axis = 0;
  for (const Subscript& index : whole_list(x, without_masks(x, given, where), where)) {
    const IndexPart part = part_of(x, index, axis, plan.arrays, integers_are_arrays);
    if (part.kind != Kind::kNewAxis) ++axis;
    plan.words.insert(plan.words.end(), {static_cast<int64_t>(part.kind), part.start, part.count, part.step});
    plan.parts.push_back(part);
  }
  for (const IndexPart& part : plan.parts)
    if (keeps_axis(part)) plan.result.push_back(part.count);
  if (!plan.advanced()) return plan;
  plan.block = detail::broadcast_shape("indices", plan.arrays, where);
  plan.block_place = place_of_block(plan.parts);
  plan.result.insert(plan.result.begin() + static_cast<int64_t>(plan.block_place), plan.block.begin(),
                     plan.block.end());
  for (const IndexPart& part : plan.parts)
    if (part.kind == Kind::kArray && x.shape(part.axis) == 0 && element_count(plan.block) > 0)
      fail(where,
           "axis " + std::to_string(part.axis) + " of " + x.type_string() + " has no elements to index");
  return plan;
}

int64_t slices_in_front(const IndexPlan& plan) {
  int64_t slices = 0;
  size_t kept = 0;
  for (const IndexPart& part : plan.parts) {
    if (!keeps_axis(part)) continue;
    if (kept++ == plan.block_place) break;
    slices += part.kind == Kind::kSlice;
  }
  return slices;
}

Array index_vectors(const std::vector<Array>& components, const Shape& shape, DType dtype,
                    const std::source_location& where) {
  std::vector<Array> columns;
  for (const Array& component : components)
    columns.push_back(expand_dims(broadcast_to(component.astype(dtype), shape), -1));
  return columns.size() == 1 ? columns[0] : concatenate(Operands(columns, where), -1);
}

Array counted_from_start(const Array& indices, int64_t extent, const std::source_location& where) {
  Array wanted = indices;
  if (wanted.dtype() == DType::kU64) wanted = minimum(wanted, static_cast<uint64_t>(extent));
  return detail::from_the_end(wanted, extent, where);
}

}  // namespace ingot::detail
