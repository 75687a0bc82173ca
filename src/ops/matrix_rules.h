// What rules of derivatives of matrices are written with.
#pragma once

#include <algorithm>
#include <numeric>

#include "ops/derivatives.h"
#include "ops/kinds.h"

namespace ingot::ops {

// Matrices in the last two dimensions.
class Matrices {
 public:
  explicit Matrices(Emitter& emitter) : emitter_(emitter) {}

  Value* transposed(Value* x) {
    IntList order(x->shape().size());
    std::iota(order.begin(), order.end(), 0);
    std::swap(order.back(), order[order.size() - 2]);
    return permuted(emitter_, x, order);
  }
  Value* conjugated(Value* x) { return is_complex(x->dtype()) ? emitter_.make("conj", {x}) : x; }
  Value* adjoint(Value* x) { return conjugated(transposed(x)); }

  Value* product(Value* x, Value* y, bool transposed_x = false, bool transposed_y = false) {
    const int64_t rank = x->rank();
    IntList batch(static_cast<size_t>(rank - 2));
    std::iota(batch.begin(), batch.end(), 0);
    return emitter_.make("dot_general", {x, y},
                         {{"lhs_batch", batch},
                          {"rhs_batch", batch},
                          {"lhs_contract", IntList{transposed_x ? rank - 2 : rank - 1}},
                          {"rhs_contract", IntList{transposed_y ? rank - 1 : rank - 2}}});
  }

