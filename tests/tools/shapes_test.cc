// --shapes: the sizes that a program leaves open, for all subcommands that take a program.
#include <gtest/gtest.h>

#include "base/tensor.h"
#include "io/npz.h"
#include "tests/tools/invoke.h"

namespace ingot::tools {
namespace {

// As jax.export writes symbolic shapes: sizes of arguments, a condition that tells what they are called, and
// the function, with the names of its arguments.
constexpr const char* kSymbolic = R"(#loc1 = loc("x")
#loc2 = loc("y")
module @jit_f attributes {jax.uses_shape_polymorphism = true} {
  func.func public @main(%arg0: tensor<?x3xf32> loc(unknown), %arg1: tensor<?xf32> loc(unknown)) -> tensor<?x3xf32> {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.get_dimension_size %arg0, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
    %1 = stablehlo.compare GE, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.custom_call @shape_assertion(%1, %0) {api_version = 2 : i32, error_message = "Input shapes do not match the polymorphic shapes specification. Expected value >= 1 for dimension variable 'b'. Using the following polymorphic shapes specifications: args[0]['x'].shape = (b, 3),args[1].shape = (2*b + 1,). Obtained dimension variables: 'b' = {0} from specification 'b' for dimension args[0]['x'].shape[0] (= {0}), .", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
    %2 = call @_wrapped_jax_export_main(%0, %arg0, %arg1) : (tensor<i32>, tensor<?x3xf32>, tensor<?xf32>) -> tensor<?x3xf32>
    return %2 : tensor<?x3xf32>
  }
  func.func private @_wrapped_jax_export_main(%arg0: tensor<i32> {jax.global_constant = "b"} loc(unknown), %arg1: tensor<?x3xf32> loc("x"), %arg2: tensor<?xf32> loc("y")) -> tensor<?x3xf32> {
    %0 = stablehlo.add %arg1, %arg1 : tensor<?x3xf32>
    return %0 : tensor<?x3xf32>
  }
})";

// The same where jax.export was told to leave the conditions out.
constexpr const char* kUnchecked = R"(#loc1 = loc("x")
module @jit_f attributes {jax.uses_shape_polymorphism = true} {
  func.func public @main(%arg0: tensor<3x?xf32> loc(unknown), %arg1: tensor<?xf32> loc(unknown)) -> tensor<3x?xf32> {
    %0 = stablehlo.get_dimension_size %arg0, dim = 1 : (tensor<3x?xf32>) -> tensor<i32>
    %2 = call @_wrapped_jax_export_main(%0, %arg0, %arg1) : (tensor<i32>, tensor<3x?xf32>, tensor<?xf32>) -> tensor<3x?xf32>
    return %2 : tensor<3x?xf32>
  }
  func.func private @_wrapped_jax_export_main(%arg0: tensor<i32> {jax.global_constant = "b"} loc(unknown), %arg1: tensor<3x?xf32> loc("x"), %arg2: tensor<?xf32> loc("y")) -> tensor<3x?xf32> {
    %0 = stablehlo.add %arg1, %arg1 : tensor<3x?xf32>
    return %0 : tensor<3x?xf32>
  }
})";

// Open extents that nobody has named.
constexpr const char* kNameless = R"(module {
  func.func public @main(%x: tensor<?x3xf32> loc("x"), %k: tensor<f32> loc("k")) -> tensor<?x3xf32> {
    %0 = stablehlo.add %x, %x : tensor<?x3xf32>
    return %0 : tensor<?x3xf32>
  }
})";

constexpr const char* kFixed =
    "func @main(%x: f32[2,3]) -> (f32[2,3]) {\n  %y = exp(%x) : f32[2,3]\n  return %y\n}";

std::string error_of(const char* program, const std::string& shapes) {
  const Outcome outcome = invoke({"opt", "-", "--shapes", shapes}, program);
  EXPECT_EQ(outcome.code, kUserError) << outcome.out;
  return outcome.err;
}

