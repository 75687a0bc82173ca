// Threads that trace, differentiate, batch and compile at once, the same functions and different ones, share
// all caches and get what a thread alone gets.
#include <atomic>
#include <cmath>
#include <functional>
#include <thread>

#include "frontend/testing.h"

namespace ingot {
namespace {

using testing::counting;

// What a thread does with arrays of n elements: every way into the library.
std::vector<float> all_of_it(int64_t n) {
  const Array x = counting({n}) * 0.01f;
  const auto f = [](Array v) { return sum(tanh(v) * v); };
  const auto step = [](Array carry, Array v) {
    const Array next = carry * 0.5f + v;
    return std::pair(next, next);
  };
  const auto layer = jit([](Array v) { return silu(v) + 1; }, {.name = "layer"});
  std::vector<float> values;
  const auto add = [&](const Array& array) {
    for (float value : array.to_vector<float>()) values.push_back(value);
  };
  add(jit(f)(x));
  add(jit([&](Array v) { return layer(v) * layer(v + 1); })(x));
  add(grad(f)(x));
  add(vmap(f)(counting({3, n}) * 0.01f));
  add(vmap(grad(f))(counting({2, n}) * 0.01f));
  add(scan(step, Array(0.0f), x).second);
  add(grad([&](Array v) { return sum(scan(step, Array(0.0f), v).second); })(x));
  add(checkpoint(f)(x));
  add(x * 2 - mean(x));  // eager
  add(dot(counting({n, 3}), counting({3, 2})));
  return values;
}

// The same without the library.
std::vector<double> plainly(int64_t n) {
  std::vector<double> values;
  const auto x = [](int64_t i) { return static_cast<double>(i) * 0.01; };
  const auto f = [&](int64_t first) {
    double sum = 0;
    for (int64_t i = first; i < first + n; ++i) sum += std::tanh(x(i)) * x(i);
    return sum;
  };
  const auto add_slopes = [&](int64_t rows) {
    for (int64_t i = 0; i < rows * n; ++i) {
      const double t = std::tanh(x(i));
      values.push_back(t + x(i) * (1 - t * t));
    }
  };
  const auto layer = [](double v) { return v / (1 + std::exp(-v)) + 1; };
  values.push_back(f(0));
  for (int64_t i = 0; i < n; ++i) values.push_back(layer(x(i)) * layer(x(i) + 1));
  add_slopes(1);
  for (int64_t row = 0; row < 3; ++row) values.push_back(f(row * n));
  add_slopes(2);
  double carry = 0;
  for (int64_t i = 0; i < n; ++i) values.push_back(carry = carry * 0.5 + x(i));
  for (int64_t i = 0; i < n; ++i) values.push_back(2 - std::exp2(static_cast<double>(1 + i - n)));
  values.push_back(f(0));
  for (int64_t i = 0; i < n; ++i) values.push_back(2 * x(i) - 0.5 * x(n - 1));
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < 2; ++j)
      values.push_back(static_cast<double>(3 * i * j + (3 * i + 1) * (2 + j) + (3 * i + 2) * (4 + j)));
  }
  return values;
}

void expect_right(const std::vector<float>& actual, int64_t n) {
  const std::vector<double> expected = plainly(n);
  ASSERT_EQ(actual.size(), expected.size()) << n;
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(actual[i], expected[i], 2e-6 * (1 + std::abs(expected[i]))) << "value " << i << " of " << n;
}

TEST(ThreadsTest, AllWaysInAtOnce) {
  constexpr int kThreads = 4;
  std::vector<std::vector<float>> same(kThreads), other(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      const auto i = static_cast<size_t>(t);
      same[i] = all_of_it(40);
      other[i] = all_of_it(41 + t);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int t = 0; t < kThreads; ++t) {
    expect_right(same[static_cast<size_t>(t)], 40);
    expect_right(other[static_cast<size_t>(t)], 41 + t);
  }
}

// One function is traced in several outer traces at once; what it captures of one must not be seen in others.
TEST(ThreadsTest, CapturesOfTracesStayApart) {
  constexpr int kThreads = 4;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int round = 0; round < 5; ++round) {
        const auto outer = jit([&](Array x) {
          const Array scale = x * static_cast<float>(t + 1);
          const auto inner = jit([scale](Array y) { return y + scale; });
          return inner(x) * inner(x + 1);
        });
        const std::vector<float> values = outer(counting({6 + round})).to_vector<float>();
        const float factor = static_cast<float>(t + 2);
        if (values[2] != (2 * factor) * (2 * factor + 1)) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace ingot
