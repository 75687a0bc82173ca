#include "base/stack.h"

#include <gtest/gtest.h>

#include <cstddef>

namespace ingot {
namespace {

// Lies in the stack of each thread of this process.
constexpr size_t kLargeThreadLocal = 512 << 10;
thread_local volatile char large_thread_local[kLargeThreadLocal];

TEST(Stack, HasWhatWasAskedForBesideLargeThreadLocals) {
  for (const size_t bytes : {size_t{32} << 10, size_t{1} << 20}) {
    struct Seen {
      size_t left = 0;
      int calls = 0;
    } seen;
    ASSERT_TRUE(run_on_stack(
        bytes,
        [](void* context) {
          large_thread_local[kLargeThreadLocal / 2] = 1;
          auto& seen = *static_cast<Seen*>(context);
          seen.left = stack_left();
          ++seen.calls;
        },
        &seen));
    EXPECT_EQ(seen.calls, 1);
    EXPECT_GE(seen.left + 4096, bytes);
  }
}

TEST(Stack, WhatNoSystemGivesIsTold) {
  EXPECT_FALSE(run_on_stack(
      size_t{1} << 60, [](void*) {}, nullptr));
}

}  // namespace
}  // namespace ingot
