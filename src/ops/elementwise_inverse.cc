// The inverse and the hyperbolic functions, and those to base 2 and 3.
#include <limits>
#include <numbers>

#include "ops/derivatives.h"
#include "ops/elementwise.h"
#include "ops/recipes.h"
#include "ops/reference.h"
#include "ops/registry.h"

namespace ingot::ops {
namespace {

template <auto kFn>
constexpr ir::ReferenceFn rounded_once = unary_reference<kInexact, Rounded<kFn>{}>;

// What the library has of real numbers alone.
template <class T>
T power_of_two(T x) {
  if constexpr (std::is_floating_point_v<T>)
    return std::exp2(x);
  else
    return std::exp(x * std::numbers::ln2_v<typename T::value_type>);
}
template <class T>
T binary_logarithm(T x) {
  if constexpr (std::is_floating_point_v<T>)
    return std::log2(x);
  else
    return std::log(x) / std::numbers::ln2_v<typename T::value_type>;
}
template <class T>
T cube_root(T x) {
  if constexpr (std::is_floating_point_v<T>)
    return std::cbrt(x);
  else
    return x == T() ? x : std::exp(std::log(x) / typename T::value_type(3));
}

// By their formulas, as sine and cosine: an infinite imaginary part has no
// sine.
template <class T>
T hyperbolic_sine(T x) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::sinh(x);
  } else {
    const auto im = x.imag() == 0 ? x.imag() : std::sin(x.imag()) * std::cosh(x.real());
    return {std::cos(x.imag()) * std::sinh(x.real()), im};
  }
}
template <class T>
T hyperbolic_cosine(T x) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::cosh(x);
  } else {
    const auto im = x.imag() == 0 ? (std::signbit(x.real()) ? -x.imag() : x.imag())
                                  : std::sin(x.imag()) * std::sinh(x.real());
    return {std::cos(x.imag()) * std::cosh(x.real()), im};
  }
}
template <class T>
T tangent(T x) {
  if constexpr (!std::is_floating_point_v<T>) {
    constexpr auto kNone = std::numeric_limits<typename T::value_type>::quiet_NaN();
    if (!std::isfinite(x.real()) && !std::isinf(x.imag())) return {kNone, kNone};
  }
  return std::tan(x);
}
// A part that is NaN leaves nothing, but where the other one is infinite.
template <auto kFn>
constexpr auto inverse = []<class T>(T x) -> T {
  if constexpr (!std::is_floating_point_v<T>) {
    const bool endless = std::isinf(x.real()) || std::isinf(x.imag());
    constexpr auto kNone = std::numeric_limits<typename T::value_type>::quiet_NaN();
    if (!endless && (std::isnan(x.real()) || std::isnan(x.imag()))) return {kNone, kNone};
  }
  return kFn(x);
};

constinit const OpRecord tan = function_of_one<kInexact>(
    "tan", "The tangent of x in radians.", emit_recipe<tan_recipe>, 52,
    rounded_once<[](auto x) { return tangent(x); }>, ir::Terms{tan_term}, "stablehlo.tan");

constinit const OpRecord asin = function_of_one<kInexact>(
    "asin", "The angle whose sine is x, from -pi/2 to pi/2; NaN beyond 1.", emit_recipe<asin_recipe>, 44,
    rounded_once<inverse<[](auto x) { return std::asin(x); }>>, ir::Terms{asin_term}, "chlo.asin");

constinit const OpRecord acos = function_of_one<kInexact>(
    "acos", "The angle whose cosine is x, from 0 to pi; NaN beyond 1.", emit_recipe<acos_recipe>, 45,
    rounded_once<inverse<[](auto x) { return std::acos(x); }>>, ir::Terms{acos_term}, "chlo.acos");

constinit const OpRecord atan = function_of_one<kInexact>(
    "atan", "The angle whose tangent is x, from -pi/2 to pi/2.", emit_recipe<atan_recipe>, 31,
    rounded_once<inverse<[](auto x) { return std::atan(x); }>>, ir::Terms{atan_term}, "chlo.atan");

constinit const OpRecord sinh = function_of_one<kInexact>(
    "sinh", "The hyperbolic sine.", emit_recipe<sinh_recipe>, 36,
    rounded_once<[](auto x) { return hyperbolic_sine(x); }>, ir::Terms{sinh_term}, "chlo.sinh");

constinit const OpRecord cosh = function_of_one<kInexact>(
    "cosh", "The hyperbolic cosine.", emit_recipe<cosh_recipe>, 31,
    rounded_once<[](auto x) { return hyperbolic_cosine(x); }>, ir::Terms{cosh_term}, "chlo.cosh");

constinit const OpRecord asinh = function_of_one<kInexact>(
    "asinh", "The inverse of sinh.", emit_recipe<asinh_recipe>, 80,
    rounded_once<inverse<[](auto x) { return std::asinh(x); }>>, ir::Terms{asinh_term}, "chlo.asinh");

constinit const OpRecord acosh = function_of_one<kInexact>(
    "acosh", "The inverse of cosh, not negative; NaN below 1.", emit_recipe<acosh_recipe>, 82,
    rounded_once<inverse<[](auto x) { return std::acosh(x); }>>, ir::Terms{acosh_term}, "chlo.acosh");

constinit const OpRecord atanh = function_of_one<kInexact>(
    "atanh", "The inverse of tanh; infinite at 1, NaN beyond.", emit_recipe<atanh_recipe>, 65,
    rounded_once<inverse<[](auto x) { return std::atanh(x); }>>, ir::Terms{atanh_term}, "chlo.atanh");

constinit const OpRecord exp2 =
    function_of_one<kInexact>("exp2", "2 to the power of x.", emit_recipe<exp2_recipe>, 23,
                              rounded_once<[](auto x) { return power_of_two(x); }>, ir::Terms{exp2_term}, "");

constinit const OpRecord log2 = function_of_one<kInexact>(
    "log2", "The logarithm to base 2, exact for powers of 2; -inf at zero, NaN below.",
    emit_recipe<log2_recipe>, 33, rounded_once<[](auto x) { return binary_logarithm(x); }>,
    ir::Terms{log2_term}, "");

constinit const OpRecord cbrt =
    function_of_one<kInexact>("cbrt",
                              "The cube root, of negative numbers too; of "
                              "complex ones that with a third of the angle.",
                              emit_recipe<cbrt_recipe>, 61, rounded_once<[](auto x) { return cube_root(x); }>,
                              ir::Terms{cbrt_term}, "stablehlo.cbrt");

constexpr const OpRecord* kInverseRecords[] = {&tan,   &asin,  &acos,  &atan, &sinh, &cosh,
                                               &asinh, &acosh, &atanh, &exp2, &log2, &cbrt};

}  // namespace

Records inverse_records() {
  return kInverseRecords;
}

}  // namespace ingot::ops
