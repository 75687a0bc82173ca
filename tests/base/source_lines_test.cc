#include "base/source_lines.h"

#include <gtest/gtest.h>

namespace ingot {
namespace {

TEST(SourceLinesTest, FewAreToldOneByOne) {
  EXPECT_EQ(from_lines({}), "");
  EXPECT_EQ(from_lines({"a.cc:4", "b.cc:7 in decode/attention", "a.cc:2"}),
            "from a.cc:4, a.cc:2, b.cc:7 in decode/attention");
}

TEST(SourceLinesTest, ManyOfOneFileAndScopeAreToldAsRanges) {
  EXPECT_EQ(from_lines({"m.mlir:9", "m.mlir:3", "a.cc:1", "m.mlir:5", "m.mlir:4", "m.mlir:4 in while/body"}),
            "from m.mlir:3-5,9, a.cc:1, m.mlir:4 in while/body");
  EXPECT_EQ(from_lines({"C:x:7", "C:x:9", "C:x:11", "C:x:13"}), "from C:x:7,9,11,13");
}

TEST(SourceLinesTest, WhatIsNoFileAndLineIsToldAsItIs) {
  EXPECT_EQ(from_lines({"<unknown>", "a:b", "x:", "f:12x", "f:99999999999999"}),
            "from <unknown>, a:b, x:, f:12x, f:99999999999999");
}

}  // namespace
}  // namespace ingot
