// Padding with elements of the array itself: what stands before and after an axis is taken from it.
#include <algorithm>

#include "base/divide.h"
#include "base/extents.h"
#include "frontend/compose.h"
#include "ingot/creation.h"
#include "ingot/shapes.h"
#include "ingot/sorting.h"

namespace ingot {
namespace {

using detail::fail;

int64_t positive_mod(int64_t a, int64_t b) {
  return ((a % b) + b) % b;
}

// What is repeated without end on both sides of an axis, from its first element on.
Array period_of(const Array& x, int64_t axis, PadMode mode) {
  if (mode == PadMode::kWrap) return x;
  const Array back = flip(x, axis);
  if (mode == PadMode::kSymmetric) return concatenate({x, back}, axis);
  const int64_t last = x.shape(axis) - 1;  // which stands at each turn once
  return last == 0 ? x : concatenate({x, slice_axis(back, axis, 1, last)}, axis);
}

// The elements that stand from a place before or behind the axis on.
Array elements_around(const Array& x, int64_t axis, int64_t first, int64_t count, PadMode mode) {
  if (mode == PadMode::kEdge) {
    Shape shape = x.shape();
    shape[static_cast<size_t>(axis)] = count;
    const int64_t edge = first < 0 ? 0 : x.shape(axis) - 1;
    return broadcast_to(slice_axis(x, axis, edge, edge + 1), shape);
  }
  const Array period = period_of(x, axis, mode);
  const int64_t length = period.shape(axis), begin = positive_mod(first, length);
  std::vector<int64_t> times(x.shape().size(), 1);
  times[static_cast<size_t>(axis)] = divide_up(begin + count, length);
  return slice_axis(tile(period, times), axis, begin, begin + count);
}

// From the value up to the edge, which is not among the numbers.
Array ramp_around(const Array& x, int64_t axis, int64_t count, bool before, const Array& value) {
  const int64_t edge = before ? 0 : x.shape(axis) - 1;
  const Array end = index_axis(x, axis, edge);
  const Array ramp =
      linspace(broadcast_to(value, end.shape()), end, count,
               {.endpoint = false, .axis = axis, .dtype = is_inexact(x.dtype()) ? x.dtype() : DType::kF32});
  const Array whole = is_inexact(x.dtype()) ? ramp : floor(ramp).astype(x.dtype());
  return before ? whole : flip(whole, axis);
}

bool is_statistic(PadMode mode) {
  return mode >= PadMode::kMean;
}

// A number of the whole axis, so many times.
Array statistic_around(const Array& x, int64_t axis, int64_t count, PadMode mode) {
  const auto of = [&](const Array& a) {
    switch (mode) {
      case PadMode::kMean:
        return mean(a, axis, kKeepDims);
      case PadMode::kMedian:
        return median(a, axis, kKeepDims);
      case PadMode::kMaximum:
        return max(a, axis, kKeepDims);
      default:
        return min(a, axis, kKeepDims);
    }
  };
  const bool rounds = !is_inexact(x.dtype()) && (mode == PadMode::kMean || mode == PadMode::kMedian);
  const Array number = rounds ? round(of(x)).astype(x.dtype()) : of(x);
  Shape shape = x.shape();
  shape[static_cast<size_t>(axis)] = count;
  return broadcast_to(number, shape);
}

std::vector<int64_t> per_axis(const char* what, const std::vector<int64_t>& counts, const Array& x,
                              const std::source_location& where) {
  std::vector<int64_t> all = counts;
  if (counts.size() == 1) all.assign(x.shape().size(), counts[0]);
  if (all.size() != x.shape().size())
    fail(where, std::string("pad: ") + what + " has " + std::to_string(counts.size()) +
                    " numbers, but should have one, or one for each axis of " + x.type_string());
  for (const int64_t count : all)
    if (count < 0)
      fail(where, std::string("pad: ") + what + " has " + std::to_string(count) +
                      ", but should be 0 or more; negative padding is of mode kConstant alone");
  return all;
}

}  // namespace

Array pad(const Operand& x, const std::vector<int64_t>& given_low, const std::vector<int64_t>& given_high,
          PadMode mode, const Operand& value) {
  const std::source_location& where = x.where();
  const CallerScope caller(where, "pad");
  detail::checked_choice("pad", "the mode", static_cast<int64_t>(mode), 10, where);
  const std::vector<Array> both = detail::same_dtype("pad", {x, value}, where);
  if (both[0].dtype() != detail::checked_array(x).dtype())
    fail(where,
         "pad: the value is no " + std::string(name_of(x.array().dtype())) + ", the dtype of the array");
  const std::vector<int64_t> low = per_axis("`low`", given_low, both[0], where);
  const std::vector<int64_t> high = per_axis("`high`", given_high, both[0], where);
  if (mode == PadMode::kConstant) return pad(both[0], low, high, both[1]);
  Shape shape = both[0].shape();
  for (int64_t axis = 0; axis < both[0].rank(); ++axis) {
    const auto a = static_cast<size_t>(axis);
    if (both[0].shape(axis) == 0 && low[a] + high[a] > 0)
      fail(where, "pad: axis " + std::to_string(axis) + " of " + both[0].type_string() +
                      " has no element to pad with; kConstant needs none");
    shape[a] = add_extents(shape[a], add_extents(low[a], high[a]));
  }
  try {
    element_count(shape);
  } catch (const Error& error) {
    fail(where, std::string("pad: ") + error.what());
  }
  std::vector<int64_t> words = low;
  words.insert(words.end(), high.begin(), high.end());
  words.push_back(static_cast<int64_t>(mode));
  return detail::apply("pad_mode", both, words, where, [&](const std::vector<Array>& operands) {
    Array padded = operands[0];
    for (int64_t axis = 0; axis < padded.rank(); ++axis) {
      const auto a = static_cast<size_t>(axis);
      const int64_t extent = padded.shape(axis);
      std::vector<Array> parts = {padded};
      const auto around = [&](int64_t first, int64_t count, bool before) {
        if (is_statistic(mode)) return statistic_around(padded, axis, count, mode);
        return mode == PadMode::kLinearRamp ? ramp_around(padded, axis, count, before, operands[1])
                                            : elements_around(padded, axis, first, count, mode);
      };
      if (low[a] > 0) parts.insert(parts.begin(), around(-low[a], low[a], true));
      if (high[a] > 0) parts.push_back(around(extent, high[a], false));
      padded = concatenate(parts, axis);
    }
    return padded;
  });
}

}  // namespace ingot
