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

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "interpreter/interpreter.h"
#include "ir/text.h"
#include "ir/verifier.h"
#include "pass/passes.h"
#include "pass/runner.h"
#include "testing/tensors.h"

namespace ingot::pass {
namespace {

constexpr std::string_view kExpected = "// ----\n";
constexpr std::string_view kNextCase = "// ====\n";

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> split(std::string_view text, std::string_view separator) {
  std::vector<std::string> parts;
  while (true) {
    size_t at = text.find(separator);
    parts.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + separator.size());
  }
}

std::string passes_of(const std::string& input) {
  constexpr std::string_view kHeader = "// passes: ";
  size_t at = input.find(kHeader);
  if (at == std::string::npos) throw Error("a case needs a line '// passes: a,b'");
  at += kHeader.size();
  return input.substr(at, input.find('\n', at) - at);
}

// The lines that differ, with the common ones before and after left out.
std::string diff(const std::string& actual, const std::string& expected) {
  std::vector<std::string> a = split(actual, "\n"), b = split(expected, "\n");
  size_t start = 0, end = 0;
  while (start < std::min(a.size(), b.size()) && a[start] == b[start]) ++start;
  while (end < std::min(a.size(), b.size()) - start && a[a.size() - 1 - end] == b[b.size() - 1 - end]) ++end;
  std::string text;
  for (size_t i = start; i < b.size() - end; ++i) text += "- " + b[i] + "\n";
  for (size_t i = start; i < a.size() - end; ++i) text += "+ " + a[i] + "\n";
  return text;
}

void expect_same_meaning(const ir::Module& before, const ir::Module& after) {
  testing::Random random(1);
  for (int round = 0; round < 3; ++round) {
    std::vector<Tensor> arguments = testing::random_arguments(random, before);
    EXPECT_EQ(testing::difference(interpret(after, arguments), interpret(before, arguments), 1e-6), "");
  }
}

// What the passes make of the case.
std::string run_case(const std::string& input, const std::string& file) {
  std::unique_ptr<ir::Module> module = ir::parse(input, file);
  ir::verify(*module);
  std::unique_ptr<ir::Module> before = clone(*module);
  PassContext context;
  bool changed = false;
  for (const PassResult& result : run_passes(*module, parse_pass_list(passes_of(input)), context)) {
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
  std::string updated;
  for (const std::string& one : split(read(GetParam()), kNextCase)) {
    std::vector<std::string> parts = split(one, kExpected);
    const std::string& input = parts[0];
    std::string expected = parts.size() > 1 ? parts[1] : "";
    SCOPED_TRACE(input);
    std::string actual = run_case(input, GetParam().string());
    if (!updated.empty()) updated += kNextCase;
    updated += input + std::string(kExpected) + actual;
    if (std::getenv("INGOT_UPDATE_GOLDEN") == nullptr) {
      EXPECT_EQ(actual, expected) << "- expected, + actual:\n" << diff(actual, expected);
    }
  }
  if (std::getenv("INGOT_UPDATE_GOLDEN") != nullptr) std::ofstream(GetParam()) << updated;
}

// Every file of the folder is a test; one that is named otherwise than *.ir is a mistake.
std::vector<std::filesystem::path> golden_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(INGOT_TEST_DIR "/golden")) {
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
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
