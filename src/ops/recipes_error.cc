// erfc and the inverse of erf.
//
// Coefficients are Chebyshev fits.
#include <cmath>
#include <limits>

#include "ops/recipes.h"
#include "ops/recipes_internal.h"

namespace ingot::ops {
namespace {

// Of (1 + 2 a) exp(a^2) erfc(a) in (a - 2) / (a + 2), and in (a - 4) / (a + 4).
constexpr double kErfc32[] = {1.27697837,     -0.0927638188,   -0.166030496,   0.164050907,
                              -0.054218363,   -0.00802997686,  0.00871228892,  0.00125105656,
                              -0.00142878096, -0.000401831057, 0.000176483198, 8.3184721e-05};
constexpr double kErfc64[] = {
    1.2329951186255526,     -0.13962111684056253,    0.01537965210261958,     0.06809705425469352,
    -0.10103906603629584,   0.093732834998319636,    -0.06633036581238401,    0.037167515537953291,
    -0.016197734056238172,  0.0050319699739963765,   -0.00075777329625974785, -0.00019925667414366369,
    0.00015062169570559023, -2.439928115695222e-05,  -1.122205541934421e-05,  5.7098679064917742e-06,
    2.9382506618195176e-07, -8.2558044217020066e-07, 7.4624026709969036e-08,  1.1013209627863077e-07,
    -1.790385786531167e-08, -1.4097691451427016e-08, 1.8301027850391846e-09,  1.2516495510350198e-09};
// Of erf_inv(x) / x with w = -log(1 - x^2): in w up to 5, beyond in sqrt(w) - 3.
constexpr double kNear32[] = {0.886226952,     0.232013479,     0.0115509005,  -0.00234002713,
                              -0.000120025703, 3.89816378e-05,  6.5314307e-06, -2.69653356e-06,
                              3.44010147e-07,  -2.04188417e-08, 4.67193229e-10};
constexpr double kFar32[] = {2.83297682,     1.00167501,    0.00944545027,  -0.00763777411,  0.00568534806,
                             -0.00359459501, 0.00148983696, -6.2952633e-05, -0.000313715573, 0.000120385863};
// In w - 3.125 up to 6.25, in sqrt(w) - 3.25 up to 16, beyond in sqrt(w) - 5.
constexpr double kNear64[] = {
    1.6536545626831027,      0.24015818242558834,     -0.0060336708714268513,  -0.00074070253415464314,
    0.00018673420801981186,  -1.3882523393957483e-05, -1.3654691758785656e-06, 4.2347881682224598e-07,
    -2.907039127564132e-08,  -4.1126604371632185e-09, 1.051223377050429e-09,   -5.4143032839195042e-11,
    -1.2978805369932565e-11, 2.6305268312595183e-12,  -8.0719259389900406e-14, -4.0020031087558496e-14,
    6.5213335115022388e-15,  -3.9401881223043202e-17, -1.2215637192404172e-16, 1.5510787009902526e-17,
    6.0750507020724141e-19,  -3.4734793888538036e-19, 1.9992599888615348e-20,  3.194015548136271e-21,
    -3.5932028927020693e-22};
constexpr double kFar64[] = {3.0838856104922208,      1.0052589676941655,      0.0053709145535550326,
                             -0.0037512085082247342,  0.0024914420979569602,   -0.0016882755354488555,
                             0.00095328934157941369,  -0.00035503781378524519, 2.4031512865758357e-05,
                             6.8287117392519552e-05,  -4.7320680665446967e-05, 1.2465028224217455e-05,
                             2.93257845538535e-06,    -3.985705945648173e-06,  1.4815977874022539e-06,
                             -2.7617162238162411e-08, -2.4549818963339823e-07, 1.3158663683192966e-07,
                             -2.091453334773126e-08,  -1.5305397964152548e-08, 7.680200479077053e-09};
constexpr double kFarthest64[] = {
    4.8499064014085844,     1.0103004648645453,      -0.00013871931837892897, -0.00021503011982808927,
    7.599527806304326e-05,  -1.9681770696295069e-05, 4.52605288407062e-06,    -9.9302942499978271e-07,
    2.2905092414135343e-07, -6.7555976733062618e-08, 2.9024253116751683e-08,  -1.5255684421519878e-08,
    7.8117190864780956e-09, -3.4704328496228661e-09, 1.3258001981211816e-09,  -4.3820472272585432e-10,
    6.4231268159991829e-11, 4.3048487408966284e-11,  -1.9180917745427982e-11};

}  // namespace

// At most 5 ulp in single, 6 in double precision. With a = |x|: exp(-a^2) times a quotient that varies
// little; the square in two parts.
Scalar erfc_recipe(ScalarBuilder& b, Scalar x) {
  const DType dtype = x.dtype;
  const bool single = dtype == DType::kF32;
  const auto number = [&](double value) { return b.constant(dtype, value); };
  Scalar a = b.min(b.abs(x), number(single ? 10.15 : 27.3));  // there it is 0
  Scalar square = b.mul(a, a), rest = b.fma(a, a, b.neg(square));
  Scalar bell = exp_of_sum(b, b.neg(square), b.neg(rest));
  const double middle = single ? 2 : 4;
  Scalar t = b.div(b.sub(a, number(middle)), b.add(a, number(middle)));
  Scalar p = single ? polynomial(b, t, kErfc32) : polynomial(b, t, kErfc64);
  Scalar divisor = b.fma(a, number(2), number(1)), inverse = b.div(number(1), divisor);
  Scalar quotient = b.mul(p, inverse);
  // What the quotient lacks.
  quotient = b.fma(b.fma(b.neg(quotient), divisor, p), inverse, quotient);
  Scalar y = b.mul(bell, quotient);
  return b.select(b.compare(Comparison::kLt, x, number(0)), b.sub(number(2), y), y);
}

// At most 2.5 ulp; infinite at 1, NaN beyond.
Scalar erf_inv_recipe(ScalarBuilder& b, Scalar x) {
  const DType dtype = x.dtype;
  const bool single = dtype == DType::kF32;
  const auto number = [&](double value) { return b.constant(dtype, value); };
  Scalar a = b.abs(x), one = number(1), infinity = number(std::numeric_limits<double>::infinity());
  Scalar w = b.neg(log_recipe(b, b.mul(b.sub(one, a), b.add(one, a))));
  Scalar root = b.sqrt(w), p;
  if (single) {
    Scalar near = chained_polynomial(b, w, kNear32);
    p = b.select(b.compare(Comparison::kLt, w, number(5)), near,
                 chained_polynomial(b, b.sub(root, number(3)), kFar32));
  } else {
    Scalar near = chained_polynomial(b, b.sub(w, number(3.125)), kNear64);
    Scalar far = chained_polynomial(b, b.sub(root, number(3.25)), kFar64);
    Scalar farthest = chained_polynomial(b, b.sub(root, number(5)), kFarthest64);
    p = b.select(b.compare(Comparison::kLt, w, number(16)), far, farthest);
    p = b.select(b.compare(Comparison::kLt, w, number(6.25)), near, p);
  }
  Scalar y = b.mul(x, p);
  return b.select(b.compare(Comparison::kEq, a, one), b.copy_sign(infinity, x), y);
}

}  // namespace ingot::ops
