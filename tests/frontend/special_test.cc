// Special functions and functions of two numbers that are compositions: values at their ends and on integers.
// Accuracy is tested with the recipes, derivatives with those of JAX (kinks_golden_test.cc).
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include "frontend/testing.h"

namespace ingot {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

template <class T>
void expect_values(const Array& actual, const std::vector<T>& expected) {
  const std::vector<T> values = actual.to_vector<T>();
  ASSERT_EQ(values.size(), expected.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const bool nan = expected[i] != expected[i];
    // Zeros of two signs are two values.
    const bool same = values[i] == expected[i] && std::signbit(static_cast<double>(values[i])) ==
                                                      std::signbit(static_cast<double>(expected[i]));
    EXPECT_TRUE(nan ? values[i] != values[i] : same) << i << ": " << +values[i] << " for " << +expected[i];
  }
}

Array f32(const std::vector<float>& values) {
  return Array::from(values);
}

TEST(SpecialTest, FloorDivisionAndModuloRoundDown) {
  const Array x = Array::from<int>({7, -7, 7, -7, 6, -6, 0}), y = Array::from<int>({2, 2, -2, -2, 3, 3, -5});
  expect_values<int>(floor_divide(x, y), {3, -4, -4, 3, 2, -2, 0});
  expect_values<int>(mod(x, y), {1, 1, -1, -1, 0, 0, 0});
  expect_values<int>(mod(x, 0), {0, 0, 0, 0, 0, 0, 0});
  expect_values<uint8_t>(floor_divide(Array::from<uint8_t>({250, 7}), Array::from<uint8_t>({7, 250})),
                         {35, 0});
  expect_values<uint8_t>(mod(Array::from<uint8_t>({250, 7}), Array::from<uint8_t>({7, 250})), {5, 7});
  expect_values<float>(floor_divide(f32({7, -7, 7.5f, -0.5f, 1}), f32({2, 2, -2, 2, 0})),
                       {3, -4, -4, -1, kInf});
  expect_values<float>(mod(f32({7, -7, 7.5f, -0.5f, 5}), f32({2, 2, -2, 2, kInf})), {1, 1, -0.5f, 1.5f, 5});
}

TEST(SpecialTest, NextAfterStepsByOneNumber) {
  using Limits = std::numeric_limits<float>;
  expect_values<float>(nextafter(f32({0, -0.0f, 1, 1, -1, Limits::max(), kInf, 1, kNan}),
                                 f32({1, -1, 2, 0, 0, kInf, 0, 1, 1})),
                       {Limits::denorm_min(), -Limits::denorm_min(), std::nextafterf(1, 2),
                        std::nextafterf(1, 0), std::nextafterf(-1, 0), kInf, Limits::max(), 1, kNan});
  const Array half = f32({1, 0}).astype(DType::kF16), up = f32({2, 2}).astype(DType::kF16);
  expect_values<float>(nextafter(half, up).astype(DType::kF32), {1 + 0x1p-10f, 0x1p-24f});
  EXPECT_THROW(nextafter(Array::from<int>({1}), Array::from<int>({2})), Error);
}

TEST(SpecialTest, BitsOfIntegersAreCounted) {
  expect_values<int8_t>(population_count(Array::from<int8_t>({0, 1, -1, 127, -128})), {0, 1, 8, 7, 1});
  expect_values<int8_t>(clz(Array::from<int8_t>({0, 1, -1, 127, -128})), {8, 7, 0, 1, 0});
  expect_values<uint64_t>(population_count(Array::from<uint64_t>({~uint64_t{0}, uint64_t{1} << 63})),
                          {64, 1});
  expect_values<uint64_t>(clz(Array::from<uint64_t>({0, 1, ~uint64_t{0}})), {64, 63, 0});
  expect_values<float>(round_away(f32({0.5f, -0.5f, 2.5f, -2.5f, 0x1.fffffep-2f, 8388609, kInf})),
                       {1, -1, 3, -3, 0, 8388609, kInf});
}

TEST(SpecialTest, EndsOfCompositions) {
  expect_values<float>(xlogy(f32({0, 0, 0, 2}), f32({0, -1, kNan, 0})), {0, 0, kNan, -kInf});
  expect_values<float>(xlog1py(f32({0, 0, 2}), f32({-1, kNan, -1})), {0, kNan, -kInf});
  expect_values<float>(logaddexp(f32({-kInf, kInf, -kInf, 1000, kNan}), f32({-kInf, kInf, 3, 0, 1})),
                       {-kInf, kInf, 3, 1000, kNan});
  expect_values<float>(softplus(f32({-kInf, kInf, 1000, kNan})), {0, kInf, 1000, kNan});
  expect_values<float>(logit(f32({0, 1, 0.5f, -1, 2})), {-kInf, kInf, 0, kNan, kNan});
  expect_values<float>(hypot(f32({3e38f, 0, -3, kInf, 1e-40f}), f32({0, 0, 4, kNan, 0})),
                       {3e38f, 0, 5, kInf, 1e-40f});
  // Equal infinities share.
  for (const float both : {-kInf, kInf}) {
    const auto [dx, dy] =
        grad<0, 1>([](Array x, Array y) { return logaddexp(x, y); })(Array(both), Array(both));
    EXPECT_EQ(dx.item<float>(), 0.5f);
    EXPECT_EQ(dy.item<float>(), 0.5f);
  }
  // Where the inverse of the larger one is no number of the type.
  const auto slope = [](Array x) {
    return jvp([](Array u) { return hypot(u, u * 0.75f); }, x, Array::ones(x.shape(), x.dtype())).second;
  };
  const Array tiny = f32({4e-40f, 1e-38f, 4e-30f, 3, 1e30f});
  for (const Array& x : {tiny, tiny.astype(DType::kBF16), tiny.astype(DType::kF64) * 1e-275}) {
    for (const float value : slope(x).astype(DType::kF32).to_vector<float>()) EXPECT_NEAR(value, 1.25, 1e-2);
  }
  EXPECT_EQ(slope(f32({6e-8f, 1, 1000}).astype(DType::kF16)).astype(DType::kF32).to_vector<float>()[2],
            1.25f);
  // y^2 / size^3 also at a tie, where JAX has 0; half of each at zero, as JAX has it; no direction to
  // infinity.
  const auto along_x = [](Array x) { return hypot(x, Array(-2.0f)); };
  EXPECT_FLOAT_EQ(grad(grad(along_x))(Array(2.0f)).item<float>(), 0.1767767f);
  expect_values<float>(slope(f32({0, kInf, kNan})), {0.875f, kNan, kNan});
  EXPECT_THROW(hypot(f32({1}).astype(DType::kC64), f32({1}).astype(DType::kC64)), Error);
  EXPECT_FALSE(std::signbit(xlogy(Array(0.0), 0.5).item<double>()));
  EXPECT_FALSE(std::signbit(xlog1py(Array(0.0), -0.5).item<double>()));
  EXPECT_EQ(hypot(Array::from<int>({3}), Array::from<int>({4})).item<float>(), 5);
  EXPECT_EQ(hypot(f32({3, 3}), 4).to_vector<float>(), (std::vector<float>{5, 5}));
}

// By the exact series of sinc and of its derivatives; at whole numbers they are 0, 1 / x and -2 / x^2 but for
// signs.
TEST(SpecialTest, SincHasItsDerivativesEverywhere) {
  struct Case {
    double x, value, first, second;
  };
  const std::vector<Case> cases = {
      {0, 1, 0, -3.2898681336964528},
      {0.00006103515625, 0.9999999938721431, -0.00020079761484378345, -3.2898680974087386},
      {0.125, 0.9744953584044327, -0.4049266071451671, -3.1390579638268665},
      {0.4375, 0.7135854879448903, -1.1851318078371704, -1.625061065118751},
      {0.5, 0.6366197723675814, -1.2732395447351628, -1.1902271282389358},
      {0.75, 0.30010543871903533, -1.3429496265407772, 0.619277045336495},
      {1, 0, -1, 2},
      {3.25, -0.06925510124285432, -0.19626205536729022, 0.8042971014811581},
      {100.75, 0.0022340355239630423, -0.007040603639806556, -0.02190928299552923},
      {0x1p70, 0, 0x1p-70, -0x1p-139}};
  const auto sum_of = [](Array x) { return sum(sinc(x)); };
  const auto first = grad(sum_of);
  const auto second = grad([&](Array x) { return sum(first(x)); });
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    const double unit = dtype == DType::kF64 ? 0x1p-52 : 0x1p-23;
    std::vector<double> points;
    for (const Case& one : cases) points.push_back(one.x);
    for (const double side : {1.0, -1.0}) {
      const Array x = (Array::from(points) * side).astype(dtype);
      const auto wide = [](const Array& a) { return a.astype(DType::kF64).to_vector<double>(); };
      const std::vector<double> values = wide(sinc(x)), slopes = wide(first(x)), bends = wide(second(x));
      for (size_t i = 0; i < cases.size(); ++i) {
        const auto& [at, value, slope, bend] = cases[i];
        EXPECT_NEAR(values[i], value, 4 * unit * std::fabs(value)) << at;
        EXPECT_NEAR(slopes[i], side * slope, 8 * unit * std::fabs(slope)) << at;
        EXPECT_NEAR(bends[i], bend, 16 * unit * std::fabs(bend)) << at;
      }
    }
  }
  // Beyond where squares and pi x are numbers, and below where they are normal.
  EXPECT_EQ(grad(sum_of)(f32({1e19f, -3e38f})).to_vector<float>(),
            (std::vector<float>{1 / 1e19f, -1 / 3e38f}));
  expect_values<float>(sinc(f32({3e38f, 1e-45f, kNan})), {0, 1, kNan});
  EXPECT_EQ(first(f32({1e-45f})).to_vector<float>(), std::vector<float>{-4.2e-45f});
  EXPECT_EQ(first(Array::from<double>({1e160, 5e-324})).to_vector<double>(),
            (std::vector<double>{1e-160, -1.5e-323}));
  // Of complex numbers by the same rule.
  using C = std::complex<double>;
  const C z(0.3, 0.2), angle = std::numbers::pi * z;
  const C slope = (std::cos(angle) - std::sin(angle) / angle) / z;
  EXPECT_LE(std::abs(sinc(Array(z)).item<C>() - std::sin(angle) / angle), 1e-15);
  EXPECT_LE(std::abs(grad([](Array u) { return sinc(u); }, kHolomorphic)(Array(z)).item<C>() - slope), 1e-14);
}

