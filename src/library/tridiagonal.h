// Tridiagonal systems, by the elimination with exchanged rows of LAPACK's gtsv.
#pragma once

#include "ingot/array.h"

namespace ingot::detail {

// What gtsv leaves in its operands, each of [.., n] in the order that JAX hands them over: of U the second
// superdiagonal, which begins at element 1 (elements 0 and n - 1 are those of the lower diagonal), the
// diagonal and the superdiagonal; and the solution. `info` is s32[..], 0, or the number of the row from 1
// whose pivot is 0: there is no solution then, and what stands in the arrays of that system is not LAPACK's.
struct Gtsv {
  Array dl, d, du, x, info;
};

// Row i reads dl[i] x[i - 1] + d[i] x[i] + du[i] x[i + 1] = b[i]; dl[0] and du[n - 1] are not read. The
// diagonals are [.., n] of f32, f64 or a complex dtype, b is [.., n] or [.., n, k] of the same.
Gtsv gtsv(const Array& dl, const Array& d, const Array& du, const Array& b);

// x of the same systems, finite where they are singular: pivots too small to divide by are moved away from 0.
Array perturbed_solve(const Array& dl, const Array& d, const Array& du, const Array& b);

}  // namespace ingot::detail
