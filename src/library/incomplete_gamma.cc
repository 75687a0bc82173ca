// The incomplete gamma functions: a series and a continued fraction in loops that end when all elements have
// converged, as in XLA (xla/hlo/builder/lib/math.cc, after Cephes), and between the two, where a is large and
// both would be slow, the uniform expansion.
#include <cmath>
#include <limits>

#include "frontend/compose.h"
#include "ingot/autodiff.h"
#include "ingot/control_flow.h"
#include "ingot/creation.h"
#include "ingot/special.h"
#include "library/large_parameters.h"
#include "library/rules_by_value.h"

namespace ingot {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();
constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
constexpr int kGammaOrders = 2;   // of derivatives in x
constexpr double kCentral = 100;  // as a and as x: in the middle of a large one

double tolerance_of(DType dtype) {
  return dtype == DType::kF64 ? 0x1p-52 : 0x1p-23;
}

// What a loop finds: a value, and its derivative in a.
struct Incomplete {
  Array value, slope;
};

struct SeriesState {
  Array going, r, c, sum, dc, dsum;
};

// The sum of x^n / ((a + 1) .. (a + n)), of which x^a e^-x / gamma(a + 1) times is the lower function.
Incomplete lower_series(const Array& a, const Array& x, const Array& enabled, bool slope) {
  const double epsilon = tolerance_of(a.dtype());
  const Array one = ones_like(a), zero = zeros_like(a);
  const auto more = [](SeriesState s) { return any(s.going); };
  const auto step = [&](SeriesState s) {
    const Array r = s.r + 1, dc = s.dc * (x / r) - s.c * x / (r * r), dsum = s.dsum + dc;
    const Array c = s.c * (x / r), sum = s.sum + c;
    const Array change = slope ? abs(dc / dsum) : c / sum;
    const auto kept = [&](const Array& next, const Array& last) { return where(s.going, next, last); };
    return SeriesState{s.going & (change > epsilon),
                       kept(r, s.r),
                       kept(c, s.c),
                       kept(sum, s.sum),
                       kept(dc, s.dc),
                       kept(dsum, s.dsum)};
  };
  const SeriesState end = while_loop(more, step, SeriesState{enabled, a, one, one, zero, zero});
  return {end.sum, end.dsum};
}

struct FractionState {
  Array going, y, z, c, p, q, p1, q1, value, dp, dq, dp1, dq1, slope;
};

// A continued fraction, of which x^a e^-x / gamma(a) times is the upper function.
Incomplete upper_fraction(const Array& a, const Array& x, const Array& enabled, bool slope) {
  const double epsilon = tolerance_of(a.dtype());
  const Array zero = zeros_like(a), one = ones_like(a);
  const Array y = 1 - a, z = x + y + 1, p1 = x + 1, q1 = z * x, value = p1 / q1;
  const FractionState begin{enabled, y,     z,    zero, one,  x,  p1,
                            q1,      value, zero, zero, zero, -x, (value * x) / q1};
  const auto more = [](FractionState s) { return any(s.going & (s.c < 2000)); };
  const auto step = [&](FractionState s) {
    const Array c = s.c + 1, v = s.y + 1, w = s.z + 2, vc = v * c;
    const Array p = s.p1 * w - s.p * vc, q = s.q1 * w - s.q * vc;
    const Array there = q != 0, divisor = where(there, q, 1);
    const Array ratio = where(there, p / divisor, s.value);
    const Array dp = s.dp1 * w - s.p1 - s.dp * vc + s.p * c, dq = s.dq1 * w - s.q1 - s.dq * vc + s.q * c;
    const Array ds = where(there, (dp - ratio * dq) / divisor, s.slope);
    const Array change = where(there, slope ? abs(ds - s.slope) : abs((s.value - ratio) / ratio), 1);
    const Array scale = where(abs(p) > 1 / epsilon, epsilon, one);
    const auto kept = [&](const Array& next, const Array& last) { return where(s.going, next, last); };
    return FractionState{s.going & (change > epsilon),
                         kept(v, s.y),
                         kept(w, s.z),
                         c,
                         kept(s.p1 * scale, s.p),
                         kept(s.q1 * scale, s.q),
                         kept(p * scale, s.p1),
                         kept(q * scale, s.q1),
                         kept(ratio, s.value),
                         kept(s.dp1 * scale, s.dp),
                         kept(s.dq1 * scale, s.dq),
                         kept(dp * scale, s.dp1),
                         kept(dq * scale, s.dq1),
                         kept(ds, s.slope)};
  };
  const FractionState end = while_loop(more, step, begin);
  return {end.value, end.slope};
}

// The lower function, or the upper one, or the derivative of the lower one in a. Where the scale is below all
// numbers, all of the distribution lies on one side of x, and neither the series nor the fraction is asked:
// its numerators and denominators may be beyond all numbers.
enum class Part { kLower, kUpper, kLowerSlope };

Array central_part(const Array& a, const Array& x, Part part) {
  if (part != Part::kLowerSlope) return detail::central_gamma(a, x, part == Part::kUpper);
  return jvp([&](Array u) { return detail::central_gamma(u, x, false); }, a, ones_like(a)).second;
}

Array incomplete_gamma(const Array& a, const Array& x, Part part) {
  const Array none = (a == kUnbounded) & (x < kUnbounded);  // all of it lies beyond x
  const Array at_begin = (x == 0) | none;
  const Array at_end = ((x == kUnbounded) & (a < kUnbounded)) | (a == 0);  // a of 0: all of it lies at 0
  const Array nowhere =
      (x < 0) | (a < 0) | (at_begin & at_end) | (x != x) | (a != a) | ((x == kUnbounded) & (a == kUnbounded));
  const Array fraction = part == Part::kUpper ? ~((x < 1) | (x < a)) : (x > 1) & (x > a);
  const Array within = ~(nowhere | at_begin | at_end), some_a = where(within, a, 1),
              some_x = where(within, x, 1);
  const Array central = within & detail::gamma_is_central(some_a, some_x);
  const Array scale = detail::gamma_scale(some_a, some_x), known = scale > 0;
  const Array zero = at_begin | (within & ~known & ~fraction), end = at_end | (within & ~known & fraction);
  const Array inside = within & known & ~central, safe_a = where(inside, some_a, 1),
              safe_x = where(inside, some_x, 1);
  const bool slope = part == Part::kLowerSlope;
  const Incomplete series = lower_series(safe_a, safe_x, inside & ~fraction, slope);
  const Incomplete upper = upper_fraction(safe_a, safe_x, inside & fraction, slope);
  const Array middle = central_part(where(central, some_a, kCentral), where(central, some_x, kCentral), part);
  if (slope) {
    const Array logs = detail::log_less_digamma(safe_a, safe_x);
    const Array below = scale * (series.slope + series.value * (logs - 1 / safe_a));
    const Array above = -scale * safe_a * (upper.slope + upper.value * logs);
    const Array outside = where(zero | end, 0, where(fraction, above, below));
    return where(nowhere, kNoNumber, where(central, middle, outside));
  }
  const Array below = clip(series.value * scale, 0, 1), above = clip(upper.value * (scale * safe_a), 0, 1);
  const Array lower = where(fraction, 1 - above, below), rest = where(fraction, above, 1 - below);
  const bool is_lower = part == Part::kLower;
  const double at_zero = is_lower ? 0 : 1;
  const Array outside = where(zero, at_zero, where(end, 1 - at_zero, is_lower ? lower : rest));
  return where(nowhere, kNoNumber, where(central, clip(middle, 0, 1), outside));
}

using Two = std::tuple<Array, Array>;

// Where powers and gamma(a) are not taken one by one.
Array is_large(const Array& a, const Array& x) {
  return (a >= 8) & (a < kUnbounded) & (x > 0) & (x < kUnbounded);
}

// x^(a - 1) exp(-x) / gamma(a).
Array gamma_density(const Array& a, const Array& x) {
  const Array large = is_large(a, x);
  const Array big_a = where(large, a, kCentral), big_x = where(large, x, kCentral),
              small = where(large, 1, a);
  const Array plain = exp(-x + (small - 1) * log(x) - lgamma(small));
  return where(large, detail::gamma_scale(big_a, big_x) / big_x * big_a, plain);
}

// log(x) - digamma(a).
Array log_difference(const Array& a, const Array& x) {
  const Array large = is_large(a, x), small = where(large, 1, a);
  const Array far = detail::log_less_digamma(where(large, a, kCentral), where(large, x, kCentral));
  return where(large, far, log(x) - digamma(small));
}

// The derivative of the lower function in a, with a rule of its own: no loop is gone through backwards.
Array gamma_slope(const Array& a, const Array& x) {
  const auto value = [](Array u, Array v) { return incomplete_gamma(u, v, Part::kLowerSlope); };
  return detail::custom_jvp_by_value(value, [value](const Two& at, const Two& tangents) {
    const auto& [u, v] = at;
    const Array in_a = jvp(value, at, Two{ones_like(u), zeros_like(u)}).second;
    const Array in_x = gamma_density(u, v) * log_difference(u, v);
    return std::pair(value(u, v), in_a * std::get<0>(tangents) + in_x * std::get<1>(tangents));
  })(a, x);
}

// A rule cannot ask for the function whose rule it is, so it holds the function with one order less.
Array differentiable_gamma(int orders, Part part, const Array& a, const Array& x) {
  if (orders == 0) return incomplete_gamma(a, x, part);
  return detail::custom_jvp_by_value([part](Array u, Array v) { return incomplete_gamma(u, v, part); },
                                     [=](const Two& at, const Two& tangents) {
                                       const auto& [u, v] = at;
                                       const Array change = std::get<0>(tangents) * gamma_slope(u, v) +
                                                            std::get<1>(tangents) * gamma_density(u, v);
                                       return std::pair(differentiable_gamma(orders - 1, part, u, v),
                                                        part == Part::kUpper ? -change : change);
                                     })(a, x);
}

// Of f16 and bf16 it is computed in f32.
Array gamma_part(const char* name, const Operand& a, const Operand& x, Part part) {
  return detail::compose_floats(name, a, x, {}, [&](const Array& u, const Array& v) {
    if (is_complex(u.dtype()))
      detail::fail(a.where(), std::string(name) + ": takes real numbers, not " + u.type_string());
    const Shape shape = detail::broadcast_shape(name, {u, v}, a.where());
    const auto wide = [&](const Array& w) { return broadcast_to(detail::in_f32(w), shape); };
    return differentiable_gamma(kGammaOrders, part, wide(u), wide(v)).astype(u.dtype());
  });
}

}  // namespace

Array gammainc(const Operand& a, const Operand& x) {
  return gamma_part("gammainc", a, x, Part::kLower);
}
Array gammaincc(const Operand& a, const Operand& x) {
  return gamma_part("gammaincc", a, x, Part::kUpper);
}

}  // namespace ingot
