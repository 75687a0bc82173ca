// Reads of parts: x(i, Slice{}, rows). Slices are views; what arrays and integers beside them take is one
// gather.
#include <algorithm>

#include "frontend/index_plan.h"

namespace ingot {

Subscript::Subscript(const Array& indices, Line line)
    : kind_(Kind::kArray), node_(indices.node()), where_(line.where) {}
Array Subscript::array() const {
  return Array(node_);
}

namespace detail {
namespace {

using Kind = Subscript::Kind;

bool is_plain(const std::vector<Array>& arrays) {
  return std::all_of(arrays.begin(), arrays.end(), [](const Array& array) {
    return byte_size(array.dtype()) < 4 || array.dtype() == DType::kS32;
  });
}

}  // namespace

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

namespace {

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

}  // namespace

Array read_index(const Array& x, const std::vector<Subscript>& indices, const std::source_location& where) {
  const bool advanced = std::any_of(indices.begin(), indices.end(),
                                    [](const Subscript& index) { return index.kind() == Kind::kArray; });
  const IndexPlan plan = plan_index(x, indices, advanced && !tracing(), where);
  if (element_count(plan.result) == 0) return Array::zeros(plan.result, x.dtype(), where);
  // Views one by one: outside of a trace they are copies, for which nothing is compiled.
  if (!plan.advanced()) return reshape(Operand(read_static(x, plan, where), where), plan.result);
  std::vector<Array> operands = {x};
  operands.insert(operands.end(), plan.arrays.begin(), plan.arrays.end());
  return apply("index", operands, plan.words, where, [&](const std::vector<Array>& given) {
    return read_gather(given[0], plan, {given.begin() + 1, given.end()}, where);
  });
}

}  // namespace detail

Array index(const Operand& x, const std::vector<Subscript>& indices) {
  const CallerScope caller(x.where());
  return detail::read_index(detail::checked_array(x), indices, x.where());
}
Selection at(const Array& x, const std::vector<Subscript>& indices, Where where) {
  return Selection(x, indices, where);
}
Selection at(const Array& x, const Subscript& a, const Subscript& b, const Subscript& c, const Subscript& d,
             const Subscript& e, const Subscript& f, const Subscript& g, const Subscript& h) {
  return Selection(x, {a, b, c, d, e, f, g, h}, a.where());
}
Selection at(const Array& x, Subscript::Line line) {
  return Selection(x, {}, line.where);
}
Array Array::operator()(const Subscript& a, const Subscript& b, const Subscript& c, const Subscript& d,
                        const Subscript& e, const Subscript& f, const Subscript& g,
                        const Subscript& h) const {
  const CallerScope caller(a.where());
  return detail::read_index(*this, {a, b, c, d, e, f, g, h}, a.where());
}
Selection Array::at(const Subscript& a, const Subscript& b, const Subscript& c, const Subscript& d,
                    const Subscript& e, const Subscript& f, const Subscript& g, const Subscript& h) const {
  return Selection(*this, {a, b, c, d, e, f, g, h}, a.where());
}
Selection Array::at(Subscript::Line line) const {
  return Selection(*this, {}, line.where);
}

}  // namespace ingot
