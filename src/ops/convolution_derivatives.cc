// Derivatives of a convolution: both gradients are convolutions again.
#include <algorithm>

#include "ops/convolution.h"
#include "ops/derivatives.h"

namespace ingot::ops {
namespace {

int64_t& at(IntList& list, int64_t i) {
  return list[static_cast<size_t>(i)];
}

// Moves a factor of one dimension to the front of another one: dimension `from` loses `groups` as its slowest
// part, dimension `to` gains it as its slowest part.
Value* move_groups(Emitter& e, Value* x, int64_t from, int64_t to, int64_t groups) {
  if (groups == 1) return x;
  Shape split, merged = x->shape();
  at(merged, from) /= groups;
  at(merged, to) *= groups;
  int64_t group = 0, target = 0;
  for (int64_t d = 0; d < x->rank(); ++d) {
    const int64_t extent = x->shape()[static_cast<size_t>(d)];
    if (d == to) target = static_cast<int64_t>(split.size());
    if (d == from) {
      group = static_cast<int64_t>(split.size());
      split.push_back(groups);
    }
    split.push_back(d == from ? extent / groups : extent);
  }
  IntList order;
  for (int64_t d = 0; d < static_cast<int64_t>(split.size()); ++d) {
    if (d == group) continue;
    if (d == target) order.push_back(group);
    order.push_back(d);
  }
  Value* parts = permuted(e, e.make("reshape", {x}, {{"shape", split}}), order);
  return e.make("reshape", {parts}, {{"shape", merged}});
}

void swap_first(IntList& dims) {
  std::swap(dims[0], dims[1]);
}

// A result's element goes to every element of lhs that its window has seen: the cotangent, as far apart as
// the strides were, is convolved with the window turned round.
Value* lhs_cotangent(const Op& op, const ConvolutionDims& c, Value* ct, Value* rhs, Emitter& e) {
  const int64_t groups = std::max(c.feature_groups, c.batch_groups);
  ConvolutionDims back = c;
  back.lhs = c.out;
  back.out = c.lhs;
  swap_first(back.rhs);
  back.strides = c.lhs_dilation;
  back.lhs_dilation = c.strides;
  back.feature_groups = groups;
  back.batch_groups = 1;
  for (size_t i = 0; i < c.spatial(); ++i) {
    const auto extent = [&](const Value* x, const IntList& dims) {
      return x->shape()[static_cast<size_t>(dims[i + 2])];
    };
    const int64_t lhs = dilated(extent(op.operand(0), c.lhs), c.lhs_dilation[i]);
    const int64_t window = dilated(extent(rhs, c.rhs), c.rhs_dilation[i]);
    back.reverse[i] = 1 - c.reverse[i];
    back.low[i] = window - 1 - c.low[i];
    back.high[i] = lhs + window - 1 - dilated(extent(ct, c.out), c.strides[i]) - back.low[i];
  }
  // Each group's output features are what is summed over; its input features are made.
  rhs = move_groups(e, rhs, c.rhs[0], c.rhs[1], groups);
  Value* result = e.make("convolution", {ct, rhs}, back.attributes());
  return move_groups(e, result, c.lhs[1], c.lhs[0], c.batch_groups);
}

// What a window's element was multiplied with lies as far apart as the strides: lhs is convolved with the
// cotangent, with batch and features in each other's place.
Value* rhs_cotangent(const Op& op, const ConvolutionDims& c, Value* ct, Value* lhs, Emitter& e) {
  ConvolutionDims back = c;
  swap_first(back.lhs);
  back.rhs = c.out;
  swap_first(back.rhs);
  back.out = c.rhs;
  swap_first(back.out);
  back.strides = c.rhs_dilation;
  back.rhs_dilation = c.strides;
  back.feature_groups = c.batch_groups;
  back.batch_groups = c.feature_groups;
  IntList reversed;
  for (size_t i = 0; i < c.spatial(); ++i) {
    const auto extent = [&](const Value* x, const IntList& dims) {
      return x->shape()[static_cast<size_t>(dims[i + 2])];
    };
    const int64_t from = dilated(extent(lhs, c.lhs), c.lhs_dilation[i]);
    const int64_t window = dilated(extent(op.operand(1), c.rhs), c.rhs_dilation[i]);
    back.reverse[i] = 0;
    back.high[i] = dilated(extent(ct, c.out), c.strides[i]) + window - 1 - from - c.low[i];
    if (c.reverse[i]) reversed.push_back(c.rhs[i + 2]);
  }
  Value* result = e.make("convolution", {lhs, ct}, back.attributes());
  return reversed.empty() ? result : e.make("reverse", {result}, {{"axes", reversed}});
}

}  // namespace

Value* convolution_term(const TermContext& c, int operand, Value* t, Emitter& e) {
  std::vector<Value*> operands(c.operands.begin(), c.operands.end());
  operands[static_cast<size_t>(operand)] = t;
  return e.make("convolution", operands, c.op.attributes());
}

void convolution_transpose(const Op& op, Value* ct, Transposition& t) {
  const ConvolutionDims c = ConvolutionDims::of(op.attributes());
  if (t.is_linear(0))
    t.add(0, lhs_cotangent(op, c, ct, t.known(1), t));
  else
    t.add(1, rhs_cotangent(op, c, ct, t.known(0), t));
}

}  // namespace ingot::ops
