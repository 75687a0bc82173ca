// Texts that are no programs, and what would be right: each is told at its line and column.
#include <gtest/gtest.h>

#include "stablehlo/imported.h"

namespace ingot::stablehlo {
namespace {

std::string constant(const std::string& value, const std::string& element) {
  return error_of("func.func public @main() -> tensor<2x" + element +
                  "> {\n  %0 = stablehlo.constant dense<" + value + "> : tensor<2x" + element +
                  ">\n  return %0 : tensor<2x" + element + ">\n}");
}

TEST(StablehloInvalidTextsTest, NumbersThatAreNone) {
  EXPECT_EQ(constant("-1", "ui8"), "m.mlir:2:33: the number does not fit into u8: it is to be from 0 to 255");
  EXPECT_EQ(constant("-1", "ui64"),
            "m.mlir:2:33: the number does not fit into u64: it is to be from 0 to 18446744073709551615");
  EXPECT_EQ(constant("-129", "i8"),
            "m.mlir:2:33: the number does not fit into s8: it is to be from -128 to 255");
  EXPECT_EQ(constant("255", "i8"), "nothing");
  EXPECT_EQ(constant("18446744073709551615", "ui64"), "nothing");
  EXPECT_EQ(constant("1e999", "f32"), "m.mlir:2:33: a number with an exponent has a point: 1.0e...");
  EXPECT_EQ(constant("\"0xZZ\"", "f32"), "m.mlir:2:33: digit 1 of the bytes, 'Z', is not hexadecimal");
}

TEST(StablehloInvalidTextsTest, NumbersOfAttributesFitIntoTheirBits) {
  const auto broadcast = [](const std::string& dims) {
    return error_of(
        "func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
        "  %0 = \"stablehlo.broadcast_in_dim\"(%x) <{broadcast_dimensions = " +
        dims + "}> : (tensor<4xf32>) -> tensor<4xf32>\n  return %0 : tensor<4xf32>\n}");
  };
  EXPECT_EQ(broadcast("array<i64: 0>"), "nothing");
  for (const std::string list : {"array<i64: 9223372036854775808>", "[9223372036854775808]"})
    EXPECT_NE(broadcast(list).find("the number does not fit into 64 bits with a sign"), std::string::npos)
        << list;
}

TEST(StablehloInvalidTextsTest, DimensionsAreBroadcastToDifferentOnes) {
  for (const std::string shape : {"2x2", "1x2"}) {
    EXPECT_EQ(error_of("func.func public @main(%x: tensor<" + shape + "xf32>) -> tensor<2x2xf32> {\n" +
                       "  %y = stablehlo.broadcast_in_dim %x, dims = [1, 1] : (tensor<" + shape +
                       "xf32>) -> tensor<2x2xf32>\n  return %y : tensor<2x2xf32>\n}"),
              "m.mlir:2:3: stablehlo.broadcast_in_dim: broadcast_dimensions may name dimension 1 only once");
  }
}

TEST(StablehloInvalidTextsTest, ARegionHasOneReturnAtItsEnd) {
  const std::string head = "func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n";
  EXPECT_EQ(error_of(head + "  return %x : tensor<4xf32>\n  return %x : tensor<4xf32>\n}"),
            "m.mlir:2:3: func.return: it is not the last operation of its region");
  EXPECT_EQ(error_of(head + "  %y = stablehlo.abs %x : tensor<4xf32>\n}"),
            "m.mlir:1:1: @main: the function does not end in a return");
  EXPECT_EQ(
      error_of(head + "  %p = stablehlo.constant dense<true> : tensor<i1>\n"
                      "  %y = \"stablehlo.if\"(%p) ({\n  }, {\n    stablehlo.return %x : tensor<4xf32>\n"
                      "  }) : (tensor<i1>) -> tensor<4xf32>\n  return %y : tensor<4xf32>\n}"),
      "m.mlir:3:3: stablehlo.if: a region of it does not end in a return");
}

TEST(StablehloInvalidTextsTest, TypesThatDoNotAgreeAreTold) {
  EXPECT_EQ(error_of(R"(func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func public @main(%x: tensor<4xf32>) -> tensor<5xf32> {
  %y = call @f(%x) : (tensor<4xf32>) -> tensor<5xf32>
  return %y : tensor<5xf32>
})"),
            "m.mlir:5:3: func.call: @f returns (f32[4]), but the operation says (tensor<5xf32>)");
  EXPECT_EQ(
      error_of(R"(func.func public @main(%x: tensor<4xf32>) -> tensor<f32> {
  %y = "stablehlo.reduce"(%x) <{dimensions = array<i64: 0>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>): stablehlo.return %a : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<f32>
  return %y : tensor<f32>
})"),
      "m.mlir:2:3: stablehlo.reduce: it takes one region and an initial value for each array, but has 1 "
      "regions and the operands (tensor<4xf32>)");
  EXPECT_EQ(error_of(R"(func.func public @main(%a: tensor<f32>, %b: tensor<f32>) -> tensor<4xf32> {
  %s = stablehlo.constant dense<5> : tensor<1xi64>
  %y = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32>
  return %y : tensor<4xf32>
})"),
            "m.mlir:3:3: stablehlo.rng: operand 2 says that the result's shape is [5], but the module says "
            "tensor<4xf32>");
}

// Sizes that a program computes are not cut off at 32 bits.
TEST(StablehloInvalidTextsTest, SizesThatDoNotFit) {
  const auto sizes = [](const std::string& extent, const std::string& more) {
    return error_of("func.func public @main() -> tensor<i32> {\n  %z = stablehlo.iota dim = 0 : tensor<" +
                    extent + "xi8>\n  %n = stablehlo.get_dimension_size %z, dim = 0 : (tensor<" + extent +
                    "xi8>) -> tensor<i32>\n" + more + "  return %n : tensor<i32>\n}");
  };
  EXPECT_EQ(sizes("2147483647", ""), "nothing");
  EXPECT_EQ(
      sizes("2147483648", ""),
      "m.mlir:3:3: stablehlo.get_dimension_size: the dimension has 2147483648 elements, which does not fit "
      "into s32");
  const std::string square = "  %m = stablehlo.multiply %n, %n : tensor<i32>\n";
  EXPECT_EQ(sizes("46340", square), "nothing");
  EXPECT_NE(sizes("46341", square)
                .find("m.mlir:4:3: stablehlo.multiply: the size 2147488281 does not fit into s32"),
            std::string::npos);
}

TEST(StablehloInvalidTextsTest, RanksAreLimited) {
  const auto of_rank = [](int rank) {
    std::string type = "tensor<";
    for (int i = 0; i < rank; ++i) type += "1x";
    return error_of("func.func public @main(%x: " + type + "f32>) -> " + type + "f32> { return %x : " + type +
                    "f32> }");
  };
  EXPECT_EQ(of_rank(1000), "nothing");
  EXPECT_NE(of_rank(1001).find("an array has at most 1000 dimensions"), std::string::npos);
}

}  // namespace
}  // namespace ingot::stablehlo
