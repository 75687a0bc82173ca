// Both functions are 0.5 erfc(-u sqrt(n/2)) + exp(-n u^2 / 2) / sqrt(2 pi n) (t0(u) + t1(u) / n + ..), where
// n u^2 / 2 is how much less likely x is than the middle, on a logarithmic scale. With v = v(u), the distance
// of x from the middle in units in which v = u + .., it holds that
//   v v' = u (1 + t v - w v^2),   t0 = (1 - u/v) / u,   t[k] = (t[k-1]' - t[k-1]'(0) u/v) / u.
// Of gamma n = a, v = x/a - 1, t = 1 and w = 0; of beta, with p = a / (a + b) and q = 1 - p, n = a q,
// v = (x - p) / (p q), t = q - p and w = p q. (Temme; from the derivative of the sum, which is the density.)
//
// As z - log(1 + z) = z^2 / 2 (1 - z c(z)), u = v sqrt(1 - v m), where m = c(v) of gamma, and
// q^2 c(v q) - p^2 c(-v p) of beta. So t0 is m / (r (1 + r)) of that root r, in which nothing cancels.
#include "library/large_parameters.h"

#include <cmath>
#include <numbers>

#include "ingot/autodiff.h"
#include "ingot/elementwise.h"
#include "ingot/functions.h"
#include "library/log_beta.h"

