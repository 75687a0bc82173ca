// The algebra of views: a view of a view of the same kind is one view, and a view that moves nothing is none.
#include <algorithm>
#include <numeric>
#include <optional>

#include "ops/identities.h"

namespace ingot::ops {
namespace {

size_t at(int64_t axis) {
  return static_cast<size_t>(axis);
}

bool is_counting(const IntList& list) {
  for (size_t i = 0; i < list.size(); ++i) {
    if (list[i] != static_cast<int64_t>(i)) return false;
  }
  return true;
}

// A contraction of which another order of dimensions is wanted is one with its operands or batch dimensions
// in another order, so that w times a and a times w end alike. The free dimensions of an operand stay
// together.
Values transpose_into_dot(Op& op, Rewriter& rewriter) {
  const Op* dot = made_by(op.operand(0), "dot_general");
  if (dot == nullptr || op.operand(0)->uses().size() != 1) return {};
  const IntList& permutation = op.attributes().list("permutation");
  const IntList &lhs_batch = dot->attributes().list("lhs_batch"),
                &rhs_batch = dot->attributes().list("rhs_batch");
  const int64_t batch = static_cast<int64_t>(lhs_batch.size()), rank = op.operand(0)->rank();
  const int64_t lhs_free =
      dot->operand(0)->rank() - batch - static_cast<int64_t>(dot->attributes().list("lhs_contract").size());
  const bool swapped = batch < rank && permutation[at(batch)] != batch;
  IntList order, lhs_order, rhs_order;
  for (int64_t i = batch; i < rank; ++i) order.push_back(i);
  if (swapped) std::rotate(order.begin(), order.begin() + lhs_free, order.end());
  if (!std::equal(order.begin(), order.end(), permutation.begin() + batch)) return {};
  for (int64_t i = 0; i < batch; ++i) {
    lhs_order.push_back(lhs_batch[at(permutation[at(i)])]);
    rhs_order.push_back(rhs_batch[at(permutation[at(i)])]);
  }
  if (!rewriter.may("transpose_into_dot", op)) return {};
  Attributes attributes = dot->attributes();
  attributes.set("lhs_batch", lhs_order);
  attributes.set("rhs_batch", rhs_order);
  if (!swapped) return {rewriter.make("dot_general", {dot->operand(0), dot->operand(1)}, attributes)};
  attributes.set("lhs_batch", rhs_order);
  attributes.set("rhs_batch", lhs_order);
  attributes.set("lhs_contract", dot->attributes().list("rhs_contract"));
  attributes.set("rhs_contract", dot->attributes().list("lhs_contract"));
  return {rewriter.make("dot_general", {dot->operand(1), dot->operand(0)}, attributes)};
}

}  // namespace

Values transpose_identities(Op& op, Rewriter& rewriter) {
  const IntList& permutation = op.attributes().list("permutation");
  if (is_counting(permutation)) {
    if (!rewriter.may("transpose_nothing", op)) return {};
    return {op.operand(0)};
  }
  if (Values values = transpose_into_dot(op, rewriter); !values.empty()) return values;
  const Op* inner = made_by(op.operand(0), "transpose");
  if (inner == nullptr || !rewriter.may("transpose_of_transpose", op)) return {};
  IntList composed;
  for (int64_t axis : permutation) composed.push_back(inner->attributes().list("permutation")[at(axis)]);
  if (is_counting(composed)) return {inner->operand(0)};
  return {rewriter.make("transpose", {inner->operand(0)}, {{"permutation", composed}})};
}

Values reverse_identities(Op& op, Rewriter& rewriter) {
  // The axes that matter, in order.
  auto effective = [](const Op& reverse) {
    IntList axes;
    for (int64_t axis : reverse.attributes().list("axes")) {
      if (reverse.result()->shape()[at(axis)] > 1) axes.push_back(axis);
    }
    std::sort(axes.begin(), axes.end());
    return axes;
  };
  const IntList axes = effective(op);
  if (axes.empty()) {
    if (!rewriter.may("reverse_nothing", op)) return {};
    return {op.operand(0)};
  }
  const Op* inner = made_by(op.operand(0), "reverse");
  if (inner == nullptr || !rewriter.may("reverse_of_reverse", op)) return {};
  const IntList others = effective(*inner);
  IntList once;
  std::set_symmetric_difference(axes.begin(), axes.end(), others.begin(), others.end(),
                                std::back_inserter(once));
  if (once.empty()) return {inner->operand(0)};
  return {rewriter.make("reverse", {inner->operand(0)}, {{"axes", once}})};
}

namespace {

// Where the dimensions `dims` of `from` are in `to`, if the shapes differ in other dimensions of extent 1
// alone.
std::optional<IntList> places_among_ones(const IntList& dims, const Shape& from, const Shape& to) {
  std::vector<int64_t> place(from.size(), -1);
  std::vector<bool> wanted(from.size(), false);
  for (int64_t dim : dims) wanted[at(dim)] = true;
  size_t i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    if (i < from.size() && j < to.size() && from[i] == to[j]) {
      place[i++] = static_cast<int64_t>(j++);
    } else if (i < from.size() && from[i] == 1 && !wanted[i]) {
      ++i;
    } else if (j < to.size() && to[j] == 1) {
      ++j;
    } else {
      return std::nullopt;
    }
  }
  IntList places;
  for (int64_t dim : dims) places.push_back(place[at(dim)]);
  return places;
}

// A broadcast that is given or loses dimensions of extent 1 is a broadcast; JAX's softmax writes its sums so.
Values reshape_of_broadcast(Op& op, Rewriter& rewriter) {
  const Op* spread = made_by(op.operand(0), "broadcast");
  if (spread == nullptr) return {};
  const Shape& shape = op.result()->shape();
  const std::optional<IntList> dims =
      places_among_ones(spread->attributes().list("dims"), spread->result()->shape(), shape);
  if (!dims || !rewriter.may("reshape_of_broadcast", op)) return {};
  return {rewriter.make("broadcast", {spread->operand(0)}, {{"dims", *dims}, {"shape", shape}})};
}

}  // namespace