TEST(SpecialTest, IncompleteGammaFarAway) {
  expect_values<float>(gammainc(f32({2, 1, 100}), f32({1e18f, 1e20f, 3e38f})), {1, 1, 1});
  expect_values<float>(gammaincc(f32({1, 0.5f, 3, 100}), 1e20f), {0, 0, 0, 0});
  const Array two = Array::from<double>({2}), far = Array::from<double>({1e300});
  expect_values<double>(gammainc(two, far), {1});
  expect_values<double>(gammaincc(two, far), {0});
  const auto slope = grad([](Array a, Array x) { return sum(gammainc(a, x)); });
  const auto bend = grad([&](Array a, Array x) { return sum(slope(a, x)); });
  EXPECT_EQ(slope(f32({2, 5}), f32({1e18f, 3e38f})).to_vector<float>(), (std::vector<float>{0, 0}));
  EXPECT_EQ(bend(f32({2, 5}), f32({1e18f, 3e38f})).to_vector<float>(), (std::vector<float>{0, 0}));
  EXPECT_EQ(slope(two, far).to_vector<double>(), std::vector<double>{0});
  EXPECT_EQ(grad<1>([](Array a, Array x) { return sum(gammainc(a, x)); })(two, far).to_vector<double>(),
            std::vector<double>{0});
  // Where all lies at 0, or far beyond x; results are never out of [0, 1].
  expect_values<float>(gammaincc(f32({1e-30f, 1e-45f}), 0.5f), {0, 0});
  expect_values<float>(gammainc(f32({1e-45f, 1e30f, kInf}), 3), {1, 0, 0});
  for (float a = 1e-6f; a < 1e6f; a *= 3.7f) {
    std::vector<float> x;
    for (float factor = 0.1f; factor < 10; factor *= 1.03f) x.push_back(a * factor);
    for (const Array& part : {gammainc(a, f32(x)), gammaincc(a, f32(x))})
      for (const float p : part.to_vector<float>()) EXPECT_TRUE(p >= 0 && p <= 1) << a << ": " << p;
  }
}

