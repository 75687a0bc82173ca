#include "base/divisors.h"

#include <gtest/gtest.h>

namespace ingot {
namespace {

TEST(DivisorsTest, TheLargestInARange) {
  for (int64_t n = 1; n <= 60; ++n) {
    for (int64_t least = 1; least <= 62; ++least) {
      for (int64_t most = 1; most <= 62; ++most) {
        int64_t wanted = 0;
        for (int64_t d = least; d <= most && d <= n; ++d) {
          if (n % d == 0) wanted = d;
        }
        ASSERT_EQ(largest_divisor(n, least, most), wanted) << n << " " << least << " " << most;
      }
    }
  }
}

// Trying each number between the ends would take hours.
TEST(DivisorsTest, LargeNumbersTakeAsManyStepsAsTheirRoot) {
  constexpr int64_t kPrime = (int64_t{1} << 47) - 115;
  for (int64_t most : {int64_t{1000}, int64_t{1} << 23, int64_t{1} << 30, int64_t{1} << 46})
    EXPECT_EQ(largest_divisor(kPrime, divide_up(most, 2), most), 0) << most;
  EXPECT_EQ(largest_divisor(kPrime, 1, kPrime - 1), 1);
  EXPECT_EQ(largest_divisor(int64_t{3} << 45, 1, int64_t{1} << 46), int64_t{3} << 44);
}

}  // namespace
}  // namespace ingot
