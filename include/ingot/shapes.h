// Arrays joined, cut, repeated and turned. Views all of them: within a program they move nothing.
#pragma once

#include "ingot/functions.h"

namespace ingot {
namespace detail {

Array roll_by(const Operand& x, const Array& shift, Axis axis);
std::vector<Array> split_equally(const char* name, const Operand& x, int64_t parts, Axis axis, bool equal);

}  // namespace detail

// Arrays or numbers in braces, as deep as one likes.
class NestedArrays {
 public:
  template <class T>
  requires(std::is_convertible_v<const T&, Operand>)
      NestedArrays(const T& item, Where where = Where::current())  // NOLINT
      : item_(Operand(item)), where_(where) {}
  NestedArrays(std::initializer_list<NestedArrays> items, Where where = Where::current());  // NOLINT
  NestedArrays(const NestedArrays& other);
  ~NestedArrays();
  bool is_list() const { return is_list_; }
  const std::vector<NestedArrays>& items() const { return items_; }
  const Operand& item() const { return item_; }
  const Where& where() const { return where_; }

 private:
  std::vector<NestedArrays> items_;
  Operand item_ = Operand(0);
  bool is_list_ = false;
  Where where_;
};

Array ravel(const Operand& x);  // one axis, row-major
Array atleast_1d(const Operand& x);
Array atleast_2d(const Operand& x);  // a vector becomes a row
Array atleast_3d(const Operand& x);  // [n] becomes [1,n,1], [m,n] becomes [m,n,1]
std::vector<Array> broadcast_arrays(const Operands& arrays);

// The axes at `source` stand at `destination`, all others in their order.
Array moveaxis(const Operand& x, const Axes& source, const Axes& destination);
Array rot90(const Operand& x, int64_t turns = 1, std::array<int64_t, 2> axes = {0, 1});
Array fliplr(const Operand& x);               // along axis 1
Array flipud(const Operand& x);               // along axis 0
Array roll(const Operand& x, int64_t shift);  // of all elements, in row-major order
Array roll(const Operand& x, const std::vector<int64_t>& shifts, const std::vector<int64_t>& axes);
template <std::same_as<Array> A>  // by a shift that is known at run time, an integer scalar
Array roll(const Operand& x, const A& shift, Axis axis);

// Vectors side by side, else along axis 1; below each other; along axis 2; as columns.
Array hstack(const Operands& arrays);
Array vstack(const Operands& arrays);
Array dstack(const Operands& arrays);
Array column_stack(const Operands& arrays);
template <std::same_as<Array> A, class... Others>
Array hstack(const Array&, const A&, const Others&...) = delete;  // hstack({x, y})
template <std::same_as<Array> A, class... Others>
Array vstack(const Array&, const A&, const Others&...) = delete;  // vstack({x, y})
// An array of blocks, in nested lists: block({{a, b}, {c, d}}) has a and b side by side and c and d below
// them. Items of the innermost lists are joined along the last axis, those of each list around them along the
// axis before it (numpy.block).
Array block(const NestedArrays& blocks);
Array append(const Operand& x, const Operand& values);  // both flattened
Array append(const Operand& x, const Operand& values, Axis axis);

// Equal parts of an axis: Error if there are none. array_split: the first ones may be one longer.
// Parts [0, at[0]), [at[0], at[1]), ...
std::vector<Array> split(const Operand& x, const std::vector<int64_t>& at, Axis axis = 0);
template <std::integral N>  // {3} is a list of places, as above
std::vector<Array> split(const Operand& x, N parts, Axis axis = 0) {
  return detail::split_equally("split", x, static_cast<int64_t>(parts), axis, true);
}
std::vector<Array> array_split(const Operand& x, const std::vector<int64_t>& at, Axis axis = 0);
template <std::integral N>
std::vector<Array> array_split(const Operand& x, N parts, Axis axis = 0) {
  return detail::split_equally("array_split", x, static_cast<int64_t>(parts), axis, false);
}
std::vector<Array> vsplit(const Operand& x, int64_t parts);   // along axis 0
std::vector<Array> hsplit(const Operand& x, int64_t parts);   // along axis 1, of a vector along axis 0
std::vector<Array> dsplit(const Operand& x, int64_t parts);   // along axis 2
std::vector<Array> unstack(const Operand& x, Axis axis = 0);  // the elements of an axis

// x as often as `repeats` says along each axis; lists are aligned at the last axis.
Array tile(const Operand& x, const std::vector<int64_t>& repeats);
template <Extent N>
Array tile(const Operand& x, N repeats) {  // along the last axis
  return tile(x, std::vector<int64_t>{static_cast<int64_t>(repeats)});
}
// Each element of an axis so many times, one after the other; without an axis, of x flattened.
Array repeat(const Operand& x, int64_t repeats);
Array repeat(const Operand& x, int64_t repeats, Axis axis);
struct RepeatOptions {
  detail::ByName by_name = detail::ByName();
  // The length of the result, which has to be known when a program is traced. Shorter ones are cut off, and
  // longer ones end with the last element repeated.
  Optional<int64_t> total_repeat_length = {};
  int64_t axis = 0;
};
// Element i of an axis repeats[i] times.
Array repeat(const Operand& x, const Array& repeats, const RepeatOptions& options = {});
// x without the elements at these indices of an axis (numpy.delete).
Array delete_(const Operand& x, const std::vector<int64_t>& indices, Axis axis = 0);
template <Extent N>
Array delete_(const Operand& x, N index, Axis axis = 0) {
  return delete_(x, std::vector<int64_t>{static_cast<int64_t>(index)}, axis);
}
// x with the values, which broadcast, before the element `at` of an axis.
Array insert(const Operand& x, int64_t at, const Operand& values, Axis axis = 0);
// The same at several places of x at once: insert(x, {0, 2, 2}, y). Of the values, which broadcast, element i
// of the axis goes to the place i; those for one place keep their order.
Array insert(const Operand& x, const std::vector<int64_t>& places, const Operand& values, Axis axis = 0);

enum class PadMode {
  kConstant,    // zeros, or the value
  kEdge,        // the element at the edge
  kReflect,     // mirrored, without the element at the edge
  kSymmetric,   // mirrored, with it
  kWrap,        // from the other end
  kLinearRamp,  // in equal steps to the value
  kMean,        // the mean along the axis, of integers rounded to the even one
  kMedian,      // the median, the same
  kMaximum,     // the greatest element along the axis
  kMinimum,     // the least one
};
// So many elements before and after each axis, or around each in the same way where the lists have one entry.
// Error where there is no element to mirror or repeat, or where a list does not fit the axes.
Array pad(const Operand& x, const std::vector<int64_t>& low, const std::vector<int64_t>& high, PadMode mode,
          const Operand& value = 0);

template <std::same_as<Array> A>
Array roll(const Operand& x, const A& shift, Axis axis) {
  return detail::roll_by(x, shift, axis);
}

}  // namespace ingot
