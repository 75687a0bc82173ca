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

struct SolveTriangularOptions {
  detail::ByName by_name = detail::ByName();
  bool lower = false;
  bool unit_diagonal = false;
  TransposeA trans = TransposeA::kNo;
};
// The same as jax.scipy.linalg has it: x with op(a) x = b, of the upper triangle unless `lower` is set.
Array solve_triangular(const Operand& a, const Operand& b, const SolveTriangularOptions& options = {});

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

enum class QrMode {
  kReduced,   // Q of [..., m, k] and R of [..., k, n], where k is min(m, n)
  kComplete,  // Q of [..., m, m] and R of [..., m, n]
};
struct QrOptions {
  detail::ByName by_name = detail::ByName();
  QrMode mode = QrMode::kReduced;
};
struct Qr {
  Array q, r;
};
// Q with orthonormal columns and an upper triangle R, with a = Q R, for any matrices. Signs are LAPACK's
// (jnp.linalg.qr).
Qr qr(const Operand& a, const QrOptions& options = {});

// x with a x = b, by lu. Infinite or NaN where a matrix is singular.
Array solve(const Operand& a, const Operand& b);
Array inv(const Operand& a);
struct TridiagonalSolveOptions {
  detail::ByName by_name = detail::ByName();
  bool perturb_singular = false;
};
// x with dl[i] x[i - 1] + d[i] x[i] + du[i] x[i + 1] = b[i] for each row i
// (jax.lax.linalg.tridiagonal_solve): the diagonals are [.., n], where dl[0] and du[n - 1] are not read, and
// b is [.., n, k] or, of vectors, [.., n], with the same batch. By elimination with rows exchanged so that
// the larger element is divided by, as LAPACK's gtsv. NaN where a pivot is 0, which is a singular matrix, and
// in no other of the batch; with perturb_singular pivots that are too small to divide by are moved away from
// 0, by about the rounding of the largest, as LAPACK's lagtf and lagts do it, so that x is finite: what
// inverse iteration wants. Derivatives solve with the same matrix.
Array tridiagonal_solve(const Operand& dl, const Operand& d, const Operand& du, const Operand& b,
                        const TridiagonalSolveOptions& options = {});
// The determinant: of up to three rows by its formula, else by lu; of a matrix without rows 1. Its derivative
// is that of JAX where the matrix is singular, too: the cofactors.
Array det(const Operand& a);
struct SignAndLog {
  Array sign;  // 1, -1 or 0; of complex matrices a number of magnitude 1, or 0
  Array log;   // of the determinant's magnitude; -inf where it is 0
};
SignAndLog slogdet(const Operand& a);

// --- eigenvalues and singular values: computed by LAPACK, a shared library that is looked for when the first
// one is computed (libopenblas.so.0, liblapack.so.3, or what INGOT_LAPACK names). Signs and phases of vectors
// are LAPACK's. All is NaN where a matrix has an element that is not finite.

struct EighOptions {
  detail::ByName by_name = detail::ByName();
  bool lower = true;       // the triangle that is read
  bool symmetrize = true;  // takes (a + a^H) / 2 in place of a
};
struct Eigh {
  Array values;   // [..., n], real, ascending
  Array vectors;  // [..., n, n]: column i belongs to value i
};
// Of symmetric, or hermitian, matrices. The derivative of vectors is NaN where eigenvalues are equal.
Eigh eigh(const Operand& a, const EighOptions& options = {});
Array eigvalsh(const Operand& a, const EighOptions& options = {});

struct SvdOptions {
  detail::ByName by_name = detail::ByName();
  bool full_matrices = true;  // U of [..., m, m] and V^H of [..., n, n]; else [..., m, k] and [..., k, n]
};
struct Svd {
  Array u;
  Array s;   // [..., k] for k = min(m, n), real, descending
  Array vh;  // the adjoint of V
};
// a = U diag(s) V^H. Differentiable without full matrices, or of square ones.
Svd svd(const Operand& a, const SvdOptions& options = {});
Array svdvals(const Operand& a);

struct Eig {
  Array values;   // [..., n], complex, in LAPACK's order
  Array vectors;  // [..., n, n], complex: column i belongs to value i, with length 1
};
// Of any square matrices. The greatest element of a vector is real. Derivatives are those of JAX with
// enable_eigvec_derivs, for eigenvalues that differ.
Eig eig(const Operand& a);
Array eigvals(const Operand& a);

struct Schur {
  Array t, q;
};
// a = Q T Q^H with unitary Q and an upper triangle T; of real matrices T has blocks of two rows and columns
// on its diagonal for pairs of conjugate eigenvalues. Without a derivative, as in JAX.
Schur schur(const Operand& a);

// --- what is made of these

