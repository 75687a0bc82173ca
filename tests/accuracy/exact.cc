#include "accuracy/exact.h"

#include <cmath>
#include <limits>

namespace ingot::accuracy {
namespace {

constexpr mpfr_rnd_t kNearest = MPFR_RNDN;

template <int (*kFunction)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t)>
void of_mpfr(mpfr_ptr y, mpfr_srcptr x, mpfr_srcptr) {
  kFunction(y, x, kNearest);
}

void logistic(mpfr_ptr y, mpfr_srcptr x, mpfr_srcptr) {
  mpfr_neg(y, x, kNearest);
  mpfr_exp(y, y, kNearest);
  mpfr_add_ui(y, y, 1, kNearest);
  mpfr_ui_div(y, 1, y, kNearest);
}

// Minus infinity at -0, where MPFR's own has no sign.
void rsqrt(mpfr_ptr y, mpfr_srcptr x, mpfr_srcptr) {
  mpfr_sqrt(y, x, kNearest);
  mpfr_ui_div(y, 1, y, kNearest);
}

// As JAX's: at 0 it has no value either.
void digamma(mpfr_ptr y, mpfr_srcptr x, mpfr_srcptr) {
  if (mpfr_zero_p(x)) return mpfr_set_nan(y);
  mpfr_digamma(y, x, kNearest);
}

// Its own sign is that of a power, where MPFR's lgamma tells it apart.
void lgamma_of(mpfr_ptr y, mpfr_srcptr x, mpfr_srcptr) {
  int sign = 0;
  mpfr_lgamma(y, &sign, x, kNearest);
}

// Newton's way from what is near: by erfc near 1, where erf cancels.
void erf_inv(mpfr_ptr y, mpfr_srcptr x, mpfr_srcptr) {
  const double size = std::fabs(mpfr_get_d(x, kNearest));
  if (!(size < 1) || mpfr_zero_p(x)) {
    if (mpfr_zero_p(x))
      mpfr_set(y, x, kNearest);
    else if (size == 1)
      mpfr_set_inf(y, mpfr_sgn(x));
    else
      mpfr_set_nan(y);
    return;
  }
  Number a, rest, off, slope, square;
  mpfr_abs(a, x, kNearest);
  mpfr_ui_sub(rest, 1, a, kNearest);
  const double small = mpfr_get_d(rest, kNearest);
  const double w = -std::log(small * (2 - small));
  // Giles' first guess is good to a percent; the steps double its digits.
  double guess = size < 0.7 ? size * 0.886 * (1 + 0.2618 * size * size)
                            : std::sqrt(std::fmax(w - std::log(std::fmax(w, 1.0) * 3.14159) / 2, 0.3));
  if (size < 1e-5) guess = size * 0.886;
  mpfr_set_d(y, guess, kNearest);
  if (size < 1e-5) mpfr_mul_d(y, a, 0.88622692545275801, kNearest);
  for (int step = 0; step < 12; ++step) {
    if (size < 0.5) {
      mpfr_erf(off, y, kNearest);
      mpfr_sub(off, off, a, kNearest);
    } else {
      mpfr_erfc(off, y, kNearest);
      mpfr_sub(off, rest, off, kNearest);
    }
    mpfr_sqr(square, y, kNearest);
    mpfr_exp(slope, square, kNearest);
    mpfr_mul(off, off, slope, kNearest);
    mpfr_const_pi(slope, kNearest);
    mpfr_sqrt(slope, slope, kNearest);
    mpfr_mul(off, off, slope, kNearest);
    mpfr_div_2ui(off, off, 1, kNearest);  // Newton's step, which Halley's divides by 1 + y times it
    mpfr_mul(slope, y, off, kNearest);
    mpfr_add_ui(slope, slope, 1, kNearest);
    mpfr_div(off, off, slope, kNearest);
    mpfr_sub(y, y, off, kNearest);
    if (mpfr_zero_p(off) || mpfr_get_exp(off) < mpfr_get_exp(y) - 120) break;
  }
  mpfr_copysign(y, y, x, kNearest);
}

// exp(-|x|) I_n(x): the power series, all of whose terms are positive, or far out the asymptotic one.
template <int kOrder>
void scaled_bessel(mpfr_ptr y, mpfr_srcptr x, mpfr_srcptr) {
  if (mpfr_nan_p(x)) return mpfr_set_nan(y);
  Number a, term, sum, factor;
  mpfr_abs(a, x, kNearest);
  const double size = mpfr_get_d(a, kNearest);
  if (std::isinf(size)) {
    mpfr_set_zero(sum, 1);
  } else if (size < 150) {
    mpfr_div_2ui(factor, a, 1, kNearest);
    if (kOrder == 0)
      mpfr_set_ui(term, 1, kNearest);
    else
      mpfr_set(term, factor, kNearest);
    mpfr_set(sum, term, kNearest);
    mpfr_sqr(factor, factor, kNearest);
    for (unsigned k = 1; k < 2000 && !mpfr_zero_p(term); ++k) {
      mpfr_mul(term, term, factor, kNearest);
      mpfr_div_ui(term, term, k * (k + kOrder), kNearest);
      mpfr_add(sum, sum, term, kNearest);
      if (k > size && mpfr_get_exp(term) < mpfr_get_exp(sum) - 170) break;
    }
    mpfr_neg(a, a, kNearest);
    mpfr_exp(a, a, kNearest);
    mpfr_mul(sum, sum, a, kNearest);
  } else {
    mpfr_set_ui(term, 1, kNearest);
    mpfr_set_ui(sum, 1, kNearest);
    for (int k = 1; k < 100; ++k) {
      mpfr_mul_si(term, term, (2 * k - 1) * (2 * k - 1) - 4 * kOrder * kOrder, kNearest);
      mpfr_div_ui(term, term, static_cast<unsigned>(8 * k), kNearest);
      mpfr_div(term, term, a, kNearest);
      if (mpfr_zero_p(term) || mpfr_get_exp(term) < -170) break;
      mpfr_add(sum, sum, term, kNearest);
    }
    mpfr_const_pi(factor, kNearest);
    mpfr_mul_2ui(factor, factor, 1, kNearest);
    mpfr_mul(factor, factor, a, kNearest);
    mpfr_sqrt(factor, factor, kNearest);
    mpfr_div(sum, sum, factor, kNearest);
  }
  if (kOrder == 1)
    mpfr_copysign(y, sum, x, kNearest);
  else
    mpfr_set(y, sum, kNearest);
}

void pow_of(mpfr_ptr y, mpfr_srcptr x, mpfr_srcptr power) {
  mpfr_pow(y, x, power, kNearest);
}

void atan2_of(mpfr_ptr y, mpfr_srcptr x, mpfr_srcptr second) {
  mpfr_atan2(y, x, second, kNearest);
}

const Function kFunctions[] = {
    {"exp", 1, of_mpfr<mpfr_exp>, [](double x) { return std::exp(x); }, 1.0, 1.1, -90, 90},
    {"exp2", 1, of_mpfr<mpfr_exp2>, [](double x) { return std::exp2(x); }, 1.0, 1.0, -150, 130},
    {"expm1", 1, of_mpfr<mpfr_expm1>, [](double x) { return std::expm1(x); }, 2.0, 2.0, -3, 3},
    {"log", 1, of_mpfr<mpfr_log>, [](double x) { return std::log(x); }, 1.0, 1.0, 0, 10},
    {"log2", 1, of_mpfr<mpfr_log2>, [](double x) { return std::log2(x); }, 1.1, 1.1, 0, 4},
    {"log1p", 1, of_mpfr<mpfr_log1p>, [](double x) { return std::log1p(x); }, 2.0, 2.0, -1, 3},
    {"sin", 1, of_mpfr<mpfr_sin>, [](double x) { return std::sin(x); }, 2.0, 2.0, -100, 100},
    {"cos", 1, of_mpfr<mpfr_cos>, [](double x) { return std::cos(x); }, 2.0, 2.0, -100, 100},
    {"tan", 1, of_mpfr<mpfr_tan>, [](double x) { return std::tan(x); }, 1.2, 1.2, -100, 100},
    {"tanh", 1, of_mpfr<mpfr_tanh>, [](double x) { return std::tanh(x); }, 2.0, 2.0, -10, 10},
    {"logistic", 1, logistic, [](double x) { return 1 / (1 + std::exp(-x)); }, 2.0, 2.0, -80, 40},
    {"sqrt", 1, of_mpfr<mpfr_sqrt>, [](double x) { return std::sqrt(x); }, 0.5, 0.5, 0, 10},
    {"rsqrt", 1, rsqrt, [](double x) { return 1 / std::sqrt(x); }, 1.5, 1.5, 0, 10},
    {"cbrt", 1, of_mpfr<mpfr_cbrt>, [](double x) { return std::cbrt(x); }, 0.6, 0.6, -100, 100},
    {"erf", 1, of_mpfr<mpfr_erf>, [](double x) { return std::erf(x); }, 2.0, 2.0, -5, 5},
    {"asin", 1, of_mpfr<mpfr_asin>, [](double x) { return std::asin(x); }, 1.6, 1.6, -1, 1},
    {"acos", 1, of_mpfr<mpfr_acos>, [](double x) { return std::acos(x); }, 1.0, 1.0, -1, 1},
    {"atan", 1, of_mpfr<mpfr_atan>, [](double x) { return std::atan(x); }, 1.8, 1.8, -10, 10},
    {"sinh", 1, of_mpfr<mpfr_sinh>, [](double x) { return std::sinh(x); }, 1.8, 1.8, -90, 90},
    {"cosh", 1, of_mpfr<mpfr_cosh>, [](double x) { return std::cosh(x); }, 2.0, 2.0, -90, 90},
    {"asinh", 1, of_mpfr<mpfr_asinh>, [](double x) { return std::asinh(x); }, 1.0, 1.0, -10, 10},
    {"acosh", 1, of_mpfr<mpfr_acosh>, [](double x) { return std::acosh(x); }, 1.5, 1.5, 1, 20},
    {"atanh", 1, of_mpfr<mpfr_atanh>, [](double x) { return std::atanh(x); }, 1.1, 1.1, -1, 1},
    {"erfc", 1, of_mpfr<mpfr_erfc>, [](double x) { return std::erfc(x); }, 5.0, 6.0, -5, 10},
    {"erf_inv", 1, erf_inv, nullptr, 2.5, 2.5, -1, 1},
    {"lgamma", 1, lgamma_of, [](double x) { return std::lgamma(x); }, 1.0, 8.0, 0, 30, true, 32},
    {"digamma", 1, digamma, nullptr, 1.0, 8.0, 0, 30, true, 32},
    {"bessel_i0e", 1, scaled_bessel<0>, nullptr, 5.0, 5.0, -50, 50},
    {"bessel_i1e", 1, scaled_bessel<1>, nullptr, 5.0, 5.0, -50, 50},
    {"pow", 2, pow_of, nullptr, 1.0, 1.2, 0, 10},
    {"atan2", 2, atan2_of, nullptr, 3.0, 3.0, -10, 10},
};

struct Format {
  int bits, least_exponent,
      largest_exponent;  // of the last place of the smallest numbers; 2^largest overflows
};

constexpr Format format_of(DType dtype) {
  return dtype == DType::kF32 ? Format{24, -149, 128} : Format{53, -1074, 1024};
}

}  // namespace

