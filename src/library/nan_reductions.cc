// Reductions that leave out NaN: what takes its place is neutral, and what is left is counted.
#include <limits>

#include "frontend/compose.h"
#include "ingot/autodiff.h"
#include "ingot/cumulative.h"
#include "ingot/elementwise.h"
#include "ingot/shapes.h"
#include "ingot/statistics.h"
#include "library/found_places.h"

namespace ingot {
namespace {

using detail::compose_any;
using detail::number;

using Reduce = std::function<Array(const Array& filled, const Array& missing)>;

// `reduce` gets x with a number in place of NaN, and where NaN was.
Array leaving_out(const char* name, const Operand& x, const Axes& axes, bool keepdims, double neutral,
                  const Reduce& reduce) {
  const CallerScope caller(x.where(), name);
  std::vector<int64_t> words = detail::checked_axes(name, axes, detail::checked_array(x).rank(), x.where());
  words.push_back(keepdims);
  return compose_any(name, x, words, [&](const Array& a) {
    const Array missing = isnan(a);
    return reduce(is_inexact(a.dtype()) ? where(missing, neutral, a) : a, missing);
  });
}

Array extreme_left(const char* name, const Operand& x, const Axes& axes, KeepDims keepdims, bool greatest) {
  const double infinity = std::numeric_limits<double>::infinity();
  return leaving_out(name, x, axes, keepdims.value, greatest ? -infinity : infinity,
                     [&](const Array& a, const Array& missing) {
                       const Array extreme = greatest ? max(a, axes, keepdims) : min(a, axes, keepdims);
                       if (!is_inexact(a.dtype())) return extreme;
                       return where(all(missing, axes, keepdims), std::numeric_limits<double>::quiet_NaN(),
                                    extreme);
                     });
}

Array place_of_extreme(const char* name, const Operand& x, Axis axis, bool greatest) {
  const Array array = detail::checked_array(x);
  detail::check_place(name, array, detail::checked_axis(name, axis, array.rank(), x.where()), x.where());
  const double infinity = std::numeric_limits<double>::infinity();
  return leaving_out(name, x, axis, false, greatest ? -infinity : infinity,
                     [&](const Array& a, const Array& missing) {
                       const Array place = greatest ? argmax(a, axis) : argmin(a, axis);
                       return where(all(missing, axis), -1, place);
                     });
}

Array present(const Array& missing, DType dtype, const Axes& axes, bool keepdims) {
  return sum((~missing).astype(real_dtype(dtype)), axes, keepdims);
}

Array variance_left(const Array& given, const Array& missing, const Axes& axes, int64_t ddof,
                    KeepDims keepdims) {
  const Array a = detail::in_f32(detail::floating(given));
  const Array count = present(missing, a.dtype(), axes, keepdims.value);
  const Array centre = sum(a, axes, true) / present(missing, a.dtype(), axes, true);
  const Array distance = where(missing, number(a.dtype(), 0), a - centre);
  const Array squares = is_complex(a.dtype()) ? square(abs(distance)) : square(distance);
  const Array left = count - static_cast<double>(ddof);
  const Array result = sum(squares, axes, keepdims) / left;
  const Array checked = where(left <= 0, std::numeric_limits<double>::quiet_NaN(), result);
  return is_inexact(given.dtype()) ? checked.astype(real_dtype(given.dtype())) : checked;
}

// The elements to be looked at along a new last axis.
Array rows_to_sort(const Array& a, const std::vector<int64_t>& reduced) {
  std::vector<int64_t> order;
  Shape shape;
  for (int64_t i = 0; i < a.rank(); ++i) {
    if (std::find(reduced.begin(), reduced.end(), i) != reduced.end()) continue;
    order.push_back(i);
    shape.push_back(a.shape(i));
  }
  int64_t length = 1;
  for (const int64_t axis : reduced) length *= a.shape(axis);
  order.insert(order.end(), reduced.begin(), reduced.end());
  shape.push_back(length);
  return reshape(a.rank() == 0 ? a : transpose(a, order), shape);
}

// Between the two elements next to the parts q, of rank 0 or 1, of those that are no NaN.
Array quantile_left(const Array& a, const Array& q, const std::vector<int64_t>& reduced, bool keepdims) {
  const Array sorted = sort(rows_to_sort(a, reduced), -1);
  const DType places = detail::places_dtype(sorted.shape(-1));
  const Array count = sum((sorted == sorted).astype(places), -1, true);
  const DType wide = a.dtype() == DType::kF64 ? DType::kF64 : DType::kF32;
  const Array last = (count - 1).astype(wide);
  const Array place = clip(last * reshape(q, {-1}).astype(wide), 0, maximum(last, 0));  // kept.., parts
  const Array low = floor(place), part = (place - low).astype(a.dtype());
  const auto at = [&](const Array& index) {
    return take_along_axis(sorted, index.astype(places), -1, IndexMode::kClip);
  };
  // What is all of one of the two is that one, though the other be infinite.
  const Array below = at(low), above = at(ceil(place));
  const Array between = where(stop_gradient(part) == 0, below, below * (1 - part) + above * part);
  const Array value = where(count == 0, std::numeric_limits<double>::quiet_NaN(), between);
  Shape shape;
  if (q.rank() == 1) shape.push_back(q.shape(0));
  for (int64_t i = 0; i < a.rank(); ++i) {
    const bool gone = std::find(reduced.begin(), reduced.end(), i) != reduced.end();
    if (!gone || keepdims) shape.push_back(gone ? 1 : a.shape(i));
  }
  return reshape(q.rank() == 1 ? moveaxis(value, -1, 0) : value, shape);
}

// The parts as an array of rank 0 or 1.
Array parts_of(const char* name, const Quantiles& q, const std::source_location& where) {
  if (const Optional<Array>& given = q.array()) {
    if (given->rank() > 1 || is_complex(given->dtype()))
      detail::fail(where, std::string(name) + ": q is " + given->type_string() +
                              ", but must be real numbers of rank 0 or 1");
    return *given;
  }
  for (const double part : q.values())
    if (!(part >= 0 && part <= 1)) detail::fail(where, std::string(name) + ": q should be from 0 to 1");
  const Array numbers = q.single() ? Array(q.values()[0]) : Array::from(q.values());
  return detail::as_weak(numbers, true);
}

Array quantiles_left(const char* name, const Operand& x, const Quantiles& q, const Axes& axes,
                     bool keepdims) {
  const CallerScope caller(x.where(), name);
  const Array array = detail::floating(detail::checked_array(x));
  const std::vector<int64_t> reduced = detail::checked_axes(name, axes, array.rank(), x.where());
  for (const int64_t axis : reduced)
    if (array.shape(axis) == 0)
      detail::fail(x.where(), std::string(name) + ": " + array.type_string() + " has no elements there");
  if (is_complex(array.dtype()))
    detail::fail(x.where(), std::string(name) + ": takes numbers that are ordered, but this is a " +
                                array.type_string() + "; take real, imag or abs first");
  std::vector<int64_t> words = reduced;
  words.push_back(keepdims);
  return detail::apply(
      name, {array, parts_of(name, q, x.where())}, words, x.where(),
      [&](const std::vector<Array>& given) { return quantile_left(given[0], given[1], reduced, keepdims); });
}

}  // namespace

Array nansum(const Operand& x, const Axes& axes, KeepDims keepdims) {
  return leaving_out("nansum", x, axes, keepdims.value, 0,
                     [&](const Array& a, const Array&) { return sum(a, axes, keepdims); });
}
Array nanprod(const Operand& x, const Axes& axes, KeepDims keepdims) {
  return leaving_out("nanprod", x, axes, keepdims.value, 1,
                     [&](const Array& a, const Array&) { return prod(a, axes, keepdims); });
}
Array nanmean(const Operand& x, const Axes& axes, KeepDims keepdims) {
  return leaving_out("nanmean", x, axes, keepdims.value, 0, [&](const Array& given, const Array& missing) {
    const Array a = detail::in_f32(detail::floating(given));
    const Array result = sum(a, axes, keepdims) / present(missing, a.dtype(), axes, keepdims.value);
    return is_inexact(given.dtype()) ? result.astype(given.dtype()) : result;
  });
}
Array nanmax(const Operand& x, const Axes& axes, KeepDims keepdims) {
  return extreme_left("nanmax", x, axes, keepdims, true);
}
Array nanmin(const Operand& x, const Axes& axes, KeepDims keepdims) {
  return extreme_left("nanmin", x, axes, keepdims, false);
}
Array nanvar(const Operand& x, const Axes& axes, int64_t ddof, KeepDims keepdims) {
  const CallerScope caller(x.where(), "nanvar");
  std::vector<int64_t> words =
      detail::checked_axes("nanvar", axes, detail::checked_array(x).rank(), x.where());
  words.insert(words.end(), {ddof, keepdims.value});
  return compose_any("nanvar", x, words, [&](const Array& a) {
    const Array missing = isnan(a);
    const Array filled = is_inexact(a.dtype()) ? where(missing, number(a.dtype(), 0), a) : a;
    return variance_left(filled, missing, axes, ddof, keepdims);
  });
}
Array nanstd(const Operand& x, const Axes& axes, int64_t ddof, KeepDims keepdims) {
  const CallerScope caller(x.where(), "nanstd");
  return sqrt(nanvar(x, axes, ddof, keepdims));
}

Array nanargmax(const Operand& x, Axis axis) {
  return place_of_extreme("nanargmax", x, axis, true);
}
Array nanargmin(const Operand& x, Axis axis) {
  return place_of_extreme("nanargmin", x, axis, false);
}
Array nanargmax(const Operand& x) {
  const CallerScope caller(x.where(), "nanargmax");
  return nanargmax(ravel(x), 0);
}
Array nanargmin(const Operand& x) {
  const CallerScope caller(x.where(), "nanargmin");
  return nanargmin(ravel(x), 0);
}

Array nancumsum(const Operand& x, Axis axis) {
  const CallerScope caller(x.where(), "nancumsum");
  return cumsum(where(isnan(x), detail::number(detail::checked_array(x).dtype(), 0), x), axis);
}
Array nancumprod(const Operand& x, Axis axis) {
  const CallerScope caller(x.where(), "nancumprod");
  return cumprod(where(isnan(x), detail::number(detail::checked_array(x).dtype(), 1), x), axis);
}

Array nanquantile(const Operand& x, const Quantiles& q, const Axes& axes, KeepDims keepdims) {
  return quantiles_left("nanquantile", x, q, axes, keepdims.value);
}
Array nanpercentile(const Operand& x, const Quantiles& q, const Axes& axes, KeepDims keepdims) {
  return quantiles_left("nanpercentile", x, q.of_percents("nanpercentile", x.where()), axes, keepdims.value);
}
Array nanmedian(const Operand& x, const Axes& axes, KeepDims keepdims) {
  return quantiles_left("nanmedian", x, 0.5, axes, keepdims.value);
}

}  // namespace ingot
