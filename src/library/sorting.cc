// Sorts: the operation `sort` with a comparator of keys, and what is made of it.
#include "ingot/sorting.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "frontend/compose.h"
#include "ingot/autodiff.h"
#include "ingot/creation.h"
#include "ingot/shapes.h"
#include "ir/literal.h"
#include "library/found_places.h"
#include "ops/comparators.h"

namespace ingot {

Quantiles::Quantiles(double q) : values_{q}, single_(true) {}
Quantiles::Quantiles(std::initializer_list<double> q) : values_(q) {}
Quantiles::Quantiles(std::vector<double> q) : values_(std::move(q)) {}
Quantiles::Quantiles(const Quantiles& other) = default;
Quantiles& Quantiles::operator=(const Quantiles& other) = default;
Quantiles::~Quantiles() = default;
Quantiles::Quantiles(Array q) : array_(q), single_(q.rank() == 0) {}
namespace {

using detail::emit;
using detail::fail;

void check_part(const char* name, double q, int most, const std::source_location& where) {
  if (q >= 0 && q <= most) return;
  std::string given;
  ir::append_double(given, q);
  if (given.ends_with(".0")) given.resize(given.size() - 2);
  fail(where, std::string(name) + ": q is " + given + ", but must be from 0 to " + std::to_string(most));
}
using ops::KeyOrder;

// The arrays in the order of the first ones, as many as there are orders.
std::vector<Array> emit_sort(const std::vector<Array>& arrays, const std::vector<KeyOrder>& orders,
                             int64_t axis, const std::source_location& where) {
  std::vector<DType> dtypes;
  for (const Array& array : arrays) dtypes.push_back(array.dtype());
  std::vector<std::unique_ptr<ir::Region>> regions;
  regions.push_back(ops::comparator_by_keys(*detail::current_frame()->region->function(), dtypes, orders,
                                            ir::Provenance::at(detail::user_line(where))));
  return detail::emit_all("sort", arrays, {{"axis", axis}, {"stable", true}}, where, std::move(regions));
}

Array emit_places(const Shape& shape, int64_t axis, const std::source_location& where) {
  return emit("iota", {}, {{"dtype", DType::kS32}, {"shape", shape}, {"axis", axis}}, where);
}

Array emit_slice(const Array& x, int64_t axis, int64_t begin, int64_t end,
                 const std::source_location& where) {
  ir::IntList starts(x.shape().size(), 0), limits = x.shape();
  starts[static_cast<size_t>(axis)] = begin;
  limits[static_cast<size_t>(axis)] = end;
  return emit("slice", {x},
              {{"starts", starts}, {"limits", limits}, {"strides", ir::IntList(limits.size(), 1)}}, where);
}

KeyOrder order_of(const char* name, Order order, const std::source_location& where) {
  detail::checked_choice(name, "the order", static_cast<int64_t>(order), 2, where);
  return {.descending = order == Order::kDescending, .by_value = true};
}

// One shape for all; the axis of it.
int64_t checked_keys(const char* name, const std::vector<Array>& keys, int64_t axis,
                     const std::source_location& where) {
  if (keys.empty()) fail(where, std::string(name) + ": there is no key; it takes one or more");
  for (const Array& key : keys) {
    detail::checked_node(key, where);
    if (key.shape() != keys[0].shape())
      fail(where, std::string(name) + ": there are arrays of type " + keys[0].type_string() + " and " +
                      key.type_string() + "; all must have one shape");
  }
  return detail::checked_axis(name, axis, keys[0].rank(), where);
}

std::vector<Array> arrays_of(const Operands& operands) {
  std::vector<Array> arrays;
  for (const Operand& operand : operands.items()) arrays.push_back(operand.array());
  return arrays;
}

}  // namespace

Array sort(const Operand& x, Axis wanted, Order order) {
  const std::source_location& where = x.where();
  const CallerScope caller(where, "sort");
  const Array array = x.array();
  const int64_t axis = checked_keys("sort", {array}, wanted, where);
  const KeyOrder key = order_of("sort", order, where);
  return detail::apply("sort", {array}, {axis, key.descending}, where, [&](const std::vector<Array>& arrays) {
    return emit_sort(arrays, {key}, axis, where)[0];
  });
}

Array argsort(const Operand& x, Axis wanted, Order order) {
  const std::source_location& where = x.where();
  const CallerScope caller(where, "argsort");
  const Array array = x.array();
  const int64_t axis = checked_keys("argsort", {array}, wanted, where);
  const KeyOrder key = order_of("argsort", order, where);
  detail::check_places("argsort", array, axis, where);
  return detail::apply(
      "argsort", {array}, {axis, key.descending}, where, [&](const std::vector<Array>& arrays) {
        return emit_sort({arrays[0], emit_places(array.shape(), axis, where)}, {key}, axis, where)[1];
      });
}

Array sort(const Operand& x, const SortOptions& options) {
  return sort(x, Axis(options.axis, x.where()), options.descending ? Order::kDescending : Order::kAscending);
}
Array argsort(const Operand& x, const SortOptions& options) {
  return argsort(x, Axis(options.axis, x.where()),
                 options.descending ? Order::kDescending : Order::kAscending);
}

namespace {

// Where the axis is cut: behind place k.
int64_t checked_place(const Array& x, int64_t k, int64_t axis, const std::source_location& where) {
  if (is_complex(x.dtype()))
    fail(where, "takes numbers that are ordered, but this is a " + x.type_string() +
                    "; take real, imag or abs first");
  const int64_t extent = x.shape(axis), place = k < 0 ? k + extent : k;
  if (place < 0 || place >= extent)
    fail(where, "place " + std::to_string(k) + " is out of range for axis " + std::to_string(axis) + " of " +
                    x.type_string());
  return place + 1;
}

}  // namespace

Array partition(const Operand& x, int64_t k, Axis wanted) {
  const CallerScope caller(x.where(), "partition");
  const Array array = x.array();
  const int64_t axis = checked_keys("partition", {array}, wanted, x.where());
  const int64_t cut = checked_place(array, k, axis, x.where());
  const Array sorted = sort(x, axis);
  return concatenate(
      {slice_axis(sorted, axis, 0, cut), flip(slice_axis(sorted, axis, cut, array.shape(axis)), axis)}, axis);
}

Array argpartition(const Operand& x, int64_t k, Axis wanted) {
  const CallerScope caller(x.where(), "argpartition");
  const Array array = x.array();
  const int64_t axis = checked_keys("argpartition", {array}, wanted, x.where());
  const int64_t cut = checked_place(array, k, axis, x.where());
  const Array places = argsort(x, axis);
  return concatenate(
      {slice_axis(places, axis, 0, cut), sort(slice_axis(places, axis, cut, array.shape(axis)), axis)}, axis);
}

Array lexsort(const Operands& keys, Axis wanted) {
  const std::source_location& where = keys.where();
  const CallerScope caller(where, "lexsort");
  std::vector<Array> arrays = arrays_of(keys);
  const int64_t axis = checked_keys("lexsort", arrays, wanted, where);
  detail::check_places("lexsort", arrays[0], axis, where);
  return detail::apply("lexsort", arrays, {axis}, where, [&](const std::vector<Array>& given) {
    std::vector<Array> operands(given.rbegin(), given.rend());
    operands.push_back(emit_places(given[0].shape(), axis, where));
    return emit_sort(operands, std::vector<KeyOrder>(given.size(), KeyOrder{.by_value = true}), axis, where)
        .back();
  });
}

std::vector<Array> sort_by_keys(const Operands& keys, const Operands& values, Axis wanted, Order order) {
  const std::source_location& where = keys.where();
  const CallerScope caller(where, "sort_by_keys");
  std::vector<Array> arrays = arrays_of(keys);
  const size_t count = arrays.size();
  checked_keys("sort_by_keys", arrays, wanted, where);
  for (const Array& array : arrays_of(values)) arrays.push_back(array);
  const int64_t axis = checked_keys("sort_by_keys", arrays, wanted, where);
  const std::vector<KeyOrder> orders(count, order_of("sort_by_keys", order, where));
  if (arrays.size() == count) return {};
  return detail::apply_all("sort_by_keys", arrays, where, [&](const std::vector<Array>& given) {
    const std::vector<Array> sorted = emit_sort(given, orders, axis, where);
    return std::vector<Array>(sorted.begin() + static_cast<std::ptrdiff_t>(count), sorted.end());
  });
}

TopK top_k(const Operand& x, int64_t k, Axis wanted) {
  const std::source_location& where = x.where();
  const CallerScope caller(where, "top_k");
  const Array array = x.array();
  if (detail::checked_array(x).rank() == 0)
    fail(where, "top_k: takes an array with an axis, not a " + array.type_string());
  const int64_t axis = checked_keys("top_k", {array}, wanted, where);
  if (is_complex(array.dtype()))
    fail(where, "top_k: takes numbers that are ordered, but this is a " + array.type_string() +
                    "; take real, imag or abs first");
  if (k < 0 || k > array.shape(axis))
    fail(where, "top_k: there are " + std::to_string(array.shape(axis)) + " elements along axis " +
                    std::to_string(axis) + " of " + array.type_string() + ", so k is 0 to that, not " +
                    std::to_string(k));
  detail::check_places("top_k", array, axis, where);
  const std::vector<Array> results =
      detail::apply_all("top_k", {array}, where, [&](const std::vector<Array>& given) {
        std::vector<Array> sorted = emit_sort({given[0], emit_places(array.shape(), axis, where)},
                                              {{.descending = true}}, axis, where);
        for (Array& one : sorted) one = emit_slice(one, axis, 0, k, where);
        return sorted;
      });
  return {results[0], results[1]};
}

namespace {

// How far from the lower element to the higher one.
double part_above(double part, QuantileMethod method) {
  if (part == 0) return 0;
  switch (method) {
    case QuantileMethod::kLower:
      return 0;
    case QuantileMethod::kHigher:
      return 1;
    case QuantileMethod::kMidpoint:
      return 0.5;
    case QuantileMethod::kNearest:
      return part > 0.5 ? 1 : 0;
    default:
      return part;
  }
}

// What a quantile is taken of: the rows of the elements along the axes that go away.
struct QuantileRows {
  Array array;
  Shape kept, with_ones;
  int64_t length = 1;
  std::vector<int64_t> reduced, order;