std::span<const Function> all_functions() {
  return kFunctions;
}

double error_in_ulps(const Function& function, DType dtype, double got, double x, double second) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto [bits, least, largest] = format_of(dtype);
  Number y, from, with, limit;
  mpfr_set_d(from, x, kNearest);
  mpfr_set_d(with, second, kNearest);
  function.exact(y, from, with);
  if (mpfr_nan_p(y) || std::isnan(got)) return mpfr_nan_p(y) && std::isnan(got) ? 0 : kInfinity;
  if (mpfr_zero_p(y) && got == 0) return (mpfr_signbit(y) != 0) == std::signbit(got) ? 0 : kInfinity;
  // Beyond the largest number both are the power of two behind it.
  mpfr_set_ui_2exp(limit, 1, largest, kNearest);
  if (mpfr_cmpabs(y, limit) > 0) mpfr_copysign(y, limit, y, kNearest);
  if (std::isinf(got))
    mpfr_setsign(from, limit, std::signbit(got), kNearest);
  else
    mpfr_set_d(from, got, kNearest);
  long exponent = least;
  if (!mpfr_zero_p(y)) exponent = std::max<long>(exponent, mpfr_get_exp(y) - bits);
  exponent = std::min<long>(exponent, largest - bits);
  mpfr_sub(with, from, y, kNearest);
  mpfr_mul_2si(with, with, -exponent, kNearest);
  return std::fabs(mpfr_get_d(with, kNearest));
}

double rounded(const Function& function, DType dtype, double x, double second) {
  Number y, from, with;
  mpfr_set_d(from, x, kNearest);
  mpfr_set_d(with, second, kNearest);
  function.exact(y, from, with);
  return dtype == DType::kF32 ? static_cast<double>(mpfr_get_flt(y, kNearest)) : mpfr_get_d(y, kNearest);
}

}  // namespace ingot::accuracy
