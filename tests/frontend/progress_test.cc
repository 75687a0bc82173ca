#include "ingot/progress.h"

#include <gtest/gtest.h>

#include <list>
#include <vector>

namespace ingot {
namespace {

TEST(ProgressTest, GivesWhatTheRangeHas) {
  ::testing::internal::CaptureStderr();
  int64_t sum = 0;
  for (const int64_t i : progress(int64_t{10}, "numbers")) sum += i;
  std::vector<int> values = {1, 2, 3};
  for (int& v : progress(values)) v *= 2;
  for (const int v : progress(std::list<int>{4, 5}, "list")) sum += v;
  for (const int v : progress(0)) sum += 1000 + v;
  EXPECT_EQ(sum, 54);
  EXPECT_EQ(values, (std::vector<int>{2, 4, 6}));
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");  // which is a file
}

TEST(ProgressTest, TellsHowLongItTakes) {
  EXPECT_EQ(detail::progress_text("train", 420, 1000, 12), "train  420/1000  42%  35.0/s  17 s left");
  EXPECT_EQ(detail::progress_text("", 0, 5, 0), "0/5  0%");
  EXPECT_EQ(detail::progress_text("x", 999, 1000, 1), "x  999/1000  99%  999/s  0 s left");
  EXPECT_EQ(detail::progress_text("x", 1000, 1000, 500), "x  1000/1000  100%  2.0/s  in 8 min");
  EXPECT_EQ(detail::progress_text("x", 7, -1, 2), "x  7  3.5/s");
}

}  // namespace
}  // namespace ingot
