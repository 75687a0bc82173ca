#include "ingot/tree.h"

#include <algorithm>

#include "frontend/node.h"

namespace ingot::tree {

std::string to_string(const Path& path) {
  std::string text = path.parent != nullptr ? to_string(*path.parent) : "";
  if (path.index >= 0) return text + "[" + std::to_string(path.index) + "]";
  if (path.key) return text + "[\"" + std::string(path.name) + "\"]";
  if (path.name.empty()) return text;
  return text + (text.empty() ? "" : ".") + std::string(path.name);
}

uint64_t place_of(const Path& path) {
  if (path.parent == nullptr) return 1;
  const uint64_t own = path.index >= 0 ? static_cast<uint64_t>(path.index) + 1
                                       : std::hash<std::string_view>{}(path.name) ^ (path.key ? 7 : 3);
  return (place_of(*path.parent) + own) * 0x9E3779B97F4A7C15u ^ own >> 32;
}

void fail_structure(const std::vector<std::string>& wanted, const std::vector<std::string>& given,
                    size_t which, const std::source_location& where) {
  const auto only_in = [](const std::vector<std::string>& these, const std::vector<std::string>& others) {
    const auto found = std::find_if(these.begin(), these.end(), [&](const std::string& name) {
      return std::find(others.begin(), others.end(), name) == others.end();
    });
    return found == these.end() ? std::string() : *found;
  };
  const std::string missing = only_in(wanted, given), extra = only_in(given, wanted);
  const auto named = [](const std::string& path) { return path.empty() ? "an array itself" : path; };
  std::string what = "their arrays stand in another order";
  if (!missing.empty() || wanted.size() > given.size())
    what = "it has nothing for " + named(missing) + " of the first one";
  else if (!extra.empty() || given.size() > wanted.size())
    what = "the first one has nothing for " + named(extra) + " of it";
  detail::fail(where, "tree::map: tree " + std::to_string(which) +
                          " has another structure than the first one: " + what);
}

void RestText::add(const Path& path, const detail::Literal& value) {
  lines.push_back(to_string(path) + " = " + detail::text_of(value));
}
void RestText::add(const Path& path, std::string_view text) {
  lines.push_back(to_string(path) + " = \"" + std::string(text) + "\"");
}

void fail_rest(const std::vector<std::string>& wanted, const std::vector<std::string>& given, size_t which,
               const std::source_location& where) {
  std::string what = "what they hold beside arrays differs";
  for (size_t i = 0; i < std::min(wanted.size(), given.size()); ++i) {
    if (wanted[i] == given[i]) continue;
    what = "it has " + given[i] + ", the first one " + wanted[i];
    break;
  }
  detail::fail(where, "tree::map: tree " + std::to_string(which) + " is not like the first one: " + what +
                          "; make them equal first, since the result can have but one of them");
}

void check_leaf_count(size_t wanted, size_t given) {
  if (wanted != given) {
    throw Error("unflatten: the tree has " + std::to_string(wanted) + " arrays, but " +
                std::to_string(given) + " were given");
  }
}

}  // namespace ingot::tree
