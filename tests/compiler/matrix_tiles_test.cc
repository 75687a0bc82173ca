// Products of bf16 in matrix tiles, compared with the interpreter. Machines without tiles emulate them.
#include <gtest/gtest.h>

#include "ir/text.h"
#include "ir/verifier.h"
#include "testing/differential.h"
#include "testing/matrix_tiles.h"
#include "testing/random_program.h"

namespace ingot::compiler {
namespace {

std::string type(const char* element, std::initializer_list<int64_t> dims) {
  std::string text = std::string(element) + "[";
  for (int64_t d : dims) text += (text.back() == '[' ? "" : ",") + std::to_string(d);
  return text + "]";
}

class MatrixTilesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!testing::target_with_tiles()) GTEST_SKIP() << "no matrix tiles here, and no way to emulate them";
  }

  // `in_tiles`: some products must be.
  static void expect_right(const std::string& text, bool in_tiles = true) {
    std::unique_ptr<ir::Module> module = ir::parse(text, "test");
    ir::verify(*module);
    testing::DifferentialOptions options;
    options.targets = {*testing::target_with_tiles()};
    const int64_t before = testing::tile_products();
    EXPECT_EQ(testing::check_compiled(*module, {}, 1, options), "") << text;
    if (in_tiles && testing::emulates_tiles()) {
      EXPECT_GT(testing::tile_products(), before) << "no product in tiles: " << text;
    }
    EXPECT_FALSE(testing::holds_tiles()) << text;
  }
};

std::string dot(const std::string& lhs, const std::string& rhs, int lhs_contract, int rhs_contract, int batch,
                const std::string& result) {
  const std::string dims = batch ? "[0]" : "[]";
  return "dot_general(" + lhs + ", " + rhs + ") {lhs_batch = " + dims + ", rhs_batch = " + dims +
         ", lhs_contract = [" + std::to_string(lhs_contract) + "], rhs_contract = [" +
         std::to_string(rhs_contract) + "]} : " + result;
}

// (m,k) times (k,n), each as it is or transposed.
std::string product(int64_t m, int64_t k, int64_t n, bool lhs_transposed = false,
                    bool rhs_transposed = false) {
  const std::string lhs = lhs_transposed ? type("bf16", {k, m}) : type("bf16", {m, k});
  const std::string rhs = rhs_transposed ? type("bf16", {n, k}) : type("bf16", {k, n});
  const std::string result = type("bf16", {m, n});
  return "func @f(%x: " + lhs + ", %w: " + rhs + ") -> (" + result +
         ") {\n  %d = " + dot("%x", "%w", lhs_transposed ? 0 : 1, rhs_transposed ? 1 : 0, 0, result) +
         "\n  return %d\n}\n";
}

TEST_F(MatrixTilesTest, OneTile) {
  expect_right(product(16, 32, 16));
}

// Vectors need not be as wide as tiles; and tiles may be other ones.
TEST_F(MatrixTilesTest, AnyVectorsAndShapes) {
  const std::unique_ptr<ir::Module> module = ir::parse(product(70, 100, 90), "test");
  testing::DifferentialOptions options;
  for (kernel::MatrixTiles tiles : {kernel::MatrixTiles{8, 16, 64}, {8, 8, 32}, {3, 16, 64}, {6, 4, 64}}) {
    options.targets = {*testing::target_with_tiles(), *testing::target_with_tiles()};
    for (kernel::Target& target : options.targets) target.tiles = tiles;
    options.targets[1].vector_bytes = 32;
    options.targets[1].vector_registers = 16;
    options.targets[1].bf16_products = false;
    const int64_t before = testing::tile_products();
    EXPECT_EQ(testing::check_compiled(*module, {}, 1, options), "") << tiles.count;
    if (testing::emulates_tiles()) {
      EXPECT_GT(testing::tile_products(), before) << tiles.count;
    }
  }
}

TEST_F(MatrixTilesTest, ContractedDimensionsOfAnyLength) {
  for (int64_t k : {1, 2, 3, 31, 32, 33, 34, 64, 65, 1000}) expect_right(product(33, k, 40), k >= 31);
}

TEST_F(MatrixTilesTest, ResultsOfAnySize) {
  for (int64_t m : {1, 2, 5, 15, 16, 17, 31, 32, 33, 47, 70}) {
    for (int64_t n : {1, 2, 3, 16, 17, 31, 33, 64, 70}) {
      if ((m + n) % 3 == 0 || m == 17 || n == 17) expect_right(product(m, 48, n), std::min(m, n) >= 15);
    }
  }
}

TEST_F(MatrixTilesTest, OperandsInAnyOrder) {
  for (int order = 0; order < 4; ++order) {
    expect_right(product(40, 70, 35, order & 1, order & 2));
    expect_right(product(19, 33, 64, order & 1, order & 2));
  }
}

TEST_F(MatrixTilesTest, ManyUnits) {
  expect_right(product(150, 96, 330));
  expect_right(product(300, 45, 130, true, true));
}

TEST_F(MatrixTilesTest, BatchesAndSharedPanels) {
  expect_right("func @f(%x: bf16[3,20,33], %w: bf16[3,33,24]) -> (bf16[3,20,24]) {\n  %d = " +
               dot("%x", "%w", 2, 1, 1, "bf16[3,20,24]") + "\n  return %d\n}\n");
  expect_right("func @f(%x: bf16[5,33,12], %w: bf16[33,24]) -> (bf16[5,12,24]) {\n  %d = " +
               dot("%x", "%w", 1, 0, 0, "bf16[5,12,24]") + "\n  return %d\n}\n");
}

