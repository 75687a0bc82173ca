// What sort and sort_by_keys mean, and what they refuse.
#include <gtest/gtest.h>

#include <limits>

#include "interpreter/interpreter.h"
#include "ir/text.h"
#include "ir/verifier.h"

namespace ingot::ops {
namespace {

const char* const kLess = "    %p = compare(%a, %b) {direction = \"lt\"} : pred[]\n    return %p\n";

std::vector<Tensor> run(const std::string& text, const std::vector<Tensor>& arguments) {
  const auto module = ir::parse(text);
  ir::verify(*module);
  EXPECT_EQ(ir::to_string(*ir::parse(ir::to_string(*module))), ir::to_string(*module));
  return interpret(*module, arguments);
}

std::string error_of(const std::string& text) {
  try {
    ir::verify(*ir::parse(text));
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

TEST(SortRecordTest, SortsAlongAnyAxisAndKeepsTheOrderOfEqualOnes) {
  const Tensor x = Tensor::of<int32_t>({2, 3}, {5, 1, 5, 2, 1, 0}),
               n = Tensor::of<int32_t>({2, 3}, {0, 1, 2, 3, 4, 5});
  const auto text = [&](const char* axis) {
    return "func @main(%x: s32[2,3], %n: s32[2,3]) -> (s32[2,3], s32[2,3]) {\n  %y, %m = sort(%x, %n) {axis "
           "= " +
           std::string(axis) + ", stable = true} (%a: s32[], %b: s32[], %c: s32[], %d: s32[]) {\n" + kLess +
           "  } : s32[2,3], s32[2,3]\n  return %y, %m\n}\n";
  };
  auto results = run(text("1"), {x, n});
  EXPECT_EQ(results[0], Tensor::of<int32_t>({2, 3}, {1, 5, 5, 0, 1, 2}));
  EXPECT_EQ(results[1], Tensor::of<int32_t>({2, 3}, {1, 0, 2, 5, 4, 3}));
  results = run(text("0"), {x, n});
  EXPECT_EQ(results[0], Tensor::of<int32_t>({2, 3}, {2, 1, 0, 5, 1, 5}));
  EXPECT_EQ(results[1], Tensor::of<int32_t>({2, 3}, {3, 1, 5, 0, 4, 2}));
}

TEST(SortRecordTest, KeysOrderFloatsByBitsOrByValue) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  const Tensor x = Tensor::of<float>({8}, {nan, 0.0f, -0.0f, -nan, inf, -1, -inf, 0.0f});
  const auto places = [&](int order) {
    const std::string text =
        "func @main(%x: f32[8]) -> (s32[8]) {\n  %n = iota() {dtype = s32, shape = [8], axis = 0} : s32[8]\n"
        "  %y = sort_by_keys(%x, %n) {axis = 0, orders = [" +
        std::to_string(order) + "]} : s32[8]\n  return %y\n}\n";
    return run(text, {x})[0];
  };
  EXPECT_EQ(places(0), Tensor::of<int32_t>({8}, {3, 6, 5, 2, 1, 7, 4, 0}));
  EXPECT_EQ(places(1), Tensor::of<int32_t>({8}, {0, 4, 1, 7, 2, 5, 6, 3}));
  EXPECT_EQ(places(2), Tensor::of<int32_t>({8}, {6, 5, 1, 2, 7, 4, 0, 3}));
  EXPECT_EQ(places(3), Tensor::of<int32_t>({8}, {0, 3, 4, 1, 2, 7, 5, 6}));
}

TEST(SortRecordTest, RefusesWhatDoesNotFit) {
  const auto sort = [](const std::string& y, const std::string& axis, const std::string& region) {
    return error_of("func @main(%x: s32[2,3], %y: " + y +
                    ") -> (s32[2,3]) {\n  %z, %w = sort(%x, %y) {axis = " + axis + ", stable = true} " +
                    region + " : s32[2,3], " + y + "\n  return %z\n}\n");
  };
  const std::string fits = "(%a: s32[], %b: s32[], %c: f32[], %d: f32[]) {\n" + std::string(kLess) + "  }";
  EXPECT_EQ(sort("f32[2,3]", "1", fits), "nothing");
  EXPECT_NE(sort("f32[3,2]", "1", fits).find("they must have one shape"), std::string::npos);
  EXPECT_NE(sort("f32[2,3]", "2", fits).find("axis"), std::string::npos);
  EXPECT_NE(sort("f32[2,3]", "0", "(%a: s32[], %b: s32[]) {\n" + std::string(kLess) + "  }")
                .find("two elements of each array"),
            std::string::npos);
  EXPECT_NE(sort("f32[2,3]", "0", "(%a: s32[], %b: s32[], %c: f32[], %d: f32[]) {\n    return %a\n  }")
                .find("as one pred"),
            std::string::npos);
  const auto by_keys = [](const std::string& type, const std::string& orders) {
    return error_of("func @main(%x: " + type + ") -> (" + type +
                    ") {\n  %y = sort_by_keys(%x, %x) {axis = 0, orders = [" + orders + "]} : " + type +
                    "\n  return %y\n}\n");
  };
  EXPECT_EQ(by_keys("f32[3]", "3"), "nothing");
  EXPECT_NE(by_keys("s32[3]", "2").find("0 (ascending) or 1 (descending)"), std::string::npos);
  EXPECT_NE(by_keys("c64[3]", "0").find("a key"), std::string::npos);
  EXPECT_NE(by_keys("f32[3]", "0,0,0").find("one key or more"), std::string::npos);
}

}  // namespace
}  // namespace ingot::ops
