// The longest kernels are begun first; the first compilation of a process is a short one.
#include "codegen/cpu/compile_order.h"

#include <gtest/gtest.h>

namespace ingot::codegen {
namespace {

using Kernels = std::vector<size_t>;

TEST(CompileOrderTest, TheLongestAreBegunFirst) {
  const std::vector<double> lengths = {100, 400, 200, 400, 300};
  EXPECT_EQ(compile_order(lengths, 2, false).kernels, (Kernels{1, 3, 4, 2, 0}));
  EXPECT_EQ(compile_order(lengths, 1, true).kernels, (Kernels{0, 1, 2, 3, 4}));
  EXPECT_TRUE(compile_order({}, 2, true).kernels.empty());
  EXPECT_FALSE(compile_order({}, 2, true).least_first);
}

TEST(CompileOrderTest, TheShortestGoesAloneAndTheLongestIsLeftToTheCaller) {
  // 30 is less than what is compiled for nothing, so it is the first.
  const std::vector<double> lengths = {500, 30, 600, 400};
  const CompileOrder order = compile_order(lengths, 2, true);
  EXPECT_FALSE(order.least_first);
  EXPECT_EQ(order.kernels, (Kernels{1, 0, 2, 3}));  // a helper takes 500 while the caller has 30 to do
}

TEST(CompileOrderTest, NextToNothingGoesAheadWhereAllAreLong) {
  const std::vector<double> lengths = {1000, 1000};
  const CompileOrder order = compile_order(lengths, 2, true);
  EXPECT_TRUE(order.least_first);
  EXPECT_EQ(order.kernels, (Kernels{0, 1}));
  EXPECT_FALSE(compile_order(std::vector<double>{1000}, 2, true).least_first);
}

}  // namespace
}  // namespace ingot::codegen
