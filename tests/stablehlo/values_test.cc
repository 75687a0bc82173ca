// What imported operations compute that no program of JAX's among these tests holds.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "ingot/error.h"
#include "interpreter/interpreter.h"
#include "stablehlo/import.h"
#include "stablehlo/read.h"
#include "stablehlo/text.h"

namespace ingot::stablehlo {
namespace {

// Of the program's results, by the interpreter.
std::vector<std::vector<double>> values(const std::string& text, const std::vector<Tensor>& arguments = {}) {
  std::vector<std::vector<double>> found;
  for (const Tensor& result : interpret(*import_module(*read_text(text, "m.mlir")).module, arguments)) {
    std::vector<double>& numbers = found.emplace_back();
    for (int64_t i = 0; i < result.size(); ++i) numbers.push_back(result.get_double(i));
  }
  return found;
}

Tensor tensor(DType dtype, const Shape& shape, const std::vector<double>& numbers) {
  Tensor made(dtype, shape);
  for (size_t i = 0; i < numbers.size(); ++i) made.set_double(static_cast<int64_t>(i), numbers[i]);
  return made;
}

Tensor f64_tensor(const Shape& shape, const std::vector<double>& numbers) {
  return tensor(DType::kF64, shape, numbers);
}

TEST(StablehloValuesTest, NormsOverABatch) {
  const auto results = values(R"(
func.func @main() -> (tensor<2x2x2xf32>, tensor<2x2x2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %x = stablehlo.constant dense<[[[1.0, 2.0], [3.0, 4.0]], [[3.0, 4.0], [1.0, 2.0]]]> : tensor<2x2x2xf32>
  %one = stablehlo.constant dense<1.0> : tensor<2xf32>
  %mean = stablehlo.constant dense<[2.0, 3.0]> : tensor<2xf32>
  %a = "stablehlo.batch_norm_inference"(%x, %one, %one, %mean, %one) <{epsilon = 0.0 : f32, feature_index = 2 : i64}> : (tensor<2x2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2x2x2xf32>
  %b:3 = "stablehlo.batch_norm_training"(%x, %one, %one) <{epsilon = 0.0 : f32, feature_index = 2 : i64}> : (tensor<2x2x2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2x2x2xf32>, tensor<2xf32>, tensor<2xf32>)
  return %a, %b#0, %b#1, %b#2 : tensor<2x2x2xf32>, tensor<2x2x2xf32>, tensor<2xf32>, tensor<2xf32>
}
)");
  const std::vector<double> normal = {0, 0, 2, 2, 2, 2, 0, 0};
  EXPECT_EQ(results, (std::vector<std::vector<double>>{normal, normal, {2, 3}, {1, 1}}));
}

// The gradient of the sum of dy * result, by differences.
TEST(StablehloValuesTest, GradientsOfNormsOverABatch) {
  const std::string training = R"(
func.func @main(%x: tensor<2x3x2xf64>, %scale: tensor<3xf64>, %offset: tensor<3xf64>) -> (tensor<2x3x2xf64>, tensor<3xf64>, tensor<3xf64>) {
  %b:3 = "stablehlo.batch_norm_training"(%x, %scale, %offset) <{epsilon = 0.125 : f32, feature_index = 1 : i64}> : (tensor<2x3x2xf64>, tensor<3xf64>, tensor<3xf64>) -> (tensor<2x3x2xf64>, tensor<3xf64>, tensor<3xf64>)
  return %b#0, %b#1, %b#2 : tensor<2x3x2xf64>, tensor<3xf64>, tensor<3xf64>
}
)";
  const std::string gradient = R"(
func.func @main(%x: tensor<2x3x2xf64>, %scale: tensor<3xf64>, %mean: tensor<3xf64>, %variance: tensor<3xf64>, %dy: tensor<2x3x2xf64>) -> (tensor<2x3x2xf64>, tensor<3xf64>, tensor<3xf64>) {
  %b:3 = "stablehlo.batch_norm_grad"(%x, %scale, %mean, %variance, %dy) <{epsilon = 0.125 : f32, feature_index = 1 : i64}> : (tensor<2x3x2xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<2x3x2xf64>) -> (tensor<2x3x2xf64>, tensor<3xf64>, tensor<3xf64>)
  return %b#0, %b#1, %b#2 : tensor<2x3x2xf64>, tensor<3xf64>, tensor<3xf64>
}
)";
  const Shape shape{2, 3, 2};
  std::vector<std::vector<double>> arguments = {{}, {0.5, -1.5, 2}, {0.25, 1, -3}};
  std::vector<double> dy;
  for (int i = 0; i < 12; ++i) {
    arguments[0].push_back(std::sin(3.0 * i) * 2);
    dy.push_back(std::cos(2.0 * i + 1));
  }
  const auto run = [&] {
    return values(training, {f64_tensor(shape, arguments[0]), f64_tensor({3}, arguments[1]),
                             f64_tensor({3}, arguments[2])});
  };
  const auto loss = [&] {
    double sum = 0;
    const std::vector<double> result = run()[0];
    for (size_t i = 0; i < dy.size(); ++i) sum += dy[i] * result[i];
    return sum;
  };
  const auto at = run();
  const auto found =
      values(gradient, {f64_tensor(shape, arguments[0]), f64_tensor({3}, arguments[1]),
                        f64_tensor({3}, at[1]), f64_tensor({3}, at[2]), f64_tensor(shape, dy)});
  ASSERT_EQ(found.size(), 3u);
  for (size_t a = 0; a < 3; ++a) {
    ASSERT_EQ(found[a].size(), arguments[a].size());
    for (size_t i = 0; i < arguments[a].size(); ++i) {
      const double here = arguments[a][i], step = 1e-5;
      arguments[a][i] = here + step;
      const double above = loss();
      arguments[a][i] = here - step;
      EXPECT_NEAR(found[a][i], (above - loss()) / (2 * step), 1e-8) << "argument " << a << ", element " << i;
      arguments[a][i] = here;
    }
  }
}

TEST(StablehloValuesTest, MapsAreTheirRegionsForAllElements) {
  const auto results = values(R"(
func.func @main(%k: tensor<f32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  %x = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %y = stablehlo.constant dense<[[5.0, 6.0], [7.0, 8.0]]> : tensor<2x2xf32>
  %a = "stablehlo.map"(%x, %y) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %c = stablehlo.constant dense<10.0> : tensor<f32>
      %0 = stablehlo.multiply %p, %q : tensor<f32>
      %1 = stablehlo.add %0, %c : tensor<f32>
      %2 = stablehlo.add %1, %k : tensor<f32>
      stablehlo.return %2 : tensor<f32>
  }) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %b = "stablehlo.map"(%x) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%p: tensor<f32>):
      %c = stablehlo.constant dense<3.0> : tensor<f32>
      stablehlo.return %c : tensor<f32>
  }) : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %a, %b : tensor<2x2xf32>, tensor<2x2xf32>
}
)",
                              {tensor(DType::kF32, {}, {100})});
  EXPECT_EQ(results, (std::vector<std::vector<double>>{{115, 122, 131, 142}, {3, 3, 3, 3}}));
}

