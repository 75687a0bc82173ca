// gammainc, gammaincc and betainc by all ways in which they are computed, beside mpmath's values, and their
// derivatives beside differences of them.
#include <cmath>
#include <limits>

#include "frontend/testing.h"

namespace ingot {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

struct GammaCase {
  double a, x, lower, upper;
};
constexpr GammaCase kGamma[] = {
    {0.01, 0.005, 0.9537608600421978, 0.046239139957802135},
    {0.5, 0.7, 0.7632764293621426, 0.23672357063785737},
    {12, 15, 0.8152482009760685, 0.18475179902393143},
    {60, 61, 0.5680375280345069, 0.4319624719654931},
    {64, 83.2, 0.9873103379924342, 0.012689662007565803},
    {64, 83.25, 0.9874815628154497, 0.012518437184550302},
    {64, 44.8, 0.00401788095764325, 0.9959821190423568},
    {100, 100, 0.5132987982791487, 0.48670120172085135},
    {250, 330, 0.9999981106125596, 1.8893874404113586e-06},
    {250, 170, 5.710749473644315e-09, 0.9999999942892506},
    {1000, 1300, 1, 1.8736155715785553e-18},
    {1000, 950, 0.05505468623073803, 0.9449453137692619},
    {1e4, 10150, 0.9326593784960509, 0.06734062150394914},
    {1e4, 9700, 0.001234175584468492, 0.9987658244155315},
    {1e6, 1e6, 0.5001329807608725, 0.4998670192391274},
    {1e6, 997000, 0.0013381041673135997, 0.9986618958326864},
    {2097152, 2097152, 0.5000918277319405, 0.4999081722680595},
    {1e7, 10004000, 0.8970370634383202, 0.10296293656167979},
    {1e10, 99997e5, 0.0013497798514433158, 0.9986502201485566},
    {1e12, 1e12, 0.5000001329807602, 0.4999998670192399},
    {1e12, 1000004e6, 0.9999683280890107, 3.1671910989289696e-05},
    {1e15, 1e15, 0.5000000042052208, 0.4999999957947791},
    {1e15, 999999936e6, 0.021492395856027267, 0.9785076041439728},
    {1e15, 5e14, 0, 1},
};
struct BetaCase {
  double a, b, x, value;
};
constexpr BetaCase kBeta[] = {
    {0.01, 0.02, 0.3, 0.6611784272511073},
    {5, 5, 0.5, 0.5},
    {7.5, 3, 0.75, 0.5626490014465816},
    {40, 2000, 0.0146484375, 0.042653682160161646},
    {2, 1e9, 1.5e-09, 0.442174600256479},
    {1e9, 3, 0.9999999981373549, 0.7137938750214771},
    {19000, 21000, 0.4765625, 0.73430378735538},
    {2e4, 2e4, 0.5, 0.5},
    {2e4, 2e4, 0.50390625, 0.9409165338643299},
    {3e4, 9e5, 0.0322265625, 0.43244002457678266},
    {9e5, 3e4, 0.966796875, 1.5921276094261878e-07},
    {1e6, 1e6, 0.5, 0.5},
    {1e6, 1e6, 0.49951171875, 0.08362901315200874},
    {1e8, 3e9, 0.03225, 0.005518926317841002},
    {1e10, 1e10, 0.5, 0.5},
    {1e10, 1e10, 0.5000038146972656, 0.8596970690665103},
    {1e13, 4e13, 0.2000001, 0.9614500515426811},
    {1e15, 1e15, 0.5, 0.5},
};

bool is_float(double x) {
  return static_cast<double>(static_cast<float>(x)) == x;
}
Array narrow(double x) {
  return Array(static_cast<float>(x));
}

TEST(LargeParametersTest, GammaIsThatOfMpmath) {
  int in_single = 0;
  for (const auto& [a, x, lower, upper] : kGamma) {
    SCOPED_TRACE(::testing::Message() << a << ", " << x);
    EXPECT_NEAR(gammainc(a, Array(x)).item<double>(), lower, 3e-14 * lower);
    EXPECT_NEAR(gammaincc(a, Array(x)).item<double>(), upper, 3e-14 * upper);
    if (!is_float(a) || !is_float(x)) continue;
    ++in_single;
    EXPECT_NEAR(gammainc(narrow(a), narrow(x)).item<float>(), lower, 1e-5 * lower);
    EXPECT_NEAR(gammaincc(narrow(a), narrow(x)).item<float>(), upper, 1e-5 * upper);
  }
  EXPECT_GE(in_single, 10);
  EXPECT_EQ(gammainc(1e30f, Array(1e30f)).item<float>(), 0.5f);
  EXPECT_EQ(gammaincc(1e30f, Array(1e30f)).item<float>(), 0.5f);
  EXPECT_EQ(gammaincc(kInf, Array(1e30f)).item<float>(), 1);
  EXPECT_TRUE(std::isnan(gammainc(kInf, Array(kInf)).item<float>()));
}

TEST(LargeParametersTest, BetaIsThatOfMpmath) {
  int in_single = 0;
  for (const auto& [a, b, x, value] : kBeta) {
    SCOPED_TRACE(::testing::Message() << a << ", " << b << ", " << x);
    EXPECT_NEAR(betainc(a, b, Array(x)).item<double>(), value, 2e-13 * value);
    if (1 - (1 - x) == x) {
      EXPECT_NEAR(betainc(b, a, Array(1 - x)).item<double>(), 1 - value, 2e-13 * (1 - value));
    }
    if (!is_float(a) || !is_float(b) || !is_float(x)) continue;
    ++in_single;
    EXPECT_NEAR(betainc(narrow(a), narrow(b), narrow(x)).item<float>(), value, 1e-5 * value);
  }
  EXPECT_GE(in_single, 5);
  EXPECT_EQ(betainc(1e30f, 1, Array(0.3f)).item<float>(), 0);
  EXPECT_EQ(betainc(1, 1e30f, Array(0.3f)).item<float>(), 1);
  EXPECT_EQ(betainc(1e30f, 1e30f, Array(0.5f)).item<float>(), 0.5f);
  EXPECT_EQ(betainc(1e300, 1e300, Array(0.5)).item<double>(), 0.5);
}

// f's derivatives in each of its arguments, beside differences.
template <class F>
void expect_slopes(const F& f, const std::vector<double>& at, const std::vector<double>& steps,
                   const std::vector<double>& slopes, double bound) {
  for (size_t i = 0; i < at.size(); ++i) {
    std::vector<double> more = at, less = at;
    more[i] += steps[i];
    less[i] -= steps[i];
    const double difference = (f(more) - f(less)) / (2 * steps[i]);
    EXPECT_NEAR(slopes[i], difference, bound * std::fabs(difference)) << "of argument " << i;
  }
}

TEST(LargeParametersTest, SlopesOfGamma) {
  const auto slope = grad<0, 1>([](Array a, Array x) { return gammainc(a, x); });
  const auto value = [](const std::vector<double>& v) { return gammainc(v[0], Array(v[1])).item<double>(); };
  for (const double a : {20.0, 100.0, 1e4, 1e8})
    for (const double off : {-1.0, 0.0, 0.7}) {
      SCOPED_TRACE(::testing::Message() << a << ", " << off);
      const double x = a + off * std::sqrt(a), step = 1e-3 * std::sqrt(a);
      const auto [in_a, in_x] = slope(Array(a), Array(x));
      expect_slopes(value, {a, x}, {step, step}, {in_a.item<double>(), in_x.item<double>()}, 2e-6);
      const auto [of_a, of_x] = slope(narrow(a), narrow(x));
      const auto [want_a, want_x] = slope(Array(double(float(a))), Array(double(float(x))));
      EXPECT_NEAR(of_a.item<float>(), want_a.item<double>(), 4e-6 * std::fabs(want_a.item<double>()));
      EXPECT_NEAR(of_x.item<float>(), want_x.item<double>(), 4e-6 * want_x.item<double>());
      const auto first = [&](const std::vector<double>& v) {
        return std::get<0>(slope(Array(v[0]), Array(v[1]))).item<double>();
      };
      const auto bend = grad<0, 1>([&](Array u, Array v) { return std::get<0>(slope(u, v)); });
      const auto [twice, mixed] = bend(Array(a), Array(x));
      if (off != 0)
        expect_slopes(first, {a, x}, {step, step}, {twice.item<double>(), mixed.item<double>()}, 1e-5);
    }
}

TEST(LargeParametersTest, SlopesFarAwayAreZero) {
  const auto gamma = grad<1>([](Array a, Array x) { return gammainc(a, x); });
  const auto beta = grad<2>([](Array a, Array b, Array x) { return betainc(a, b, x); });
  const auto bend = [](const auto& slope, auto... fixed) {
    return grad([=](Array x) { return slope(Array(fixed)..., x); });
  };
  EXPECT_EQ(gamma(Array(20.0f), Array(1e25f)).item<float>(), 0);
  EXPECT_EQ(bend(gamma, 20.0f)(Array(1e25f)).item<float>(), 0);
  EXPECT_EQ(bend(gamma, 1e25f)(Array(20.0f)).item<float>(), 0);
  EXPECT_EQ(beta(Array(10.0f), Array(1e30f), Array(0.5f)).item<float>(), 0);
  EXPECT_EQ(bend(beta, 10.0f, 1e30f)(Array(0.5f)).item<float>(), 0);
}

TEST(LargeParametersTest, SlopesOfBeta) {
  const auto slope = grad<0, 1, 2>([](Array a, Array b, Array x) { return betainc(a, b, x); });
  const auto value = [](const std::vector<double>& v) {
    return betainc(v[0], v[1], Array(v[2])).item<double>();
  };
  for (const double a : {5.0, 5e4, 1e7})
    for (const double times : {1.0, 30.0})
      for (const double off : {0.0, 0.7, 2.5}) {
        const double b = a * times, p = a / (a + b), width = std::sqrt(p * (1 - p) / (a + b)),
                     x = p + off * width;
        SCOPED_TRACE(::testing::Message() << a << ", " << b << ", " << x);
        const auto [in_a, in_b, in_x] = slope(Array(a), Array(b), Array(x));
        expect_slopes(value, {a, b, x}, {1e-3 * a * width / p, 1e-3 * b * width / p, 1e-3 * width},
                      {in_a.item<double>(), in_b.item<double>(), in_x.item<double>()}, 2e-5);
      }
}

}  // namespace
}  // namespace ingot
