// Scans in chunks of steps, unrolled or under checkpoints: what they compute is what a plain scan computes.
#include <gtest/gtest.h>

#include "frontend/testing.h"
#include "ingot/ingot.h"

namespace ingot {
namespace {

using testing::counting;
using testing::error_of;

std::vector<ScanOptions> chunkings() {
  std::vector<ScanOptions> list;
  for (const int64_t unroll : {1, 2, 3, 40}) list.push_back({.unroll = unroll});
  for (const int64_t every : {1, 3, 4, 50}) list.push_back({.checkpoints = ScanCheckpoints::every(every)});
  for (const int64_t levels : {1, 2, 3, 9}) list.push_back({.checkpoints = ScanCheckpoints::levels(levels)});
  list.push_back({.checkpoints = ScanCheckpoints::logarithmic()});
  list.push_back({.unroll = 3, .checkpoints = ScanCheckpoints::every(7)});
  return list;
}

// Two carries, scanned arrays along two axes, stacks along two axes, and an array from outside.
auto program(const ScanOptions& chosen, bool reverse) {
  return [chosen, reverse](Array init, Array x, Array w) {
    ScanOptions options = chosen;
    options.axis = {1, 0};
    options.ys_axis = {0, 1};
    options.reverse = reverse;
    const Array numbers = x[0] * 0.25f;
    auto [carry, ys] = scan(
        [&](std::tuple<Array, Array> c, std::tuple<Array, Array> slices) {
          const auto& [a, n] = c;
          const auto& [xi, number] = slices;
          const Array next = tanh(a * w + xi) + number;
          return std::pair(std::tuple(next, n + 1), std::tuple(next * xi, a + sum(xi)));
        },
        std::tuple(init, Array(0.0f)), std::tuple(x, numbers), options);
    return std::tuple(std::get<0>(carry), std::get<1>(carry), std::get<0>(ys), std::get<1>(ys));
  };
}

void expect_same(const Array& actual, const Array& expected, const std::string& what) {
  ASSERT_EQ(actual.shape(), expected.shape()) << what;
  const auto a = actual.to_vector<float>(), e = expected.to_vector<float>();
  for (size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], e[i], 2e-5 * (1 + std::fabs(e[i]))) << what;
}

TEST(ScanChunksTest, ComputeWhatAPlainScanDoes) {
  const Array init = counting({3}, 0.1f), w = counting({3}, 0.2f);
  for (const int64_t steps : {0, 1, 7, 16, 37}) {
    const Array x = sin(counting({3, steps}, 0.3f));
    for (const bool reverse : {false, true}) {
      const auto plain = program({}, reverse);
      const auto weigh = [](const auto& f) {
        return [f](Array i, Array x, Array w) {
          const auto [a, n, y, z] = f(i, x, w);
          return sum(a * 0.7f) + sum(y * y) + sum(sin(z)) + n;
        };
      };
      const auto expected = jit(plain)(init, x, w);
      const auto slopes = jit(grad<0, 1, 2>(weigh(plain)))(init, x, w);
      int number = 0;
      for (const ScanOptions& options : chunkings()) {
        const std::string what = "chunking " + std::to_string(number++) + " of " + std::to_string(steps);
        const auto f = program(options, reverse);
        const auto values = jit(f)(init, x, w);
        expect_same(std::get<0>(values), std::get<0>(expected), what);
        EXPECT_EQ(std::get<1>(values).item<float>(), steps) << what;
        expect_same(std::get<2>(values), std::get<2>(expected), what);
        expect_same(std::get<3>(values), std::get<3>(expected), what);
        const auto own = jit(grad<0, 1, 2>(weigh(f)))(init, x, w);
        expect_same(std::get<0>(own), std::get<0>(slopes), what + ", slope of init");
        expect_same(std::get<1>(own), std::get<1>(slopes), what + ", slope of x");
        expect_same(std::get<2>(own), std::get<2>(slopes), what + ", slope of w");
      }
    }
  }
}

TEST(ScanChunksTest, UnderOtherTransforms) {
  const ScanOptions options{.unroll = 2, .checkpoints = ScanCheckpoints::every(4)};
  const auto total = [](const ScanOptions& chosen) {
    return [chosen](Array x) {
      return scan([](Array c, Array xi) { return std::pair(sin(c + xi), c * xi); }, Array(0.5f), x, chosen);
    };
  };
  const auto energy = [&](const ScanOptions& chosen) {
    return [f = total(chosen)](Array x) {
      const auto [c, ys] = f(x);
      return c + sum(ys);
    };
  };
  const Array rows = sin(counting({5, 11})), x = sin(counting({11}));
  expect_same(vmap(grad(energy(options)))(rows), vmap(grad(energy({})))(rows), "a batch");
  expect_same(hessian(energy(options))(x), hessian(energy({}))(x), "second derivatives");
  expect_same(total(options)(x).second, total({})(x).second, "outside of a program");
  const auto [value, slope] = jvp(energy(options), x, cos(x));
  expect_same(slope, jvp(energy({}), x, cos(x)).second, "forward mode");
}

// Of 900 steps some 120 arrays are kept in place of 900.
TEST(ScanChunksTest, CheckpointsKeepLess) {
  const auto peak = [](const ScanOptions& options) {
    const auto loss = [options](Array c, Array w) {
      ScanOptions chosen = options;
      chosen.length = 900;
      const auto step = [&](Array carry, std::tuple<>) {
        return std::pair(tanh(dot(carry, w)), std::tuple<>());
      };
      return sum(scan(step, c, std::tuple<>(), chosen).first);
    };
    return jit(grad<0, 1>(loss)).compile(Array::ones({64, 64}), Array::ones({64, 64})).peak_bytes();
  };
  constexpr int64_t kCarry = 64 * 64 * 4;
  EXPECT_GE(peak({}), 900 * kCarry);
  EXPECT_LE(peak({.checkpoints = ScanCheckpoints::levels(1)}),
            140 * kCarry);  // 30, and two for each of 30 steps
  EXPECT_LE(peak({.checkpoints = ScanCheckpoints::logarithmic()}),
            55 * kCarry);  // two for each of 8 steps and of 5 levels, and what chunks pass on
}

TEST(ScanChunksTest, Mistakes) {
  const auto with = [](const ScanOptions& options) {
    return error_of([&] {
      scan([](Array c, Array x) { return std::pair(c + x, c); }, Array(0.0f), Array::ones({9}), options);
    });
  };
  EXPECT_NE(with({.unroll = 0}).find("scan: unroll is 0, but a step of the loop is 1 or more of the body's"),
            std::string::npos);
  EXPECT_NE(
      with({.checkpoints = ScanCheckpoints::every(0)}).find("scan: checkpoints every 0, which should be 1"),
      std::string::npos);
  EXPECT_NE(with({.checkpoints = ScanCheckpoints::levels(-2)})
                .find("scan: checkpoints in levels, of which there are -2, which should be 1 or more"),
            std::string::npos);
  // A carry that grows is found at the step where it does.
  const std::string grows = error_of([&] {
    scan(
        [](Array c, Array x) {
          return std::pair(concatenate({c, c}), x);
        },
        Array::ones({1}), Array::ones({9}), {.unroll = 3});
  });
  EXPECT_NE(grows.find("f32[1]"), std::string::npos) << grows;
  EXPECT_NE(grows.find("f32[2]"), std::string::npos) << grows;
}

}  // namespace
}  // namespace ingot
