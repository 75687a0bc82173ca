// Several threads that make programs at once: they wait for each other where that ends, and get an error
// where it would not.
#include <atomic>
#include <barrier>
#include <thread>

#include "frontend/testing.h"

namespace ingot {
namespace {

using testing::counting;

TEST(MakingTest, AFunctionMayCompileAnotherWhileItIsTraced) {
  int inner_traces = 0;
  const auto inner = jit([&](Array x) {
    ++inner_traces;
    return x * 5;
  });
  const auto outer = jit([&](Array x) {
    EXPECT_EQ(inner.compile(Array::abstract(DType::kF32, {7})).launches(), 1);
    return inner(x) + 1;
  });
  EXPECT_EQ(outer(counting({7})).to_vector<float>()[2], 11);
  EXPECT_EQ(inner_traces, 1);
}

TEST(MakingTest, AnErrorLeavesNobodyWaiting) {
  std::atomic<int> runs = 0;
  const auto f = jit([&](Array x) -> Array {
    if (runs.fetch_add(1) < 3) throw Error("not yet");
    return x + 1;
  });
  std::atomic<int> errors = 0, results = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t) {
    threads.emplace_back([&] {
      try {
        f(counting({9}));
        ++results;
      } catch (const Error&) {
        ++errors;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(errors, 3);  // each of those who wait tries again
  EXPECT_EQ(results, 3);
}

// Each thread traces one function and wants the other: neither would ever end.
TEST(MakingTest, CirclesThroughThreadsAreErrors) {
  std::barrier both(2);
  std::function<Array(Array)> f, g;
  std::atomic<bool> f_is_traced = false, g_is_traced = false;
  const auto jitted_f = jit([&](Array x) {
    if (!f_is_traced.exchange(true)) both.arrive_and_wait();
    return g(x) + 1;
  });
  const auto jitted_g = jit([&](Array x) {
    if (!g_is_traced.exchange(true)) both.arrive_and_wait();
    return f(x) + 1;
  });
  f = [&](Array x) { return jitted_f(x); };
  g = [&](Array x) { return jitted_g(x); };
  std::string errors[2];
  std::thread other([&] { errors[0] = testing::error_of([&] { f(counting({11})); }); });
  errors[1] = testing::error_of([&] { g(counting({11})); });
  other.join();
  for (const std::string& error : errors)
    EXPECT_NE(error.find("calls itself while it is being traced"), std::string::npos) << error;
}

}  // namespace
}  // namespace ingot
