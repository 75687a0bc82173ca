// Parts of arrays as numpy's brackets name them, and arrays of which such a part is another.
//
//   x(i, Slice{1, 3})            x[i, 1:3]
//   x(kEllipsis, kNewAxis)       x[..., None]
//   x(rows, cols)                x[rows, cols], with arrays of integers: element by element
//   at(x, i, j).set(5)           x.at[i, j].set(5)
//   x.at(rows).add(y)            x.at[rows].add(y)
//   x(x > 0), at(x, x < 0).set(0)
//   at(x).set(5)                 x.at[...].set(5), also of a scalar
//
// Axes that are not named stay whole. Arrays of integers broadcast together, and the axes of that stand where
// the first of them was, or in front where other axes stand between them (numpy's rule; an integer beside
// arrays counts as one of them). Negative indices count from the end. An integer that is a C++ number is an
// Error where it is out of range. From an array it is cut off to the nearest element where x is read, and
// left out where x is written, as in JAX.
//
// A mask is a pred array with the extents of some axes of x: x(mask) has the elements where it is true, in
// row-major order. How many those are depends on values, so that in a program it is an Error; where(mask, x,
// y) and compress(mask, x, {.size = n}) do there, and at(x, mask).set(y), .add and so on of values that are
// the same for all places.
//
// Updates write in place where nobody else needs the old array.
#pragma once

#include <functional>

#include "ingot/functions.h"

namespace ingot {

// A part of an array. Values broadcast to its shape and take the dtype of the array. Where an index comes
// twice, `set` keeps the last value and all others combine one after the other.
class [[nodiscard]] Selection {
 public:
  Selection(Array x, std::vector<Subscript> indices, Where where)
      : x_(std::move(x)), indices_(std::move(indices)), where_(where) {}

  [[nodiscard]] Array get(Where where = Where::current()) const;
  [[nodiscard]] Array set(const Operand& values) const;
  [[nodiscard]] Array add(const Operand& values) const;
  [[nodiscard]] Array sub(const Operand& values) const;
  [[nodiscard]] Array mul(const Operand& values) const;
  [[nodiscard]] Array min(const Operand& values) const;
  [[nodiscard]] Array max(const Operand& values) const;
  [[nodiscard]] Array apply(const std::function<Array(Array)>& f) const;  // set(f(get()))

 private:
  Array x_;
  std::vector<Subscript> indices_;
  Where where_;
};

std::ostream& operator<<(std::ostream&, const Selection&) = delete;  // x(0), or x.at(0).get()
Selection at(const Array& x, const Subscript& a, const Subscript& b = {}, const Subscript& c = {},
             const Subscript& d = {}, const Subscript& e = {}, const Subscript& f = {},
             const Subscript& g = {}, const Subscript& h = {});
Selection at(const Array& x, Subscript::Line line = Where::current());  // all of x: x[...] of numpy
// Indices whose number is not known where this is written.
Array index(const Operand& x, const std::vector<Subscript>& indices);
Selection at(const Array& x, const std::vector<Subscript>& indices, Where where = Where::current());

}  // namespace ingot
