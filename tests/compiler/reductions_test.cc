// Reductions that are cut: into phases of one kernel, into blocks, into pieces of rows. Compared with the
// interpreter, and with themselves on one and two threads.

#include <gtest/gtest.h>

#include <cmath>

#include "codegen/codegen.h"
#include "compiler/compiler.h"
#include "interpreter/interpreter.h"
#include "ir/text.h"
#include "ir/verifier.h"
#include "testing/differential.h"
#include "testing/golden.h"
#include "testing/run_executable.h"
#include "testing/tensors.h"

namespace ingot::compiler {
namespace {

// "%name = reduce ..." with a combiner of one operation.
std::string reduce(const std::string& name, const std::string& x, const std::string& neutral,
                   const std::string& axes, const std::string& op, const std::string& type) {
  const std::string element = type.substr(0, type.find('['));
  return "  %" + name + " = reduce(%" + x + ", %" + neutral + ") {axes = [" + axes + "]} (%" + name +
         "_a: " + element + "[], %" + name + "_b: " + element + "[]) {\n    %" + name + "_c = " + op + "(%" +
         name + "_a, %" + name + "_b) : " + element + "[]\n    return %" + name + "_c\n  } : " + type + "\n";
}

std::string zero(const std::string& element) {
  return "  %zero = constant() {value = dense " + element + "[]{0}} : " + element + "[]\n";
}

void expect_right(const std::string& text, int64_t kernels = 1) {
  std::unique_ptr<ir::Module> module = ir::parse(text, "test");
  ir::verify(*module);
  EXPECT_EQ(testing::check_compiled(*module, {}, 1), "") << text;
  const Compiled compiled = compile(ir::parse(text, "test"));
  EXPECT_LE(compiled.executable->launch_count(), kernels) << text;
}

struct Case {
  const char *x, *axes, *result;
};

class CutReductionTest : public ::testing::TestWithParam<Case> {};

TEST_P(CutReductionTest, SumsAreRight) {
  const auto& [x, axes, result] = GetParam();
  const std::string element = std::string(x).substr(0, std::string(x).find('['));
  expect_right("func @f(%x: " + std::string(x) + ") -> (" + result + ") {\n" + zero(element) +
               "  %e = mul(%x, %x) : " + x + "\n" + reduce("s", "e", "zero", axes, "add", result) +
               "  %y = neg(%s) : " + result + "\n  return %y\n}\n");
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, CutReductionTest,
    ::testing::Values(Case{"f32[0]", "0", "f32[]"}, Case{"f32[1]", "0", "f32[]"},
                      Case{"f32[131071]", "0", "f32[]"}, Case{"f32[131072]", "0", "f32[]"},
                      Case{"f32[299993]", "0", "f32[]"}, Case{"f64[500,601]", "0,1", "f64[]"},
                      Case{"s32[500,601]", "0,1", "s32[]"}, Case{"f32[3,100003]", "1", "f32[3]"},
                      Case{"f32[100003,3]", "0", "f32[3]"}, Case{"f32[997,509]", "0", "f32[509]"},
                      Case{"f32[509,997]", "0", "f32[997]"}, Case{"f32[2000,131]", "0", "f32[131]"},
                      Case{"f64[1003,300]", "0", "f64[300]"}, Case{"u8[1003,300]", "0", "u8[300]"},
                      Case{"f32[7,101,400]", "1", "f32[7,400]"}, Case{"f32[7,101,400]", "0,2", "f32[101]"},
                      Case{"f32[101,7,400]", "0,2", "f32[7]"}, Case{"f32[5,3,20011]", "0,2", "f32[3]"},
                      Case{"f32[401,3,307]", "0,2", "f32[3]"}, Case{"f32[70,60,90]", "0,1", "f32[90]"},
                      Case{"f32[2,0,100000]", "0,1", "f32[100000]"},
                      Case{"f32[9,20000]", "0", "f32[20000]"}));

TEST(CutReductionTest, SeveralThatShareAPhase) {
  expect_right("func @f(%x: f32[400,700]) -> (f32[], f32[], f32[]) {\n" + zero("f32") +
               "  %low = constant() {value = dense f32[]{-inf}} : f32[]\n"
               "  %e = exp(%x) : f32[400,700]\n" +
               reduce("s", "e", "zero", "0,1", "add", "f32[]") +
               reduce("m", "x", "low", "0,1", "max", "f32[]") +
               "  %q = mul(%s, %m) : f32[]\n  return %s, %m, %q\n}\n");
}

// The second one needs the first one: two pairs of phases.
TEST(CutReductionTest, OneThatNeedsAnother) {
  for (const char* extents : {"[400,701]", "[1,280001]"}) {
    const std::string type = "f32" + std::string(extents);
    expect_right("func @f(%x: " + type + ") -> (f32[], f32[]) {\n" + zero("f32") +
                 reduce("s", "x", "zero", "0,1", "add", "f32[]") +
                 "  %n = constant() {value = dense f32[]{280000}} : f32[]\n"
                 "  %mean = div(%s, %n) : f32[]\n"
                 "  %b = broadcast(%mean) {dims = [], shape = " +
                 extents + "} : " + type + "\n  %d = sub(%x, %b) : " + type +
                 "\n  %q = mul(%d, %d) : " + type + "\n" + reduce("v", "q", "zero", "0,1", "add", "f32[]") +
                 "  %w = div(%v, %n) : f32[]\n  return %mean, %w\n}\n");
  }
}

TEST(CutReductionTest, OneThatNeedsAnotherPerColumn) {
  expect_right("func @f(%x: f32[3000,100]) -> (f32[100]) {\n" + zero("f32") +
               reduce("s", "x", "zero", "0", "add", "f32[100]") +
               "  %b = broadcast(%s) {dims = [1], shape = [3000,100]} : f32[3000,100]\n"
               "  %d = max(%x, %b) : f32[3000,100]\n" +
               reduce("v", "d", "zero", "0", "add", "f32[100]") + "  return %v\n}\n");
}

// A reduction of reductions: what is inside belongs to the part.
TEST(CutReductionTest, OneOfOthers) {
  expect_right("func @f(%x: f32[700,300]) -> (f32[]) {\n" + zero("f32") +
               "  %low = constant() {value = dense f32[]{-inf}} : f32[]\n" +
               reduce("m", "x", "low", "1", "max", "f32[700]") +
               "  %b = broadcast(%m) {dims = [0], shape = [700,300]} : f32[700,300]\n"
               "  %d = sub(%x, %b) : f32[700,300]\n" +
               reduce("s", "d", "zero", "1", "add", "f32[700]") + "  %q = mul(%s, %m) : f32[700]\n" +
               reduce("t", "q", "zero", "0", "add", "f32[]") + "  return %t\n}\n");
}

// Two values at once: where the greatest element is.
TEST(CutReductionTest, OneOfPairs) {
  for (const char* extent : {"299993", "262144"}) {
    const std::string n(extent);
    expect_right("func @f(%x: f32[" + n + "]) -> (f32[], s32[]) {\n" +
                 "  %low = constant() {value = dense f32[]{-inf}} : f32[]\n"
                 "  %last = constant() {value = dense s32[]{2147483647}} : s32[]\n"
                 "  %i = iota() {axis = 0, dtype = s32, shape = [" +
                 n + "]} : s32[" + n +
                 "]\n  %m, %at = reduce(%x, %i, %low, %last) {axes = [0]} (%a: f32[], %j: s32[], %b: f32[], "
                 "%k: s32[]) {\n"
                 "    %more = compare(%b, %a) {direction = \"gt\"} : pred[]\n"
                 "    %same = compare(%b, %a) {direction = \"eq\"} : pred[]\n"
                 "    %first = compare(%k, %j) {direction = \"lt\"} : pred[]\n"
                 "    %tie = and(%same, %first) : pred[]\n"
                 "    %pick = or(%more, %tie) : pred[]\n"
                 "    %v = select(%pick, %b, %a) : f32[]\n"
                 "    %w = select(%pick, %k, %j) : s32[]\n"
                 "    return %v, %w\n  } : f32[], s32[]\n  return %m, %at\n}\n");
  }
}

// The place of the largest element of each column, which one accumulator or several meet in order: ties, NaN,
// zeros of both signs, and columns that hold nothing but the neutral element.
TEST(PlacesOfExtremesTest, ColumnsOfTiesAndNaN) {
  const std::vector<double> values = {-INFINITY, 0.0, -0.0, 1, 1, 2, -3, INFINITY, NAN};
  for (int64_t rows : {1, 2, 5, 8, 9, 32, 61}) {
    const int64_t columns = 53;
    const std::string type = "[" + std::to_string(rows) + "," + std::to_string(columns) + "]";
    const std::string text = "func @f(%x: f32" + type +
                             ") -> (f32[53], s32[53]) {\n"
                             "  %low = constant() {value = dense f32[]{-inf}} : f32[]\n"
                             "  %last = constant() {value = dense s32[]{2147483647}} : s32[]\n"
                             "  %i = iota() {axis = 0, dtype = s32, shape = " +
                             type + "} : s32" + type +
                             "\n  %m, %at = reduce(%x, %i, %low, %last) {axes = [0]} (%a: f32[], %j: s32[], "
                             "%b: f32[], %k: s32[]) {\n"
                             "    %more = compare(%b, %a) {direction = \"gt\"} : pred[]\n"
                             "    %same = compare(%b, %a) {direction = \"eq\"} : pred[]\n"
                             "    %nan = compare(%b, %b) {direction = \"ne\"} : pred[]\n"
                             "    %was = compare(%a, %a) {direction = \"ne\"} : pred[]\n"
                             "    %not = not(%was) : pred[]\n"
                             "    %new = and(%nan, %not) : pred[]\n"
                             "    %above = or(%more, %new) : pred[]\n"
                             "    %both = and(%nan, %was) : pred[]\n"
                             "    %equal = or(%same, %both) : pred[]\n"
                             "    %first = compare(%k, %j) {direction = \"lt\"} : pred[]\n"
                             "    %tie = and(%equal, %first) : pred[]\n"
                             "    %pick = or(%above, %tie) : pred[]\n"
                             "    %v = select(%pick, %b, %a) : f32[]\n"
                             "    %w = select(%pick, %k, %j) : s32[]\n"
                             "    return %v, %w\n  } : f32[53], s32[53]\n  return %m, %at\n}\n";
    Tensor x(DType::kF32, {rows, columns});
    for (int64_t i = 0; i < x.size(); ++i) {
      const int64_t column = i % columns;  // the first hold -inf alone, others less and less of it
      const int64_t kinds = column < 3 ? 1 : column < 20 ? 8 : 9;
      x.set_double(i, values[static_cast<size_t>((i * 7919 + i / 5) % kinds)]);
    }
    const std::vector<Tensor> expected = interpret(*ir::parse(text, "test"), {&x, 1});
    for (const kernel::Target& target : codegen::available_targets()) {
      Options options;
      options.target = target;
      const Compiled compiled = compile(ir::parse(text, "test"), options);
      const std::vector<Tensor> found = testing::run_executable(*compiled.executable, {&x, 1});
      EXPECT_EQ(testing::difference(found, expected), "")
          << rows << " rows, " << target.vector_bytes << " bytes";
    }
  }
}

// The rows of a product are reduced where they are made, in blocks whose last one overlaps the one before: a
// softmax over them, the product itself beside its largest elements, with batches, and in double precision.
std::string softmax_of_product(const std::string& element, const std::string& batch, int64_t m, int64_t n,
                               int64_t k) {
  const auto type = [&](std::vector<int64_t> shape) {
    std::string text = element + "[" + batch;
    for (size_t i = 0; i < shape.size(); ++i)
      text += (text.back() == '[' ? "" : ",") + std::to_string(shape[i]);
    return text + "]";
  };
  const bool batched = !batch.empty();
  const std::string x = type({m, k}), w = type({k, n}), y = type({m, n}), rows = type({m});
  const std::string axis = batched ? "2" : "1", dims = batched ? "0,1" : "0", both = batched ? "0" : "";
  const std::string shape = y.substr(element.size());
  return "func @f(%x: " + x + ", %w: " + w + ") -> (" + y + ", " + y + ", " + rows + ") {\n" + zero(element) +
         "  %low = constant() {value = dense " + element + "[]{-inf}} : " + element + "[]\n" +
         "  %p = dot_general(%x, %w) {lhs_batch = [" + both + "], rhs_batch = [" + both +
         "], lhs_contract = [" + axis + "], rhs_contract = [" + (batched ? "1" : "0") + "]} : " + y + "\n" +
         reduce("m", "p", "low", axis, "max", rows) + "  %mb = broadcast(%m) {dims = [" + dims +
         "], shape = " + shape + "} : " + y + "\n  %d = sub(%p, %mb) : " + y + "\n  %e = exp(%d) : " + y +
         "\n" + reduce("s", "e", "zero", axis, "add", rows) + "  %sb = broadcast(%s) {dims = [" + dims +
         "], shape = " + shape + "} : " + y + "\n  %y = div(%e, %sb) : " + y + "\n  return %y, %p, %m\n}\n";
}

TEST(ReducedProductTest, RowsOfAProductAreReducedInItsKernel) {
  expect_right(softmax_of_product("f32", "", 300, 70, 33));
  expect_right(softmax_of_product("f32", "", 257, 65, 24));
  expect_right(softmax_of_product("f64", "", 1000, 40, 20));
  expect_right(softmax_of_product("f32", "3", 131, 48, 17));
}

// Sums along leading axes have one register for each of many columns: no thousand terms go to one.
TEST(ColumnSumsTest, LoseNoDigits) {
  const std::string text = "func @f(%x: f32[2048,64]) -> (f32[64]) {\n" + zero("f32") +
                           reduce("s", "x", "zero", "0", "add", "f32[64]") + "  return %s\n}\n";
  Tensor tenths(DType::kF32, {2048, 64});
  for (int64_t i = 0; i < tenths.size(); ++i) tenths.set_double(i, 0.1);
  const Compiled compiled = compile(ir::parse(text, "test"));
  const std::vector<Tensor> sums = testing::run_executable(*compiled.executable, {&tenths, 1});
  const double expected = 2048 * static_cast<double>(0.1f);
  for (int64_t i = 0; i < 64; ++i) EXPECT_NEAR(sums[0].get_double(i) / expected, 1, 2e-6);
}

// Written out for each of ten elements, the kernel would be too long to be one, and each of its operations
// would be tried in shorter ones: 37 s for this program.
TEST(ShortSumsTest, LongKernelsAreNotWrittenOut) {
  std::string text = "func @f(%x0: f32[10]) -> (f32[]) {\n" + zero("f32");
  constexpr int kSteps = 700;
  for (int i = 0; i < kSteps; ++i) {
    const std::string x = "%x" + std::to_string(i), next = std::to_string(i + 1);
    text += "  %s" + next + " = sin(" + x + ") : f32[10]\n  %m" + next + " = mul(" + x + ", " + x +
            ") : f32[10]\n  %x" + next + " = sub(%s" + next + ", %m" + next + ") : f32[10]\n";
  }
  text += reduce("y", "x" + std::to_string(kSteps), "zero", "0", "add", "f32[]") + "  return %y\n}\n";
  const Compiled compiled = compile(ir::parse(text, "test"));
  EXPECT_EQ(compiled.executable->launch_count(), 1);
  EXPECT_LE(compiled.lowerings, 3);
}

}  // namespace
}  // namespace ingot::compiler
