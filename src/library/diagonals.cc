// Matrices told by row and column numbers, and what lies on diagonals.
#include <algorithm>

#include "frontend/compose.h"
#include "ingot/creation.h"
#include "ingot/shapes.h"

namespace ingot {
namespace {

using detail::apply;
using detail::fail;

void check_extents(const char* name, int64_t rows, int64_t columns, const std::source_location& where) {
  if (rows < 0 || columns < 0)
    fail(where, std::string(name) + ": there are no " + std::to_string(rows) + " rows of " +
                    std::to_string(columns) + " columns; both should be 0 or more");
  detail::checked_shape(name, {rows, columns}, where);
}

// column - row compared with k, of every place of a matrix.
Array by_diagonal(int64_t rows, int64_t columns, Compare how, int64_t k) {
  k = std::clamp(k, -rows - 1, columns + 1);  // all further ones are alike
  const Shape shape = {rows, columns};
  const DType places = detail::places_dtype(rows + columns + 2);  // as far as a row and k together go
  return compare(how, iota(places, shape, 1), iota(places, shape, 0) + k);
}

Array diagonal_matrix(const char* name, int64_t rows, Optional<int64_t> given, Compare how, int64_t k,
                      DType dtype, const std::source_location& where) {
  const CallerScope caller(where, name);
  const int64_t columns = given.value_or(rows);
  check_extents(name, rows, columns, where);
  return apply(name, {}, {rows, columns, k, static_cast<int64_t>(dtype)}, where,
               [&](const std::vector<Array>&) { return by_diagonal(rows, columns, how, k).astype(dtype); });
}

Array triangle(const char* name, const Operand& x, Compare how, int64_t k) {
  const CallerScope caller(x.where(), name);
  const Array array = detail::checked_array(x);
  if (array.rank() < 2)
    fail(x.where(), std::string(name) +
                        ": takes a matrix, or a batch of them in its last two dimensions, but "
                        "this is a " +
                        array.type_string());
  return apply(name, {array}, {k}, x.where(), [&](const std::vector<Array>& operands) {
    const Array& a = operands[0];
    return where(by_diagonal(a.shape(-2), a.shape(-1), how, k), a, detail::number(a.dtype(), 0));
  });
}

// How many places of a matrix have column <= row + k, of k from -rows to columns: rows that grow by one
// place each, and full ones behind them.
int64_t lower_count(int64_t rows, int64_t columns, int64_t k) {
  const int64_t begin = std::clamp<int64_t>(-k, 0, rows),
                full = std::clamp<int64_t>(columns - k - 1, begin, rows);
  return (full - begin) * (begin + full + 2 * k + 1) / 2 + (rows - full) * columns;
}

std::array<Array, 2> triangle_places(const char* name, bool lower, int64_t rows, int64_t k,
                                     Optional<int64_t> given, const std::source_location& where) {
  const CallerScope caller(where, name);
  const int64_t columns = given.value_or(rows);
  check_extents(name, rows, columns, where);
  k = std::clamp(k, -rows, columns);  // all further ones are alike
  const int64_t count = lower        ? lower_count(rows, columns, k)
                        : k == -rows ? rows * columns
                                     : rows * columns - lower_count(rows, columns, k - 1);
  // The rows that have such places, and the columns up to the last such one.
  const int64_t first = lower ? std::max<int64_t>(-k, 0) : 0,
                last = count == 0 ? first
                       : lower    ? rows
                                  : std::min(rows, columns - k),
                wide = lower ? std::min(columns, last + k) : columns;
  if (count > 0 && std::max(last, wide) - 1 > INT32_MAX)
    fail(where, std::string(name) + ": of " + std::to_string(rows) + " rows of " + std::to_string(columns) +
                    " columns there are places up to row " + std::to_string(last - 1) + " and column " +
                    std::to_string(wide - 1) + ", but places are s32, which ends at " +
                    std::to_string(INT32_MAX));
  const detail::ArrayType* type = detail::intern_type(DType::kS32, {count});
  const auto filled = [&](bool rows_wanted) {
    auto buffer = detail::allocate(type, "places of a triangle", where);
    detail::fill_buffer(*buffer, static_cast<size_t>(type->bytes), [&](std::byte* bytes) {
      auto* next = reinterpret_cast<int32_t*>(bytes);
      for (int64_t i = first; i < last; ++i) {
        const int64_t begin = lower ? 0 : std::max<int64_t>(i + k, 0),
                      end = lower ? std::min(i + k + 1, columns) : columns;
        for (int64_t j = begin; j < end; ++j) *next++ = static_cast<int32_t>(rows_wanted ? i : j);
      }
    });
    return detail::make_concrete(type, std::move(buffer), detail::user_line(where));
  };
  return {filled(true), filled(false)};
}

}  // namespace

Array eye(int64_t rows, Optional<int64_t> columns, int64_t k, DType dtype, Where where) {
  return diagonal_matrix("eye", rows, columns, Compare::kEq, k, dtype, where);
}
Array identity(int64_t rows, DType dtype, Where where) {
  return diagonal_matrix("identity", rows, rows, Compare::kEq, 0, dtype, where);
}
Array tri(int64_t rows, Optional<int64_t> columns, int64_t k, DType dtype, Where where) {
  return diagonal_matrix("tri", rows, columns, Compare::kLe, k, dtype, where);
}
Array tril(const Operand& x, int64_t k) {
  return triangle("tril", x, Compare::kLe, k);
}
Array triu(const Operand& x, int64_t k) {
  return triangle("triu", x, Compare::kGe, k);
}
std::array<Array, 2> tril_indices(int64_t rows, int64_t k, Optional<int64_t> columns, Where where) {
  return triangle_places("tril_indices", true, rows, k, columns, where);
}
std::array<Array, 2> triu_indices(int64_t rows, int64_t k, Optional<int64_t> columns, Where where) {
  return triangle_places("triu_indices", false, rows, k, columns, where);
}

namespace {

Array matrix_around(const char* name, const Operand& x, int64_t k) {
  const Array array = detail::checked_array(x);
  constexpr int64_t kFarthest = int64_t{1} << 31;  // a matrix of as many rows and columns is none any more
  if (k <= -kFarthest || k >= kFarthest || array.size() >= kFarthest)
    fail(x.where(), std::string(name) + ": the matrix with a " + array.type_string() + " on its diagonal " +
                        std::to_string(k) + " would have more elements than any array can");
  const int64_t size = array.size() + std::abs(k);
  return apply("diag", {array}, {k}, x.where(), [&](const std::vector<Array>& operands) {
    const Array zero = detail::number(operands[0].dtype(), 0);
    const Array row = pad(operands[0], {std::max<int64_t>(k, 0)}, {std::max<int64_t>(-k, 0)}, zero);
    return where(by_diagonal(size, size, Compare::kEq, k), row, zero);
  });
}

}  // namespace

Array diag(const Operand& x, int64_t k) {
  const CallerScope caller(x.where(), "diag");
  const Array array = detail::checked_array(x);
  if (array.rank() == 2) return diagonal(x, k);
  if (array.rank() != 1)
    fail(x.where(), "diag: takes a vector or a matrix, but this is a " + array.type_string() +
                        "; diagonal takes the diagonals of more dimensions");
  return matrix_around("diag", x, k);
}

Array diagflat(const Operand& x, int64_t k) {
  const CallerScope caller(x.where(), "diagflat");
  return matrix_around("diagflat", Operand(ravel(x), x.where()), k);
}

// Every element but for d of a square that is d wide: a slice.
Array diagonal(const Operand& x, int64_t offset, Axis axis1, Axis axis2) {
  const CallerScope caller(x.where(), "diagonal");
  const Array array = detail::checked_array(x);
  const int64_t first = detail::checked_axis("diagonal", axis1, array.rank(), x.where());
  const int64_t second = detail::checked_axis("diagonal", axis2, array.rank(), x.where());
  if (first == second) fail(x.where(), "diagonal: both axes are " + std::to_string(first));
  return apply("diagonal", {array}, {offset, first, second}, x.where(), [&](const std::vector<Array>& given) {
    const Array last = moveaxis(given[0], {first, second}, {-2, -1});
    const int64_t rows = last.shape(-2), columns = last.shape(-1);
    const int64_t down = std::max<int64_t>(-offset, 0), right = std::max<int64_t>(offset, 0);
    const int64_t length = std::max<int64_t>(0, std::min(rows - down, columns - right));
    Shape shape = last.shape();
    shape.pop_back();
    shape.back() = length;
    if (length == 0) return Array::zeros(shape, array.dtype());
    const Array square = slice_axis(slice_axis(last, -2, down, down + length), -1, right, right + length);
    Shape flat = shape;
    flat.back() = length * length;
    return slice_axis(reshape(square, flat), -1, 0, length * length, length + 1);
  });
}

Array trace(const Operand& x, int64_t offset, Axis axis1, Axis axis2) {
  const CallerScope caller(x.where(), "trace");
  const Array array = detail::checked_array(x);
  const int64_t first = detail::checked_axis("trace", axis1, array.rank(), x.where());
  const int64_t second = detail::checked_axis("trace", axis2, array.rank(), x.where());
  return apply("trace", {array}, {offset, first, second}, x.where(), [&](const std::vector<Array>& given) {
    return sum(diagonal(given[0], offset, first, second), -1);
  });
}

Array vander(const Operand& x, Optional<int64_t> given, bool increasing) {
  const CallerScope caller(x.where(), "vander");
  const Array array = detail::checked_array(x);
  if (array.rank() != 1) fail(x.where(), "vander: takes a vector, but this is a " + array.type_string());
  const int64_t columns = given.value_or(array.size());
  check_extents("vander", array.size(), columns, x.where());
  return apply("vander", {array}, {columns, increasing}, x.where(), [&](const std::vector<Array>& operands) {
    const Array& a = operands[0];
    const Shape shape = {a.size(), columns};
    if (columns == 0) return Array::zeros(shape, a.dtype());
    if (is_inexact(a.dtype())) {
      const Array power = iota(detail::places_dtype(columns), shape, 1).astype(real_dtype(a.dtype()));
      return pow(expand_dims(a, 1), increasing ? power : static_cast<double>(columns - 1) - power);
    }
    std::vector<Array> powers = {ones_like(a)};
    while (static_cast<int64_t>(powers.size()) < columns) powers.push_back(powers.back() * a);
    if (!increasing) std::reverse(powers.begin(), powers.end());
    return stack(powers, 1);
  });
}

}  // namespace ingot
