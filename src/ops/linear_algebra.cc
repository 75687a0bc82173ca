// Factorisations and solutions of matrices, which lie in the last two dimensions; all others are a batch.
#include <algorithm>

#include "ops/derivatives.h"
#include "ops/kinds.h"
#include "ops/matrices.h"
#include "ops/registry.h"

namespace ingot::ops {
namespace {

// --- cholesky

Types infer_cholesky(const InferContext& context) {
  want_square(context.operands[0], "the operand");
  return {context.operands[0]};
}

// L of the lower triangle of a, row by row.
template <class T>
Matrix<T> cholesky_of(const Matrix<T>& a) {
  const size_t n = a.rows;
  Matrix<T> l(n, n);
  bool positive = true;
  for (size_t i = 0; i < n && positive; ++i) {
    for (size_t j = 0; j <= i; ++j) {
      T sum = i == j ? T(std::real(a(i, i))) : a(i, j);
      for (size_t k = 0; k < j; ++k) sum -= multiply(l(i, k), conjugated(l(j, k)));
      if (i != j) {
        l(i, j) = sum / std::real(l(j, j));
      } else {
        positive = std::real(sum) > 0;
        l(i, i) = std::sqrt(std::real(sum));
      }
    }
  }
  if (positive) return l;
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < n; ++j) l(i, j) = j <= i ? not_a_number<T>() : T(0);
  }
  return l;
}

Tensors cholesky_reference(const Op& op, std::span<const Tensor> x, Evaluator&) {
  Tensor result(x[0].dtype(), x[0].shape());
  visit_inexact(x[0].dtype(), [&]<class T>(std::type_identity<T>) {
    const MatricesOf<T> all(x[0].shape());
    for (int64_t i = 0; i < all.count; ++i) {
      const auto a = all.load(x[0], i);
      // The conjugate of a has the conjugate of L, whose transpose is U.
      all.store(CholeskyOp(op).lower() ? cholesky_of(a) : cholesky_of(a.transposed()).transposed(), result,
                i);
    }
  });
  return {result};
}

constinit const OpRecord cholesky{
    .name = "cholesky",
    .doc =
        "L with a = L L^H, the lower triangle, or, without `lower`, U with a = U^H U. Of a only that "
        "triangle is "
        "read, and of the diagonal the real part; the other triangle of the result is zero. Where a is not "
        "positive definite the triangle is NaN.",
    .operands = ir::Arity{1, 1},
    .regions = 0,
    .attributes = AttributeList{attribute::flag("lower")},
    .infer = infer_cholesky,
    .batch = batch_factors,
    .becomes = ir::LibraryRoutine{.routine = "cholesky", .computes = true},
    .reference = cholesky_reference,
    .identities = nullptr,
    .jvp = ir::Terms{cholesky_term},
    .transpose = ir::NotLinear{},
    .stablehlo = "stablehlo.cholesky",
};

// --- triangular_solve

Types infer_triangular_solve(const InferContext& context) {
  const TensorType &a = context.operands[0], &b = context.operands[1];
  want_square(a, "a");
  want_matrices(b, "b");
  if (a.dtype != b.dtype)
    fail("the operands are ", a, " and ", b, "; convert one of them, so that they have one dtype");
  const std::string& transpose = context.attributes.get<std::string>("transpose_a");
  if (transpose != "no" && transpose != "transpose" && transpose != "adjoint")
    fail("'transpose_a' is \"", transpose, "\", but must be \"no\", \"transpose\" or \"adjoint\"");
  const bool left = context.attributes.get<bool>("left_side");
  Shape batch_a(a.shape.begin(), a.shape.end() - 2), batch_b(b.shape.begin(), b.shape.end() - 2);
  if (batch_a != batch_b)
    fail("a is ", a, " and b is ", b, ", but both must have the same dimensions before the last two");
  const int64_t n = a.shape.back(), m = left ? b.shape[b.shape.size() - 2] : b.shape.back();
  if (n != m)
    fail("a is ", a, " and b is ", b, ", but the ", left ? "columns" : "rows",
         " of b must be as long as a's, ", n);
  return {b};
}

