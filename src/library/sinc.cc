// sin(pi x) / (pi x), with derivatives that are exact near 0, where the quotient's would cancel, and far
// away, where pi x would have lost its period.
#include <cmath>
#include <numbers>

#include "frontend/compose.h"
#include "ingot/autodiff.h"
#include "ingot/creation.h"
#include "ingot/elementwise.h"
#include "library/rules_by_value.h"

namespace ingot {
namespace {

constexpr double kHalfTurn = std::numbers::pi;
constexpr int kSincOrders =
    3;  // of derivatives with a formula of their own; further ones are those of the last

// (d/dx)^order sin(pi x) / pi^order. What x is beyond its period of 2 is exact, and so is what it is beyond a
// half.
Array turned_sine(const Array& x, int order) {
  const Array in_period = x - 2 * round(real(x) / 2), side = real(in_period);
  const Array beyond = abs(side) > 0.5;
  const Array part = where(beyond, copysign(detail::number(side.dtype(), 1), side) - in_period, in_period);
  const Array angle = kHalfTurn * part;
  if (order % 2 == 0) return order % 4 == 0 ? sin(angle) : -sin(angle);
  const Array cosine = where(beyond, -cos(angle), cos(angle));
  return order % 4 == 1 ? cosine : -cosine;
}

// The derivative of the series: pi^order times the sum over j of (-1)^j t^(2j - order) / ((2j + 1) (2j -
// order)!) with t = pi x, for t up to pi / 2.
Array by_sinc_series(const Array& x, int order) {
  const int terms = real_dtype(x.dtype()) == DType::kF64 ? 13 : 8, first = (order + 1) / 2;
  const auto coefficient = [&](int j) {
    return (j % 2 == 0 ? 1 : -1) * std::pow(kHalfTurn, 2 * j) /
           ((2 * j + 1) * std::tgamma(2 * j - order + 1));
  };
  const Array square = x * x;
  Array sum = zeros_like(x) + coefficient(first + terms - 1);
  for (int j = first + terms - 2; j >= first; --j) sum = sum * square + coefficient(j);
  return order % 2 == 0 ? sum : sum * x;
}

// From the derivatives of x f(x) = sin(pi x) / pi: x f' + f, x f'' + 2 f', and so on.
Array by_sinc_quotient(const Array& x, int order) {
  const Array turned = turned_sine(x, order) * std::pow(kHalfTurn, order - 1);
  return (order == 0 ? turned : turned - order * by_sinc_quotient(x, order - 1)) / x;
}

Array sinc_value(const Array& x, int order) {
  const Array near = order == 0 ? x == 0 : abs(x) < 0.5;
  const Array by_series = order == 0 ? ones_like(x) : by_sinc_series(where(near, x, 0), order);
  return where(near, by_series, by_sinc_quotient(where(near, 1, x), order));
}

// A rule cannot ask for the function whose rule it is, so it holds the function with one order less.
Array sinc_derivative(const Array& x, int order, int orders) {
  if (orders == 0) return sinc_value(x, order);
  return detail::custom_jvp_by_value([order](Array u) { return sinc_value(u, order); },
                                     [=](const std::tuple<Array>& at, const std::tuple<Array>& tangents) {
                                       const auto& [u] = at;
                                       return std::pair(
                                           sinc_derivative(u, order, orders - 1),
                                           std::get<0>(tangents) * sinc_derivative(u, order + 1, orders - 1));
                                     })(x);
}

}  // namespace

Array sinc(const Operand& x) {
  return detail::compose_floating("sinc", x, {}, [](const Array& a) {
    return sinc_derivative(detail::in_f32(a), 0, kSincOrders).astype(a.dtype());
  });
}

}  // namespace ingot
