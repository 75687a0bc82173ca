#include "runtime/thread_pool.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/options.h"
#include "testing/sanitized.h"

namespace ingot::runtime {
namespace {

class ThreadPool : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override { set_num_threads(GetParam()); }
  void TearDown() override { set_num_threads(0); }
};

void cover(int64_t units, Grain grain) {
  std::vector<int> hits(static_cast<size_t>(units), 0);
  std::atomic<bool> misshapen{false};
  parallel_for(units, grain, [&](int64_t begin, int64_t end) {
    if (begin % grain.least != 0 || begin >= end || end > units) misshapen = true;
    for (int64_t i = begin; i < end; ++i) ++hits[static_cast<size_t>(i)];
  });
  EXPECT_FALSE(misshapen);
  for (int64_t i = 0; i < units; ++i)
    ASSERT_EQ(hits[static_cast<size_t>(i)], 1) << units << " by " << grain.whole;
}

TEST_P(ThreadPool, EveryUnitRunsOnce) {
  for (int64_t units : {0, 1, 2, 7, 64, 1000, 10007}) {
    for (int64_t grain : {1, 2, 3, 100, 20000}) cover(units, grain);
    for (int64_t grain : {2, 3, 7, 100}) cover(units, {grain, grain / 2});
  }
}

TEST_P(ThreadPool, TheLastRangesAreShort) {
  if (GetParam() < 2) return;  // one thread takes all at once
  std::atomic<int64_t> longest{0}, shortest{1000}, ranges{0};
  std::atomic<bool> long_after_short{false};
  parallel_for(1000, Grain(20, 4), [&](int64_t begin, int64_t end) {
    const int64_t length = end - begin;
    for (int64_t seen = longest; seen < length && !longest.compare_exchange_weak(seen, length);) continue;
    for (int64_t seen = shortest; seen > length && !shortest.compare_exchange_weak(seen, length);) continue;
    if (length == 20 && begin >= 1000 - 20 * 2 * GetParam()) long_after_short = true;
    ++ranges;
  });
  EXPECT_EQ(longest, 20);
  EXPECT_EQ(shortest, 4);
  EXPECT_EQ(ranges, 50 - 2 * GetParam() + 10 * GetParam());
  EXPECT_FALSE(long_after_short);
}

TEST_P(ThreadPool, HugeCountsAreCutIntoFewerChunks) {
  std::atomic<int64_t> sum{0};
  int64_t units = int64_t{1} << 60;
  parallel_for(units, units / 8, [&](int64_t begin, int64_t end) { sum += end - begin; });
  EXPECT_EQ(sum, units);
}

TEST_P(ThreadPool, ManyShortJobs) {
  // Jobs follow each other faster than workers can keep up, so that late ones meet closed and newer jobs.
  for (int round = 0; round < 20'000; ++round) {
    std::atomic<int> sum{0};
    parallel_for(3, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) sum.fetch_add(static_cast<int>(i) + 1, std::memory_order_relaxed);
    });
    ASSERT_EQ(sum, 6);
  }
}

TEST_P(ThreadPool, WakesSleepingWorkers) {
  for (int round = 0; round < 5; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    cover(100, 1);
  }
}

TEST_P(ThreadPool, NestedCallsRunInline) {
  std::atomic<int> sum{0};
  parallel_for(8, 1, [&](int64_t begin, int64_t end) {
    std::thread::id outer = std::this_thread::get_id();
    for (int64_t i = begin; i < end; ++i) {
      parallel_for(10, 1, [&](int64_t first, int64_t last) {
        EXPECT_TRUE(GetParam() == 1 || std::this_thread::get_id() == outer);
        sum += static_cast<int>(last - first);
      });
    }
  });
  EXPECT_EQ(sum, 80);
  EXPECT_FALSE(in_parallel_range());
}

TEST_P(ThreadPool, UserThreadsShareThePool) {
  constexpr int kUsers = 6;  // more than there are job slots
  std::atomic<int64_t> total{0};
  auto use = [&] {
    for (int round = 0; round < 500; ++round) {
      int64_t units = 1 + round % 17;
      std::atomic<int64_t> sum{0};
      parallel_for(units, 1, [&](int64_t begin, int64_t end) { sum += end - begin; });
      EXPECT_EQ(sum, units);
      total += sum;
    }
  };
  std::vector<std::thread> users;
  for (int i = 0; i < kUsers; ++i) users.emplace_back(use);
  for (std::thread& user : users) user.join();
  int64_t expected = 0;
  for (int round = 0; round < 500; ++round) expected += 1 + round % 17;
  EXPECT_EQ(total, kUsers * expected);
}

TEST_P(ThreadPool, AnExceptionReachesTheCaller) {
  for (int round = 0; round < 200; ++round) {
    std::atomic<int> running{0};
    try {
      parallel_for(50, 1, [&](int64_t begin, int64_t end) {  // one thread takes all units at once
        ++running;
        const int64_t wrong = round % 50;
        if (begin <= wrong && wrong < end) throw std::runtime_error("unit " + std::to_string(wrong));
        --running;
      });
      ADD_FAILURE() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(std::string(error.what()), "unit " + std::to_string(round % 50));
      EXPECT_EQ(running, 1) << "a range is still running";
    }
    cover(20, 1);
  }
}

TEST_P(ThreadPool, TheNumberOfThreadsMayChangeBetweenCalls) {
  for (int round = 0; round < 30; ++round) {
    set_num_threads(1 + round % 5);
    cover(200, 3);
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, ThreadPool, ::testing::Values(1, 2, 3, 8));

TEST(ThreadPoolResize, UsersRunWhileTheNumberChanges) {
  std::atomic<bool> stop{false};
  std::thread user([&] {
    while (!stop) {
      std::atomic<int64_t> sum{0};
      parallel_for(64, 1, [&](int64_t begin, int64_t end) { sum += end - begin; });
      EXPECT_EQ(sum, 64);
    }
  });
  for (int round = 0; round < 50; ++round) {
    set_num_threads(1 + round % 4);
    cover(64, 1);
  }
  stop = true;
  user.join();
  set_num_threads(0);
}

// The thread sanitizer does not follow threads into a child, and the address sanitizer of GCC 12 leaves its
// allocator locked there.
TEST(ThreadPoolFork, AChildStartsItsOwnWorkers) {
  if (testing::under_sanitizer()) GTEST_SKIP() << "sanitizers do not stand fork() beside threads";
  set_num_threads(3);
  cover(100, 1);
  pid_t child = fork();
  if (child == 0) {
    std::atomic<int64_t> sum{0};
    for (int round = 0; round < 100; ++round) {
      parallel_for(100, 1, [&](int64_t begin, int64_t end) { sum += end - begin; });
    }
    std::exit(sum == 10'000 ? 0 : 1);  // with all destructors: ends the child's workers
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  set_num_threads(0);
}

}  // namespace
}  // namespace ingot::runtime
