// Which operations of a program tell another line than the user's.
#pragma once

#include <regex>
#include <set>
#include <source_location>

#include "frontend/testing.h"

namespace ingot::testing {

// The lines of the program of f that are not of the test's file, and the operations that have none.
template <class F, class... Args>
std::string strangers_to(const std::source_location& here, const F& f, const Args&... args) {
  const std::string text = jit(f, {}, here).lower(args...).text();
  const std::regex location(R"re((?:loc\(|and )"([^"]*)")re");
  std::set<std::string> others;
  size_t mine = 0;
  for (auto it = std::sregex_iterator(text.begin(), text.end(), location); it != std::sregex_iterator();
       ++it) {
    if ((*it)[1].str().starts_with(here.file_name()))
      ++mine;
    else
      others.insert((*it)[1].str() + text.substr(static_cast<size_t>(it->position() + it->length()), 6));
  }
  EXPECT_GT(mine, 0u) << "no operation has a line";
  const auto module = ir::parse(text);
  for (const auto& function : module->functions()) {
    ir::walk(function->body(), [&](const ir::Op& op) {
      if (!op.is_return() && op.provenance().file.empty())
        others.insert(std::string(op.name()) + " without a line, in @" + function->name());
    });
  }
  std::string all;
  for (const std::string& other : others) all += other + "\n";
  return all;
}

}  // namespace ingot::testing