Values reshape_identities(Op& op, Rewriter& rewriter) {
  if (op.operand(0)->shape() == op.result()->shape()) {
    if (!rewriter.may("reshape_to_same", op)) return {};
    return {op.operand(0)};
  }
  if (Values values = reshape_of_broadcast(op, rewriter); !values.empty()) return values;
  const Op* inner = made_by(op.operand(0), "reshape");
  if (inner == nullptr || !rewriter.may("reshape_of_reshape", op)) return {};
  if (inner->operand(0)->shape() == op.result()->shape()) return {inner->operand(0)};
  return {rewriter.make("reshape", {inner->operand(0)}, {{"shape", op.result()->shape()}})};
}

Values broadcast_identities(Op& op, Rewriter& rewriter) {
  const IntList& dims = op.attributes().list("dims");
  const Shape& shape = op.result()->shape();
  if (dims.size() == shape.size()) {  // every dimension comes from the operand
    if (is_counting(dims)) {
      if (!rewriter.may("broadcast_to_same", op)) return {};
      return {op.operand(0)};
    }
    if (!rewriter.may("broadcast_is_transpose", op)) return {};
    IntList permutation(dims.size());
    for (size_t i = 0; i < dims.size(); ++i) permutation[at(dims[i])] = static_cast<int64_t>(i);
    return {rewriter.make("transpose", {op.operand(0)}, {{"permutation", permutation}})};
  }
  // A transpose only says which dimension goes where, as the broadcast does.
  if (const Op* moved = made_by(op.operand(0), "transpose");
      moved != nullptr && rewriter.may("broadcast_of_transpose", op)) {
    const IntList& permutation = moved->attributes().list("permutation");
    IntList places(dims.size());
    for (size_t i = 0; i < dims.size(); ++i) places[at(permutation[i])] = dims[i];
    return {rewriter.make("broadcast", {moved->operand(0)}, {{"dims", places}, {"shape", shape}})};
  }
  const Op* inner = made_by(op.operand(0), "broadcast");
  if (inner == nullptr || !rewriter.may("broadcast_of_broadcast", op)) return {};
  IntList composed;
  for (int64_t dim : inner->attributes().list("dims")) composed.push_back(dims[at(dim)]);
  return {rewriter.make("broadcast", {inner->operand(0)}, {{"dims", composed}, {"shape", shape}})};
}

// --- slice

namespace {

struct Ranges {
  IntList starts, limits, strides;

