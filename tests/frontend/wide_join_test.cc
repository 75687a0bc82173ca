// Concatenates of more arrays than one kernel should put together.
#include <gtest/gtest.h>

#include <numeric>

#include "frontend/testing.h"
#include "ingot/ingot.h"

namespace ingot {
namespace {

// `count` arrays of `rows` rows and as many columns as `width` says for each; element (r, c) of all of them
// side by side is c * rows + r.
std::vector<Array> arrays_of_columns(int count, int rows, int width) {
  std::vector<Array> arrays;
  for (int i = 0; i < count; ++i) {
    std::vector<float> values;
    for (int r = 0; r < rows; ++r) {
      for (int c = 0; c < width; ++c) values.push_back(static_cast<float>((i * width + c) * rows + r));
    }
    arrays.push_back(Array::from({rows, width}, values));
  }
  return arrays;
}

void expect_side_by_side(const Array& joined, int rows, int columns, float times) {
  ASSERT_EQ(joined.shape(), (Shape{rows, columns}));
  const std::vector<float> values = joined.to_vector<float>();
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c)
      ASSERT_EQ(values[static_cast<size_t>(r * columns + c)], times * static_cast<float>(c * rows + r))
          << "row " << r << ", column " << c;
  }
}

TEST(WideJoinTest, NarrowArraysByThousands) {
  const auto join = jit([](const std::vector<Array>& arrays) { return concatenate(arrays, 1); });
  for (const int count : {512, 513, 1100, 4000})
    expect_side_by_side(join(arrays_of_columns(count, 7, 1)), 7, count, 1);
  expect_side_by_side(join(arrays_of_columns(900, 100, 3)), 100, 2700, 1);
}

TEST(WideJoinTest, WhatIsMadeOfThem) {
  const auto join = jit([](const std::vector<Array>& arrays) {
    std::vector<Array> doubled;
    for (const Array& array : arrays) doubled.push_back(array * 2);
    return concatenate(doubled, 1) * 3;
  });
  expect_side_by_side(join(arrays_of_columns(1100, 64, 1)), 64, 1100, 6);
}

}  // namespace
}  // namespace ingot
