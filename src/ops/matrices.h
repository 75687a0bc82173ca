// What records of matrices share: checks of types, matrices of the reference semantics, and where a batch
// stands. A matrix lies in the last two dimensions; all others are a batch.
#pragma once

#include <complex>
#include <limits>

#include "ops/batching.h"
#include "ops/reference.h"

namespace ingot::ops {

inline void want_matrices(const TensorType& type, std::string_view what) {
  want_dtype(type, kInexact, what);
  if (type.rank() < 2)
    fail(what, " is ", type, ", but must be a matrix, or a batch of them in its last two dimensions");
}

inline void want_square(const TensorType& type, std::string_view what) {
  want_matrices(type, what);
  if (type.shape[type.shape.size() - 2] != type.shape.back())
    fail(what, " is ", type, ", but must be square in its last two dimensions");
}

// --- matrices of the reference semantics

template <class T>
T conjugated(T x) {
  if constexpr (requires { x.imag(); })
    return std::conj(x);
  else
    return x;
}

template <class T>
T not_a_number() {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  if constexpr (requires(T x) { x.imag(); })
    return {static_cast<typename T::value_type>(nan), static_cast<typename T::value_type>(nan)};
  else
    return static_cast<T>(nan);
}

template <class T>
struct Matrix {
  Matrix(size_t rows, size_t columns) : rows(rows), columns(columns), data(rows * columns) {}
  T& operator()(size_t i, size_t j) { return data[i * columns + j]; }
  T operator()(size_t i, size_t j) const { return data[i * columns + j]; }
  Matrix transposed() const {
    Matrix result(columns, rows);
    for (size_t i = 0; i < rows; ++i) {
      for (size_t j = 0; j < columns; ++j) result(j, i) = (*this)(i, j);
    }
    return result;
  }

  size_t rows, columns;
  std::vector<T> data;
};

// The matrices of a tensor, converted to and from the type that they are computed in.
template <class T>
struct MatricesOf {
  using Computed = Wide<ops::Computed<T>>;

  explicit MatricesOf(const Shape& shape)
      : rows(static_cast<size_t>(shape[shape.size() - 2])),
        columns(static_cast<size_t>(shape.back())),
        count(element_count(Shape(shape.begin(), shape.end() - 2))) {}
  Matrix<Computed> load(const Tensor& from, int64_t number) const {
    Matrix<Computed> matrix(rows, columns);
    const T* elements = from.data<T>() + number * static_cast<int64_t>(rows * columns);
    for (size_t i = 0; i < matrix.data.size(); ++i) matrix.data[i] = static_cast<Computed>(elements[i]);
    return matrix;
  }
  void store(const Matrix<Computed>& matrix, Tensor& to, int64_t number) const {
    T* elements = to.data<T>() + number * static_cast<int64_t>(rows * columns);
    for (size_t i = 0; i < matrix.data.size(); ++i) elements[i] = static_cast<T>(matrix.data[i]);
  }

  size_t rows, columns;
  int64_t count;
};

template <class Fn>
void visit_inexact(DType dtype, const Fn& fn) {
  visit_dtype(dtype, [&]<class T>(std::type_identity<T> type) {
    if constexpr (is_inexact(dtype_of<T>())) fn(type);
  });
}

// --- batching

// The value with its batch before the matrices.
inline Batched before_matrices(Batcher& batcher, const Batched& x, int64_t wanted) {
  return {with_batch_at(batcher, x, wanted), wanted};
}
// Where that is: where it stands already, unless that is among their dimensions.
inline int64_t batch_axis(const Batched& x) {
  return !x.shared() && x.axis < x.value->rank() - 2 ? x.axis : 0;
}

// One operand of matrices, and results that all have the batch where it has it.
inline Batches batch_factors(const Op& op, std::span<const Batched> x, Batcher& batcher) {
  const Batched a = before_matrices(batcher, x[0], batch_axis(x[0]));
  Batches results;
  for (Value* result : batcher.make(op.name(), {a.value}, op.attributes())->results())
    results.push_back({result, a.axis});
  return results;
}

}  // namespace ingot::ops
