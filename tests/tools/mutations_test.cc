// A sample of what ingot_mutate tries for hours: mistakes in programs and files end in errors with a place.
#include "testing/mutate.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

#include "io/npy.h"
#include "io/npz.h"
#include "tools/invoke.h"

namespace ingot::tools {
namespace {

TEST(MutationsTest, ProgramsWithMistakes) {
  const std::vector<std::string> programs = testing::programs_in(INGOT_SOURCE_DIR "/tests");
  EXPECT_GT(programs.size(), 100u);
  testing::Stages stages;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    testing::Random random(seed);
    const std::string text = testing::mutated_ir(programs, random);
    EXPECT_EQ(testing::try_ir(text, seed % 4 == 0, seed, stages), "") << "seed " << seed << "\n" << text;
  }
  EXPECT_GT(stages.read, 100) << "mutations should leave some texts valid";
  EXPECT_GT(stages.interpreted, 50);
  EXPECT_GT(stages.compared, 10);
}

TEST(MutationsTest, ModulesWithMistakes) {
  const std::vector<std::string> modules = testing::modules_in(INGOT_SOURCE_DIR "/tests/stablehlo/texts");
  EXPECT_GT(modules.size(), 20u);
  testing::Stages stages;
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    testing::Random random(seed);
    const std::string text = testing::mutated_ir(modules, random);
    EXPECT_EQ(testing::try_stablehlo(text, seed % 8 == 0, seed, stages), "") << "seed " << seed << "\n"
                                                                             << text;
  }
  EXPECT_GT(stages.read, 100) << "mutations should leave some texts valid";
  EXPECT_GT(stages.interpreted, 50);
}

// A mistake in the header or in the length is refused; one among the elements is another array, which is
// written and read again as itself.
TEST(MutationsTest, FilesWithMistakes) {
  testing::Random random(1);
  const Tensor array = testing::random_tensor(random, DType::kF32, {3, 2});
  const std::string file = io::write_npy(array);
  EXPECT_EQ(io::read_npy(file, "a.npy"), array);
  const size_t header = file.size() - array.bytes();
  int read = 0, others = 0, refused = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::string bytes = testing::mutated_bytes(file, random);
    const bool header_is_right = bytes.size() == file.size() && bytes.starts_with(file.substr(0, header));
    try {
      const Tensor got = io::read_npy(bytes, "a.npy");
      EXPECT_EQ(io::read_npy(io::write_npy(got), "a.npy"), got);
      ++read;
      if (!header_is_right) continue;
      ASSERT_TRUE(got.dtype() == array.dtype() && got.shape() == array.shape());
      EXPECT_EQ(std::memcmp(got.raw(), bytes.data() + header, got.bytes()), 0);
      others += got == array ? 0 : 1;
    } catch (const Error& error) {
      ++refused;
      EXPECT_FALSE(header_is_right) << error.what();
      EXPECT_TRUE(std::string_view(error.what()).starts_with("a.npy: ")) << error.what();
    }
  }
  EXPECT_GT(read, 50);
  EXPECT_GT(others, 10);
  EXPECT_GT(refused, 500);
}

// What is said of a file names it; one that is read is written and read again as itself.
TEST(MutationsTest, ArchivesWithMistakes) {
  testing::Random random(2);
  const io::NamedTensors arrays{{"x", testing::random_tensor(random, DType::kF32, {3, 2})},
                                {"y", testing::random_tensor(random, DType::kS64, {4})}};
  const std::string path = ::testing::TempDir() + "/mutated.npz";
  io::write_npz(path, arrays);
  const auto contents = [&] {
    std::ifstream in(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  const std::string file = contents();
  const io::NamedTensors right = io::read_npz(path);
  EXPECT_EQ(right, arrays);
  int read = 0, refused = 0;
  for (int i = 0; i < 1000; ++i) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << testing::mutated_bytes(file, random);
    try {
      const io::NamedTensors got = io::read_npz(path);
      io::write_npz(path, got);
      EXPECT_EQ(io::read_npz(path), got);
      // Their sums of 32 bits tell all mistakes in the arrays.
      for (const auto& [name, tensor] : got)
        EXPECT_TRUE(
            std::any_of(right.begin(), right.end(), [&](const auto& r) { return r.second == tensor; }));
      ++read;
    } catch (const Error& error) {
      ++refused;
      EXPECT_TRUE(std::string_view(error.what()).starts_with(path + ": ")) << error.what();
    }
  }
  EXPECT_GT(read, 10);
  EXPECT_GT(refused, 500);
}

}  // namespace
}  // namespace ingot::tools
