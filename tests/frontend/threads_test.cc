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

int64_t n_of_thread() {
  thread_local const int64_t number = [] {
    static std::atomic<int64_t> next = 0;
    return next++;
  }();
  return number;
}

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

  const auto twice = [](Array v) { return v * 2; };
  add(while_loop([](Array v) { return sum(v) < 1000; }, twice, x + 1));
  add(vmap([&](Array v) { return while_loop([](Array u) { return u < 3.5f; }, twice, v); })(x + 1));
  add(grad([&](Array v) {
    return sum(while_loop([](Array u) { return sum(u) < 1000; }, twice, v, {.max_steps = 8}));
  })(x + 1));
  add(fori_loop(
      0, Array(5), [](Array i, Array v) { return v * 0.5f + i.astype(DType::kF32); }, x));
  add(fori_loop(
      0, 3, [](Array, Array v) { return v * v; }, x + 1));
  add(cond(
      sum(x) > 1, twice, [](Array v) { return v; }, x));
  add(switch_(static_cast<int>(n % 3),
              std::tuple{twice, [](Array v) { return -v; }, [](Array v) { return v * v; }}, x));
  add(jvp(f, x, Array::full({n}, 1.f)).second);
  add(hessian([](Array v) { return sum(v * v * v); })(counting({3})));
  // What a traced function throws reaches its caller, and nobody else.
  try {
    jit([](Array) -> Array { throw n_of_thread(); })(x);
  } catch (int64_t thrown) {
    values.push_back(static_cast<float>(thrown == n_of_thread()));
  }
  const Array given = x + 1;
  add(jit([](Array v) { return v * 3; }, {.donate = {0}})(given));
  values.push_back(static_cast<float>(testing::error_of([&] { given + 1; }).empty()));
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
  double sum = 0, factor = 1;
  for (int64_t i = 0; i < n; ++i) sum += x(i) + 1;
  while (factor * sum < 1000) factor *= 2;
  for (int64_t i = 0; i < n; ++i) values.push_back(factor * (x(i) + 1));
  for (int64_t i = 0; i < n; ++i) values.push_back((x(i) + 1) * (x(i) + 1 < 1.75 ? 4 : 2));
  for (int64_t i = 0; i < n; ++i) values.push_back(factor);
  for (int64_t i = 0; i < n; ++i) values.push_back(x(i) / 32 + 6.125);
  for (int64_t i = 0; i < n; ++i) values.push_back(std::pow(x(i) + 1, 8));
  for (int64_t i = 0; i < n; ++i) values.push_back(2 * x(i));
  for (int64_t i = 0; i < n; ++i) values.push_back(n % 3 == 0 ? 2 * x(i) : n % 3 == 1 ? -x(i) : x(i) * x(i));
  double slope = 0;
  for (int64_t i = 0; i < n; ++i) {
    const double t = std::tanh(x(i));
    slope += t + x(i) * (1 - t * t);
  }
  values.push_back(slope);
  for (int64_t i = 0; i < 9; ++i) values.push_back(i % 4 == 0 ? 6 * static_cast<double>(i / 4) : 0);
  values.push_back(1);
  for (int64_t i = 0; i < n; ++i) values.push_back(3 * (x(i) + 1));
  values.push_back(0);
  return values;
}

void expect_right(const std::vector<float>& actual, int64_t n) {
  const std::vector<double> expected = plainly(n);
  ASSERT_EQ(actual.size(), expected.size()) << n;
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(actual[i], expected[i], 2e-6 * (1 + std::abs(expected[i]))) << "value " << i << " of " << n;
}

void all_ways_in_at_once(int64_t first) {
  constexpr int kThreads = 4;
  std::vector<std::vector<float>> same(kThreads), other(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      const auto i = static_cast<size_t>(t);
      same[i] = all_of_it(first);
      other[i] = all_of_it(first + 1 + t);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int t = 0; t < kThreads; ++t) {
    expect_right(same[static_cast<size_t>(t)], first);
    expect_right(other[static_cast<size_t>(t)], first + 1 + t);
  }
}

TEST(ThreadsTest, AllWaysInAtOnce) {
  all_ways_in_at_once(40);
}

// Programs go while others find them.
TEST(ThreadsTest, AllWaysInAtOnceWhereTheCacheIsSmall) {
  const int64_t before = cache_info().programs.evictions;
  set_cache_limit(1 << 16);
  all_ways_in_at_once(30);
  set_cache_limit(0);
  EXPECT_GT(cache_info().programs.evictions, before);
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
