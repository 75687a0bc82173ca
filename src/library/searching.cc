// Where elements are: binary search, and the places of those that are true, or of which there is no other.
#include "ingot/searching.h"

#include <cmath>
#include <limits>

#include "frontend/compose.h"
#include "ingot/calculus.h"
#include "ingot/cumulative.h"
#include "ingot/shapes.h"
#include "ingot/sorting.h"
#include "ingot/statistics.h"
#include "library/found_places.h"

namespace ingot {
namespace {

using detail::apply;
using detail::checked_array;
using detail::fail;

// The order of sort: NaN are equal, and greater than all else.
Array sorted_before(const Array& a, const Array& b) {
  return is_float(a.dtype()) ? (a < b) | ((b != b) & (a == a)) : a < b;
}

constexpr int64_t kCompareAll = 64;  // elements up to which a search compares with each of them

// How many elements of the sorted vector stand before a value.
Array count_before(const Array& sorted, const Array& values, Side side) {
  const auto before = [&](const Array& element, const Array& value) {
    return side == Side::kLeft ? sorted_before(element, value) : ~sorted_before(value, element);
  };
  const int64_t n = sorted.size();
  if (n == 0) return Array::zeros(values.shape(), DType::kS32);
  if (n <= kCompareAll) return sum(before(sorted, expand_dims(values, -1)).astype(DType::kS32), -1);
  int64_t step = 1;
  while (2 * step <= n) step *= 2;
  Array found = Array::zeros(values.shape(), n < INT32_MAX ? DType::kS32 : DType::kS64);
  for (; step > 0; step /= 2) {
    const Array next = found + step;
    const Array element = take(sorted, next - 1, 0, IndexMode::kClip);
    found = where((next <= n) & before(element, values), next, found);
  }
  return found;
}

Array flat_places(const char* name, const Operand& x, const SizeOptions& options) {
  const Array array = checked_array(x);
  const int64_t size = detail::wanted_size(
      name, array, options.size, [&] { return count_nonzero(x).item<int64_t>(); }, x.where());
  return detail::compose_any("flat_places", x, {size}, [&](const Array& a) {
    return detail::first_places(ravel(detail::truth(a)), size);
  });
}

Array with_filling(const Array& places, const Array& values, Optional<double> fill_value) {
  return where(places < 0, static_cast<int64_t>(fill_value.value_or(0)), values);
}

std::vector<Array> places_by_axis(const char* name, const Operand& x, const SizeOptions& options) {
  const CallerScope caller(x.where(), name);
  const Array array = checked_array(x);
  detail::check_filling(name, options.fill_value, detail::places_dtype(array.size()), "places", x.where());
  if (array.rank() == 0)
    fail(x.where(), std::string(name) + ": a scalar has no places; take atleast_1d of it");
  const Array places = flat_places(name, x, options);
  std::vector<Array> results = unravel_index(maximum(places, 0), array.shape());
  for (Array& result : results) result = with_filling(places, result, options.fill_value);
  return results;
}

}  // namespace

int64_t detail::wanted_size(const char* name, const Array& x, Optional<int64_t> size,
                            const std::function<int64_t()>& count, const std::source_location& where) {
  if (size) {
    if (*size < 0)
      fail(where, std::string(name) + ": the size is " + std::to_string(*size) + "; it should be 0 or more");
    if (*size > kMostElements)
      fail(where, std::string(name) + ": the size is " + std::to_string(*size) +
                      ", but an array has at most " + std::to_string(kMostElements) + " (2^48) elements");
    return *size;
  }
  if (tracing() || x.is_traced())
    fail(where, std::string(name) +
                    ": how many results there are depends on values, which a program does not "
                    "know when it is traced; say how many with {.size = n}");
  return count();
}

void detail::check_filling(const char* name, Optional<double> fill_value, DType dtype,
                           const std::string& what, const std::source_location& where) {
  if (!fill_value || is_inexact(dtype)) return;
  const double value = *fill_value;
  const bool negative = is_integer(dtype) && is_signed(dtype);
  const double beyond = dtype == DType::kPred ? 2 : std::ldexp(1.0, bit_width(dtype) - (negative ? 1 : 0));
  if (value == std::trunc(value) && value < beyond && value >= (negative ? -beyond : 0))
    return;  // false of NaN
  fail(where, std::string(name) + ": the fill_value of " + what + ", which are " +
                  std::string(name_of(dtype)) + ", is " + text_of(Literal::of(value)));
}

Array detail::first_places(const Array& mask, int64_t size) {
  const int64_t n = mask.size();
  const DType dtype = places_dtype(std::max(n, size));
  const Array nothing = Array::full({size}, -1, dtype);
  if (n == 0 || size == 0) return nothing;
  const Array rank = cumsum(mask.astype(dtype)) - 1;
  return scatter(Scatter::kSet, nothing, where(mask, minimum(rank, size), size), iota(dtype, {n}, 0));
}

Array searchsorted(const Operand& sorted, const Operand& values, Side side) {
  const CallerScope caller(sorted.where(), "searchsorted");
  detail::checked_choice("searchsorted", "the side", static_cast<int64_t>(side), 2, sorted.where());
  const std::vector<Array> both = detail::same_dtype("searchsorted", {sorted, values}, sorted.where());
  if (both[0].rank() != 1 || is_complex(both[0].dtype()))
    fail(sorted.where(), "searchsorted: the sorted values are " + both[0].type_string() +
                             ", but should be a vector of numbers that are ordered");
  return apply("searchsorted", both, {static_cast<int64_t>(side)}, sorted.where(),
               [&](const std::vector<Array>& a) { return count_before(a[0], a[1], side); });
}

Array digitize(const Operand& x, const Operand& bins, bool right) {
  const CallerScope caller(x.where(), "digitize");
  const std::vector<Array> both = detail::same_dtype("digitize", {x, bins}, x.where());
  if (both[1].rank() != 1)
    fail(x.where(), "digitize: the bins are " + both[1].type_string() + ", but should be a vector of edges");
  return apply("digitize", both, {right}, x.where(), [&](const std::vector<Array>& a) {
    const int64_t n = a[1].size();
    if (n == 0) return Array::zeros(a[0].shape(), DType::kS32);
    const Array up = count_before(a[1], a[0], right ? Side::kLeft : Side::kRight);
    if (n == 1) return up;
    const Array down = n - count_before(flip(a[1], 0), a[0], right ? Side::kLeft : Side::kRight);
    return where(a[1][-1] >= a[1][0], up, down);
  });
}

std::vector<Array> nonzero(const Operand& x, const SizeOptions& options) {
  return places_by_axis("nonzero", x, options);
}
std::vector<Array> where(const Operand& condition, const SizeOptions& options) {
  return places_by_axis("where", condition, options);
}
Array flatnonzero(const Operand& x, const SizeOptions& options) {
  const CallerScope caller(x.where(), "flatnonzero");
  detail::check_filling("flatnonzero", options.fill_value, detail::places_dtype(checked_array(x).size()),
                        "places", x.where());
  const Array places = flat_places("flatnonzero", x, options);
  return with_filling(places, places, options.fill_value);
}
Array argwhere(const Operand& x, const SizeOptions& options) {
  const CallerScope caller(x.where(), "argwhere");
  return stack(places_by_axis("argwhere", x, options), 1);
}

Array compress(const Operand& condition, const Operand& x, Axis wanted, const SizeOptions& options) {
  const CallerScope caller(condition.where(), "compress");
  const Array mask = checked_array(condition), array = checked_array(x);
  const int64_t axis = detail::checked_axis("compress", wanted, array.rank(), condition.where());
  if (mask.rank() != 1 || mask.size() > array.shape(axis))
    fail(condition.where(), "compress: the condition is " + mask.type_string() +
                                ", but should be a vector of at most " + std::to_string(array.shape(axis)) +
                                " elements");
  detail::check_filling("compress", options.fill_value, array.dtype(), "elements", condition.where());
  const Array places = flat_places("compress", condition, options);
  Shape shape(array.shape().size(), 1);
  shape[static_cast<size_t>(axis)] = places.size();
  const Array there = reshape(places >= 0, shape);
  if (array.shape(axis) == 0) return Array::zeros(array.shape(), array.dtype());
  const Array rows = take(array, maximum(places, 0), axis, IndexMode::kClip);
  const Array filling = astype(Operand(options.fill_value.value_or(0), x.where()), array.dtype());
  return where(there, rows, filling);
}
Array compress(const Operand& condition, const Operand& x, const SizeOptions& options) {
  const CallerScope caller(condition.where(), "compress");
  return compress(condition, ravel(x), 0, options);
}
Array extract(const Operand& condition, const Operand& x, const SizeOptions& options) {
  const CallerScope caller(condition.where(), "extract");
  return compress(ravel(condition), ravel(x), 0, options);
}

}  // namespace ingot
