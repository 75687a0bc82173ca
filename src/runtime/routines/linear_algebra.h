// Factors and solutions of matrices that lie row-major one behind the other. What they give depends on sizes
// and on the width of vectors, never on threads.
#pragma once

#include <memory>
#include <vector>

#include "base/lapack.h"
#include "runtime/routine.h"

namespace ingot::runtime {

struct CholeskyForm {
  DType dtype = DType::kF32;  // f32, f64, c64 or c128
  int64_t batch = 0, n = 0;
  bool lower = true;
  int vector_bytes = 16;
};
// Parameter 0: a; 1: the factor. Reads one triangle, and writes zeros into the other one; where there is no
// factor, its triangle is NaN.
std::shared_ptr<const Routine> cholesky(const CholeskyForm& form);

struct TriangularForm {
  DType dtype = DType::kF32;
  int64_t batch = 0, n = 0;
  int64_t sides = 0;  // columns of b [n, sides], or, on the right, rows of b [sides, n]
  bool left_side = true, lower = true, unit_diagonal = false, transposed = false, conjugated = false;
  bool same = false;  // b is a: there is one input
  int vector_bytes = 16;
};
// Parameters: a, b and the solution.
std::shared_ptr<const Routine> triangular_solve(const TriangularForm& form);

struct LuForm {
  DType dtype = DType::kF32;
  int64_t batch = 0, m = 0, n = 0;
  int vector_bytes = 16;
};
// Parameters: a of [m, n]; both factors in its shape, the diagonal of the first one, 1, left out; the row
// that row i was exchanged with, for the first min(m, n); the row of a that row i of the product is.
std::shared_ptr<const Routine> lu(const LuForm& form);

// What reflections make of a: Q and R; R with the reflections below its diagonal, and their factors; or Q of
// these two.
enum class QrResult { kFactors, kPacked, kProduct };
struct QrForm {
  DType dtype = DType::kF32;
  int64_t batch = 0, m = 0, n = 0;
  int64_t reflections = 0;  // min(m, n), or, of a product, any number up to n
  int64_t columns = 0;      // of Q
  QrResult result = QrResult::kFactors;
  int vector_bytes = 16;
};
// Parameters: a of [m, n], Q of [m, columns] and R of [columns, n]; a, what is packed and the factors; or
// these two and Q.
std::shared_ptr<const Routine> qr(const QrForm& form);

// What LAPACK computes. Parameters: a, and the results, of so many bytes for each matrix.
struct DecompositionForm {
  lapack::Form of;
  int64_t batch = 0;
  int64_t operand_bytes = 0;
  std::vector<int64_t> result_bytes;
};
std::shared_ptr<const Routine> decomposition(const DecompositionForm& form);

}  // namespace ingot::runtime
