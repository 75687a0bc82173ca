// Whiles whose steps can be counted become scans of as many; others stay.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "interpreter/interpreter.h"
#include "ir/text.h"
#include "ir/verifier.h"
#include "ops/control.h"
#include "pass/passes.h"
#include "pass/runner.h"

namespace ingot::pass {
namespace {

struct Counter {
  std::string dtype, first, step, bound, direction;
  std::optional<int64_t> steps;  // nothing: it stays a while
};

// `compared` puts %i and %end in the order of the comparison, `stepped` makes the next counter %j.
std::string program(const Counter& c, const std::string& compared = "%i, %end",
                    const std::string& stepped = "add(%k, %one)", const std::string& attributes = "") {
  const auto constant = [&](const std::string& name, const std::string& value) {
    return "%" + name + " = constant() {value = dense " + c.dtype + "[]{" + value + "}} : " + c.dtype +
           "[]\n";
  };
  return "func @main(%x: f32[]) -> (" + c.dtype + "[], f32[]) {\n  " + constant("first", c.first) +
         "  %n, %y = while(%first, %x) {carries = 2" + attributes + "} (%i: " + c.dtype +
         "[], %a: f32[]) {\n    " + constant("end", c.bound) + "    %p = compare(" + compared +
         ") {direction = \"" + c.direction + "\"} : pred[]\n    return %p\n  } (%k: " + c.dtype +
         "[], %b: f32[]) {\n    " + constant("one", c.step) + "    %j = " + stepped + " : " + c.dtype +
         "[]\n    %d = add(%b, %b) : f32[]\n    return %j, %d\n  } : " + c.dtype +
         "[], f32[]\n  return %n, %y\n}\n";
}

// The steps of the scan that the loop has become, and that both mean the same.
std::optional<int64_t> counted(const std::string& text) {
  const auto before = ir::parse(text);
  auto after = ir::parse(text);
  PassContext context;
  run_passes(*after, parse_pass_list("fold"), context);
  ir::verify(*after);
  for (const auto& op : after->entry()->body().ops()) {
    const auto scan = ops::as<ops::ScanOp>(*op);
    if (!scan) continue;
    EXPECT_EQ(op->result(0)->name(), "n");
    if (scan->length() < 1000) {
      const Tensor argument = Tensor::of<float>({}, {0.5f});
      const auto want = interpret(*before, {&argument, 1}), got = interpret(*after, {&argument, 1});
      EXPECT_EQ(got[0].get_int(0), want[0].get_int(0)) << text;
      EXPECT_EQ(got[1].get_double(0), want[1].get_double(0)) << text;
    }
    return scan->length();
  }
  return std::nullopt;
}

TEST(KnownStepsTest, CountsWhatConstantsSay) {
  const Counter counters[] = {
      {"s32", "0", "1", "10", "lt", 10},
      {"s32", "0", "3", "10", "lt", 4},
      {"s32", "0", "3", "9", "le", 4},
      {"s32", "10", "-1", "0", "gt", 10},
      {"s32", "10", "-4", "2", "ge", 3},
      {"s32", "0", "2", "8", "ne", 4},
      {"s32", "5", "1", "5", "lt", 0},
      {"s32", "9", "1", "5", "lt", 0},
      {"s32", "9", "-1", "5", "lt", 0},
      {"s32", "4", "-1", "5", "lt", std::nullopt},  // for ever, or until it wraps
      {"s32", "0", "0", "5", "lt", std::nullopt},
      {"s32", "0", "2", "7", "ne", std::nullopt},
      {"s32", "8", "2", "0", "ne", std::nullopt},
      {"s32", "0", "1", "5", "eq", std::nullopt},
      {"s32", "0", "1", "2147483647", "lt", 2147483647},
      {"s32", "0", "1", "2147483647", "le", std::nullopt},  // no counter is above
      {"s8", "100", "20", "120", "lt", 1},
      {"s8", "100", "20", "121", "lt", std::nullopt},  // 140 is none
      {"u8", "250", "5", "255", "lt", 1},
      {"u8", "250", "3", "255", "lt", std::nullopt},
      {"u8", "3", "1", "0", "ge", std::nullopt},
      {"u64", "0", "1", "7", "lt", 7},
      {"s64", "-5", "1", "5", "lt", 10},
      {"s64", "0", "1", "9223372036854775807", "lt", std::nullopt},  // beyond any length
      {"u64", "0", "1", "18446744073709551615", "lt", std::nullopt},
  };
  for (const Counter& c : counters) EXPECT_EQ(counted(program(c)), c.steps) << program(c);
}

TEST(KnownStepsTest, SeesOtherWaysToWriteIt) {
  const Counter up{"s32", "0", "1", "10", "lt", 10}, down{"s32", "0", "1", "10", "gt", 10};
  EXPECT_EQ(counted(program(down, "%end, %i")), 10);
  EXPECT_EQ(counted(program(up, "%i, %end", "add(%one, %k)")), 10);
  EXPECT_EQ(counted(program({"s32", "0", "-1", "10", "lt", 10}, "%i, %end", "sub(%k, %one)")), 10);
  EXPECT_EQ(counted(program(up, "%i, %end", "sub(%one, %k)")), std::nullopt);
  EXPECT_EQ(counted(program(up, "%i, %end", "mul(%k, %one)")), std::nullopt);
  EXPECT_EQ(counted(program(up, "%i, %end", "add(%k, %k)")), std::nullopt);
  EXPECT_EQ(counted(program(up, "%i, %i")), std::nullopt);
  EXPECT_EQ(counted(program(up, "%i, %end", "add(%k, %one)", ", max_steps = 10")), 10);
  EXPECT_EQ(counted(program(up, "%i, %end", "add(%k, %one)", ", max_steps = 9")), std::nullopt);
}

// As JAX writes a loop between two numbers: the upper one is carried, too.
TEST(KnownStepsTest, SeesABoundThatIsHandedOn) {
  const std::string text =
      "func @main(%x: f32[]) -> (s32[], s32[], f32[]) {\n"
      "  %first = constant() {value = dense s32[]{2}} : s32[]\n"
      "  %last = constant() {value = dense s32[]{7}} : s32[]\n"
      "  %n, %m, %y = while(%first, %last, %x) {carries = 3} (%i: s32[], %u: s32[], %a: f32[]) {\n"
      "    %p = compare(%i, %u) {direction = \"lt\"} : pred[]\n    return %p\n"
      "  } (%k: s32[], %v: s32[], %b: f32[]) {\n    %one = constant() {value = dense s32[]{1}} : s32[]\n"
      "    %j = add(%k, %one) : s32[]\n    %d = mul(%b, %b) : f32[]\n    return %j, %v, %d\n"
      "  } : s32[], s32[], f32[]\n  return %n, %m, %y\n}\n";
  EXPECT_EQ(counted(text), 5);
  std::string moving = text;
  moving.replace(moving.find("return %j, %v"), 13, "return %j, %j");
  EXPECT_EQ(counted(moving), std::nullopt);
}

}  // namespace
}  // namespace ingot::pass
