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

// Of a function of %x, and of more, that returns what the operation gives.
std::string unary(const std::string& from, const std::string& to, const std::string& operation,
                  const std::string& more = "") {
  return error_of("func.func public @main(%x: tensor<" + from + ">" + more + ") -> tensor<" + to +
                  "> {\n  %y = " + operation + "\n  return %y : tensor<" + to + ">\n}");
}

TEST(StablehloInvalidTextsTest, RegionsTakeAndReturnScalars) {
  const auto map = [](const std::string& argument, const std::string& made) {
    return unary("3xf32", "3xf32",
                 "\"stablehlo.map\"(%x) <{dimensions = array<i64: 0>}> ({\n  ^bb0(%a: tensor<" + argument +
                     ">):\n    " + made + "\n  }) : (tensor<3xf32>) -> tensor<3xf32>");
  };
  EXPECT_EQ(map("f32", "stablehlo.return %a : tensor<f32>"), "nothing");
  EXPECT_EQ(map("1xf32", "stablehlo.return %a : tensor<1xf32>"),
            "m.mlir:2:3: stablehlo.map: its region takes (tensor<1xf32>), but must do so with scalars: "
            "(tensor<f32>)");
  EXPECT_EQ(map("f32",
                "%b = stablehlo.reshape %a : (tensor<f32>) -> tensor<1xf32>\n"
                "    stablehlo.return %b : tensor<1xf32>"),
            "m.mlir:2:3: stablehlo.map: its region returns (tensor<1xf32>), but must do so with scalars: "
            "(tensor<f32>)");
  const auto reduce = [](const std::string& operation, const std::string& initial, const std::string& inner,
                         const std::string& to, const std::string& attributes) {
    return unary("4xf32", to,
                 "\"stablehlo." + operation + "\"(%x, %z) <{" + attributes + "}> ({\n  ^bb0(%a: tensor<" +
                     inner + ">, %b: tensor<" + inner + ">):\n    %c = stablehlo.add %a, %b : tensor<" +
                     inner + ">\n    stablehlo.return %c : tensor<" + inner +
                     ">\n  }) : (tensor<4xf32>, tensor<" + initial + ">) -> tensor<" + to + ">",
                 ", %z: tensor<" + initial + ">");
  };
  for (const auto& [operation, to, attributes] :
       {std::tuple{"reduce", "f32", "dimensions = array<i64: 0>"},
        std::tuple{"reduce_window", "3xf32", "window_dimensions = array<i64: 2>"}}) {
    const std::string place = std::string("m.mlir:2:3: stablehlo.") + operation + ": ";
    EXPECT_EQ(reduce(operation, "f32", "1xf32", to, attributes),
              place +
                  "its region takes (tensor<1xf32>, tensor<1xf32>), but must do so with scalars: "
                  "(tensor<f32>, tensor<f32>)");
    EXPECT_EQ(reduce(operation, "1xf32", "f32", to, attributes),
              place + "operand 1, an initial value, is f32[1], but must be a scalar");
    EXPECT_EQ(reduce(operation, "f32", "i32", to, attributes),
              place +
                  "operand 1 is f32[], but the region's argument 0 is a tensor<i32>, which is to be of the "
                  "same dtype, or of a wider one of its kind");
    EXPECT_EQ(reduce(operation, "f32", "bf16", to, attributes),
              place +
                  "operand 1 is f32[], but the region's argument 0 is a tensor<bf16>, which is to be of the "
                  "same dtype, or of a wider one of its kind");
  }
  EXPECT_EQ(reduce("reduce_window", "f32", "f32", "4xf32", "window_dimensions = array<i64: 2>"),
            "m.mlir:2:3: stablehlo.reduce_window: result 0 is f32[3], one element for each window, but the "
            "module says tensor<4xf32>");
}

TEST(StablehloInvalidTextsTest, RegionsReturnWhatTheyTake) {
  const auto region = [](const std::string& second, const std::string& returned) {
    return unary(
        "4xf32", "f32",
        "\"stablehlo.reduce\"(%x, %z) <{dimensions = array<i64: 0>}> ({\n  ^bb0(%a: tensor<f32>, %b: "
        "tensor<" +
            second + ">):\n    %c = stablehlo.convert %b : (tensor<" + second + ">) -> tensor<" + returned +
            ">\n    stablehlo.return %c : tensor<" + returned +
            ">\n  }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>",
        ", %z: tensor<f32>");
  };
  EXPECT_EQ(region("f32", "f32"), "nothing");
  EXPECT_EQ(
      region("f32", "f64"),
      "m.mlir:2:3: stablehlo.reduce: its region returns (tensor<f64>), but must return (tensor<f32>), as "
      "it takes");
  EXPECT_EQ(region("f64", "f32"),
            "m.mlir:2:3: stablehlo.reduce: its region takes (tensor<f32>, tensor<f64>), but must take two of "
            "one type for each array");
}

