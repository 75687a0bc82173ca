// What the kernels of a process are looked up by.
#include <gtest/gtest.h>

#include "codegen/codegen.h"
#include "compiler/compiler.h"
#include "ir/text.h"

namespace ingot::compiler {
namespace {

int compiled_for(const kernel::Target& target) {
  Options options;
  options.target = target;
  return compile(ir::parse(R"(func @main(%x: f32[67,43]) -> (f32[67,43]) {
  %y = mul(%x, %x) : f32[67,43]
  %z = exp(%y) : f32[67,43]
  return %z
}
)"),
                 options)
      .kernels_compiled;
}

// A schedule depends on all of the target: kernels for other caches, or other instructions, are others.
TEST(KernelCacheTest, KnowsTheWholeTarget) {
  const kernel::Target target = codegen::available_targets().front();
  EXPECT_EQ(compiled_for(target), 1);
  EXPECT_EQ(compiled_for(target), 0);
  kernel::Target small = target;
  small.l2_bytes /= 2;
  EXPECT_EQ(compiled_for(small), 1);
  kernel::Target narrow = target;
  narrow.bf16_products = !target.bf16_products;
  EXPECT_EQ(compiled_for(narrow), 1);
}

}  // namespace
}  // namespace ingot::compiler
