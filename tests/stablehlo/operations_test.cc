// Operations that are read by formulas: by the interpreter, and compiled.
#include <algorithm>
#include <cmath>
#include <complex>

#include "stablehlo/numbers.h"

namespace ingot::stablehlo {
namespace {

// As jax.numpy compares them: with a NaN nothing is less or greater, but where real parts decide.
TEST(StablehloOperationsTest, ComplexNumbersAreComparedByTheirParts) {
  const std::vector<std::complex<double>> left{{1, 2},   {1, 2},   {1, 2},   {1, 2},
                                               {NAN, 0}, {1, NAN}, {1, NAN}, {-0.0, 1}},
      right{{1, 2}, {1, 3}, {2, 0}, {0, 9}, {NAN, 0}, {1, 0}, {2, 0}, {0, 1}};
  Tensor x(DType::kC64, {8}), y(DType::kC64, {8});
  for (size_t i = 0; i < left.size(); ++i) {
    x.set_complex(static_cast<int64_t>(i), left[i]);
    y.set_complex(static_cast<int64_t>(i), right[i]);
  }
  const auto compared = [&](const std::string& direction) {
    return numbers_of(
        "func.func @main(%x: tensor<8xcomplex<f32>>, %y: tensor<8xcomplex<f32>>) -> tensor<8xi1> {\n"
        "%0 = stablehlo.compare " +
            direction +
            ", %x, %y, FLOAT : (tensor<8xcomplex<f32>>, tensor<8xcomplex<f32>>) -> tensor<8xi1>\n"
            "return %0 : tensor<8xi1>\n}",
        {x, y})[0];
  };
  EXPECT_EQ(compared("LT"), (Numbers{0, 1, 1, 0, 0, 0, 1, 0}));
  EXPECT_EQ(compared("LE"), (Numbers{1, 1, 1, 0, 0, 0, 1, 1}));
  EXPECT_EQ(compared("GT"), (Numbers{0, 0, 0, 1, 0, 0, 0, 0}));
  EXPECT_EQ(compared("GE"), (Numbers{1, 0, 0, 1, 0, 0, 0, 1}));
  EXPECT_EQ(compared("EQ"), (Numbers{1, 0, 0, 0, 0, 0, 0, 1}));
}

TEST(StablehloOperationsTest, TruthValuesAreClamped) {
  const std::string text = R"(
func.func @main(%x: tensor<8xi1>, %low: tensor<8xi1>, %high: tensor<8xi1>, %one: tensor<i1>) -> (tensor<8xi1>, tensor<8xi1>) {
  %0 = stablehlo.clamp %low, %x, %high : tensor<8xi1>
  %1 = stablehlo.clamp %one, %x, %high : (tensor<i1>, tensor<8xi1>, tensor<8xi1>) -> tensor<8xi1>
  return %0, %1 : tensor<8xi1>, tensor<8xi1>
})";
  const auto bits = [](int64_t of) {
    Tensor made(DType::kPred, {8});
    for (int64_t i = 0; i < 8; ++i) made.set_int(i, i >> of & 1);
    return made;
  };
  Tensor one(DType::kPred, {});
  one.set_int(0, 1);
  EXPECT_EQ(numbers_of(text, {bits(0), bits(1), bits(2), one}),
            (std::vector<Numbers>{{0, 0, 0, 0, 0, 1, 1, 1}, {0, 0, 0, 0, 1, 1, 1, 1}}));
}

// --- CHLO

TEST(StablehloOperationsTest, ScansOfChlo) {
  const std::string text = R"(
func.func @main() -> (tensor<2x3xi32>, tensor<2xi32>, tensor<2x3xi32>, tensor<2xi32>) {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %zero = stablehlo.constant dense<0> : tensor<2xi32>
  %0:2 = chlo.scan(%x) inits(%zero) dimension=1 {
  ^bb0(%a: tensor<2xi32>, %b: tensor<2xi32>):
    %1 = stablehlo.add %a, %b : tensor<2xi32>
    stablehlo.return %1, %1 : tensor<2xi32>, tensor<2xi32>
  } : (tensor<2x3xi32>, tensor<2xi32>) -> (tensor<2x3xi32>, tensor<2xi32>)
  %2:2 = chlo.scan(%x) inits(%zero) dimension=1 attributes {is_reverse = true} {
  ^bb0(%a: tensor<2xi32>, %b: tensor<2xi32>):
    %1 = stablehlo.add %a, %b : tensor<2xi32>
    stablehlo.return %b, %1 : tensor<2xi32>, tensor<2xi32>
  } : (tensor<2x3xi32>, tensor<2xi32>) -> (tensor<2x3xi32>, tensor<2xi32>)
  return %0#0, %0#1, %2#0, %2#1 : tensor<2x3xi32>, tensor<2xi32>, tensor<2x3xi32>, tensor<2xi32>
})";
  const std::vector<Numbers> want = {{1, 3, 6, 4, 9, 15}, {6, 15}, {5, 3, 0, 11, 6, 0}, {6, 15}};
  EXPECT_EQ(numbers_of(text), want);
  EXPECT_EQ(numbers_of(to_string(*read_text(text, "m.mlir"))), want);
}