TEST(StablehloInvalidTextsTest, TheGreatestElementsAreAsManyAsIsSaid) {
  const auto top_k = [](const std::string& k, const std::string& values, const std::string& places) {
    return error_of("func.func public @main(%x: tensor<2x5xf32>) -> tensor<" + values +
                    "> {\n  %v, %i = chlo.top_k(%x, k = " + k + ") : tensor<2x5xf32> -> (tensor<" + values +
                    ">, tensor<" + places + ">)\n  return %v : tensor<" + values + ">\n}");
  };
  EXPECT_EQ(top_k("3", "2x3xf32", "2x3xi32"), "nothing");
  EXPECT_EQ(top_k("3", "2x4xf32", "2x4xi32"),
            "m.mlir:2:3: chlo.top_k: result 0 is f32[2,3], but the module says tensor<2x4xf32>");
  EXPECT_EQ(top_k("3", "2x3xf64", "2x3xi32"),
            "m.mlir:2:3: chlo.top_k: result 0 is f32[2,3], but the module says tensor<2x3xf64>");
  EXPECT_EQ(top_k("3", "2x3xf32", "2x3xi64"),
            "m.mlir:2:3: chlo.top_k: result 1 is s32[2,3], but the module says tensor<2x3xi64>");
  for (const std::string k : {"-1", "6"})
    EXPECT_EQ(top_k(k, "2x3xf32", "2x3xi32"),
              "m.mlir:2:3: chlo.top_k: k is " + k +
                  ", but must be 0 to 5, the number of elements along the last dimension of f32[2,5]");
}

TEST(StablehloInvalidTextsTest, ASourceHasAnElementForEachWindow) {
  const auto scattered = [](const std::string& source) {
    return error_of("func.func public @main(%x: tensor<6xf32>, %s: tensor<" + source +
                    R"(>, %z: tensor<f32>) -> tensor<6xf32> {
  %y = "stablehlo.select_and_scatter"(%x, %s, %z) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<6xf32>, tensor<)" +
                    source + ">, tensor<f32>) -> tensor<6xf32>\n  return %y : tensor<6xf32>\n}");
  };
  EXPECT_EQ(scattered("3xf32"), "nothing");
  for (const std::string extent : {"0", "2", "4"})
    EXPECT_EQ(scattered(extent + "xf32"), "m.mlir:2:3: stablehlo.select_and_scatter: the source is f32[" +
                                              extent +
                                              "], but must be f32[3], an element for each window of f32[6]");
}

TEST(StablehloInvalidTextsTest, LayoutsNameEachDimensionOnce) {
  const auto call = [](const std::string& operands, const std::string& results) {
    return unary("2x3xf32", "2x3xf32",
                 "stablehlo.custom_call @Sharding(%x) {operand_layouts = [" + operands +
                     "], result_layouts = [" + results + "]} : (tensor<2x3xf32>) -> tensor<2x3xf32>");
  };
  const std::string good = "dense<[0, 1]> : tensor<2xindex>";
  EXPECT_EQ(call(good, good), "nothing");
  EXPECT_EQ(call("dense<[1, 1]> : tensor<2xindex>", good),
            "m.mlir:2:3: stablehlo.custom_call: operand_layouts: layout 0 is [1, 1], but must name each "
            "dimension of tensor<2x3xf32> once: those of [0, 1]");
  EXPECT_EQ(
      call(good, "dense<0> : tensor<1xindex>"),
      "m.mlir:2:3: stablehlo.custom_call: result_layouts: layout 0 is [0], but must name each dimension "
      "of tensor<2x3xf32> once: those of [0, 1]");
  EXPECT_EQ(call(good + ", " + good, good),
            "m.mlir:2:3: stablehlo.custom_call: operand_layouts has 2 layouts, but must have 1, one for each "
            "array");
}

TEST(StablehloInvalidTextsTest, AConstantIsOfItsType) {
  for (const std::string type : {"tensor<3xf32>", "tensor<2x1xf32>", "tensor<2xi32>"})
    EXPECT_EQ(error_of("func.func public @main() -> " + type +
                       " {\n  %0 = \"stablehlo.constant\"() <{value = dense<0.0> : tensor<2xf32>}> : () -> " +
                       type + "\n  return %0 : " + type + "\n}"),
              "m.mlir:2:3: stablehlo.constant: its value is a tensor<2xf32>, but the result is a " + type +
                  "; they must be one type");
}

