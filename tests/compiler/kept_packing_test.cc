// What products in a loop pack of operands that stay the same is packed at the first step, and only there.
#include <gtest/gtest.h>

#include <cmath>

#include "compiler/compiler.h"
#include "ir/text.h"
#include "testing/differential.h"

namespace ingot::compiler {
namespace {

int keeping(const Compiled& program) {
  int kernels = 0;
  for (const auto& kernel : program.executable->kernels()) kernels += kernel->kept_phases != 0;
  return kernels;
}

// Weights as small as those that a network begins with, so that roundings do not grow from step to step.
std::string small(const std::string& u, int64_t hidden, const std::string& type) {
  return "  %c = constant() {value = dense f32[]{" +
         std::to_string(0.8 / std::sqrt(static_cast<double>(hidden))) +
         "}} : f32[]\n  %s = broadcast(%c) {dims = [], shape = " + type.substr(3) + "} : " + type +
         "\n  %small = mul(" + u + ", %s) : " + type + "\n";
}

// h = tanh(h u), `steps` times, with a batch of so many.
std::string recurrent(int batch, int hidden, int steps) {
  const std::string n = std::to_string(hidden), h = "f32[" + std::to_string(batch) + "," + n + "]",
                    u = "f32[" + n + "," + n + "]";
  return "func @main(%start: " + h + ", %u: " + u + ") -> (" + h + ") {\n" + small("%u", hidden, u) + R"(
  %last = scan(%start, %small) {carries = 1, length = )" +
         std::to_string(steps) + R"(, reverse = false, scanned = 0, xs_axes = [], ys_axes = []} (%h: )" + h +
         ", %w: " + u + R"() {
    %d = dot_general(%h, %w) {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0]} : )" +
         h + R"(
    %t = tanh(%d) : )" +
         h + R"(
    return %t
  } : )" +
         h +
         R"(
  return %last
}
)";
}

std::string checked(const std::string& text) {
  return testing::check_compiled(*ir::parse(text), std::vector<double>{1e-3}, 1);
}

TEST(KeptPacking, WeightsOfARecurrentNetwork) {
  const std::string text = recurrent(48, 320, 6);
  EXPECT_EQ(keeping(compile(ir::parse(text))), 1);
  EXPECT_EQ(checked(text), "");
}

TEST(KeptPacking, ShortSteps) {
  for (const int batch : {1, 3, 16}) EXPECT_EQ(checked(recurrent(batch, 32, 7)), "");
}

// The weights of the loop inside are the same in its steps, but others each time that it begins.
TEST(KeptPacking, WeightsThatALoopAroundChanges) {
  const std::string text =
      "func @main(%start: f32[48,320], %u: f32[320,320]) -> (f32[48,320], f32[320,320]) {\n" +
      small("%u", 320, "f32[320,320]") + R"(
  %a, %b = scan(%start, %small) {carries = 2, length = 3, reverse = false, scanned = 0, xs_axes = [], ys_axes = []} (%h: f32[48,320], %w: f32[320,320]) {
    %i = scan(%h, %w) {carries = 1, length = 5, reverse = false, scanned = 0, xs_axes = [], ys_axes = []} (%g: f32[48,320], %v: f32[320,320]) {
      %d = dot_general(%g, %v) {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0]} : f32[48,320]
      %t = tanh(%d) : f32[48,320]
      return %t
    } : f32[48,320]
    %n = neg(%w) : f32[320,320]
    return %i, %n
  } : f32[48,320], f32[320,320]
  return %a, %b
}
)";
  EXPECT_EQ(keeping(compile(ir::parse(text))), 1);
  EXPECT_EQ(testing::check_compiled(*ir::parse(text), std::vector<double>{1e-3, 1e-5}, 1), "");
}

// Outside of a loop nothing is kept, though it be the same product.
TEST(KeptPacking, NothingOutsideOfLoops) {
  const std::string text = R"(func @main(%h: f32[48,160], %w: f32[160,160]) -> (f32[48,160]) {
  %d = dot_general(%h, %w) {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0]} : f32[48,160]
  return %d
}
)";
  EXPECT_EQ(keeping(compile(ir::parse(text))), 0);
}

}  // namespace
}  // namespace ingot::compiler