TEST(ShapesTest, AreSizesOfDimensionsOrShapesOfArguments) {
  for (const char* shapes : {"b=4", "f32[4,3],f32[9]", "[4,3], [9]", "x=[4,3]", "y=f32[9],x=f32[4,3]",
                             "b=4,y=[9]", "arg0=[4, 3]", " f32[4,3] , b = 4 "}) {
    const Outcome outcome = invoke({"opt", "-", "--shapes", shapes}, kSymbolic);
    EXPECT_EQ(outcome.code, 0) << shapes << ": " << outcome.err;
    expect_contains(outcome.out, "func @main(%x: f32[4,3], %y: f32[9])");
  }
  for (const char* shapes : {"[4,3],[]", "x=[4,3]", "x.0=4"}) {
    const Outcome outcome = invoke({"opt", "-", "--shapes", shapes}, kNameless);
    EXPECT_EQ(outcome.code, 0) << shapes << ": " << outcome.err;
    expect_contains(outcome.out, "func @main(%x: f32[4,3], %k: f32[])");
  }
  for (const char* shapes : {"b=4,y.0=9", "[3,4],[9]", "x=[3,4],y.0=9"}) {
    const Outcome outcome = invoke({"opt", "-", "--shapes", shapes}, kUnchecked);
    EXPECT_EQ(outcome.code, 0) << shapes << ": " << outcome.err;
    expect_contains(outcome.out, "func @main(%x: f32[3,4], %y: f32[9])");
  }
  EXPECT_EQ(invoke({"opt", "-", "--shapes", "f32[2,3]"}, kFixed).code, 0);
}

TEST(ShapesTest, AllSubcommandsTakeThem) {
  const TemporaryFolder folder;
  const std::vector<std::vector<std::string>> commands = {{"run", "-", "--random", "1"},
                                                          {"interpret", "-", "--random", "1"},
                                                          {"interpret", "-", "--compare"},
                                                          {"bench", "-", "--reps", "1"},
                                                          {"kernels", "-"},
                                                          {"opt", "-", "--pipeline"},
                                                          {"bisect", "-"},
                                                          {"export", "-"}};
  for (std::vector<std::string> command : commands) {
    const Outcome without = invoke(command, kSymbolic);
    EXPECT_EQ(without.code, kUserError) << command[0];
    expect_contains(
        without.err,
        "<stdin>: the program takes (x: f32[b,3], y: f32[2*b + 1]), which leaves sizes open: give "
        "--shapes 'b=8'");
    const bool takes_files = command[0] != "kernels" && command[0] != "opt" && command[0] != "export";
    EXPECT_EQ(without.err.find("--args") != std::string::npos, takes_files) << without.err;
    command.insert(command.end(), {"--shapes", "b=4"});
    const Outcome with = invoke(command, kSymbolic);
    EXPECT_EQ(with.code, 0) << command[0] << ": " << with.err;
  }
  expect_contains(invoke({"run", "-"}, kNameless).err, "give --shapes 'x.0=8', or --args FILE.npz");
  // What a file of arguments says is enough, for all that take one.
  const std::string file = folder.file("in.npz");
  io::write_npz(file, {{"arg0", Tensor(DType::kF32, {4, 3})}, {"arg1", Tensor(DType::kF32, {9})}});
  for (const char* command : {"run", "interpret", "bench", "bisect"})
    EXPECT_EQ(invoke({command, "-", "--args", file}, kSymbolic).code, 0) << command;
  expect_contains(invoke({"run", "-", "--args", file, "--shapes", "b=4"}, kSymbolic).err,
                  "error: --shapes and --args exclude each other");
  io::write_npz(file, {{"arg0", Tensor(DType::kF32, {4, 3})}});
  expect_contains(invoke({"run", "-", "--args", file}, kSymbolic).err,
                  "there is no arg1 for argument 1, y: f32[2*b + 1]");
}

