// ingot check, and StableHLO files where other subcommands take programs.
#include "tools/invoke.h"
#include "tools/report.h"

namespace ingot::tools {
namespace {

std::string case_of(const std::string& expected, const std::string& operation = "add") {
  return R"(module @jit_main {
  func.func public @main() -> tensor<2xf32> {
    %0 = call @inputs() : () -> tensor<2xf32>
    %1 = stablehlo.)" +
         operation + R"( %0, %0 : tensor<2xf32>
    %2 = stablehlo.constant dense<)" +
         expected + R"(> : tensor<2xf32>
    stablehlo.custom_call @check.expect_close(%1, %2) {has_side_effect = true} : (tensor<2xf32>, tensor<2xf32>) -> ()
    return %1 : tensor<2xf32>
  }
  func.func private @inputs() -> tensor<2xf32> {
    %0 = stablehlo.constant dense<[1.0, 0x7FC00000]> : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
})";
}

std::string written(const TemporaryFolder& folder, const std::string& name, const std::string& text) {
  std::ofstream(folder.file(name)) << text;
  return folder.file(name);
}

TEST(CheckTest, GoesOnAndCounts) {
  const TemporaryFolder folder;
  const std::vector<std::string> files = {
      written(folder, "right.mlir", case_of("[2.0, 0x7FC00000]")),
      written(folder, "wrong.mlir", case_of("[2.5, 0x7FC00000]")),
      written(folder, "near.mlir", case_of("[2.0000007, 0xFFC00001]")),  // 3 ulp; any NaN
      written(folder, "far.mlir", case_of("[2.000001, 0x7FC00000]")),    // 4 ulp
      written(folder, "refused.mlir", case_of("[2.0, 0x7FC00000]", "uniform_quantize")),
      written(folder, "broken.mlir", "module {")};
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{}, {"--interpret"}, {"--lift-inputs"}, {"--lift-inputs", "--interpret"}}) {
    std::vector<std::string> arguments = {"check"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.insert(arguments.end(), files.begin(), files.end());
    const Outcome outcome = invoke(arguments);
    EXPECT_EQ(outcome.code, 1);
    EXPECT_TRUE(outcome.out.ends_with("2 passed, 4 failed\n")) << outcome.out;
    EXPECT_NE(outcome.out.find("expect_close 0: 1 of 2 elements, element 0 is 2 instead of 2.5"),
              std::string::npos);
    EXPECT_NE(outcome.out.find("stablehlo.add"), std::string::npos);
    EXPECT_NE(outcome.out.find("broken.mlir:1:9: expected a function"), std::string::npos) << outcome.out;
  }
  const Outcome good = invoke({"check", files[0], files[2]});
  EXPECT_EQ(good.code, 0) << good.out;
  EXPECT_TRUE(good.out.ends_with("2 passed, 0 failed\n"));
}

// Each case is run by itself, so of several functions without a main it is the first one.
TEST(CheckTest, OfSeveralFunctionsTheFirst) {
  const TemporaryFolder folder;
  std::string text = case_of("[2.0, 0x7FC00000]");
  text.replace(text.find("@main"), 5, "@case");
  text.insert(text.rfind('}'), "  func.func @other() { return }\n");
  const Outcome outcome = invoke({"check", written(folder, "two.mlir", text)});
  EXPECT_TRUE(outcome.out.ends_with("1 passed, 0 failed\n")) << outcome.out;
}

TEST(CheckTest, Json) {
  const TemporaryFolder folder;
  const Outcome outcome =
      invoke({"check", "--json", written(folder, "a.mlir", case_of("[2.0, 0x7FC00000]"))});
  const Json report = Json::parse(outcome.out);
  EXPECT_EQ(report["passed"], 1);
  EXPECT_EQ(report["cases"][0]["operation"], "stablehlo.add");
  EXPECT_EQ(report["operations"][0]["passed"], 1);
}

TEST(CheckTest, ModulesWhereProgramsAre) {
  const TemporaryFolder folder;
  // Told by the content, not by the name.
  const std::string file = written(folder, "program.txt", R"(#loc = loc(unknown)
module @jit_f {
  func.func public @main(%arg0: tensor<3xf32> loc("x")) -> tensor<3xf32> {
    %0 = stablehlo.exponential %arg0 : tensor<3xf32> loc("jit(f)/exp"("/home/me/model.py":12:3))
    return %0 : tensor<3xf32>
  }
})");
  for (const std::string command : {"run", "interpret", "bench", "bisect"}) {
    const Outcome outcome = invoke({command, file, "--random", "1"});
    EXPECT_EQ(outcome.code, 0) << command << outcome.out << outcome.err;
  }
  const Outcome kernels = invoke({"kernels", file});
  EXPECT_NE(kernels.out.find("model.py:12"), std::string::npos) << kernels.out;
  EXPECT_NE(invoke({"opt", file}).out.find("exp(%x)"), std::string::npos);
  const Outcome bad = invoke({"run", "-"}, "module {\n  func.func @main() {\n    %0 = stablehlo.add\n");
  EXPECT_EQ(bad.err, "error: <stdin>:4:1: expected an operand such as %0, found the end of the text\n");
}

}  // namespace
}  // namespace ingot::tools
