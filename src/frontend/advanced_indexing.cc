// x(i, Slice{}, rows) and at(x, i, Slice{}, rows).set(y): what brackets mean in numpy, as one gather or
// scatter.
//
// The indices become parts, in the order of the result: those that keep an axis (slices, new axes) and those
// that take elements of one (integers, arrays). Arrays broadcast together; the axes of that, the *block*,
// stand in front of the kept axes, or between them where the arrays were side by side. A read takes slices as
// views and gathers from them. A write is a scatter of windows: unit slices are windows, slices with steps
// indices of their own.
#include <algorithm>

#include "frontend/compose.h"
#include "frontend/indices.h"
#include "ingot/indexing.h"
#include "ops/windows.h"

namespace ingot {

Subscript::Subscript(const Array& indices, Where where)
    : kind_(Kind::kArray), node_(indices.node()), where_(where) {}
Array Subscript::array() const {
  return Array(node_);
}

namespace {

using detail::fail;
using Kind = Subscript::Kind;

struct IndexPart {
  Kind kind;
  int64_t axis = 0;                        // of x; none for a new one
  int64_t start = 0, count = 1, step = 1;  // of a slice; an integer is `start`
  size_t array = 0;                        // which of the operands an array of indices is
};

struct IndexPlan {
  std::vector<IndexPart> parts;
  std::vector<Array> arrays;
  Shape block;             // of the arrays together
  size_t block_place = 0;  // kept axes in front of it
  Shape result;
  std::vector<int64_t> words;