TEST(ShapesTest, ErrorsNameTheArgumentAndWhatIsRight) {
  const std::string takes = "the program takes (x: f32[b,3], y: f32[2*b + 1])\n";
  EXPECT_EQ(error_of(kSymbolic, "c=4"), "error: --shapes: there is no dimension 'c'; " + takes);
  EXPECT_EQ(error_of(kSymbolic, "z=[4,3]"), "error: --shapes: there is no argument 'z'; " + takes);
  EXPECT_EQ(error_of(kSymbolic, "b=[4]"),
            "error: --shapes: b is a dimension, whose size is a number, as in b=8, and no [4]; " + takes);
  EXPECT_EQ(error_of(kSymbolic, "x=4"),
            "error: --shapes: argument 0, x: f32[b,3], has a shape, as in x=[8,3], and not the size 4\n");
  EXPECT_EQ(error_of(kSymbolic, "b=4,b=5"), "error: --shapes: b is 4 and 5\n");
  EXPECT_EQ(error_of(kSymbolic, "[4,3],x=[4,3]"),
            "error: --shapes: argument 0, x: f32[b,3], is given twice, as [4,3] and as [4,3]\n");
  EXPECT_EQ(error_of(kSymbolic, "f32[4,3],f32[9],f32[2]"),
            "error: --shapes: there is no argument for f32[2]; " + takes);
  for (const char* other : {"s32[4,3]", "f32[4]"})
    EXPECT_EQ(error_of(kSymbolic, std::string("x=") + other),
              std::string("error: --shapes: argument 0, x: f32[b,3], cannot be ") + other + "\n");
  EXPECT_EQ(error_of(kSymbolic, "[4,2]"),
            "error: --shapes: argument 0, x: f32[b,3], cannot be [4,2]: its dimension 1 is 3\n");
  EXPECT_EQ(error_of(kSymbolic, "b=5,x=[4,3]"),
            "error: --shapes: argument 0, x: f32[b,3], cannot be [4,3]: its dimension 0, b, is 5\n");
  EXPECT_EQ(
      error_of(kSymbolic, "[4,3],[8]"),
      "error: --shapes: argument 1, y: f32[2*b + 1], cannot be [8]: its dimension 0, 2*b + 1, is 9 with b "
      "= 4\n");
  EXPECT_EQ(error_of(kSymbolic, "y=[9]"),
            "error: --shapes: argument 0, x: f32[b,3]: the size of b is missing; add b=8 or x=[8,3]\n");
  EXPECT_EQ(error_of(kNameless, "k=[]"),
            "error: --shapes: argument 0, x: f32[x.0,3]: the size of x.0 is missing; add x.0=8 or x=[8,3]\n");
  EXPECT_EQ(error_of(kUnchecked, "b=4"),
            "error: --shapes: argument 1, y: f32[y.0]: the size of y.0 is missing; add y.0=8 or y=[8]\n");
  for (const char* nonsense : {"4", "b=", "=4", "b=-1", "f33[4]", "x=[4,3", "[4,,3]", "b=4,", "x=[b,3]"})
    expect_contains(error_of(kSymbolic, nonsense),
                    "no shape of an argument, as f32[8,3], [8,3] and x=[8,3] are");
  // What breaks the program's own conditions is told in its words.
  expect_contains(error_of(kSymbolic, "b=0"), "Expected value >= 1 for dimension variable 'b'");
  EXPECT_EQ(error_of(kFixed, "b=4"),
            "error: --shapes: there is no dimension 'b'; the program takes (x: f32[2,3])\n");
  EXPECT_EQ(error_of(kFixed, "[4,3]"),
            "error: --shapes: argument 0, x: f32[2,3], cannot be [4,3]: its dimension 0 is 2\n");
}

TEST(ShapesTest, CheckSaysThatItsModulesTakeNoArguments) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("m.mlir")) << kSymbolic;
  const Outcome outcome = invoke({"check", folder.file("m.mlir")});
  EXPECT_EQ(outcome.code, kUserError);
  expect_contains(outcome.out, "the program takes (x: f32[b,3], y: f32[2*b + 1]), but the modules that");
}

// Every command of the pages that names shapes; what they are about is kSymbolic.
TEST(ShapesTest, TheLinesOfThePagesRun) {
  const TemporaryFolder folder;
  const std::string file = folder.file("model.mlir");
  std::ofstream(file) << kSymbolic;
  int lines = 0;
  for (const char* name : {"debugging.md", "from_jax.md"}) {
    std::ifstream page(std::string(INGOT_SOURCE_DIR) + "/docs/" + name);
    for (std::string line; std::getline(page, line);) {
      if (!line.starts_with("ingot ") || line.find("--shapes") == std::string::npos) continue;
      std::vector<std::string> words;
      std::istringstream rest(line.substr(6));
      for (std::string word; rest >> word;) {
        std::erase(word, '\'');
        words.push_back(word == "model.mlir" ? file : word);
      }
      const Outcome outcome = invoke(words);
      EXPECT_EQ(outcome.code, 0) << line << ": " << outcome.err;
      ++lines;
    }
  }
  EXPECT_EQ(lines, 6);
}

// The commands that bisect proposes are about the same program.
TEST(ShapesTest, BisectProposesThem) {
  const TemporaryFolder folder;
  const std::string file = folder.file("m.mlir");
  std::ofstream(file) << kSymbolic;
  const Outcome outcome = invoke({"bisect", file, "--shapes", "b=4", "--plant", "fuse.fuse"});
  EXPECT_EQ(outcome.code, kFoundDifference) << outcome.out << outcome.err;
  expect_contains(outcome.out, "ingot opt " + file + " --shapes 'f32[4,3],f32[9]' --pipeline");
}

}  // namespace
}  // namespace ingot::tools
