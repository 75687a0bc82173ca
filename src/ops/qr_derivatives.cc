// The derivative of orthogonal factors, as JAX has it. Of tall a with R of [n, n]: with X = Q^H da R^-1, the
// part of X below the diagonal gives the antihermitian D = X_below - X_below^H + i Im diag X, and
// dQ = Q (D - X) + da R^-1, dR = (X - D) R. A wide a is [A1 A2] with square A1: the same of A1, and
// dR2 = dQ^H A2 + Q^H dA2. The columns of Q that a has none for follow the others
// (arXiv 2409.13374, eq. 32 and 33), by the solution of a system in the square on top of Q less 1.
#include "ops/matrix_rules.h"

namespace ingot::ops {
namespace {

struct Tangents {
  Value *q, *r;
};

Tangents thin_tangents(Matrices& m, Emitter& emitter, Value* q, Value* r, Value* da) {
  const auto add = [&](Value* x, Value* y) { return emitter.make("add", {x, y}); };
  const auto sub = [&](Value* x, Value* y) { return emitter.make("sub", {x, y}); };
  Value* right = m.solution(r, da, {.left_side = false, .lower = false});
  Value* x = m.product(m.adjoint(q), right);
  Value* below = m.triangle(x, true, false);
  Value* d = sub(below, m.adjoint(below));
  if (is_complex(x->dtype())) d = add(d, m.diagonal(sub(x, m.whole(m.real(x), x->dtype()))));
  return {add(m.product(q, sub(d, x)), right), m.product(sub(x, d), r)};
}

}  // namespace

std::vector<Value*> qr_tangents(const TermContext& c, Value* tangent, Emitter& emitter) {
  Matrices m(emitter);
  Value *q = c.result, *r = c.result->op()->result(1);
  const int64_t rank = q->rank(), rows = tangent->shape()[static_cast<size_t>(rank - 2)],
                columns = tangent->shape().back();
  const auto add = [&](Value* x, Value* y) { return emitter.make("add", {x, y}); };
  const auto sub = [&](Value* x, Value* y) { return emitter.make("sub", {x, y}); };
  if (rows < columns) {
    const Tangents square =
        thin_tangents(m, emitter, q, m.first(r, rank - 1, rows), m.first(tangent, rank - 1, rows));
    Value* more = add(m.product(m.adjoint(square.q), m.from(c.operands[0], rank - 1, rows)),
                      m.product(m.adjoint(q), m.from(tangent, rank - 1, rows)));
    return {square.q, m.joined(square.r, more, rank - 1)};
  }
  Value* q_thin = m.first(q, rank - 1, columns);
  const Tangents thin = thin_tangents(m, emitter, q_thin, m.first(r, rank - 2, columns), tangent);
  const int64_t more = q->shape().back() - columns;
  if (more == 0) return {thin.q, thin.r};
  Value *top = m.first(q_thin, rank - 2, columns), *bottom = m.from(q_thin, rank - 2, columns);
  Value* z_adjoint = m.solved(m.adjoint(sub(top, m.identity(top, 0))), m.adjoint(bottom));
  Value* z = m.adjoint(z_adjoint);
  Value* rest = m.from(q, rank - 1, columns);
  Value* moved = sub(m.from(thin.q, rank - 2, columns), m.product(z, m.first(thin.q, rank - 2, columns)));
  Value* dq = sub(m.product(thin.q, z_adjoint), m.product(add(q_thin, m.product(rest, z)), m.adjoint(moved)));
  Shape none = thin.r->shape();
  none[static_cast<size_t>(rank - 2)] = more;
  return {m.joined(thin.q, dq, rank - 1),
          m.joined(thin.r, zeros(emitter, {thin.r->dtype(), none}), rank - 2)};
}

}  // namespace ingot::ops
