// The incomplete beta function: continued fractions in loops that end when all elements have converged, and
// where both parameters are large and those would be slow, the uniform expansion.
#include <cmath>
#include <limits>

#include "frontend/compose.h"
#include "ingot/autodiff.h"
#include "ingot/control_flow.h"
#include "ingot/creation.h"
#include "ingot/special.h"
#include "library/large_parameters.h"
#include "library/log_beta.h"
#include "library/rules_by_value.h"

namespace ingot {
namespace {

constexpr double kBoundless = std::numeric_limits<double>::infinity();
constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();
constexpr int kBetaOrders = 2;  // of derivatives

struct BetaState {
  Array n, going, c, d, value;
};

// F(1, s; a + 1; z) by Gauss's continued fraction, by the method of Lentz, Thompson and Barnett. I_x(a, b) is
// x^a y^b / (a B(a, b)) times that of s = a + b and z = x (DLMF 8.17.22), and also times 1 / y times that of
// s = 1 - b and z = -x / y, which converges faster where a is the greater one. Below the middle both need no
// more steps than `most`. Where s is whole, a term is zero and its derivative is not: for that one all steps
// are gone through.
Array beta_fraction(const Array& a, const Array& b, const Array& x, const Array& y, bool all_steps) {
  const DType dtype = a.dtype();
  const bool is_wide = dtype == DType::kF64;
  const double small = is_wide ? 0x1p-53 : 0x1p-24;
  const Array other = a > b, s = where(other, 1 - b, a + b), z = where(other, x / y, -x);
  const Array rest = where(other, a + b - 1, -b);  // a - s
  const Array most = is_wide ? 250 + minimum(0.08 * minimum(a, b), 1750) : full_like(a, 200);
  const auto away_from_zero = [&](const Array& v) { return where(abs(v) < small, small, v); };
  const auto numerator = [&](const Array& n) {
    const Array m = floor_divide(n - 1, 2).astype(dtype);
    const Array first = where(m == 0, 1, (a + m) / (a + 2 * m));
    const Array even = first * ((s + m) / (a + 2 * m + 1)) * z;
    const Array odd = m / (a + 2 * m - 1) * ((rest + m) / (a + 2 * m)) * z;
    return where(n == 1, 1, where(n % 2 == 0, even, odd));
  };
  const auto more = [&](BetaState state) {
    const Array left = any(state.n < most);
    return all_steps ? left : left & state.going;
  };
  const auto step = [&](BetaState state) {
    const Array part = numerator(state.n), c = away_from_zero(1 + part / state.c);
    const Array d = 1 / away_from_zero(1 + part * state.d), delta = c * d;
    return BetaState{state.n + 1, any(abs(delta - 1) >= 8 * small), c, d, state.value * delta};
  };
  const Array begin = full_like(a, small);
  const Array value =
      while_loop(more, step, BetaState{Array(1), Array(true), begin, zeros_like(a), begin}).value;
  return where(other, value / y, value);
}

Array incomplete_beta(const Array& a0, const Array& b0, const Array& x0, bool all_steps) {
  const Array a_zero = (a0 == 0) | (b0 == kBoundless), b_zero = (b0 == 0) | (a0 == kBoundless);
  const Array nowhere = ~((a0 >= 0) & (b0 >= 0) & (x0 >= 0) & (x0 <= 1)) | (a_zero & b_zero);
  const Array is_zero = (b_zero & (x0 != 1)) | (a_zero & (x0 == 0)) | (x0 == 0);
  const Array is_one = (a_zero & (x0 != 0)) | (b_zero & (x0 == 1)) | (x0 == 1);
  const Array inside = ~(nowhere | is_zero | is_one);
  const Array u = where(inside, a0, 1), v = where(inside, b0, 1), w = where(inside, x0, 0.5);
  const Array rest = 1 - w, log_w = log(w), log_rest = log1p(-w);
  detail::BetaPlace place = detail::beta_place(u, v, w, rest);
  const Array central = detail::beta_is_central(u, v, place);
  const Array large = inside & (minimum(u, v) >= detail::kLeastStirling);
  const auto if_large = [&](const Array& p) { return where(large, p, detail::kLeastStirling); };
  const Array power = detail::beta_power(if_large(u), if_large(v), w, rest, place);
  const double least = detail::least_central_beta(a0.dtype());
  place.off = where(central, place.off, 0);
  const Array middle = detail::central_beta(where(central, u, least), where(central, v, least), place);
  const Array fast = w < (u + 1) / (u + v + 2);
  const auto one_of = [&](const Array& p, const Array& q) { return where(fast, p, q); };
  const Array a = one_of(u, v), b = one_of(v, u), x = one_of(w, rest), y = one_of(rest, w);
  const Array logs = one_of(log_w, log_rest) * a + one_of(log_rest, log_w) * b;
  const Array plain = exp(logs - detail::log_beta_times(where(large, 1, a), where(large, 1, b)));
  const Array scale = where(large, power / a, plain);  // x^a y^b / (a B(a, b))
  // Where the scale is below all numbers, the terms of the fraction may be beyond them.
  const Array asked = inside & ~central & (scale > 0);
  const auto if_asked = [&](const Array& p, double q) { return where(asked, p, q); };
  const Array fraction =
      beta_fraction(if_asked(a, 1), if_asked(b, 1), if_asked(x, 0.5), if_asked(y, 0.5), all_steps);
  const Array part = where(asked, fraction * scale, 0);
  const Array result = where(central, middle, where(fast, part, 1 - part));
  return where(nowhere, kUndefined, where(is_zero, 0, where(is_one, 1, result)));
}

using Three = std::tuple<Array, Array, Array>;

// A probability, which roundings do not bring out of 0 to 1.
Array beta_value(const Array& a, const Array& b, const Array& x) {
  const Array value = incomplete_beta(a, b, x, false);
  return where(value > 1, 1, where(value < 0, 0, value));
}

// x^(a - 1) (1 - x)^(b - 1) / B(a, b).
Array beta_density(const Array& a, const Array& b, const Array& x) {
  const Array large =
      (minimum(a, b) >= detail::kLeastStirling) & (maximum(a, b) < kBoundless) & (x > 0) & (x < 1);
  const auto if_large = [&](const Array& p, double q) { return where(large, p, q); };
  const Array u = if_large(a, detail::kLeastStirling), v = if_large(b, detail::kLeastStirling),
              w = if_large(x, 0.5), y = 1 - w;
  const Array scale = detail::beta_power(u, v, w, y, detail::beta_place(u, v, w, y)) / w / y;
  const Array small_a = where(large, 1, a), small_b = where(large, 1, b), some_x = where(large, 0.5, x);
  const Array plain =
      exp((small_b - 1) * log1p(-some_x) + (small_a - 1) * log(some_x) - detail::log_beta(small_a, small_b));
  return where(large, scale, plain);
}

// The derivative along one argument.
template <class F>
Array beta_along(const F& f, const Three& at, bool first) {
  const Array one = ones_like(std::get<0>(at)), zero = zeros_like(one);
  return jvp(f, at, first ? Three{one, zero, zero} : Three{zero, one, zero}).second;
}

// The derivative in a, or in b: forwards through the loop. It has a rule of its own, as gamma_slope. It is
// one function of the process, since its derivatives are what tracing betainc takes longest for: both orders
// of them that betainc has call it.
template <bool kInA>
Array beta_slope(const Array& a, const Array& b, const Array& x) {
  static constexpr auto kValue = [](Array u, Array v, Array w) {
    const auto whole = [](Array p, Array q, Array r) { return incomplete_beta(p, q, r, true); };
    return beta_along(whole, Three{u, v, w}, kInA);
  };
  static constexpr auto kRule = [](const Three& at, const Three& tangents) {
    const auto& [u, v, w] = at;
    const Array sum = u + v;  // log(w) - digamma(u) + digamma(u + v), or that of 1 - w and v
    const Array logs =
        detail::log_less_digamma(kInA ? u : v, (kInA ? w : 1 - w) * sum) - detail::log_less_digamma(sum, sum);
    const Array change = beta_along(kValue, at, true) * std::get<0>(tangents) +
                         beta_along(kValue, at, false) * std::get<1>(tangents) +
                         beta_density(u, v, w) * logs * std::get<2>(tangents);
    return std::pair(kValue(u, v, w), change);
  };
  static const auto& slope = *new auto(custom_jvp(kValue, kRule));
  return slope(a, b, x);
}

Array differentiable_beta(int orders, const Array& a, const Array& b, const Array& x) {
  if (orders == 0) return beta_value(a, b, x);
  return detail::custom_jvp_by_value(beta_value, [orders](const Three& at, const Three& tangents) {
    const auto& [u, v, w] = at;
    const Array change = beta_slope<true>(u, v, w) * std::get<0>(tangents) +
                         beta_slope<false>(u, v, w) * std::get<1>(tangents) +
                         beta_density(u, v, w) * std::get<2>(tangents);
    return std::pair(differentiable_beta(orders - 1, u, v, w), change);
  })(a, b, x);
}

}  // namespace

Array betainc(const Operand& a, const Operand& b, const Operand& x) {
  const CallerScope caller(a.where(), "betainc");
  const std::vector<Array> all = detail::same_floats("betainc", {a, b, x}, a.where());
  if (is_complex(all[0].dtype()))
    detail::fail(a.where(), "betainc: takes real numbers, not " + all[0].type_string());
  return detail::apply("betainc", all, {}, a.where(), [&](const std::vector<Array>& given) {
    const Shape shape = detail::broadcast_shape("betainc", given, a.where());
    const auto wide = [&](const Array& w) { return broadcast_to(detail::in_f32(w), shape); };
    const Array result = differentiable_beta(kBetaOrders, wide(given[0]), wide(given[1]), wide(given[2]));
    return result.astype(all[0].dtype());
  });
}

}  // namespace ingot