// The rows of x from the first to the last, or, where the triangle that counts is the upper one, the other
// way.
template <class T>
void solve_in_place(const Matrix<T>& a, const TriangularSolveForm& form, Matrix<T>& x) {
  const size_t n = a.rows;
  const bool upwards = form.lower == form.transposed;
  for (size_t step = 0; step < n; ++step) {
    const size_t i = upwards ? n - 1 - step : step;
    const auto factor = [&](size_t k) {
      const T element = form.transposed ? a(k, i) : a(i, k);
      return form.conjugated ? conjugated(element) : element;
    };
    for (size_t j = 0; j < x.columns; ++j) {
      T sum = x(i, j);
      for (size_t k = upwards ? i + 1 : 0; k < (upwards ? n : i); ++k) sum -= multiply(factor(k), x(k, j));
      x(i, j) = form.unit_diagonal ? sum : sum / factor(i);
    }
  }
}

Tensors triangular_solve_reference(const Op& op, std::span<const Tensor> x, Evaluator&) {
  TriangularSolveForm form = TriangularSolveOp(op).form();
  Tensor result(x[1].dtype(), x[1].shape());
  visit_inexact(x[0].dtype(), [&]<class T>(std::type_identity<T>) {
    const MatricesOf<T> all(x[0].shape()), right(x[1].shape());
    for (int64_t i = 0; i < all.count; ++i) {
      const auto a = all.load(x[0], i);
      auto b = right.load(x[1], i);
      if (form.left_side) {
        solve_in_place(a, form, b);
      } else {
        TriangularSolveForm turned = form;
        turned.transposed = !form.transposed;
        b = b.transposed();
        solve_in_place(a, turned, b);
        b = b.transposed();
      }
      right.store(b, result, i);
    }
  });
  return {result};
}

// Where all elements share a, their right sides are columns side by side: one solution of one matrix.
Batches batch_right_sides(const Op& op, const Batched& a, const Batched& b, Batcher& batcher) {
  const bool left = TriangularSolveOp(op).form().left_side;
  const int64_t rank = op.operand(1)->rank(), axis = left ? rank - 1 : rank - 2;
  const Shape apart = batched_shape(op.operand(1)->shape(), axis, batcher);
  Shape joined = op.operand(1)->shape();
  joined[static_cast<size_t>(axis)] *= batcher.size();
  Value* sides = batcher.make("reshape", {with_batch_at(batcher, b, axis)}, {{"shape", joined}})->result();
  Value* x = batcher.make(op.name(), {a.value, sides}, op.attributes())->result();
  return {{batcher.make("reshape", {x}, {{"shape", apart}})->result(), axis}};
}

Batches batch_triangular_solve(const Op& op, std::span<const Batched> x, Batcher& batcher) {
  if (x[0].shared()) return batch_right_sides(op, x[0], x[1], batcher);
  const int64_t axis = batch_axis(x[0]);
  Value* a = with_batch_at(batcher, x[0], axis);
  Value* b = with_batch_at(batcher, x[1], axis);
  return {{batcher.make(op.name(), {a, b}, op.attributes())->result(), axis}};
}

constinit const OpRecord triangular_solve{
    .name = "triangular_solve",
    .doc =
        "(a, b): x with op(a) x = b, or, without `left_side`, x op(a) = b. Of a only the lower triangle is "
        "read, or, "
        "without `lower`, the upper one, and with `unit_diagonal` no diagonal, which counts as 1; op is "
        "nothing, "
        "the transpose or the conjugate of that, as `transpose_a` says: no, transpose, adjoint.",
    .operands = ir::Arity{2, 2},
    .regions = 0,
    .attributes = AttributeList{attribute::flag("left_side"), attribute::flag("lower"),
                                attribute::flag("unit_diagonal"), attribute::text("transpose_a")},
    .infer = infer_triangular_solve,
    .batch = batch_triangular_solve,
    .becomes = ir::LibraryRoutine{.routine = "triangular_solve", .computes = true},
    .reference = triangular_solve_reference,
    .identities = nullptr,
    .jvp = ir::Terms{triangular_solve_term},
    .transpose = triangular_solve_transpose,
    .stablehlo = "stablehlo.triangular_solve",
};

// --- lu

Types infer_lu(const InferContext& context) {
  const TensorType& a = context.operands[0];
  want_matrices(a, "the operand");
  const auto rank = a.shape.size();
  Shape pivots(a.shape.begin(), a.shape.end() - 1), permutation = pivots;
  pivots.back() = std::min(a.shape[rank - 2], a.shape[rank - 1]);
  return {a, {DType::kS32, pivots}, {DType::kS32, permutation}};
}

