// Programs with structure (loops, calls, reductions): their derivatives in both modes, twice.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "ir/text.h"
#include "ir/verifier.h"
#include "transform/check_derivatives.h"

namespace ingot::transform {
namespace {

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(DerivativesOfProgramsTest, AgreeWithFiniteDifferences) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(INGOT_TEST_DIR "/programs")) {
    const auto module = ir::parse(contents(entry.path()));
    verify(*module);
    EXPECT_EQ(testing::check_derivatives(*module, 3), "") << entry.path();
    ++count;
  }
  EXPECT_GT(count, 5);
}

}  // namespace
}  // namespace ingot::transform
