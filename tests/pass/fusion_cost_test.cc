// What fusion costs: it must not try again and again what it knows to go well.
#include <gtest/gtest.h>

#include "ir/text.h"
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

}  // namespace
}  // namespace ingot::pass
