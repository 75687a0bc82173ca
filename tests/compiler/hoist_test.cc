// What is the same for all points of a row is computed once per row, and the bits stay.
#include <gtest/gtest.h>

#include "compiler/pipeline.h"
#include "compiler/planned_kernels.h"
#include "ir/text.h"
#include "kernel/candidates.h"
#include "kernel/schedule/schedule.h"
#include "pass/runner.h"
#include "testing/differential.h"

namespace ingot::compiler {
namespace {

// The one kernel of the program with its schedule.
std::string schedule_of(const std::string& text) {
  const auto module = ir::parse(text);
  pass::PassContext context;
  pass::run_passes(*module, pipeline(), context);
  std::vector<PlannedKernel> planned = plan_kernels(*module, context.candidates());
  EXPECT_EQ(planned.size(), 1u);
  return kernel::to_string(kernel::schedule(std::move(planned[0].kernel), kernel::common_machine()));
}

std::string of_rows(const std::string& per_row) {
  return "func @main(%x: f32[100,512], %s: f32[100]) -> (f32[100,512]) {\n" + per_row +
         "  %b = broadcast(%r) {dims = [0], shape = [100,512]} : f32[100,512]\n"
         "  %y = div(%x, %b) : f32[100,512]\n  return %y\n}\n";
}

TEST(HoistTest, WhatARowSharesIsComputedOnce) {
  const std::string text = of_rows("  %r = sqrt(%s) : f32[100]\n");
  const std::string kernel = schedule_of(text);
  const size_t root = kernel.find("sqrt("), lanes = kernel.find(" lanes "), load = kernel.find("load s");
  ASSERT_NE(lanes, std::string::npos) << kernel;
  EXPECT_LT(root, lanes) << kernel;
  EXPECT_LT(load, lanes) << kernel;
  ASSERT_NE(kernel.find("div("), std::string::npos) << kernel;
  EXPECT_GT(kernel.find("div("), lanes) << "a division stays one:\n" << kernel;
  EXPECT_EQ(testing::check_compiled(*ir::parse(text), std::vector<double>{0}, 1), "");
}

// A load is as cheap beside its use.
TEST(HoistTest, WhatCostsLittleStays) {
  const std::string kernel = schedule_of(of_rows("  %r = neg(%s) : f32[100]\n"));
  const size_t load = kernel.find("load s"), lanes = kernel.find(" lanes ");
  ASSERT_TRUE(load != std::string::npos && lanes != std::string::npos) << kernel;
  EXPECT_GT(load, lanes) << kernel;
}

// Its own row's first element, with the array given away: what is hoisted is read before the row is written.
TEST(HoistTest, OfTheArrayItself) {
  for (const char* extent : {"512", "500", "64", "3"}) {
    const std::string type = std::string("f32[304,") + extent + "]";
    const std::string text =
        "func @main(%t: " + type + " donated) -> (" + type +
        ") {\n  %c = slice(%t) {limits = [304,1], starts = [0,0], strides = [1,1]} : f32[304,1]\n"
        "  %q = mul(%c, %c) : f32[304,1]\n  %e = sqrt(%q) : f32[304,1]\n"
        "  %r = reshape(%e) {shape = [304]} : f32[304]\n  %b = broadcast(%r) {dims = [0], shape = [304," +
        extent + "]} : " + type + "\n  %y = mul(%t, %b) : " + type + "\n  return %y\n}\n";
    EXPECT_EQ(testing::check_compiled(*ir::parse(text), std::vector<double>{0}, 1), "") << text;
  }
}

}  // namespace
}  // namespace ingot::compiler
