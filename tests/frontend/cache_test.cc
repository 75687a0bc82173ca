// The caches of programs and kernels stay below their limit, and nobody notices but by waiting for a
// compiler.
#include "ingot/cache.h"

#include <algorithm>
#include <atomic>
#include <fstream>
#include <string>
#include <thread>

#include "frontend/testing.h"

namespace ingot {
namespace {

using testing::counting;

// A limit of so many bytes beyond what the caches take of what came before.
class Limited {
 public:
  explicit Limited(int64_t bytes) {
    set_cache_limit(1);  // drops all that nobody runs
    set_cache_limit(std::max<int64_t>(1, cache_info().programs.bytes + cache_info().kernels.bytes + bytes));
  }
  ~Limited() { set_cache_limit(0); }
};

int64_t bytes() {
  const CacheInfo info = cache_info();
  return info.programs.bytes + info.kernels.bytes;
}

int64_t executable_mappings() {
  std::ifstream maps("/proc/self/maps");
  int64_t count = 0;
  for (std::string line; std::getline(maps, line);) count += line.find(" r-xp ") != std::string::npos ? 1 : 0;
  return count;
}

TEST(CacheTest, CountsWhatHappens) {
  const auto f = jit([](Array x) { return x * 3 + 1.25f; });
  const CacheInfo before = cache_info();
  f(counting({17}));
  f(counting({17}));
  f(counting({17}));
  const CacheInfo after = cache_info();
  EXPECT_EQ(after.programs.misses, before.programs.misses + 1);
  EXPECT_EQ(after.programs.hits, before.programs.hits + 2);
  EXPECT_EQ(after.programs.entries, before.programs.entries + 1);
  EXPECT_GT(after.programs.bytes, before.programs.bytes);
  EXPECT_GE(after.kernels.bytes, before.kernels.bytes + 4096);  // its machine code
  EXPECT_EQ(after.limit_bytes, int64_t{512} << 20);
  const int here = __LINE__ + 1;
  const std::string error = testing::error_of([] { set_cache_limit(-1); });
  EXPECT_EQ(error, testing::line(here) +
                       "set_cache_limit: the limit is 0 (the default) or a number of bytes, not -1");
}

TEST(CacheTest, ManyShapesStayBelowTheLimit) {
  const Limited limited(400 << 10);
  const CacheInfo before = cache_info();
  const int64_t limit = before.limit_bytes;
  const auto f = jit([](Array x) { return x * 0.5f + 2; });
  int64_t mappings = 0;
  for (int n = 1; n <= 160; ++n) {
    EXPECT_EQ(f(counting({n})).to_vector<float>().back(), static_cast<float>(n - 1) * 0.5f + 2);
    EXPECT_LE(bytes(), limit) << n;
    if (n == 80) mappings = executable_mappings();
  }
  EXPECT_GT(cache_info().programs.evictions, before.programs.evictions + 100);
  EXPECT_GT(cache_info().kernels.evictions, before.kernels.evictions + 100);
  EXPECT_LE(executable_mappings(), mappings + 20);  // machine code is given back
}

TEST(CacheTest, WhatIsCalledStays) {
  const Limited limited(400 << 10);
  const auto hot = jit([](Array x) { return x - 7; });
  const auto f = jit([](Array x) { return x + 7; });
  hot(counting({3}));
  const int64_t misses = cache_info().programs.misses;
  for (int n = 1; n <= 60; ++n) {
    f(counting({n}));
    hot(counting({3}));
  }
  EXPECT_EQ(cache_info().programs.misses, misses + 60);
}

TEST(CacheTest, AnEvictedFunctionIsCompiledAgainFromItsTrace) {
  float factor = 3;
  const auto f = jit([&](Array x) { return sin(x) * factor; });
  const std::vector<float> first = f(counting({1000})).to_vector<float>();
  const Compiled kept = f.compile(counting({1000}));
  factor = 4;  // another trace would see it
  set_cache_limit(1);
  const int64_t misses = cache_info().programs.misses;
  EXPECT_EQ(f(counting({1000})).to_vector<float>(), first);
  EXPECT_EQ(cache_info().programs.misses, misses + 1);
  EXPECT_EQ(f.trace_count(), 1);
  EXPECT_EQ(kept.launches(), 1);  // who has looked at it still sees it
  set_cache_limit(0);
}

TEST(CacheTest, DerivativesAndBatchesAreCompiledAgainToo) {
  const auto f = [](Array x) { return sum(sin(x) * x); };
  const auto all = [&] {
    std::vector<float> values = grad(f)(counting({50})).to_vector<float>();
    const std::vector<float> batch = vmap(f)(counting({4, 50})).to_vector<float>();
    const std::vector<float> tangents =
        jvp(f, std::tuple(counting({50})), std::tuple(counting({50}))).second.to_vector<float>();
    values.insert(values.end(), batch.begin(), batch.end());
    values.insert(values.end(), tangents.begin(), tangents.end());
    return values;
  };
  const std::vector<float> first = all();
  set_cache_limit(1);
  const CacheInfo before = cache_info();
  EXPECT_EQ(all(), first);
  EXPECT_EQ(cache_info().programs.misses, before.programs.misses + 3);  // one of each transformation
  EXPECT_EQ(cache_info().programs.hits, before.programs.hits);
  set_cache_limit(0);
}

// Threads call while others put their programs out.
TEST(CacheTest, CallsKeepWhatTheyRun) {
  const Limited limited(60 << 10);  // three or four of the eight programs
  const auto f = jit([](Array x) { return exp(x * 0.001f) * 2 + x; });
  std::vector<std::vector<float>> expected;
  for (int n = 0; n < 8; ++n) expected.push_back(f(counting({100 + n})).to_vector<float>());
  const int64_t evictions = cache_info().programs.evictions;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 100; ++i) {
        const int n = (i * (t + 1) + t) % 8;
        if (f(counting({100 + n})).to_vector<float>() != expected[static_cast<size_t>(n)]) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(cache_info().programs.evictions, evictions + 50);
  const auto last = jit([](Array x) { return x + 0.125f; });
  last(counting({3}));
  EXPECT_LE(bytes(), cache_info().limit_bytes);
}

// A function that goes takes its program along.
TEST(CacheTest, ProgramsGoWithTheirFunctions) {
  const int64_t entries = cache_info().programs.entries;
  {
    int capture = 1;
    const auto f = jit([capture](Array x) { return x * capture; });
    f(counting({31}));
    EXPECT_EQ(cache_info().programs.entries, entries + 1);
  }
  EXPECT_EQ(cache_info().programs.entries, entries);
}

}  // namespace
}  // namespace ingot
