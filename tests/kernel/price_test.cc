#include <gtest/gtest.h>

#include "kernel/cost/price.h"
#include "kernel/ir/blocks.h"
#include "kernel/schedule/schedule.h"
#include "testing/kernel_builder.h"

namespace ingot::testing {
namespace {

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
