// Products and solutions of jnp.linalg that are others with their axes turned.
#include <algorithm>

#include "frontend/compose.h"
#include "ingot/linalg.h"

namespace ingot {
namespace {

using detail::checked_array;
using detail::fail;

}  // namespace

Array solve_triangular(const Operand& a, const Operand& b, const SolveTriangularOptions& options) {
  const CallerScope caller(a.where(), "solve_triangular");
  return triangular_solve(
      a, b, {.lower = options.lower, .unit_diagonal = options.unit_diagonal, .transpose_a = options.trans});
}

Array vector_norm(const Operand& x, double order, const Axes& axes, KeepDims keepdims) {
  const CallerScope caller(x.where(), "vector_norm");
  const Array array = checked_array(x);
  const std::vector<int64_t> along = detail::checked_axes("vector_norm", axes, array.rank(), x.where());
  // The axes in one, behind all others.
  std::vector<int64_t> turned;
  Shape shape;
  int64_t elements = 1;
  for (int64_t axis = 0; axis < array.rank(); ++axis) {
    if (std::find(along.begin(), along.end(), axis) != along.end()) {
      elements *= array.shape()[static_cast<size_t>(axis)];
    } else {
      turned.push_back(axis);
      shape.push_back(array.shape()[static_cast<size_t>(axis)]);
    }
  }
  turned.insert(turned.end(), along.begin(), along.end());
  shape.push_back(elements);
  const Array result = norm(reshape(transpose(array, turned), shape), order, -1);
  return keepdims.value ? expand_dims(result, Axes(along)) : result;
}

Array matrix_norm(const Operand& x, const NormOrder& order, KeepDims keepdims) {
  const CallerScope caller(x.where(), "matrix_norm");
  return norm(x, order, {-2, -1}, keepdims);
}

Array matvec(const Operand& a, const Operand& x) {
  const CallerScope caller(a.where(), "matvec");
  if (checked_array(a).rank() < 2 || checked_array(x).rank() < 1)
    fail(a.where(), "matvec: takes a matrix and a vector, or batches of them, not " +
                        a.array().type_string() + " and " + x.array().type_string());
  return squeeze(matmul(a, expand_dims(x, -1)), -1);
}
Array vecmat(const Operand& x, const Operand& a) {
  const CallerScope caller(x.where(), "vecmat");
  if (checked_array(a).rank() < 2 || checked_array(x).rank() < 1)
    fail(x.where(), "vecmat: takes a vector and a matrix, or batches of them, not " +
                        x.array().type_string() + " and " + a.array().type_string());
  const Array vector = checked_array(x);
  return squeeze(matmul(expand_dims(is_complex(vector.dtype()) ? conj(vector) : vector, -2), a), -2);
}

Array tensorsolve(const Operand& a, const Operand& b) {
  const CallerScope caller(a.where(), "tensorsolve");
  const Array array = checked_array(a), right = checked_array(b);
  const Shape &of_a = array.shape(), &of_b = right.shape();
  const Shape unknown(of_a.begin() + std::min<std::ptrdiff_t>(array.rank(), right.rank()), of_a.end());
  const int64_t size = element_count(of_b);
  if (of_a.size() < of_b.size() || !std::equal(of_b.begin(), of_b.end(), of_a.begin()) ||
      element_count(unknown) != size) {
    fail(a.where(), "tensorsolve: a is " + array.type_string() + " and b is " + right.type_string() +
                        "; a should have the axes of b, and then others of as many elements");
  }
  return reshape(solve(reshape(array, {size, size}), reshape(right, {size})), unknown);
}

Array tensorinv(const Operand& a, int64_t axes) {
  const CallerScope caller(a.where(), "tensorinv");
  const Array array = checked_array(a);
  if (axes < 1 || axes > array.rank())
    fail(a.where(), "tensorinv: " + std::to_string(axes) + " of the axes of " + array.type_string() +
                        " cannot be those of b");
  const auto middle = array.shape().begin() + axes;
  const Shape rows(array.shape().begin(), middle), columns(middle, array.shape().end());
  const int64_t size = element_count(rows);
  if (element_count(columns) != size)
    fail(a.where(), "tensorinv: the first " + std::to_string(axes) + " axes of " + array.type_string() +
                        " should have as many elements as the others");
  Shape shape = columns;
  shape.insert(shape.end(), rows.begin(), rows.end());
  return reshape(inv(reshape(array, {size, size})), shape);
}

}  // namespace ingot
