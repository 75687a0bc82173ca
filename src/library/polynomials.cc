// Polynomials, as vectors of coefficients, that of the greatest power first.
#include <algorithm>
#include <limits>

#include "frontend/compose.h"
#include "ingot/calculus.h"
#include "ingot/creation.h"
#include "ingot/linalg.h"
#include "ingot/scan.h"
#include "ingot/searching.h"
#include "ingot/shapes.h"

namespace ingot {
namespace {

using detail::apply;
using detail::checked_array;
using detail::fail;

constexpr int64_t kUnrolled = 32;  // coefficients up to which Horner's scheme is no loop

void check_coefficients(const char* name, const Array& p, const std::source_location& where) {
  if (p.rank() != 1)
    fail(where, std::string(name) + ": the coefficients are " + p.type_string() + ", but should be a vector");
}

Array horner(const Array& p, const Array& x) {
  Array value = Array::zeros(x.shape(), x.dtype());
  if (p.size() > kUnrolled) {
    const auto step = [&](Array sum, Array coefficient) {
      return std::pair(sum * x + coefficient, std::tuple<>());
    };
    return scan(step, value, p).first;
  }
  for (int64_t i = 0; i < p.size(); ++i) value = i == 0 ? value + p[0] : value * x + p[i];
  return value;
}

Array sum_of(const char* name, const Operand& p, const Operand& q, bool subtracts) {
  return detail::compose_same(name, p, q, {}, [&](const Array& a, const Array& b) {
    check_coefficients(name, a, p.where());
    check_coefficients(name, b, p.where());
    const int64_t length = std::max(a.size(), b.size());
    const auto longer = [&](const Array& v) {
      return pad(v, {length - v.size()}, {0}, detail::number(v.dtype(), 0));
    };
    return subtracts ? longer(a) - longer(b) : longer(a) + longer(b);
  });
}

// The products n, n-1, ..., of `times` numbers each, of the coefficients behind a power.
Array falling(int64_t count, int64_t times, DType dtype, bool up) {
  std::vector<double> factors;
  for (int64_t i = 0; i < count; ++i) {
    double factor = 1;
    for (int64_t k = 0; k < times; ++k)
      factor *= static_cast<double>(up ? count - i + k : count - 1 - i + times - k);
    factors.push_back(factor);
  }
  std::vector<Array> numbers;
  for (const double factor : factors) numbers.push_back(astype(factor, dtype));
  return stack(numbers, 0);
}

// Beyond it the factors are infinite in f64.
constexpr int64_t kMostTimes = 1000;

void check_times(const char* name, int64_t times, const std::source_location& where) {
  if (times < 0 || times > kMostTimes)
    fail(where, std::string(name) + ": is taken 0 to " + std::to_string(kMostTimes) + " times, not " +
                    std::to_string(times));
}

}  // namespace

Array polyval(const Operand& p, const Operand& x) {
  const CallerScope caller(p.where(), "polyval");
  const bool whole = !is_inexact(checked_array(p).dtype()) && !is_inexact(checked_array(x).dtype());
  const std::vector<Array> both = whole ? detail::same_dtype("polyval", {p, x}, p.where())
                                        : detail::same_floats("polyval", {p, x}, p.where());
  check_coefficients("polyval", both[0], p.where());
  return apply("polyval", both, {}, p.where(),
               [](const std::vector<Array>& a) { return horner(a[0], a[1]); });
}

Array polyfit(const Operand& x, const Operand& y, int64_t degree, const PolyfitOptions& options) {
  const std::source_location& where = x.where();
  const CallerScope caller(where, "polyfit");
  std::vector<Operand> operands = {x, y};
  if (options.weights) operands.emplace_back(*options.weights, where);
  const std::vector<Array> all = detail::same_floats("polyfit", operands, where);
  const int64_t count = all[0].size();
  if (all[0].rank() != 1 || all[1].rank() < 1 || all[1].rank() > 2 || all[1].shape(0) != count || count == 0)
    fail(where, "polyfit: the points are " + all[0].type_string() + " and " + all[1].type_string() +
                    ", but should be a vector and as many values, or rows of them");
  if (degree < 0)
    fail(where, "polyfit: the degree is " + std::to_string(degree) + "; it should be 0 or more");
  if (degree >= kMostElements)
    fail(where, "polyfit: the degree is " + std::to_string(degree) + ", but an array has at most " +
                    std::to_string(kMostElements) + " (2^48) elements, and so many coefficients");
  const double epsilon = all[0].dtype() == DType::kF64 ? 0x1p-52 : 0x1p-23;
  const double rcond = options.rcond.value_or(static_cast<double>(count) * epsilon);
  Array powers = vander(all[0], degree + 1), values = all[1];
  if (options.weights) {
    powers = powers * expand_dims(all[2], 1);
    values = values * (values.rank() == 2 ? expand_dims(all[2], 1) : all[2]);
  }
  const Array scale = sqrt(sum(square(powers), 0));
  const Array fitted = lstsq(powers / scale, values, {.rcond = rcond}).x;
  return fitted.rank() == 2 ? fitted / expand_dims(scale, 1) : fitted / scale;
}

Array polyadd(const Operand& p, const Operand& q) {
  return sum_of("polyadd", p, q, false);
}
Array polysub(const Operand& p, const Operand& q) {
  return sum_of("polysub", p, q, true);
}
Array polymul(const Operand& p, const Operand& q) {
  const CallerScope caller(p.where(), "polymul");
  return detail::compose_same("polymul", p, q, {}, [&](const Array& a, const Array& b) {
    check_coefficients("polymul", a, p.where());
    check_coefficients("polymul", b, p.where());
    const auto or_zero = [](const Array& v) { return v.size() == 0 ? Array::zeros({1}, v.dtype()) : v; };
    return convolve(or_zero(a), or_zero(b));
  });
}

Array polyder(const Operand& p, int64_t times) {
  const CallerScope caller(p.where(), "polyder");
  const Array array = detail::floating(checked_array(p));
  check_coefficients("polyder", array, p.where());
  check_times("polyder", times, p.where());
  const int64_t left = std::max<int64_t>(0, array.size() - times);
  if (times == 0 || left == 0) return array.slice({0, times == 0 ? array.size() : 0});
  return apply("polyder", {array}, {times}, p.where(), [&](const std::vector<Array>& a) {
    return a[0].slice({0, left}) * falling(left, times, array.dtype(), false);
  });
}

Array polyint(const Operand& p, int64_t times) {
  const CallerScope caller(p.where(), "polyint");
  const Array array = checked_array(p);
  check_coefficients("polyint", array, p.where());
  check_times("polyint", times, p.where());
  if (times == 0) return array;
  return detail::compose_floating("polyint", p, {times}, [&](const Array& a) {
    if (a.size() == 0) return Array::zeros({times}, a.dtype());
    return pad(a / falling(a.size(), times, a.dtype(), true), {0}, {times}, 0);
  });
}

Array roots(const Operand& p) {
  const CallerScope caller(p.where(), "roots");
  const Array a = detail::floating(checked_array(p));
  check_coefficients("roots", a, p.where());
  const DType dtype = real_dtype(a.dtype()) == DType::kF64 ? DType::kC128 : DType::kC64;
  if (!a.is_traced() && !detail::tracing() && a.size() > 0) {  // zeros in front are no coefficients
    const Array there = flatnonzero(a);
    const int64_t first = there.size() == 0 ? a.size() : there[0].item<int64_t>();
    if (first > 0) return roots(Operand(a.slice({first, a.size()}), p.where()));
  }
  if (a.size() < 2) return Array::zeros({0}, dtype, p.where());
  const int64_t degree = a.size() - 1;
  const Array first = -a.slice({1, a.size()}) / a[0];
  const Array below = eye(degree - 1, degree, 0, a.dtype());
  return eigvals(concatenate({reshape(first, {1, degree}), below}, 0));
}

}  // namespace ingot
