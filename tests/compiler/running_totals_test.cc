// Running totals on lanes, for every width of vectors, compared with the interpreter.

#include <gtest/gtest.h>

#include "ir/text.h"
#include "ir/verifier.h"
#include "testing/differential.h"

namespace ingot::compiler {
namespace {

void expect_totals(const std::string& text) {
  std::unique_ptr<ir::Module> module = ir::parse(text, "test");
  ir::verify(*module);
  EXPECT_EQ(testing::check_compiled(*module, {}, 1), "") << text;
  EXPECT_EQ(testing::check_compiled(*module, {}, 1, {.machine_code = false}), "") << text;
}

// The total of 3 * x along axis 1, which is also doubled on its way out.
std::string total(const std::string& dtype, int64_t rows, int64_t length, const std::string& op,
                  const std::string& neutral, bool reverse) {
  const std::string n = std::to_string(length), r = std::to_string(rows);
  const std::string whole = dtype + "[" + r + "," + n + "]", slice = dtype + "[" + r + "]";
  return "func @f(%x: " + whole + ") -> (" + slice + ", " + whole + ") {\n" +
         "  %zero = constant() {value = dense " + dtype + "[]{" + neutral + "}} : " + dtype + "[]\n" +
         "  %z = broadcast(%zero) {dims = [], shape = [" + r + "]} : " + slice + "\n" +
         "  %c, %y = scan(%z, %x) {carries = 1, scanned = 1, length = " + n +
         ", reverse = " + (reverse ? "true" : "false") + ", xs_axes = [1], ys_axes = [1]} (%a: " + slice +
         ", %b: " + slice + ") {\n    %e = xor(%b, %b) : " + slice + "\n    %d = or(%b, %e) : " + slice +
         "\n    %n = " + op + "(%d, %a) : " + slice + "\n    %m = xor(%n, %d) : " + slice +
         "\n    return %n, %m\n  } : " + slice + ", " + whole + "\n  return %c, %y\n}\n";
}

TEST(RunningTotalsTest, OfAnyLength) {
  for (int64_t length : {2, 3, 7, 8, 15, 16, 17, 31, 64, 67, 200}) {
    for (bool reverse : {false, true}) expect_totals(total("s32", 3, length, "add", "0", reverse));
  }
}

TEST(RunningTotalsTest, OfAnyDType) {
  for (bool reverse : {false, true}) {
    expect_totals(total("u8", 2, 130, "add", "0", reverse));
    expect_totals(total("s64", 2, 37, "mul", "1", reverse));
    expect_totals(total("pred", 2, 75, "or", "false", reverse));
    expect_totals(total("u32", 1, 75, "max", "0", reverse));
    expect_totals(total("s16", 1, 75, "min", "32767", reverse));
  }
}

// Two totals, one of the other, and a result that is used behind the loop.
TEST(RunningTotalsTest, OfTotals) {
  expect_totals(R"(
func @f(%x: f32[4,50]) -> (f32[4,50], f32[4]) {
  %zero = constant() {value = dense f32[]{0}} : f32[]
  %z = broadcast(%zero) {dims = [], shape = [4]} : f32[4]
  %c, %d, %y = scan(%z, %z, %x) {carries = 2, scanned = 1, length = 50, reverse = false, xs_axes = [1], ys_axes = [1]} (%a: f32[4], %b: f32[4], %e: f32[4]) {
    %n = add(%a, %e) : f32[4]
    %m = max(%b, %n) : f32[4]
    return %n, %m, %m
  } : f32[4], f32[4], f32[4,50]
  %s = sub(%c, %d) : f32[4]
  return %y, %s
}
)");
}

}  // namespace
}  // namespace ingot::compiler
