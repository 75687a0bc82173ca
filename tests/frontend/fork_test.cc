// A child of fork() can do all that its parent can, whatever the parent's other threads were doing.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <thread>

#include "frontend/testing.h"
#include "ingot/autodiff.h"
#include "testing/sanitized.h"

namespace ingot {
namespace {

using testing::counting;

// The thread sanitizer does not follow threads into a child, and the address sanitizer of GCC 12 leaves its
// allocator locked there.
class ForkTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (testing::under_sanitizer()) GTEST_SKIP() << "sanitizers do not stand fork() beside threads";
  }
};

constexpr int kForks = 5;
constexpr unsigned kSecondsOfAChild = 300;  // then the alarm ends it

// x[1] = 1 is doubled until it is 1024, in a while of as many elements and in a batch of lanes.
bool loops_and_branches(const Array& x) {
  const auto twice = [](Array v) { return v * 2.0f; };
  const Array all = while_loop([](Array v) { return v[1] < 1000.0f; }, twice, x);
  const Array each = vmap(
      [&](Array v) { return while_loop([](Array u) { return (u > 0.0f) & (u < 1000.0f); }, twice, v); })(x);
  const Array one = cond(
      each[1] > 1000.0f, [](Array v) { return v - 1.0f; }, [](Array v) { return v; }, all);
  return all[3].item<float>() == 3072 && each[3].item<float>() == 1536 && one[1].item<float>() == 1023;
}

// A program that has not been compiled before, by its shape; it runs on several threads if n is large.
bool computes(int64_t n) {
  const auto f = [](Array x) { return sum(sin(x) * cos(x) + 1.0f); };
  const Array x = counting({n});
  const double value = jit(f)(x).item<float>();
  const std::vector<float> gradient = grad(f)(x).to_vector<float>();
  double expected = 0;
  bool right = gradient.size() == static_cast<size_t>(n);
  for (int64_t i = 0; right && i < n; ++i) {
    const auto v = static_cast<double>(i);
    expected += std::sin(v) * std::cos(v) + 1;
    right = std::abs(gradient[static_cast<size_t>(i)] - std::cos(2 * v)) <= 2e-6;
  }
  return right && std::abs(value - expected) <= 2e-6 * expected && loops_and_branches(x);
}

// What a child does; its exit status.
int child(int64_t n) {
  alarm(kSecondsOfAChild);
  set_num_threads(3);
  std::atomic<int> right = 0;
  std::thread other([&] { right += computes(n) ? 1 : 0; });
  right += computes(n + 1) ? 1 : 0;
  other.join();
  // Large enough for the workers of the child.
  const std::vector<float> big = (counting({1 << 20}) * 2 + 1).to_vector<float>();
  size_t same = 0;
  for (size_t i = 0; i < big.size(); ++i) same += big[i] == static_cast<float>(2 * i + 1) ? 1 : 0;
  right += same == size_t{1} << 20 ? 1 : 0;
  return right == 3 ? 0 : 1;
}

int fork_one(int64_t n) {
  const pid_t pid = fork();
  if (pid == 0) _exit(child(n));
  int status = -1;
  EXPECT_EQ(waitpid(pid, &status, 0), pid);
  return status;
}

// Forks while other threads do `work(i)` for ever new i.
template <class Work>
void fork_during(const Work& work) {
  set_num_threads(3);
  std::atomic<bool> stop = false;
  static std::atomic<int64_t> next = 1000;
  std::vector<std::thread> busy;
  for (int t = 0; t < 2; ++t) {
    busy.emplace_back([&] {
      while (!stop) work(next++);
    });
  }
  for (int i = 0; i < kForks; ++i) {
    EXPECT_EQ(fork_one(next += 10), 0) << "fork " << i;
    std::this_thread::sleep_for(std::chrono::microseconds(500 * i));
  }
  stop = true;
  for (std::thread& thread : busy) thread.join();
  set_num_threads(0);
}

TEST_F(ForkTest, WhileOthersTraceAndCompile) {
  fork_during([](int64_t n) { EXPECT_TRUE(computes(n)); });
}

TEST_F(ForkTest, WhileOthersRun) {
  const Array x = counting({1 << 18});
  const auto f = jit([](Array v) { return exp(v * 1e-6f) + 1; });
  std::vector<double> expected;
  for (int i = 0; i < 1 << 18; ++i) expected.push_back(std::exp(i * 1e-6) + 1);
  fork_during([&](int64_t) {
    const std::vector<float> values = f(x).to_vector<float>();
    size_t near = 0;
    for (size_t i = 0; i < values.size(); ++i) near += std::abs(values[i] - expected[i]) <= 1e-6 ? 1 : 0;
    EXPECT_EQ(near, expected.size());
  });
}

// The thread that forks is tracing: its child finds the trace as it was, and may end it.
TEST_F(ForkTest, InsideOfATrace) {
  pid_t pid = -1;
  const auto f = jit([&](Array x) {
    pid = fork();
    if (pid == 0) alarm(kSecondsOfAChild);
    return x + 1;
  });
  const float value = f(counting({5})).to_vector<float>()[4];
  if (pid == 0) _exit(value == 5 && f(counting({5})).to_vector<float>()[1] == 2 ? child(500) : 1);
  int status = -1;
  EXPECT_EQ(waitpid(pid, &status, 0), pid);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace ingot