// gamma(a) gamma(b) / gamma(a + b) with one below 0.
TEST(SpecialTest, BetaOfANegativeNumberBesideALargeOne) {
  const std::vector<double> a = {-0.5, -0.5, -3.5, -20.5, 2, -0.5};
  const std::vector<double> b = {1e8, 9, 40, 50, 1e8, 1e30};
  const std::vector<double> want = {10.47585249171083, 2.320847768928898,  11.398290613350655,
                                    32.28946705069550, -36.84136149790473, 35.80428851839533};
  const std::vector<double> got = betaln(Array::from(a), Array::from(b)).to_vector<double>();
  const std::vector<float> narrow =
      betaln(Array::from(a).astype(DType::kF32), Array::from(b).astype(DType::kF32)).to_vector<float>();
  for (size_t i = 0; i < want.size(); ++i) {
    EXPECT_NEAR(got[i], want[i], 4e-15 * std::fabs(want[i])) << a[i] << ", " << b[i];
    EXPECT_NEAR(narrow[i], want[i], 2e-6 * std::fabs(want[i])) << a[i] << ", " << b[i];
  }
  const auto slope = grad([](Array x) { return betaln(x, 1e8f); })(Array(-0.5f)).item<float>();
  EXPECT_NEAR(slope, 0.03648997397857652 - 18.420680738952366, 1e-5);  // digamma(a) - digamma(a + b)
}

