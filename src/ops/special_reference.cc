#include "ops/special_reference.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace ingot::ops {
namespace {

constexpr long double kNan = std::numeric_limits<long double>::quiet_NaN();
constexpr long double kInfinity = std::numeric_limits<long double>::infinity();
constexpr long double kPi = std::numbers::pi_v<long double>;

// B_2k.
constexpr long double kBernoulli[] = {
    1.0L / 6, -1.0L / 30,     1.0L / 42,      -1.0L / 30,       5.0L / 66,       -691.0L / 2730,
    7.0L / 6, -3617.0L / 510, 43867.0L / 798, -174611.0L / 330, 854513.0L / 138, -236364091.0L / 2730};

// exp(-x) I_n(x) for x >= 0: the power series, whose terms are all positive, or the asymptotic one.
long double scaled_bessel(int order, long double x) {
  if (std::isinf(x)) return 0;
  if (!(x > 40)) {
    const long double half = x / 2, square = half * half;
    long double term = order == 0 ? 1 : half, sum = term;
    for (int k = 1; k < 500; ++k) {
      term *= square / (static_cast<long double>(k) * (k + order));
      sum += term;
    }
    return std::exp(-x) * sum;
  }
  const long double mu = 4 * order * order;
  long double term = 1, sum = 1;
  for (int k = 1; k < 60; ++k) {
    const long double odd = 2 * k - 1, next = -term * (mu - odd * odd) / (8 * k * x);
    if (std::fabs(next) > std::fabs(term)) break;
    term = next;
    sum += term;
  }
  return sum / std::sqrt(2 * kPi * x);
}

}  // namespace

// Newton's way with the function that does not cancel at x.
long double erf_inv_of(long double x) {
  const long double a = std::fabs(x);
  if (!(a < 1)) return a == 1 ? std::copysign(kInfinity, x) : kNan;
  if (a < 1e-10L) return x * std::sqrt(kPi) / 2;
  const long double w = -std::log1p(-a * a), rest = 1 - a;
  long double y = std::sqrt(std::fmax(w - std::log(std::fmax(w, 1.0L) * kPi) / 2, 0.1L * a));
  if (a < 0.7L) y = a;
  for (int i = 0; i < 100; ++i) {
    const long double off = a < 0.5L ? std::erf(y) - a : rest - std::erfc(y);
    const long double step = off * std::sqrt(kPi) / 2 * std::exp(y * y);
    const long double change = step / (1 + y * step);
    y = std::isfinite(change) && std::fabs(change) < y ? y - change : off < 0 ? 2 * y : y / 2;
    if (std::fabs(change) <= 1e-20L * y) break;
  }
  return std::copysign(y, x);
}

long double digamma_of(long double x) {
  if (std::isnan(x) || x == -kInfinity) return kNan;
  if (x <= 0) {
    const long double rest = x - std::round(x);
    if (rest == 0) return kNan;
    return digamma_of(1 - x) - kPi * std::cos(kPi * rest) / std::sin(kPi * rest);
  }
  long double sum = 0;
  for (; x < 40; ++x) sum += 1 / x;
  long double power = 1, series = 0;
  for (int k = 1; k <= 10; ++k) {
    power /= x * x;
    series += kBernoulli[k - 1] / (2 * k) * power;
  }
  return std::log(x) - 1 / (2 * x) - series - sum;
}

long double zeta_of(long double s, long double q) {
  if (std::isnan(s) || std::isnan(q) || s < 1) return kNan;
  if (s == 1) return kInfinity;
  if (q <= 0) return q == std::floor(q) && s / 2 == std::floor(s / 2) ? kInfinity : kNan;
  if (std::isinf(q)) return q > 0 ? 0 : kNan;
  if (std::isinf(s)) return q > 1 ? 0 : q == 1 ? 1 : kInfinity;
  long double sum = 0, a = q;
  for (int k = 0; k < 40 || a < 20; ++k, ++a) {
    sum += std::pow(a, -s);
  }
  const long double power = std::pow(a, -s);
  sum += power * a / (s - 1) + power / 2;
  long double factor = s * power / a;  // s (s + 1) ... over (2 k)!, times the power
  factor /= 2;
  for (int k = 1; k <= 12; ++k) {
    sum += kBernoulli[k - 1] * factor;
    factor *= (s + 2 * k - 1) / a * ((s + 2 * k) / a) / ((2 * k + 1.0L) * (2 * k + 2.0L));
  }
  return sum;
}

long double polygamma_of(long double n, long double x) {
  if (n == 0) return digamma_of(x);
  if (!(n > 0) || n != std::floor(n)) return kNan;
  // n + 1, n! and the sum as far as double reaches.
  using Double = std::numeric_limits<double>;
  const long double sum = zeta_of(static_cast<double>(n + 1), x), factorial = std::tgamma(n + 1);
  const long double size = (factorial > Double::max() ? kInfinity : factorial) *
                           (std::fabs(sum) < Double::min()   ? 0
                            : std::fabs(sum) > Double::max() ? std::copysign(kInfinity, sum)
                                                             : sum);
  return n / 2 == std::floor(n / 2) ? -size : size;
}

long double bessel_i0e_of(long double x) {
  return scaled_bessel(0, std::fabs(x));
}

long double bessel_i1e_of(long double x) {
  return std::copysign(scaled_bessel(1, std::fabs(x)), x);
}

}  // namespace ingot::ops
