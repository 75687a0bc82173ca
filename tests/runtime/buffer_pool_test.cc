#include "runtime/buffer_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/options.h"
#include "ingot/error.h"

namespace ingot::runtime {
namespace {

BufferPool& pool() {
  return BufferPool::global();
}

uintptr_t address(const std::shared_ptr<Buffer>& buffer) {
  return reinterpret_cast<uintptr_t>(buffer->data());
}

TEST(BufferPool, BuffersAreAlignedAndWritable) {
  for (size_t bytes :
       {0u, 1u, 63u, 64u, 65u, 257u, 4095u, 4097u, 65537u, 1u << 20, 5u << 20, (9u << 20) + 1}) {
    auto buffer = pool().allocate(bytes);
    EXPECT_EQ(buffer->bytes(), bytes);
    EXPECT_GE(buffer->capacity(), bytes);
    const size_t whole_pages = bytes > size_t{1} << 20 ? size_t{2} << 20 : 0;
    EXPECT_LE(buffer->capacity(), std::max<size_t>(64, bytes + bytes / 4 + 64 + whole_pages)) << bytes;
    if (whole_pages > 0) {
      EXPECT_EQ(buffer->capacity() % whole_pages, 0u) << bytes;
    }
    EXPECT_EQ(address(buffer) % (bytes > 65536 ? 4096 : 64), 0u);
    std::memset(buffer->data(), 0xab, bytes);
    EXPECT_EQ(buffer->device(), Device{});
    EXPECT_EQ(buffer->memory_space(), MemorySpace::kHost);
  }
}

TEST(BufferPool, TheSameMemoryComesBack) {
  for (size_t bytes : {100u, 5000u, 100'000u, 3'000'000u}) {
    auto first = pool().allocate(bytes);
    void* data = first->data();
    first.reset();
    auto fresh = pool().statistics().fresh_allocations;
    auto second = pool().allocate(bytes - bytes / 50);  // another size of the same class
    EXPECT_EQ(second->data(), data) << bytes;
    EXPECT_EQ(pool().statistics().fresh_allocations, fresh);
  }
}

TEST(BufferPool, BigBuffersBorrowFromTheNextClasses) {
  pool().trim();
  auto first = pool().allocate(10 << 20);
  void* data = first->data();
  first.reset();
  EXPECT_EQ(pool().allocate(8 << 20)->data(), data);
  EXPECT_NE(pool().allocate(5 << 20)->data(), data) << "half the memory would lie idle";
}

TEST(BufferPool, AWeakReferenceKeepsTheMemory) {
  auto first = pool().allocate(1000);
  std::weak_ptr<Buffer> weak = first;
  void* data = first->data();
  first.reset();
  EXPECT_TRUE(weak.expired());
  auto second = pool().allocate(1000);
  EXPECT_NE(second->data(), data);
}

TEST(BufferPool, StatisticsFollowLiveAndPeak) {
  pool().reset_peak();
  PoolStatistics before = pool().statistics();
  {
    auto a = pool().allocate(1 << 20), b = pool().allocate(1 << 20);
    PoolStatistics during = pool().statistics();
    EXPECT_EQ(during.live_bytes, before.live_bytes + (2 << 20));
    EXPECT_EQ(during.live_buffers, before.live_buffers + 2);
    EXPECT_EQ(during.allocations, before.allocations + 2);
  }
  PoolStatistics after = pool().statistics();
  EXPECT_EQ(after.live_bytes, before.live_bytes);
  EXPECT_EQ(after.peak_bytes, before.live_bytes + (2 << 20));
  EXPECT_GE(after.retained_bytes, 2 << 20);
  pool().trim(1 << 20);
  EXPECT_LE(pool().statistics().retained_bytes, 1 << 20);
  pool().trim();
  EXPECT_EQ(pool().statistics().retained_bytes, 0);
}

TEST(BufferPool, RetainsNoMoreThanItsCap) {
  pool().trim();
  Options::global().pool_retain_mb = 4;
  {
    std::vector<std::shared_ptr<Buffer>> buffers;
    for (int i = 0; i < 8; ++i) buffers.push_back(pool().allocate(1 << 20));
  }
  EXPECT_LE(pool().statistics().retained_bytes, 4 << 20);
  EXPECT_GE(pool().statistics().retained_bytes, 3 << 20);
  Options::global().pool_retain_mb = 0;
}

TEST(BufferPool, OutOfMemorySaysWhatIsLive) {
  pool().trim();
  int64_t base = pool().statistics().live_bytes;
  Options::global().memory_limit_mb = (base >> 20) + 16;
  auto weights = pool().allocate(8 << 20, "weights of a test");
  auto plain = pool().allocate(4 << 20);
  pool().allocate(2 << 20).reset();  // retained, and given back before an error
  std::string text;
  try {
    pool().allocate(8 << 20, BufferPool::intern("result " + std::to_string(0)));
  } catch (const Error& error) {
    text = error.what();
  }
  Options::global().memory_limit_mb = 0;
  EXPECT_NE(text.find("out of memory: a buffer of 8.0 MiB (result 0) was asked for"), std::string::npos)
      << text;
  EXPECT_NE(text.find("8.0 MiB  weights of a test\n  4.0 MiB  (no label)"), std::string::npos) << text;
  EXPECT_EQ(pool().statistics().retained_bytes, 0);
  EXPECT_NO_THROW(pool().allocate(8 << 20));
}

TEST(BufferPool, AnAbsurdSizeIsAnError) {
  EXPECT_THROW(pool().allocate(size_t{1} << 60), Error);
  EXPECT_THROW(pool().allocate(static_cast<size_t>(-1)), Error);
  EXPECT_THROW(pool().allocate(size_t{1} << 45), Error);
}

TEST(BufferPool, InternedLabelsAreShared) {
  EXPECT_EQ(BufferPool::intern("some label"), BufferPool::intern(std::string("some ") + "label"));
}

TEST(BufferPool, BuffersTravelBetweenThreads) {
  // Producers fill buffers, consumers check and free them; nobody ever sees another's bytes.
  constexpr int kThreads = 4, kRounds = 2000;
  std::mutex mutex;
  std::vector<std::pair<std::shared_ptr<Buffer>, unsigned char>> shelf;
  std::atomic<int> wrong{0};
  auto work = [&](int seed) {
    for (int i = 0; i < kRounds; ++i) {
      size_t bytes = 1 + static_cast<size_t>((i * 7919 + seed * 104729) % 9000);
      unsigned char mark = static_cast<unsigned char>(i * kThreads + seed);
      auto buffer = pool().allocate(bytes);
      std::memset(buffer->data(), mark, bytes);
      std::lock_guard lock(mutex);
      shelf.emplace_back(std::move(buffer), mark);
      if (shelf.size() > 16) {
        auto& [old, expected] = shelf[static_cast<size_t>(i) % shelf.size()];
        const unsigned char* data = static_cast<unsigned char*>(old->data());
        if (data[0] != expected || data[old->bytes() - 1] != expected) ++wrong;
        std::swap(shelf[static_cast<size_t>(i) % shelf.size()], shelf.back());
        shelf.pop_back();
      }
    }
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) threads.emplace_back(work, t);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

// Freed while the process goes down, after the thread's cache has been closed.
std::shared_ptr<Buffer> survivor = BufferPool::global().allocate(128, "survivor");

}  // namespace
}  // namespace ingot::runtime
