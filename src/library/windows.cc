// Reductions over windows, one dimension after the other: a window of 5 x 5 costs 10 combinations, not 25.
//
// Along one dimension a short window is written out, as combinations of slices. A long one is put together
// from two running totals: with the dimension cut into blocks of the window's extent, every window is the
// rest of one block and the beginning of the next. Windows that all begin, or all end, with the array are its
// running totals.
#include "ingot/windows.h"

#include <algorithm>
#include <limits>

#include "base/extents.h"
#include "frontend/apply.h"
#include "frontend/program.h"
#include "ingot/autodiff.h"
#include "ingot/cumulative.h"
#include "library/rules_by_value.h"

namespace ingot {
namespace {

using detail::apply;
using detail::fail;
using CombineTwo = std::function<Array(Array, Array)>;
// Arrays of one shape that windows combine together, and how: the elements that stand before others come
// first.
using Bundle = std::vector<Array>;
using CombineBundles = std::function<Bundle(const Bundle&, const Bundle&)>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int64_t kWrittenOut = 16;  // elements of a window along one dimension
constexpr int64_t kMostPlaces = 64;  // of a window whose greatest element is looked for place by place

// One dimension of all windows.
struct Dimension {
  int64_t extent, stride, low, high, x_dilation, dilation;

  int64_t reach() const { return spread_extent(extent, dilation); }
  int64_t padded(int64_t n) const { return add_extents(low + high, spread_extent(n, x_dilation)); }
  int64_t count(int64_t n) const { return padded(n) < reach() ? 0 : (padded(n) - reach()) / stride + 1; }
  bool trivial() const { return extent == 1 && stride == 1 && low == 0 && high == 0 && x_dilation == 1; }
};

std::string dimensions_text(size_t count) {
  return std::to_string(count) + (count == 1 ? " dimension" : " dimensions");
}

std::vector<int64_t> per_dimension(const char* name, const std::vector<int64_t>& list, size_t dims,
                                   const char* option, const std::source_location& where) {
  std::vector<int64_t> all = list;
  if (list.empty()) all.assign(dims, 1);
  if (list.size() == 1) all.assign(dims, list[0]);
  if (all.size() != dims) {
    fail(where, std::string(name) + ": " + option + " has " + std::to_string(list.size()) +
                    (list.size() == 1 ? " entry" : " entries") + ", but the window has " +
                    dimensions_text(dims) + "; give one per dimension, or one for all");
  }
  for (int64_t value : all) {
    if (value < 1)
      fail(where, std::string(name) + ": " + option + " must be at least 1, not " + std::to_string(value));
  }
  return all;
}

// `first` is the dimension of x where the window begins.
std::vector<Dimension> dimensions_of(const char* name, const Array& x, size_t first,
                                     const std::vector<int64_t>& window, const WindowOptions& options,
                                     const std::source_location& where) {
  const size_t n = window.size();
  const auto extents = per_dimension(name, window, n, "the window", where),
             strides = per_dimension(name, options.strides, n, "strides", where),
             x_dilation = per_dimension(name, options.x_dilation, n, "x_dilation", where),
             dilation = per_dimension(name, options.window_dilation, n, "window_dilation", where);
  detail::checked_choice(name, "the padding's kind", options.padding.kind(), 3, where);
  const auto& pairs = options.padding.pairs();
  if (options.padding.kind() == ConvPadding::kPairs && pairs.size() != n && pairs.size() != 1) {
    fail(where, std::string(name) + ": padding has " + std::to_string(pairs.size()) +
                    " pairs, but the window has " + dimensions_text(n) +
                    "; give one pair per dimension, or one for all");
  }
  std::vector<Dimension> dims;
  for (size_t i = 0; i < n; ++i) {
    Dimension d{extents[i], strides[i], 0, 0, x_dilation[i], dilation[i]};
    if (options.padding.kind() == ConvPadding::kPairs) {
      std::tie(d.low, d.high) = pairs[pairs.size() == 1 ? 0 : i];
      d.low = std::clamp(d.low, -kMostElements - 1, kMostElements + 1);  // sums fit; refused below
      d.high = std::clamp(d.high, -kMostElements - 1, kMostElements + 1);
    } else if (options.padding.kind() == ConvPadding::kSame) {
      const int64_t extent = d.padded(x.shape()[first + i]),
                    out = extent / d.stride + (extent % d.stride != 0 ? 1 : 0);
      const int64_t total =
          std::max<int64_t>(add_extents(multiply_extents(out - 1, d.stride), d.reach() - extent), 0);
      d.low = total / 2;
      d.high = total - d.low;
    }
    const int64_t padded = d.padded(x.shape()[first + i]);
    if (std::max({padded, d.reach(), d.stride, d.low, d.high}) > kMostElements ||
        std::min(d.low, d.high) < -kMostElements) {
      fail(where, std::string(name) + ": along dimension " + std::to_string(i) + " of the window, " +
                      x.type_string() +
                      " with its padding and dilation, or the window, would have more than " +
                      std::to_string(kMostElements) + " (2^48) places, the most that there may be");
    }
    dims.push_back(d);
  }
  return dims;
}

// Negative padding cuts off.
Array padded_along(const Array& x, int64_t axis, int64_t low, int64_t high, int64_t dilation,
                   const Array& neutral) {
  const auto rank = static_cast<size_t>(x.rank()), at = static_cast<size_t>(axis);
  std::vector<int64_t> lows(rank, 0), highs(rank, 0), interior(rank, 0);
  lows[at] = low;
  highs[at] = high;
  interior[at] = x.shape(axis) > 1 ? dilation - 1 : 0;
  if (low == 0 && high == 0 && interior[at] == 0) return x;
  return pad(x, lows, highs, neutral, interior);
}

// The place-th element of every window.
Array place_of(const Array& padded, int64_t axis, const Dimension& d, int64_t count, int64_t place) {
  const int64_t start = place * d.dilation;
  return slice_axis(padded, axis, start, start + (count - 1) * d.stride + 1, d.stride);
}

Bundle each(const Bundle& bundle, const std::function<Array(const Array&)>& f) {
  Bundle results;
  for (const Array& array : bundle) results.push_back(f(array));
  return results;
}
Bundle each(const Bundle& bundle, const Bundle& neutral,
            const std::function<Array(const Array&, const Array&)>& f) {
  Bundle results;
  for (size_t i = 0; i < bundle.size(); ++i) results.push_back(f(bundle[i], neutral[i]));
  return results;
}

// Combines all windows of neighbours with stride 1, in work that does not grow with their extent.
Bundle combine_long(const CombineBundles& f, const Bundle& x, const Bundle& neutral, int64_t axis,
                    int64_t window) {
  const int64_t extent = x[0].shape(axis), count = extent - window + 1,
                blocks = (extent + window - 1) / window + 1;
  Shape joined = x[0].shape();
  joined[static_cast<size_t>(axis)] = blocks * window;
  Shape split = joined;
  split[static_cast<size_t>(axis)] = blocks;
  Shape step = split;
  split.insert(split.begin() + axis + 1, window);
  const Bundle cut = each(x, neutral, [&](const Array& a, const Array& zero) {
    return reshape(padded_along(a, axis, 0, blocks * window - extent, 1, zero), split);
  });
  const Bundle none = each(neutral, [&](const Array& zero) { return broadcast_to(zero, step); });
  // The rest of a block from each element on, and its beginning before each element.
  const Bundle rest = scan(
                          [&](Bundle total, Bundle next) {
                            const Bundle sum = f(next, total);
                            return std::pair(sum, sum);
                          },
                          none, cut, {.axis = axis + 1, .reverse = true})
                          .second;
  const Bundle begun = scan([&](Bundle total, Bundle next) { return std::pair(f(total, next), total); }, none,
                            cut, {.axis = axis + 1})
                           .second;
  const auto part = [&](const Bundle& whole, int64_t start) {
    return each(whole,
                [&](const Array& a) { return slice_axis(reshape(a, joined), axis, start, start + count); });
  };
  return f(part(rest, 0), part(begun, window));
}

// The same of windows whose elements are `dilation` apart: those of one remainder are neighbours among each
// other.
Bundle combine_dilated(const CombineBundles& f, const Bundle& x, const Bundle& neutral, int64_t axis,
                       int64_t window, int64_t dilation) {
  const int64_t extent = x[0].shape(axis), rows = (extent + dilation - 1) / dilation,
                count = extent - (window - 1) * dilation;
  Shape split = x[0].shape();
  split[static_cast<size_t>(axis)] = rows;
  split.insert(split.begin() + axis + 1, dilation);
  const Bundle cut = each(x, neutral, [&](const Array& a, const Array& zero) {
    return reshape(padded_along(a, axis, 0, rows * dilation - extent, 1, zero), split);
  });
  Shape joined = x[0].shape();
  joined[static_cast<size_t>(axis)] = (rows - window + 1) * dilation;
  return each(combine_long(f, cut, neutral, axis, window),
              [&](const Array& a) { return slice_axis(reshape(a, joined), axis, 0, count); });
}

// Of windows that reach to the array's beginning (or its end, in `reverse`).
Bundle combine_from_an_end(const CombineBundles& f, const Bundle& x, const Bundle& neutral, int64_t axis,
                           bool reverse) {
  Shape step = x[0].shape();
  step.erase(step.begin() + axis);
  const Bundle none = each(neutral, [&](const Array& zero) { return broadcast_to(zero, step); });
  return scan(
             [&](Bundle total, Bundle next) {
               const Bundle sum = reverse ? f(next, total) : f(total, next);
               return std::pair(sum, sum);
             },
             none, x, {.axis = axis, .reverse = reverse})
      .second;
}

Bundle combine_along(const CombineBundles& f, const Bundle& x, const Bundle& neutral, int64_t axis,
                     const Dimension& d) {
  const int64_t count = d.count(x[0].shape(axis));
  if (count == 0 || x[0].size() == 0) {
    Shape shape = x[0].shape();
    shape[static_cast<size_t>(axis)] = count;
    return each(neutral, [&](const Array& zero) { return broadcast_to(zero, shape); });
  }
  const int64_t n = x[0].shape(axis), least = std::min(d.low, d.high), most = std::max(d.low, d.high);
  const bool plain = d.stride == 1 && d.dilation == 1 && d.x_dilation == 1;
  if (plain && d.extent > kWrittenOut && d.extent >= n && least == 0 && most == d.extent - 1)
    return combine_from_an_end(f, x, neutral, axis, d.high > 0);
  const Bundle padded = each(x, neutral, [&](const Array& a, const Array& zero) {
    return padded_along(a, axis, d.low, d.high, d.x_dilation, zero);
  });
  if (d.extent > kWrittenOut) {
    const Bundle all = d.dilation == 1 ? combine_long(f, padded, neutral, axis, d.extent)
                                       : combine_dilated(f, padded, neutral, axis, d.extent, d.dilation);
    if (d.stride == 1) return all;
    return each(all,
                [&](const Array& a) { return slice_axis(a, axis, 0, (count - 1) * d.stride + 1, d.stride); });
  }
  const auto at = [&](int64_t place) {
    return each(padded, [&](const Array& a) { return place_of(a, axis, d, count, place); });
  };
  Bundle total = at(0);
  for (int64_t i = 1; i < d.extent; ++i) total = f(total, at(i));
  return total;
}

Array combine_windows(const CombineTwo& f, const Array& x, const Array& neutral, size_t first,
                      const std::vector<Dimension>& dims) {
  const CombineBundles of_one = [&](const Bundle& a, const Bundle& b) { return Bundle{f(a[0], b[0])}; };
  Bundle result = {x};
  for (size_t i = 0; i < dims.size(); ++i) {
    if (!dims[i].trivial())
      result = combine_along(of_one, result, {neutral}, static_cast<int64_t>(first + i), dims[i]);
  }
  return result[0];
}

std::vector<int64_t> words_of(const std::vector<Dimension>& dims) {
  std::vector<int64_t> words;
  for (const Dimension& d : dims)
    words.insert(words.end(), {d.extent, d.stride, d.low, d.high, d.x_dilation, d.dilation});
  return words;
}

Array number_of(DType dtype, double value) {
  return Array(detail::convert(detail::Literal::of(value), dtype));
}

// The windows of [batch, spatial..., features].
std::vector<Dimension> spatial(const char* name, const Operand& x, const std::vector<int64_t>& window,
                               const WindowOptions& options) {
  const Array array = x.array();
  detail::checked_node(array, x.where());
  if (static_cast<int64_t>(window.size()) + 2 != array.rank()) {
    fail(x.where(), std::string(name) + ": a window of " + dimensions_text(window.size()) +
                        " is for arrays of " + std::to_string(window.size() + 2) +
                        " (batch, the window's, features), but this is a " + array.type_string());
  }
  return dimensions_of(name, array, 1, window, options, x.where());
}

// All places of the windows, in order: f(where the place's elements are in x, and among the windows).
void for_each_place(const Array& x, const Array& neutral, const std::vector<Dimension>& dims,
                    const std::function<void(const Array&)>& f) {
  const auto pick = [&](auto& self, const Array& array, size_t i) -> void {
    if (i == dims.size()) return f(array);
    const Dimension& d = dims[i];
    const auto axis = static_cast<int64_t>(i + 1);
    const int64_t count = d.count(array.shape(axis));
    const Array padded = padded_along(array, axis, d.low, d.high, d.x_dilation, neutral);
    for (int64_t place = 0; place < d.extent; ++place)
      self(self, place_of(padded, axis, d, count, place), i + 1);
  };
  pick(pick, x, 0);
}

// The elements that are chosen, the first NaN, or else the first ones among equals, and their tangents.
std::pair<Array, Array> chosen(const Array& x, const Array& tangent, const Array& neutral,
                               const std::vector<Dimension>& dims, bool greatest) {
  const auto choose = [&](const Bundle& first, const Bundle& second) {
    const Array stays = greatest ? first[0] >= second[0] : first[0] <= second[0];  // never beside a NaN
    const Array better = ~stays & (first[0] == first[0]);
    return Bundle{where(better, second[0], first[0]), where(better, second[1], first[1])};
  };
  int64_t places = 1;
  for (const Dimension& d : dims) places *= d.extent;
  if (places > kMostPlaces) {  // one dimension after the other, the last one first
    Bundle best = {x, tangent};
    for (size_t i = dims.size(); i-- > 0;) {
      if (!dims[i].trivial())
        best = combine_along(choose, best, {neutral, number_of(x.dtype(), 0)}, static_cast<int64_t>(i + 1),
                             dims[i]);
    }
    return {best[0], best[1]};
  }
  std::vector<Array> values, tangents;
  for_each_place(x, neutral, dims, [&](const Array& a) { values.push_back(a); });
  for_each_place(tangent, number_of(x.dtype(), 0), dims, [&](const Array& a) { tangents.push_back(a); });
  Bundle best = {values[0], tangents[0]};
  for (size_t i = 1; i < values.size(); ++i) best = choose(best, {values[i], tangents[i]});
  return {best[0], best[1]};
}

Array extreme_pool(const char* name, bool greatest, const Operand& x, const std::vector<int64_t>& window,
                   const WindowOptions& options) {
  const std::vector<Dimension> dims = spatial(name, x, window, options);
  const CallerScope caller(x.where(), name);
  return apply(name, {x.array()}, words_of(dims), x.where(), [&](const std::vector<Array>& operands) {
    const DType dtype = operands[0].dtype();
    const CombineTwo f = [greatest](Array a, Array b) { return greatest ? maximum(a, b) : minimum(a, b); };
    const auto neutral = [greatest, dtype] {
      if (is_float(dtype)) return Array(detail::farthest_float(dtype, !greatest));
      const int bits = bit_width(dtype) - (is_signed(dtype) ? 1 : 0);
      const uint64_t top = ~uint64_t{0} >> (64 - bits);
      if (!greatest) return Array(detail::convert(detail::Literal::of(top), dtype));
      return Array(detail::convert(
          detail::Literal::of(is_signed(dtype) ? -static_cast<int64_t>(top) - 1 : int64_t{0}), dtype));
    };
    const auto pool = [=](Array a) { return combine_windows(f, a, neutral(), 1, dims); };
    const bool empty = std::any_of(dims.begin(), dims.end(), [&](const Dimension& d) {
      return d.count(operands[0].shape(static_cast<int64_t>(&d - dims.data()) + 1)) == 0;
    });
    if (!is_float(dtype) || empty || operands[0].size() == 0) return pool(operands[0]);
    using One = std::tuple<Array>;
    // In the first derivative the pooled value is the plain one again. In the second one, where a rule cannot
    // refer to itself, it is what was chosen, whose derivatives of all orders are those of the choice.
    const auto again = [=](const One& primal, const One& tangent) {
      return chosen(std::get<0>(primal), std::get<0>(tangent), neutral(), dims, greatest);
    };
    const std::source_location line = x.where();
    const auto rule = [=](const One& primal, const One& tangent) {
      const Array& a = std::get<0>(primal);
      return std::pair(detail::custom_jvp_by_value(pool, again, line)(a),
                       chosen(a, std::get<0>(tangent), neutral(), dims, greatest).second);
    };
    return detail::custom_jvp_by_value(pool, rule, line)(operands[0]);
  });
}

}  // namespace

Array reduce_window(const CombineTwo& f, const Operand& x, const Operand& neutral,
                    const std::vector<int64_t>& window, const WindowOptions& options, Where where) {
  if (!f) fail(where, "reduce_window: the function is empty");
  const std::vector<Array> arrays = detail::same_dtype("reduce_window", {x, neutral}, where);
  if (static_cast<int64_t>(window.size()) != arrays[0].rank()) {
    fail(where, "reduce_window: the window has " + dimensions_text(window.size()) + ", but the array, a " +
                    arrays[0].type_string() + ", has " + std::to_string(arrays[0].rank()));
  }
  if (arrays[1].rank() != 0)
    fail(where, "reduce_window: the neutral element is a scalar, not a " + arrays[1].type_string());
  const CallerScope caller(where);
  const std::vector<Dimension> dims = dimensions_of("reduce_window", arrays[0], 0, window, options, where);
  const CombineTwo checked = [&](const Array& a, const Array& b) {
    const Array both = f(a, b);
    if (both.dtype() != a.dtype() || both.shape() != a.shape()) {
      fail(where, "reduce_window: the function returns " + both.type_string() + " for two arrays " +
                      a.type_string() +
                      ", but what it returns is combined again, and must be of the same dtype" +
                      (both.dtype() != a.dtype() ? "" : " and shape"));
    }
    return both;
  };
  if (detail::tracing()) return combine_windows(checked, arrays[0], arrays[1], 0, dims);
  const auto traced = detail::trace_function(
      "reduce_window", {arrays[0].node()->type, arrays[1].node()->type}, {"x", "neutral"},
      [&](const std::vector<Array>& arguments) {
        return detail::Outputs{{combine_windows(checked, arguments[0], arguments[1], 0, dims)}, nullptr};
      },
      nullptr, where);
  return detail::run_or_record(traced, arrays, where)[0];
}

Array max_pool(const Operand& x, const std::vector<int64_t>& window, const WindowOptions& options) {
  return extreme_pool("max_pool", true, x, window, options);
}

Array min_pool(const Operand& x, const std::vector<int64_t>& window, const WindowOptions& options) {
  return extreme_pool("min_pool", false, x, window, options);
}

Array sum_pool(const Operand& x, const std::vector<int64_t>& window, const WindowOptions& options) {
  const std::vector<Dimension> dims = spatial("sum_pool", x, window, options);
  const CallerScope caller(x.where(), "sum_pool");
  return apply("sum_pool", {x.array()}, words_of(dims), x.where(), [&](const std::vector<Array>& operands) {
    const Array a = detail::in_f32(operands[0]);
    return combine_windows([](Array a, Array b) { return a + b; }, a, number_of(a.dtype(), 0), 1, dims)
        .astype(operands[0].dtype());
  });
}

Array avg_pool(const Operand& x, const std::vector<int64_t>& window, const WindowOptions& options,
               bool count_padding) {
  const std::vector<Dimension> dims = spatial("avg_pool", x, window, options);
  const CallerScope caller(x.where());
  const Array array = x.array();
  if (!is_float(array.dtype())) {
    fail(x.where(), "avg_pool: takes a floating array, but this is a " + array.type_string() +
                        "; convert it with .astype(ingot::DType::kF32)");
  }
  std::vector<int64_t> words = words_of(dims);
  words.push_back(count_padding);
  return apply("avg_pool", {array}, words, x.where(), [&](const std::vector<Array>& operands) {
    const CombineTwo add = [](Array a, Array b) { return a + b; };
    const Array a = detail::in_f32(operands[0]);
    const Array zero = number_of(a.dtype(), 0), sum = combine_windows(add, a, zero, 1, dims);
    if (count_padding) {
      int64_t places = 1;
      for (const Dimension& d : dims) places *= d.extent;
      return (sum * (1.0 / static_cast<double>(places))).astype(array.dtype());
    }
    // How many elements of x a window has does not depend on batch and features.
    Shape shape = a.shape();
    shape.front() = shape.back() = 1;
    const Array ones = broadcast_to(number_of(a.dtype(), 1), shape);
    return (sum / combine_windows(add, ones, zero, 1, dims)).astype(array.dtype());
  });
}

}  // namespace ingot
