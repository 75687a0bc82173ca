// What kernels reach of their inputs.
#include "kernel/ir/reach.h"

#include <gtest/gtest.h>

#include "testing/kernel_builder.h"

namespace ingot {
namespace {

using namespace testing;

// Copies four elements, read at these places of an array of 100; where no predicate allows it, 0.
template <class... Offsets>
Kernel reading(bool guarded, Offsets... offsets) {
  KernelBuilder b("part");
  const BufferId x = b.input(DType::kF32, 100), y = b.output(DType::kF32, 4);
  b.parallel(4, [&](Index i) {
    const ScalarId inside = guarded ? b.in_range(i, 1, 4) : kNone;
    ScalarId sum = b.literal(0.0f);
    ((sum = b.let("add", {sum, b.load(x, offsets(i), inside)})), ...);
    b.store(y, i, sum);
  });
  Kernel kernel = b.finish();
  cut_to_reach(kernel);
  verify(kernel);
  return kernel;
}

void expect_cut(const Kernel& kernel, int64_t start, int64_t elements) {
  EXPECT_EQ(kernel.input_starts, std::vector<int64_t>{start});
  EXPECT_EQ(kernel.buffers[0].elements, elements);
}

TEST(ReachTest, KernelsThatBeginElsewhereAreOne) {
  const Kernel early = reading(false, [](Index i) { return i + 8; });
  const Kernel late = reading(false, [](Index i) { return i + 40; });
  expect_cut(early, 8, 4);
  expect_cut(late, 40, 4);
  EXPECT_EQ(structural_hash(early), structural_hash(late));
  const Kernel wider = reading(false, [](Index i) { return i * 2 + 40; });
  expect_cut(wider, 40, 7);
  EXPECT_NE(structural_hash(late), structural_hash(wider));
}

TEST(ReachTest, AllLoadsCount) {
  expect_cut(reading(
                 false, [](Index i) { return i + 8; }, [](Index i) { return i * -1 + 50; }),
             8, 43);
  expect_cut(reading(
                 false, [](Index i) { return i; }, [](Index i) { return i + 96; }),
             0, 100);
}

// What a predicate keeps from being read need not lie in the array.
TEST(ReachTest, GuardedLoadsOutsideStay) {
  expect_cut(reading(true, [](Index i) { return i - 1; }), 0, 100);
  expect_cut(reading(true, [](Index i) { return i + 97; }), 0, 100);
  expect_cut(reading(true, [](Index i) { return i + 20; }), 20, 4);
}

TEST(ReachTest, WhatNobodyReadsStays) {
  KernelBuilder b("fill");
  b.input(DType::kF32, 100);
  const BufferId y = b.output(DType::kF32, 4);
  b.parallel(4, [&](Index i) { b.store(y, i, b.literal(1.0f)); });
  Kernel kernel = b.finish();
  cut_to_reach(kernel);
  expect_cut(kernel, 0, 100);
}

}  // namespace
}  // namespace ingot
