// Placing buffers in a frame, by brute force: whoever lives at the same time shares no byte.

#include "compiler/frame_layout.h"

#include <gtest/gtest.h>

#include "testing/tensors.h"

namespace ingot::compiler {
namespace {

TEST(FrameTest, LivingBuffersNeverOverlap) {
  for (uint64_t seed = 0; seed < 500; ++seed) {
    testing::Random random(seed);
    FrameLayout frame;
    const int count = static_cast<int>(testing::random_integer(random, 1, 40));
    int64_t sum = 0;
    for (int i = 0; i < count; ++i) {
      const int64_t bytes = testing::random_integer(random, 0, 1) * testing::random_integer(random, 0, 1000);
      sum += (bytes + 63) / 64 * 64;
      frame.add(bytes, static_cast<int>(testing::random_integer(random, 0, 20)));
      frame.extend(i, static_cast<int>(testing::random_integer(random, 0, 30)));
    }
    const int64_t size = frame.place();
    EXPECT_LE(size, sum);
    int64_t needed = 0;  // at the busiest step
    for (int step = 0; step <= 30; ++step) {
      int64_t live = 0;
      for (int i = 0; i < count; ++i) {
        if (frame.at(i).first <= step && step <= frame.at(i).last) live += frame.at(i).bytes;
      }
      needed = std::max(needed, live);
    }
    EXPECT_GE(size, needed);
    for (int i = 0; i < count; ++i) {
      const FrameLayout::Buffer& a = frame.at(i);
      EXPECT_EQ(a.offset % 64, 0);
      EXPECT_GE(a.offset, 0);
      EXPECT_LE(a.offset + a.bytes, size);
      for (int j = 0; j < i; ++j) {
        const FrameLayout::Buffer& b = frame.at(j);
        const bool together = a.first <= b.last && b.first <= a.last;
        const bool apart = a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset;
        EXPECT_TRUE(!together || apart || a.bytes == 0 || b.bytes == 0) << "seed " << seed;
      }
    }
  }
}

TEST(FrameTest, AChainNeedsTwoBuffers) {
  FrameLayout frame;
  for (int i = 0; i < 10; ++i) {
    frame.add(1000, i);
    frame.extend(i, i + 1);
  }
  EXPECT_EQ(frame.place(), 2 * 1024);
}

}  // namespace
}  // namespace ingot::compiler
