// A sample of what ingot_mutate tries for hours: mistakes in programs and files end in errors with a place.
#include "testing/mutate.h"

#include "tools/invoke.h"
#include "tools/npy.h"

namespace ingot::tools {
namespace {

TEST(MutationsTest, ProgramsWithMistakes) {
  const std::vector<std::string> programs = testing::programs_in(INGOT_SOURCE_DIR "/tests");
  EXPECT_GT(programs.size(), 100u);
  testing::Stages stages;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    testing::Random random(seed);
    const std::string text = testing::mutated_ir(programs, random);
    EXPECT_EQ(testing::try_ir(text, false, stages), "") << "seed " << seed << "\n" << text;
  }
  EXPECT_GT(stages.read, 100) << "mutations should leave some texts valid";
  EXPECT_GT(stages.interpreted, 50);
}

TEST(MutationsTest, FilesWithMistakes) {
  testing::Random random(1);
  for (int i = 0; i < 1000; ++i) {
    const std::string bytes = testing::mutated_bytes(write_npy(Tensor(DType::kF32, {3, 2})), random);
    try {
      read_npy(bytes, "a.npy");
    } catch (const Error& error) {
      EXPECT_TRUE(std::string_view(error.what()).starts_with("a.npy: ")) << error.what();
    }
  }
}

}  // namespace
}  // namespace ingot::tools