struct PinvOptions {
  detail::ByName by_name = detail::ByName();
  Optional<double> rtol = {};  // by default 10 max(m, n) eps
};
// The pseudo-inverse: singular values up to rtol times the greatest one count as 0. Its derivative is that of
// Golub and Pereyra (1973), for matrices whose rank does not change.
Array pinv(const Operand& a, const PinvOptions& options = {});

struct RankOptions {
  detail::ByName by_name = detail::ByName();
  Optional<double> tolerance = {};  // by default the greatest singular value times max(m, n) eps
};
// How many singular values are above the tolerance, s32.
Array matrix_rank(const Operand& a, const RankOptions& options = {});

// Which norm: a number p, of vectors sum(|x|^p)^(1/p), of matrices 1, -1 (sums of columns), 2, -2 (singular
// values), infinity or its negative (sums of rows); or one that has a name.
class NormOrder {
 public:
  enum class Kind { kDefault, kNumber, kFrobenius, kNuclear };
  NormOrder() = default;
  NormOrder(double p) : kind_(Kind::kNumber), p_(p) {}  // NOLINT: a number is an order
  static NormOrder frobenius() { return NormOrder(Kind::kFrobenius); }
  static NormOrder nuclear() { return NormOrder(Kind::kNuclear); }
  Kind kind() const { return kind_; }
  double p() const { return p_; }

 private:
  explicit NormOrder(Kind kind) : kind_(kind) {}
  Kind kind_ = Kind::kDefault;
  double p_ = 2;
};
struct NormOptions {
  detail::ByName by_name = detail::ByName();
  NormOrder order = {};  // by default the root of the sum of squares
  Axes axes = {};        // one: norms of vectors; two, rows and columns: of matrices. By default all
  bool keepdims = false;
};
// As numpy.linalg.norm; real, of complex arrays too.
Array norm(const Operand& x, const NormOptions& options = {});

// norm(x, 2), norm(x, 1, 0), norm(m, "fro"): the same with the order first.
template <class P>
requires(std::is_arithmetic_v<P> || std::is_same_v<P, NormOrder>) Array
    norm(const Operand& x, P order, const Axes& axes = {}, KeepDims keepdims = {}) {
  NormOptions options;
  if constexpr (std::is_arithmetic_v<P>)
    options.order = NormOrder(static_cast<double>(order));
  else
    options.order = order;
  options.axes = axes;
  options.keepdims = keepdims.value;
  return norm(x, options);
}
Array norm(const Operand& x, const char* order, const Axes& axes = {},
           KeepDims keepdims = {});  // "fro", "nuc"

// Of all elements along the axes, by default of all; of the last two axes. As jnp.linalg's.
Array vector_norm(const Operand& x, double order = 2, const Axes& axes = {}, KeepDims keepdims = {});
Array matrix_norm(const Operand& x, const NormOrder& order = NormOrder::frobenius(), KeepDims keepdims = {});

// The norm of a matrix times that of its inverse; of order 2, which is the default, and -2, a quotient of
// singular values.
Array cond(const Operand& a, const NormOrder& order = {});

struct LstsqOptions {
  detail::ByName by_name = detail::ByName();
  Optional<double> rcond = {};  // by default max(m, n) eps
};
struct Lstsq {
  Array x;                // [n] or [n, k]: the shortest x with the least |a x - b|
  Array residuals;        // [1] or [k]: |a x - b|^2
  Array rank;             // s32
  Array singular_values;  // of a
};
// For a of [m, n] and b of [m] or [m, k]. Singular values below rcond times the greatest one count as 0.
Lstsq lstsq(const Operand& a, const Operand& b, const LstsqOptions& options = {});

// The exponential of square matrices, to 16 squarings, as jax.scipy.linalg.expm; NaN where that is not
// enough.
Array expm(const Operand& a);
// [..., m, n]: element [i, j] is column[i - j], above the diagonal row[j - i]; the first element of the row
// is not read. Without a row it is the conjugate of the column.
Array toeplitz(const Operand& column);
Array toeplitz(const Operand& column, const Operand& row);
Array block_diag(const Operands& arrays);  // matrices along the diagonal of one that is zero elsewhere

// a^n of square matrices, by squaring; of negative n powers of the inverse.
Array matrix_power(const Operand& a, int64_t n);
// The product of matrices in the order that takes the fewest multiplications; the first and the last one may
// be vectors.
Array multi_dot(const Operands& arrays);

// Matrices [.., m, n] times vectors [.., n], and vectors [.., m] times matrices; the leading axes broadcast.
Array matvec(const Operand& a, const Operand& x);
Array vecmat(const Operand& x, const Operand& a);
// x with tensordot(a, x, rank of x) = b, for a of the axes of b and then those of x; and the array that gives
// it, tensorsolve(a, b) = tensordot(tensorinv(a, rank of b), b, rank of b).
Array tensorsolve(const Operand& a, const Operand& b);
Array tensorinv(const Operand& a, int64_t axes = 2);

}  // namespace ingot