  static Ranges of(const Op& slice) {
    const Attributes& a = slice.attributes();
    return {a.list("starts"), a.list("limits"), a.list("strides")};
  }
  static Ranges all(const Shape& shape) {
    return {IntList(shape.size(), 0), shape, IntList(shape.size(), 1)};
  }
  Attributes attributes() const { return {{"starts", starts}, {"limits", limits}, {"strides", strides}}; }
  int64_t extent(size_t i) const { return (limits[i] - starts[i] + strides[i] - 1) / strides[i]; }
};

// slice(slice(x)) is one slice of x.
Values slice_of_slice(Op& op, Rewriter& rewriter) {
  const Op* inner = made_by(op.operand(0), "slice");
  if (inner == nullptr || !rewriter.may("slice_of_slice", op)) return {};
  const Ranges outer = Ranges::of(op), first = Ranges::of(*inner);
  Ranges joined = first;
  for (size_t i = 0; i < joined.starts.size(); ++i) {
    const int64_t count = outer.extent(i);
    // Beyond the longest dimension all strides mean one element.
    joined.strides[i] = std::min(multiply_extents(first.strides[i], outer.strides[i]), kMostElements);
    joined.starts[i] = std::min(first.starts[i] + outer.starts[i] * first.strides[i], first.limits[i]);
    joined.limits[i] = count == 0 ? joined.starts[i] : joined.starts[i] + (count - 1) * joined.strides[i] + 1;
  }
  return {rewriter.make("slice", {inner->operand(0)}, joined.attributes())};
}

// A slice of a concatenate that lies within one of its operands.
Values slice_of_concatenate(Op& op, Rewriter& rewriter) {
  const Op* join = made_by(op.operand(0), "concatenate");
  if (join == nullptr || op.result()->type().elements() == 0) return {};
  const size_t axis = at(join->attributes().integer("axis"));
  Ranges ranges = Ranges::of(op);
  const int64_t first = ranges.starts[axis], last = first + (ranges.extent(axis) - 1) * ranges.strides[axis];
  int64_t offset = 0;
  for (Value* part : join->operands()) {
    const int64_t extent = part->shape()[axis];
    if (first >= offset && last < offset + extent) {
      if (!rewriter.may("slice_of_concatenate", op)) return {};
      ranges.starts[axis] = first - offset;
      ranges.limits[axis] = last + 1 - offset;
      return {rewriter.make("slice", {part}, ranges.attributes())};
    }
    offset += extent;
  }
  return {};
}

}  // namespace

Values slice_identities(Op& op, Rewriter& rewriter) {
  if (op.operand(0)->shape() == op.result()->shape()) {  // then every stride that matters is 1
    if (!rewriter.may("slice_all", op)) return {};
    return {op.operand(0)};
  }
  if (Values values = slice_of_slice(op, rewriter); !values.empty()) return values;
  return slice_of_concatenate(op, rewriter);
}

// --- take

Values take_identities(Op& op, Rewriter& rewriter) {
  const int64_t axis = op.attributes().integer("axis");
  const IntList& indices = op.attributes().list("indices");
  Value* x = op.operand(0);
  const int64_t extent = x->shape()[at(axis)];
  if (static_cast<int64_t>(indices.size()) == extent && is_counting(indices)) {
    if (!rewriter.may("take_all", op)) return {};
    return {x};
  }
  const int64_t step = indices.size() > 1 ? indices[1] - indices[0] : 1;
  bool progression = step > 0 && !indices.empty();
  for (size_t i = 1; i < indices.size(); ++i)
    progression = progression && indices[i] - indices[i - 1] == step;
  if (progression) {
    if (!rewriter.may("take_is_slice", op)) return {};
    Ranges ranges = Ranges::all(x->shape());
    ranges.starts[at(axis)] = indices.front();
    ranges.limits[at(axis)] = indices.back() + 1;
    ranges.strides[at(axis)] = step;
    return {rewriter.make("slice", {x}, ranges.attributes())};
  }
  const Op* inner = made_by(x, "take");
  if (inner == nullptr || inner->attributes().integer("axis") != axis || !rewriter.may("take_of_take", op))
    return {};
  IntList composed;
  for (int64_t index : indices) composed.push_back(inner->attributes().list("indices")[at(index)]);
  return {rewriter.make("take", {inner->operand(0)}, {{"axis", axis}, {"indices", composed}})};
}

// --- concatenate and pad

