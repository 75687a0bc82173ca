// Elements without repetition, and what sets are made of: all by sorting, so that equal ones stand side by
// side.
#include <algorithm>
#include <complex>
#include <limits>

#include "frontend/compose.h"
#include "ingot/cumulative.h"
#include "ingot/elementwise.h"
#include "ingot/searching.h"
#include "ingot/shapes.h"
#include "ingot/sorting.h"
#include "ingot/statistics.h"
#include "library/found_places.h"

namespace ingot {
namespace {

using detail::checked_array;
using detail::fail;

struct Filling {
  std::optional<int64_t> size;
  std::optional<double> fill_value;
};

std::vector<int64_t> words_of(int64_t size, const Filling& options) {
  return {size, options.fill_value.has_value(), detail::word_of(options.fill_value.value_or(0))};
}

// The elements in a row; of complex ones that are NaN in a part all are the same, so that they meet when
// sorted.
Array elements_of(const Array& x) {
  const Array row = ravel(x);
  if (!is_complex(row.dtype())) return row;
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  return where(isnan(row), astype(std::complex<double>(kNan, kNan), row.dtype()), row);
}

// Where an element, or a row of a matrix, differs from the one before: NaN are equal.
Array first_of_equal(const Array& sorted) {
  const int64_t n = sorted.shape(0);
  const Array a = sorted.slice({0, n - 1}), b = sorted.slice({1, n});
  Array differs = a != b;
  if (is_inexact(sorted.dtype())) differs = differs & ((a == a) | (b == b));
  if (sorted.rank() == 2) differs = any(differs, 1);
  return concatenate({Array::ones({1}, DType::kPred), differs}, 0);
}

// The first elements of a vector that are the first of equal ones, by their places in it.
Array unique_values(const Array& sorted, const Array& places, const Array& filling) {
  const Array values = take(sorted, maximum(places, 0), 0, IndexMode::kClip);
  return where(places < 0, filling, values);
}

int64_t unique_size(const char* name, const Operand& x, const Filling& options) {
  detail::check_filling(name, options.fill_value, checked_array(x).dtype(), "elements", x.where());
  return detail::wanted_size(
      name, checked_array(x), options.size,
      [&] {
        if (checked_array(x).size() == 0) return int64_t{0};
        return count_nonzero(first_of_equal(sort(elements_of(x.array()), 0))).item<int64_t>();
      },
      x.where());
}

Array filling_of(const Array& sorted, const Filling& options) {
  if (options.fill_value) return astype(*options.fill_value, sorted.dtype());
  return sorted[0];
}

Array empty_filled(const Array& x, int64_t size, const Filling& options) {
  return broadcast_to(astype(options.fill_value.value_or(0), x.dtype()), {size});
}

// --- slices

// The rows of a matrix in the order of their first elements, then of the next ones.
Array sorted_rows(const Array& rows) {
  if (rows.shape(1) == 0) return rows;
  std::vector<Array> columns = unstack(rows, 1);
  return stack(sort_by_keys(columns, columns, 0), 1);
}

Array unique_slices(const Operand& x, int64_t given_axis, const Filling& options) {
  const Array array = checked_array(x);
  const int64_t axis = detail::checked_axis("unique", given_axis, array.rank(), x.where());
  detail::check_filling("unique", options.fill_value, array.dtype(), "elements", x.where());
  const Array turned = moveaxis(array, axis, 0);
  const int64_t count = turned.shape(0);
  const int64_t width = count == 0 ? 0 : array.size() / count;
  const auto rows_of = [&](const Array& a) { return reshape(a, {count, width}); };
  const int64_t size = detail::wanted_size(
      "unique", array, options.size,
      [&] {
        return count == 0 ? 0 : count_nonzero(first_of_equal(sorted_rows(rows_of(turned)))).item<int64_t>();
      },
      x.where());
  Shape shape = turned.shape();
  shape[0] = size;
  if (count == 0)
    return moveaxis(broadcast_to(astype(options.fill_value.value_or(0), array.dtype()), shape), 0, axis);
  return detail::apply(
      "unique_slices", {turned}, words_of(size, options), x.where(), [&](const std::vector<Array>& a) {
        const Array sorted = sorted_rows(rows_of(a[0]));
        const Array places = detail::first_places(first_of_equal(sorted), size);
        const Array values = take(sorted, maximum(places, 0), 0, IndexMode::kClip);
        const Array filling = options.fill_value ? astype(*options.fill_value, array.dtype()) : sorted[0];
        const Array filled = where(expand_dims(places < 0, 1), filling, values);
        return moveaxis(reshape(filled, shape), 0, axis);
      });
}

// --- sets

// Whether an element belongs to the result: by what has it.
using Member = std::function<Array(const Array& in_x, const Array& in_y)>;
enum class SetFilling { kLeast, kZero };

// The elements of both, sorted, and which of those that stand first among equal ones are members.
std::pair<Array, Array> members_of(const Array& x, const Array& y, const Member& member) {
  const Array all = concatenate({elements_of(x), elements_of(y)}, 0);
  const int64_t n = all.size();
  const DType counts_dtype = detail::places_dtype(n);
  const Array from_x = iota(counts_dtype, {n}, 0) < x.size();
  const std::vector<Array> both = sort_by_keys({all}, {all, from_x}, 0);
  const Array first = first_of_equal(both[0]), group = cumsum(first.astype(counts_dtype)) - 1;
  const auto there = [&](const Array& mask) {
    const Array counts = scatter_add(Array::zeros({n}, counts_dtype), group, mask.astype(counts_dtype));
    return take(counts, group, 0, IndexMode::kClip) > 0;
  };
  return {both[0], first & member(there(both[1]), there(~both[1]))};
}

Array set_operation(const char* name, const Operand& x, const Operand& y, const Filling& options,
                    SetFilling filling, const Member& member) {
  const CallerScope caller(x.where(), name);
  const std::vector<Array> both = detail::same_dtype(name, {x, y}, x.where());
  detail::check_filling(name, options.fill_value, both[0].dtype(), "elements", x.where());
  const bool empty = both[0].size() + both[1].size() == 0;
  const int64_t size = detail::wanted_size(
      name, both[1].is_traced() ? both[1] : both[0], options.size,
      [&] {
        if (empty) return int64_t{0};
        return count_nonzero(members_of(both[0], both[1], member).second).item<int64_t>();
      },
      x.where());
  const DType dtype = both[0].dtype();
  const Array given = astype(options.fill_value.value_or(0), dtype);
  if (empty) return broadcast_to(given, {size});
  return detail::apply(name, both, words_of(size, options), x.where(), [&](const std::vector<Array>& a) {
    const auto [sorted, found] = members_of(a[0], a[1], member);
    const Array places = detail::first_places(found, size);
    const Array values = take(sorted, maximum(places, 0), 0, IndexMode::kClip);
    if (size == 0) return values;
    const bool least = filling == SetFilling::kLeast && !options.fill_value;
    return where(places < 0, least ? where(places[0] < 0, given, values[0]) : given, values);
  });
}

}  // namespace

Array unique(const Operand& x, const UniqueOptions& given) {
  const CallerScope caller(x.where(), "unique");
  if (given.axis) return unique_slices(x, *given.axis, {given.size, given.fill_value});
  const Filling options{given.size, given.fill_value};
  const int64_t size = unique_size("unique", x, options);
  if (checked_array(x).size() == 0) return empty_filled(x.array(), size, options);
  return detail::compose_any("unique", x, words_of(size, options), [&](const Array& a) {
    const Array sorted = sort(elements_of(a), 0);
    return unique_values(sorted, detail::first_places(first_of_equal(sorted), size),
                         filling_of(sorted, options));
  });
}

Unique unique_all(const Operand& x, const SizeOptions& given) {
  const CallerScope caller(x.where(), "unique_all");
  const Filling options{given.size, given.fill_value};
  const Array array = checked_array(x);
  const int64_t size = unique_size("unique_all", x, options), n = array.size();
  if (n - 1 > INT32_MAX)
    fail(x.where(), "unique_all: " + array.type_string() + " has " + std::to_string(n) +
                        " elements, and their places are s32");
  const Array none = Array::zeros({size}, DType::kS32);
  if (n == 0)
    return {empty_filled(array, size, options), none, Array::zeros(array.shape(), DType::kS32), none};
  const std::vector<Array> results =
      detail::apply_all("unique_all", {array}, x.where(), [&](const std::vector<Array>& given) {
        const Array flat = elements_of(given[0]), order = argsort(flat, 0);
        const Array sorted = take(flat, order, 0, IndexMode::kClip), first = first_of_equal(sorted);
        const Array places = detail::first_places(first, size), inside = maximum(places, 0);
        const Array rank = cumsum(first.astype(DType::kS32)) - 1;
        const Array inverse = scatter(Scatter::kSet, Array::zeros({n}, DType::kS32), order, rank);
        const Array counts = scatter_add(Array::zeros({size}, DType::kS32), rank, 1);
        return std::vector<Array>{unique_values(sorted, places, filling_of(sorted, options)),
                                  take(order, inside, 0, IndexMode::kClip), reshape(inverse, array.shape()),
                                  counts};
      });
  return {results[0], results[1], results[2], results[3]};
}

Array intersect1d(const Operand& x, const Operand& y, const SizeOptions& options) {
  return set_operation("intersect1d", x, y, {options.size, options.fill_value}, SetFilling::kLeast,
                       [](const Array& in_x, const Array& in_y) { return in_x & in_y; });
}
Array union1d(const Operand& x, const Operand& y, const SizeOptions& options) {
  return set_operation("union1d", x, y, {options.size, options.fill_value}, SetFilling::kLeast,
                       [](const Array& in_x, const Array& in_y) { return in_x | in_y; });
}
Array setdiff1d(const Operand& x, const Operand& y, const SizeOptions& options) {
  return set_operation("setdiff1d", x, y, {options.size, options.fill_value}, SetFilling::kZero,
                       [](const Array& in_x, const Array& in_y) { return in_x & ~in_y; });
}
Array setxor1d(const Operand& x, const Operand& y, const SizeOptions& options) {
  return set_operation("setxor1d", x, y, {options.size, options.fill_value}, SetFilling::kLeast,
                       [](const Array& in_x, const Array& in_y) { return in_x ^ in_y; });
}

}  // namespace ingot
