// Decompositions that LAPACK computes (base/lapack.h), in the interpreter, too: signs and phases of vectors
// are free, and no other way to compute them would choose the same ones.
#pragma once

#include "base/lapack.h"
#include "ops/matrices.h"

namespace ingot::ops {

// Checks that the matrices are not larger than LAPACK counts.
void want_decomposable(const TensorType& type);
// The results of the operation, of all matrices of x; f16 and bf16 by way of f32.
Tensors decomposed(const Op& op, const Tensor& x, lapack::Form form);

// The type of eigenvalues and the like: one for each row of [.., n, n].
inline TensorType row_type(const TensorType& matrices, DType dtype, int64_t length) {
  Shape shape(matrices.shape.begin(), matrices.shape.end() - 1);
  shape.back() = length;
  return {dtype, shape};
}

}  // namespace ingot::ops
