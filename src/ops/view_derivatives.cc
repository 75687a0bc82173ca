// Transposes of views: views again, where every element is read once at most, else sums.
#include <algorithm>
#include <numeric>

#include "ops/derivatives.h"

namespace ingot::ops {
namespace {

// More occurrences of one index than this are summed by a contraction with a mask.
constexpr size_t kMaxLayers = 8;

IntList counting(int64_t n) {
  IntList list(static_cast<size_t>(n));
  std::iota(list.begin(), list.end(), 0);
  return list;
}

// Elements of zero around and between those of x.
Value* zero_padded(Emitter& e, Value* x, const IntList& low, const IntList& high, const IntList& interior) {
  return e.make("pad", {x, zeros(e, {x->dtype(), {}})},
                {{"low", low}, {"high", high}, {"interior", interior}});
}

Value* sliced(Emitter& e, Value* x, const IntList& starts, const IntList& limits, const IntList& strides) {
  return e.make("slice", {x}, {{"starts", starts}, {"limits", limits}, {"strides", strides}});
}

}  // namespace

Value* filled(Emitter& emitter, const TensorType& type, double number) {
  Tensor scalar(type.dtype, {});
  scalar.set_double(0, number);
  Value* value = emitter.make("constant", {}, {{"value", scalar}});
  return type.shape.empty()
             ? value
             : emitter.make("broadcast", {value}, {{"shape", type.shape}, {"dims", IntList()}});
}

Value* permuted(Emitter& emitter, Value* x, const IntList& permutation) {
  if (permutation == counting(x->rank())) return x;
  return emitter.make("transpose", {x}, {{"permutation", permutation}});
}

void transpose_transpose(const Op& op, Value* ct, Transposition& t) {
  const IntList& permutation = op.attributes().list("permutation");
  IntList inverse(permutation.size());
  for (size_t i = 0; i < permutation.size(); ++i)
    inverse[static_cast<size_t>(permutation[i])] = static_cast<int64_t>(i);
  t.add(0, permuted(t, ct, inverse));
}

void reverse_transpose(const Op& op, Value* ct, Transposition& t) {
  t.add(0, t.make("reverse", {ct}, {{"axes", op.attributes().list("axes")}}));
}

void hold_transpose(const Op&, Value* ct, Transposition& t) {
  t.add(0, ct);
}

void reshape_transpose(const Op& op, Value* ct, Transposition& t) {
  t.add(0, t.make("reshape", {ct}, {{"shape", op.operand(0)->shape()}}));
}

void broadcast_transpose(const Op& op, Value* ct, Transposition& t) {
  const IntList& dims = op.attributes().list("dims");
  IntList repeated, kept = dims;
  for (int64_t i = 0; i < ct->rank(); ++i) {
    if (!contains(dims, i)) repeated.push_back(i);
  }
  // The sum has the kept dimensions in ascending order; dimension i of the operand is dims[i].
  std::sort(kept.begin(), kept.end());
  IntList permutation;
  for (int64_t dim : dims)
    permutation.push_back(std::lower_bound(kept.begin(), kept.end(), dim) - kept.begin());
  t.add(0, permuted(t, sum_over(t, ct, repeated), permutation));
}

void slice_transpose(const Op& op, Value* ct, Transposition& t) {
  const IntList& low = op.attributes().list("starts");
  IntList high, interior;
  for (size_t i = 0; i < low.size(); ++i) {
    const int64_t stride = op.attributes().list("strides")[i], count = ct->shape()[i];
    const int64_t reached = count == 0 ? 0 : (count - 1) * stride + 1;
    interior.push_back(stride - 1);
    high.push_back(op.operand(0)->shape()[i] - low[i] - reached);
  }
  t.add(0, zero_padded(t, ct, low, high, interior));
}

void pad_transpose(const Op& op, Value* ct, Transposition& t) {
  const IntList& low = op.attributes().list("low");
  const Shape& shape = op.operand(0)->shape();
  IntList limits, strides;
  for (size_t i = 0; i < low.size(); ++i) {
    const int64_t stride = op.attributes().list("interior")[i] + 1;
    limits.push_back(low[i] + (shape[i] == 0 ? 0 : (shape[i] - 1) * stride + 1));
    strides.push_back(stride);
  }
  Value* inside = sliced(t, ct, low, limits, strides);
  t.add(0, inside);
  if (!t.is_linear(1)) return;
  const auto total = [&](Value* x) { return sum_over(t, x, counting(x->rank())); };
  t.add(1, t.make("sub", {total(ct), total(inside)}));
}

void concatenate_transpose(const Op& op, Value* ct, Transposition& t) {
  const size_t axis = static_cast<size_t>(op.attributes().integer("axis"));
  IntList starts(ct->shape().size(), 0), limits = ct->shape();
  const IntList strides(starts.size(), 1);
  limits[axis] = 0;
  for (int k = 0; k < op.operand_count(); ++k) {
    starts[axis] = limits[axis];
    limits[axis] += op.operand(k)->shape()[axis];
    if (t.is_linear(k)) t.add(k, sliced(t, ct, starts, limits, strides));
  }
}

// Occurrence j of every index makes layer j, in which each element of x stands once at most: a view of the
// cotangent, with a row of zeros for the elements that the layer lacks.
void take_transpose(const Op& op, Value* ct, Transposition& t) {
  const int64_t axis = op.attributes().integer("axis");
  const size_t a = static_cast<size_t>(axis);
  const IntList& indices = op.attributes().list("indices");
  const int64_t extent = op.operand(0)->shape()[a], count = static_cast<int64_t>(indices.size());
  std::vector<IntList> layers;
  std::vector<size_t> seen(static_cast<size_t>(extent), 0);
  for (int64_t i = 0; i < count; ++i) {
    const size_t index = static_cast<size_t>(indices[static_cast<size_t>(i)]), layer = seen[index]++;
    if (layer == layers.size()) layers.emplace_back(static_cast<size_t>(extent), count);
    layers[layer][index] = i;
  }
  if (layers.empty()) return;
  if (layers.size() > kMaxLayers) {
    Value* list = t.make("constant", {}, {{"value", Tensor::of<int64_t>({count}, indices)}});
    const Shape shape{count, extent};
    Value* wanted = t.make("broadcast", {list}, {{"shape", shape}, {"dims", IntList{0}}});
    Value* position = t.make("iota", {}, {{"dtype", DType::kS64}, {"shape", shape}, {"axis", int64_t{1}}});
    Value* same = t.make("compare", {wanted, position}, {{"direction", std::string("eq")}});
    Value* mask = t.make("convert", {same}, {{"dtype", ct->dtype()}});
    Value* summed = t.make("dot_general", {ct, mask},
                           {{"lhs_batch", IntList()},
                            {"rhs_batch", IntList()},
                            {"lhs_contract", IntList{axis}},
                            {"rhs_contract", IntList{0}}});
    IntList permutation = counting(ct->rank() - 1);  // the new dimension is the last one
    permutation.insert(permutation.begin() + axis, ct->rank() - 1);
    return t.add(0, permuted(t, summed, permutation));
  }
  const IntList none(ct->shape().size(), 0);
  IntList one = none;
  one[a] = 1;
  Value* padded = zero_padded(t, ct, none, one, none);
  for (const IntList& layer : layers)
    t.add(0, t.make("take", {padded}, {{"axis", axis}, {"indices", layer}}));
}

}  // namespace ingot::ops
