// Jitted functions that are called, and compiled, while a thread or the process goes down.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "frontend/testing.h"

namespace ingot {
namespace {

constexpr int64_t kRows[] = {96, 192, 512}, kColumns[] = {64, 256};

const auto product = jit([](Array x) { return matmul(x, x.T()); });

// Elements of products of halves that are wrong.
int64_t wrong_elements() {
  int64_t wrong = 0;
  for (int64_t rows : kRows) {
    for (int64_t columns : kColumns) {
      const Array x = Array::full({rows, columns}, 0.5f);
      for (float element : product(x).to_vector<float>())
        wrong += element != 0.25f * static_cast<float>(columns) ? 1 : 0;
    }
  }
  return wrong;
}

// What no one has compiled before.
int64_t wrong_elements_of_new_kernel(int64_t size) {
  const auto twice = jit([](Array x) { return where(x > 1, x * 2, cos(x * 0)); });
  int64_t wrong = 0;
  for (float element : twice(Array::full({size}, 3.0f)).to_vector<float>()) wrong += element != 6 ? 1 : 0;
  return wrong;
}

struct Result {
  int64_t old_ones = -1, new_ones = -1;
};

struct AtThreadEnd {
  Result* result = nullptr;
  ~AtThreadEnd() {
    if (result != nullptr) *result = {wrong_elements(), wrong_elements_of_new_kernel(1001)};
  }
};

TEST(LateCallsTest, AThreadThatEndsComputesTheSame) {
  Result results[2];
  for (Result& result : results) {
    std::thread([&] {
      static thread_local AtThreadEnd at_end;
      at_end.result = &result;
      EXPECT_EQ(wrong_elements(), 0);
      EXPECT_EQ(wrong_elements_of_new_kernel(1000), 0);
    }).join();
  }
  for (const Result& result : results) {
    EXPECT_EQ(result.old_ones, 0);
    EXPECT_EQ(result.new_ones, 0);
  }
}

void check_late() {
  if (wrong_elements() != 0) std::_Exit(4);
  if (wrong_elements_of_new_kernel(1003) != 0) std::_Exit(5);
}

// Handlers run before and behind the destructors of LLVM's static objects: as this file's static objects do,
// some were added before LLVM has made its own.
TEST(LateCallsTest, AProcessThatEndsComputesTheSame) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // other tests of this process have started threads
  const auto end = [](int threads) {
    set_num_threads(threads);
    std::atexit(check_late);
    if (wrong_elements() != 0 || wrong_elements_of_new_kernel(1002) != 0) std::_Exit(3);
    std::atexit(check_late);
    std::exit(0);
  };
  EXPECT_EXIT(end(1), ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(end(2), ::testing::ExitedWithCode(0), "");
}

// --- threads that go on

std::atomic<bool> others_go_on{false};
std::atomic<int64_t> programs_of_others{0};

// Added before the library has made most of its static objects, and so run when they would have gone.
[[maybe_unused]] const int waits_for_others = std::atexit([] {
  if (!others_go_on.load()) return;
  const int64_t enough = programs_of_others.load() + 16;  // two for each of them
  for (int ms = 0; programs_of_others.load() < enough; ++ms) {
    if (ms > 120'000) std::_Exit(6);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
});

// A new program at each turn.
void compile_for_ever(int64_t thread, std::atomic<int>& compiled) {
  for (int64_t i = 0;; ++i) {
    const auto f = jit([i](Array x) {
      if (i % 3 == 0) return where(x > 1, x * 2, cos(x * 0));
      if (i % 3 == 1) return cumsum(x, 0) + sin(x);
      return matmul(x.reshape({1, -1}), x.reshape({-1, 1}));
    });
    f(Array::full({100 + 8 * i + thread}, 3.0f));
    if (i == 0) compiled.fetch_add(1);
    programs_of_others.fetch_add(1);
  }
}

TEST(LateCallsTest, ThreadsGoOnWhileTheProcessEnds) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto end = [] {
    static std::atomic<int> compiled{0};
    for (int64_t thread = 0; thread < 8; ++thread)
      std::thread([=] { compile_for_ever(thread, compiled); }).detach();
    while (compiled.load() < 8) std::this_thread::yield();
    others_go_on.store(true);
    std::exit(0);
  };
  for (int i = 0; i < 3; ++i) EXPECT_EXIT(end(), ::testing::ExitedWithCode(0), "");
}

// LLVM is made ready in the midst of exit(), whose handlers have to wait for that too: what they have
// destroyed before is what the compilation, which goes on for as long as the process lives, must not need.
TEST(LateCallsTest, TheFirstCompilationGoesOnWhileTheProcessEnds) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a process that has compiled nothing
  const auto end = [](int microseconds) {
    static std::atomic<bool> begun{false}, done{false};
    std::atexit([] {
      for (int ms = 0; ms < 30'000 && !done.load(); ++ms)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      if (!done.load()) std::_Exit(6);
    });
    std::thread([=] {
      while (!begun.load()) std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
      std::exit(0);
    }).detach();
    begun.store(true);
    if (wrong_elements() != 0) std::_Exit(3);
    done.store(true);
    for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
  };
  for (int after = 1000; after <= 16'000; after += 1000)
    EXPECT_EXIT(end(after), ::testing::ExitedWithCode(0), "") << after;
}

}  // namespace
}  // namespace ingot
