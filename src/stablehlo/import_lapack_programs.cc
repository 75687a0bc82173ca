// Functions of LAPACK that are programs of arrays: tridiagonal systems, and the forms that reflections bring
// matrices into, whose results are packed as LAPACK's.
#include <algorithm>

#include "ingot/elementwise.h"
#include "ingot/functions.h"
#include "ingot/names.h"
#include "ingot/scan.h"
#include "ingot/shapes.h"
#include "library/tridiagonal.h"
#include "stablehlo/importer.h"

namespace ingot::stablehlo {
namespace {

// Tridiagonal systems: three diagonals and right sides.
void want_systems(OpImport& op) {
  const ir::TensorType &d = op.operand(1)->type(), &b = op.operand(3)->type();
  const Shape rows(b.shape.begin(), b.shape.end() - (b.shape.empty() ? 0 : 1));
  if (op.operand(0)->type() != d || op.operand(2)->type() != d || d.shape.empty() || b.dtype != d.dtype ||
      rows != d.shape) {
    op.fail("the diagonals are to be [.., n], all of one type, and the right sides [.., n, k]");
  }
}

void call_gtsv(OpImport& op) {
  if (op.operand_count() != 4 || op.op().results.size() != 5)
    op.fail("takes three diagonals and right sides, and gives what becomes of them and a number each");
  want_systems(op);
  op.set_all(op.make_several_by_library(op.operands(), [](const std::vector<Array>& arrays, const auto&) {
    const detail::Gtsv left = detail::gtsv(arrays[0], arrays[1], arrays[2], arrays[3]);
    return std::vector<Array>{left.dl, left.d, left.du, left.x, left.info};
  }));
}

// --- reflections H = 1 - tau v v^H with H^H x = beta e for the part of x that begins at an element

struct Reflection {
  Array v, beta, tau;  // v is 0 in front of the element, and 1 there; beta is real
};

Array square_of(const Array& x) {
  return is_complex(x.dtype()) ? square(real(x)) + square(imag(x)) : square(x);
}

Array rows_of(const Array& x) {  // [.., n] as columns
  return expand_dims(x, -1);
}

Array columns_of(const Array& x) {  // [.., n] as rows
  return expand_dims(x, -2);
}

// Of x of [.., n]; signs are larfg's, and what needs no reflection has tau = 0.
Reflection reflection_of(const Array& x, const Array& first) {
  const Array place = iota(DType::kS32, {x.shape(-1)}, 0), head = place == first, tail = place > first;
  const Array greatest = max(where(head | tail, abs(x), 0), -1, true),
              scale = where(greatest == 0, 1, greatest);
  const Array below = sum(where(tail, square_of(x / scale), 0), -1, true);
  const Array alpha = sum(where(head, x, 0), -1, true), size = scale * sqrt(square_of(alpha / scale) + below);
  const Array none = (below == 0) & (imag(alpha) == 0),
              beta = where(none, real(alpha), -copysign(size, real(alpha)));
  const auto of_x = [&](const Array& parts) { return parts.astype(x.dtype()); };
  const Array by = where(none, of_x(Array::ones(alpha.shape(), x.dtype())), alpha - of_x(beta));
  return {where(tail, x / by, of_x(head)), squeeze(beta, -1),
          squeeze(where(none, 0, (of_x(beta) - alpha) / of_x(where(none, 1, beta))), -1)};
}

// The column k of a, with a reflection in it: beta at element k + 1, and v behind that.
Array packed(const Array& column, const Reflection& reflection, const Array& k) {
  const Array place = iota(DType::kS32, {column.shape(-1)}, 0);
  const Array beta = rows_of(reflection.beta).astype(column.dtype());
  return where(place > k + 1, reflection.v, where(place == k + 1, beta, column));
}

// A matrix times a vector, and the product of a column and a row.
Array product(const Array& a, const Array& x) {
  return sum(a * columns_of(x), -1);
}
Array outer(const Array& x, const Array& y) {
  return rows_of(x) * columns_of(conj(y));
}

// a = Q H Q^H with 0 below the first subdiagonal of H (gehrd).
std::vector<Array> hessenberg(const Array& a) {
  const int64_t n = a.shape(-1);
  Shape taus(a.shape().begin(), a.shape().end() - 1);
  taus.back() = std::max<int64_t>(n - 1, 0);
  if (n < 2) return {a, Array::zeros(taus, a.dtype())};
  const auto step = [&](const Array& before, const Array& k) {
    const Array place = iota(DType::kS32, {n}, 0), column = take(before, k, -1);
    const Reflection h = reflection_of(column, k + 1);
    const Array tau = rows_of(h.tau);
    const auto behind = [&](const Array& of_columns) { return where(place > k, of_columns, 0); };
    const Array right = before - outer(tau * product(behind(before), h.v), h.v);
    const Array from_left = product(behind(conj(swapaxes(right, -1, -2))), h.v);  // (v^H right)^H
    const Array both = where(rows_of(place) > k, right - outer(conj(tau) * h.v, from_left), right);
    const Array columns = where(place == k, rows_of(packed(column, h, k)), before);
    return std::pair(Array(where(place > k, both, columns)), h.tau);
  };
  const auto [form, factors] =
      scan(step, a, iota(DType::kS32, {n - 1}, 0), {.axis = 0, .ys_axis = ScanAxes(a.rank() - 2)});
  return {form, factors};
}

// a = Q T Q^H with T tridiagonal, of a hermitian matrix whose lower triangle is read (sytrd, hetrd): the
// packed matrix, T's diagonal and subdiagonal, and taus.
std::vector<Array> tridiagonal(const Array& a) {
  const int64_t n = a.shape(-1), vectors = a.rank() - 2;
  const Array row = iota(DType::kS32, {n, n}, 0), column_number = iota(DType::kS32, {n, n}, 1);
  const Array diagonal = where(row == column_number, real(a), 0).astype(a.dtype());
  const Array whole =
      where(row > column_number, a, where(row < column_number, conj(swapaxes(a, -1, -2)), diagonal));
  const auto at = [](const Array& matrix, const Array& k) { return real(take(take(matrix, k, -1), k, -1)); };
  const auto step = [&](const Array& before, const Array& k) {
    const Array place = iota(DType::kS32, {n}, 0), column = take(before, k, -1);
    const Reflection h = reflection_of(column, k + 1);
    const Array tau = rows_of(h.tau);
    const Array x = where(place > k, tau * product(where(place > k, before, 0), h.v), 0);
    const Array w = x - 0.5 * tau * sum(conj(x) * h.v, -1, true) * h.v;
    return std::pair(Array(before - outer(h.v, w) - outer(w, h.v)),
                     std::tuple(packed(column, h, k), at(before, k), h.beta, h.tau));
  };
  const auto [last, steps] = scan(step, whole, iota(DType::kS32, {n - 1}, 0),
                                  {.axis = 0, .ys_axis = ScanAxes{vectors + 1, vectors, vectors, vectors}});
  const auto& [columns, d, e, taus] = steps;
  const Array end = Array(static_cast<int32_t>(n - 1));
  const Array all = concatenate({d, rows_of(at(last, end))}, -1);
  const Array padded = concatenate({columns, rows_of(take(last, end, -1))}, -1);
  const Array form =
      where(row > column_number, padded, where(row == column_number, rows_of(all).astype(a.dtype()), a));
  return {form, all, e, taus};
}

// Of matrices, which fail for no value.
template <class Program>
void of_matrices(OpImport& op, size_t results, const Program& program) {
  const Shape shape = op.operand_count() == 1 ? op.operand(0)->shape() : Shape();
  if (shape.size() < 2 || shape.back() != shape[shape.size() - 2] || op.op().results.size() != results + 1)
    op.fail("takes square matrices, and gives what they are decomposed into and a number each");
  std::vector<ir::Value*> made = op.make_several_by_library(
      op.operands(), [&](const std::vector<Array>& arrays, const auto&) { return program(arrays[0]); });
  made.push_back(op.filled_int({op.result_dtype(results), Shape(shape.begin(), shape.end() - 2)}, 0));
  op.set_all(made);
}

void call_gehrd(OpImport& op) {
  const auto number = [&](const char* name, int64_t otherwise) {
    for (const char* dictionary : {"mhlo.backend_config", "backend_config"})
      if (const auto found = op.entry(dictionary, name)) return *found;
    return otherwise;
  };
  if (op.operand_count() == 1 && op.operand(0)->rank() > 0) {
    const int64_t n = op.operand(0)->shape().back();
    if (number("low", 1) != 1 || number("high", n) != n) op.refuse("it reduces a part of the rows alone");
  }
  of_matrices(op, 2, hessenberg);
}

// The upper triangle is the lower one of the matrix whose rows and columns stand in reversed order.
void call_sytrd(OpImport& op) {
  const bool lower = letter(op, "uplo", "LU") == 'L';
  if (op.operand_count() == 1 && op.operand(0)->rank() > 0 && op.operand(0)->shape().back() == 0)
    op.fail("takes matrices of a row or more");
  of_matrices(op, 4, [&](const Array& a) {
    if (lower) return tridiagonal(a);
    std::vector<Array> parts = tridiagonal(flip(a, {-1, -2}));
    parts[0] = flip(parts[0], {-1, -2});
    for (size_t i = 1; i < parts.size(); ++i) parts[i] = flip(parts[i], -1);
    return parts;
  });
}

constexpr NamedRule kPrograms[] = {
    {"gehrd", call_gehrd},
    {"gtsv", call_gtsv},
    {"hetrd", call_sytrd},
    {"sytrd", call_sytrd},
};

}  // namespace

// What jax.lax.linalg.tridiagonal_solve(.., perturb_singular=True) calls.
void import_perturbed_solve(OpImport& op) {
  if (op.operand_count() != 4 || op.op().results.size() != 1)
    op.fail("takes three diagonals and right sides, and gives the solutions");
  want_systems(op);
  op.set(op.make_by_library(op.operands(), [](const std::vector<Array>& arrays, const auto&) {
    return detail::perturbed_solve(arrays[0], arrays[1], arrays[2], arrays[3]);
  }));
}

Rules lapack_programs() {
  return kPrograms;
}

}  // namespace ingot::stablehlo
