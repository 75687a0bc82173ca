// The normal distribution function, its logarithm and its inverse, as in jax.scipy.special; the rational
// functions of the inverse are those of Cephes (ndtri.c).
#include <cmath>
#include <limits>
#include <numbers>
#include <span>

#include "frontend/compose.h"
#include "ingot/autodiff.h"
#include "ingot/special.h"
#include "library/rules_by_value.h"

namespace ingot {
namespace {

constexpr double kBeyond = std::numeric_limits<double>::infinity();
constexpr int kNormalOrders = 3;  // of derivatives

using Terms = std::span<const double>;

Array quotient(Terms above, Terms below, const Array& x) {
  const auto value = [&](Terms p) {
    Array sum = x * 0 + p[0];
    for (size_t i = 1; i < p.size(); ++i) sum = sum * x + p[i];
    return sum;
  };
  return value(above) / value(below);
}

constexpr double kMiddleAbove[] = {-5.99633501014107895267E1, 9.80010754185999661536E1,
                                   -5.66762857469070293439E1, 1.39312609387279679503E1,
                                   -1.23916583867381258016E0};
constexpr double kMiddleBelow[] = {1.0,
                                   1.95448858338141759834E0,
                                   4.67627912898881538453E0,
                                   8.63602421390890590575E1,
                                   -2.25462687854119370527E2,
                                   2.00260212380060660359E2,
                                   -8.20372256168333339912E1,
                                   1.59056225126211695515E1,
                                   -1.18331621121330003142E0};
constexpr double kTailAbove[] = {
    4.05544892305962419923E0,   3.15251094599893866154E1,   5.71628192246421288162E1,
    4.40805073893200834700E1,   1.46849561928858024014E1,   2.18663306850790267539E0,
    -1.40256079171354495875E-1, -3.50424626827848203418E-2, -8.57456785154685413611E-4};
constexpr double kTailBelow[] = {1.0,
                                 1.57799883256466749731E1,
                                 4.53907635128879210584E1,
                                 4.13172038254672030440E1,
                                 1.50425385692907503408E1,
                                 2.50464946208309415979E0,
                                 -1.42182922854787788574E-1,
                                 -3.80806407691578277194E-2,
                                 -9.33259480895457427372E-4};
constexpr double kFarAbove[] = {
    3.23774891776946035970E0,  6.91522889068984211695E0,  3.93881025292474443415E0,
    1.33303460815807542389E0,  2.01485389549179081538E-1, 1.23716634817820021358E-2,
    3.01581553508235416007E-4, 2.65806974686737550832E-6, 6.23974539184983293730E-9};
constexpr double kFarBelow[] = {1.0,
                                6.02427039364742014255E0,
                                3.67983563856160859403E0,
                                1.37702099489081330271E0,
                                2.16236993594496635890E-1,
                                1.34204006088543189037E-2,
                                3.28014464682127739104E-4,
                                2.89247864745380683936E-6,
                                6.79019408009981274425E-9};

Array ndtr_of(const Array& x) {
  const double half_root = std::sqrt(0.5);
  const Array w = x * half_root, z = abs(w);
  return 0.5 * where(z < half_root, 1 + erf(w), where(w > 0, 2 - erfc(z), erfc(z)));
}

Array ndtri_of(const Array& p) {
  const double turn = std::exp(-2.0);
  const Array other = where(p > 1 - turn, 1 - p, p), safe = where(other == 0, 0.5, other);
  const Array w = safe - 0.5, ww = w * w;
  const Array middle =
      (w + w * ww * quotient(kMiddleAbove, kMiddleBelow, ww)) * -std::sqrt(2 * std::numbers::pi);
  const Array z = sqrt(-2 * log(safe)), v = 1 / z, first = z - log(z) / z;
  const Array tail = first - quotient(kTailAbove, kTailBelow, v) / z;
  const Array far = first - quotient(kFarAbove, kFarBelow, v) / z;
  const Array size = where(safe > turn, middle, where(z >= 8, far, tail));
  const Array x = where(p > 1 - turn, size, -size);
  return where(p == 0, -kBeyond, where(p == 1, kBeyond, x));
}

// Far below, the asymptotic series. Above 0 the function is next to 1, and what is missing is known better.
Array log_ndtr_value(const Array& x) {
  const bool wide = x.dtype() == DType::kF64;
  const double lower = wide ? -20 : -10;
  const Array above = x > 0, y = ndtr_of(where(above, -x, maximum(x, lower)));
  const Array low = minimum(x, lower), square = low * low;
  const Array series = 1 - 1 / square + 3 / (square * square) - 15 / (square * square * square);
  const Array far = -0.5 * square - log(-low) - 0.5 * std::log(2 * std::numbers::pi) + log(series);
  return where(above, log1p(-y), where(x > lower, log(y), far));
}

Array log_ndtr_of(int orders, const Array& x) {
  if (orders == 0) return log_ndtr_value(x);
  return detail::custom_jvp_by_value(
      [](Array u) { return log_ndtr_value(u); },
      [orders](const std::tuple<Array>& at, const std::tuple<Array>& tangents) {
        const Array& u = std::get<0>(at);
        const Array value = log_ndtr_of(orders - 1, u);
        const Array slope = exp(-0.5 * u * u - 0.5 * std::log(2 * std::numbers::pi) - value);
        return std::pair(value, slope * std::get<0>(tangents));
      })(x);
}

void check_wide(const char* name, const Array& x, const Operand& operand) {
  if (x.dtype() != DType::kF32 && x.dtype() != DType::kF64)
    detail::fail(operand.where(),
                 std::string(name) + ": takes f32 and f64, but this is a " + x.type_string());
}

}  // namespace

Array ndtr(const Operand& x) {
  return detail::compose_floating("ndtr", x, {}, [&](const Array& a) {
    check_wide("ndtr", a, x);
    return ndtr_of(a);
  });
}
Array log_ndtr(const Operand& x) {
  return detail::compose_floating("log_ndtr", x, {}, [&](const Array& a) {
    check_wide("log_ndtr", a, x);
    return log_ndtr_of(kNormalOrders, a);
  });
}
Array ndtri(const Operand& p) {
  return detail::compose_floating("ndtri", p, {}, [&](const Array& a) {
    check_wide("ndtri", a, p);
    return ndtri_of(a);
  });
}

}  // namespace ingot
