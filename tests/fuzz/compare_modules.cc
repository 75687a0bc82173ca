// ingot_compare_modules [--locations] FILE FILE [FILE FILE]...: whether both files of each pair, StableHLO in
// text or bytecode, are read as the same module. Prints where they differ first, and `N equal, N different`
// at the end.
#include <cstdio>
#include <cstring>
#include <exception>

#include "stablehlo/read.h"
#include "testing/compare_modules.h"
#include "testing/golden.h"

namespace ingot::testing {
namespace {

std::string line_at(const std::string& text, size_t at) {
  const size_t begin = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
  return text.substr(begin, std::min(text.find('\n', at), text.size()) - begin).substr(0, 1000);
}

std::string difference(const std::string& a, const std::string& b, bool locations) {
  const std::string first = stablehlo::canonical_text(*stablehlo::read_module(read_file(a), a), locations);
  const std::string second = stablehlo::canonical_text(*stablehlo::read_module(read_file(b), b), locations);
  if (first == second) return "";
  size_t at = 0;
  while (at < first.size() && at < second.size() && first[at] == second[at]) ++at;
  return "  " + line_at(first, at) + "\n  " + line_at(second, at);
}

}  // namespace
}  // namespace ingot::testing

int main(int count, char** words) {
  int first = 1, equal = 0, different = 0;
  const bool locations = count > 1 && std::strcmp(words[1], "--locations") == 0;
  if (locations) ++first;
  for (int i = first; i + 1 < count; i += 2) {
    std::string wrong;
    try {
      wrong = ingot::testing::difference(words[i], words[i + 1], locations);
    } catch (const std::exception& error) {
      wrong = std::string("  ") + error.what();
    }
    if (!wrong.empty()) std::printf("%s differs:\n%s\n", words[i], wrong.c_str());
    ++(wrong.empty() ? equal : different);
  }
  std::printf("%d equal, %d different\n", equal, different);
  return different == 0 ? 0 : 1;
}
