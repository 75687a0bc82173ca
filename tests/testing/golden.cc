#include "testing/golden.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string_view>

#include "testing/sanitized.h"

namespace ingot::testing {
namespace {

constexpr std::string_view kExpected = "// ----\n";
constexpr std::string_view kNextCase = "// ====\n";

std::vector<std::string> split(std::string_view text, std::string_view separator) {
  std::vector<std::string> parts;
  while (true) {
    size_t at = text.find(separator);
    parts.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + separator.size());
  }
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

}  // namespace

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

void check_golden_file(const std::filesystem::path& file,
                       const std::function<std::string(const std::string& input)>& run) {
  const bool update = std::getenv("INGOT_UPDATE_GOLDEN") != nullptr;
  // Sanitizers look at what runs: every second case, and no text, since their compiler evaluates arguments in
  // another order, which numbers some values in another way.
  size_t number = 0;
  std::string updated;
  for (const std::string& one : split(read_file(file), kNextCase)) {
    if (under_sanitizer() && !update && number++ % 2 == 1) continue;
    std::vector<std::string> parts = split(one, kExpected);
    const std::string& input = parts[0];
    std::string expected = parts.size() > 1 ? parts[1] : "";
    SCOPED_TRACE(input);
    std::string actual = run(input);
    if (!updated.empty()) updated += kNextCase;
    updated += input + std::string(kExpected) + actual;
    if (!update && !under_sanitizer()) {
      EXPECT_EQ(actual, expected) << "- expected, + actual:\n" << diff(actual, expected);
    }
  }
  if (update) std::ofstream(file) << updated;
}

std::vector<std::string> golden_inputs(const std::filesystem::path& file) {
  std::vector<std::string> inputs;
  for (const std::string& one : split(read_file(file), kNextCase)) inputs.push_back(split(one, kExpected)[0]);
  return inputs;
}

std::string golden_option(const std::string& input, const std::string& name) {
  const std::string header = "// " + name + ": ";
  size_t at = input.find(header);
  if (at == std::string::npos) return "";
  at += header.size();
  return input.substr(at, input.find('\n', at) - at);
}

}  // namespace ingot::testing
