// Writes of parts: at(x, i, Slice{}, rows).set(y), as a scatter of windows. Unit slices are windows, slices
// with other steps indices of their own.
#include <algorithm>
#include <string_view>

#include "frontend/index_plan.h"
#include "ops/windows.h"

namespace ingot {
namespace detail {
namespace {

using Kind = Subscript::Kind;

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
  const Array given = detail::emit_broadcast(operands[1], plan.result, where);
  const Array values = without_new_axes(given, plan);
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
  attributes = {{"offset_dims", windows},
                {"collapsed_slice_dims", scatter.taken},
                {"operand_batching_dims", ir::IntList{}},
                {"start_indices_batching_dims", ir::IntList{}},
                {"start_index_map", scatter.map},
                {"index_vector_dim", outer},
                {"slice_sizes", scatter.sizes},
                {"mode", std::string("fill")},
                {"combiner", std::string(combiner)}};
  // Slices meet no element twice. Products alone have a derivative that asks.
  if (!plan.advanced() && std::string_view(combiner) == "mul") attributes.set("unique", true);
  return detail::emit("scatter", {x, starts, updates}, attributes, where);
}

}  // namespace

Array values_for(const Array& x, const Operand& values, const std::source_location& where) {
  const Array given =
      values.is_literal()
          ? Array(detail::value_of("at", values.literal(), x.dtype(), where,
                                   "; it is to be put into a " + x.type_string()))
          : astype(Operand(detail::same_dtype("at", {Operand(x, where), values}, where)[1], where),
                   x.dtype());
  return as_weak(given, is_weak(x));
}

Array update_index(const Array& x, const std::vector<Subscript>& indices, const Operand& operand,
                   const char* combiner) {
  const std::source_location& where = operand.where();
  const CallerScope caller(where, "at");
  detail::checked_node(x, where);
  const Array values = values_for(x, operand, where);
  if (std::optional<Array> updated = update_by_mask(x, indices, values, combiner, where)) return *updated;
  const IndexPlan plan = plan_index(x, indices, !tracing(), where);
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

}  // namespace detail

Array Selection::get(Where) const {
  const CallerScope caller(where_, "at");
  return detail::read_index(x_, indices_, where_);
}
Array Selection::set(const Operand& values) const {
  return detail::update_index(x_, indices_, values, "set");
}
Array Selection::add(const Operand& values) const {
  return detail::update_index(x_, indices_, values, "add");
}
Array Selection::sub(const Operand& values) const {
  const CallerScope caller(values.where(), "at");
  detail::checked_node(x_, values.where());
  return add(Operand(-detail::values_for(x_, values, values.where()), values.where()));
}
Array Selection::mul(const Operand& values) const {
  return detail::update_index(x_, indices_, values, "mul");
}
Array Selection::min(const Operand& values) const {
  return detail::update_index(x_, indices_, values, "min");
}
Array Selection::max(const Operand& values) const {
  return detail::update_index(x_, indices_, values, "max");
}
Array Selection::apply(const std::function<Array(Array)>& f) const {
  if (!f) detail::fail(where_, "apply: the function is empty");
  if (const std::optional<Array> mask = detail::only_mask(x_, indices_, where_))
    return where(Operand(*mask, where_), Operand(f(x_), where_), Operand(x_, where_));
  return set(Operand(f(get()), where_));
}

}  // namespace ingot