// Above 0 it is the logarithm of what is next to 1.
TEST(SpecialTest, LogarithmOfTheNormalDistribution) {
  const std::vector<double> x = {3, 5.5, 0.25, 8, -1},
                            want = {-0.0013508099647481938, -1.8989562646189464e-08, -0.5129840754094305,
                                    -6.220960574271786e-16, -1.8410216450092636};
  const std::vector<double> wide = log_ndtr(Array::from(x)).to_vector<double>();
  const std::vector<float> narrow = log_ndtr(Array::from(x).astype(DType::kF32)).to_vector<float>();
  for (size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(wide[i], want[i], 1e-14 * std::fabs(want[i])) << x[i];
    EXPECT_NEAR(narrow[i], want[i], 2e-6 * std::fabs(want[i])) << x[i];
  }
}

// Exactly 0 where both are equal, and no difference of two infinities where both are large.
TEST(SpecialTest, RelativeEntropyOfEqualNumbersIsZero) {
  std::vector<float> values;
  for (float p = 1e-30f; p < 3e38f; p *= 1.37f) values.push_back(p);
  const std::vector<float> zeros(values.size(), 0);
  const Array p = f32(values);
  expect_values<float>(rel_entr(p, p), zeros);
  expect_values<float>(kl_div(p, p), zeros);
  const Array a = f32({3.4e38f, 3.4e38f, 0, 0, 1, -1, 1e-30f}), b = f32({3, 3.4e38f, 0, 2, 0, 1, 1e-30f});
  expect_values<float>(rel_entr(a, b), {kInf, 0, 0, 0, kInf, kInf, 0});
  expect_values<float>(kl_div(a, b), {kInf, 0, 0, 2, kInf, kInf, 0});
  const auto slopes = grad<0, 1>([](Array u, Array v) { return sum(rel_entr(u, v)); })(a, b);
  expect_values<float>(std::get<0>(slopes), {std::log(3.4e38f) - std::log(3.0f) + 1, 1, 0, 0, 0, 0, 1});
  expect_values<float>(std::get<1>(slopes), {-3.4e38f / 3, -1, 0, 0, 0, 0, -1});
  const auto bends = jvp([](Array u) { return grad([](Array v) { return rel_entr(v, 2.0f); })(u); },
                         Array(4.0f), Array(1.0f));
  EXPECT_EQ(bends.second.item<float>(), 0.25f);
}