  bool advanced() const { return !arrays.empty(); }
};

bool keeps_axis(const IndexPart& part) {
  return part.kind == Kind::kSlice || part.kind == Kind::kNewAxis;
}

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
  if (indices.dtype() == DType::kPred)
    fail(where, "a " + indices.type_string() +
                    " is no index, since the size of the result would depend on its values; choose with "
                    "where(mask, x, y), or take the first n elements with compress(mask, x, {.size = n})");
  fail(where, "an index is a " + indices.type_string() +
                  ", but should be an array of integers; convert it with "
                  "astype");
}

// The indices with whole slices in place of an ellipsis, and for the axes that are not named.
std::vector<Subscript> whole_list(const Array& x, const std::vector<Subscript>& given,
                                  const std::source_location& where) {
  std::vector<Subscript> indices;
  int64_t used = 0, ellipses = 0;
  for (const Subscript& index : given) {
    if (index.kind() == Kind::kNone) continue;
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

IndexPart part_of(const Array& x, const Subscript& index, int64_t axis, std::vector<Array>& arrays) {
  switch (index.kind()) {
    case Kind::kInteger: {
      const int64_t extent = x.shape(axis), i = index.integer();
      if (i < -extent || i >= extent)
        fail(index.where(), "index " + std::to_string(i) + " is out of range for axis " +
                                std::to_string(axis) + " of " + x.type_string());
      return {Kind::kInteger, axis, i < 0 ? i + extent : i};
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

IndexPlan plan_index(const Array& x, const std::vector<Subscript>& given, const std::source_location& where) {
  detail::checked_node(x, where);
  IndexPlan plan;
  int64_t axis = 0;
  for (const Subscript& index : whole_list(x, given, where)) {
    const IndexPart part = part_of(x, index, axis, plan.arrays);
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

// Slices before the block. New axes are put in at the end of a read, and dropped at the beginning of a write.
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

bool is_plain(const std::vector<Array>& arrays) {
  return std::all_of(arrays.begin(), arrays.end(), [](const Array& array) {
    return byte_size(array.dtype()) < 4 || array.dtype() == DType::kS32;
  });
}

// Subscript vectors along a new last axis of `shape`: components that broadcast to it, of one dtype.
Array index_vectors(const std::vector<Array>& components, const Shape& shape, DType dtype,
                    const std::source_location& where) {
  std::vector<Array> columns;
  for (const Array& component : components)
    columns.push_back(expand_dims(broadcast_to(component.astype(dtype), shape), -1));
  return columns.size() == 1 ? columns[0] : concatenate(Operands(columns, where), -1);
}

// An index array in [0, extent) where it is one, as s32 or s64.
Array counted_from_start(const Array& indices, int64_t extent, const std::source_location& where) {
  Array wanted = indices;
  if (wanted.dtype() == DType::kU64) wanted = minimum(wanted, static_cast<uint64_t>(extent));
  return detail::from_the_end(wanted, extent, where);
}

Array read_static(const Array& x, const IndexPlan& plan, const std::source_location& where) {
  Array y = x;
  for (const IndexPart& part : plan.parts) {
    if (part.kind == Kind::kInteger) y = slice_axis(Operand(y, where), part.axis, part.start, part.start + 1);
    if (part.kind != Kind::kSlice || part.count == x.shape(part.axis)) {
      if (part.kind == Kind::kSlice && part.step < 0) y = flip(y, part.axis);
      continue;
    }
    const int64_t end = part.start + part.count * part.step;
    y = slice_axis(Operand(y, where), part.axis,
                   Slice{part.count == 0 ? 0 : part.start,
                         part.count == 0 ? 0
                         : end < 0       ? Slice::kEnd
                                         : end,
                         part.step});
  }
  return y;
}

// The array as the slices leave it, and then a gather of what the arrays and integers take.
Array read_gather(const Array& x, const IndexPlan& plan, const std::vector<Array>& arrays,
                  const std::source_location& where) {
  IndexPlan slices = plan;
  for (IndexPart& part : slices.parts)
    if (part.kind == Kind::kInteger) part = {Kind::kSlice, part.axis, 0, x.shape(part.axis)};
  const Array y = read_static(x, slices, where);
  const bool plain = is_plain(arrays) && *std::max_element(x.shape().begin(), x.shape().end()) < INT32_MAX;
  std::vector<Array> components;
  ir::IntList taken, windows;
  Shape sizes = y.shape();
  const auto block_rank = static_cast<int64_t>(plan.block.size());
  for (const IndexPart& part : plan.parts) {
    if (part.kind == Kind::kSlice) {
      const auto place = static_cast<int64_t>(windows.size());
      windows.push_back(place < slices_in_front(plan) ? place : place + block_rank);
    }
    if (keeps_axis(part)) continue;
    taken.push_back(part.axis);
    sizes[static_cast<size_t>(part.axis)] = 1;
    components.push_back(part.kind == Kind::kInteger
                             ? Array(static_cast<int32_t>(part.start))
                             : counted_from_start(arrays[part.array], x.shape(part.axis), where));
  }
  const Array starts = index_vectors(components, plan.block, plain ? DType::kS32 : DType::kS64, where);
  const Array gathered = detail::emit("gather", {y, starts},
                                      {{"offset_dims", windows},
                                       {"collapsed_slice_dims", taken},
                                       {"operand_batching_dims", ir::IntList{}},
                                       {"start_indices_batching_dims", ir::IntList{}},
                                       {"start_index_map", taken},
                                       {"index_vector_dim", block_rank},
                                       {"slice_sizes", sizes},
                                       {"mode", std::string("clip")}},
                                      where);
  return reshape(Operand(gathered, where), plan.result);
}

Array read_index(const Array& x, const std::vector<Subscript>& indices, const std::source_location& where) {
  const IndexPlan plan = plan_index(x, indices, where);
  if (element_count(plan.result) == 0) return Array::zeros(plan.result, x.dtype(), where);
  std::vector<Array> operands = {x};
  operands.insert(operands.end(), plan.arrays.begin(), plan.arrays.end());
  return detail::apply("index", operands, plan.words, where, [&](const std::vector<Array>& given) {
    if (plan.advanced()) return read_gather(given[0], plan, {given.begin() + 1, given.end()}, where);
    return reshape(Operand(read_static(given[0], plan, where), where), plan.result);
  });
}

// --- updates
// -------------------------------------------------------------------------------------------------------

// A scatter: its index vectors over the block and the slices with steps, and the windows of the other slices.
struct ScatterPlan {
  Shape outer;                 // the block, then an axis for each slice with steps
  std::vector<int64_t> order;  // axes of the values, without new ones, as the scatter wants them
  std::vector<Array> components;
  ir::IntList taken, map;
  Shape sizes;
};

ScatterPlan plan_scatter(const Array& x, const IndexPlan& plan, const std::vector<Array>& arrays,
                         const std::source_location& where) {
  ScatterPlan scatter;
  scatter.outer = plan.block;
  scatter.sizes = x.shape();
  for (const IndexPart& part : plan.parts)
    if (part.kind == Kind::kSlice && part.step != 1) scatter.outer.push_back(part.count);
  std::vector<int64_t> stepped, windows;
  size_t axis_of_outer = plan.block.size();
  int64_t slices = 0;
  const auto block = static_cast<int64_t>(plan.block.size());
  const auto next_place = [&] { return slices++ < slices_in_front(plan) ? slices - 1 : slices - 1 + block; };
  for (const IndexPart& part : plan.parts) {
    if (part.kind == Kind::kNewAxis) continue;
    const auto a = static_cast<size_t>(part.axis);
    if (part.kind == Kind::kSlice && part.step == 1) {
      windows.push_back(next_place());
      scatter.sizes[a] = part.count;
      if (part.start == 0) continue;
      scatter.components.push_back(Array(part.start));
    } else {
      scatter.taken.push_back(part.axis);
      scatter.sizes[a] = 1;
      if (part.kind == Kind::kSlice) {
        stepped.push_back(next_place());
        Shape shape(scatter.outer.size(), 1);
        shape[axis_of_outer++] = part.count;
        scatter.components.push_back(
            reshape(iota(DType::kS64, {part.count}, 0) * part.step + part.start, shape));
      } else if (part.kind == Kind::kInteger) {
        scatter.components.push_back(Array(part.start));
      } else {
        const Array indices = counted_from_start(arrays[part.array], x.shape(part.axis), where);
        Shape shape = indices.shape();  // aligned with the block, in front of the slices
        shape.resize(shape.size() + scatter.outer.size() - plan.block.size(), 1);
        scatter.components.push_back(reshape(Operand(indices, where), shape));
      }
    }
    scatter.map.push_back(part.axis);
  }
  for (int64_t i = 0; i < block; ++i) scatter.order.push_back(slices_in_front(plan) + i);
  scatter.order.insert(scatter.order.end(), stepped.begin(), stepped.end());
  scatter.order.insert(scatter.order.end(), windows.begin(), windows.end());
  return scatter;
}

Array without_new_axes(const Array& values, const IndexPlan& plan) {
  Shape shape;
  for (const IndexPart& part : plan.parts)
    if (part.kind == Kind::kSlice) shape.push_back(part.count);
  shape.insert(shape.begin() + slices_in_front(plan), plan.block.begin(), plan.block.end());
  return reshape(values, shape);
}

Array emit_update(const Array& x, const IndexPlan& plan, const std::vector<Array>& operands,
                  const char* combiner, const std::source_location& where) {
  const Array values = without_new_axes(detail::emit_broadcast(operands[1], plan.result, where), plan);
  ScatterPlan scatter = plan_scatter(x, plan, {operands.begin() + 2, operands.end()}, where);
  const Array updates = scatter.order.empty() ? values : transpose(values, scatter.order);
  ir::Attributes attributes;
  Array starts;
  if (scatter.outer.empty() && !plan.advanced()) {  // one window, inside of x
    std::vector<Array> begin;
    for (const IndexPart& part : plan.parts)
      if (part.kind != Kind::kNewAxis) begin.emplace_back(part.start);
    starts = begin.empty() ? Array::zeros({0}, DType::kS64) : index_vectors(begin, {}, DType::kS64, where);
    attributes = ops::one_window(x.rank(), scatter.sizes);
    attributes.set("combiner", std::string(combiner));
    return detail::emit("scatter", {x, starts, reshape(updates, scatter.sizes)}, attributes, where);
  }
  const auto outer = static_cast<int64_t>(scatter.outer.size());
  ir::IntList windows;
  for (int64_t i = outer; i < updates.rank(); ++i) windows.push_back(i);
  starts = index_vectors(scatter.components, scatter.outer, DType::kS64, where);
  return detail::emit("scatter", {x, starts, updates},
                      {{"offset_dims", windows},
                       {"collapsed_slice_dims", scatter.taken},
                       {"operand_batching_dims", ir::IntList{}},
                       {"start_indices_batching_dims", ir::IntList{}},
                       {"start_index_map", scatter.map},
                       {"index_vector_dim", outer},
                       {"slice_sizes", scatter.sizes},
                       {"mode", std::string("fill")},
                       {"combiner", std::string(combiner)}},
                      where);
}

// The values in the dtype of the array, into which they are to fit.
Array values_for(const Array& x, const Operand& values, const std::source_location& where) {
  if (values.is_literal())
    return Array(detail::value_of("at", values.literal(), x.dtype(), where,
                                  "; it is to be put into a " + x.type_string()));
  return astype(Operand(detail::same_dtype("at", {Operand(x, where), values}, where)[1], where), x.dtype());
}

Array update_index(const Array& x, const std::vector<Subscript>& indices, const Operand& operand,
                   const char* combiner) {
  const std::source_location& where = operand.where();
  const CallerScope caller(where, "at");
  const IndexPlan plan = plan_index(x, indices, where);
  const Array values = values_for(x, operand, where);
  Shape shape = values.shape();  // leading extents of 1 are let go, as numpy does where it assigns
  while (shape.size() > plan.result.size() && shape[0] == 1) shape.erase(shape.begin());
  bool fits = shape.size() <= plan.result.size();
  for (size_t i = 1; fits && i <= shape.size(); ++i)
    fits = shape[shape.size() - i] == 1 || shape[shape.size() - i] == plan.result[plan.result.size() - i];
  if (!fits)
    fail(where, "the values are " + values.type_string() + ", but the part of " + x.type_string() +
                    " that they are for has the shape " + ingot::to_string(plan.result));
  if (element_count(plan.result) == 0) return x;
  std::vector<Array> operands = {x, reshape(values, shape)};
  operands.insert(operands.end(), plan.arrays.begin(), plan.arrays.end());
  std::vector<int64_t> words = plan.words;
  words.push_back(static_cast<int64_t>(combiner[1]));
  return detail::apply("index_update", operands, words, where, [&](const std::vector<Array>& given) {
    return emit_update(given[0], plan, given, combiner, where);
  });
}

}  // namespace

Array Selection::get(Where) const {
  const CallerScope caller(where_, "at");
  return read_index(x_, indices_, where_);
}
Array Selection::set(const Operand& values) const {
  return update_index(x_, indices_, values, "set");
}
Array Selection::add(const Operand& values) const {
  return update_index(x_, indices_, values, "add");
}
Array Selection::sub(const Operand& values) const {
  const CallerScope caller(values.where(), "at");
  detail::checked_node(x_, values.where());
  return add(Operand(-values_for(x_, values, values.where()), values.where()));
}
Array Selection::mul(const Operand& values) const {
  return update_index(x_, indices_, values, "mul");
}
Array Selection::min(const Operand& values) const {
  return update_index(x_, indices_, values, "min");
}
Array Selection::max(const Operand& values) const {
  return update_index(x_, indices_, values, "max");
}
Array Selection::apply(const std::function<Array(Array)>& f) const {
  return set(Operand(f(get()), where_));
}

Array index(const Operand& x, const std::vector<Subscript>& indices) {
  const CallerScope caller(x.where());
  return read_index(detail::checked_array(x), indices, x.where());
}
Selection at(const Array& x, const std::vector<Subscript>& indices, Where where) {
  return Selection(x, indices, where);
}
Selection at(const Array& x, const Subscript& a, const Subscript& b, const Subscript& c, const Subscript& d,
             const Subscript& e, const Subscript& f, const Subscript& g, const Subscript& h) {
  return Selection(x, {a, b, c, d, e, f, g, h}, a.where());
}
Array Array::operator()(const Subscript& a, const Subscript& b, const Subscript& c, const Subscript& d,
                        const Subscript& e, const Subscript& f, const Subscript& g,
                        const Subscript& h) const {
  const CallerScope caller(a.where());
  return read_index(*this, {a, b, c, d, e, f, g, h}, a.where());
}
Selection Array::at(const Subscript& a, const Subscript& b, const Subscript& c, const Subscript& d,
                    const Subscript& e, const Subscript& f, const Subscript& g, const Subscript& h) const {
  return Selection(*this, {a, b, c, d, e, f, g, h}, a.where());
}

}  // namespace ingot
