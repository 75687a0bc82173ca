// Differences, slopes and integrals along axes.
#include "ingot/calculus.h"

#include <cmath>

#include "frontend/compose.h"
#include "ingot/cumulative.h"
#include "ingot/searching.h"
#include "ingot/shapes.h"
#include "ingot/sorting.h"

namespace ingot {
namespace {

using detail::apply;
using detail::checked_array;
using detail::checked_axis;
using detail::fail;

Array head(const Array& x, int64_t axis, int64_t dropped = 1) {
  return slice_axis(x, axis, 0, x.shape(axis) - dropped);
}
Array tail(const Array& x, int64_t axis, int64_t dropped = 1) {
  return slice_axis(x, axis, dropped, x.shape(axis));
}

// x with more elements at an end of an axis: a number, or an array that broadcasts but for the axis.
Array joined(const Array& x, const Optional<Operand>& more, int64_t axis, bool before) {
  if (!more) return x;
  const Array given = detail::same_dtype("diff", {x, *more}, more->where())[1];
  Shape shape = x.shape();
  shape[static_cast<size_t>(axis)] = given.rank() == 0 ? 1 : given.shape(axis);
  const Array part = broadcast_to(given, shape);
  return before ? concatenate({part, x}, axis) : concatenate({x, part}, axis);
}

// The distances of neighbours along an axis, or the one distance of all.
Array distances(const char* name, const Array& x, const Array& spacing, int64_t axis,
                const std::source_location& where) {
  if (spacing.rank() == 0) return spacing;
  const int64_t extent = x.shape(axis);
  if (spacing.rank() == 1 && spacing.size() == extent) {
    Shape shape(x.shape().size(), 1);
    shape[static_cast<size_t>(axis)] = extent - 1;
    return reshape(tail(spacing, 0) - head(spacing, 0), shape);
  }
  if (spacing.shape() == x.shape()) return tail(spacing, axis) - head(spacing, axis);
  fail(where, std::string(name) + ": the spacing is " + spacing.type_string() +
                  ", but should be a number, or a coordinate for each of the " + std::to_string(extent) +
                  " elements along axis " + std::to_string(axis) + " of " + x.type_string());
}

// The slope inside, where neighbours are h apart on one side and k on the other.
Array slope_inside(const Array& x, const Array& steps, int64_t axis) {
  if (steps.rank() == 0) return (tail(x, axis, 2) - head(x, axis, 2)) * (0.5 / steps);
  const Array h = head(steps, axis), k = tail(steps, axis);
  const Array middle = head(tail(x, axis), axis);
  return (h * h * tail(x, axis, 2) + (k * k - h * h) * middle - k * k * head(x, axis, 2)) / (h * k * (h + k));
}

Array areas(const Array& y, const Array& steps, int64_t axis) {
  return 0.5 * steps * (tail(y, axis) + head(y, axis));
}

using OfAreas = std::function<Array(const Array&, int64_t)>;

Array integral(const char* name, const Operand& y, const Operand& spacing, Axis wanted, const OfAreas& of) {
  const CallerScope caller(y.where(), name);
  const std::vector<Array> both = detail::same_floats(name, {y, spacing}, y.where());
  const int64_t axis = checked_axis(name, wanted, both[0].rank(), y.where());
  if (both[0].shape(axis) == 0)
    fail(y.where(), std::string(name) + ": axis " + std::to_string(axis) + " of " + both[0].type_string() +
                        " has no elements");
  return apply(name, both, {axis}, y.where(), [&](const std::vector<Array>& a) {
    return of(areas(a[0], distances(name, a[0], a[1], axis, y.where()), axis), axis);
  });
}

}  // namespace

Array diff(const Operand& x, int64_t n, Axis wanted, const DiffOptions& options) {
  const CallerScope caller(x.where(), "diff");
  Array array = checked_array(x);
  const int64_t axis = checked_axis("diff", wanted, array.rank(), x.where());
  if (n < 0) fail(x.where(), "diff: n is " + std::to_string(n) + ", but should be 0 or more");
  if (n == 0) return array;
  array = joined(joined(array, options.prepend, axis, true), options.append, axis, false);
  return apply("diff", {array}, {n, axis}, x.where(), [&](const std::vector<Array>& operands) {
    Array a = operands[0];
    for (int64_t i = 0; i < n && a.shape(axis) > 0; ++i)
      a = a.dtype() == DType::kPred ? tail(a, axis) != head(a, axis) : tail(a, axis) - head(a, axis);
    return a;
  });
}

Array ediff1d(const Operand& x) {
  const CallerScope caller(x.where(), "ediff1d");
  return diff(ravel(x), 1, 0);
}

Array gradient(const Operand& x, const Operand& spacing) {
  const CallerScope caller(x.where(), "gradient");
  if (checked_array(x).rank() != 1)
    fail(x.where(), "gradient: a " + x.array().type_string() +
                        " has a slope along each axis; say which one: gradient(x, spacing, axis)");
  return gradient(x, spacing, 0);
}

Array gradient(const Operand& x, const Operand& spacing, Axis wanted) {
  const CallerScope caller(x.where(), "gradient");
  const std::vector<Array> both = detail::same_floats("gradient", {x, spacing}, x.where());
  const int64_t axis = checked_axis("gradient", wanted, both[0].rank(), x.where());
  if (both[0].shape(axis) < 2)
    fail(x.where(), "gradient: axis " + std::to_string(axis) + " of " + both[0].type_string() +
                        " should have two elements or more");
  return apply("gradient", both, {axis}, x.where(), [&](const std::vector<Array>& a) {
    const Array& y = a[0];
    const int64_t extent = y.shape(axis);
    const Array steps = distances("gradient", y, a[1], axis, x.where());
    const auto step_at = [&](int64_t i) {
      return steps.rank() == 0 ? steps : slice_axis(steps, axis, i, i + 1);
    };
    const auto difference = [&](int64_t i) {
      return (slice_axis(y, axis, i + 1, i + 2) - slice_axis(y, axis, i, i + 1)) / step_at(i);
    };
    std::vector<Array> parts = {difference(0)};
    if (extent > 2) parts.push_back(slope_inside(y, steps, axis));
    parts.push_back(difference(extent - 2));
    return concatenate(parts, axis);
  });
}

Array trapezoid(const Operand& y, const Operand& spacing, Axis axis) {
  return integral("trapezoid", y, spacing, axis,
                  [](const Array& parts, int64_t along) { return sum(parts, along); });
}
Array cumulative_trapezoid(const Operand& y, const Operand& spacing, Axis axis) {
  return integral("cumulative_trapezoid", y, spacing, axis,
                  [](const Array& parts, int64_t along) { return cumsum(parts, along); });
}

namespace {

// The two points around x, and the line through them.
Array on_the_line(const Array& x, const Array& xp, const Array& fp) {
  const int64_t n = xp.size();
  if (n == 1) return broadcast_to(fp[0], x.shape());
  const Array right = clip(searchsorted(xp, x, Side::kRight), 1, n - 1);
  const auto at = [&](const Array& line, const Array& place) {
    return take(line, place, 0, IndexMode::kClip);
  };
  const Array x0 = at(xp, right - 1), f0 = at(fp, right - 1);
  const Array width = at(xp, right) - x0, rise = at(fp, right) - f0;
  const Array none = width == 0;
  return where(none, f0, f0 + (x - x0) / where(none, 1, width) * rise);
}

}  // namespace

Array interp(const Operand& x, const Operand& xp, const Operand& fp, const InterpOptions& options) {
  const CallerScope caller(x.where(), "interp");
  const std::vector<Array> all = detail::same_floats("interp", {x, xp, fp}, x.where());
  if (all[1].rank() != 1 || all[1].shape() != all[2].shape() || all[1].size() == 0)
    fail(x.where(), "interp: the points xp and fp are " + all[1].type_string() + " and " +
                        all[2].type_string() +
                        ", but should be two vectors of one length, which are not empty");
  if (options.period && !(*options.period != 0 && std::isfinite(*options.period)))
    fail(x.where(), "interp: the period is " + detail::text_of(detail::Literal::of(*options.period)) +
                        "; it should be finite and not 0");
  const auto word = [](const Optional<double>& number) { return detail::word_of(number.value_or(0)); };
  const std::vector<int64_t> words = {word(options.left),   options.left.has_value(),
                                      word(options.right),  options.right.has_value(),
                                      word(options.period), options.period.has_value()};
  return apply("interp", all, words, x.where(), [&](const std::vector<Array>& a) {
    if (options.period) {
      const double period = std::abs(*options.period);
      const Array places = mod(a[1], period), order = argsort(places);
      const Array xs = take(places, order), fs = take(a[2], order);
      const int64_t last = xs.size() - 1;
      return on_the_line(mod(a[0], period),
                         concatenate({xs.slice({last, last + 1}) - period, xs, xs.slice({0, 1}) + period}),
                         concatenate({fs.slice({last, last + 1}), fs, fs.slice({0, 1})}));
    }
    const Array line = on_the_line(a[0], a[1], a[2]);
    const Operand left = options.left ? Operand(*options.left) : Operand(a[2][0]);
    const Operand right = options.right ? Operand(*options.right) : Operand(a[2][-1]);
    return where(a[0] < a[1][0], left, where(a[0] > a[1][-1], right, line));
  });
}

Array unwrap(const Operand& x, Axis wanted, double period) {
  const CallerScope caller(x.where(), "unwrap");
  const int64_t axis = checked_axis("unwrap", wanted, checked_array(x).rank(), x.where());
  if (x.array().shape(axis) == 0) return detail::floating(x.array());
  return detail::compose_floating("unwrap", x, {axis, detail::word_of(period)}, [&](const Array& a) {
    const Array step = diff(a, 1, axis);
    const Array turned = mod(step + period / 2, period) - period / 2;
    const Array within = where((turned == -period / 2) & (step > 0), period / 2, turned);
    const Array change = where(abs(step) < period / 2, 0, within - step);
    return concatenate({slice_axis(a, axis, 0, 1), tail(a, axis) + cumsum(change, axis)}, axis);
  });
}

}  // namespace ingot