TEST(SpecialTest, SlopesOfInfiniteBesselFunctionsAreInfinite) {
  const auto zero = [](Array x) { return sum(i0(x)); };
  const auto one = [](Array x) { return sum(i1(x)); };
  const Array far = f32({92, 1e10f, 3e38f, -92, -1e10f});
  expect_values<float>(grad(zero)(far), {kInf, kInf, kInf, -kInf, -kInf});
  expect_values<float>(grad(one)(far), {kInf, kInf, kInf, kInf, kInf});
  expect_values<float>(grad([&](Array x) { return sum(grad(zero)(x)); })(far),
                       {kInf, kInf, kInf, kInf, kInf});
  const Array wide = Array::from<double>({720, -1e300});
  expect_values<double>(grad(zero)(wide), {kInf, -kInf});
  expect_values<double>(grad(one)(wide), {kInf, kInf});
  expect_values<float>(grad(zero)(f32({0, -0.0f})), {0, -0.0f});
  expect_values<float>(grad(one)(f32({0, -0.0f})), {0.5f, 0.5f});
}

// lgamma(b) and lgamma(a + b) are as good as equal for a large b, and log(a) cancels for a small a.
TEST(SpecialTest, IncompleteBetaWithALargeArgument) {
  expect_values<float>(betainc(1e-10f, f32({100100, 1e30f}), 1e-30f), {1, 1});
  EXPECT_NEAR(betainc(1e-10, Array(100100.0), 1e-30).item<double>(), 0.9999999943013583, 1e-15);  // SciPy's
  std::vector<float> a, b, x;
  for (float u = 1e-12f; u < 1e6f; u *= 37)
    for (float v = 1e-12f; v < 1e6f; v *= 41)
      for (const float w : {1e-30f, 1e-6f, 0.1f, 0.5f, 0.9f, 0.999999f}) {
        a.push_back(u);
        b.push_back(v);
        x.push_back(w);
      }
  const auto wide = [](const std::vector<float>& values) { return f32(values).astype(DType::kF64); };
  const std::vector<float> narrow = betainc(f32(a), f32(b), f32(x)).to_vector<float>();
  const std::vector<double> exact = betainc(wide(a), wide(b), wide(x)).to_vector<double>();
  for (size_t i = 0; i < narrow.size(); ++i) {
    EXPECT_TRUE(narrow[i] >= 0 && narrow[i] <= 1) << a[i] << " " << b[i] << " " << x[i] << " " << narrow[i];
    // The exponents are as large as a log(x) and b log(1 - x), and so is what rounding makes of them.
    const double most = std::fabs(std::log(x[i])) * a[i] + std::fabs(std::log1p(-x[i])) * b[i];
    EXPECT_NEAR(narrow[i], exact[i], 1e-5 + 1e-6 * most) << a[i] << " " << b[i] << " " << x[i];
  }
}