  // A triangle, with or without the diagonal; zero elsewhere, whatever stands there.
  Value* triangle(Value* x, bool lower, bool diagonal = true) {
    const char* direction = lower ? diagonal ? "ge" : "gt" : diagonal ? "le" : "lt";
    return emitter_.make("select", {places(x, direction), x, zeros(emitter_, x->type())});
  }
  // The triangle with half of the diagonal.
  Value* half(Value* x, bool lower) {
    Value* weights = emitter_.make(
        "select", {places(x, "eq"), filled(emitter_, x->type(), 0.5), filled(emitter_, x->type(), 1)});
    return emitter_.make("mul", {triangle(x, lower), weights});
  }
  // The first elements along a dimension.
  Value* first(Value* x, int64_t axis, int64_t count) {
    IntList limits = x->shape();
    if (limits[static_cast<size_t>(axis)] == count) return x;
    limits[static_cast<size_t>(axis)] = count;
    return emitter_.make(
        "slice", {x},
        {{"starts", IntList(limits.size(), 0)}, {"limits", limits}, {"strides", IntList(limits.size(), 1)}});
  }
  // The elements from one on along a dimension.
  Value* from(Value* x, int64_t axis, int64_t start) {
    IntList starts(x->shape().size(), 0);
    starts[static_cast<size_t>(axis)] = start;
    return emitter_.make(
        "slice", {x}, {{"starts", starts}, {"limits", x->shape()}, {"strides", IntList(starts.size(), 1)}});
  }
  Value* joined(Value* x, Value* y, int64_t axis) {
    return emitter_.make("concatenate", {x, y}, {{"axis", axis}});
  }
  Value* real(Value* x) { return is_complex(x->dtype()) ? emitter_.make("real", {x}) : x; }
  // A real array as one of that dtype.
  Value* whole(Value* x, DType dtype) {
    return x->dtype() == dtype ? x : emitter_.make("convert", {x}, {{"dtype", dtype}});
  }
  // What stands on the diagonal; zero elsewhere.
  Value* diagonal(Value* x) {
    return emitter_.make("select", {places(x, "eq"), x, zeros(emitter_, x->type())});
  }
  // The elements of the diagonal.
  Value* diagonal_elements(Value* x) { return sum_over(emitter_, diagonal(x), {x->rank() - 1}); }
  // [.., n] as a row, [.., 1, n], or a column, [.., n, 1], that is the same in all rows or columns.
  Value* rows_like(Value* x, const Shape& shape) { return spread(x, shape, shape.size() - 2); }
  Value* columns_like(Value* x, const Shape& shape) { return spread(x, shape, shape.size() - 1); }
  // With zeros behind, so that there are so many rows and columns.
  Value* square(Value* x, int64_t extent) {
    const auto rank = x->shape().size();
    IntList high(rank, 0);
    for (const size_t axis : {rank - 2, rank - 1}) high[axis] = extent - x->shape()[axis];
    if (high[rank - 2] == 0 && high[rank - 1] == 0) return x;
    return emitter_.make("pad", {x, filled(emitter_, {x->dtype(), {}}, 0)},
                         {{"low", IntList(rank, 0)}, {"high", high}, {"interior", IntList(rank, 0)}});
  }
  // 1 on the diagonal of matrices of that type from row `from` on, zero elsewhere.
  Value* identity(Value* like, int64_t from) {
    Value* one = emitter_.make(
        "select", {places(like, "eq"), filled(emitter_, like->type(), 1), zeros(emitter_, like->type())});
    if (from == 0) return one;
    Value* rows = emitter_.make(
        "iota", {}, {{"dtype", DType::kS32}, {"shape", like->shape()}, {"axis", like->rank() - 2}});
    Value* late = emitter_.make("compare", {rows, filled(emitter_, rows->type(), static_cast<double>(from))},
                                {{"direction", std::string("ge")}});
    return emitter_.make("select", {late, one, zeros(emitter_, like->type())});
  }
  // Row i of the result is row rows[i] of x.
  Value* rows_of(Value* x, Value* rows) {
    const int64_t rank = x->rank();
    if (x->shape()[static_cast<size_t>(rank - 2)] == 0) return x;
    IntList batch(static_cast<size_t>(rank - 2));
    std::iota(batch.begin(), batch.end(), 0);
    IntList sizes(static_cast<size_t>(rank), 1);
    sizes.back() = x->shape().back();
    return emitter_.make("gather", {x, rows},
                         {{"offset_dims", IntList{rank - 1}},
                          {"collapsed_slice_dims", IntList{rank - 2}},
                          {"operand_batching_dims", batch},
                          {"start_indices_batching_dims", batch},
                          {"start_index_map", IntList{rank - 2}},
                          {"index_vector_dim", rank - 1},
                          {"slice_sizes", sizes},
                          {"mode", std::string("clip")}});
  }
  // op(a)^-1 b.
  Value* solution(Value* a, Value* b, TriangularSolveForm form) {
    if (form.conjugated && !form.transposed) {
      a = conjugated(a);
      form.conjugated = false;
    }
    return emitter_.make("triangular_solve", {a, b}, form.attributes());
  }
  // a^-1 b.
  Value* solved(Value* a, Value* b) {
    const Op* factors = emitter_.emit("lu", {a});
    Value* x = solution(factors->result(0), rows_of(b, factors->result(2)),
                        {.left_side = true, .lower = true, .unit_diagonal = true});
    return solution(factors->result(0), x, {.left_side = true, .lower = false});
  }

 private:
  // Broadcast along the dimension that x does not have.
  Value* spread(Value* x, const Shape& shape, size_t without) {
    IntList dims;
    for (size_t i = 0; i < shape.size(); ++i) {
      if (i != without) dims.push_back(static_cast<int64_t>(i));
    }
    return emitter_.make("broadcast", {x}, {{"shape", shape}, {"dims", dims}});
  }
  // How row and column of each element compare.
  Value* places(Value* x, const char* direction) {
    const auto numbers = [&](int64_t axis) {
      return emitter_.make("iota", {}, {{"dtype", DType::kS32}, {"shape", x->shape()}, {"axis", axis}});
    };
    return emitter_.make("compare", {numbers(x->rank() - 2), numbers(x->rank() - 1)},
                         {{"direction", std::string(direction)}});
  }

  Emitter& emitter_;
};

}  // namespace ingot::ops