namespace ingot {
namespace {

using detail::kLeastStirling;

constexpr double kLeastCentralGamma = 64, kMostOffCentre = 0.3;

using Powers = std::vector<double>;

// What t[k] of gamma are in powers of u, from k = 1 on.
std::vector<Powers> powers_of_gamma(size_t count, size_t length) {
  Powers v = {1}, ratio = {1};  // v/u and u/v
  for (size_t n = 1; n < length; ++n) {
    double sum = v[n - 1], rest = 0;
    for (size_t i = 1; i < n; ++i) sum -= v[i] * v[n - i] * static_cast<double>(n - i + 1);
    v.push_back(sum / static_cast<double>(n + 2));
    for (size_t i = 1; i <= n; ++i) rest -= v[i] * ratio[n - i];
    ratio.push_back(rest);
  }
  Powers last;  // t0
  for (size_t i = 1; i < length; ++i) last.push_back(-ratio[i]);
  std::vector<Powers> all;
  while (all.size() < count) {
    Powers next;
    for (size_t i = 1; i + 1 < last.size(); ++i)
      next.push_back(last[i + 1] * static_cast<double>(i + 1) - last[1] * ratio[i]);
    all.push_back(last = next);
  }
  return all;
}

Array polynomial(const Powers& powers, size_t count, const Array& u) {
  Array sum = u * 0 + powers[count - 1];
  for (size_t i = count - 1; i-- > 0;) sum = sum * u + powers[i];
  return sum;
}

// From -1/3 to 1/2, and in f32 from -1/2 to 1.
Array is_near(const Array& z) {
  const bool wide = z.dtype() == DType::kF64;
  return (z >= (wide ? -1. / 3 : -0.5)) & (z <= (wide ? 0.5 : 1));
}
// c(z), of near ones, by the series of log((1 + r) / (1 - r)).
Array c_of(const Array& z) {
  const Array inverse = 1 / (2 + z), r = z * inverse, square = r * r;
  const int terms = z.dtype() == DType::kF64 ? 11 : 8;
  Array sum = r * 0;
  for (int i = terms; i-- > 0;) sum = sum * square + 1. / (2 * i + 3);
  return inverse * (1 + 4 * sum * (inverse * inverse));
}

// z - log(ratio), where the ratio is 1 + z.
Array distance(const Array& z, const Array& near, const Array& c, const Array& ratio) {
  const Array small = where(near, z, 0);  // the square of others may be out of all bounds
  return where(near, 0.5 * small * small * (1 - small * c), z - log(where(near, 1, ratio)));
}

// x b - y a, the distance of x from a / (a + b) times a + b. Both products are as good as equal, and their
// roundings would be as if x were another float. So of each factor there is an upper part, of which products
// are exact, and what is left of it. The lesser one of x and y is exact, and the other one is 1 less it,
// rounded.
Array off_centre(const Array& a, const Array& b, const Array& x, const Array& y) {
  const Array plain = x * b - y * a;
  const Array lost = where(x <= y, -a, b) * ((1 - maximum(x, y)) - minimum(x, y));
  const auto rounded_once = [&] {
    if (a.dtype() != DType::kF64) {
      const auto wide = [](const Array& v) { return v.astype(DType::kF64); };
      return (wide(x) * wide(b) - wide(y) * wide(a) + wide(lost)).astype(a.dtype());
    }
    const auto upper = [](const Array& v) {
      return bitcast(bitcast(v, DType::kU64) & ~uint64_t{0} << 27, DType::kF64);
    };
    const Array a1 = upper(a), b1 = upper(b), x1 = upper(x), y1 = upper(y);
    const Array a2 = a - a1, b2 = b - b1, x2 = x - x1, y2 = y - y1;
    const Array rest = ((x1 * b2 + x2 * b1) - (y1 * a2 + y2 * a1)) + (x2 * b2 - y2 * a2);
    return (x1 * b1 - y1 * a1) + (rest + lost);
  };
  return plain + stop_gradient(rounded_once() - plain);
}

// The sum, given v, m, the exponent n u^2 / 2, and t1 / n + .. as a function of u.
template <class Rest>
Array uniform(const Array& n, const Array& v, const Array& m, const Array& exponent, bool upper,
              const Rest& rest) {
  const Array root = sqrt(1 - v * m), u = v * root, z = u * sqrt(n / 2);
  const Array sum = m / (root * (1 + root)) + rest(u);
  const Array more = exp(-exponent) / sqrt(2 * std::numbers::pi * n) * sum;
  return upper ? 0.5 * erfc(z) - more : 0.5 * erfc(-z) + more;
}

// How many powers are enough, of a from kLeastCentralGamma on.
constexpr size_t kGammaTerms[] = {12, 10, 8, 6, 4, 1}, kNarrowGammaTerms[] = {4, 2};

}  // namespace

Array detail::gamma_scale(const Array& a, const Array& x) {
  const Array large = a >= kLeastStirling, big = where(large, a, kLeastStirling), small = where(large, 1, a);
  const Array z = (x - big) / big, near = is_near(z), c = c_of(where(near, z, 0));
  const Array exponent = big * distance(z, near, c, x / big) + stirling_rest(big);
  const Array plain = exp(small * log(x) - x - lgamma(small + 1));
  return where(large, exp(-exponent) / sqrt(2 * std::numbers::pi * big), plain);
}

Array detail::log_less_digamma(const Array& a, const Array& x) {
  const Array large = a >= kLeastCentralGamma, big = where(large, a, kLeastCentralGamma),
              small = where(large, 1, a);
  const Array z = (x - big) / big, near = is_near(z), inverse = 1 / big, square = inverse * inverse;
  const Array ratio = where(near, log1p(where(near, z, 0)), log(where(near, 1, x / big)));
  const Array rest = inverse * (0.5 + inverse * (1. / 12 - square * (1. / 120 - square / 252)));
  return where(large, ratio + rest, log(x) - digamma(small));
}

Array detail::beta_power(const Array& a, const Array& b, const Array& x, const Array& y,
                         const BetaPlace& place) {
  const Array far_a = distance(place.of_a, place.near_a, place.c_a, x * (1 + b / a)),
              far_b = distance(place.of_b, place.near_b, place.c_b, y * (1 + a / b));
  const Array rest = stirling_rest(a) + stirling_rest(b) - stirling_rest(a + b);
  return exp(-(a * far_a + b * far_b + rest)) * sqrt(a / (1 + a / b) / (2 * std::numbers::pi));
}

detail::BetaPlace detail::beta_place(const Array& a, const Array& b, const Array& x, const Array& y) {
  const Array off = off_centre(a, b, x, y), of_a = off / a, of_b = -off / b;
  const Array near_a = is_near(of_a), near_b = is_near(of_b);
  return {off, of_a, of_b, near_a, near_b, c_of(where(near_a, of_a, 0)), c_of(where(near_b, of_b, 0))};
}

Array detail::gamma_is_central(const Array& a, const Array& x) {
  return (a >= kLeastCentralGamma) & (abs(x - a) <= kMostOffCentre * a);
}

Array detail::central_gamma(const Array& a, const Array& x, bool upper) {
  static const std::vector<Powers> powers = powers_of_gamma(std::size(kGammaTerms), 22);
  const bool wide = a.dtype() == DType::kF64;
  const auto rest = [&](const Array& u) {
    const Array inverse = 1 / a;
    Array sum = u * 0;
    for (size_t k = wide ? std::size(kGammaTerms) : std::size(kNarrowGammaTerms); k-- > 0;)
      sum = (sum + polynomial(powers[k], wide ? kGammaTerms[k] : kNarrowGammaTerms[k], u)) * inverse;
    return sum;
  };
  const Array v = (x - a) / a, m = c_of(v);
  return uniform(a, v, m, 0.5 * (x - a) * v * (1 - v * m), upper, rest);
}

double detail::least_central_beta(DType dtype) {
  return dtype == DType::kF64 ? 2e4 : 300;
}

Array detail::beta_is_central(const Array& a, const Array& b, const BetaPlace& place) {
  return (minimum(a, b) >= least_central_beta(a.dtype())) & place.near_a & place.near_b;
}

Array detail::central_beta(const Array& a, const Array& b, const BetaPlace& place) {
  const Array p = 1 / (1 + b / a), q = 1 / (1 + a / b), n = a * q, w = p * q, t = q - p;
  const Array v = place.off / n, m = q * q * place.c_a - p * p * place.c_b;
  const auto rest = [&](const Array& u) {
    // Powers where it would cancel, in the middle; there u is small.
    const Array middle = n * u * u < 4, near_u = where(middle, u, 0);
    const Array powers =
        t * (1 + 23 * w) / 540 + near_u * (1 - w) * ((1 - w) / 288 - near_u * t * (2 + w) / 756);
    const Array far_u = where(middle, 1, u), far_v = where(middle, 1, v), ratio = far_u / far_v;
    const Array slope = ratio * (((1 + t * far_v - w * far_v * far_v) / far_v) / far_v);
    const Array far = (slope - 1 / (far_u * far_u) + (1 - w) / 12 * ratio) / far_u;
    return where(middle, powers, far) / n;
  };
  return uniform(n, v, m, 0.5 * place.off * v * (1 - v * m), false, rest);
}

}  // namespace ingot