TEST(StablehloValuesTest, BitsOfOtherWidths) {
  const auto results = values(R"(
func.func @main() -> (tensor<2x4xui8>, tensor<f64>) {
  %x = stablehlo.constant dense<[1.5, -2.0]> : tensor<2xf32>
  %y = stablehlo.constant dense<[0, 1072693248]> : tensor<2xi32>
  %a = stablehlo.bitcast_convert %x : (tensor<2xf32>) -> tensor<2x4xui8>
  %b = stablehlo.bitcast_convert %y : (tensor<2xi32>) -> tensor<f64>
  return %a, %b : tensor<2x4xui8>, tensor<f64>
}
)");
  EXPECT_EQ(results, (std::vector<std::vector<double>>{{0, 0, 192, 63, 0, 0, 0, 192}, {1}}));
}

// JAX's shapes that were not known when it exported, once they are.
TEST(StablehloValuesTest, ShapesThatAreOperands) {
  const auto results = values(R"(
func.func @main(%x: tensor<2x3xf32>) -> (tensor<6xf32>, tensor<2x2x3xf32>, tensor<2x2xi32>, tensor<i32>) {
  %six = stablehlo.constant dense<6> : tensor<1xi32>
  %twice = stablehlo.constant dense<[2, 2, 3]> : tensor<3xi32>
  %square = stablehlo.constant dense<2> : tensor<2xi32>
  %0 = stablehlo.dynamic_reshape %x, %six : (tensor<2x3xf32>, tensor<1xi32>) -> tensor<6xf32>
  %1 = stablehlo.dynamic_broadcast_in_dim %x, %twice, dims = [1, 2] : (tensor<2x3xf32>, tensor<3xi32>) -> tensor<2x2x3xf32>
  %2 = stablehlo.dynamic_iota %square, dim = 1 : (tensor<2xi32>) -> tensor<2x2xi32>
  %3 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<2x3xf32>) -> tensor<i32>
  return %0, %1, %2, %3 : tensor<6xf32>, tensor<2x2x3xf32>, tensor<2x2xi32>, tensor<i32>
}
)",
                              {tensor(DType::kF32, {2, 3}, {0, 1, 2, 3, 4, 5})});
  EXPECT_EQ(results, (std::vector<std::vector<double>>{
                         {0, 1, 2, 3, 4, 5}, {0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5}, {0, 1, 0, 1}, {3}}));
}

