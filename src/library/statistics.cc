// Means with weights, covariances, ranges and counts.
#include "ingot/statistics.h"

#include "frontend/compose.h"
#include "ingot/creation.h"
#include "ingot/shapes.h"

namespace ingot {
namespace {

using detail::apply;
using detail::checked_array;
using detail::compose_any;
using detail::compose_floating;
using detail::fail;

std::vector<int64_t> words_of(const std::vector<int64_t>& axes, bool keepdims) {
  std::vector<int64_t> words = axes;
  words.push_back(keepdims);
  return words;
}

std::vector<int64_t> axes_of(const char* name, const Operand& x, const Axes& axes) {
  return detail::checked_axes(name, axes, checked_array(x).rank(), x.where());
}

// The weights in the shape of x.
Array spread_weights(const Array& x, const Array& weights, const std::vector<int64_t>& axes,
                     const std::source_location& where) {
  if (weights.shape() == x.shape()) return weights;
  if (weights.rank() != 1 || axes.size() != 1 || weights.size() != x.shape(axes[0]))
    fail(where, "average: the weights are " + weights.type_string() + ", but should have the shape of " +
                    x.type_string() + ", or be a vector along the one axis");
  Shape shape(x.shape().size(), 1);
  shape[static_cast<size_t>(axes[0])] = weights.size();
  return broadcast_to(reshape(weights, shape), x.shape());
}

// Rows are variables.
Array as_variables(const char* name, const Array& x, bool rowvar, const std::source_location& where) {
  if (x.rank() > 2)
    fail(where, std::string(name) + ": takes vectors and matrices, but this is a " + x.type_string());
  const Array rows = detail::floating(atleast_2d(x));
  return rowvar || rows.shape(0) == 1 ? rows : rows.T();
}

Array covariance(const Array& rows, int64_t ddof) {
  const Array centred = rows - mean(rows, 1, true);
  const Array products = dot(centred, conj(centred).T());
  return squeeze(products / static_cast<double>(rows.shape(1) - ddof));
}

Array correlation(const Array& rows) {
  const Array c = covariance(rows, 1);
  if (c.rank() == 0) return c / c;
  const Array spread = sqrt(real(diagonal(c)));
  const Array scaled = c / expand_dims(spread, 1) / expand_dims(spread, 0);
  return is_complex(c.dtype()) ? scaled : clip(scaled, -1, 1);
}

int64_t checked_ddof(const Array& rows, const CovOptions& options, const std::source_location& where) {
  const int64_t ddof = options.ddof.value_or(options.bias ? 0 : 1);
  if (ddof > 0 && ddof >= rows.shape(1))
    fail(where, "cov: there are " + std::to_string(rows.shape(1)) + " observations in " + rows.type_string() +
                    ", of which ddof = " + std::to_string(ddof) + " leaves none to divide by");
  return ddof;
}

// Variables of both.
Array joined_variables(const char* name, const Operand& x, const Operand& y, bool rowvar) {
  const std::vector<Array> both = detail::same_floats(name, {x, y}, x.where());
  return concatenate(
      {as_variables(name, both[0], rowvar, x.where()), as_variables(name, both[1], rowvar, x.where())}, 0);
}

}  // namespace

Array average(const Operand& x, const Axes& axes) {
  const CallerScope caller(x.where(), "average");
  return compose_floating("average", x, axes_of("average", x, axes),
                          [&](const Array& a) { return mean(a, axes); });
}

Array detail::weighted_average(const Operand& x, const Operand& weights, const Axes& axes,
                               KeepDims keepdims) {
  const CallerScope caller(x.where(), "average");
  const std::vector<int64_t> reduced = axes_of("average", x, axes);
  const std::vector<Array> both = detail::same_floats("average", {x, weights}, x.where());
  spread_weights(both[0], both[1], reduced, x.where());
  return apply("weighted_average", both, words_of(reduced, keepdims.value), x.where(),
               [&](const std::vector<Array>& a) {
                 const Array w = spread_weights(a[0], a[1], reduced, x.where());
                 return sum(a[0] * w, reduced, keepdims) / sum(w, reduced, keepdims);
               });
}

Array ptp(const Operand& x, const Axes& axes, KeepDims keepdims) {
  const CallerScope caller(x.where(), "ptp");
  return compose_any("ptp", x, words_of(axes_of("ptp", x, axes), keepdims.value),
                     [&](const Array& a) { return max(a, axes, keepdims) - min(a, axes, keepdims); });
}

Array count_nonzero(const Operand& x, const Axes& axes, KeepDims keepdims) {
  const CallerScope caller(x.where(), "count_nonzero");
  const std::vector<int64_t> counted = axes_of("count_nonzero", x, axes);
  return compose_any("count_nonzero", x, words_of(counted, keepdims.value), [&](const Array& a) {
    int64_t most = 1;
    for (const int64_t axis : counted) most *= a.shape(axis);
    return sum(detail::truth(a).astype(detail::places_dtype(most)), axes, keepdims);
  });
}

Array argmax(const Operand& x) {
  const CallerScope caller(x.where(), "argmax");
  return argmax(ravel(x), 0);
}
Array argmin(const Operand& x) {
  const CallerScope caller(x.where(), "argmin");
  return argmin(ravel(x), 0);
}

Array cov(const Operand& x, const CovOptions& options) {
  const CallerScope caller(x.where(), "cov");
  const int64_t ddof =
      checked_ddof(as_variables("cov", checked_array(x), options.rowvar, x.where()), options, x.where());
  return compose_any("cov", x, {options.rowvar, ddof}, [&](const Array& a) {
    return covariance(as_variables("cov", a, options.rowvar, x.where()), ddof);
  });
}
Array cov(const Operand& x, const Operand& y, const CovOptions& options) {
  const CallerScope caller(x.where(), "cov");
  const Array rows = joined_variables("cov", x, y, options.rowvar);
  const int64_t ddof = checked_ddof(rows, options, x.where());
  return compose_any("cov_of_rows", Operand(rows, x.where()), {ddof},
                     [&](const Array& a) { return covariance(a, ddof); });
}
Array corrcoef(const Operand& x, bool rowvar) {
  return compose_any("corrcoef", x, {rowvar}, [&](const Array& a) {
    return correlation(as_variables("corrcoef", a, rowvar, x.where()));
  });
}
Array corrcoef(const Operand& x, const Operand& y, bool rowvar) {
  const CallerScope caller(x.where(), "corrcoef");
  return compose_any("corrcoef_of_rows", Operand(joined_variables("corrcoef", x, y, rowvar), x.where()), {},
                     correlation);
}

Array percentile(const Operand& x, const Quantiles& q, const Axes& axes, KeepDims keepdims,
                 QuantileMethod method) {
  const CallerScope caller(x.where(), "percentile");
  return quantile(x, q.of_percents("percentile", x.where()), axes, keepdims, method);
}

}  // namespace ingot
