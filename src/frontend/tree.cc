#include "ingot/tree.h"

namespace ingot::tree {

std::string to_string(const Path& path) {
  std::string text = path.parent != nullptr ? to_string(*path.parent) : "";
  if (path.index >= 0) return text + "[" + std::to_string(path.index) + "]";
  if (path.key) return text + "[\"" + std::string(path.name) + "\"]";
  if (path.name.empty()) return text;
  return text + (text.empty() ? "" : ".") + std::string(path.name);
}

void check_leaf_count(size_t wanted, size_t given) {
  if (wanted != given) {
    throw Error("unflatten: the tree has " + std::to_string(wanted) + " arrays, but " +
                std::to_string(given) + " were given");
  }
}

}  // namespace ingot::tree
