// Matrices whose elements stand in a pattern.
#include <algorithm>

#include "frontend/compose.h"
#include "ingot/linalg.h"
#include "ingot/shapes.h"

namespace ingot {

Array toeplitz(const Operand& column) {
  const CallerScope caller(column.where(), "toeplitz");
  return toeplitz(column, conj(column));
}

// Element [i, j] is column[i - j] or row[j - i]: the row reversed, then the column, read backwards from a
// place that moves on by one from row to row.
Array toeplitz(const Operand& column, const Operand& row) {
  const std::source_location& where = column.where();
  const CallerScope caller(where, "toeplitz");
  std::vector<Array> both = detail::same_dtype("toeplitz", {column, row}, where);
  for (Array& part : both) part = atleast_1d(Operand(part, where));
  const Shape c(both[0].shape().begin(), both[0].shape().end() - 1),
      r(both[1].shape().begin(), both[1].shape().end() - 1);
  const Shape batch = detail::broadcast_shape(
      "toeplitz", {Array::abstract(DType::kPred, c), Array::abstract(DType::kPred, r)}, where);
  const int64_t m = both[0].shape(-1), n = both[1].shape(-1);
  return detail::apply("toeplitz", both, {}, where, [&](const std::vector<Array>& given) {
    const auto whole = [&](const Array& part) {
      Shape shape = batch;
      shape.push_back(part.shape(-1));
      return broadcast_to(part, shape);
    };
    if (m == 0 || n == 0) {
      Shape shape = batch;
      shape.insert(shape.end(), {m, n});
      return Array::zeros(shape, given[0].dtype());
    }
    const Array line = concatenate({flip(whole(given[1])(kEllipsis, Slice{1}), -1), whole(given[0])}, -1);
    const DType places = detail::places_dtype(m + n);
    const Array place = iota(places, {m, n}, 0) - iota(places, {m, n}, 1) + (n - 1);
    return take(line, place, -1, IndexMode::kClip);
  });
}

Array block_diag(const Operands& arrays) {
  const std::source_location where = arrays.where();
  const CallerScope caller(where, "block_diag");
  if (arrays.items().empty()) detail::fail(where, "there is no block");
  std::vector<Array> blocks = detail::same_dtype("block_diag", arrays.items(), where);
  int64_t columns = 0, before = 0;
  for (Array& block : blocks) {
    block = atleast_2d(Operand(block, where));
    if (block.rank() != 2)
      detail::fail(where,
                   "a block is " + block.type_string() + ", but should be a matrix, a vector or a number");
    columns += block.shape(1);
  }
  std::vector<Array> rows;
  for (const Array& block : blocks) {
    const int64_t behind = columns - before - block.shape(1);
    rows.push_back(
        pad(Operand(block, where), {0, before}, {0, behind}, Operand(detail::number(block.dtype(), 0))));
    before += block.shape(1);
  }
  return concatenate(Operands(rows, where), 0);
}

}  // namespace ingot