// What jnp.power gives.
TEST(SpecialTest, PowersOfPredsAreIntegers) {
  const Array p = Array::from<bool>({true, false}), s = Array::from<int>({2, 3});
  expect_values<int>(pow(p, 2), {1, 0});
  expect_values<int>(pow(p, 0), {1, 1});
  expect_values<int>(pow(2, p), {2, 1});
  expect_values<int>(pow(p, p), {1, 1});
  expect_values<int>(pow(p, true), {1, 0});
  expect_values<int>(pow(p, s), {1, 0});
  expect_values<int>(pow(s, p), {2, 1});
  expect_values<uint8_t>(pow(p, s.astype(DType::kU8)), {1, 0});
  expect_values<uint8_t>(pow(s.astype(DType::kU8), p), {2, 1});
  expect_values<float>(pow(p, 2.0), {1, 0});
  expect_values<float>(pow(2.5, p), {2.5f, 1});
  expect_values<float>(pow(p, f32({2.5f, 2})), {1, 0});
  EXPECT_EQ(pow(p, s.astype(DType::kBF16)).dtype(), DType::kBF16);
  EXPECT_EQ(jit([](Array x) { return pow(x, 2); })(p).to_vector<int>(), (std::vector<int>{1, 0}));
}

TEST(SpecialTest, RoundToAnyNumberOfDigits) {
  const Array x = f32({1.5f, -2.25f, kInf, kNan, 1e-45f, 3e38f});
  expect_values<float>(round(x, 400), {1.5f, -2.25f, kInf, kNan, 1e-45f, 3e38f});
  expect_values<float>(round(x, -400), {0, -0.0f, kInf, kNan, 0, 0});
  expect_values<float>(round(f32({1.5f, 1e30f, 155, -0.001f}), 10), {1.5f, 1e30f, 155, -0.001f});
  expect_values<float>(round(f32({150, 250, -3, 1e30f}), -2), {200, 200, -0.0f, 1e30f});
  expect_values<float>(round(f32({1.6e-44f, 1.26e-40f}), 43), {0, 1.26e-40f});
  expect_values<float>(round(f32({3e38f, 1e37f}), -38), {3e38f, 0});
  expect_values<double>(round(Array::from<double>({1.5, 1e-310, 1e308}), 400), {1.5, 1e-310, 1e308});
  expect_values<double>(round(Array::from<double>({1.5, -1.5, 1e308}), -400), {0, -0.0, 0});
  expect_values<int64_t>(round(Array::from<int64_t>({INT64_MAX, -5}), -400), {0, 0});
  expect_values<int>(round(Array::from<int>({155, -155, 250}), -2), {200, -200, 200});
  const auto z = round(Array(std::complex<float>(1.238f, 2.341f)), 2).item<std::complex<float>>();
  EXPECT_EQ(z, std::complex<float>(1.24f, 2.34f));
  const auto slope = grad([](Array u) { return sum(round(u, 2)); });
  EXPECT_EQ(slope(f32({1.234f, 1e30f})).to_vector<float>(), (std::vector<float>{0, 0}));
}

