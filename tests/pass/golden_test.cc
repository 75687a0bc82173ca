// Passes on programs as text. Every file of tests/pass/golden is
//
//   // passes: canonicalize,dce
//   <the program>
//   // ----
//   <the program after these passes>
//
// where several such cases may follow each other, set apart by lines of "// ====". Lines starting with //
// before the first function of a case are kept. INGOT_UPDATE_GOLDEN=1 in the environment rewrites what is
// expected. A case is also interpreted before and after on random arguments: passes must not change what a
// program means.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "interpreter/interpreter.h"
#include "ir/text.h"
#include "ir/verifier.h"
#include "pass/passes.h"
#include "pass/runner.h"
#include "testing/differential.h"
#include "testing/golden.h"
#include "testing/tensors.h"

namespace ingot::pass {
namespace {

void expect_same_meaning(const ir::Module& before, const ir::Module& after) {
  testing::Random random(1);
  for (int round = 0; round < 3; ++round) {
    std::vector<Tensor> arguments = testing::random_arguments(random, before);
    const std::vector<Tensor> got = interpret(after, arguments), want = interpret(before, arguments);
    ASSERT_EQ(got.size(), want.size());
    for (size_t i = 0; i < got.size(); ++i) {
      const DType dtype = want[i].dtype();
      const double tolerance = is_narrow_float(dtype)                          ? testing::tolerance_of(dtype)
                               : dtype == DType::kF64 || dtype == DType::kC128 ? 1e-13
                                                                               : 1e-6;
      EXPECT_EQ(testing::difference(got[i], want[i], tolerance), "") << "result " << i;
    }
  }
}

// What the passes make of the case.
std::string run_case(const std::string& input, const std::string& file) {
  std::unique_ptr<ir::Module> module = ir::parse(input, file);
  ir::verify(*module);
  std::unique_ptr<ir::Module> before = clone(*module);
  PassContext context;
  bool changed = false;
  for (const PassResult& result :
       run_passes(*module, parse_pass_list(testing::golden_option(input, "passes")), context)) {
    changed |= result.changed;
  }
  ir::verify(*module);
  std::string text = to_string(*module);
  EXPECT_EQ(text != to_string(*before), changed)
      << "a pass says that it changed something and did not, or the reverse";
  EXPECT_EQ(to_string(*ir::parse(text)), text);
  expect_same_meaning(*before, *module);
  return text;
}

class GoldenTest : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(GoldenTest, Matches) {
  testing::check_golden_file(GetParam(),
                             [&](const std::string& input) { return run_case(input, GetParam().string()); });
}

// Every file of the folder is a test; one that is named otherwise than *.ir is a mistake.
std::vector<std::filesystem::path> golden_files() {
  return testing::files_in(INGOT_TEST_DIR "/golden");
}

INSTANTIATE_TEST_SUITE_P(Files, GoldenTest, ::testing::ValuesIn(golden_files()),
                         [](const auto& info) { return info.param.stem().string(); });

TEST(GoldenFolderTest, HoldsOnlyIrFilesAndOnePerPass) {
  std::vector<std::string> stems;
  for (const auto& file : golden_files()) {
    EXPECT_EQ(file.extension(), ".ir") << file;
    stems.push_back(file.stem().string());
  }
  for (const PassEntry& pass : all_passes()) {
    EXPECT_NE(std::find(stems.begin(), stems.end(), pass.name), stems.end())
        << "there is no golden test for the pass " << pass.name;
  }
}

}  // namespace
}  // namespace ingot::pass
