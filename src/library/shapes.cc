// Arrays joined, cut, repeated and turned: compositions of views.
#include "ingot/shapes.h"

#include <algorithm>
#include <numeric>

#include "frontend/compose.h"
#include "ingot/cumulative.h"
#include "ingot/searching.h"

namespace ingot {

Operands::Operands(std::initializer_list<Operand> items, Where where) : items_(items), where_(where) {}
Operands::Operands(const std::vector<Array>& arrays, Where where)
    : Operands(arrays.data(), arrays.size(), where) {}
Operands::Operands(const Array* arrays, size_t count, Where where) : where_(where) {
  for (size_t i = 0; i < count; ++i) items_.emplace_back(arrays[i], where);
}
Operands::Operands(const Operands& other) = default;
Operands& Operands::operator=(const Operands& other) = default;
Operands::~Operands() = default;
const Operands::Where& Operands::where() const {
  return items_.empty() ? where_ : items_[0].where();
}
namespace {

using detail::apply;
using detail::checked_array;
using detail::checked_axis;
using detail::fail;

std::vector<Array> each_of(const Operands& arrays, Array (*change)(const Operand&)) {
  std::vector<Array> changed;
  for (const Array& array : detail::same_dtype("concatenate", arrays.items(), arrays.where()))
    changed.push_back(change(Operand(array, arrays.where())));
  return changed;
}

void check_some(const char* name, const Operands& arrays) {
  if (arrays.items().empty()) fail(arrays.where(), std::string(name) + ": there is no array");
}

Array column(const Operand& x) {
  const Array array = x.array();
  return array.rank() < 2 ? reshape(array, {-1, 1}) : array;
}

std::vector<int64_t> places_of(const char* name, const char* what, const Axes& axes, int64_t rank,
                               const std::source_location& where) {
  detail::checked_axes(name, axes, rank, where);  // none is named twice
  std::vector<int64_t> places;
  if (!axes.get()) fail(where, std::string(name) + ": no " + what + " axis is given");
  for (const int64_t axis : *axes.get()) places.push_back(checked_axis(name, axis, rank, where));
  return places;
}

std::vector<Array> cut_at(const char* name, const Operand& x, const std::vector<int64_t>& at, Axis wanted) {
  const CallerScope caller(x.where(), name);
  const Array array = checked_array(x);
  const int64_t axis = checked_axis(name, wanted, array.rank(), x.where()), extent = array.shape(axis);
  std::vector<Array> parts;
  int64_t begin = 0;
  for (size_t i = 0; i <= at.size(); ++i) {
    const int64_t place = i == at.size() ? extent : at[i] < 0 ? at[i] + extent : at[i];
    const int64_t end = std::clamp<int64_t>(place, 0, extent);
    parts.push_back(slice_axis(array, axis, begin, std::max(begin, end)));
    begin = end;
  }
  return parts;
}

int64_t second_axis(const Operand& x) {
  return checked_array(x).rank() == 1 ? 0 : 1;
}

}  // namespace

Array ravel(const Operand& x) {
  const CallerScope caller(x.where(), "ravel");
  return reshape(x, {-1 * (checked_array(x).size() == 0 ? 0 : 1)});
}
Array atleast_1d(const Operand& x) {
  const CallerScope caller(x.where(), "atleast_1d");
  const Array array = checked_array(x);
  return array.rank() >= 1 ? array : reshape(x, {1});
}
Array atleast_2d(const Operand& x) {
  const CallerScope caller(x.where(), "atleast_2d");
  const Array array = checked_array(x);
  return array.rank() >= 2 ? array : reshape(x, {1, array.size()});
}
Array atleast_3d(const Operand& x) {
  const CallerScope caller(x.where(), "atleast_3d");
  const Array array = checked_array(x);
  if (array.rank() >= 3) return array;
  return array.rank() == 2 ? expand_dims(x, 2) : reshape(x, {1, array.size(), 1});
}

std::vector<Array> broadcast_arrays(const Operands& arrays) {
  const CallerScope caller(arrays.where(), "broadcast_arrays");
  std::vector<Array> results;
  for (const Operand& operand : arrays.items()) results.push_back(checked_array(operand));
  const Shape shape = detail::broadcast_shape("broadcast_arrays", results, arrays.where());
  for (Array& result : results) result = broadcast_to(result, shape);
  return results;
}

Array moveaxis(const Operand& x, const Axes& source, const Axes& destination) {
  const CallerScope caller(x.where(), "moveaxis");
  const int64_t rank = checked_array(x).rank();
  const std::vector<int64_t> from = places_of("moveaxis", "source", source, rank, x.where());
  const std::vector<int64_t> to = places_of("moveaxis", "destination", destination, rank, x.where());
  if (from.size() != to.size())
    fail(x.where(), "moveaxis: there are " + std::to_string(from.size()) + " axes to move, but " +
                        std::to_string(to.size()) + " places for them");
  std::vector<int64_t> order(static_cast<size_t>(rank), -1);
  for (size_t i = 0; i < from.size(); ++i) order[static_cast<size_t>(to[i])] = from[i];
  int64_t next = 0;
  for (int64_t& axis : order) {
    if (axis != -1) continue;
    while (std::find(from.begin(), from.end(), next) != from.end()) ++next;
    axis = next++;
  }
  return rank == 0 ? x.array() : transpose(x, order);
}

Array rot90(const Operand& x, int64_t turns, std::array<int64_t, 2> axes) {
  const CallerScope caller(x.where(), "rot90");
  const Array array = checked_array(x);
  const int64_t first = checked_axis("rot90", axes[0], array.rank(), x.where());
  const int64_t second = checked_axis("rot90", axes[1], array.rank(), x.where());
  if (first == second) fail(x.where(), "rot90: both axes are " + std::to_string(first));
  switch (((turns % 4) + 4) % 4) {
    case 0:
      return array;
    case 1:
      return swapaxes(flip(x, second), first, second);
    case 2:
      return flip(x, {first, second});
    default:
      return flip(swapaxes(x, first, second), second);
  }
}

Array fliplr(const Operand& x) {
  const CallerScope caller(x.where(), "fliplr");
  return flip(x, 1);
}
Array flipud(const Operand& x) {
  const CallerScope caller(x.where(), "flipud");
  return flip(x, 0);
}

Array roll(const Operand& x, int64_t shift) {
  const CallerScope caller(x.where(), "roll");
  const Array array = checked_array(x);
  return reshape(roll(ravel(x), shift, 0), array.shape());
}
Array roll(const Operand& x, const std::vector<int64_t>& shifts, const std::vector<int64_t>& axes) {
  const CallerScope caller(x.where(), "roll");
  if (shifts.size() != axes.size())
    fail(x.where(), "roll: there are " + std::to_string(shifts.size()) + " shifts for " +
                        std::to_string(axes.size()) + " axes; each axis takes one");
  Array result = checked_array(x);
  for (size_t i = 0; i < axes.size(); ++i) result = roll(Operand(result, x.where()), shifts[i], axes[i]);
  return result;
}
Array detail::roll_by(const Operand& x, const Array& shift, Axis wanted) {
  const CallerScope caller(x.where(), "roll");
  const Array array = checked_array(x);
  const int64_t axis = checked_axis("roll", wanted, array.rank(), x.where()), extent = array.shape(axis);
  detail::checked_node(shift, x.where());
  if (!is_integer(shift.dtype()) || shift.rank() != 0)
    fail(x.where(), "roll: the shift is " + shift.type_string() + ", but should be an integer scalar");
  if (array.size() == 0) return array;
  return apply("roll_by", {array, shift}, {axis}, x.where(), [&](const std::vector<Array>& operands) {
    const DType dtype = extent <= INT32_MAX ? DType::kS32 : DType::kS64;
    // u64 beyond s64 have their remainder before they are converted.
    const bool wide = operands[1].dtype() == DType::kU64;
    const Array by = mod(wide ? operands[1] : operands[1].astype(DType::kS64), extent).astype(dtype);
    return take(operands[0], mod(iota(dtype, {extent}, 0) - by, extent), axis, IndexMode::kClip);
  });
}

// --- joining

Array hstack(const Operands& arrays) {
  const CallerScope caller(arrays.where(), "hstack");
  check_some("hstack", arrays);
  const std::vector<Array> all = each_of(arrays, atleast_1d);
  return concatenate(Operands(all, arrays.where()), all[0].rank() == 1 ? 0 : 1);
}
Array vstack(const Operands& arrays) {
  const CallerScope caller(arrays.where(), "vstack");
  check_some("vstack", arrays);
  return concatenate(Operands(each_of(arrays, atleast_2d), arrays.where()), 0);
}
Array dstack(const Operands& arrays) {
  const CallerScope caller(arrays.where(), "dstack");
  check_some("dstack", arrays);
  return concatenate(Operands(each_of(arrays, atleast_3d), arrays.where()), 2);
}
Array column_stack(const Operands& arrays) {
  const CallerScope caller(arrays.where(), "column_stack");
  check_some("column_stack", arrays);
  return concatenate(Operands(each_of(arrays, column), arrays.where()), 1);
}
namespace {

void collect_blocks(const NestedArrays& blocks, std::vector<Operand>& items) {
  if (!blocks.is_list()) return items.push_back(blocks.item());
  for (const NestedArrays& part : blocks.items()) collect_blocks(part, items);
}

// What the blocks make, and how deep they are nested: the axis to join along, from the last one.
std::pair<Array, int64_t> joined_blocks(const NestedArrays& blocks, const std::vector<Array>& arrays,
                                        size_t& next) {
  if (!blocks.is_list()) return {arrays[next++], 1};
  if (blocks.items().empty()) fail(blocks.where(), "there is a list of no blocks");
  std::vector<Array> parts;
  int64_t depth = 0, rank = 0;
  for (const NestedArrays& part : blocks.items()) {
    const auto [array, its_depth] = joined_blocks(part, arrays, next);
    if (depth != 0 && its_depth != depth)
      fail(blocks.where(), "there are blocks " + std::to_string(its_depth - 1) +
                               " lists deep beside some that are " + std::to_string(depth - 1) +
                               " deep; all should be nested alike");
    depth = its_depth;
    rank = std::max({rank, depth, array.rank()});
    parts.push_back(array);
  }
  for (Array& part : parts) {
    Shape shape = part.shape();
    shape.insert(shape.begin(), static_cast<size_t>(rank) - shape.size(), 1);
    part = reshape(part, shape);
  }
  return {concatenate(Operands(parts, blocks.where()), -depth), depth + 1};
}

}  // namespace

NestedArrays::NestedArrays(std::initializer_list<NestedArrays> items, Where where)
    : items_(items), is_list_(true), where_(where) {}
NestedArrays::NestedArrays(const NestedArrays& other) = default;
NestedArrays::~NestedArrays() = default;

Array block(const NestedArrays& blocks) {
  const CallerScope caller(blocks.where(), "block");
  std::vector<Operand> items;
  collect_blocks(blocks, items);
  if (items.empty()) fail(blocks.where(), "there is no block");
  size_t next = 0;
  return joined_blocks(blocks, detail::same_dtype("block", items, blocks.where()), next).first;
}

Array append(const Operand& x, const Operand& values) {
  const CallerScope caller(x.where(), "append");
  const std::vector<Array> both = detail::same_dtype("append", {x, values}, x.where());
  return concatenate({ravel(both[0]), ravel(both[1])}, 0);
}
Array append(const Operand& x, const Operand& values, Axis axis) {
  const CallerScope caller(x.where(), "append");
  return concatenate({x, values}, axis);
}

// --- cutting

namespace {

// Each part is an array of its own on the host: 3 us and 600 bytes (AMD EPYC; 262,144 parts of f32[3]).
constexpr int64_t kMostParts = 1 << 20;

void check_parts(const char* name, int64_t parts, const std::source_location& where) {
  if (parts <= kMostParts) return;
  fail(where, std::string(name) + ": makes " + std::to_string(parts) + " arrays, but at most " +
                  std::to_string(kMostParts) + " are; index the parts instead");
}

}  // namespace

std::vector<Array> detail::split_equally(const char* name, const Operand& x, int64_t parts, Axis wanted,
                                         bool equal) {
  const CallerScope caller(x.where(), name);
  const Array array = checked_array(x);
  const int64_t axis = checked_axis(name, wanted, array.rank(), x.where()), extent = array.shape(axis);
  if (parts <= 0 || (equal && extent % parts != 0))
    fail(x.where(), std::string(name) + ": axis " + std::to_string(axis) + " of " + array.type_string() +
                        " has " + std::to_string(extent) + " elements, which do not make " +
                        std::to_string(parts) + " equal parts" +
                        (parts > 0 ? "; array_split makes parts that are not equal" : ""));
  check_parts(name, parts, x.where());
  std::vector<int64_t> at;
  for (int64_t i = 1, end = 0; i < parts; ++i) {
    end += extent / parts + (i <= extent % parts ? 1 : 0);
    at.push_back(end);
  }
  return cut_at(name, x, at, axis);
}
std::vector<Array> split(const Operand& x, const std::vector<int64_t>& at, Axis axis) {
  return cut_at("split", x, at, axis);
}
std::vector<Array> array_split(const Operand& x, const std::vector<int64_t>& at, Axis axis) {
  return cut_at("array_split", x, at, axis);
}
std::vector<Array> vsplit(const Operand& x, int64_t parts) {
  return detail::split_equally("vsplit", x, parts, 0, true);
}
std::vector<Array> hsplit(const Operand& x, int64_t parts) {
  return detail::split_equally("hsplit", x, parts, second_axis(x), true);
}
std::vector<Array> dsplit(const Operand& x, int64_t parts) {
  return detail::split_equally("dsplit", x, parts, 2, true);
}
std::vector<Array> unstack(const Operand& x, Axis wanted) {
  const CallerScope caller(x.where(), "unstack");
  const Array array = checked_array(x);
  const int64_t axis = checked_axis("unstack", wanted, array.rank(), x.where());
  check_parts("unstack", array.shape(axis), x.where());
  std::vector<Array> elements;
  for (int64_t i = 0; i < array.shape(axis); ++i) elements.push_back(index_axis(array, axis, i));
  return elements;
}

// --- repeating

Array tile(const Operand& x, const std::vector<int64_t>& repeats) {
  const CallerScope caller(x.where(), "tile");
  const Array array = checked_array(x);
  const size_t rank = std::max(repeats.size(), array.shape().size());
  Shape shape(rank - array.shape().size(), 1), times(rank - repeats.size(), 1), split_shape, wide, result;
  shape.insert(shape.end(), array.shape().begin(), array.shape().end());
  times.insert(times.end(), repeats.begin(), repeats.end());
  for (size_t i = 0; i < rank; ++i) {
    if (times[i] < 0)
      fail(x.where(),
           "tile: " + std::to_string(times[i]) + " is no number of repeats; it should be 0 or more");
    split_shape.insert(split_shape.end(), {1, shape[i]});
    wide.insert(wide.end(), {times[i], shape[i]});
    result.push_back(times[i] * shape[i]);
  }
  return apply("tile", {array}, times, x.where(), [&](const std::vector<Array>& operands) {
    return reshape(broadcast_to(reshape(operands[0], split_shape), wide), result);
  });
}

Array repeat(const Operand& x, int64_t repeats) {
  const CallerScope caller(x.where(), "repeat");
  return repeat(Operand(ravel(x), x.where()), repeats, 0);
}

Array repeat(const Operand& x, int64_t repeats, Axis wanted) {
  const CallerScope caller(x.where(), "repeat");
  const Array array = checked_array(x);
  const int64_t axis = checked_axis("repeat", wanted, array.rank(), x.where());
  if (repeats < 0)
    fail(x.where(),
         "repeat: " + std::to_string(repeats) + " is no number of repeats; it should be 0 or more");
  return apply("repeat", {array}, {axis, repeats}, x.where(), [&](const std::vector<Array>& operands) {
    Shape result = array.shape(), wide = result;
    result[static_cast<size_t>(axis)] *= repeats;
    wide.insert(wide.begin() + axis + 1, repeats);
    return reshape(broadcast_to(expand_dims(operands[0], axis + 1), wide), result);
  });
}

Array repeat(const Operand& x, const Array& repeats, const RepeatOptions& options) {
  const CallerScope caller(x.where(), "repeat");
  const std::source_location& where = x.where();
  const Array array = checked_array(x);
  detail::checked_node(repeats, where);
  const int64_t axis = checked_axis("repeat", options.axis, array.rank(), where), extent = array.shape(axis);
  if (!is_integer(repeats.dtype()) || repeats.rank() > 1 || (repeats.size() != extent && repeats.size() != 1))
    fail(where, "repeat: the repeats are " + repeats.type_string() +
                    ", but should be an integer for each of " + std::to_string(extent) + " elements");
  const Array each = broadcast_to(ravel(repeats), {extent});
  if (!options.total_repeat_length && (detail::tracing() || each.is_traced()))
    fail(where,
         "repeat: the length of the result depends on values, which a program does not know when it is "
         "traced; give .total_repeat_length");
  if (extent > 0 && is_signed(each.dtype()) && !detail::tracing() && !each.is_traced()) {
    const int64_t least = min(each.astype(DType::kS64)).item<int64_t>();
    if (least < 0)
      fail(where, "repeat: " + std::to_string(least) + " is no number of repeats; it should be 0 or more");
  }
  const int64_t length = options.total_repeat_length ? *options.total_repeat_length
                                                     : sum(each.astype(DType::kS64)).item<int64_t>();
  if (extent == 0 || length == 0) return slice_axis(array, axis, 0, 0);
  return apply("repeat_each", {array, each}, {axis, length}, where, [&](const std::vector<Array>& operands) {
    // Cut off at the length, so that no sum of them leaves the dtype.
    const DType dtype = extent <= INT32_MAX / length ? DType::kS32 : DType::kS64;
    const Array ends = cumsum(clip(operands[1].astype(DType::kS64), 0, length).astype(dtype));
    const Array from = searchsorted(ends, iota(dtype, {length}, 0), Side::kRight);
    return take(operands[0], from, axis, IndexMode::kClip);
  });
}

namespace {

using Ranges = std::vector<std::pair<int64_t, int64_t>>;  // from, to

// What is joined of ranges costs a program their number, and a list of the places the extent: 180 ms for a
// million, to compile, which as many as 256 ranges in one kernel do not take (AMD EPYC; more are several
// kernels). For longer arrays than these there is no list, whose places are a constant of eight bytes each.
constexpr size_t kMostRanges = 256;
constexpr int64_t kMostListed = 1 << 24;

Array joined_ranges(const Array& x, const Ranges& ranges, int64_t axis) {
  std::vector<Array> parts;
  for (const auto& [from, to] : ranges) parts.push_back(slice_axis(x, axis, from, to));
  return parts.size() == 1 ? parts[0] : concatenate(parts, axis);
}

std::vector<int64_t> places_in(const Ranges& ranges) {
  std::vector<int64_t> places;
  for (const auto& [from, to] : ranges)
    for (int64_t i = from; i < to; ++i) places.push_back(i);
  return places;
}

// The ranges of an axis, one after the other.
Array chosen_ranges(const Array& x, const Ranges& ranges, int64_t axis) {
  if (ranges.empty()) return slice_axis(x, axis, 0, 0);
  const bool listed = ranges.size() > kMostRanges && x.shape(axis) <= kMostListed;
  return listed ? take(x, places_in(ranges), axis) : joined_ranges(x, ranges, axis);
}

// Where something is inserted: before an element of the axis, or at its end.
int64_t place_to_insert(const Array& x, int64_t at, int64_t axis, const std::source_location& where) {
  const int64_t extent = x.shape(axis), place = at < 0 ? at + extent : at;
  if (place < 0 || place > extent)
    fail(where, "insert: place " + std::to_string(at) + " is out of range for axis " + std::to_string(axis) +
                    " of " + x.type_string());
  return place;
}

}  // namespace

Array delete_(const Operand& x, const std::vector<int64_t>& indices, Axis wanted) {
  const CallerScope caller(x.where(), "delete_");
  const Array array = checked_array(x);
  const int64_t axis = checked_axis("delete_", wanted, array.rank(), x.where()), extent = array.shape(axis);
  std::vector<int64_t> gone;
  for (const int64_t index : indices) {
    const int64_t place = index < 0 ? index + extent : index;
    if (place < 0 || place >= extent)
      fail(x.where(), "delete_: index " + std::to_string(index) + " is out of range for axis " +
                          std::to_string(axis) + " of " + array.type_string());
    gone.push_back(place);
  }
  std::sort(gone.begin(), gone.end());
  gone.push_back(extent);
  Ranges kept;
  int64_t from = 0;
  for (const int64_t place : gone) {
    if (place > from) kept.emplace_back(from, place);
    from = place + 1;
  }
  return chosen_ranges(array, kept, axis);
}

Array insert(const Operand& x, int64_t at, const Operand& values, Axis wanted) {
  const CallerScope caller(x.where(), "insert");
  const std::vector<Array> both = detail::same_dtype("insert", {x, values}, x.where());
  const int64_t axis = checked_axis("insert", wanted, both[0].rank(), x.where()),
                extent = both[0].shape(axis);
  const int64_t place = place_to_insert(both[0], at, axis, x.where());
  Shape shape = both[0].shape();
  const bool several = both[1].rank() == both[0].rank();
  shape[static_cast<size_t>(axis)] = several ? both[1].shape(axis) : 1;
  const Array row = !several && both[1].rank() > 0 ? expand_dims(both[1], axis) : both[1];
  const Array before = slice_axis(both[0], axis, 0, place), after = slice_axis(both[0], axis, place, extent);
  return concatenate({before, broadcast_to(row, shape), after}, axis);
}

Array insert(const Operand& x, const std::vector<int64_t>& places, const Operand& values, Axis wanted) {
  const CallerScope caller(x.where(), "insert");
  const std::vector<Array> both = detail::same_dtype("insert", {x, values}, x.where());
  const int64_t axis = checked_axis("insert", wanted, both[0].rank(), x.where()),
                extent = both[0].shape(axis);
  if (places.empty()) return both[0];
  std::vector<std::pair<int64_t, int64_t>> order;  // the place, which value
  for (const int64_t at : places)
    order.emplace_back(place_to_insert(both[0], at, axis, x.where()), extent + std::ssize(order));
  std::sort(order.begin(), order.end());
  Shape shape = both[0].shape();
  shape[static_cast<size_t>(axis)] = std::ssize(places);
  const Array joined = concatenate({both[0], broadcast_to(both[1], shape)}, axis);
  Ranges ranges;
  int64_t from = 0;
  for (const auto& [place, value] : order) {
    if (place > from) ranges.emplace_back(from, place);
    if (!ranges.empty() && ranges.back().second == value && ranges.back().first >= extent) {
      ++ranges.back().second;
    } else {
      ranges.emplace_back(value, value + 1);
    }
    from = place;
  }
  if (extent > from) ranges.emplace_back(from, extent);
  return chosen_ranges(joined, ranges, axis);
}

}  // namespace ingot