TEST(SpecialTest, PrecisionIsReduced) {
  const float tiny = std::ldexp(1.0f, -15);
  expect_values<float>(reduce_precision(f32({2 * tiny, -1.9999f * tiny}), 5, 10), {2 * tiny, -2 * tiny});
  const Array x = f32({1 + 0x1p-8f, 1 + 0x3p-8f, -1e-41f, 65519, 65520, tiny, kInf, kNan});
  expect_values<float>(reduce_precision(x, 8, 7), {1, 1 + 0x1p-6f, -0.0f, 65536, 65536, tiny, kInf, kNan});
  expect_values<float>(reduce_precision(x, 5, 10),
                       {1 + 0x1p-8f, 1 + 0x3p-8f, -0.0f, 65504, kInf, 0, kInf, kNan});
  expect_values<float>(reduce_precision(f32({3, 0.75f, 1.5f}), 1, 0), {kInf, 0, kInf});
  const Array all = sin(testing::counting({1000})) * 1e3f;
  EXPECT_EQ(reduce_precision(all, 8, 7).to_vector<float>(),
            all.astype(DType::kBF16).astype(DType::kF32).to_vector<float>());
  // The derivative is rounded, too.
  const auto f = [](Array v) { return sum(reduce_precision(v, 8, 3) * f32({1, 1.03f, 100, 17})); };
  expect_values<float>(grad(f)(f32({1, 2, 3, 4})), {1, 1, 96, 16});
  expect_values<float>(
      jvp([](Array v) { return reduce_precision(v, 8, 1); }, f32({1.2f}), f32({1.3f})).second, {1.5f});
  const Array half = f32({1 + 0x1p-8f, 300}).astype(DType::kF16);
  expect_values<float>(reduce_precision(half, 4, 3).astype(DType::kF32), {1, kInf});
  EXPECT_THROW(reduce_precision(x, 0, 3), Error);
  EXPECT_THROW(reduce_precision(x, 8, -1), Error);
  EXPECT_THROW(reduce_precision(Array::from<int>({1}), 8, 3), Error);
}

// The value that comes with a derivative has the function's derivatives, not those of its formula.
TEST(SpecialTest, ValuesBesideDerivativesAreDifferentiatedByTheRule) {
  using Binary = Array (*)(const Operand&, const Operand&);
  for (const Binary f : {Binary(xlogy), Binary(xlog1py), Binary(hypot)}) {
    const auto value = [f](Array x, Array y) { return f(x, y); };
    const auto beside = [&](Array x, Array y) {
      const auto [result, slope] = value_and_grad<1>(value)(x, y);
      return result + 0 * where(slope == slope, 0.0, 1.0);
    };
    for (const double x : {0.0, 2.0, -3.0, 1e-310}) {
      for (const double y : {-3.7, -1.0, 0.0, 0.5, 1e-310, std::numeric_limits<double>::infinity()}) {
        const double plain = grad<0>(value)(Array(x), Array(y)).item<double>(),
                     by_rule = grad<0>(beside)(Array(x), Array(y)).item<double>();
        EXPECT_TRUE(plain == by_rule || (std::isnan(plain) && std::isnan(by_rule)))
            << x << " " << y << ": " << plain << " " << by_rule;
      }
    }
  }
}

// One kernel when called outside of a program, and no more inside.
TEST(SpecialTest, CompositionsAreOneKernel) {
  const auto f =
      jit([](Array x, Array y) { return logaddexp(hypot(x, y), xlogy(x, y)) + erfc(x) * cbrt(y); });
  const Array x = testing::counting({64}, 1.0f);
  EXPECT_EQ(f.lower(x, x).compile().launches(), 1);
}

// In s, and once more: of zeta(s, 1) at 2 the known -0.93754825431584375 and 1.98928023429890102.
TEST(SpecialTest, ZetaHasDerivativesInBothOperands) {
  const auto slope = grad([](Array s) { return sum(zeta(s, ones({1}, DType::kF64))); });
  const Array two = Array::from(std::vector<double>{2.0});
  EXPECT_NEAR(slope(two).to_vector<double>()[0], -0.93754825431584375, 2e-15);
  const Array bend = grad([&](Array s) { return sum(slope(s)); })(two);
  EXPECT_NEAR(bend.to_vector<double>()[0], 1.98928023429890102, 4e-15);
  const Array narrow = grad([](Array s) { return sum(zeta(s, ones({1}))); })(f32({2.0f}));
  EXPECT_NEAR(narrow.to_vector<float>()[0], -0.93754825f, 2e-7f);
}

TEST(SpecialTest, OrdersHaveNoDerivative) {
  const Array x = f32({2.5f});
  EXPECT_THROW(grad([](Array n) { return sum(polygamma(n, 3.0f)); })(x), Error);
}

}  // namespace
}  // namespace ingot
