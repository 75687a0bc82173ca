// Derivatives of factorisations and solutions of matrices (Giles, 2008; Murray, 2016; those of JAX).
#include <algorithm>

#include "ops/matrix_rules.h"

namespace ingot::ops {

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
