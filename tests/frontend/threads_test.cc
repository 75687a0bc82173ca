// Threads that trace, differentiate, batch and compile at once, the same functions and different ones, share
// all caches and get what a thread alone gets.
#include <atomic>
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
    EXPECT_EQ(same[static_cast<size_t>(t)], all_of_it(40));
    EXPECT_EQ(other[static_cast<size_t>(t)], all_of_it(41 + t));
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
