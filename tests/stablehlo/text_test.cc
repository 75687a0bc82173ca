// The reader of StableHLO text: forms, errors with their places, and texts that mean harm.
#include "stablehlo/text.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ingot/error.h"

namespace ingot::stablehlo {
namespace {

// A module with one function of these operations.
std::string module_of(const std::string& operations) {
  return "module @m {\n  func.func public @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xi32>) -> "
         "tensor<2x3xf32> {\n" +
         operations + "\n    return %arg0 : tensor<2x3xf32>\n  }\n}\n";
}

const Operation& first(const Module& module) {
  return module.functions.front().body.operations.front();
}

// What reading the text says is wrong with it.
std::string error_of(const std::string& text) {
  try {
    read_text(text, "m.mlir");
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

// What is read is read again, from its generic form.
void expect_round_trip(const std::string& text) {
  const auto module = read_text(text);
  const std::string printed = to_string(*module, true);
  EXPECT_EQ(to_string(*read_text(printed), true), printed);
}

TEST(StablehloTextTest, PrettyForms) {
  const auto module = read_text(module_of(R"(
    %0 = stablehlo.slice %arg0 [0:2, 0:3:2] : (tensor<2x3xf32>) -> tensor<2x2xf32>)"));
  const Operation& slice = first(*module);
  EXPECT_EQ(slice.name, "stablehlo.slice");
  EXPECT_EQ(ints(*find(slice.attributes, "strides")), (Ints{1, 2}));
  EXPECT_EQ(slice.line, 4);
  EXPECT_EQ(slice.column, 5);
}

TEST(StablehloTextTest, EveryFormReadsAsItsGenericForm) {
  expect_round_trip(R"(
#loc = loc(unknown)
module @jit_f attributes {mhlo.num_partitions = 1 : i32} {
  sdy.mesh @mesh = <["x"=1]>
  func.func public @main(%arg0: tensor<4xf32> {jax.buffer_donor = true} loc("x"), %arg1: tensor<4x4xf32>) -> (tensor<4xf32> {jax.result_info = "[0]"}) {
    %cst = stablehlo.constant dense<[1.0, 2.5e0, 0x7F800000, -0.0]> : tensor<4xf32> loc(#loc1)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %z = stablehlo.constant dense<(1.0,-2.0)> : tensor<2xcomplex<f32>>
    %p = stablehlo.constant dense<[true, false]> : tensor<2xi1>
    %0 = stablehlo.dot_general %arg1, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, HIGHEST] : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %1:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %0) : tensor<i32>, tensor<4xf32>
    cond {
      %c_1 = stablehlo.constant dense<3> : tensor<i32>
      %5 = stablehlo.compare  LT, %iterArg, %c_1,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %5 : tensor<i1>
    } do {
      %c_1 = stablehlo.constant dense<1> : tensor<i32>
      %5 = stablehlo.add %iterArg, %c_1 : tensor<i32>
      %6 = func.call @f(%iterArg_0) : (tensor<4xf32>) -> tensor<4xf32>
      stablehlo.return %5, %6 : tensor<i32>, tensor<4xf32>
    } loc(#loc2)
    %s = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %2 = stablehlo.reduce(%1#1 init: %s) applies stablehlo.maximum across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %3 = stablehlo.convolution(%arg1, %arg1) dim_numbers = [b, f]x[i, o]->[b, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %4:2 = stablehlo.optimization_barrier %0, %2 : tensor<4xf32>, tensor<f32>
    %t = stablehlo.tuple %0, %2 : tuple<tensor<4xf32>, tensor<f32>>
    %e = stablehlo.get_tuple_element %t[0] : (tuple<tensor<4xf32>, tensor<f32>>) -> tensor<4xf32>
    %g = sdy.sharding_constraint %e <@mesh, [{"x"}]> : tensor<4xf32>
    %r = stablehlo.reduce_precision %g, format = e5m10 : tensor<4xf32>
    return %r : tensor<4xf32>
  }
  func.func private @f(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = chlo.erf %arg0 : tensor<4xf32> -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
#loc1 = loc("jit(f)/add"(#loc3))
#loc2 = loc(callsite(#loc1 at #loc))
#loc3 = loc("a.py":3:4 to :9)
)");
}

TEST(StablehloTextTest, ErrorsHaveTheirPlace) {
  EXPECT_EQ(error_of(module_of("    %0 = stablehlo.add %arg0, %arg2 : tensor<2x3xf32>")),
            "m.mlir:3:31: there is no value %arg2 before this place");
  EXPECT_EQ(error_of(module_of("    %0 = stablehlo.add %arg0, %arg1 : tensor<2x3xf32>")),
            "m.mlir:3:31: stablehlo.add: %arg1 is a tensor<2x3xi32>, not a tensor<2x3xf32>");
  EXPECT_EQ(error_of(module_of("    %0 = stablehlo.frobnicate %arg0 : tensor<2x3xf32>")),
            "m.mlir:3:10: no short form of stablehlo.frobnicate is known; what is read of every operation is "
            "\"stablehlo.frobnicate\"(%operands) {attributes} : (types) -> types");
  EXPECT_EQ(error_of(module_of("    %0 = stablehlo.iota dim 0 : tensor<2x3xf32>")),
            "m.mlir:3:29: expected '=' of stablehlo.iota, found '0'");
  EXPECT_EQ(error_of(module_of("    %arg0 = stablehlo.iota dim = 0 : tensor<2x3xf32>")),
            "m.mlir:3:5: %arg0 is defined twice");
  EXPECT_EQ(error_of(module_of("    %0 = stablehlo.constant dense<[1, 2]> : tensor<3xi32>")),
            "m.mlir:3:35: expected 3 elements of dimension 0 of [3], found 2");
  EXPECT_EQ(error_of(module_of("    %0 = stablehlo.constant dense<300> : tensor<3xi8>")),
            "m.mlir:3:35: the number does not fit into s8");
  EXPECT_EQ(error_of(module_of("    %0 = stablehlo.constant dense<\"0x0102\"> : tensor<3xi32>")),
            "m.mlir:3:35: there are 2 bytes, but tensor<3xi32> has 3 elements of 4");
  EXPECT_EQ(error_of("module { func.func @f() { return } func.func @f() { return } }"),
            "m.mlir:1:36: there are two functions @f");
  EXPECT_EQ(error_of("module {"),
            "m.mlir:1:9: expected a function, or the '}' of the module, found the end of the text");
  EXPECT_EQ(error_of("func.func @f() { return } loc(#a)"), "m.mlir:1:31: there is no location #a");
}

TEST(StablehloTextTest, NumbersKeepTheirBits) {
  const auto module = read_text(
      module_of("    %0 = stablehlo.constant dense<[0x7FC00001, 1.0e400, -1.0e-400]> : tensor<3xf32>\n"
                "    %1 = stablehlo.constant dense<18446744073709551615> : tensor<ui64>\n"
                "    %2 = stablehlo.constant dense<\"0x05\"> : tensor<3xi1>"));
  const auto& operations = module->functions.front().body.operations;
  const auto value = [&](size_t i) { return find(operations[i].attributes, "value")->as<Elements>(); };
  EXPECT_TRUE(std::isnan(value(0)->values.get_double(0)));
  EXPECT_EQ(value(0)->values.get_double(1), INFINITY);
  EXPECT_TRUE(std::signbit(value(0)->values.get_double(2)));
  EXPECT_EQ(value(1)->values.get_int(0), -1);
  EXPECT_EQ(ints(*find(operations[2].attributes, "value")), (Ints{1, 0, 1}));
}

TEST(StablehloTextTest, SplatsOfTerabytesCostNothing) {
  const auto module =
      read_text(module_of("    %0 = stablehlo.constant dense<1.0> : tensor<1000000x1000000xf32>"));
  const auto* value = find(first(*module).attributes, "value")->as<Elements>();
  EXPECT_TRUE(value->splat);
  EXPECT_EQ(value->values.bytes(), 4u);
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

TEST(StablehloTextTest, HostileTextsAreErrors) {
  const int kMany = 200000;
  EXPECT_NE(error_of(module_of("    %0 = stablehlo.constant dense<[1]> : tensor<1000000000000xi32>")),
            "nothing");
  EXPECT_NE(error_of(module_of(
                "    %0 = stablehlo.constant dense<1> : tensor<99999999999999999999x99999999999999xi8>")),
            "nothing");
  EXPECT_NE(error_of(module_of("    %0 = stablehlo.constant dense<" + repeated("[", kMany))), "nothing");
  EXPECT_NE(error_of(module_of("    %0 = \"a\"() {b = " + repeated("[", kMany))), "nothing");
  EXPECT_NE(error_of(module_of("    %0 = \"a\"() {b = " + repeated("{c = ", kMany))), "nothing");
  EXPECT_NE(error_of(repeated("module {", kMany)), "nothing");
  EXPECT_NE(error_of(module_of(repeated("\"a\"() ({", kMany))), "nothing");
  EXPECT_NE(error_of("func.func @f(%a: " + repeated("tuple<", kMany)), "nothing");
  EXPECT_NE(error_of("func.func @f(%a: tensor<" + repeated("complex<", kMany)), "nothing");
  EXPECT_NE(error_of("func.func @f(%a: tensor<" + repeated("1x", kMany) + "f32>) { return }"), "nothing");
  EXPECT_NE(error_of("func.func @f(%a: " + repeated("() -> ", kMany)), "nothing");
  EXPECT_NE(error_of("#a = loc(" + repeated("callsite(", kMany)), "nothing");
  EXPECT_NE(error_of("#a = loc(\"x\"(#b))\n#b = loc(\"y\"(#a))"), "nothing");
  EXPECT_NE(error_of("#a = loc(#a)"), "nothing");
  EXPECT_NE(error_of(module_of("    %0:1000000000 = \"a\"() : () -> ()")), "nothing");
  EXPECT_NE(error_of("\"" + repeated("\\", kMany)), "nothing");
  std::string chain;
  for (int i = 0; i < 5000; ++i) {
    chain += "#a" + std::to_string(i) + " = loc(\"x\"(#a" + std::to_string(i + 1) + "))\n";
  }
  EXPECT_NE(error_of(chain + "#a5000 = loc(unknown)\n"), "nothing");
}

// Cut off anywhere, the text is an error or still whole.
TEST(StablehloTextTest, TruncatedTexts) {
  const std::string text = module_of(
      "    %0 = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32> "
      "loc(\"a\"(\"b\":1:2))\n"
      "    %1 = \"stablehlo.gather\"(%0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [0]>}> "
      ": "
      "(tensor<2x3xf32>, tensor<2x3xi32>) -> tensor<f32>");
  read_text(text);
  for (size_t n = 0; n + 3 < text.size(); ++n) {
    const std::string cut = text.substr(0, n);
    if (!looks_like_text(cut)) continue;
    const std::string error = error_of(cut);
    EXPECT_TRUE(error.starts_with("m.mlir:")) << n << ": " << error;
  }
}

TEST(StablehloTextTest, TellsItFromIngotsOwnText) {
  EXPECT_TRUE(looks_like_text("// a comment\n#loc = loc(unknown)\nmodule @m {}"));
  EXPECT_TRUE(looks_like_text("\"builtin.module\"() ({}) : () -> ()"));
  EXPECT_TRUE(looks_like_text("func.func @main() { return }"));
  EXPECT_FALSE(looks_like_text("# a comment\nfunc @main() -> () {\n  return\n}"));
  EXPECT_FALSE(looks_like_text(""));
}

}  // namespace
}  // namespace ingot::stablehlo
