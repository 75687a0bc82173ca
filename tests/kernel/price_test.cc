#include <gtest/gtest.h>

#include "kernel/cost/access_price.h"
#include "kernel/cost/price.h"
#include "kernel/cost/table.h"
#include "kernel/ir/blocks.h"
#include "kernel/schedule/schedule.h"
#include "testing/kernel_builder.h"

namespace ingot::testing {
namespace {

constexpr int64_t kLanes = 16;
constexpr int64_t kRow = 1000;

// What a load costs whose lanes are points of the first variable; the second one runs around it.
double price_of(const std::function<Index(Index lane, Index other)>& place, DType dtype = DType::kF32,
                bool conditional = false) {
  KernelBuilder b("f");
  const BufferId x = b.input(dtype, 1 << 20);
  Kernel kernel = b.finish();
  const VarId lane = kernel.add_var("i", kRow), other = kernel.add_var("j", kRow);
  const ScalarId predicate = conditional ? kernel.add_scalar(DType::kPred) : kNone;
  const Block block{
      {{Load{kernel.add_scalar(dtype), x, place(kernel.var(lane), kernel.var(other)), predicate}}}};
  const Target target{.vector_bytes = 64};
  return AccessPrice(kernel, target)
      .of(*access_of(block, block.stmts[0]), {lane, target.lanes(dtype)}, {other, lane});
}

TEST(PriceTest, AVectorCostsByHowItsLanesLie) {
  EXPECT_EQ(price_of([](Index, Index j) { return j; }), 1);
  EXPECT_EQ(price_of([](Index i, Index) { return i; }), 1);
  EXPECT_EQ(price_of([](Index i, Index) { return Index(kRow - 1) - i; }), prices::kReversedVector);
  const auto across = [](Index i, Index j) { return i * kRow + j; };
  EXPECT_EQ(price_of(across), prices::kTransposedVector);
  EXPECT_EQ(price_of([](Index i, Index j) { return i * kRow + j * 3; }), kLanes * prices::kStrayLane);
}

// No block of rows is transposed of what a condition guards.
TEST(PriceTest, ConditionalLoadsAcrossRowsGoLaneByLane) {
  EXPECT_EQ(price_of([](Index i, Index j) { return i * kRow + j; }, DType::kF32, true),
            kLanes * prices::kStrayLane);
}

TEST(PriceTest, ShortLoopsCountNoSteps) {
  EXPECT_EQ(price_of_step(prices::kWrittenOut), 0);
  EXPECT_EQ(price_of_step(prices::kWrittenOut + 1), prices::kLoopStep);
  EXPECT_EQ(price_of_step(prices::kWrittenOut + 1, 4), prices::kLoopStep / 4);
}

Kernel copies(bool prefetches) {
  KernelBuilder b("copy");
  const BufferId x = b.input(DType::kF32, 1 << 20), y = b.output(DType::kF32, 1 << 20);
  b.parallel_lanes(1 << 20, [&](Index i) { b.store(y, i, b.load(x, i)); });
  Kernel kernel = b.finish();
  Loop* loop = &std::get<Loop>(kernel.body.stmts[0].node);
  while (has_loops(loop->body)) loop = &std::get<Loop>(loop->body.stmts[0].node);
  const auto& load = std::get<Load>(loop->body.stmts[0].node);
  if (prefetches) loop->body.stmts.insert(loop->body.stmts.begin(), {Stmt{ahead_of(load)}});
  choose_code(kernel, {.vector_bytes = 64});
  return kernel;
}

// It makes no line cheaper that the load fetches.
TEST(PriceTest, APrefetchIsNoLoad) {
  const Target target{.vector_bytes = 64};
  EXPECT_EQ(running_price(copies(true), target).total, running_price(copies(false), target).total);
}

}  // namespace
}  // namespace ingot::testing
