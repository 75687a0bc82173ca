// Functions made of lgamma, Bessel functions and logarithms.
#include <cmath>
#include <limits>
#include <numbers>

#include "frontend/compose.h"
#include "ingot/autodiff.h"
#include "ingot/creation.h"
#include "ingot/elementwise.h"
#include "ingot/special.h"
#include "library/log_beta.h"

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

// x log(x), and 0 at 0, where it is infinitely steep.
Array xlogx(const Array& x) {
  return custom_jvp([](Array u) { return xlogy(u, u); },
                    [](const std::tuple<Array>& at, const std::tuple<Array>& tangents) {
                      const Array& u = std::get<0>(at);
                      return std::pair(xlogy(u, u), (log(u) + 1) * std::get<0>(tangents));
                    })(x);
}

// p (log(p) - log(q)) of positive ones: a product of the difference, not a difference of products, is exactly
// 0 where p = q, fused or not, and finite where the products are not.
Array log_ratio_times(const Array& p, const Array& q) {
  return custom_jvp([](Array u, Array v) { return u * (log(u) - log(v)); },
                    [](const std::tuple<Array, Array>& at, const std::tuple<Array, Array>& tangents) {
                      const auto& [u, v] = at;
                      const Array logs = log(u) - log(v);
                      return std::pair(u * logs,
                                       (logs + 1) * std::get<0>(tangents) - u / v * std::get<1>(tangents));
                    })(p, q);
}

Array rel_entr_of(const Array& p, const Array& q) {
  const Array both = (p > 0) & (q > 0), zero = (p == 0) & (q >= 0);
  const Array value = log_ratio_times(where(both, p, 1), where(both, q, 1));
  return where(both, value, where(zero, detail::number(p.dtype(), 0), astype(kEndless, p.dtype())));
}

Array plain_i0(const Array& x) {
  return exp(abs(x)) * bessel_i0e(x);
}
Array plain_i1(const Array& x) {
  return exp(abs(x)) * bessel_i1e(x);
}

// By the rule of products the derivatives are differences of two infinities where the functions overflow. As
// one product each they are infinite there.
Array differentiable_i1(const Array& x) {
  return custom_jvp(plain_i1, [](const std::tuple<Array>& at, const std::tuple<Array>& tangents) {
    const Array& a = std::get<0>(at);
    const Array zero = a == 0, slope = bessel_i0e(a) - bessel_i1e(a) / where(zero, 1, a);
    return std::pair(plain_i1(a), where(zero, 0.5, exp(abs(a)) * slope) * std::get<0>(tangents));
  })(x);
}
Array differentiable_i0(const Array& x) {
  return custom_jvp(plain_i0, [](const std::tuple<Array>& at, const std::tuple<Array>& tangents) {
    return std::pair(plain_i0(std::get<0>(at)), differentiable_i1(std::get<0>(at)) * std::get<0>(tangents));
  })(x);
}

}  // namespace

Array gammaln(const Operand& x) {
  return compose_floating("gammaln", x, {}, [](const Array& a) { return lgamma(a); });
}
Array gamma(const Operand& x) {
  return compose_floating("gamma", x, {}, gamma_of);
}
Array betaln(const Operand& a, const Operand& b) {
  return compose_floats("betaln", a, b, {}, detail::log_beta);
}
Array beta(const Operand& a, const Operand& b) {
  return compose_floats("beta", a, b, {}, [](const Array& u, const Array& v) {
    return sign_of_gamma(u) * sign_of_gamma(v) * sign_of_gamma(u + v) * exp(detail::log_beta(u, v));
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
  return compose_floating("i0", x, {}, differentiable_i0);
}
Array i1(const Operand& x) {
  return compose_floating("i1", x, {}, differentiable_i1);
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
