// The incomplete gamma and beta functions: series and continued fractions in loops that end when all elements
// have converged, as in XLA (xla/hlo/builder/lib/math.cc, after Cephes and DLMF 8.17).
#include <cmath>
#include <limits>

#include "frontend/compose.h"
#include "ingot/autodiff.h"
#include "ingot/control_flow.h"
#include "ingot/creation.h"
#include "ingot/special.h"
#include "library/log_beta.h"

namespace ingot {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();
constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
constexpr int kGammaOrders = 2;  // of derivatives in x

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

Array incomplete_gamma(const Array& a, const Array& x, Part part) {
  const Array at_begin = x == 0, at_end = (x == kUnbounded) | (a == 0);  // a of 0: all of it lies at 0
  const Array nowhere = (x < 0) | (a < 0) | ((a == 0) & at_begin) | (x != x) | (a != a);
  const Array fraction = part == Part::kUpper ? ~((x < 1) | (x < a)) : (x > 1) & (x > a);
  const Array within = ~(nowhere | at_begin | at_end), some_a = where(within, a, 1),
              some_x = where(within, x, 1);
  const Array order = where(fraction, some_a, some_a + 1);
  const Array scale = exp(some_a * log(some_x) - some_x - lgamma(order)), known = scale > 0;
  const Array zero = at_begin | (within & ~known & ~fraction), end = at_end | (within & ~known & fraction);
  const Array inside = within & known, safe_a = where(inside, some_a, 1), safe_x = where(inside, some_x, 1);
  const bool slope = part == Part::kLowerSlope;
  const Incomplete series = lower_series(safe_a, safe_x, inside & ~fraction, slope);
  const Incomplete upper = upper_fraction(safe_a, safe_x, inside & fraction, slope);
  if (slope) {
    const Array below = scale * (series.slope + series.value * (log(safe_x) - digamma(safe_a + 1)));
    const Array above = -scale * (upper.slope + upper.value * (log(safe_x) - digamma(safe_a)));
    return where(nowhere, kNoNumber, where(zero | end, 0, where(fraction, above, below)));
  }
  const Array below = clip(series.value * scale, 0, 1), above = clip(upper.value * scale, 0, 1);
  const Array lower = where(fraction, 1 - above, below), rest = where(fraction, above, 1 - below);
  const bool is_lower = part == Part::kLower;
  const double at_zero = is_lower ? 0 : 1;
  return where(nowhere, kNoNumber, where(zero, at_zero, where(end, 1 - at_zero, is_lower ? lower : rest)));
}

using Two = std::tuple<Array, Array>;

Array gamma_density(const Array& a, const Array& x) {
  return exp(-x + (a - 1) * log(x) - lgamma(a));
}

// The derivative of the lower function in a, with a rule of its own: no loop is gone through backwards.
Array gamma_slope(const Array& a, const Array& x) {
  const auto value = [](Array u, Array v) { return incomplete_gamma(u, v, Part::kLowerSlope); };
  return custom_jvp(value, [value](const Two& at, const Two& tangents) {
    const auto& [u, v] = at;
    const Array in_a = jvp(value, at, Two{ones_like(u), zeros_like(u)}).second;
    const Array in_x = gamma_density(u, v) * (log(v) - digamma(u));
    return std::pair(value(u, v), in_a * std::get<0>(tangents) + in_x * std::get<1>(tangents));
  })(a, x);
}

// A rule cannot ask for the function whose rule it is, so it holds the function with one order less.
Array differentiable_gamma(int orders, Part part, const Array& a, const Array& x) {
  if (orders == 0) return incomplete_gamma(a, x, part);
  return custom_jvp([part](Array u, Array v) { return incomplete_gamma(u, v, part); },
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

struct BetaState {
  Array n, going, c, d, value;
};

// DLMF 8.17.22, by the method of Lentz, Thompson and Barnett. Where b is whole, a term is zero and its
// derivative is not: for that one all steps are gone through.
Array beta_fraction(const Array& a, const Array& b, const Array& x, bool all_steps) {
  const DType dtype = a.dtype();
  const double small = tolerance_of(dtype) / 2;
  const int most = dtype == DType::kF64 ? 600 : 200;
  const auto away_from_zero = [&](const Array& v) { return where(abs(v) < small, small, v); };
  const auto numerator = [&](const Array& n) {
    const Array m = floor_divide(n - 1, 2).astype(dtype);
    const Array even =
        where(m == 0, -(a + b) * x / (a + 1), -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)));
    const Array odd = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    return where(n == 1, 1, where(n % 2 == 0, even, odd));
  };
  const auto more = [&](BetaState s) { return all_steps ? s.n < most : (s.n < most) & s.going; };
  const auto step = [&](BetaState s) {
    const Array part = numerator(s.n), c = away_from_zero(1 + part / s.c);
    const Array d = 1 / away_from_zero(1 + part * s.d), delta = c * d;
    return BetaState{s.n + 1, any(abs(delta - 1) >= small), c, d, s.value * delta};
  };
  const Array begin = full_like(a, small);
  return while_loop(more, step, BetaState{Array(1), Array(true), begin, zeros_like(a), begin}).value;
}

Array incomplete_beta(const Array& a0, const Array& b0, const Array& x0, bool all_steps) {
  const Array a_zero = (a0 == 0) | (b0 == kUnbounded), b_zero = (b0 == 0) | (a0 == kUnbounded);
  const Array nowhere = ~((a0 >= 0) & (b0 >= 0) & (x0 >= 0) & (x0 <= 1)) | (a_zero & b_zero);
  const Array is_zero = (b_zero & (x0 != 1)) | (a_zero & (x0 == 0));
  const Array is_one = (a_zero & (x0 != 0)) | (b_zero & (x0 == 1));
  const Array inside = ~(nowhere | is_zero | is_one);
  const Array u = where(inside, a0, 1), v = where(inside, b0, 1), w = where(inside, x0, 0.5);
  const Array fast = w < (u + 1) / (u + v + 2);
  const Array a = where(fast, u, v), b = where(fast, v, u), x = where(fast, w, 1 - w);
  const Array scale = exp(log(x) * a + log1p(-x) * b - detail::log_beta_times(a, b));
  const Array part = beta_fraction(a, b, x, all_steps) * scale, result = where(fast, part, 1 - part);
  return where(nowhere, kNoNumber, where(is_zero, 0, where(is_one, 1, result)));
}

using Three = std::tuple<Array, Array, Array>;

// A probability, which roundings do not bring out of 0 to 1.
Array beta_value(const Array& a, const Array& b, const Array& x) {
  const Array value = incomplete_beta(a, b, x, false);
  return where(value > 1, 1, where(value < 0, 0, value));
}

Array beta_density(const Array& a, const Array& b, const Array& x) {
  return exp((b - 1) * log1p(-x) + (a - 1) * log(x) - detail::log_beta(a, b));
}

// The derivative in a, or in b: forwards through the loop. It has a rule of its own, as gamma_slope.
Array beta_slope(bool in_a, const Array& a, const Array& b, const Array& x) {
  const auto along = [](const auto& f, const Three& at, bool first) {
    const Array one = ones_like(std::get<0>(at)), zero = zeros_like(one);
    return jvp(f, at, first ? Three{one, zero, zero} : Three{zero, one, zero}).second;
  };
  const auto value = [along, in_a](Array u, Array v, Array w) {
    const auto whole = [](Array p, Array q, Array r) { return incomplete_beta(p, q, r, true); };
    return along(whole, Three{u, v, w}, in_a);
  };
  const auto rule = [along, value, in_a](const Three& at, const Three& tangents) {
    const auto& [u, v, w] = at;
    const Array end = in_a ? log(w) - digamma(u) : log1p(-w) - digamma(v);
    const Array change = along(value, at, true) * std::get<0>(tangents) +
                         along(value, at, false) * std::get<1>(tangents) +
                         beta_density(u, v, w) * (end + digamma(u + v)) * std::get<2>(tangents);
    return std::pair(value(u, v, w), change);
  };
  return custom_jvp(value, rule)(a, b, x);
}

Array differentiable_beta(int orders, const Array& a, const Array& b, const Array& x) {
  if (orders == 0) return beta_value(a, b, x);
  return custom_jvp(beta_value, [orders](const Three& at, const Three& tangents) {
    const auto& [u, v, w] = at;
    const Array change = beta_slope(true, u, v, w) * std::get<0>(tangents) +
                         beta_slope(false, u, v, w) * std::get<1>(tangents) +
                         beta_density(u, v, w) * std::get<2>(tangents);
    return std::pair(differentiable_beta(orders - 1, u, v, w), change);
  })(a, b, x);
}

}  // namespace

Array gammainc(const Operand& a, const Operand& x) {
  return gamma_part("gammainc", a, x, Part::kLower);
}
Array gammaincc(const Operand& a, const Operand& x) {
  return gamma_part("gammaincc", a, x, Part::kUpper);
}

Array betainc(const Operand& a, const Operand& b, const Operand& x) {
  const CallerScope caller(a.where(), "betainc");
  const std::vector<Array> all = detail::same_floats("betainc", {a, b, x}, a.where());
  if (is_complex(all[0].dtype()))
    detail::fail(a.where(), "betainc: takes real numbers, not " + all[0].type_string());
  return detail::apply("betainc", all, {}, a.where(), [&](const std::vector<Array>& given) {
    const Shape shape = detail::broadcast_shape("betainc", given, a.where());
    const auto wide = [&](const Array& w) { return broadcast_to(detail::in_f32(w), shape); };
    const Array result = differentiable_beta(kGammaOrders, wide(given[0]), wide(given[1]), wide(given[2]));
    return result.astype(all[0].dtype());
  });
}

}  // namespace ingot
