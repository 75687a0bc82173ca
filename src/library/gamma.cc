// Functions made of lgamma, Bessel functions and logarithms.
#include <cmath>
#include <iterator>
#include <limits>
#include <numbers>

#include "frontend/compose.h"
#include "ingot/autodiff.h"
#include "ingot/creation.h"
#include "ingot/elementwise.h"
#include "ingot/special.h"

namespace ingot {
namespace {

using detail::compose_floating;
using detail::compose_floats;

constexpr double kEndless = std::numeric_limits<double>::infinity();

// The sign of gamma(x): -1 between -1 and 0, between -3 and -2, and so on; NaN at the poles below zero.
Array sign_of_gamma(const Array& x) {
  const Array whole = floor(x), sign = where((x > 0) | (whole % 2 == 0), detail::number(x.dtype(), 1),
                                             detail::number(x.dtype(), -1));
  const Array below = where((x < 0) & (x == whole), std::numeric_limits<double>::quiet_NaN(), sign);
  return where(x == 0, copysign(1, x), below);
}

Array gamma_of(const Array& x) {
  return sign_of_gamma(x) * exp(lgamma(x));
}

// What lgamma has beyond (z - 1/2) log(z) - z + log(2 pi) / 2, of z from 8 on.
Array stirling_rest(const Array& z) {
  constexpr double kTerms[] = {1. / 12,   -1. / 360,      1. / 1260, -1. / 1680,
                               1. / 1188, -691. / 360360, 1. / 156};
  const Array inverse = 1 / z, square = inverse * inverse;
  Array sum = inverse * 0;
  for (size_t i = std::size(kTerms); i-- > 0;) sum = sum * square + kTerms[i];
  return sum * inverse;
}

// Where the greater one is large, and the sum not much less, their lgamma are as good as equal, and the
// difference is taken term by term.
Array betaln_of(const Array& a, const Array& b) {
  const Array less = minimum(a, b), more = maximum(a, b);
  const Array far = (more >= 8) & (a + b >= 8) & (less >= -0.5 * more), large = where(far, more, 8),
              small = where(far, less, 1);
  const Array sum = small + large;
  const Array difference = small - (large - 0.5) * log1p(small / large) - small * log(sum) +
                           (stirling_rest(large) - stirling_rest(sum));
  return lgamma(less) + where(far, difference, lgamma(more) - lgamma(a + b));
}

// x log(x), and 0 at 0, where it is infinitely steep.
Array xlogx(const Array& x) {
  return custom_jvp([](Array u) { return xlogy(u, u); },
                    [](const std::tuple<Array>& at, const std::tuple<Array>& tangents) {
                      const Array& u = std::get<0>(at);
                      return std::pair(xlogy(u, u), (log(u) + 1) * std::get<0>(tangents));
                    })(x);
}

Array rel_entr_of(const Array& p, const Array& q) {
  const Array both = (p > 0) & (q > 0), zero = (p == 0) & (q >= 0);
  const Array safe_p = where(both, p, 1), safe_q = where(both, q, 1);
  const Array value = xlogx(safe_p) - xlogy(safe_p, safe_q);
  return where(both, value, where(zero, detail::number(p.dtype(), 0), astype(kEndless, p.dtype())));
}

}  // namespace

Array gammaln(const Operand& x) {
  return compose_floating("gammaln", x, {}, [](const Array& a) { return lgamma(a); });
}
Array gamma(const Operand& x) {
  return compose_floating("gamma", x, {}, gamma_of);
}
Array betaln(const Operand& a, const Operand& b) {
  return compose_floats("betaln", a, b, {}, betaln_of);
}
Array beta(const Operand& a, const Operand& b) {
  return compose_floats("beta", a, b, {}, [](const Array& u, const Array& v) {
    return sign_of_gamma(u) * sign_of_gamma(v) * sign_of_gamma(u + v) * exp(betaln_of(u, v));
  });
}
Array factorial(const Operand& n) {
  return compose_floating("factorial", n, {},
                          [](const Array& a) { return where(a < 0, 0, exp(lgamma(a + 1))); });
}
Array poch(const Operand& z, const Operand& m) {
  return compose_floats("poch", z, m, {}, [](const Array& u, const Array& v) {
    return where(v == 0, detail::number(u.dtype(), 1), gamma_of(u + v) / gamma_of(u));
  });
}
Array multigammaln(const Operand& a, int64_t d) {
  if (d < 1 || d > kMostElements)
    detail::fail(a.where(), "multigammaln: d is " + std::to_string(d) + ", but must be from 1 to " +
                                std::to_string(kMostElements) + " (2^48)");
  return compose_floating("multigammaln", a, {d}, [&](const Array& given) {
    const auto n = static_cast<double>(d);
    const Array u = detail::in_f32(given), halves = iota(u.dtype(), {d}, 0) / 2;
    const Array terms = sum(lgamma(expand_dims(u, -1) - halves), -1);
    return (terms + 0.25 * n * (n - 1) * std::log(std::numbers::pi)).astype(given.dtype());
  });
}

Array i0(const Operand& x) {
  return compose_floating("i0", x, {}, [](const Array& a) { return exp(abs(a)) * bessel_i0e(a); });
}
Array i1(const Operand& x) {
  return compose_floating("i1", x, {}, [](const Array& a) { return exp(abs(a)) * bessel_i1e(a); });
}
Array i0e(const Operand& x) {
  return compose_floating("i0e", x, {}, [](const Array& a) { return bessel_i0e(a); });
}
Array i1e(const Operand& x) {
  return compose_floating("i1e", x, {}, [](const Array& a) { return bessel_i1e(a); });
}
Array expit(const Operand& x) {
  return compose_floating("expit", x, {}, [](const Array& a) { return logistic(a); });
}

Array entr(const Operand& x) {
  return compose_floating("entr", x, {}, [](const Array& a) { return where(a < 0, -kEndless, -xlogx(a)); });
}
Array rel_entr(const Operand& p, const Operand& q) {
  return compose_floats("rel_entr", p, q, {}, rel_entr_of);
}
Array kl_div(const Operand& p, const Operand& q) {
  return compose_floats("kl_div", p, q, {},
                        [](const Array& a, const Array& b) { return rel_entr_of(a, b) - a + b; });
}

}  // namespace ingot