  int64_t axis() const { return static_cast<int64_t>(kept.size()); }

  // In ascending order, along the last axis.
  Array sorted(const Array& given, const std::source_location& where) const {
    Shape rows = kept;
    rows.push_back(length);
    Array turned = given;
    if (!std::is_sorted(order.begin(), order.end()))
      turned = emit("transpose", {turned}, {{"permutation", order}}, where);
    turned = emit("reshape", {turned}, {{"shape", rows}}, where);
    return emit_sort({turned}, {{.by_value = true}}, axis(), where)[0];
  }
};

QuantileRows quantile_rows(const char* name, const Operand& x, const Axes& axes, QuantileMethod method) {
  const std::source_location& where = x.where();
  QuantileRows rows;
  rows.array = detail::floating(detail::checked_array(x));
  const Array& array = rows.array;
  rows.reduced = detail::checked_axes(name, axes, array.rank(), where);
  if (is_complex(array.dtype()))
    fail(where, std::string(name) + ": takes numbers that are ordered, but this is a " + array.type_string() +
                    "; take real, imag or abs first");
  detail::checked_choice(name, "the method", static_cast<int64_t>(method), 5, where);
  rows.with_ones = array.shape();
  for (int64_t i = 0; i < array.rank(); ++i) {
    if (std::binary_search(rows.reduced.begin(), rows.reduced.end(), i)) {
      rows.length *= array.shape(i);
      rows.with_ones[static_cast<size_t>(i)] = 1;
    } else {
      rows.kept.push_back(array.shape(i));
      rows.order.push_back(i);
    }
  }
  if (rows.length == 0)
    fail(where, std::string(name) + ": " + array.type_string() + " has no elements there");
  rows.order.insert(rows.order.end(), rows.reduced.begin(), rows.reduced.end());
  return rows;
}

// As everywhere a NaN that is handed on has no derivative.
Array with_nan_of(const Array& last, const Array& value, const std::source_location& where) {
  return ingot::where(Operand(last != Operand(last, where), where), Operand(last, where),
                      Operand(value, where));
}

Array quantile(const char* name, const Operand& x, double q, const Axes& axes, bool keepdims,
               QuantileMethod method) {
  const std::source_location& where = x.where();
  const CallerScope caller(where, name);
  const QuantileRows rows = quantile_rows(name, x, axes, method);
  check_part(name, q, 1, where);
  const Shape result_shape = keepdims ? rows.with_ones : rows.kept;
  std::vector<int64_t> words = rows.reduced;
  words.insert(words.end(), {keepdims ? 1 : 0, std::bit_cast<int64_t>(q), static_cast<int64_t>(method)});
  return detail::apply(name, {rows.array}, words, where, [&](const std::vector<Array>& given) {
    const Array sorted = rows.sorted(given[0], where);
    const auto at = [&](int64_t i) {
      return Operand(emit("reshape", {emit_slice(sorted, rows.axis(), i, i + 1, where)},
                          {{"shape", result_shape}}, where),
                     where);
    };
    const double place = q * static_cast<double>(rows.length - 1);
    const auto low = static_cast<int64_t>(std::floor(place));
    const double part = part_above(place - static_cast<double>(low), method);
    Array value = at(low).array();
    if (part == 1) {
      value = at(low + 1).array();
    } else if (part > 0) {
      const Array below = value, above = at(low + 1).array();
      const Array between = below * (1 - part) + above * part;
      // Between the two it is by definition; what rounding makes of that has no derivative.
      const Array target = stop_gradient(minimum(maximum(between, below), above));
      value = between + ingot::where(between == target, 0, target - stop_gradient(between));
    }
    return with_nan_of(stop_gradient(at(rows.length - 1).array()), value, where);
  });
}

// The same at places that an array tells, of rank 0 or 1.
Array quantile(const char* name, const Operand& x, const Array& q, const Axes& axes, bool keepdims,
               QuantileMethod method) {
  const std::source_location& where = x.where();
  const CallerScope caller(where, name);
  const QuantileRows rows = quantile_rows(name, x, axes, method);
  if (q.rank() > 1 || is_complex(q.dtype()))
    fail(where,
         std::string(name) + ": q is " + q.type_string() + ", but must be real numbers of rank 0 or 1");
  const Array parts = astype(Operand(q, where), rows.array.dtype());
  Shape result_shape = keepdims ? rows.with_ones : rows.kept;
  if (q.rank() == 1) result_shape.insert(result_shape.begin(), q.shape(0));
  std::vector<int64_t> words = rows.reduced;
  words.insert(words.end(), {keepdims ? 1 : 0, static_cast<int64_t>(method)});
  return detail::apply(name, {rows.array, parts}, words, where, [&](const std::vector<Array>& given) {
    const Array sorted = rows.sorted(given[0], where);
    const auto end = static_cast<double>(rows.length - 1);
    const Array place = clip(given[1] * end, 0, end);
    const Array low = floor(place);
    Array part = place - low;  // of the way to the next element
    if (method == QuantileMethod::kLower) part = zeros_like(part);
    if (method == QuantileMethod::kHigher) part = astype(stop_gradient(part) > 0, part.dtype());
    if (method == QuantileMethod::kMidpoint) part = 0.5 * astype(stop_gradient(part) > 0, part.dtype());
    if (method == QuantileMethod::kNearest) part = astype(stop_gradient(part) > 0.5, part.dtype());
    const Array first = astype(stop_gradient(low), DType::kS64);
    const auto at = [&](const Array& i) {  // kept.., then as q is
      return take(Operand(sorted, where), i, rows.axis(), IndexMode::kClip);
    };
    const Array below = at(first), above = at(first + 1);
    // What is all of one of the two is that one, though the other be infinite.
    const Array between = below * (1 - part) + above * part;
    Array value =
        ingot::where(stop_gradient(part) == 0, below, ingot::where(stop_gradient(part) == 1, above, between));
    const Array last = stop_gradient(at(zeros_like(first) + (rows.length - 1)));
    value = with_nan_of(last, value, where);
    if (given[1].rank() == 1) value = moveaxis(value, -1, 0);
    return emit("reshape", {value}, {{"shape", result_shape}}, where);
  });
}

}  // namespace

Quantiles Quantiles::of_percents(const char* name, const std::source_location& where) const {
  Quantiles result = *this;
  if (array_) result.array_ = detail::floating(detail::checked_array(Operand(*array_, where))) / 100;
  for (double& value : result.values_) {
    check_part(name, value, 100, where);
    value /= 100;
  }
  return result;
}

Array quantile(const Operand& x, const Quantiles& q, const Axes& axes, KeepDims keepdims,
               QuantileMethod method) {
  if (q.array()) return quantile("quantile", x, *q.array(), axes, keepdims.value, method);
  if (q.single()) return quantile("quantile", x, q.values()[0], axes, keepdims.value, method);
  const CallerScope caller(x.where(), "quantile");
  std::vector<Array> parts;
  for (const double part : q.values())
    parts.push_back(quantile("quantile", x, part, axes, keepdims.value, method));
  if (parts.empty()) return quantile("quantile", x, Array::zeros({0}), axes, keepdims.value, method);
  return stack(Operands(parts, x.where()), 0);
}

Array median(const Operand& x, const Axes& axes, KeepDims keepdims) {
  return quantile("median", x, 0.5, axes, keepdims.value, QuantileMethod::kLinear);
}

}  // namespace ingot