TEST(StablehloValuesTest, PowersOfIntegers) {
  const auto results = values(R"(
func.func @main() -> (tensor<8xi8>, tensor<3xui8>) {
  %x = stablehlo.constant dense<[3, 2, -3, 0, 1, -1, -1, 2]> : tensor<8xi8>
  %n = stablehlo.constant dense<[4, 7, 3, 0, -5, -5, -128, -1]> : tensor<8xi8>
  %y = stablehlo.power %x, %n : tensor<8xi8>
  %u = stablehlo.constant dense<[3, 255, 2]> : tensor<3xui8>
  %m = stablehlo.constant dense<[200, 255, 8]> : tensor<3xui8>
  %z = stablehlo.power %u, %m : tensor<3xui8>
  return %y, %z : tensor<8xi8>, tensor<3xui8>
}
)");
  EXPECT_EQ(results, (std::vector<std::vector<double>>{{81, -128, -27, 1, 1, -1, 1, 0}, {161, 255, 0}}));
}

TEST(StablehloValuesTest, NormsOfOtherArraysAreErrors) {
  for (const char* operands : {"%x", "%x, %s", "%x, %x, %s", "%x, %s, %s, %s"}) {
    const std::string given = operands;
    std::string types;
    for (const char c : given)
      types += c == 'x' ? "tensor<2x3xf32>" : c == 's' ? "tensor<3xf32>" : c == ',' ? ", " : "";
    const std::string text =
        "func.func @main(%x: tensor<2x3xf32>, %s: tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, "
        "tensor<3xf32>) {\n  %b:3 = \"stablehlo.batch_norm_training\"(" +
        given + ") <{epsilon = 0.0 : f32, feature_index = 1 : i64}> : (" + types +
        ") -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)\n  return %b#0, %b#1, %b#2 : "
        "tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>\n}\n";
    try {
      values(text);
      ADD_FAILURE() << "no error for " << given;
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).find("m.mlir:2:"), 0u) << error.what();
    }
  }
}

// Any numbers will do, but they are within their bounds, evenly or normally, and others for each operation.
TEST(StablehloValuesTest, RandomNumbersOfAnOperation) {
  const auto found = values(R"(
func.func @main() -> (tensor<4000xf32>, tensor<4000xf32>, tensor<4000xf64>, tensor<400xi8>, tensor<20x20xbf16>) {
  %shape = stablehlo.constant dense<4000> : tensor<1xi64>
  %few = stablehlo.constant dense<400> : tensor<1xi64>
  %both = stablehlo.constant dense<20> : tensor<2xi64>
  %low = stablehlo.constant dense<-1.0> : tensor<f32>
  %high = stablehlo.constant dense<3.0> : tensor<f32>
  %0 = stablehlo.rng %low, %high, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4000xf32>
  %1 = stablehlo.rng %low, %high, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4000xf32>
  %mean = stablehlo.constant dense<5.0> : tensor<f64>
  %deviation = stablehlo.constant dense<2.0> : tensor<f64>
  %2 = stablehlo.rng %mean, %deviation, %shape, distribution = NORMAL : (tensor<f64>, tensor<f64>, tensor<1xi64>) -> tensor<4000xf64>
  %a = stablehlo.constant dense<-3> : tensor<i8>
  %b = stablehlo.constant dense<4> : tensor<i8>
  %3 = stablehlo.rng %a, %b, %few, distribution = UNIFORM : (tensor<i8>, tensor<i8>, tensor<1xi64>) -> tensor<400xi8>
  %c = stablehlo.constant dense<1.0> : tensor<bf16>
  %d = stablehlo.constant dense<2.0> : tensor<bf16>
  %4 = stablehlo.rng %c, %d, %both, distribution = UNIFORM : (tensor<bf16>, tensor<bf16>, tensor<2xi64>) -> tensor<20x20xbf16>
  return %0, %1, %2, %3, %4 : tensor<4000xf32>, tensor<4000xf32>, tensor<4000xf64>, tensor<400xi8>, tensor<20x20xbf16>
}
)");
  struct Numbers {
    double least = 1e9, most = -1e9, mean = 0, squares = 0;
  };
  std::vector<Numbers> of;
  for (const std::vector<double>& numbers : found) {
    Numbers& now = of.emplace_back();
    for (const double x : numbers) {
      now.least = std::min(now.least, x);
      now.most = std::max(now.most, x);
      now.mean += x / static_cast<double>(numbers.size());
      now.squares += x * x / static_cast<double>(numbers.size());
    }
  }
  EXPECT_GE(of[0].least, -1);
  EXPECT_LT(of[0].most, 3);
  EXPECT_NEAR(of[0].mean, 1, 0.1);
  EXPECT_NE(found[0], found[1]);
  EXPECT_NEAR(of[2].mean, 5, 0.2);
  EXPECT_NEAR(of[2].squares - of[2].mean * of[2].mean, 4, 0.4);
  EXPECT_EQ(of[3].least, -3);
  EXPECT_EQ(of[3].most, 3);
  EXPECT_GE(of[4].least, 1);
  EXPECT_LE(of[4].most, 2);
}

}  // namespace
}  // namespace ingot::stablehlo