TEST_F(MatrixTilesTest, SeveralContractedDimensions) {
  for (const char* k : {"4,6", "3,7", "5,1"}) {
    const std::string dims = k;
    const std::string reversed = {dims[2], ',', dims[0]};
    expect_right("func @f(%x: bf16[20," + dims + "], %w: bf16[" + reversed + ",40]) -> (bf16[20,40]) {\n" +
                     "  %d = dot_general(%x, %w) {lhs_batch = [], rhs_batch = [], lhs_contract = [1,2], "
                     "rhs_contract = [1,0]} : bf16[20,40]\n  return %d\n}\n",
                 dims == "4,6");
  }
}

TEST_F(MatrixTilesTest, WhatStandsAroundThem) {
  expect_right(
      R"(func @f(%x: bf16[40,50], %w: bf16[50,48], %b: bf16[48], %r: f32[40,48]) -> (bf16[40,48], bf16[40,48]) {
  %d = dot_general(%x, %w) {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0]} : bf16[40,48]
  %bias = broadcast(%b) {dims = [1], shape = [40,48]} : bf16[40,48]
  %s = add(%d, %bias) : bf16[40,48]
  %t = tanh(%s) : bf16[40,48]
  %c = convert(%r) {dtype = bf16} : bf16[40,48]
  %y = add(%t, %c) : bf16[40,48]
  return %t, %y
}
)");
  // The second product reads what the first one made; a cast and a transpose stand in front.
  expect_right(R"(func @f(%x: f32[40,50], %w: bf16[48,50], %v: bf16[48,36]) -> (bf16[36,40]) {
  %n = convert(%x) {dtype = bf16} : bf16[40,50]
  %d = dot_general(%n, %w) {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [1]} : bf16[40,48]
  %e = dot_general(%v, %d) {lhs_batch = [], rhs_batch = [], lhs_contract = [0], rhs_contract = [1]} : bf16[36,40]
  return %e
}
)",
               false);
}

TEST_F(MatrixTilesTest, ColumnsOfTheirResult) {
  expect_right(R"(func @f(%x: bf16[700,40], %w: bf16[40,48], %z: f32[700,48]) -> (f32[700,48], f32[48]) {
  %xf = convert(%x) {dtype = f32} : f32[700,40]
  %wf = convert(%w) {dtype = f32} : f32[40,48]
  %y = dot_general(%xf, %wf) {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0]} : f32[700,48]
  %g = mul(%y, %z) : f32[700,48]
  %zero = constant() {value = dense f32[]{0}} : f32[]
  %s = reduce(%g, %zero) {axes = [0]} (%a: f32[], %b: f32[]) {
    %c = add(%a, %b) : f32[]
    return %c
  } : f32[48]
  return %g, %s
}
)");
}

// A softmax in between: weights and their sums, by rows; of many keys, in a loop over blocks of them.
TEST_F(MatrixTilesTest, AttentionOfBf16) {
  for (int64_t keys : {96, 2048}) {
    const auto shape = [&](int64_t a, int64_t b) {
      return "[1," + std::to_string(a) + (b ? "," + std::to_string(b) : "") + "]";
    };
    const std::string q = shape(64, 64), k = shape(keys, 64), s = shape(64, keys), r = shape(64, 0);
    const auto widened = [](const std::string& name, const std::string& dims) {
      return "  %" + name + "f = convert(%" + name + ") {dtype = f32} : f32" + dims + "\n";
    };
    const auto reduced = [&](const std::string& name, const std::string& x, const std::string& neutral,
                             const std::string& op) {
      return "  %" + name + "z = constant() {value = dense f32[]{" + neutral + "}} : f32[]\n  %" + name +
             "r = reduce(" + x + ", %" + name + "z) {axes = [2]} (%" + name + "a: f32[], %" + name +
             "b: f32[]) {\n    %" + name + "c = " + op + "(%" + name + "a, %" + name +
             "b) : f32[]\n    return %" + name + "c\n  } : f32" + r + "\n  %" + name + " = broadcast(%" +
             name + "r) {dims = [0,1], shape = " + s + "} : f32" + s + "\n";
    };
    expect_right("func @f(%q: bf16" + q + ", %k: bf16" + k + ", %v: bf16" + k + ") -> (f32" + q + ") {\n" +
                 widened("q", q) + widened("k", k) + widened("v", k) +
                 "  %s = dot_general(%qf, %kf) {lhs_batch = [0], rhs_batch = [0], lhs_contract = [2], "
                 "rhs_contract = [2]} : f32" +
                 s + "\n" + reduced("m", "%s", "-inf", "max") + "  %x = sub(%s, %m) : f32" + s +
                 "\n  %e = exp(%x) : f32" + s + "\n" + reduced("t", "%e", "0", "add") +
                 "  %p = div(%e, %t) : f32" + s +
                 "\n  %y = dot_general(%p, %vf) {lhs_batch = [0], rhs_batch = [0], lhs_contract = [2], "
                 "rhs_contract = [1]} : f32" +
                 q + "\n  return %y\n}\n");
  }
}

TEST_F(MatrixTilesTest, RandomProgramsOfBf16) {
  testing::RandomProgramOptions random;
  random.dtypes = {DType::kBF16, DType::kBF16, DType::kBF16, DType::kF32};
  testing::DifferentialOptions options;
  options.targets = {*testing::target_with_tiles()};
  for (uint64_t seed = 0; seed < 40; ++seed) {
    testing::RandomProgram program = testing::random_program(seed, random);
    EXPECT_EQ(testing::check_compiled(*program.module, program.tolerances, seed, options), "")
        << "seed " << seed << "\n"
        << to_string(*program.module);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace ingot::compiler
