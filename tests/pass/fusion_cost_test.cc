// What fusion costs: it must not try again and again what it knows to go well.
#include <gtest/gtest.h>

#include "ir/text.h"
#include "ops/control.h"
#include "pass/passes.h"
#include "pass/runner.h"

namespace ingot::pass {
namespace {

// The derivative of a chain of sines, which is more operations than one kernel takes: operations that are in
// no kernel yet join the second one.
TEST(FusionCostTest, ArithmeticJoinsWithoutBeingLoweredEachTime) {
  const int length = 2400;
  std::string text = "func @f(%y0: f32[]) -> (f32[]) {\n";
  const auto line = [&](const std::string& result, const std::string& op) {
    text += "  %" + result + " = " + op + " : f32[]\n";
  };
  for (int i = 0; i < length; ++i) {
    const std::string at = std::to_string(i);
    line("c" + at, "cos(%y" + at + ")");
    line("y" + std::to_string(i + 1), "sin(%y" + at + ")");
  }
  std::string product = "y" + std::to_string(length);
  for (int i = length; i-- > 0; product = "p" + std::to_string(i))
    line("p" + std::to_string(i), "mul(%" + product + ", %c" + std::to_string(i) + ")");
  const auto module = ir::parse(text + "  return %" + product + "\n}\n");
  PassContext context;
  run_passes(*module, parse_pass_list("fuse"), context);
  EXPECT_LT(context.candidates().lowerings(), 10);
}

// Loops, each of which goes through what the one before it stacked: the kernel of all of them is looked at in
// the end, not that of each beginning.
TEST(FusionCostTest, LoopsOfOneBandJoinWithoutBeingLoweredEachTime) {
  constexpr int kLoops = 12;
  std::string text = "func @f(%c: f32[1000], %y0: f32[50,1000]) -> (f32[1000]) {\n";
  for (int i = 0; i < kLoops; ++i) {
    const std::string at = std::to_string(i);
    text += "  %last" + at + ", %y" + std::to_string(i + 1) + " = scan(%c, %y" + at +
            ") {carries = 1, length = 50, reverse = false, scanned = 1, xs_axes = [0], ys_axes = [0]} (%k" +
            at + ": f32[1000], %x" + at + ": f32[1000]) {\n    %p" + at + " = mul(%k" + at + ", %x" + at +
            ") : f32[1000]\n    %q" + at + " = tanh(%p" + at + ") : f32[1000]\n    return %q" + at + ", %p" +
            at + "\n  } : f32[1000], f32[50,1000]\n";
  }
  const auto module = ir::parse(text + "  %end = exp(%last" + std::to_string(kLoops - 1) +
                                ") : f32[1000]\n  return %end\n}\n");
  PassContext context;
  run_passes(*module, parse_pass_list("dce,fuse"), context);
  EXPECT_LE(context.candidates().lowerings(), 4);
  int64_t kernels = 0;
  for (const auto& op : module->entry()->body().ops()) kernels += ops::is<ops::FusedOp>(*op) ? 1 : 0;
  EXPECT_EQ(kernels, 1);
}

// Products of one array by all values of a chain, added up: each is told why it has a kernel of its own, for
// which the kernel of the others, which grows, is not lowered again.
TEST(FusionCostTest, WhatIsToldOfProductsNeedsNoLowering) {
  constexpr int kSteps = 100;
  std::string text = "func @f(%x0: f32[32,64], %w: f32[64,64]) -> (f32[32,64]) {\n";
  const auto product = [](const std::string& x) {
    return "dot_general(" + x +
           ", %w) {lhs_batch = [], lhs_contract = [1], rhs_batch = [], rhs_contract = [0]} : f32[32,64]\n";
  };
  for (int i = 0; i < kSteps; ++i) {
    const std::string at = std::to_string(i), next = std::to_string(i + 1);
    text += "  %m" + at + " = " + product("%x" + at) + "  %s" + at + " = tanh(%m" + at +
            ") : f32[32,64]\n  %x" + next + " = add(%s" + at + ", %x" + at + ") : f32[32,64]\n";
  }
  text += "  %sum0 = " + product("%x0");
  for (int i = 0; i < kSteps; ++i) {
    const std::string at = std::to_string(i), next = std::to_string(i + 1);
    text += "  %p" + at + " = " + product("%x" + next) + "  %sum" + next + " = add(%sum" + at + ", %p" + at +
            ") : f32[32,64]\n";
  }
  const auto module = ir::parse(text + "  return %sum" + std::to_string(kSteps) + "\n}\n");
  PassContext context;
  run_passes(*module, parse_pass_list("fuse"), context);
  EXPECT_LT(context.candidates().lowerings(), 20);
}

}  // namespace
}  // namespace ingot::pass
