// What a contraction's schedule takes of memory.
#include <gtest/gtest.h>

#include "ir/text.h"
#include "kernel/group.h"
#include "kernel/lower.h"
#include "kernel/schedule.h"

namespace ingot::kernel {
namespace {

// A contracted dimension that has no divisors is not cut into blocks: what is packed of it stays bounded all
// the same, since every thread holds a copy.
TEST(ContractionTest, PacksFewPanelsOfALongContractedDimension) {
  const std::string text = R"(func @main(%x: f32[256,1000003], %w: f32[1000003,2048]) -> (f32[256,2048]) {
  %d = dot_general(%x, %w) {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0]} : f32[256,2048]
  return %d
}
)";
  const std::unique_ptr<ir::Module> module = ir::parse(text);
  Target target;
  target.vector_bytes = 64;
  target.vector_registers = 32;
  const Kernel kernel = schedule(lower(group_of_region(module->entry()->body()), "main"), target);
  int64_t bytes = 0;
  for (const Buffer& buffer : kernel.buffers) {
    if (buffer.kind == Buffer::Kind::kLocal)
      bytes += buffer.elements * static_cast<int64_t>(byte_size(buffer.dtype));
  }
  EXPECT_EQ(kernel.kind, "contraction");
  EXPECT_LE(bytes, int64_t{256} << 20);
}

}  // namespace
}  // namespace ingot::kernel
