// From StableHLO text to Ingot's programs: golden texts, values, and what is refused.
//
// Every file of tests/stablehlo/golden holds cases: a module, a line "// ----", the program that it becomes.
#include "stablehlo/import.h"

#include <gtest/gtest.h>

#include <cmath>

#include "compiler/compiler.h"
#include "ingot/error.h"
#include "interpreter/interpreter.h"
#include "ir/text.h"
#include "stablehlo/imported.h"
#include "testing/differential.h"
#include "testing/golden.h"
#include "testing/run_executable.h"
#include "testing/tensors.h"

namespace ingot::stablehlo {
namespace {

TEST(StablehloImportTest, Golden) {
  for (const auto& file : testing::files_in(INGOT_TEST_DIR "/golden")) {
    testing::check_golden_file(file, [](const std::string& input) {
      const Imported program = imported(input);
      const std::string text = ir::to_string(*program.module);
      EXPECT_EQ(ir::to_string(*ir::parse(text)), text);
      return text;
    });
  }
}

// The generic form of a module means the same program.
TEST(StablehloImportTest, GenericFormsMeanTheSame) {
  for (const auto& file : testing::files_in(INGOT_TEST_DIR "/golden")) {
    for (const std::string& input : testing::golden_inputs(file)) {
      const auto module = read_text(input, "m.mlir");
      const std::string generic = to_string(*module, true);
      const ir::PrintOptions plain{.locations = false};
      EXPECT_EQ(ir::to_string(*imported(generic).module, plain),
                ir::to_string(*import_module(*module).module, plain))
          << generic;
    }
  }
}

// JAX's names, without the traced function and the operation.
TEST(StablehloImportTest, ScopesAreThoseOfJax) {
  const std::string text = R"(
module @jit_f {
  func.func public @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.sine %arg0 : tensor<4xf32> loc(#loc4)
    %1 = stablehlo.cosine %0 : tensor<4xf32> loc(#loc5)
    %2 = stablehlo.exponential %1 : tensor<4xf32> loc(#loc6)
    %3 = stablehlo.tanh %2 : tensor<4xf32> loc(#loc7)
    return %3 : tensor<4xf32>
  }
}
#loc1 = loc("m.py":4:8)
#loc2 = loc("f"(#loc1))
#loc3 = loc(callsite(#loc2 at #loc2))
#loc4 = loc("jit(f)/encoder/attention/sin"(#loc3))
#loc5 = loc("jit(f)/cos"(#loc3))
#loc6 = loc("while/body/exp"(#loc3))
#loc7 = loc("jit(f)/transpose(jvp(encoder))/tanh"(#loc3))
)";
  std::string found;
  const Imported made = imported(text);
  ir::walk(made.module->entry()->body(), [&](const ir::Op& op) {
    if (!op.is_return()) found += ir::to_string(op.provenance()) + "\n";
  });
  EXPECT_EQ(found,
            "m.py:4 in encoder/attention\nm.py:4\nm.py:4 in while/body\n"
            "m.py:4 in transpose(jvp(encoder))\n");
}

// Every operation has a line of the program's, or of the program that it was made from: none of Ingot's own.
TEST(StablehloImportTest, LinesAreTheProgramsOwn) {
  int read = 0;
  std::vector<std::string> refused;
  const auto check = [&](const std::string& text, const std::string& name) {
    std::unique_ptr<ir::Module> module;
    try {
      module = imported(text).module;
      ++read;
    } catch (const Refusal& refusal) {
      refused.push_back(name + ": " + refusal.what());
      return;
    }
    for (const auto& function : module->functions()) {
      ir::walk(function->body(), [&](const ir::Op& op) {
        if (op.is_return()) return;
        const std::string& file = op.provenance().file;
        EXPECT_TRUE(file == "m.mlir" || file.ends_with(".py"))
            << op.name() << " at " << file << " in " << name;
      });
    }
  };
  for (const char* folder : {"/golden", "/texts"}) {
    for (const auto& file : testing::files_in(INGOT_TEST_DIR + std::string(folder))) {
      if (folder == std::string("/texts")) {
        check(testing::read_file(file), file);
      } else {
        for (const std::string& input : testing::golden_inputs(file)) check(input, file);
      }
    }
  }
  // Windows that the library's functions reduce.
  for (const auto& [record, neutral] : {std::pair("add", "0.0"), {"maximum", "0xFF800000"}}) {
    check("func.func @main(%x: tensor<50xf32>) -> tensor<50xf32> {\n  %c = stablehlo.constant dense<" +
              std::string(neutral) +
              "> : tensor<f32>\n  %0 = \"stablehlo.reduce_window\"(%x, %c) <{padding = dense<[[49, 0]]> : "
              "tensor<1x2xi64>, window_dimensions = array<i64: 50>}> ({\n  ^bb0(%a: tensor<f32>, %b: "
              "tensor<f32>):\n    %s = stablehlo." +
              record +
              " %a, %b : tensor<f32>\n    stablehlo.return %s : tensor<f32>\n  }) : (tensor<50xf32>, "
              "tensor<f32>) -> tensor<50xf32>\n  return %0 : tensor<50xf32>\n}",
          record);
  }
  EXPECT_GE(read, 45);
  EXPECT_EQ(refused, std::vector<std::string>());
}

// Programs of JAX: each is read, and compiled it gives what the interpreter gives.
TEST(StablehloImportTest, ProgramsOfJaxRunAsTheyAreInterpreted) {
  int run = 0;
  for (const auto& file : testing::files_in(INGOT_TEST_DIR "/texts")) {
    std::unique_ptr<ir::Module> module;
    try {
      module = imported(testing::read_file(file)).module;
    } catch (const Error& error) {
      ADD_FAILURE() << file << " is not read: " << error.what();
      continue;
    }
    ++run;
    EXPECT_EQ(testing::check_compiled(*module, {}, 1, {.one_way = true, .judged = true}), "") << file;
  }
  EXPECT_GT(run, 20);
}

size_t kernels_of(const std::string& name) {
  auto module = imported(testing::read_file(INGOT_TEST_DIR "/texts/" + name + ".mlir")).module;
  return compiler::compile(std::move(module)).executable->kernels().size();
}

// A Griffin block of flax's nn.Dense and nn.Conv (bench/griffin.py): as many kernels as its C++ version has,
// no copy; its gradient by JAX's own rules, no transpose by itself.
TEST(StablehloImportTest, ABlockOfFlaxHasTheKernelsOfOurs) {
  EXPECT_EQ(kernels_of("griffin"), 3u);
  EXPECT_LE(kernels_of("griffin_gradient"), 18u);
}

// jax.numpy.take asks of each index whether it is inside, in a function that it calls; of a constant one the
// answer is known, however the constant was given its shape.
TEST(StablehloImportTest, PermutationsByTakeAreOneKernel) {
  EXPECT_EQ(kernels_of("permutation_by_take"), 1u);
}

// jax.nn.softmax takes its maxima beside -infinity, and gives sums a dimension of extent 1 and takes it off
// again; dot_product_attention has a dimension for the queries of a group, of extent 1 where every head has
// keys of its own, which a transpose moves between maximum and scores.
TEST(StablehloImportTest, AttentionByJaxIsComputedInBlocks) {
  EXPECT_EQ(kernels_of("attention_to_many"), 1u);
  EXPECT_EQ(kernels_of("attention_of_heads"), 1u);
  EXPECT_EQ(kernels_of("attention_of_groups"), 1u);
}

// The values that main() returns.
std::vector<Tensor> values_of(const std::string& text) {
  return interpret(*imported(text).module, std::vector<Tensor>{});
}

std::string main_of(const std::string& types, const std::string& body) {
  return "func.func public @main() -> (" + types + ") {\n" + body + "\n}";
}

TEST(StablehloImportTest, BranchesThatAreNotThereAreTheLast) {
  for (const auto& [index, value] : {std::pair{-5, 30}, {0, 10}, {1, 20}, {2, 30}, {7, 30}}) {
    const std::vector<Tensor> results = values_of(main_of("tensor<i32>", R"(
      %i = stablehlo.constant dense<)" + std::to_string(index) + R"(> : tensor<i32>
      %0 = "stablehlo.case"(%i) ({
        %a = stablehlo.constant dense<10> : tensor<i32>
        stablehlo.return %a : tensor<i32>
      }, {
        %a = stablehlo.constant dense<20> : tensor<i32>
        stablehlo.return %a : tensor<i32>
      }, {
        %a = stablehlo.constant dense<30> : tensor<i32>
        stablehlo.return %a : tensor<i32>
      }) : (tensor<i32>) -> tensor<i32>
      return %0 : tensor<i32>)"));
    EXPECT_EQ(results[0].get_int(0), value) << index;
  }
}

TEST(StablehloImportTest, InitialValuesCountOnce) {
  const std::vector<Tensor> results = values_of(main_of("tensor<i32>, tensor<i32>, tensor<4xi32>", R"(
      %x = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
      %five = stablehlo.constant dense<5> : tensor<i32>
      %0 = stablehlo.reduce(%x init: %five) applies stablehlo.add across dimensions = [0] : (tensor<4xi32>, tensor<i32>) -> tensor<i32>
      %1 = stablehlo.reduce(%x init: %five) applies stablehlo.maximum across dimensions = [0] : (tensor<4xi32>, tensor<i32>) -> tensor<i32>
      %2 = "stablehlo.reduce_window"(%x, %five) <{padding = dense<[[1, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 2>}> ({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %3 = stablehlo.add %a, %b : tensor<i32>
        stablehlo.return %3 : tensor<i32>
      }) : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
      return %0, %1, %2 : tensor<i32>, tensor<i32>, tensor<4xi32>)"));
  EXPECT_EQ(results[0].get_int(0), 15);
  EXPECT_EQ(results[1].get_int(0), 5);
  EXPECT_EQ(results[2].get_int(0), 11);  // padding is the initial value, too
  EXPECT_EQ(results[2].get_int(1), 8);
}

// Of large windows, by Ingot's own: elements that are spread apart, and an initial value that counts once.
TEST(StablehloImportTest, LargeWindows) {
  const std::vector<Tensor> results = values_of(main_of("tensor<40xi32>, tensor<21xi32>", R"(
      %x = stablehlo.iota dim = 0 : tensor<40xi32>
      %none = stablehlo.constant dense<0> : tensor<i32>
      %five = stablehlo.constant dense<5> : tensor<i32>
      %0 = "stablehlo.reduce_window"(%x, %none) <{base_dilations = array<i64: 2>, window_dimensions = array<i64: 40>}> ({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %3 = stablehlo.add %a, %b : tensor<i32>
        stablehlo.return %3 : tensor<i32>
      }) : (tensor<40xi32>, tensor<i32>) -> tensor<40xi32>
      %1 = "stablehlo.reduce_window"(%x, %five) <{window_dimensions = array<i64: 20>}> ({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %3 = stablehlo.add %a, %b : tensor<i32>
        stablehlo.return %3 : tensor<i32>
      }) : (tensor<40xi32>, tensor<i32>) -> tensor<21xi32>
      return %0, %1 : tensor<40xi32>, tensor<21xi32>)"));
  for (int64_t i = 0; i < 40; ++i) {
    int64_t sum = 0;
    for (int64_t k = i; k < i + 40; ++k) sum += k % 2 == 0 ? k / 2 : 0;
    EXPECT_EQ(results[0].get_int(i), sum) << i;
  }
  for (int64_t i = 0; i < 21; ++i) EXPECT_EQ(results[1].get_int(i), 5 + 20 * i + 190) << i;
}

TEST(StablehloImportTest, WindowsGiveAsManyDimensionsAsTheyAreGiven) {
  EXPECT_NE(error_of(main_of("tensor<i32>", R"(
      %x = stablehlo.iota dim = 0 : tensor<40xi32>
      %none = stablehlo.constant dense<0> : tensor<i32>
      %0 = "stablehlo.reduce_window"(%x, %none) <{window_dimensions = array<i64: 2>}> ({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %3 = stablehlo.add %a, %b : tensor<i32>
        stablehlo.return %3 : tensor<i32>
      }) : (tensor<40xi32>, tensor<i32>) -> tensor<i32>
      return %0 : tensor<i32>)"))
                .find("result 0 is s32[39], one element for each window, but the module says tensor<i32>"),
            std::string::npos);
  EXPECT_NE(error_of(main_of("tensor<3xf32>", R"(
      %x = stablehlo.constant dense<[-3.0, -1.0, -2.0]> : tensor<3xf32>
      %y = stablehlo.constant dense<10.0> : tensor<f32>
      %0 = "stablehlo.select_and_scatter"(%x, %y, %y) <{window_dimensions = array<i64: 2>}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %3 = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %3 : tensor<i1>
      }, {
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %3 = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %3 : tensor<f32>
      }) : (tensor<3xf32>, tensor<f32>, tensor<f32>) -> tensor<3xf32>
      return %0 : tensor<3xf32>)"))
                .find("the operand and the source have other numbers of dimensions"),
            std::string::npos);
}

TEST(StablehloImportTest, PaddingIsNeverSelected) {
  const std::vector<Tensor> results = values_of(main_of("tensor<3xf32>", R"(
      %x = stablehlo.constant dense<[-3.0, -1.0, -2.0]> : tensor<3xf32>
      %y = stablehlo.constant dense<[10.0, 20.0]> : tensor<2xf32>
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %0 = "stablehlo.select_and_scatter"(%x, %y, %zero) <{padding = dense<[[1, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %3 = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %3 : tensor<i1>
      }, {
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %3 = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %3 : tensor<f32>
      }) : (tensor<3xf32>, tensor<2xf32>, tensor<f32>) -> tensor<3xf32>
      return %0 : tensor<3xf32>)"));
  EXPECT_EQ(results[0].get_double(0), 10);
  EXPECT_EQ(results[0].get_double(1), 20);
  EXPECT_EQ(results[0].get_double(2), 0);
}

TEST(StablehloImportTest, ProductsOfPredsAndComplexAngles) {
  const std::vector<Tensor> results = values_of(main_of("tensor<2xi1>, tensor<2xcomplex<f64>>", R"(
      %a = stablehlo.constant dense<[[true, false, true], [false, true, false]]> : tensor<2x3xi1>
      %b = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>
      %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3xi1>, tensor<3xi1>) -> tensor<2xi1>
      %y = stablehlo.constant dense<[(1.0, 0.5), (-2.0, 0.0)]> : tensor<2xcomplex<f64>>
      %x = stablehlo.constant dense<[(0.25, -1.0), (-1.0, 0.0)]> : tensor<2xcomplex<f64>>
      %1 = stablehlo.atan2 %y, %x : tensor<2xcomplex<f64>>
      return %0, %1 : tensor<2xi1>, tensor<2xcomplex<f64>>)"));
  EXPECT_EQ(results[0].get_int(0), 1);
  EXPECT_EQ(results[0].get_int(1), 0);
  using Complex = std::complex<double>;
  const Complex y(1, 0.5), x(0.25, -1), i(0, 1),
      angle = -i * std::log((x + i * y) / std::sqrt(x * x + y * y));
  const auto* got = results[1].data<Complex>();
  EXPECT_NEAR(std::abs(got[0] - angle), 0, 1e-12);
  EXPECT_NEAR(std::abs(got[1] - Complex(std::atan2(-2, -1))), 0, 1e-12);
}

TEST(StablehloImportTest, SignsOfInfinities) {
  const std::vector<Tensor> results = values_of(main_of("tensor<4xi1>, tensor<4xi1>, tensor<4xi1>", R"(
      %x = stablehlo.constant dense<[0x7F800000, 0xFF800000, 0x7FC00000, 1.0]> : tensor<4xf32>
      %0 = chlo.is_inf %x : tensor<4xf32> -> tensor<4xi1>
      %1 = chlo.is_pos_inf %x : tensor<4xf32> -> tensor<4xi1>
      %2 = chlo.is_neg_inf %x : tensor<4xf32> -> tensor<4xi1>
      return %0, %1, %2 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>)"));
  const int expected[3][4] = {{1, 1, 0, 0}, {1, 0, 0, 0}, {0, 1, 0, 0}};
  for (size_t r = 0; r < 3; ++r) {
    for (int64_t i = 0; i < 4; ++i) EXPECT_EQ(results[r].get_int(i), expected[r][i]) << r << " " << i;
  }
}

// A region that is no single operation, and an initial value that is not neutral: compiled as interpreted.
TEST(StablehloImportTest, InitialValuesOfRegionsCount) {
  const Imported program = imported(R"(
    func.func public @main(%x: tensor<4x6xf32>, %y: tensor<4x6xi32>) -> (tensor<6xf32>, tensor<6xi32>) {
      %three = stablehlo.constant dense<1.5> : tensor<f32>
      %c = stablehlo.constant dense<7> : tensor<i32>
      %0:2 = stablehlo.reduce(%x init: %three), (%y init: %c) across dimensions = [0] : (tensor<4x6xf32>, tensor<4x6xi32>, tensor<f32>, tensor<i32>) -> (tensor<6xf32>, tensor<6xi32>)
       reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
        %1 = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %2 = stablehlo.select %1, %a, %b : tensor<i1>, tensor<f32>
        %3 = stablehlo.select %1, %i, %j : tensor<i1>, tensor<i32>
        stablehlo.return %2, %3 : tensor<f32>, tensor<i32>
      }
      return %0#0, %0#1 : tensor<6xf32>, tensor<6xi32>
    })");
  Tensor x(DType::kF32, {4, 6}), y(DType::kS32, {4, 6});
  for (int64_t i = 0; i < 24; ++i) x.set_double(i, static_cast<double>(i * 7 % 11) / 5 - 0.6);
  const std::vector<Tensor> arguments = {x, y};
  compiler::Compiled compiled = compiler::compile(ir::clone(*program.module));
  const std::vector<Tensor> got = testing::run_executable(*compiled.executable, arguments);
  const Tensor &got_x = got[0], &got_y = got[1];
  for (int64_t column = 0; column < 6; ++column) {
    double most = 1.5;
    for (int64_t row = 0; row < 4; ++row) most = std::max(most, x.get_double(row * 6 + column));
    EXPECT_FLOAT_EQ(static_cast<float>(got_x.get_double(column)), static_cast<float>(most)) << column;
    EXPECT_EQ(got_y.get_int(column), most == 1.5 ? 7 : 0) << column;
  }
}

TEST(StablehloImportTest, TotalOrderAndSmallPrecision) {
  const std::vector<Tensor> results = values_of(main_of("tensor<4xi1>, tensor<5xf32>, tensor<5xf32>", R"(
      %x = stablehlo.constant dense<[-0.0, 0x7FC00000, 0xFFC00000, 1.0]> : tensor<4xf32>
      %y = stablehlo.constant dense<[0.0, 0x7F800000, 0xFF800000, 2.0]> : tensor<4xf32>
      %0 = stablehlo.compare LT, %x, %y, TOTALORDER : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
      %z = stablehlo.constant dense<[1.0009765625, 70000.0, -1.0e-9, 0x7FC00000, 1.00048828125]> : tensor<5xf32>
      %1 = stablehlo.reduce_precision %z, format = e5m10 : tensor<5xf32>
      %r = stablehlo.constant dense<[0.5, -0.5, 2.5, -2.5, 0.49999997]> : tensor<5xf32>
      %2 = stablehlo.round_nearest_afz %r : tensor<5xf32>
      return %0, %1, %2 : tensor<4xi1>, tensor<5xf32>, tensor<5xf32>)"));
  const int order[] = {1, 0, 1, 1};
  for (int i = 0; i < 4; ++i) EXPECT_EQ(results[0].get_int(i), order[i]) << i;
  EXPECT_EQ(results[1].get_double(0), 1.0009765625);
  EXPECT_EQ(results[1].get_double(1), INFINITY);
  EXPECT_TRUE(results[1].get_double(2) == 0 && std::signbit(results[1].get_double(2)));
  EXPECT_TRUE(std::isnan(results[1].get_double(3)));
  EXPECT_EQ(results[1].get_double(4), 1.0);  // a tie, to even
  const double rounded[] = {1, -1, 3, -3, 0};
  for (int i = 0; i < 5; ++i) EXPECT_EQ(results[2].get_double(i), rounded[i]) << i;
}

// The bits that XLA's CPU compiler makes (jaxlib 0.10.2): the next state and the last elements.
TEST(StablehloImportTest, RandomBitsAreThoseOfXla) {
  struct Case {
    const char *algorithm, *state, *type;
    std::vector<uint64_t> next, last;
  };
  const char* const two = "1311768467463790320, 18446744073709551614";
  const char* const three = "1311768467463790320, 18446744073709551614, 5";
  const uint64_t key = 1311768467463790320u, wrapped = 18446744073709551615u;
  const Case cases[] = {
      {"THREE_FRY", two, "ui8", {key, wrapped}, {122}},
      {"THREE_FRY", two, "3xui8", {key, 0}, {122, 44, 167}},
      {"THREE_FRY", two, "3x5xui16", {key, 7}, {360, 21, 40121, 6914, 32028, 58502}},
      {"THREE_FRY",
       two,
       "3x4xui32",
       {key, 4},
       {961273596, 1692389550, 1379882886, 1076419981, 1430061416, 3815015690}},
      {"THREE_FRY",
       two,
       "3xui64",
       {key, 1},
       {8112081530999492730u, 2445923859953712039u, 5540413775124856893u}},
      {"PHILOX", two, "ui8", {key, wrapped}, {255}},
      {"DEFAULT", two, "3x5xui16", {key, 2}, {56326, 12798, 26110, 4150, 12992, 44771}},
      {"PHILOX",
       two,
       "3x4xui32",
       {key, 1},
       {3935955418, 1076038438, 271420659, 538106886, 3801100798, 3007079934}},
      {"PHILOX",
       two,
       "3xui64",
       {key, 0},
       {13228713271577040639u, 12765971733663767479u, 12951043062988922654u}},
      {"PHILOX",
       three,
       "7xui32",
       {key, 0, 6},
       {3681938049, 269136383, 315453386, 1840299618, 3117217639, 824971909}},
      {"PHILOX", two, "0x3xui32", {key, wrapped - 1}, {}},
      {"THREE_FRY", two, "2xi32", {key, wrapped}, {1010520186, 1888741164}},
  };
  for (const Case& c : cases) {
    const std::string state = "tensor<" + std::to_string(c.next.size()) + "xui64>";
    const std::string bits = "tensor<" + std::string(c.type) + ">";
    const std::vector<Tensor> results = values_of(main_of(
        state + ", " + bits,
        "%s = stablehlo.constant dense<[" + std::string(c.state) + "]> : " + state +
            "\n%0:2 = \"stablehlo.rng_bit_generator\"(%s) {rng_algorithm = #stablehlo<rng_algorithm " +
            c.algorithm + ">} : (" + state + ") -> (" + state + ", " + bits +
            ")\nreturn %0#0, %0#1 : " + state + ", " + bits));
    for (size_t i = 0; i < c.next.size(); ++i)
      EXPECT_EQ(static_cast<uint64_t>(results[0].get_int(static_cast<int64_t>(i))), c.next[i])
          << c.algorithm << c.type;
    const int64_t behind = results[1].size() - static_cast<int64_t>(c.last.size());
    for (size_t i = 0; i < c.last.size(); ++i) {
      const uint64_t mask = ~uint64_t{0} >> (64 - 8 * byte_size(results[1].dtype()));
      EXPECT_EQ(static_cast<uint64_t>(results[1].get_int(behind + static_cast<int64_t>(i))) & mask, c.last[i])
          << c.algorithm << c.type;
    }
  }
}

// Values of JAX: NaN is the greatest by its bits, -0 is below +0, of equal ones the first is first.
TEST(StablehloImportTest, GreatestElementsAreThoseOfJax) {
  const auto places = [](const std::string& call) {
    std::vector<int64_t> found;
    const Tensor last = values_of(main_of("tensor<9xf32>, tensor<9xi32>", R"(
      %x = stablehlo.constant dense<[0x7FC00000, 1.0, 0xFFC00000, -0.0, 0.0, 0x7F800000, 0xFF800000, 0.0, -0.0]> : tensor<9xf32>
      )" + call + "\n      return %v, %i : tensor<9xf32>, tensor<9xi32>"))[1];
    for (int64_t i = 0; i < last.size(); ++i) found.push_back(last.get_int(i));
    return found;
  };
  const std::vector<int64_t> expected{0, 5, 1, 4, 7, 3, 8, 6, 2};
  EXPECT_EQ(places("%v, %i = chlo.top_k(%x, k = 9) : tensor<9xf32> -> (tensor<9xf32>, tensor<9xi32>)"),
            expected);
  EXPECT_EQ(places("%v, %i = \"stablehlo.custom_call\"(%x) {call_target_name = \"mhlo.topk\", "
                   "mhlo.attributes = {k = 9 : i64, "
                   "largest = true}} : (tensor<9xf32>) -> (tensor<9xf32>, tensor<9xi32>)"),
            expected);
  EXPECT_EQ(places("%v, %i = \"stablehlo.custom_call\"(%x) {call_target_name = \"TopK\"} : (tensor<9xf32>) "
                   "-> (tensor<9xf32>, "
                   "tensor<9xi32>)"),
            expected);
  EXPECT_EQ(places("%v, %i = \"stablehlo.custom_call\"(%x) {call_target_name = \"mhlo.topk\", "
                   "mhlo.attributes = {k = 9 : i64, "
                   "largest = false}} : (tensor<9xf32>) -> (tensor<9xf32>, tensor<9xi32>)"),
            (std::vector<int64_t>{2, 6, 3, 8, 4, 7, 1, 5, 0}));
  const std::vector<Tensor> none = values_of(main_of("tensor<2x0xi8>, tensor<2x0xi32>", R"(
      %x = stablehlo.constant dense<[[3, 1], [2, 2]]> : tensor<2x2xi8>
      %v, %i = chlo.top_k(%x, k = 0) : tensor<2x2xi8> -> (tensor<2x0xi8>, tensor<2x0xi32>)
      return %v, %i : tensor<2x0xi8>, tensor<2x0xi32>)"));
  EXPECT_EQ(none[0].shape(), (Shape{2, 0}));
  EXPECT_EQ(
      error_of(main_of("tensor<5xi8>, tensor<5xi32>", R"(
      %x = stablehlo.constant dense<[3, 1]> : tensor<2xi8>
      %v, %i = chlo.top_k(%x, k = 5) : tensor<2xi8> -> (tensor<5xi8>, tensor<5xi32>)
      return %v, %i : tensor<5xi8>, tensor<5xi32>)")),
      "m.mlir:4:7: chlo.top_k: k is 5, but must be 0 to 2, the number of elements along the last dimension "
      "of s8[2]");
}

TEST(StablehloImportTest, WindowsFromAnEndAreRunningTotals) {
  for (const char* padding : {"[[0, 0], [99, 0]]", "[[0, 0], [0, 99]]"}) {
    const Imported program = imported(
        "func.func public @main(%x: tensor<3x100xf32>) -> tensor<3x100xf32> {\n"
        "%c = stablehlo.constant dense<0.0> : tensor<f32>\n"
        "%y = \"stablehlo.reduce_window\"(%x, %c) <{padding = dense<" +
        std::string(padding) +
        "> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 100>}> ({\n"
        "^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
        "%s = stablehlo.add %a, %b : tensor<f32>\nstablehlo.return %s : tensor<f32>\n"
        "}) : (tensor<3x100xf32>, tensor<f32>) -> tensor<3x100xf32>\n"
        "return %y : tensor<3x100xf32>\n}");
    EXPECT_EQ(testing::check_compiled(*program.module, {}, 1), "");
    EXPECT_EQ(compiler::compile(ir::clone(*program.module)).executable->kernels().size(), 1u);
  }
}

// A running total of narrow floats is rounded once: from 256 on, one more would be nothing in bf16.
TEST(StablehloImportTest, RunningTotalsOfNarrowFloatsGoOn) {
  const Imported program = imported(R"(func.func public @main() -> tensor<1000xbf16> {
  %x = stablehlo.constant dense<1.0> : tensor<1000xbf16>
  %c = stablehlo.constant dense<0.0> : tensor<bf16>
  %y = "stablehlo.reduce_window"(%x, %c) <{padding = dense<[[999, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 1000>}> ({
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %s = stablehlo.add %a, %b : tensor<bf16>
    stablehlo.return %s : tensor<bf16>
  }) : (tensor<1000xbf16>, tensor<bf16>) -> tensor<1000xbf16>
  return %y : tensor<1000xbf16>
})");
  EXPECT_EQ(interpret(*program.module, std::vector<Tensor>{})[0].get_double(999), 1000);
  const auto compiled = compiler::compile(ir::clone(*program.module));
  EXPECT_EQ(testing::run_executable(*compiled.executable, {})[0].get_double(999), 1000);
}

// Of StableHLO's own tests, in the forms that they have there.
TEST(StablehloImportTest, ChecksAreOperationsOfTheirDialect) {
  const auto checked = [](const std::string& operation) {
    return imported(
        "func.func public @main() {\n  %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>\n"
        "  %y = stablehlo.add %x, %x : tensor<2xf32>\n  " +
            operation + "\n  func.return\n}",
        {.checks = true});
  };
  const auto expect = [&](const std::string& operation, const std::string& kind, double tolerance) {
    const Imported program = checked(operation);
    ASSERT_EQ(program.checks.size(), 1u) << operation;
    EXPECT_EQ(program.checks[0].kind, kind) << operation;
    EXPECT_EQ(program.checks[0].tolerance, tolerance) << operation;
    EXPECT_EQ(program.checks[0].operation, "stablehlo.add") << operation;
    const std::vector<Tensor> results = interpret(*program.module, std::vector<Tensor>{});
    ASSERT_EQ(results.size(), 2u) << operation;
    EXPECT_EQ(results[0].get_double(1), 4) << operation;
    EXPECT_EQ(results[1].shape(), Shape{2}) << operation;
  };
  expect("check.expect_eq %y, %x : tensor<2xf32>", "expect_eq", 1e-3);
  expect("check.expect_eq_const %y, dense<3.0> : tensor<2xf32>", "expect_eq", 1e-3);
  expect("check.expect_almost_eq %y, %x {tolerance = 0.5 : f32} : tensor<2xf32>", "expect_almost_eq", 0.5);
  expect("check.expect_almost_eq_const %y, dense<[2.0, 3.0]> : tensor<2xf32>", "expect_almost_eq", 1e-3);
  expect(
      "check.expect_close %y, %x, max_ulp_difference = 9, min_ulp_difference = 0 : tensor<2xf32>, "
      "tensor<2xf32>",
      "expect_close", 9);
  expect("\"check.expect_almost_eq\"(%y, %x) : (tensor<2xf32>, tensor<2xf32>) -> ()", "expect_almost_eq",
         1e-3);
  expect("\"check.expect_eq_const\"(%y) <{value = dense<1.0> : tensor<2xf32>}> : (tensor<2xf32>) -> ()",
         "expect_eq", 1e-3);
  EXPECT_EQ(error_of("func.func public @main(%x: tensor<2xf32>) {\n  \"check.expect_eq_const\"(%x) <{value = "
                     "dense<1.0> : tensor<3xf32>}> : (tensor<2xf32>) -> ()\n  return\n}"),
            "m.mlir:2:3: check.expect_eq_const: its value is a tensor<3xf32>, but the array is f32[2]");
}

TEST(StablehloImportTest, ChecksAndLiftedInputs) {
  const std::string text = R"(
module @jit_main {
  func.func public @main() -> (tensor<2xf32>) {
    %0:2 = call @inputs() : () -> (tensor<2xf32>, tensor<2xf32>)
    %1 = call @expected() : () -> tensor<2xf32>
    %2 = stablehlo.multiply %0#0, %0#1 : tensor<2xf32>
    stablehlo.custom_call @check.expect_close(%2, %1) {has_side_effect = true, ulp = 5 : i64} : (tensor<2xf32>, tensor<2xf32>) -> ()
    return %2 : tensor<2xf32>
  }
  func.func private @inputs() -> (tensor<2xf32>, tensor<2xf32>) {
    %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %1 = stablehlo.constant dense<3.0> : tensor<2xf32>
    return %0, %1 : tensor<2xf32>, tensor<2xf32>
  }
  func.func private @expected() -> tensor<2xf32> {
    %0 = stablehlo.constant dense<[3.0, 6.0]> : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
})";
  const Imported lifted = imported(text, {.checks = true, .lift_inputs = true});
  ASSERT_EQ(lifted.checks.size(), 1u);
  EXPECT_EQ(lifted.checks[0].kind, "expect_close");
  EXPECT_EQ(lifted.checks[0].operation, "stablehlo.multiply");
  EXPECT_EQ(lifted.checks[0].tolerance, 5);
  ASSERT_EQ(lifted.inputs.size(), 2u);
  const std::vector<Tensor> results = interpret(*lifted.module, lifted.inputs);
  EXPECT_EQ(results[0], results[1]);
  const Imported written = imported(text, {.checks = true});
  EXPECT_TRUE(written.inputs.empty());
  EXPECT_EQ(written.module->entry()->body().argument_count(), 0);
  EXPECT_EQ(interpret(*imported(text).module, std::vector<Tensor>{}).size(), 1u);
}

}  // namespace
}  // namespace ingot::stablehlo
