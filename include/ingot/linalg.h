// Matrices: factors and solutions. A matrix lies in the last two dimensions of an array, those before it are
// a batch. Floats and complex numbers; f16 and bf16 are computed in f32. Derivatives are those of JAX, in any
// order.
#pragma once

#include "ingot/functions.h"

namespace ingot {

struct CholeskyOptions {
  detail::ByName by_name = detail::ByName();
  bool lower = true;  // L with a = L L^H; without it U with a = U^H U
  // Takes (a + a^H) / 2 in place of a. Without it only the triangle that `lower` names is read.
  bool symmetrize = true;
};
// The factor of positive definite matrices, zero in the other triangle. NaN in its own where a matrix is not
// positive definite, and in no other of the batch.
Array cholesky(const Operand& a, const CholeskyOptions& options = {});

enum class TransposeA { kNo, kTranspose, kAdjoint };
struct TriangularSolveOptions {
  detail::ByName by_name = detail::ByName();
  bool left_side = true;       // without it a stands to the right of x
  bool lower = true;           // the triangle of a that is read, whatever stands in the other one
  bool unit_diagonal = false;  // the diagonal is not read, and counts as 1
  TransposeA transpose_a = TransposeA::kNo;
};
// x with op(a) x = b for a of [..., n, n] and b of [..., n, k]; on the right x op(a) = b for b of [..., k,
// n]. b of [..., n] is a vector. Both have the same batch.
Array triangular_solve(const Operand& a, const Operand& b, const TriangularSolveOptions& options = {});

struct ChoSolveOptions {
  detail::ByName by_name = detail::ByName();
  bool lower = true;
};
// x with a x = b for factor = cholesky(a, {.lower = ..}).
Array cho_solve(const Operand& factor, const Operand& b, const ChoSolveOptions& options = {});

struct Lu {
  // L and U of [..., m, n] in one array: L below its diagonal, which is 1 and not there.
  Array lu;
  Array pivots;       // s32[..., min(m, n)]: the row that row i was exchanged with, one after the other
  Array permutation;  // s32[..., m]: the row of a that row i of L U is
};
// Factors of any matrices, with rows exchanged so that the largest element of each column is divided by
// (jax.lax.linalg.lu).
Lu lu(const Operand& a);
// x with a x = b for factors = lu(a), of square matrices; b as for triangular_solve.
Array lu_solve(const Lu& factors, const Operand& b);

// x with a x = b, by lu. Infinite or NaN where a matrix is singular.
Array solve(const Operand& a, const Operand& b);
Array inv(const Operand& a);
// The determinant, by lu; of a matrix without rows 1. Its derivative is NaN where the matrix is singular.
Array det(const Operand& a);
struct SignAndLog {
  Array sign;  // 1, -1 or 0; of complex matrices a number of magnitude 1, or 0
  Array log;   // of the determinant's magnitude; -inf where it is 0
};
SignAndLog slogdet(const Operand& a);

}  // namespace ingot
