// Reductions over windows, against plain loops over two dimensions.

#include <cmath>
#include <limits>

#include "testing.h"

namespace ingot {
namespace {

using testing::counting;
using testing::error_of;

Array mixed(const Shape& shape) {
  return sin(counting<float>(shape) * 1.7f) * 3;
}

struct Window {
  int64_t extent, stride, low, high, x_dilation, dilation;
};

// Over both dimensions of x.
std::vector<double> plain(const Array& x, const Window (&w)[2], double neutral,
                          const std::function<double(double, double)>& f) {
  const auto values = x.to_vector<float>();
  int64_t count[2];
  for (int d = 0; d < 2; ++d) {
    const int64_t n = w[d].low + w[d].high + (x.shape(d) - 1) * w[d].x_dilation + 1,
                  reach = (w[d].extent - 1) * w[d].dilation + 1;
    count[d] = n < reach ? 0 : (n - reach) / w[d].stride + 1;
  }
  const auto place = [&](int d, int64_t out, int64_t i) -> int64_t {
    const int64_t at = out * w[d].stride + i * w[d].dilation - w[d].low;
    if (at < 0 || at % w[d].x_dilation != 0 || at / w[d].x_dilation >= x.shape(d)) return -1;
    return at / w[d].x_dilation;
  };
  std::vector<double> result;
  for (int64_t r = 0; r < count[0]; ++r) {
    for (int64_t c = 0; c < count[1]; ++c) {
      double total = neutral;
      for (int64_t i = 0; i < w[0].extent; ++i) {
        for (int64_t j = 0; j < w[1].extent; ++j) {
          const int64_t row = place(0, r, i), column = place(1, c, j);
          if (row >= 0 && column >= 0)
            total = f(total, values[static_cast<size_t>(row * x.shape(1) + column)]);
        }
      }
      result.push_back(total);
    }
  }
  return result;
}

WindowOptions options_of(const Window (&w)[2]) {
  return {.strides = {w[0].stride, w[1].stride},
          .padding = {{w[0].low, w[0].high}, {w[1].low, w[1].high}},
          .x_dilation = {w[0].x_dilation, w[1].x_dilation},
          .window_dilation = {w[0].dilation, w[1].dilation}};
}

TEST(ReduceWindowTest, AnyWindow) {
  const Window cases[][2] = {
      {{1, 1, 0, 0, 1, 1}, {3, 1, 0, 0, 1, 1}},     {{3, 2, 1, 1, 1, 1}, {2, 3, 0, 2, 1, 1}},
      {{2, 1, 0, 3, 2, 1}, {3, 2, 4, 1, 1, 2}},     {{20, 1, 0, 0, 1, 1}, {17, 1, 8, 8, 1, 1}},
      {{18, 5, 9, 3, 2, 1}, {25, 3, 0, 30, 1, 1}},  {{17, 1, 20, 20, 1, 3}, {40, 1, 0, 0, 1, 1}},
      {{33, 1, 0, 0, 1, 1}, {1, 4, 0, 0, 3, 1}},    {{2, 1, -1, -2, 1, 1}, {3, 1, 0, -1, 1, 1}},
      {{18, 2, 10, 9, 2, 2}, {20, 3, 5, 40, 1, 3}}, {{17, 1, 0, 2, 1, 2}, {19, 1, 0, 0, 1, 2}},
  };
  const Array x = mixed({31, 37});
  for (const auto& w : cases) {
    SCOPED_TRACE(::testing::PrintToString(&w - cases));
    const auto add = [](Array a, Array b) { return a + b; };
    const auto sums =
        reduce_window(add, x, 0.0f, {w[0].extent, w[1].extent}, options_of(w)).to_vector<float>();
    const auto right = plain(x, w, 0, [](double a, double b) { return a + b; });
    const auto sizes = plain(x, w, 0, [](double a, double b) { return a + std::abs(b); });
    ASSERT_EQ(sums.size(), right.size());
    for (size_t i = 0; i < sums.size(); ++i) ASSERT_NEAR(sums[i], right[i], 1e-6 * sizes[i]) << i;

    const float low = -std::numeric_limits<float>::infinity();
    const auto greatest = jit([&](Array a) {
                            return reduce_window([](Array p, Array q) { return maximum(p, q); }, a, low,
                                                 {w[0].extent, w[1].extent}, options_of(w));
                          })(x)
                              .to_vector<float>();
    const auto most = plain(x, w, low, [](double a, double b) { return std::max(a, b); });
    ASSERT_EQ(greatest.size(), most.size());
    for (size_t i = 0; i < most.size(); ++i) ASSERT_EQ(greatest[i], static_cast<float>(most[i])) << i;
  }
}

// Elements that lie apart are written out no more than neighbours are, however many they are.
TEST(ReduceWindowTest, ProgramsDoNotGrowWithTheWindow) {
  const auto length = [](int64_t window, int64_t dilation) {
    const auto sums = [&](Array x) {
      return reduce_window([](Array a, Array b) { return a + b; }, x, 0.0f, {window},
                           {.window_dilation = {dilation}});
    };
    return jit(sums).lower(Array::abstract(DType::kF32, {10'000'000})).text().size();
  };
  EXPECT_LT(length(1'000'000, 7), length(100, 7) + 200);
  EXPECT_LT(length(1'000'000, 7), 2 * length(1'000'000, 1));
}

TEST(PoolTest, OfImages) {
  const Array x = mixed({2, 6, 8, 3});
  const Array m = max_pool(x, {2, 2}, {.strides = {2}});
  EXPECT_EQ(m.shape(), (Shape{2, 3, 4, 3}));
  const Array blocks = reshape(x, {2, 3, 2, 4, 2, 3});
  EXPECT_EQ(m.to_vector<float>(), max(blocks, {2, 4}).to_vector<float>());
  EXPECT_EQ(min_pool(x, {2, 2}, {.strides = {2}}).to_vector<float>(), min(blocks, {2, 4}).to_vector<float>());
  const auto sums = sum_pool(x, {2, 2}, {.strides = {2}}).to_vector<float>(),
             right = sum(blocks, {2, 4}).to_vector<float>();
  for (size_t i = 0; i < sums.size(); ++i) EXPECT_NEAR(sums[i], right[i], 1e-5);
}

TEST(PoolTest, AveragesCountPaddingOrNot) {
  const Array x = Array::ones({1, 4, 4, 1});
  const WindowOptions same{.padding = ConvPadding::kSame};
  const auto all = avg_pool(x, {3, 3}, same).to_vector<float>();
  EXPECT_NEAR(all[0], 4.0 / 9, 1e-6);
  EXPECT_NEAR(all[5], 1, 1e-6);
  for (float value : avg_pool(x, {3, 3}, same, false).to_vector<float>()) EXPECT_NEAR(value, 1, 1e-6);
}

// As JAX's select_and_scatter: the first one of equal elements takes all.
TEST(PoolTest, DerivativesGoToTheChosenElement) {
  const Array x = Array::from<float>({1, 2, 4, 1}, {1, 3, 3, 0, 2, 3, 1, 5});
  const auto g = grad([](Array a) {
    return sum(max_pool(a, {2, 2}) * Array::from<float>({1, 1, 3, 1}, {1, 10, 100}));
  })(x);
  EXPECT_EQ(g.to_vector<float>(), (std::vector<float>{0, 11, 0, 0, 0, 0, 0, 100}));
  const auto h = grad([](Array a) { return sum(min_pool(a, {2, 2}, {.strides = {2}})); })(x);
  EXPECT_EQ(h.to_vector<float>(), (std::vector<float>{1, 0, 0, 1, 0, 0, 0, 0}));
  const auto s = grad([](Array a) { return sum(avg_pool(a, {2, 2})); })(Array::ones({1, 3, 3, 1}));
  EXPECT_EQ(s.to_vector<float>(), (std::vector<float>{0.25, 0.5, 0.25, 0.5, 1, 0.5, 0.25, 0.5, 0.25}));
}

// However many places a window has, the first of equal elements is the one that is chosen.
TEST(PoolTest, TheFirstOfEqualElementsIsChosen) {
  for (const int64_t window : {3, 64, 65, 200}) {
    const Array ones = Array::ones({1, window + 1, 1});
    const auto slope = grad([&](Array a) { return sum(max_pool(a, {window})); })(ones).to_vector<float>();
    for (size_t i = 0; i < slope.size(); ++i) EXPECT_EQ(slope[i], i < 2 ? 1 : 0) << window << " at " << i;
  }
  // In the order of the rows, whichever dimension is looked at first; and where neighbours are greater.
  for (const std::vector<int64_t>& window : {std::vector<int64_t>{2, 3}, {9, 10}, {2, 70}, {30, 30}}) {
    const Array x = round(sin(counting({2, 31, 71, 2}, 0.0f)) * 3.0f);
    const auto pool = [&](Array a) { return min_pool(a, window, {.strides = {2, 1}}); };
    const Array weights = counting(pool(x).shape(), 1.0f);
    const auto slope = grad([&](Array a) { return sum(pool(a) * weights); })(x).to_vector<float>();
    const auto values = x.to_vector<float>(), w = weights.to_vector<float>();
    std::vector<float> expected(values.size(), 0);
    const int64_t rows = (31 - window[0]) / 2 + 1, columns = 71 - window[1] + 1;
    for (int64_t n = 0; n < 2 * rows * columns * 2; ++n) {
      const int64_t c = n % 2, j = n / 2 % columns, i = n / 2 / columns % rows, b = n / 2 / columns / rows;
      int64_t best = -1;
      for (int64_t p = 0; p < window[0] * window[1]; ++p) {
        const int64_t at = ((b * 31 + 2 * i + p / window[1]) * 71 + j + p % window[1]) * 2 + c;
        if (best < 0 || values[static_cast<size_t>(at)] < values[static_cast<size_t>(best)]) best = at;
      }
      expected[static_cast<size_t>(best)] += w[static_cast<size_t>(n)];
    }
    EXPECT_EQ(slope, expected) << window[0] << " x " << window[1];
  }
}

// The result is NaN where one of a window is, and the first of those is chosen, in windows of all lengths.
TEST(PoolTest, NanIsChosen) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const auto slope = [](const std::vector<float>& values, int64_t window, int64_t stride, bool greatest) {
    const auto pool = [=](Array a) {
      return greatest ? max_pool(a, {window}, {.strides = {stride}})
                      : min_pool(a, {window}, {.strides = {stride}});
    };
    const Array x = Array::from({1, static_cast<int64_t>(values.size()), 1}, values);
    return grad([=](Array a) { return sum(pool(a)); })(x).to_vector<float>();
  };
  for (const bool greatest : {false, true}) {
    EXPECT_EQ(slope({1, kNan, 3, kNan}, 2, 2, greatest), (std::vector<float>{0, 1, 0, 1}));
    EXPECT_EQ(slope({1, kNan, 3, kNan}, 2, 1, greatest), (std::vector<float>{0, 2, 0, 1}));
    EXPECT_EQ(slope({kNan, 1, kNan, kNan}, 2, 2, greatest), (std::vector<float>{1, 0, 1, 0}));
    std::vector<float> values(120, 1), expected(120, 0);
    values[50] = values[70] = kNan;
    expected[50] = 21;
    EXPECT_EQ(slope(values, 100, 1, greatest), expected);
  }
  // In the second derivative, too: of NaN^2 it is 2 at the first.
  const auto f = [](Array a) { return sum(max_pool(a * a, {2})); };
  const Array x = Array::from<float>({1, 3, 1}, {1, kNan, 2});
  const auto second = jvp([&](Array a) { return grad(f)(a); }, x, Array::ones({1, 3, 1})).second;
  EXPECT_EQ(second.to_vector<float>(), (std::vector<float>{0, 4, 0}));
}

// Padding is never the greatest, and sums of narrow floats are f32 inside.
TEST(PoolTest, OfIntegersAndNarrowFloats) {
  const WindowOptions padded{.padding = std::vector<std::pair<int64_t, int64_t>>{{1, 1}}};
  const Array low = Array::from<int8_t>({1, 2, 1}, {-128, -128});
  EXPECT_EQ(max_pool(low, {2}, padded).to_vector<int8_t>(), (std::vector<int8_t>{-128, -128, -128}));
  const Array high = Array::from<uint16_t>({1, 2, 1}, {65535, 65535});
  EXPECT_EQ(min_pool(high, {2}, padded).to_vector<uint16_t>(), (std::vector<uint16_t>{65535, 65535, 65535}));
  const Array ones = Array::ones({1, 600, 1}, DType::kBF16);
  EXPECT_EQ(sum_pool(ones, {600}).astype(DType::kF32).item<float>(), 600);  // of bf16, 256 + 1 is 256
  EXPECT_EQ(avg_pool(ones, {600}).astype(DType::kF32).item<float>(), 1);
}

// d2/dx2 of pool(x^2) is 2 at the chosen element, and nothing elsewhere.
TEST(PoolTest, SecondDerivatives) {
  const Array x = Array::from<float>({1, 4, 1}, {1, 3, -5, 2});
  const auto f = [](Array a) { return sum(max_pool(a * a, {2})); };
  const auto slope = [&](Array a) { return grad(f)(a); };
  const auto second = jvp(slope, x, Array::ones({1, 4, 1})).second.to_vector<float>();
  EXPECT_EQ(second, (std::vector<float>{0, 2, 4, 0}));
  const auto energy = [](Array a) { return sum(square(max_pool(a, {2}))); };
  EXPECT_EQ(
      jvp([&](Array a) { return grad(energy)(a); }, x, Array::ones({1, 4, 1})).second.to_vector<float>(),
      (std::vector<float>{0, 4, 0, 2}));
}

TEST(PoolTest, OneKernel) {
  const Array x = Array::abstract(DType::kF32, {8, 28, 28, 64});
  const auto pool = jit([](Array a) { return avg_pool(a, {3, 3}, {.padding = ConvPadding::kSame}); });
  EXPECT_EQ(pool.lower(x).compile().kernels().size(), 1u);
}

TEST(ReduceWindowTest, TheFunctionKeepsDtypeAndShape) {
  const int at = __LINE__ + 2;
  const auto refused = [](const std::function<Array(Array, Array)>& f) {
    return error_of([&] { reduce_window(f, counting({4}), 0.0f, {2}); });
  };
  const std::string returns = testing::line(at) + "reduce_window: the function returns ";
  const auto says = [&](const std::function<Array(Array, Array)>& f, const std::string& text) {
    EXPECT_TRUE(refused(f).starts_with(returns + text)) << refused(f);
  };
  says(
      [](Array a, Array b) { return sum(a + b); },
      "f32[] for two arrays f32[3], but what it returns is combined again, and must be of the same dtype and "
      "shape");
  says([](Array a, Array b) { return expand_dims(a + b, 0); }, "f32[1,3] for two arrays f32[3]");
  says([](Array a, Array b) { return a < b; }, "pred[3] for two arrays f32[3]");
}

TEST(PoolTest, Errors) {
  EXPECT_NE(error_of([] {
              max_pool(Array::zeros({3, 4}), {2, 2});
            }).find("a window of 2 dimensions"),
            std::string::npos);
  EXPECT_NE(error_of([] {
              max_pool(Array::zeros({1, 4, 4, 1}), {2, 2}, {.strides = {0}});
            }).find("at least 1"),
            std::string::npos);
}

}  // namespace
}  // namespace ingot
