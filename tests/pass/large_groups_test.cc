// Regions of thousands of operations: what is asked of the kernel layer grows with the kernels, not with the
// operations.
#include <gtest/gtest.h>

#include <string>

#include "ir/text.h"
#include "ir/verifier.h"
#include "ops/control.h"
#include "pass/passes.h"
#include "pass/runner.h"

namespace ingot::pass {
namespace {

// Sines of one array, each of them read again behind more operations than a kernel holds.
TEST(LargeGroupsTest, ValuesThatAreReadAgainAreNotTriedOneByOne) {
  constexpr int kSines = 1600;
  const std::string type = "f32[1000]";
  std::string text = "func @main(%x: " + type + ") -> (" + type +
                     ") {\n  %one = constant() {value = dense f32[]{1.5}} : f32[]\n"
                     "  %k = broadcast(%one) {dims = [], shape = [1000]} : " +
                     type + "\n  %y0 = mul(%x, %k) : " + type + "\n";
  const auto name = [](const char* prefix, int i) { return prefix + std::to_string(i); };
  for (int i = 1; i <= kSines; ++i) {
    text += "  " + name("%y", i) + " = add(" + name("%y", i - 1) + ", %k) : " + type + "\n";
    text += "  " + name("%v", i) + " = sin(" + name("%y", i) + ") : " + type + "\n";
  }
  text += "  %s0 = mul(%x, %x) : " + type + "\n";
  int sums = 0;
  const auto add_to_sum = [&](const std::string& value) {
    text += "  " + name("%m", sums + 1) + " = mul(" + name("%s", sums) + ", %k) : " + type + "\n";
    text +=
        "  " + name("%s", sums + 1) + " = add(" + name("%m", sums + 1) + ", " + value + ") : " + type + "\n";
    ++sums;
  };
  for (int i = 1; i <= kSines; ++i) add_to_sum(name("%v", i));
  for (int i = kSines; i >= 1; --i) add_to_sum(name("%v", i));
  text += "  return " + name("%s", sums) + "\n}\n";
  const auto module = ir::parse(text);
  PassContext context;
  const auto results = run_passes(*module, parse_pass_list("fuse"), context);
  ir::verify(*module);
  ASSERT_EQ(results.size(), 1u);
  int64_t kernels = 0;
  for (const auto& op : module->entry()->body().ops()) kernels += ops::is<ops::FusedOp>(*op) ? 1 : 0;
  EXPECT_GT(kernels, 1);
  EXPECT_LE(results[0].lowerings, 4 * kernels);
}

}  // namespace
}  // namespace ingot::pass
