// Compiled functions beside MPFR, by a sample: all floats are the business of ingot_accuracy.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "accuracy/sweep.h"

namespace ingot::accuracy {
namespace {

class FunctionAccuracyTest : public testing::TestWithParam<int> {};

TEST_P(FunctionAccuracyTest, IsWithinItsBound) {
  const Function& function = all_functions()[static_cast<size_t>(GetParam())];
  const Result single = sample(function, DType::kF32, 6000, 11),
               twice = sample(function, DType::kF64, 3000, 12);
  EXPECT_LE(single.worst.ulps, function.bound_f32) << "at " << single.worst.x << " " << single.worst.second;
  EXPECT_LE(twice.worst.ulps, function.bound_f64) << "at " << twice.worst.x << " " << twice.worst.second;
}

INSTANTIATE_TEST_SUITE_P(All, FunctionAccuracyTest,
                         testing::Range(0, static_cast<int>(all_functions().size())), [](const auto& info) {
                           return all_functions()[static_cast<size_t>(info.param)].name;
                         });

// A reference that is wrong itself would see no error where there is none.
TEST(AccuracyTest, ErrorsAreCountedInTheLastPlace) {
  const Function& sqrt = *std::find_if(all_functions().begin(), all_functions().end(),
                                       [](const Function& f) { return std::string(f.name) == "sqrt"; });
  EXPECT_EQ(error_in_ulps(sqrt, DType::kF32, 2, 4), 0);
  EXPECT_EQ(error_in_ulps(sqrt, DType::kF32, 2 + 0x1p-22, 4), 1);
  EXPECT_EQ(error_in_ulps(sqrt, DType::kF64, 2 + 0x1p-51, 4), 1);
  EXPECT_TRUE(std::isinf(error_in_ulps(sqrt, DType::kF32, 0, -1)));
  EXPECT_TRUE(std::isinf(error_in_ulps(sqrt, DType::kF32, 0.0, -0.0)));
}

// The page says what the code promises.
TEST(AccuracyTest, ThePageHasTheBounds) {
  std::ifstream file(INGOT_ACCURACY_PAGE);
  std::stringstream page;
  page << file.rdbuf();
  for (const Function& function : all_functions()) {
    std::ostringstream start, twice;
    start << "| `" << function.name << "` | " << function.bound_f32 << " | ";
    twice << " | " << function.bound_f64 << " | ";
    const size_t at = page.str().find(start.str());
    ASSERT_NE(at, std::string::npos)
        << start.str() << ": write it again with build/bin/ingot_accuracy --markdown docs/accuracy.md";
    EXPECT_NE(page.str().substr(at, page.str().find('\n', at) - at).find(twice.str()), std::string::npos)
        << function.name;
  }
}

}  // namespace
}  // namespace ingot::accuracy
