// What is refused of StableHLO text: the operation, its line, and what would do.
#include <gtest/gtest.h>

#include "stablehlo/imported.h"

namespace ingot::stablehlo {
namespace {

TEST(StablehloImportTest, RefusalsNameOperationAndLine) {
  EXPECT_EQ(error_of(R"(func.func public @main(%arg0: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = "stablehlo.infeed"(%arg0) : (tensor<4x4xf32>) -> tensor<4x4xf32> loc("jit(f)/infeed"("model.py":7:3))
  return %0 : tensor<4x4xf32>
})"),
            "m.mlir:2:3: stablehlo.infeed (from model.py:7): there is no other device, and no host, to "
            "exchange arrays with "
            "while a program runs; see "
            "docs/conformance.md");
  EXPECT_EQ(error_of("func.func public @main(%a: tensor<4xf80>) { return }"),
            "m.mlir:1:1: @main: argument 0: Ingot has no elements of type f80 (in tensor<4xf80>); see "
            "docs/conformance.md");
  EXPECT_EQ(error_of(R"(func.func public @main(%a: tensor<4xf32>) -> tensor<5xf32> {
  %0 = "stablehlo.negate"(%a) : (tensor<4xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
})"),
            "m.mlir:2:3: stablehlo.negate: result 0 is f32[4], but the module says tensor<5xf32>");
  EXPECT_EQ(error_of("func.func private @main() { call @main() : () -> () return }"),
            "m.mlir:1:1: @main calls itself, directly or through others");
  EXPECT_EQ(error_of(R"(func.func public @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @nobody(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
})"),
            "m.mlir:2:3: func.call: there is no function @nobody");
  EXPECT_EQ(error_of("module {}"), "m.mlir: there is no public function in the module");
  const std::string two = "func.func @a() { return } func.func @b() { return }";
  EXPECT_EQ(
      error_of(two),
      "m.mlir: the module has the public functions @a, @b, and none is called @main; the one that is to "
      "run should be, or the others be private");
  EXPECT_EQ(error_of(two + " func.func @main() { return }"), "nothing");
  EXPECT_EQ(error_of("func.func @a() { return } func.func private @b() { return }"), "nothing");
}

// As JAX writes running totals: one kernel that goes through the array once.
TEST(StablehloImportTest, RefusalsSayWhatWouldDo) {
  const auto call = [](const std::string& target) {
    return error_of(
        "func.func public @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n%y = stablehlo.custom_call @" +
        target + "(%x) : (tensor<2xf32>) -> tensor<2xf32>\nreturn %y : tensor<2xf32>\n}");
  };
  EXPECT_NE(call("cusolver_geqrf_ffi").find("platforms=[\"cpu\"]"), std::string::npos);
  EXPECT_NE(call("xla_ffi_python_cpu_callback").find("pure_callback"), std::string::npos);
  EXPECT_NE(call("mine").find("ingot::register_custom_call"), std::string::npos);
  EXPECT_NE(error_of(R"(func.func public @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = sdy.manual_computation(%x) in_shardings=[] : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
})")
                .find("Ingot has one; export the function without shard_map"),
            std::string::npos);
}

TEST(StablehloImportTest, LettersOfLapackAreKnownOnes) {
  const auto eigh = [](int mode, int uplo) {
    return error_of(
        "func.func public @main(%x: tensor<2x2xf32>) -> tensor<2xf32> {\n"
        "%v, %w, %i = stablehlo.custom_call @lapack_ssyevd_ffi(%x) {mhlo.backend_config = {mode = " +
        std::to_string(mode) + " : ui8, uplo = " + std::to_string(uplo) +
        " : ui8}} : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>, tensor<i32>)\n"
        "return %w : tensor<2xf32>\n}");
  };
  EXPECT_EQ(eigh('V', 'U'), "nothing");
  EXPECT_NE(eigh('V', 0).find("'uplo' is 0, and should be one of 76 ('L'), 85 ('U')"), std::string::npos);
  EXPECT_NE(eigh(99, 'L').find("'mode' is 99, and should be one of 86 ('V'), 78 ('N')"), std::string::npos);
}

TEST(StablehloImportTest, LongChainsOfCallsAreAnError) {
  std::string text =
      "func.func public @main(%a: tensor<f32>) -> tensor<f32> {\n  %0 = call @f0(%a) : (tensor<f32>) -> "
      "tensor<f32>\n  return %0 : tensor<f32>\n}\n";
  for (int i = 0; i < 3000; ++i) {
    text += "func.func private @f" + std::to_string(i) + "(%a: tensor<f32>) -> tensor<f32> {\n";
    if (i + 1 < 3000) {
      text += "  %0 = call @f" + std::to_string(i + 1) +
              "(%a) : (tensor<f32>) -> tensor<f32>\n  return %0 : tensor<f32>\n}\n";
    } else {
      text += "  return %a : tensor<f32>\n}\n";
    }
  }
  EXPECT_EQ(error_of(text), "m.mlir:10001:1: @f2499: regions and calls in it are nested more than 500 deep");
}

}  // namespace
}  // namespace ingot::stablehlo
