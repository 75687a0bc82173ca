// Kernels that read parts of arrays.
#include <gtest/gtest.h>

#include "compiler/compiler.h"
#include "ingot/error.h"
#include "ir/text.h"
#include "testing/differential.h"

namespace ingot::testing {
namespace {

// A chain of products of the slices of one array.
std::unique_ptr<ir::Module> chain(int products) {
  std::string text = "func @main(%x: f32[" + std::to_string(products) + ",4,4]) -> (f32[4,4]) {\n";
  for (int i = 0; i < products; ++i) {
    const std::string n = std::to_string(i);
    text += "  %s" + n + " = slice(%x) {limits = [" + std::to_string(i + 1) + ",4,4], starts = [" + n +
            ",0,0], strides = [1,1,1]} : f32[1,4,4]\n  %r" + n + " = reshape(%s" + n +
            ") {shape = [4,4]} : f32[4,4]\n";
  }
  std::string last = "%r0";
  for (int i = 1; i < products; ++i) {
    const std::string n = std::to_string(i);
    text += "  %p" + n + " = dot_general(" + last + ", %r" + n +
            ") {lhs_batch = [], lhs_contract = [1], rhs_batch = [], rhs_contract = [0]} : f32[4,4]\n";
    last = "%p" + n;
  }
  return ir::parse(text + "  return " + last + "\n}\n");
}

// The first product reads two slices, all others one and the product before: two kernels, whatever the
// length.
TEST(ReachedPartsTest, KernelsThatReadFromElsewhereAreOne) {
  EXPECT_EQ(compiler::compile(chain(12)).executable->kernels().size(), 2u);
  EXPECT_EQ(compiler::compile(chain(35)).executable->kernels().size(), 2u);
  EXPECT_EQ(check_compiled(*chain(12), {}, 1), "");
}

// Where each launch of the one kernel begins to read, reports tell.
TEST(ReachedPartsTest, ReportsTellWhichPart) {
  const compiler::Compiled compiled = compiler::compile(chain(4));
  const runtime::Plan& plan = compiled.executable->plan();
  const runtime::PlanFunction& main = compiled.executable->entry();
  ASSERT_EQ(main.steps.size(), 3u);
  EXPECT_EQ(parts_text(plan, main, 0), "elements 0 to 31 of %x");
  EXPECT_EQ(parts_text(plan, main, 1), "elements 32 to 47 of %x");
  EXPECT_EQ(parts_text(plan, main, 2), "elements 48 to 63 of %x");
  EXPECT_NE(to_string(plan).find("reads elements 48 to 63 of %x"), std::string::npos);
}

// A part lies inside of its value, not only inside of the frame.
TEST(ReachedPartsTest, PlansThatReadBehindAValueAreRefused) {
  runtime::Plan plan = compiler::compile(chain(4)).executable->plan();
  auto& main = plan.functions[static_cast<size_t>(plan.entry)];
  runtime::Location& product = std::get<runtime::LaunchStep>(main.steps[1]).buffers[1];
  ASSERT_EQ(product.kind, runtime::Location::Kind::kFrame);
  product.offset = product.offset == 0 ? 64 : 0;
  try {
    runtime::verify(plan);
    FAIL() << "the plan is taken";
  } catch (const InternalError& error) {
    EXPECT_NE(std::string(error.what()).find("what is read of %p1 leaves it"), std::string::npos)
        << error.what();
  }
}

// A result as large as what is read of the argument must not lie in the argument's place.
TEST(ReachedPartsTest, APartIsNoPlaceForTheResult) {
  auto module = ir::parse(R"(func @main(%x: f32[64]) -> (f32[32]) {
  %s = slice(%x) {limits = [64], starts = [32], strides = [1]} : f32[32]
  %y = exp(%s) : f32[32]
  return %y
}
)");
  module->entry()->donated.insert(0);
  EXPECT_EQ(check_compiled(*module, {}, 1), "");
  const compiler::Compiled compiled = compiler::compile(std::move(module));
  EXPECT_EQ(compiled.executable->entry().results[0].may_alias_argument, -1);
}

// Of an array in the frame, each half is read by a kernel of its own, the second one at an offset.
TEST(ReachedPartsTest, HalvesOfAnArrayInTheFrame) {
  EXPECT_EQ(
      check_compiled(*ir::parse(R"(func @main(%x: f32[64,64], %w: f32[64,64]) -> (f32[32,32], f32[32,32]) {
  %p = dot_general(%x, %w) {lhs_batch = [], lhs_contract = [1], rhs_batch = [], rhs_contract = [0]} : f32[64,64]
  %a = slice(%p) {limits = [32,64], starts = [0,0], strides = [1,1]} : f32[32,64]
  %b = slice(%p) {limits = [64,64], starts = [32,0], strides = [1,1]} : f32[32,64]
  %v = slice(%w) {limits = [64,64], starts = [0,32], strides = [1,1]} : f32[64,32]
  %c = dot_general(%a, %v) {lhs_batch = [], lhs_contract = [1], rhs_batch = [], rhs_contract = [0]} : f32[32,32]
  %d = dot_general(%b, %v) {lhs_batch = [], lhs_contract = [1], rhs_batch = [], rhs_contract = [0]} : f32[32,32]
  return %c, %d
}
)"),
                     {}, 1),
      "");
}

}  // namespace
}  // namespace ingot::testing
