#include "ingot/dtype.h"

#include <gtest/gtest.h>

#include <set>

namespace ingot {
namespace {

TEST(DTypeTest, NamesAreDistinctAndReadBack) {
  std::set<std::string_view> names;
  for (DType dtype : kAllDTypes) {
    EXPECT_EQ(parse_dtype(name_of(dtype)), dtype);
    names.insert(name_of(dtype));
  }
  EXPECT_EQ(names.size(), std::size(kAllDTypes));
  EXPECT_EQ(parse_dtype("float"), std::nullopt);
}

TEST(DTypeTest, KindsMatchTheirCppTypes) {
  EXPECT_EQ(byte_size(dtype_of<bool>()), sizeof(bool));
  EXPECT_EQ(byte_size(dtype_of<int16_t>()), sizeof(int16_t));
  EXPECT_EQ(byte_size(dtype_of<uint64_t>()), sizeof(uint64_t));
  EXPECT_EQ(byte_size(dtype_of<double>()), sizeof(double));
  EXPECT_TRUE(is_signed(DType::kS8) && is_integer(DType::kS8) && !is_float(DType::kS8));
  EXPECT_TRUE(!is_signed(DType::kU8) && is_integer(DType::kU8));
  EXPECT_TRUE(is_signed(DType::kF32) && !is_integer(DType::kF32) && is_float(DType::kF32));
  EXPECT_TRUE(!is_integer(DType::kPred) && !is_float(DType::kPred));
}

TEST(ShapeTest, CountsAndPrints) {
  EXPECT_EQ(element_count({}), 1);
  EXPECT_EQ(element_count({3, 0, 5}), 0);
  EXPECT_EQ(element_count({3, 4, 5}), 60);
  EXPECT_EQ(to_string(Shape{}), "[]");
  EXPECT_EQ(to_string(Shape{3, 4}), "[3,4]");
}

}  // namespace
}  // namespace ingot
