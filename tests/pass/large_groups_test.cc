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

// A long chain that is read from both ends, so that one kernel would compute it twice: the place where that
// grows too dear is found by halving.
TEST(LargeGroupsTest, WhereAKernelGrowsTooDearIsFoundByHalving) {
  constexpr int kBefore = 400, kBehind = 12;
  const std::string type = "u32[65536]";
  std::string text = "func @main(%x: " + type + ", %y: " + type + ") -> (" + type + ") {\n";
  std::string last = "%x";
  const auto chain = [&](const std::string& prefix, int length) {
    for (int i = 0; i < length; ++i) {
      const std::string name = "%" + prefix + std::to_string(i);
      text += "  " + name + (i % 2 == 0 ? " = mul(" : " = xor(") + last + ", %y) : " + type + "\n";
      last = name;
    }
  };
  chain("before", kBefore);
  text += "  %back = reverse(" + last + ") {axes = [0]} : " + type + "\n  %both = add(" + last +
          ", %back) : " + type + "\n";
  last = "%both";
  chain("behind", kBehind);
  text += "  return " + last + "\n}\n";
  const auto module = ir::parse(text);
  PassContext context;
  const auto results = run_passes(*module, parse_pass_list("fuse"), context);
  ir::verify(*module);
  EXPECT_LE(results.at(0).lowerings, 30);
}

// The factors of small matrices (Cholesky), number by number, put together at the end: one matrix, or many
// side by side.
TEST(LargeGroupsTest, MatricesNumberByNumberAreNotTriedOneByOne) {
  constexpr int kRows = 12;
  for (const std::string many : {"", "1000"}) {
    const std::string number = "f32[" + many + "]", more = many.empty() ? "" : many + ",",
                      zero = many.empty() ? "" : "0,", one = many.empty() ? "" : "1,";
    const std::string matrix = "f32[" + more + "12,12]", piece = "f32[" + more + "1]";
    std::string text = "func @main(%x: " + matrix + ") -> (f32[" + more +
                       "144]) {\n  %n = constant() {value = dense "
                       "f32[]{0}} : f32[]\n  %z = broadcast(%n) {dims = [], shape = [" +
                       many + "]} : " + number + "\n";
    int made = 0;
    const auto let = [&](const std::string& form, const std::string& type) {
      const std::string name = "%v" + std::to_string(made++);
      text += "  " + name + " = " + form + " : " + type + "\n";
      return name;
    };
    const auto element = [&](int i, int j) {
      const std::string from = zero + std::to_string(i) + "," + std::to_string(j),
                        to = more + std::to_string(i + 1) + "," + std::to_string(j + 1);
      const std::string taken =
          let("slice(%x) {limits = [" + to + "], starts = [" + from + "], strides = [" + one + "1,1]}",
              "f32[" + more + "1,1]");
      return let("reshape(" + taken + ") {shape = [" + many + "]}", number);
    };
    const auto less_product = [&](const std::string& a, const std::string& b, const std::string& c) {
      return let("sub(" + a + ", " + let("mul(" + b + ", " + c + ")", number) + ")", number);
    };
    std::vector<std::vector<std::string>> l(kRows, std::vector<std::string>(kRows, "%z"));
    for (int j = 0; j < kRows; ++j) {
      for (int i = j; i < kRows; ++i) {
        std::string sum = element(i, j);
        for (int k = 0; k < j; ++k) sum = less_product(sum, l[i][k], l[j][k]);
        l[i][j] = let(i == j ? "sqrt(" + sum + ")" : "div(" + sum + ", " + l[j][j] + ")", number);
      }
    }
    std::string pieces;
    for (const auto& row : l) {
      for (const std::string& value : row)
        pieces +=
            (pieces.empty() ? "" : ", ") + let("reshape(" + value + ") {shape = [" + more + "1]}", piece);
    }
    const std::string axis = many.empty() ? "0" : "1";
    const std::string all = let("concatenate(" + pieces + ") {axis = " + axis + "}", "f32[" + more + "144]");
    const auto module = ir::parse(text + "  return " + all + "\n}\n");
    PassContext context;
    const auto results = run_passes(*module, parse_pass_list("fuse"), context);
    ir::verify(*module);
    ASSERT_EQ(results.size(), 1u);
    EXPECT_LE(results[0].lowerings, 200) << "matrices side by side: " << many;
  }
}

}  // namespace
}  // namespace ingot::pass
