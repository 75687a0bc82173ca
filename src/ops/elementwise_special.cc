// Special functions: those of the normal distribution, of gamma and of Bessel.
#include "ops/derivatives.h"
#include "ops/elementwise.h"
#include "ops/recipes.h"
#include "ops/reference.h"
#include "ops/registry.h"
#include "ops/special_reference.h"

namespace ingot::ops {
namespace {

using ir::ScalarRecipe;

// By way of long double for every dtype.
template <long double (*kFn)(long double)>
constexpr ir::ReferenceFn by_long_double =
    unary_reference<kFloats, [](auto x) { return static_cast<decltype(x)>(kFn(x)); }>;
template <long double (*kFn)(long double, long double)>
constexpr ir::ReferenceFn by_long_double2 =
    binary_reference<kFloats, [](auto x, auto y) { return static_cast<decltype(x)>(kFn(x, y)); }>;

long double erfc_of(long double x) {
  return std::erfc(x);
}
long double lgamma_of(long double x) {
  return std::isinf(x) ? std::fabs(x) : std::lgamma(x);
}

constinit const OpRecord erfc = function_of_one<kFloats>(
    "erfc", "1 - erf(x), accurate where it is small. Results below the smallest normal number are zero.",
    emit_recipe<erfc_recipe>, 63, by_long_double<erfc_of>, ir::Terms{erfc_term}, "chlo.erfc");

constinit const OpRecord erf_inv = function_of_one<kFloats>(
    "erf_inv", "The inverse of erf; infinite at 1, NaN beyond.", emit_recipe<erf_inv_recipe>, 71,
    by_long_double<erf_inv_of>, ir::Terms{erf_inv_term}, "chlo.erf_inv");

constinit const OpRecord lgamma = function_of_one<kFloats>(
    "lgamma", "The logarithm of the magnitude of the gamma function; infinite at its poles.",
    emit_recipe<lgamma_recipe>, 192, by_long_double<lgamma_of>, ir::Terms{lgamma_term}, "chlo.lgamma");

constinit const OpRecord digamma = function_of_one<kFloats>(
    "digamma", "The derivative of lgamma; NaN at the poles.", emit_recipe<digamma_recipe>, 198,
    by_long_double<digamma_of>, ir::Terms{digamma_term}, "chlo.digamma");

constinit const OpRecord bessel_i0e = function_of_one<kFloats>(
    "bessel_i0e", "The modified Bessel function of the first kind and order 0, times exp(-|x|).",
    emit_recipe<bessel_i0e_recipe>, 46, by_long_double<bessel_i0e_of>, ir::Terms{bessel_i0e_term}, "");

constinit const OpRecord bessel_i1e = function_of_one<kFloats>(
    "bessel_i1e", "The modified Bessel function of the first kind and order 1, times exp(-|x|).",
    emit_recipe<bessel_i1e_recipe>, 49, by_long_double<bessel_i1e_of>, ir::Terms{bessel_i1e_term},
    "chlo.bessel_i1e");

constinit const OpRecord zeta{
    .name = "zeta",
    .doc =
        "(s, q): the zeta function of Hurwitz, the sum of (q + k)^-s over k from 0 on, for s > 1 and q > 0. "
        "Poles are infinite where s is even, NaN where it is not.",
    .operands = kBinary,
    .regions = 0,
    .attributes = ir::kNoAttributes,
    .infer = infer_binary<kFloats>,
    .batch = batch_elementwise,
    .becomes = ScalarRecipe{.emit = emit_recipe2<zeta_recipe>, .cost = 1383, .identity = nullptr},
    .reference = by_long_double2<zeta_of>,
    .identities = nullptr,
    .jvp = ir::Terms{zeta_term},
    .transpose = ir::NotLinear{},
    .stablehlo = "chlo.zeta",
};

constinit const OpRecord polygamma{
    .name = "polygamma",
    .doc =
        "(n, x): the n-th derivative of digamma, for whole n from 0 on, NaN for others; of n > 0 for x > 0.",
    .operands = kBinary,
    .regions = 0,
    .attributes = ir::kNoAttributes,
    .infer = infer_binary<kFloats>,
    .batch = batch_elementwise,
    .becomes = ScalarRecipe{.emit = emit_recipe2<polygamma_recipe>, .cost = 1738, .identity = nullptr},
    .reference = by_long_double2<polygamma_of>,
    .identities = nullptr,
    .jvp = ir::Terms{polygamma_term},
    .transpose = ir::NotLinear{},
    .stablehlo = "chlo.polygamma",
};

constexpr const OpRecord* kSpecialRecords[] = {&erfc,       &erf_inv,    &lgamma, &digamma,
                                               &bessel_i0e, &bessel_i1e, &zeta,   &polygamma};

}  // namespace

Records special_records() {
  return kSpecialRecords;
}

}  // namespace ingot::ops