// What an operation becomes is not what the user wrote.
TEST(StablehloInvalidTextsTest, ErrorsNameTheOperationOfTheProgram) {
  const auto slices = [](const std::string& operation, const std::string& more, const std::string& second) {
    return error_of(
        "func.func public @main(%x: tensor<5x5xf32>, %u: tensor<2x6xf32>, %v: tensor<2x2xf32>, %i: "
        "tensor<i32>, %j: tensor<" +
        second + ">) -> tensor<?x?xf32> {\n  %y = \"stablehlo." + operation + "\"(%x, " + more);
  };
  EXPECT_EQ(
      slices("dynamic_update_slice",
             "%u, %i, %j) : (tensor<5x5xf32>, tensor<2x6xf32>, tensor<i32>, tensor<i32>) -> "
             "tensor<5x5xf32> return %y : tensor<5x5xf32> }",
             "i32"),
      "m.mlir:2:3: stablehlo.dynamic_update_slice: the update has 6 elements along dimension 1, but must "
      "have 0 to 5, as it lies in f32[5,5]");
  const std::string mixed = "; where a window begins must be said in one dtype; convert one of them";
  EXPECT_EQ(slices("dynamic_update_slice",
                   "%v, %i, %j) : (tensor<5x5xf32>, tensor<2x2xf32>, tensor<i32>, tensor<i64>) -> "
                   "tensor<5x5xf32> return %y : tensor<5x5xf32> }",
                   "i64"),
            "m.mlir:2:3: stablehlo.dynamic_update_slice: operand 3 is s64[], but operand 2 is s32[]" + mixed);
  EXPECT_EQ(slices("dynamic_slice",
                   "%i, %j) <{slice_sizes = array<i64: 2, 2>}> : (tensor<5x5xf32>, tensor<i32>, tensor<i64>) "
                   "-> tensor<2x2xf32> return %y : tensor<2x2xf32> }",
                   "i64"),
            "m.mlir:2:3: stablehlo.dynamic_slice: operand 2 is s64[], but operand 1 is s32[]" + mixed);
  EXPECT_EQ(slices("dynamic_slice",
                   "%i, %j) <{slice_sizes = array<i64: 2, 7>}> : (tensor<5x5xf32>, tensor<i32>, tensor<i32>) "
                   "-> tensor<2x7xf32> return %y : tensor<2x7xf32> }",
                   "i32"),
            "m.mlir:2:3: stablehlo.dynamic_slice: the slice of slice_sizes has 7 elements along dimension 1, "
            "but must have 0 to 5, as it lies in f32[5,5]");
  EXPECT_EQ(
      error_of("func.func public @main(%x: tensor<2xf32>, %b: tensor<3xf32>) -> tensor<2xf32> {\n  %y = "
               "stablehlo.clamp %b, %x, %b : (tensor<3xf32>, tensor<2xf32>, tensor<3xf32>) -> "
               "tensor<2xf32>\n  return %y : tensor<2xf32>\n}"),
      "m.mlir:2:3: stablehlo.clamp: operand 0 is f32[3], but must be a scalar or have the shape of "
      "f32[2], operand 1");
  EXPECT_EQ(error_of("func.func public @main(%x: tensor<2xf32>, %b: tensor<f64>) -> tensor<2xf32> {\n  %y = "
                     "stablehlo.clamp %b, %x, %b : (tensor<f64>, tensor<2xf32>, tensor<f64>) -> "
                     "tensor<2xf32>\n  return %y : tensor<2xf32>\n}"),
            "m.mlir:2:3: stablehlo.clamp: operand 0 is f64[], but must have the dtype of f32[2], operand 1");
  EXPECT_EQ(
      error_of("func.func public @main(%x: tensor<2xf32>, %b: tensor<3xf32>) -> tensor<2xf32> {\n  %y = "
               "stablehlo.multiply %x, %b : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>\n  return "
               "%y : tensor<2xf32>\n}"),
      "m.mlir:2:3: stablehlo.multiply: the operands are f32[2] and f32[3]; broadcast them, so that they "
      "have one shape");
  EXPECT_EQ(
      error_of("func.func public @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n  %y = stablehlo.slice %x "
               "[0:3] : (tensor<2xf32>) -> tensor<3xf32> loc(\"f\"(\"model.py\":7:3))\n  return %x : "
               "tensor<2xf32>\n}"),
      "m.mlir:2:3: stablehlo.slice (from model.py:7): the slice 0:3 of dimension 0 of f32[2] must have 0 "
      "<= start <= limit <= 2");
}

TEST(StablehloInvalidTextsTest, FormatsOfNumbersThatAreNone) {
  for (const std::string format : {"e99999999999m7", "e8m99999999999", "e8", "m7", "e8m7x"})
    EXPECT_EQ(
        unary("2xf32", "2xf32", "stablehlo.reduce_precision %x, format = " + format + " : tensor<2xf32>"),
        "m.mlir:2:48: expected a format such as e8m23, found '" + format + "'");
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
