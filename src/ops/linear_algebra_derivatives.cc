// Derivatives of factorisations and solutions of matrices (Giles, 2008; Murray, 2016; those of JAX).
#include <algorithm>
#include <numeric>

#include "ops/derivatives.h"
#include "ops/kinds.h"

namespace ingot::ops {
namespace {

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

 private:
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

}  // namespace

// Of L: L half(L^-1 da L^-H), of U: half(U^-H da U^-1) U, where da is what its triangle says.
Value* cholesky_term(const TermContext& c, int, Value* tangent, Emitter& emitter) {
  Matrices m(emitter);
  const bool lower = CholeskyOp(c.op).lower();
  Value* part = m.half(tangent, lower);
  Value* whole = emitter.make("add", {part, m.adjoint(part)});
  TriangularSolveForm left{.left_side = true, .lower = lower}, right{.left_side = false, .lower = lower};
  (lower ? right : left).transposed = (lower ? right : left).conjugated = true;
  Value* both = m.solution(c.result, m.solution(c.result, whole, left), right);
  return lower ? m.product(c.result, m.half(both, lower)) : m.product(m.half(both, lower), c.result);
}

// dL = L below(L^-1 P da U^-1), dU = upper(the same) U, where L and U are made square (de Hoog, Anderssen and
// Lukas, 2011).
Value* lu_term(const TermContext& c, int, Value* tangent, Emitter& emitter) {
  Matrices m(emitter);
  Value *packed = c.result, *rows = c.result->op()->result(2);
  const int64_t rank = packed->rank(), height = packed->shape()[packed->shape().size() - 2],
                width = packed->shape().back(), least = std::min(height, width);
  Value* turned = m.rows_of(tangent, rows);
  Value* l = m.square(m.triangle(m.first(packed, rank - 1, least), true, false), height);
  Value* u = m.square(m.triangle(m.first(packed, rank - 2, least), false), width);
  if (width > height) u = emitter.make("add", {u, m.identity(u, height)});
  const TriangularSolveForm left{.left_side = true, .lower = true, .unit_diagonal = true},
      right{.left_side = false, .lower = false};
  Value* both = m.solution(u, m.solution(l, turned, left), right);
  Value* below = m.triangle(both, true, false);
  Value* upper = m.triangle(both, false);
  l = emitter.make("add", {l, m.identity(l, 0)});
  // [m, n] each: L of [m, m] by what is below in the first columns, and what is above by U of [n, n].
  return emitter.make("add", {m.product(l, below), m.product(upper, u)});
}

// Linear in b; of a: -op(a)^-1 op(da) x, or -x op(da) op(a)^-1.
Value* triangular_solve_term(const TermContext& c, int operand, Value* tangent, Emitter& emitter) {
  if (operand == 1) return emitter.make("triangular_solve", {c.operands[0], tangent}, c.op.attributes());
  Matrices m(emitter);
  const TriangularSolveForm form = TriangularSolveOp(c.op).form();
  Value* da = emitter.make("neg", {m.triangle(tangent, form.lower, !form.unit_diagonal)});
  if (form.conjugated) da = m.conjugated(da);
  Value* b = form.left_side ? m.product(da, c.result, form.transposed)
                            : m.product(c.result, da, false, form.transposed);
  return m.solution(c.operands[0], b, form);
}

void triangular_solve_transpose(const Op& op, Value* cotangent, Transposition& t) {
  TriangularSolveForm form = TriangularSolveOp(op).form();
  form.transposed = !form.transposed;
  t.add(1, Matrices(t).solution(t.known(0), cotangent, form));
}

}  // namespace ingot::ops