namespace {

// Of a concatenate with several uses, which each of them repeats: an array that is put behind itself n times
// has 2^n parts.
constexpr size_t kMostRepeated = 16;

// The parts with those of inner concatenates along the same axis in their place, and without empty ones. The
// inner ones are flat already.
std::vector<Value*> flat_parts(const Op& op, int64_t axis) {
  std::vector<Value*> parts;
  const auto add = [&](Value* part) {
    if (part->shape()[at(axis)] > 0) parts.push_back(part);
  };
  for (Value* part : op.operands()) {
    const Op* inner = made_by(part, "concatenate");
    const bool flattens =
        inner != nullptr && inner->attributes().integer("axis") == axis &&
        (static_cast<size_t>(inner->operand_count()) <= kMostRepeated || part->uses().size() == 1);
    if (flattens) {
      for (Value* value : inner->operands()) add(value);
    } else {
      add(part);
    }
  }
  return parts;
}

// The slice of one array that two slices of it make when put one after the other, if they do.
std::optional<Ranges> adjacent(const Value* left, const Value* right, size_t axis) {
  const Op *a = made_by(left, "slice"), *b = made_by(right, "slice");
  if (a == nullptr || b == nullptr || a->operand(0) != b->operand(0)) return std::nullopt;
  Ranges first = Ranges::of(*a), second = Ranges::of(*b);
  const int64_t count = first.extent(axis);
  // A slice of one element has no stride of its own.
  if (count == 1) first.strides[axis] = second.starts[axis] - first.starts[axis];
  if (second.extent(axis) == 1) second.strides[axis] = first.strides[axis];
  const bool continues = first.strides[axis] == second.strides[axis] && first.strides[axis] > 0 &&
                         second.starts[axis] == first.starts[axis] + count * first.strides[axis];
  if (!continues) return std::nullopt;
  Ranges joined = first;
  joined.limits[axis] = second.limits[axis];
  for (Ranges* r : {&first, &second}) r->starts[axis] = r->limits[axis] = 0;
  if (first.starts != second.starts || first.limits != second.limits || first.strides != second.strides)
    return std::nullopt;
  return joined;
}

Values join_adjacent_slices(Op& op, Rewriter& rewriter) {
  const int64_t axis = op.attributes().integer("axis");
  for (int i = 0; i + 1 < op.operand_count(); ++i) {
    const auto joined = adjacent(op.operand(i), op.operand(i + 1), at(axis));
    if (!joined) continue;
    if (!rewriter.may("concatenate_adjacent_slices", op)) return {};
    std::vector<Value*> parts(op.operands().begin(), op.operands().end());
    parts[static_cast<size_t>(i)] =
        rewriter.make("slice", {op.operand(i)->op()->operand(0)}, joined->attributes());
    parts.erase(parts.begin() + i + 1);
    if (parts.size() == 1) return parts;
    return {rewriter.make("concatenate", parts, {{"axis", axis}})};
  }
  return {};
}

// All slices of one element along an axis, joined along another one that has one element, as parts of complex
// numbers that are made pairs again: both axes change places.
Values join_turned_slices(Op& op, Rewriter& rewriter) {
  const size_t axis = at(op.attributes().integer("axis"));
  const Op* first = made_by(op.operand(0), "slice");
  if (first == nullptr || op.operand_count() < 2) return {};
  Value* x = first->operand(0);
  if (x->shape()[axis] != 1) return {};
  std::optional<size_t> cut;
  for (size_t d = 0; d < x->shape().size(); ++d) {
    if (d != axis && x->shape()[d] == op.operand_count() && op.operand(0)->shape()[d] == 1) cut = d;
  }
  if (!cut) return {};
  for (int i = 0; i < op.operand_count(); ++i) {
    const Op* slice = made_by(op.operand(i), "slice");
    if (slice == nullptr || slice->operand(0) != x) return {};
    const Ranges ranges = Ranges::of(*slice);
    for (size_t d = 0; d < x->shape().size(); ++d) {
      const bool fits =
          d == *cut ? ranges.starts[d] == i && ranges.extent(d) == 1 : ranges.extent(d) == x->shape()[d];
      if (!fits) return {};
    }
  }
  if (!rewriter.may("concatenate_turned_slices", op)) return {};
  const auto [low, high] = std::minmax(axis, *cut);
  if (std::all_of(x->shape().begin() + static_cast<std::ptrdiff_t>(low) + 1,
                  x->shape().begin() + static_cast<std::ptrdiff_t>(high), [](int64_t e) { return e == 1; }))
    return {rewriter.make("reshape", {x}, {{"shape", op.result()->shape()}})};
  IntList permutation(x->shape().size());
  std::iota(permutation.begin(), permutation.end(), int64_t{0});
  std::swap(permutation[axis], permutation[*cut]);
  return {rewriter.make("transpose", {x}, {{"permutation", permutation}})};
}

}  // namespace

Values concatenate_identities(Op& op, Rewriter& rewriter) {
  const int64_t axis = op.attributes().integer("axis");
  if (op.operand_count() == 1) {
    if (!rewriter.may("concatenate_one", op)) return {};
    return {op.operand(0)};
  }
  const std::vector<Value*> parts = flat_parts(op, axis);
  if (!parts.empty() && !std::ranges::equal(parts, op.operands())) {
    if (!rewriter.may("concatenate_flat", op)) return {};
    if (parts.size() == 1) return parts;
    return {rewriter.make("concatenate", parts, {{"axis", axis}})};
  }
  Values turned = join_turned_slices(op, rewriter);
  return turned.empty() ? join_adjacent_slices(op, rewriter) : turned;
}

// Padding only adds, so that an equal shape means that none was.
Values pad_identities(Op& op, Rewriter& rewriter) {
  if (op.operand(0)->shape() != op.result()->shape() || !rewriter.may("pad_nothing", op)) return {};
  return {op.operand(0)};
}

}  // namespace ingot::ops
