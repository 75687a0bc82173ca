// Where elements are, and which ones there are. How many that is depends on values, and the shapes of a
// program do not: `size` says how many results there are, the first ones that are found and then the fill
// value. Outside of a program `size` may be left out; the values are looked at then.
#pragma once

#include <functional>

#include "ingot/functions.h"

namespace ingot {

enum class Side { kLeft, kRight };
// The place of each value in the sorted vector: before the elements that are equal to it, or behind them.
// NaN stand last.
Array searchsorted(const Operand& sorted, const Operand& values, Side side = Side::kLeft);
// The bin of each element: i with bins[i-1] <= x < bins[i], or with the right edge in the bin, `right`, <
// and <=. The edges ascend or descend.
Array digitize(const Operand& x, const Operand& bins, bool right = false);

struct SizeOptions {
  detail::ByName by_name = detail::ByName();
  Optional<int64_t> size = {};
  Optional<double> fill_value = {};
};
// The places of elements that are not 0, in row-major order, an array per axis: s32, of 2^31 or more s64.
std::vector<Array> nonzero(const Operand& x, const SizeOptions& options = {});
std::vector<Array> where(const Operand& condition, const SizeOptions& options = {});  // the same
Array flatnonzero(const Operand& x, const SizeOptions& options = {});                 // places in ravel(x)
Array argwhere(const Operand& x, const SizeOptions& options = {});                    // [size, rank]
// The elements of an axis for which the condition, a vector, is true; without one of x flattened.
Array compress(const Operand& condition, const Operand& x, const SizeOptions& options = {});
Array compress(const Operand& condition, const Operand& x, Axis axis, const SizeOptions& options = {});
Array extract(const Operand& condition, const Operand& x, const SizeOptions& options = {});  // both flattened

struct UniqueOptions {
  detail::ByName by_name = detail::ByName();
  Optional<int64_t> size = {};
  Optional<double> fill_value = {};
  Optional<int64_t> axis = {};  // of whole slices in place of elements
};
// The elements of x without repetition, ascending; NaN are equal. The fill value is the least of them, if
// none is given. Along an axis: its slices, in the order of their first elements, then of the next ones.
Array unique(const Operand& x, const UniqueOptions& options = {});
// Elements, each once and ascending, that stand in x and in y, in one of them, in x alone, in one of them
// alone. The fill value is the least one, of setdiff1d 0.
Array intersect1d(const Operand& x, const Operand& y, const SizeOptions& options = {});
Array union1d(const Operand& x, const Operand& y, const SizeOptions& options = {});
Array setdiff1d(const Operand& x, const Operand& y, const SizeOptions& options = {});
Array setxor1d(const Operand& x, const Operand& y, const SizeOptions& options = {});
struct Unique {
  Array values;
  Array indices;  // of the first element in ravel(x) that has the value, s32
  Array inverse;  // the place of each element of x among the values, of the shape of x, s32
  Array counts;   // how many there are, s32; 0 for filled ones
};
Unique unique_all(const Operand& x, const SizeOptions& options = {});

// --- indices of several axes as one ---
std::vector<Array> unravel_index(const Operand& indices, const Shape& shape);
enum class RavelMode { kClip, kWrap };  // what becomes of an index out of range
Array ravel_multi_index(const Operands& indices, const Shape& shape, RavelMode mode = RavelMode::kClip);

// --- choices ---
// The choice of the first condition that is true, element by element; else the default (numpy.select).
Array select(const Operands& conditions, const Operands& choices, const Operand& otherwise = 0);
inline Array select(std::initializer_list<Operand> conditions, std::initializer_list<Operand> choices,
                    const Operand& otherwise = 0) {
  return select(Operands(conditions, otherwise.where()), Operands(choices, otherwise.where()), otherwise);
}
// What piecewise does to elements: a function of them, or a number that it puts in their place.
class PieceOfFunction {
 public:
  template <class T>
  requires(std::is_convertible_v<const T&, Operand>) PieceOfFunction(const T& value)  // NOLINT
      : value_(Operand(value)) {}
  template <class F>
  requires(!std::is_convertible_v<const F&, Operand> && std::is_invocable_r_v<Array, const F&, Array>)
      PieceOfFunction(F f)  // NOLINT
      : function_(std::move(f)) {}
  Array operator()(const Array& x, DType dtype, Where where) const;

 private:
  std::function<Array(Array)> function_;
  Optional<Operand> value_;
};
// The piece of the first condition that is true, element by element, in the dtype of x; the last piece where
// none is, if there is one more of them than conditions, else 0 (numpy.piecewise). Every piece is computed
// for all of x.
Array piecewise(const Operand& x, const Operands& conditions, const std::vector<PieceOfFunction>& pieces);
// choices[index], element by element; an index out of range is cut off, or counted round and round.
Array choose(const Operand& index, const Operands& choices, RavelMode mode = RavelMode::kClip);
// x with values at places in ravel(x); the values are repeated where they are fewer. Out of range: left out.
[[nodiscard]] Array put(const Operand& x, const Array& indices, const Operand& values);
// x with values where take_along_axis reads.
[[nodiscard]] Array put_along_axis(const Operand& x, const Array& indices, const Operand& values, Axis axis);
// x with values, one after the other, where the mask is true (numpy.place with as many values as there are).
[[nodiscard]] Array place(const Operand& x, const Operand& mask, const Operand& values);
// x with the value where all indices are equal: on the diagonal of a matrix; more than two axes are to be of
// one length (numpy.fill_diagonal).
[[nodiscard]] Array fill_diagonal(const Operand& x, const Operand& value);

}  // namespace ingot
