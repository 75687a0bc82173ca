// Derivatives of decompositions, as JAX has them (Giles, 2008, and non-degenerate perturbation theory). With
// F_ij = 1 / (w_j - w_i), 0 on the diagonal, eigenvectors move by V (F * V^-1 da V). Where eigenvalues, or
// singular values, are equal, vectors have no derivative, and it is infinite or NaN.
#include "ir/builder.h"
#include "ops/matrix_rules.h"

namespace ingot::ops {
namespace {

// What derivatives of decompositions are written with.
struct Arithmetic {
  Emitter& emitter;

  Value* add(Value* x, Value* y) const { return emitter.make("add", {x, y}); }
  Value* sub(Value* x, Value* y) const { return emitter.make("sub", {x, y}); }
  Value* mul(Value* x, Value* y) const { return emitter.make("mul", {x, y}); }
  Value* div(Value* x, Value* y) const { return emitter.make("div", {x, y}); }
  Value* times(Value* x, double factor) const { return mul(x, filled(emitter, x->type(), factor)); }
  // 1 / x, where x has zeros on the diagonal, which stay.
  Value* inverted(Value* x) const {
    Value* one = Matrices(emitter).identity(x, 0);
    return sub(div(filled(emitter, x->type(), 1), add(x, one)), one);
  }
};

}  // namespace

// Of the whole of a that its triangle says.
std::vector<Value*> eigh_tangents(const TermContext& c, Value* tangent, Emitter& emitter) {
  Matrices m(emitter);
  const Arithmetic math{emitter};
  const EighOp eigh(c.op);
  Value *w = c.result, *v = nullptr;
  if (eigh.vectors()) {
    v = c.result->op()->result(1);
  } else {
    const Op* again = emitter.emit("eigh", {c.operands[0]}, {{"lower", eigh.lower()}, {"vectors", true}});
    w = again->result(0);
    v = again->result(1);
  }
  Value* part = m.half(tangent, eigh.lower());
  Value* inner = m.product(m.product(m.adjoint(v), math.add(part, m.adjoint(part))), v);
  Value* dw = m.diagonal_elements(m.real(inner));
  if (!eigh.vectors()) return {dw};
  Value* f = math.inverted(math.sub(m.rows_like(w, v->shape()), m.columns_like(w, v->shape())));
  return {dw, m.product(v, math.mul(m.whole(f, v->dtype()), inner))};
}

std::vector<Value*> svd_tangents(const TermContext& c, Value* tangent, Emitter& emitter) {
  Matrices m(emitter);
  const Arithmetic math{emitter};
  const SvdOp svd(c.op);
  const Shape& shape = tangent->shape();
  const int64_t rows = shape[shape.size() - 2], columns = shape.back();
  if (svd.vectors() && svd.full_matrices() && rows != columns) {
    throw Error(
        "has no derivative with full matrices, since the columns that span the rest are arbitrary; set "
        "full_matrices to false");
  }
  const Op* made = svd.vectors()
                       ? c.result->op()
                       : emitter.emit("svd", {c.operands[0]}, {{"full_matrices", false}, {"vectors", true}});
  Value *u = made->result(0), *s = made->result(1), *vh = made->result(2);
  Value *uh = m.adjoint(u), *v = m.adjoint(vh);
  Value* inner = m.product(m.product(uh, tangent), v);
  Value* ds = m.diagonal_elements(m.real(inner));
  if (!svd.vectors()) return {ds};

  const DType dtype = u->dtype();
  Value *row = m.rows_like(s, inner->shape()), *column = m.columns_like(s, inner->shape());
  Value* f = m.whole(math.inverted(math.mul(math.add(row, column), math.sub(row, column))), dtype);
  Value *of_rows = math.mul(m.whole(row, dtype), inner),
        *of_columns = math.mul(m.whole(column, dtype), inner);
  // 1 / s on the diagonal, 0 where s is 0.
  Value* zero = zeros(emitter, row->type());
  Value* is_zero = emitter.make("compare", {row, zero}, {{"direction", std::string("eq")}});
  Value* one = filled(emitter, row->type(), 1);
  Value* reciprocal =
      emitter.make("select", {is_zero, zero, math.div(one, emitter.make("select", {is_zero, one, row}))});
  Value* phase =
      m.diagonal(math.mul(math.times(math.sub(inner, m.adjoint(inner)), 0.5), m.whole(reciprocal, dtype)));
  Value* du = m.product(u, math.add(math.mul(f, math.add(of_rows, m.adjoint(of_rows))), phase));
  Value* dv = m.product(v, math.mul(f, math.add(of_columns, m.adjoint(of_columns))));
  // What leaves the span of the vectors.
  const auto outside = [&](Value* basis, Value* basis_adjoint, Value* moved) {
    Value* rest = math.sub(moved, m.product(basis, m.product(basis_adjoint, moved)));
    return math.div(rest, m.whole(m.rows_like(s, moved->shape()), dtype));
  };
  if (rows > columns) du = math.add(du, outside(u, uh, m.product(tangent, v)));
  if (columns > rows) dv = math.add(dv, outside(v, vh, m.product(m.adjoint(tangent), u)));
  return {du, ds, m.adjoint(dv)};
}

namespace {

// The greatest element of each column, [.., n].
Value* greatest_of_columns(Emitter& emitter, Value* x) {
  Value* least = filled(emitter, {x->dtype(), {}}, -1);
  const auto larger = [&](ir::Region& region) {
    Value* greatest = region.add_argument(least->type(), "acc");
    Value* next = region.add_argument(least->type(), "x");
    region.set_results({ir::Builder(region).value("max", {greatest, next})});
  };
  return emitter.emit("reduce", {x, least}, {{"axes", IntList{x->rank() - 2}}}, larger)->result();
}

struct Moved {
  Value *values, *vectors;
};

// Vectors v of length 1 whose greatest element is real, which fixes the scale that the equation leaves free:
// dv = u + c v with c = -Re(v^H u) - i Im(u_k) / v_k for that element k.
Moved moved_eigenvectors(Emitter& emitter, Value* w, Value* v, Value* tangent) {
  Matrices m(emitter);
  const Arithmetic math{emitter};
  Value* inner = m.product(m.solved(v, tangent), v);
  Value* f = math.inverted(math.sub(m.rows_like(w, v->shape()), m.columns_like(w, v->shape())));
  Value* u = m.product(v, math.mul(f, inner));
  const auto part = [&](const char* name, Value* x) { return emitter.make(name, {x}); };
  const auto of_columns = [&](Value* x) { return sum_over(emitter, x, {x->rank() - 2}); };
  Value *re = part("real", v), *im = part("imag", v);
  Value* size = math.add(math.mul(re, re), math.mul(im, im));
  const auto equal = [&](Value* x, Value* y) {
    return emitter.make("compare", {x, y}, {{"direction", std::string("eq")}});
  };
  Value* chosen =
      emitter.make("and", {equal(size, m.rows_like(greatest_of_columns(emitter, size), v->shape())),
                           equal(im, zeros(emitter, im->type()))});
  Value* zero = zeros(emitter, re->type());
  Value* pinned = emitter.make("select", {chosen, re, zero});
  Value* length = math.add(math.mul(re, part("real", u)), math.mul(im, part("imag", u)));
  Value* turn = math.div(of_columns(math.mul(pinned, part("imag", u))), of_columns(math.mul(pinned, pinned)));
  Value* c = emitter.make("neg", {emitter.make("complex", {of_columns(length), turn})});
  return {m.diagonal_elements(inner), math.add(u, math.mul(v, m.rows_like(c, v->shape())))};
}

}  // namespace

std::vector<Value*> eig_tangents(const TermContext& c, Value* tangent, Emitter& emitter) {
  Matrices m(emitter);
  const EigOp eig(c.op);
  const Op* op = c.result->op();
  Value* w = c.result;
  Value* da = m.whole(tangent, w->dtype());
  std::vector<Value*> tangents{nullptr};
  if (eig.left())
    tangents.push_back(moved_eigenvectors(emitter, m.conjugated(w), op->result(1), m.adjoint(da)).vectors);
  Value* v = eig.right()
                 ? op->result(eig.left() ? 2 : 1)
                 : emitter.emit("eig", {c.operands[0]}, {{"left", false}, {"right", true}})->result(1);
  if (eig.right()) {
    const Moved moved = moved_eigenvectors(emitter, w, v, da);
    tangents[0] = moved.values;
    tangents.push_back(moved.vectors);
  } else {
    tangents[0] = m.diagonal_elements(m.product(m.solved(v, da), v));
  }
  return tangents;
}

}  // namespace ingot::ops