TEST(StablehloOperationsTest, UpperHalvesOfProducts) {
  const auto upper = [](const std::string& type, const std::string& a, const std::string& b) {
    return numbers_of("func.func @main() -> tensor<3x" + type + "> {\n  %a = stablehlo.constant dense<[" + a +
                      "]> : tensor<3x" + type + ">\n  %b = stablehlo.constant dense<[" + b +
                      "]> : tensor<3x" + type + ">\n  %0 = chlo.mulhi %a, %b : tensor<3x" + type +
                      ">, tensor<3x" + type + "> -> tensor<3x" + type + ">\n  return %0 : tensor<3x" + type +
                      ">\n}")[0];
  };
  EXPECT_EQ(upper("i8", "64, -64, -64", "4, 4, -4"), (Numbers{1, -1, 1}));
  EXPECT_EQ(upper("ui8", "240, 128, 255", "16, 2, 255"), (Numbers{15, 1, 254}));
  EXPECT_EQ(upper("i32", "268435456, -268435456, -1", "16, 16, 1"), (Numbers{1, -1, -1}));
  EXPECT_EQ(upper("i64", "1152921504606846976, -1152921504606846976, -1", "16, 16, -1"), (Numbers{1, -1, 0}));
  EXPECT_EQ(upper("ui64", "17293822569102704640, 9223372036854775808, 4294967296", "16, 2, 4294967295"),
            (Numbers{15, 1, 0}));
}

TEST(StablehloOperationsTest, OperandsAreBroadcast) {
  const auto found = numbers_of(R"(
func.func @main() -> (tensor<2x3xi32>, tensor<2x3xi1>, tensor<2x3xi32>, tensor<2x3xi32>) {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %row = stablehlo.constant dense<[10, 20, 30]> : tensor<3xi32>
  %column = stablehlo.constant dense<[2, 4]> : tensor<2xi32>
  %one = stablehlo.constant dense<[[7]]> : tensor<1x1xi32>
  %p = stablehlo.constant dense<true> : tensor<i1>
  %0 = chlo.broadcast_add %x, %row : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  %1 = chlo.broadcast_compare %x, %column {broadcast_dimensions = array<i64: 0>, comparison_direction = #chlo<comparison_direction GT>} : (tensor<2x3xi32>, tensor<2xi32>) -> tensor<2x3xi1>
  %2 = chlo.broadcast_select %p, %row, %x : (tensor<i1>, tensor<3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  %3 = chlo.broadcast_multiply %one, %x : (tensor<1x1xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  return %0, %1, %2, %3 : tensor<2x3xi32>, tensor<2x3xi1>, tensor<2x3xi32>, tensor<2x3xi32>
})");
  EXPECT_EQ(
      found,
      (std::vector<Numbers>{
          {11, 22, 33, 14, 25, 36}, {0, 0, 1, 0, 1, 1}, {10, 20, 30, 10, 20, 30}, {7, 14, 21, 28, 35, 42}}));
}

TEST(StablehloOperationsTest, RowsByIndicesAndProductsByLabels) {
  const auto found = numbers_of(R"(
func.func @main() -> (tensor<2x2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>) {
  %x = stablehlo.constant dense<[[[1, 2], [3, 4], [5, 6]], [[7, 8], [9, 10], [11, 12]]]> : tensor<2x3x2xi32>
  %at = stablehlo.constant dense<[[2, 0], [1, 1]]> : tensor<2x2xi32>
  %0 = "stablehlo.torch_index_select"(%x, %at) <{dim = 1 : i64, batch_dims = 1 : i64}> : (tensor<2x3x2xi32>, tensor<2x2xi32>) -> tensor<2x2x2xi32>
  %1 = stablehlo.einsum %at, %at, config = "ij,jk->ik" : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  %2 = stablehlo.unary_einsum %at, config = "ij->ji" : (tensor<2x2xi32>) -> tensor<2x2xi32>
  return %0, %1, %2 : tensor<2x2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>
})");
  EXPECT_EQ(found, (std::vector<Numbers>{{5, 6, 1, 2, 9, 10, 9, 10}, {4, 0, 3, 1}, {2, 1, 0, 1}}));
}

}  // namespace
}  // namespace ingot::stablehlo
