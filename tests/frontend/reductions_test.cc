// Long sums are accurate, whatever adds them up.

#include <cmath>
#include <limits>

#include "testing.h"
#include "testing/errors.h"

namespace ingot {
namespace {

// Numbers in [0, 1) without an order, made on the fly: a long sum needs no memory.
Array scattered(const Shape& shape) {
  Array n = iota(DType::kU32, {element_count(shape)}, 0) * uint32_t{2654435761u};
  return reshape((n >> 8).astype(DType::kF32) * (1.0 / (1 << 24)), shape);
}

double error_of_sum(const Shape& shape, const Axes& axes, double offset) {
  const auto both = jit([&] {
    const Array x = scattered(shape) + offset;
    return std::pair(sum(x, axes), sum(x.astype(DType::kF64), axes));
  });
  const auto [single, twice] = both();
  const auto a = single.to_vector<float>();
  const auto b = twice.to_vector<double>();
  double worst = 0;
  for (size_t i = 0; i < a.size(); ++i)
    worst = testing::larger_error(worst, std::abs(static_cast<double>(a[i]) - b[i]) / std::abs(b[i]));
  return worst;
}

// Sums begin with 0, which makes 0 of -0, however few elements they have and whatever runs them.
TEST(ReductionsTest, NumbersAreTrueWhereTheyAreNotZero) {
  const Array n = Array({{0, 2}, {0, 0}});
  EXPECT_TRUE(any(n).item<bool>());
  EXPECT_FALSE(all(n).item<bool>());
  EXPECT_EQ(any(n, 1).to_vector<bool>(), (std::vector<bool>{true, false}));
  EXPECT_TRUE(all(Array({0.5f, -1.f, std::nanf("")})).item<bool>());
  EXPECT_FALSE(jit([](Array z) { return any(z); })(Array::zeros({2}, DType::kC64)).item<bool>());
}

TEST(ReductionsTest, SumsOfNegativeZerosAreZero) {
  for (const DType dtype : {DType::kF32, DType::kF64, DType::kBF16}) {
    for (const Shape& shape : {Shape{40, 2}, Shape{40, 3}, Shape{3, 40}, Shape{2, 100}}) {
      const Array x = Array::full(shape, -0.0, dtype);
      for (const int64_t axis : {0, 1}) {
        const Array sums = jit([&](Array a) { return sum(a, {axis}) / Array(1.0f).astype(dtype); })(x);
        for (const float one : sums.astype(DType::kF32).to_vector<float>())
          ASSERT_FALSE(std::signbit(one)) << name_of(dtype) << ingot::to_string(shape) << " along " << axis;
      }
    }
  }
}

TEST(LongSumTest, OfAHundredMillionIsAccurate) {
  EXPECT_LT(error_of_sum({100'000'000}, {0}, 0), 5e-7);
  EXPECT_LT(error_of_sum({100'000'000}, {0}, 0.1), 5e-7);
  EXPECT_LT(error_of_sum({10'000, 10'000}, {}, 0.1), 5e-7);
}

TEST(LongSumTest, OfRowsAndColumnsIsAccurate) {
  EXPECT_LT(error_of_sum({2, 10'000'000}, {1}, 0.1), 1e-6);
  EXPECT_LT(error_of_sum({10'000'000, 2}, {0}, 0.1), 1e-6);
  EXPECT_LT(error_of_sum({100'000, 200}, {0}, 0.1), 1e-6);
  EXPECT_LT(error_of_sum({100, 1000, 200}, {0, 1}, 0.1), 1e-6);
  EXPECT_LT(error_of_sum({200, 1000, 100}, {0, 2}, 0.1), 1e-6);
}

// The moments of x by rows of n, in double precision.
struct Moments {
  double mean = 0, var = 0, logsumexp = 0;
};
Moments moments_of(const float* x, size_t n) {
  Moments m;
  double high = x[0], sum = 0;
  for (size_t i = 0; i < n; ++i) m.mean += x[i] / static_cast<double>(n), high = std::max<double>(high, x[i]);
  for (size_t i = 0; i < n; ++i) m.var += (x[i] - m.mean) * (x[i] - m.mean) / static_cast<double>(n);
  for (size_t i = 0; i < n; ++i) sum += std::exp(x[i] - high);
  m.logsumexp = high + std::log(sum);
  return m;
}

TEST(MomentsTest, AreAccurateFarFromZero) {
  for (const Shape& shape : {Shape{3, 100}, Shape{2, 70'000}, Shape{2, 65'537}, Shape{1, 400'000}}) {
    const Array x = jit([&] { return scattered(shape) + 1000; })();
    const auto values = x.to_vector<float>();
    const auto v = var(x, 1).to_vector<float>(), s = std_(x, 1, 0).to_vector<float>(),
               m = mean(x, 1).to_vector<float>(), l = logsumexp(x, 1).to_vector<float>();
    const auto n = static_cast<size_t>(shape[1]);
    for (size_t row = 0; row < v.size(); ++row) {
      const Moments right = moments_of(values.data() + row * n, n);
      EXPECT_NEAR(m[row] / right.mean, 1, 1e-6);
      EXPECT_NEAR(v[row] / right.var, 1, 2e-4);  // 1000 has a spacing of 6e-5
      EXPECT_NEAR(s[row] / std::sqrt(right.var), 1, 1e-4);
      EXPECT_NEAR(l[row] / right.logsumexp, 1, 1e-6);
    }
  }
}

TEST(MomentsTest, OfEverythingAreOneKernel) {
  const auto both = jit([](Array x) { return std::pair(mean(x), var(x)); });
  const auto log_sum = jit([](Array x) { return logsumexp(x); });
  const Array x = scattered({1024, 1024});
  EXPECT_EQ(both.lower(x).compile().kernels().size(), 1u);
  EXPECT_EQ(log_sum.lower(x).compile().kernels().size(), 1u);
  const auto values = x.to_vector<float>();
  const Moments right = moments_of(values.data(), values.size());
  const auto [m, v] = both(x);
  EXPECT_NEAR(m.item<float>(), right.mean, 1e-6);
  EXPECT_NEAR(v.item<float>() / right.var, 1, 1e-5);
  EXPECT_NEAR(log_sum(x).item<float>(), right.logsumexp, 1e-5);
}

// The derivatives of what is computed in blocks are those of what is computed plainly.
TEST(MomentsTest, HaveDerivatives) {
  const Array x = scattered({2, 20'000});
  const auto near = [](const Array& a, const Array& b, double scale) {
    const auto p = a.to_vector<float>(), q = b.to_vector<float>();
    for (size_t i = 0; i < p.size(); i += 97) EXPECT_NEAR(p[i] * scale, q[i] * scale, 1e-4);
  };
  near(grad([](Array a) { return var(a); })(x), grad([](Array a) { return mean(square(a - mean(a))); })(x),
       4e4);
  near(grad([](Array a) { return sum(logsumexp(a, 1)); })(x), softmax(x, 1), 2e4);
  near(jvp([](Array a) { return logsumexp(a, 1); }, std::tuple(x), std::tuple(x)).second,
       sum(softmax(x, 1) * x, 1), 1);
}

TEST(MomentsTest, OfInfinities) {
  const float inf = std::numeric_limits<float>::infinity();
  const Array x = Array::from<float>({3, 2}, {-inf, -inf, 0, -inf, inf, 1});
  EXPECT_EQ(logsumexp(x, 1).to_vector<float>(), (std::vector<float>{-inf, 0, inf}));
  const Array low = Array::full({20'000}, -inf);
  EXPECT_EQ(logsumexp(low).item<float>(), -inf);
  EXPECT_EQ(log_softmax(Array::from<float>({2}, {0, 0}))[0].item<float>(), -std::log(2.0f));
}

// A number without a sign that is -1 when it is given one is no axis.
TEST(ReductionsTest, AnAxisIsNoHugeNumber) {
  const Array x = Array::zeros({2, 3});
  const auto huge = static_cast<size_t>(-1);
  const std::string told = "axis 18446744073709551615 is out of range for any array";
  const std::string here = testing::line(__LINE__ + 1);
  EXPECT_EQ(testing::error_of([&] { sum(x, huge); }).find(here + told), 0u);
  for (const std::string& error :
       {testing::error_of([&] { softmax(x, huge); }), testing::error_of([&] { cumsum(x, huge); }),
        testing::error_of([&] { x.shape(huge); }), testing::error_of([&] { argmax(x, huge); }),
        testing::error_of([&] { ScanOptions options{.axis = huge}; }),
        testing::error_of([&] { VmapOptions options{.in_axes = huge}; })})
    EXPECT_NE(error.find(told), std::string::npos) << error;
  EXPECT_EQ(sum(x, size_t{1}).shape(), Shape{2});
}

}  // namespace
}  // namespace ingot
