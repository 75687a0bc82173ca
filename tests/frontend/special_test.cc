// Special functions and functions of two numbers that are compositions: values at their ends and on integers.
// Accuracy is tested with the recipes, derivatives with those of JAX (kinks_golden_test.cc).
#include <cmath>
#include <limits>

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
