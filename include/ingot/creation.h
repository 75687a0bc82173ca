// Arrays that are made from numbers and shapes. Without a dtype they are f32 (as in JAX), whatever type the
// C++ numbers have; `full` takes that of its value, `array` that of its numbers, and indices are s32.
#pragma once

#include <type_traits>

#include "ingot/functions.h"

namespace ingot {

// Arrays of one number. The shape is a list, or the extent of a vector: zeros({2, 3}), zeros(3).
Array zeros(const Shape& shape, DType dtype = DType::kF32, Where where = Where::current());
Array ones(const Shape& shape, DType dtype = DType::kF32, Where where = Where::current());
Array empty(const Shape& shape, DType dtype = DType::kF32,
            Where where = Where::current());           // zeros, as in JAX
Array full(const Shape& shape, const Operand& value);  // of the value's dtype, as Array::full
Array full(const Shape& shape, const Operand& value, DType dtype);
template <Extent N>
Array zeros(N extent, DType dtype = DType::kF32, Where where = Where::current()) {
  return Array::zeros(extent, dtype, where);
}
template <Extent N>
Array ones(N extent, DType dtype = DType::kF32, Where where = Where::current()) {
  return Array::ones(extent, dtype, where);
}
template <Extent N>
Array full(N extent, const Operand& value) {
  return Array::full(extent, value);
}
template <Extent N>
Array full(N extent, const Operand& value, DType dtype) {
  return Array::full(extent, value, dtype);
}
// numpy's zeros(2, 3) has a dtype in place of an extent.
template <Extent N, Extent M, class... Others>
Array zeros(N, M, Others...) = delete;  // the shape is a list: zeros({2, 3})
template <Extent N, Extent M, class... Others>
Array ones(N, M, Others...) = delete;  // the shape is a list: ones({2, 3})
template <Extent N, Extent M, Number T, class... Others>
Array full(N, M, T, Others...) = delete;  // the shape is a list: full({2, 3}, value)
// Numbers in braces, or in vectors: array({{1, 2}, {3, 4}}) is Array({{1, 2}, {3, 4}}).
inline Array array(std::initializer_list<detail::Nested> rows, Where where = Where::current()) {
  return Array(rows, where);
}
inline Array array(std::initializer_list<detail::Nested> rows, DType dtype, Where where = Where::current()) {
  return Array(rows, dtype, where);
}
template <Number T>
Array array(const std::vector<T>& values, Where where = Where::current()) {
  return Array(values, where);
}
template <Number T>
Array array(const std::vector<std::vector<T>>& rows, Where where = Where::current()) {
  return Array(rows, where);
}

struct LinspaceOptions {
  detail::ByName by_name = detail::ByName();
  bool endpoint = true;  // is `stop` the last number? Else it would be the next one
  int64_t axis = 0;      // along which the numbers lie, where the ends are arrays
  Optional<DType> dtype = {};
};
// `count` numbers from start to stop in equal steps, of equal factors (geomspace), or base to the power of
// numbers in equal steps (logspace). The ends are numbers or arrays that broadcast. Of an integer dtype they
// are rounded down.
Array linspace(const Operand& start, const Operand& stop, int64_t count = 50,
               const LinspaceOptions& options = {});
Array linspace(const Operand& start, const Operand& stop, int64_t count, DType dtype);
Array logspace(const Operand& start, const Operand& stop, int64_t count = 50, double base = 10,
               const LinspaceOptions& options = {});
Array geomspace(const Operand& start, const Operand& stop, int64_t count = 50,
                const LinspaceOptions& options = {});

// Arrays with the shape of x, and with its dtype where none is given.
Array full_like(const Operand& x, const Operand& value, Optional<DType> dtype = {});
Array zeros_like(const Operand& x, Optional<DType> dtype = {});
Array ones_like(const Operand& x, Optional<DType> dtype = {});
Array empty_like(const Operand& x, Optional<DType> dtype = {});  // zeros, as in JAX

enum class Indexing {
  kXY,  // the first two axes are exchanged: rows are y, columns x
  kIJ,
};
struct MeshgridOptions {
  detail::ByName by_name = detail::ByName();
  Indexing indexing = Indexing::kXY;
  bool sparse = false;  // extents of 1 along the axes on which a result does not depend
};
// The coordinates of the points of a grid, given those along each axis.
std::vector<Array> meshgrid(const Operands& axes, const MeshgridOptions& options = {});
std::array<Array, 2> meshgrid(const Operand& x, const Operand& y, const MeshgridOptions& options = {});
std::array<Array, 3> meshgrid(const Operand& x, const Operand& y, const Operand& z,
                              const MeshgridOptions& options = {});

// [rank, shape...]: result[i] holds the index along axis i.
Array indices(const Shape& shape, DType dtype = DType::kS32, Where where = Where::current());
// For each integer a row of zeros with a one at its place, none where it is out of range (jax.nn.one_hot).
Array one_hot(const Operand& x, int64_t classes, DType dtype = DType::kF32, Axis axis = -1);

// --- matrices ---
// Ones where column = row + k. Columns: as many as rows, where they are not given.
Array eye(int64_t rows, Optional<int64_t> columns = {}, int64_t k = 0, DType dtype = DType::kF32,
          Where where = Where::current());
template <std::same_as<DType> D>  // eye(3, DType::kF64)
Array eye(int64_t rows, D dtype, Where where = Where::current()) {
  return eye(rows, std::nullopt, 0, dtype, where);
}
Array identity(int64_t rows, DType dtype = DType::kF32, Where where = Where::current());
// Ones where column <= row + k.
Array tri(int64_t rows, Optional<int64_t> columns = {}, int64_t k = 0, DType dtype = DType::kF32,
          Where where = Where::current());
// x with zeros above its diagonal k, or below it, in the last two axes. Error for less than two.
Array tril(const Operand& x, int64_t k = 0);
Array triu(const Operand& x, int64_t k = 0);
// The places of a triangle of [rows, columns] in row-major order: row and column numbers, s32.
std::array<Array, 2> tril_indices(int64_t rows, int64_t k = 0, Optional<int64_t> columns = {},
                                  Where where = Where::current());
std::array<Array, 2> triu_indices(int64_t rows, int64_t k = 0, Optional<int64_t> columns = {},
                                  Where where = Where::current());
// Of a vector the matrix that has it on its diagonal k, of a matrix that diagonal. Error for other ranks.
Array diag(const Operand& x, int64_t k = 0);
Array diagflat(const Operand& x, int64_t k = 0);  // diag(ravel(x), k)
// Elements [.., i, i + offset] of two axes, along a new last one.
Array diagonal(const Operand& x, int64_t offset = 0, Axis axis1 = 0, Axis axis2 = 1);
Array trace(const Operand& x, int64_t offset = 0, Axis axis1 = 0, Axis axis2 = 1);
// Powers of the elements of a vector, the greatest first; as many as elements, where `columns` is not given.
Array vander(const Operand& x, Optional<int64_t> columns = {}, bool increasing = false);

// --- windows for signals: `count` numbers, f32, the same from both ends ---
Array hanning(int64_t count, Where where = Where::current());
Array hamming(int64_t count, Where where = Where::current());
Array blackman(int64_t count, Where where = Where::current());
Array bartlett(int64_t count, Where where = Where::current());
Array kaiser(int64_t count, const Operand& beta);

}  // namespace ingot
