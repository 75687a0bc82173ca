// Means, spreads, counts: what reductions are made of that are no operation of their own, and those that
// leave out NaN. Integers and preds become f32 where the result is no integer.
#pragma once

#include "ingot/sorting.h"

namespace ingot {
namespace detail {

Array weighted_average(const Operand& x, const Operand& weights, const Axes& axes, KeepDims keepdims);

}  // namespace detail

Array average(const Operand& x, const Axes& axes = {});  // the mean
// The mean of elements that count as much as their weights say: of the shape of x, or a vector along the one
// axis.
template <std::same_as<Array> A>
Array average(const Operand& x, const A& weights, const Axes& axes = {}, KeepDims keepdims = {});
Array ptp(const Operand& x, const Axes& axes = {}, KeepDims keepdims = {});  // max - min
Array count_nonzero(const Operand& x, const Axes& axes = {},
                    KeepDims keepdims = {});  // s32, of 2^31 or more s64
Array argmax(const Operand& x);               // of all elements, in row-major order
Array argmin(const Operand& x);

struct CovOptions {
  detail::ByName by_name = detail::ByName();
  bool rowvar = true;           // a row is a variable and a column an observation; else the other way
  bool bias = false;            // divides by the number of observations, not by one less
  Optional<int64_t> ddof = {};  // ... or by this many less
};
// Covariances of variables, [variables, variables]; of one variable a scalar.
Array cov(const Operand& x, const CovOptions& options = {});
Array cov(const Operand& x, const Operand& y, const CovOptions& options = {});  // y: more variables
Array corrcoef(const Operand& x, bool rowvar = true);                           // divided by both spreads
Array corrcoef(const Operand& x, const Operand& y, bool rowvar = true);

// As quantile, q from 0 to 100.
Array percentile(const Operand& x, const Quantiles& q, const Axes& axes = {}, KeepDims keepdims = {},
                 QuantileMethod method = QuantileMethod::kLinear);

// --- without NaN ---
Array nansum(const Operand& x, const Axes& axes = {}, KeepDims keepdims = {});
Array nanprod(const Operand& x, const Axes& axes = {}, KeepDims keepdims = {});
Array nanmean(const Operand& x, const Axes& axes = {}, KeepDims keepdims = {});
Array nanmax(const Operand& x, const Axes& axes = {}, KeepDims keepdims = {});  // NaN where all are
Array nanmin(const Operand& x, const Axes& axes = {}, KeepDims keepdims = {});
Array nanvar(const Operand& x, const Axes& axes = {}, int64_t ddof = 0, KeepDims keepdims = {});
Array nanstd(const Operand& x, const Axes& axes = {}, int64_t ddof = 0, KeepDims keepdims = {});
Array nanargmax(const Operand& x, Axis axis);  // -1 where all are NaN
Array nanargmin(const Operand& x, Axis axis);
Array nanargmax(const Operand& x);
Array nanargmin(const Operand& x);
Array nancumsum(const Operand& x, Axis axis = 0);
Array nancumprod(const Operand& x, Axis axis = 0);
Array nanquantile(const Operand& x, const Quantiles& q, const Axes& axes = {}, KeepDims keepdims = {});
Array nanpercentile(const Operand& x, const Quantiles& q, const Axes& axes = {}, KeepDims keepdims = {});
Array nanmedian(const Operand& x, const Axes& axes = {}, KeepDims keepdims = {});

// --- counts of numbers in ranges ---
struct HistogramOptions {
  detail::ByName by_name = detail::ByName();
  Optional<std::pair<double, double>> range = {};  // by default from the least to the greatest element
  Optional<Array> weights = {};                    // what each element counts, of the shape of x
  bool density = false;                            // of which the integral is 1
};
struct Histogram {
  Array counts;  // f32, as in JAX, or the dtype of x
  Array edges;   // one more than there are counts
};
// How many elements lie in each bin; the last one has its right edge, too. NaN lies in none.
Histogram histogram(const Operand& x, int64_t bins = 10, const HistogramOptions& options = {});
Histogram histogram(const Operand& x, const Array& edges, const HistogramOptions& options = {});
struct Histogram2dOptions {
  detail::ByName by_name = detail::ByName();
  std::vector<std::pair<double, double>> range = {};  // {{0, 1}, {0, 2}}: of x, and of y
  Optional<Array> weights = {};
  bool density = false;
};
struct Histogram2d {
  Array counts;  // [bins of x, bins of y]
  Array x_edges, y_edges;
};
namespace detail {
Histogram2d histogram_by_edges(const Operand& x, const Operand& y, const Array& x_edges, const Array& y_edges,
                               const Histogram2dOptions& options);
}
// How many of the points (x, y), given as two vectors, lie in each bin of a grid.
Histogram2d histogram2d(const Operand& x, const Operand& y, std::array<int64_t, 2> bins = {10, 10},
                        const Histogram2dOptions& options = {});
template <std::same_as<Array> A>
Histogram2d histogram2d(const Operand& x, const Operand& y, const A& x_edges, const A& y_edges,
                        const Histogram2dOptions& options = {}) {
  return detail::histogram_by_edges(x, y, x_edges, y_edges, options);
}
Array histogram_bin_edges(const Operand& x, int64_t bins = 10, const HistogramOptions& options = {});

struct BincountOptions {
  detail::ByName by_name = detail::ByName();
  Optional<Array> weights = {};
  int64_t minlength = 0;
  // How many counts there are: known when a program is traced. Outside of one it is the greatest integer plus
  // one, if it is not given.
  Optional<int64_t> length = {};
};
// How often each integer from 0 on is there: s32, of 2^31 elements or more s64. Negative ones count as 0,
// those from `length` on are left out.
Array bincount(const Operand& x, const BincountOptions& options = {});

template <std::same_as<Array> A>
Array average(const Operand& x, const A& weights, const Axes& axes, KeepDims keepdims) {
  return detail::weighted_average(x, Operand(weights, x.where()), axes, keepdims);
}

}  // namespace ingot
