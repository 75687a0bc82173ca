// Matrices: the operations of ops/linear_algebra.cc, and what is made of them.
#include "ingot/linalg.h"

#include "ingot/autodiff.h"
#include "library/matrices.h"
#include "ops/kinds.h"

namespace ingot {
namespace {

using detail::check_matrices;
using detail::check_square;
using detail::emit;
using detail::emit_adjoint;
using detail::emit_reshape;
using detail::fail;

// A square a and right sides of it, b: [..., n, k], or, where a stands on the right, [..., k, n], or vectors.
struct System {
  Array a, b;
  bool vectors = false;

  // b as matrices.
  Shape matrix_shape(bool left_side) const {
    Shape shape = b.shape();
    if (vectors) shape.insert(left_side ? shape.end() : shape.end() - 1, 1);
    return shape;
  }
};

System checked_system(const char* name, const Operand& a, const Operand& b, bool left_side,
                      const std::source_location& where) {
  const std::vector<Array> arrays = detail::same_dtype(name, {a, b}, where);
  System system{arrays[0], arrays[1]};
  check_square(name, "a", system.a, where);
  const Shape &of_a = system.a.shape(), &of_b = system.b.shape();
  system.vectors = of_b.size() + 1 == of_a.size();
  const std::string types =
      std::string(name) + ": a is " + system.a.type_string() + " and b is " + system.b.type_string();
  Shape wanted(of_a.begin(), of_a.end() - 2);
  if (!system.vectors && of_b.size() != of_a.size())
    fail(where, types + ", but b should have as many dimensions as a, or, of vectors, one less");
  const auto matrix = static_cast<std::ptrdiff_t>(of_b.size()) - (system.vectors ? 1 : 2);
  if (!std::equal(of_b.begin(), of_b.begin() + matrix, wanted.begin(), wanted.end()))
    fail(where,
         types + ", but both should have the same dimensions before those of the matrix; broadcast one");
  const int64_t n = of_a.back(), m = system.vectors || !left_side ? of_b.back() : of_b[of_b.size() - 2];
  if (n != m)
    fail(where, types + ", but the " +
                    (system.vectors ? "vectors"
                     : left_side    ? "columns"
                                    : "rows") +
                    " of b should have " + std::to_string(n) + " elements, not " + std::to_string(m));
  return system;
}

Array emit_triangular_solve(const Array& a, const Array& b, const ops::TriangularSolveForm& form,
                            const std::source_location& where) {
  return emit("triangular_solve", {a, b}, form.attributes(), where);
}

std::vector<Array> emit_lu(const Array& a, const std::source_location& where) {
  return detail::emit_all("lu", {a}, {}, where);
}

Array emit_lu_solve(const Array& factors, const Array& permutation, const System& system, const Array& b,
                    const std::source_location& where) {
  const Shape shape = system.matrix_shape(true);
  const auto rank = static_cast<int64_t>(shape.size());
  Shape index = shape;
  index.back() = 1;
  // Row i of the right side is row permutation[i] of b.
  const Array rows = emit_reshape(permutation, index, where);
  const Array turned = take_along_axis(Operand(emit_reshape(b, shape, where), where),
                                       broadcast_to(Operand(rows, where), shape), rank - 2);
  const Array x = emit_triangular_solve(factors, turned, {.lower = true, .unit_diagonal = true}, where);
  return emit_reshape(emit_triangular_solve(factors, x, {.lower = false}, where), system.b.shape(), where);
}

// 1 where i is j.
Array emit_identity(const Array& like, const std::source_location& where) {
  const int64_t rank = like.rank();
  const auto places = [&](int64_t axis) {
    return emit("iota", {}, {{"dtype", DType::kS32}, {"shape", like.shape()}, {"axis", axis}}, where);
  };
  return emit("compare", {places(rank - 2), places(rank - 1)}, {{"direction", std::string("eq")}}, where);
}

// The diagonal of U; 1 for each time that rows were exchanged.
struct Diagonal {
  Array of_u, exchanged;
};
Diagonal emit_diagonal(const std::vector<Array>& factors, const std::source_location& where) {
  const Array &lu = factors[0], &pivots = factors[1];
  const Array of_u =
      sum(Operand(ingot::where(Operand(emit_identity(lu, where), where), Operand(lu, where), 0), where),
          Axes{-1});
  const Array places = emit(
      "iota", {}, {{"dtype", DType::kS32}, {"shape", pivots.shape()}, {"axis", pivots.rank() - 1}}, where);
  return {of_u, (Operand(pivots, where) != Operand(places, where)).astype(DType::kS32)};
}

Array det_by_lu(const Array& a) {
  const std::source_location where = std::source_location::current();
  const Diagonal diagonal = emit_diagonal(emit_lu(a, where), where);
  const Array signs = (1 - 2 * diagonal.exchanged).astype(a.dtype());
  return prod(diagonal.of_u * signs, Axes{-1});
}

// Of one to three rows.
Array det_by_formula(const Array& a) {
  const auto at = [&](int64_t i, int64_t j) { return index_axis(index_axis(a, -2, i), -1, j); };
  if (a.shape(-1) == 1) return at(0, 0);
  if (a.shape(-1) == 2) return at(0, 0) * at(1, 1) - at(0, 1) * at(1, 0);
  return at(0, 0) * at(1, 1) * at(2, 2) + at(0, 1) * at(1, 2) * at(2, 0) + at(0, 2) * at(1, 0) * at(2, 1) -
         at(0, 2) * at(1, 1) * at(2, 0) - at(0, 0) * at(1, 2) * at(2, 1) - at(0, 1) * at(1, 0) * at(2, 2);
}

// The determinant and trace(adj(a) da), where adj(a) da is det(a) a^-1 da of matrices that have an inverse.
// With P a = L U, the last element of U is replaced by the reciprocal of the determinant of all before it,
// and all rows but the last one are multiplied by the determinant: that is the same, and right where that
// element alone is 0. Of less rank the derivative is 0.
std::pair<Array, Array> det_and_change(const Array& a, const Array& tangent) {
  const std::source_location where = std::source_location::current();
  const int64_t n = a.shape(-1), rank = a.rank();
  const std::vector<Array> factors = emit_lu(a, where);
  const Diagonal diagonal = emit_diagonal(factors, where);
  const Array signs = prod((1 - 2 * diagonal.exchanged).astype(a.dtype()), Axes{-1});
  const Array before = prod(slice_axis(diagonal.of_u, -1, 0, n - 1), Axes{-1}) * signs;
  const Array whole = before * index_axis(diagonal.of_u, -1, n - 1);
  const Array row = iota(DType::kS32, a.shape(), rank - 2), column = iota(DType::kS32, a.shape(), rank - 1);
  const Array last = (row == n - 1) & (column == n - 1);
  const Array changed = ingot::where(last, expand_dims(1 / before, {-2, -1}), factors[0]);
  Shape sides = a.shape();
  sides.back() = 1;
  const Array probe = emit_triangular_solve(changed, Array::ones(sides, a.dtype()), {.lower = false}, where);
  const Array deficient = any(logical_not(is_finite(abs(probe))), {-2, -1}, true);
  const Array none = Array::zeros(a.shape(), a.dtype());
  Shape index = factors[2].shape();
  index.push_back(1);
  const Array rows = broadcast_to(emit_reshape(factors[2], index, where), a.shape());
  Array x = take_along_axis(ingot::where(deficient, none, tangent), rows, rank - 2);
  x = emit_triangular_solve(changed, x, {.lower = true, .unit_diagonal = true}, where);
  x = ingot::where(row == n - 1, x, x * expand_dims(whole, {-2, -1}));
  x = ingot::where(deficient, none, emit_triangular_solve(changed, x, {.lower = false}, where));
  return {whole, sum(ingot::where(row == column, x, 0), {-2, -1})};
}

}  // namespace

Array cholesky(const Operand& a, const CholeskyOptions& options) {
  const std::source_location& where = a.where();
  const CallerScope caller(where, "cholesky");
  const Array array = a.array();
  check_square("cholesky", "a", array, where);
  const bool lower = options.lower, symmetrize = options.symmetrize;
  return detail::apply("cholesky", {array}, {lower, symmetrize}, where, [&](const std::vector<Array>& given) {
    Array matrix = given[0];
    if (symmetrize) matrix = (matrix + emit_adjoint(matrix, where)) * 0.5;
    return emit("cholesky", {matrix}, {{"lower", lower}}, where);
  });
}

Array triangular_solve(const Operand& a, const Operand& b, const TriangularSolveOptions& options) {
  const std::source_location& where = a.where();
  const CallerScope caller(where, "triangular_solve");
  const int64_t transpose = detail::checked_choice("triangular_solve", "transpose_a",
                                                   static_cast<int64_t>(options.transpose_a), 3, where);
  const System system = checked_system("triangular_solve", a, b, options.left_side, where);
  const ops::TriangularSolveForm form{.left_side = options.left_side,
                                      .lower = options.lower,
                                      .unit_diagonal = options.unit_diagonal,
                                      .transposed = transpose != 0,
                                      .conjugated = options.transpose_a == TransposeA::kAdjoint};
  return detail::apply(
      "triangular_solve", {system.a, system.b}, {form.left_side, form.lower, form.unit_diagonal, transpose},
      where, [&](const std::vector<Array>& given) {
        const Array sides = emit_reshape(given[1], system.matrix_shape(form.left_side), where);
        return emit_reshape(emit_triangular_solve(given[0], sides, form, where), system.b.shape(), where);
      });
}

Array cho_solve(const Operand& factor, const Operand& b, const ChoSolveOptions& options) {
  const std::source_location& where = factor.where();
  const CallerScope caller(where, "cho_solve");
  const System system = checked_system("cho_solve", factor, b, true, where);
  const bool lower = options.lower;
  return detail::apply("cho_solve", {system.a, system.b}, {lower}, where,
                       [&](const std::vector<Array>& given) {
                         const ops::TriangularSolveForm plain{.lower = lower},
                             adjoint{.lower = lower, .transposed = true, .conjugated = true};
                         Array x = emit_reshape(given[1], system.matrix_shape(true), where);
                         x = emit_triangular_solve(given[0], x, lower ? plain : adjoint, where);
                         x = emit_triangular_solve(given[0], x, lower ? adjoint : plain, where);
                         return emit_reshape(x, system.b.shape(), where);
                       });
}

Lu lu(const Operand& a) {
  const std::source_location& where = a.where();
  const CallerScope caller(where, "lu");
  const Array array = a.array();
  check_matrices("lu", "a", array, where);
  const std::vector<Array> results = detail::apply_all(
      "lu", {array}, where, [&](const std::vector<Array>& given) { return emit_lu(given[0], where); });
  return {results[0], results[1], results[2]};
}

Array lu_solve(const Lu& factors, const Operand& b) {
  const std::source_location& where = b.where();
  const CallerScope caller(where, "lu_solve");
  const System system = checked_system("lu_solve", Operand(factors.lu, where), b, true, where);
  const Shape rows(system.a.shape().begin(), system.a.shape().end() - 1);
  const detail::ArrayType& permutation = *detail::checked_node(factors.permutation, where).type;
  if (permutation.dtype != DType::kS32 || permutation.shape != rows)
    fail(where, "lu_solve: the permutation is " + factors.permutation.type_string() +
                    ", but that of factors of " + system.a.type_string() + " is " +
                    Array::abstract(DType::kS32, rows).type_string());
  return detail::apply("lu_solve", {system.a, factors.permutation, system.b}, {}, where,
                       [&](const std::vector<Array>& given) {
                         return emit_lu_solve(given[0], given[1], system, given[2], where);
                       });
}

Array solve(const Operand& a, const Operand& b) {
  const std::source_location& where = a.where();
  const CallerScope caller(where, "solve");
  const System system = checked_system("solve", a, b, true, where);
  return detail::apply("solve", {system.a, system.b}, {}, where, [&](const std::vector<Array>& given) {
    const std::vector<Array> factors = emit_lu(given[0], where);
    return emit_lu_solve(factors[0], factors[2], system, given[1], where);
  });
}

Array inv(const Operand& a) {
  const std::source_location& where = a.where();
  const CallerScope caller(where, "inv");
  const Array array = a.array();
  check_square("inv", "a", array, where);
  return detail::apply("inv", {array}, {}, where, [&](const std::vector<Array>& given) {
    const std::vector<Array> factors = emit_lu(given[0], where);
    const Array one = emit_identity(given[0], where).astype(given[0].dtype());
    return emit_lu_solve(factors[0], factors[2], {given[0], one}, one, where);
  });
}

Array det(const Operand& a) {
  const std::source_location& where = a.where();
  const CallerScope caller(where, "det");
  const Array array = a.array();
  check_square("det", "a", array, where);
  return detail::apply("det", {array}, {}, where, [&](const std::vector<Array>& given) {
    const Array& x = given[0];
    if (x.shape(-1) == 0) return Array::ones(Shape(x.shape().begin(), x.shape().end() - 2), x.dtype());
    if (x.shape(-1) <= 3) return det_by_formula(x);
    const auto rule = [](const std::tuple<Array>& at, const std::tuple<Array>& tangent) {
      return det_and_change(std::get<0>(at), std::get<0>(tangent));
    };
    return custom_jvp([](Array matrix) { return det_by_lu(matrix); }, rule)(x);
  });
}

namespace {

// The sign, which for complex numbers is a direction that turns with them: `sign` has no derivative.
Array direction(const Array& x) {
  if (!is_complex(x.dtype())) return sign(x);
  const Array size = abs(x);
  return x / where(size == 0, 1, size);
}

}  // namespace

SignAndLog slogdet(const Operand& a) {
  const std::source_location& where = a.where();
  const CallerScope caller(where, "slogdet");
  const Array array = a.array();
  check_square("slogdet", "a", array, where);
  const std::vector<Array> results =
      detail::apply_all("slogdet", {array}, where, [&](const std::vector<Array>& given) {
        const Diagonal diagonal = emit_diagonal(emit_lu(given[0], where), where);
        const Array signs = (1 - 2 * diagonal.exchanged).astype(given[0].dtype());
        return std::vector<Array>{prod(direction(diagonal.of_u) * signs, Axes{-1}),
                                  sum(log(abs(diagonal.of_u)), Axes{-1})};
      });
  return {results[0], results[1]};
}

}  // namespace ingot
