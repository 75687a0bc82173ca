// Counts of numbers in bins: the bin of each is searched for, and the counts are a scatter.
#include <cmath>

#include "frontend/compose.h"
#include "ingot/calculus.h"
#include "ingot/creation.h"
#include "ingot/searching.h"
#include "ingot/shapes.h"
#include "ingot/statistics.h"

namespace ingot {
namespace {

using detail::apply;
using detail::checked_array;
using detail::fail;

Array edges_between(const Array& x, int64_t bins, const HistogramOptions& options) {
  if (options.range || x.size() == 0) {
    const auto [low, high] = options.range.value_or(std::pair(0.0, 1.0));
    const double half = low == high ? 0.5 : 0;
    return linspace(low - half, high + half, bins + 1, {.dtype = x.dtype()});
  }
  const Array low = min(x), high = max(x), half = where(low == high, 0.5, detail::number(x.dtype(), 0));
  return linspace(low - half, high + half, bins + 1);
}

std::vector<int64_t> words_of(int64_t bins, const HistogramOptions& options) {
  const auto [low, high] = options.range.value_or(std::pair(0.0, 0.0));
  return {bins, options.range.has_value(), detail::word_of(low), detail::word_of(high)};
}

void check_bins(const char* name, int64_t bins, const Operand& x, const HistogramOptions& options) {
  if (bins < 1)
    fail(x.where(), std::string(name) + ": " + std::to_string(bins) + " bins; there should be 1 or more");
  if (bins >= kMostElements)
    fail(x.where(), std::string(name) + ": " + std::to_string(bins) +
                        " bins have more edges than the 2^48 elements that an array may have");
  if (options.range && !(options.range->first <= options.range->second))
    fail(x.where(), std::string(name) + ": the range should be from a number to one that is not less");
}

}  // namespace

Array histogram_bin_edges(const Operand& x, int64_t bins, const HistogramOptions& options) {
  check_bins("histogram_bin_edges", bins, x, options);
  return detail::compose_floating("histogram_bin_edges", x, words_of(bins, options),
                                  [&](const Array& a) { return edges_between(a, bins, options); });
}

Histogram histogram(const Operand& x, int64_t bins, const HistogramOptions& options) {
  const CallerScope caller(x.where(), "histogram");
  check_bins("histogram", bins, x, options);
  return histogram(x, histogram_bin_edges(x, bins, options), options);
}

Histogram histogram(const Operand& x, const Array& given, const HistogramOptions& options) {
  const std::source_location& where = x.where();
  const CallerScope caller(where, "histogram");
  const std::vector<Array> both = detail::same_floats("histogram", {x, Operand(given, where)}, where);
  if (both[1].rank() != 1 || both[1].size() < 2)
    fail(where, "histogram: the edges are " + given.type_string() + ", but should be a vector of 2 or more");
  Array weights = options.weights ? detail::floating(checked_array(Operand(*options.weights, where)))
                                  : ones_like(both[0]);
  if (weights.shape() != both[0].shape())
    fail(where, "histogram: the weights are " + weights.type_string() +
                    ", but there is an element for each of " + both[0].type_string());
  const Array counts = apply(
      "histogram", {both[0], both[1], weights}, {options.density}, where, [&](const std::vector<Array>& a) {
        const Array values = ravel(a[0]), &edges = a[1];
        const int64_t bins = edges.size() - 1;
        // Bin i holds what has i edges below or at it; the last edge counts to the last bin.
        const Array place = searchsorted(edges, values, Side::kRight);
        const Array bin = ingot::where(values == edges[-1], bins, place);
        const Array sums =
            scatter_add(Array::zeros({bins + 1}, a[2].dtype()), bin, ravel(a[2])).slice({1, Slice::kEnd});
        if (!options.density) return sums;
        return sums / diff(edges).astype(sums.dtype()) / sum(sums);
      });
  return {counts, both[1]};
}

Histogram2d histogram2d(const Operand& x, const Operand& y, std::array<int64_t, 2> bins,
                        const Histogram2dOptions& options) {
  const CallerScope caller(x.where(), "histogram2d");
  if (!options.range.empty() && options.range.size() != 2)
    fail(x.where(), "there are " + std::to_string(options.range.size()) +
                        " ranges; there should be one of x and one of y");
  const auto edges_of = [&](const Operand& values, size_t i) {
    HistogramOptions along;
    if (!options.range.empty()) along.range = options.range[i];
    return histogram_bin_edges(values, bins[i], along);
  };
  return detail::histogram_by_edges(x, y, edges_of(x, 0), edges_of(y, 1), options);
}

// Bin i holds what has i edges below or at it, as in histogram; 0 and those behind the last one are left out.
Histogram2d detail::histogram_by_edges(const Operand& x, const Operand& y, const Array& x_edges,
                                       const Array& y_edges, const Histogram2dOptions& options) {
  const std::source_location& where = x.where();
  const CallerScope caller(where, "histogram2d");
  const std::vector<Array> all =
      detail::same_floats("histogram2d", {x, y, Operand(x_edges, where), Operand(y_edges, where)}, where);
  if (all[0].rank() != 1 || all[0].shape() != all[1].shape())
    fail(where, "the points are " + all[0].type_string() + " and " + all[1].type_string() +
                    ", but should be two vectors of one length");
  for (const size_t i : {2, 3})
    if (all[i].rank() != 1 || all[i].size() < 2)
      fail(where, "the edges are " + all[i].type_string() + ", but should be a vector of 2 or more");
  const Array weights =
      options.weights
          ? detail::floating(checked_array(Operand(*options.weights, where)))
          : ones_like(all[0], options.density ? all[0].dtype() : detail::places_dtype(all[0].size()));
  if (weights.shape() != all[0].shape())
    fail(where, "the weights are " + weights.type_string() + ", but there is one for each point of " +
                    all[0].type_string());
  const Array counts = apply(
      "histogram2d", {all[0], all[1], all[2], all[3], weights}, {options.density}, where,
      [&](const std::vector<Array>& a) {
        const auto bin_of = [](const Array& values, const Array& edges) {
          return ingot::where(values == edges[-1], edges.size() - 1,
                              searchsorted(edges, values, Side::kRight));
        };
        const int64_t rows = a[2].size(), columns = a[3].size();  // with those that are left out
        const DType wide = detail::places_dtype((rows + 1) * (columns + 1));
        const Array bin = bin_of(a[0], a[2]).astype(wide) * (columns + 1) + bin_of(a[1], a[3]);
        const Array sums = scatter_add(Array::zeros({(rows + 1) * (columns + 1)}, a[4].dtype()), bin, a[4]);
        const Array inside = reshape(sums, {rows + 1, columns + 1})(Slice{1, rows}, Slice{1, columns});
        if (!options.density) return inside;
        const Array area = expand_dims(diff(a[2]), 1) * expand_dims(diff(a[3]), 0);
        return inside / area.astype(inside.dtype()) / sum(inside);
      });
  return {counts, all[2], all[3]};
}

Array bincount(const Operand& x, const BincountOptions& options) {
  const std::source_location& where = x.where();
  const CallerScope caller(where, "bincount");
  const Array array = checked_array(x);
  if (!is_integer(array.dtype()) || array.rank() != 1)
    fail(where, "bincount: takes a vector of integers, but this is a " + array.type_string());
  if (!options.length && (detail::tracing() || array.is_traced()))
    fail(where,
         "bincount: how many counts there are depends on values, which a program does not know when it is "
         "traced; give .length");
  int64_t length = options.length.value_or(options.minlength);
  if (!options.length && array.size() > 0) length = std::max(length, max(array).item<int64_t>() + 1);
  if (length < 0)
    fail(where, "bincount: the length is " + std::to_string(length) + "; it should be 0 or more");
  detail::checked_shape("bincount", {length}, where);
  std::vector<Array> operands = {array};
  if (options.weights) operands.push_back(checked_array(Operand(*options.weights, where)));
  if (operands.size() == 2 && operands[1].shape() != array.shape())
    fail(where, "bincount: the weights are " + operands[1].type_string() + ", but there is one for each of " +
                    array.type_string());
  return apply("bincount", operands, {length}, where, [&](const std::vector<Array>& a) {
    const Array weights = a.size() == 2 ? a[1] : Array::ones(a[0].shape(), detail::places_dtype(a[0].size()));
    if (length == 0) return Array::zeros({0}, weights.dtype());
    const Array places = is_signed(a[0].dtype()) ? maximum(a[0], 0) : a[0];
    return scatter_add(Array::zeros({length}, weights.dtype()), places, weights);
  });
}

}  // namespace ingot