// In the place of a, row by row; `pivots` are the rows that rows were exchanged with.
template <class T>
void lu_in_place(Matrix<T>& a, int32_t* pivots) {
  for (size_t k = 0; k < std::min(a.rows, a.columns); ++k) {
    const auto size = [&](size_t i) {
      if constexpr (requires { a(i, k).imag(); })
        return std::abs(a(i, k).real()) + std::abs(a(i, k).imag());
      else
        return std::abs(a(i, k));
    };
    size_t best = k;
    for (size_t i = k + 1; i < a.rows; ++i) {
      if (size(i) > size(best)) best = i;
    }
    pivots[k] = static_cast<int32_t>(best);
    for (size_t j = 0; j < a.columns; ++j) std::swap(a(k, j), a(best, j));
    if (a(k, k) == T(0)) continue;
    for (size_t i = k + 1; i < a.rows; ++i) {
      a(i, k) /= a(k, k);
      for (size_t j = k + 1; j < a.columns; ++j) a(i, j) -= multiply(a(i, k), a(k, j));
    }
  }
}

Tensors lu_reference(const Op& op, std::span<const Tensor> x, Evaluator&) {
  Tensors results;
  for (const Value* result : op.results()) results.emplace_back(result->dtype(), result->shape());
  visit_inexact(x[0].dtype(), [&]<class T>(std::type_identity<T>) {
    const MatricesOf<T> all(x[0].shape());
    const auto rows = static_cast<int64_t>(all.rows),
               count = std::min(rows, static_cast<int64_t>(all.columns));
    for (int64_t i = 0; i < all.count; ++i) {
      auto a = all.load(x[0], i);
      int32_t *pivots = results[1].data<int32_t>() + i * count,
              *permutation = results[2].data<int32_t>() + i * rows;
      lu_in_place(a, pivots);
      all.store(a, results[0], i);
      for (int32_t r = 0; r < rows; ++r) permutation[r] = r;
      for (int64_t r = 0; r < count; ++r) std::swap(permutation[r], permutation[pivots[r]]);
    }
  });
  return results;
}

constinit const OpRecord lu{
    .name = "lu",
    .doc =
        "a of [.., m, n]: L and U with P a = L U in one array, L below the diagonal, which is 1; the row "
        "that row i "
        "was exchanged with, for the first min(m, n) rows in their order; the row of a that row i of P a is. "
        "Rows "
        "are exchanged so that the largest element of each column, of complex numbers by the sum of both "
        "parts' "
        "magnitudes, comes onto the diagonal.",
    .operands = ir::Arity{1, 1},
    .regions = 0,
    .attributes = ir::kNoAttributes,
    .infer = infer_lu,
    .batch = batch_factors,
    .becomes = ir::LibraryRoutine{.routine = "lu", .computes = true},
    .reference = lu_reference,
    .identities = nullptr,
    .jvp = ir::Terms{lu_term},
    .transpose = ir::NotLinear{},
    .stablehlo = "",
};

constexpr const OpRecord* kLinearAlgebraRecords[] = {&cholesky, &triangular_solve, &lu};

}  // namespace

Records linear_algebra_records() {
  return kLinearAlgebraRecords;
}

const OpRecord& CholeskyOp::record() {
  return cholesky;
}
const OpRecord& TriangularSolveOp::record() {
  return triangular_solve;
}

TriangularSolveForm TriangularSolveForm::of(const ir::Attributes& attributes) {
  const std::string& transpose = attributes.get<std::string>("transpose_a");
  return {.left_side = attributes.get<bool>("left_side"),
          .lower = attributes.get<bool>("lower"),
          .unit_diagonal = attributes.get<bool>("unit_diagonal"),
          .transposed = transpose != "no",
          .conjugated = transpose == "adjoint"};
}

ir::Attributes TriangularSolveForm::attributes() const {
  check(transposed || !conjugated, "a conjugate that is not transposed is taken before the solution");
  return {{"left_side", left_side},
          {"lower", lower},
          {"unit_diagonal", unit_diagonal},
          {"transpose_a", std::string(!transposed  ? "no"
                                      : conjugated ? "adjoint"
                                                   : "transpose")}};
}

}  // namespace ingot::ops
