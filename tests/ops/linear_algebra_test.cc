// What cholesky and triangular_solve mean, and what they refuse.
#include <gtest/gtest.h>

#include <limits>

#include "interpreter/interpreter.h"
#include "ir/text.h"
#include "ir/verifier.h"

namespace ingot::ops {
namespace {

std::vector<Tensor> values_of(const std::string& text, const std::vector<Tensor>& arguments) {
  const auto module = ir::parse(text);
  ir::verify(*module);
  EXPECT_EQ(ir::to_string(*ir::parse(ir::to_string(*module))), ir::to_string(*module));
  return interpret(*module, arguments);
}

std::string refusal_of(const std::string& text) {
  try {
    ir::verify(*ir::parse(text));
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

std::string cholesky_program(const std::string& type, bool lower) {
  return "func @main(%x: " + type + ") -> (" + type +
         ") {\n  %y = cholesky(%x) {lower = " + (lower ? "true" : "false") + "} : " + type +
         "\n  return %y\n}\n";
}

std::string solve_program(const std::string& a, const std::string& b, const std::string& left,
                          const std::string& lower, const std::string& unit, const std::string& transpose) {
  return "func @main(%a: " + a + ", %b: " + b + ") -> (" + b +
         ") {\n  %x = triangular_solve(%a, %b) {left_side = " + left + ", lower = " + lower +
         ", unit_diagonal = " + unit + ", transpose_a = \"" + transpose + "\"} : " + b + "\n  return %x\n}\n";
}

const double kUnread = std::numeric_limits<double>::quiet_NaN();

TEST(LinearAlgebraRecordTest, CholeskyReadsOneTriangle) {
  EXPECT_EQ(
      values_of(cholesky_program("f64[2,2]", true), {Tensor::of<double>({2, 2}, {4, kUnread, 2, 10})})[0],
      Tensor::of<double>({2, 2}, {2, 0, 1, 3}));
  EXPECT_EQ(
      values_of(cholesky_program("f64[2,2]", false), {Tensor::of<double>({2, 2}, {4, 2, kUnread, 10})})[0],
      Tensor::of<double>({2, 2}, {2, 1, 0, 3}));
  // U^H U of a complex matrix; what stands in the imaginary parts of the diagonal is not read.
  using C = std::complex<double>;
  EXPECT_EQ(values_of(cholesky_program("c128[2,2]", true),
                      {Tensor::of<C>({2, 2}, {{4, 7}, {kUnread, 0}, {2, 4}, {14, 0}})})[0],
            Tensor::of<C>({2, 2}, {2, 0, {1, 2}, 3}));
  EXPECT_EQ(values_of(cholesky_program("c128[2,2]", false),
                      {Tensor::of<C>({2, 2}, {{4, 7}, {2, -4}, {kUnread, 0}, {14, 0}})})[0],
            Tensor::of<C>({2, 2}, {2, {1, -2}, 0, 3}));
}

TEST(LinearAlgebraRecordTest, CholeskyOfWhatIsNotPositiveDefiniteIsNanInThatMatrix) {
  const Tensor y = values_of(cholesky_program("f32[2,2,2]", true),
                             {Tensor::of<float>({2, 2, 2}, {1, 0, 2, 1, 4, 0, 2, 10})})[0];
  const float* values = y.data<float>();
  EXPECT_TRUE(std::isnan(values[0]) && std::isnan(values[2]) && std::isnan(values[3]));
  EXPECT_EQ(values[1], 0);
  EXPECT_EQ(std::vector<float>(values + 4, values + 8), (std::vector<float>{2, 0, 1, 3}));
}

TEST(LinearAlgebraRecordTest, LuExchangesRows) {
  const auto results = values_of(
      "func @main(%x: f64[3,2]) -> (f64[3,2], s32[2], s32[3]) {\n  %y, %p, %q = lu(%x) : f64[3,2], s32[2], "
      "s32[3]\n"
      "  return %y, %p, %q\n}\n",
      {Tensor::of<double>({3, 2}, {1, 2, 4, 8, 2, 6})});
  EXPECT_EQ(results[0], Tensor::of<double>({3, 2}, {4, 8, 0.5, 2, 0.25, 0}));
  EXPECT_EQ(results[1], Tensor::of<int32_t>({2}, {1, 2}));
  EXPECT_EQ(results[2], Tensor::of<int32_t>({3}, {1, 2, 0}));
}

TEST(LinearAlgebraRecordTest, TriangularSolveFollowsItsAttributes) {
  const Tensor lower = Tensor::of<double>({2, 2}, {2, kUnread, 1, 4}), b = Tensor::of<double>({2, 1}, {2, 9}),
               row = Tensor::of<double>({1, 2}, {2, 9});
  const std::string a = "f64[2,2]", column = "f64[2,1]";
  EXPECT_EQ(values_of(solve_program(a, column, "true", "true", "false", "no"), {lower, b})[0],
            Tensor::of<double>({2, 1}, {1, 2}));
  EXPECT_EQ(values_of(solve_program(a, column, "true", "true", "true", "no"), {lower, b})[0],
            Tensor::of<double>({2, 1}, {2, 7}));
  EXPECT_EQ(values_of(solve_program(a, column, "true", "true", "true", "transpose"), {lower, b})[0],
            Tensor::of<double>({2, 1}, {-7, 9}));
  EXPECT_EQ(values_of(solve_program(a, "f64[1,2]", "false", "true", "true", "no"), {lower, row})[0],
            Tensor::of<double>({1, 2}, {-7, 9}));
  const Tensor upper = Tensor::of<double>({2, 2}, {2, 1, kUnread, 4});
  EXPECT_EQ(values_of(solve_program(a, column, "true", "false", "false", "transpose"), {upper, b})[0],
            Tensor::of<double>({2, 1}, {1, 2}));
  using C = std::complex<double>;
  const Tensor i = Tensor::of<C>({1, 1}, {{0, 1}}), one = Tensor::of<C>({1, 1}, {1});
  const auto by_i = [&](const char* transpose) {
    return values_of(solve_program("c128[1,1]", "c128[1,1]", "true", "true", "false", transpose), {i, one})[0]
        .get_complex(0);
  };
  EXPECT_EQ(by_i("transpose"), C(0, -1));
  EXPECT_EQ(by_i("adjoint"), C(0, 1));
}

TEST(LinearAlgebraRecordTest, RefuseWhatDoesNotFit) {
  const auto expect = [](const std::string& error, const std::string& text) {
    EXPECT_NE(error.find(text), std::string::npos) << error;
  };
  expect(refusal_of(cholesky_program("f32[2,3]", true)),
         "is f32[2,3], but must be square in its last two dimensions");
  expect(refusal_of(cholesky_program("f32[3]", true)), "but must be a matrix");
  expect(refusal_of(cholesky_program("s32[3,3]", true)), "floats");
  const auto refused = [&](const std::string& a, const std::string& b, const std::string& transpose = "no") {
    return refusal_of(solve_program(a, b, "true", "true", "false", transpose));
  };
  EXPECT_EQ(refused("f32[0,0]", "f32[0,5]"), "nothing");
  expect(refused("f32[3,3]", "f32[2,3]"), "the columns of b must be as long as a's, 3");
  expect(refused("f32[4,3,3]", "f32[3,3]"), "the same dimensions before the last two");
  expect(refused("f32[3,3]", "f64[3,3]"), "convert one of them");
  expect(refused("f32[3,3]", "f32[3,3]", "yes"), "must be \"no\", \"transpose\" or \"adjoint\"");
}

}  // namespace
}  // namespace ingot::ops
