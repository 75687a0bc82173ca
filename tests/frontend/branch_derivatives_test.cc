// Derivatives of while_loop, cond and switch_ as users meet them.
#include <gtest/gtest.h>

#include "frontend/testing.h"
#include "ingot/ingot.h"

namespace ingot {
namespace {

using testing::error_of;
using testing::f32;
using testing::line;

constexpr int kLoopLine = __LINE__ + 2;
Array doubled_until_large(const Array& x, const WhileOptions& options = {}) {
  return while_loop([](Array y) { return y < 100; }, [](Array y) { return y * 2; }, x, options);
}

TEST(BranchDerivativesTest, ReverseModeOfAWhileNeedsABound) {
  const auto f = [](Array x) { return doubled_until_large(x); };
  const std::string error = error_of([&] { make_ir(grad(f), f32({})); });
  EXPECT_EQ(error.find(line(kLoopLine) + "while: reverse mode (grad, vjp, linearize) needs a bound"), 0u)
      << error;
  EXPECT_NE(error.find("`max_steps`"), std::string::npos) << error;
  const auto bounded = [](Array x) { return doubled_until_large(x, {.max_steps = 20}); };
  EXPECT_NE(testing::traced(grad(bounded), f32({})).find("max_steps = 0"), std::string::npos);
  EXPECT_NE(testing::traced([&](Array x) { return jvp(f, x, x).second; }, f32({})).find("while"),
            std::string::npos);
}

TEST(BranchDerivativesTest, SavedResidualsSayFromWhichBranch) {
  const std::string here = std::to_string(__LINE__ + 3);
  const auto f = [](Array p, Array x) {
    return cond(
        sum(p) > 0, [](Array y) { return sin(y) * 3; }, [](Array y) { return exp(sin(y)); }, x);
  };
  EXPECT_EQ(saved_residuals(f, f32({}), f32({8})).text(),
            "f32[8]  exp, in branch 0  at branch_derivatives_test.cc:" + here +
                "\n"
                "f32[8]  cos for the derivative of sin, in branch 0  at branch_derivatives_test.cc:" +
                here +
                "\n"
                "f32[]  the argument arg0\n");
  const auto g = [](Array x) {
    return while_loop([](Array y) { return sum(y) < 100; }, [](Array y) { return exp(sin(y)); }, x,
                      {.max_steps = 20});
  };
  const std::string text = saved_residuals(g, f32({8})).text();
  EXPECT_NE(text.find("exp, in branch 1, in each of 20 steps"), std::string::npos) << text;
  EXPECT_NE(text.find("cos for the derivative of sin, in branch 1, in each of 20 steps"), std::string::npos)
      << text;
}

}  // namespace
}  // namespace ingot
