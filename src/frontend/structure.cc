#include "frontend/structure.h"

#include <algorithm>

#include "base/check.h"
#include "frontend/node.h"

namespace ingot::detail {

std::shared_ptr<const void> keep(const void* value, void (*destroy)(const void*)) {
  return std::shared_ptr<const void>(value, destroy);
}

void LeafArrays::array(Array& a, const tree::Path& path) {
  arrays.push_back(a);
  names.push_back(to_string(path));
}
void LeafArrays::number(const Literal& value, const tree::Path& path) {
  arrays.push_back(Array(value, true));
  names.push_back(to_string(path));
}
void LeafArrays::fixed(const Literal& value, const tree::Path& path) {
  add_node(path, text_of(value));
}
void LeafArrays::fixed(std::string_view text, const tree::Path& path) {
  add_node(path, value_text(text));
}
void LeafArrays::key(const Literal& value, const tree::Path& path) {
  add_key(text_of(value), path);
}
void LeafArrays::key(std::string_view text, const tree::Path& path) {
  add_key(value_text(text), path);
}
void LeafArrays::extent(tree::Extent kind, size_t n, const tree::Path& path) {
  add_extent(kind, n, path);
}
void LeafArrays::add(tree::Ref tree, const tree::Path& path) {
  tree.visit(tree.value, *this, path);
}
void LeafArrays::add_part(tree::Ref part, const tree::Path& path) {
  const size_t before = nodes.size(), leaves = arrays.size();
  add(part, path);
  if (arrays.size() == leaves) nodes.resize(before);
}

void append(std::vector<Array>& arrays, const std::vector<Array>& more) {
  arrays.insert(arrays.end(), more.begin(), more.end());
}
void append(std::vector<std::string>& names, const std::vector<std::string>& more) {
  names.insert(names.end(), more.begin(), more.end());
}

LeafArrays leaf_arrays(tree::Ref tree, std::string_view root) {
  LeafArrays leaves;
  leaves.add(tree, tree::Path{nullptr, root});
  return leaves;
}
LeafArrays argument_leaves(std::initializer_list<tree::Ref> arguments) {
  LeafArrays leaves;
  size_t index = 0;
  for (const tree::Ref argument : arguments) {
    const std::string name = "arg" + std::to_string(index++);
    leaves.add(argument, tree::Path{nullptr, name});
  }
  return leaves;
}
LeafArrays leaves_of_parts(std::initializer_list<tree::Ref> parts, std::string_view root) {
  LeafArrays leaves;
  const tree::Path whole{nullptr, root};
  int64_t index = 0;
  for (const tree::Ref part : parts) leaves.add_part(part, tree::Path{&whole, {}, index++});
  return leaves;
}

namespace {

// What a visit meets: a leaf or a node.
class StructureWalk {
 public:
  explicit StructureWalk(const Structure& tree) : tree_(tree) {}
  const Structure::Node* node() const {
    return node_ < tree_.nodes.size() && tree_.nodes[node_].leaf <= leaf_ ? &tree_.nodes[node_] : nullptr;
  }
  bool at_end() const { return node() == nullptr && leaf_ >= tree_.names.size(); }
  std::string name() const { return node() ? node()->path : at_end() ? "" : tree_.names[leaf_]; }
  void advance() { ++(node() != nullptr ? node_ : leaf_); }

 private:
  const Structure& tree_;
  size_t leaf_ = 0, node_ = 0;
};

// What a map is in comparison with another one, of which one key is enough.
void compare_keys(const std::vector<std::string>& given, const std::vector<std::string>& wanted,
                  StructureDifference& difference) {
  const auto first_without = [](const std::vector<std::string>& keys, const std::vector<std::string>& other) {
    return std::find_if(keys.begin(), keys.end(), [&](const std::string& key) {
      return std::find(other.begin(), other.end(), key) == other.end();
    });
  };
  if (const auto missing = first_without(wanted, given); missing != wanted.end()) {
    difference.given = "a map without the key " + *missing;
    difference.wanted = "a map with it";
  } else if (const auto extra = first_without(given, wanted); extra != given.end()) {
    difference.given = "a map with the key " + *extra;
    difference.wanted = "a map without it";
  } else {
    difference.given = "a map in another order";
    difference.wanted = "a map in the order of its own keys";
  }
}

}  // namespace

std::string value_text(std::string_view value) {
  return "\"" + std::string(value) + "\"";
}

void Structure::add_node(const tree::Path& path, std::string text) {
  nodes.push_back({.leaf = names.size(), .path = to_string(path), .text = std::move(text), .keys = {}});
}

void Structure::add_extent(tree::Extent kind, size_t n, const tree::Path& path) {
  switch (kind) {
    case tree::Extent::kVector:
      return add_node(path, "a vector of " + std::to_string(n));
    case tree::Extent::kOptional:
      return add_node(path, n == 0 ? "an empty optional" : "an optional with a value");
    case tree::Extent::kVariant:
      return add_node(path, "alternative " + std::to_string(n) + " of a variant");
    case tree::Extent::kMap:
      break;
  }
  add_node(path, "a map");
  nodes.back().is_map = true;
}

void Structure::add_key(std::string key, const tree::Path& path) {
  const std::string text = to_string(path);
  const auto map = std::find_if(nodes.rbegin(), nodes.rend(),
                                [&](const Node& node) { return node.is_map && node.path == text; });
  check(map != nodes.rend(), "a key of no map");
  map->keys.push_back(std::move(key));
}

bool corresponds(const std::string& name, const std::string& other) {
  return name.ends_with(other.substr(std::min(other.find_first_of(".["), other.size())));
}

std::optional<StructureDifference> difference(const Structure& given, const Structure& wanted) {
  StructureWalk g(given), w(wanted);
  for (; !g.at_end() || !w.at_end(); g.advance(), w.advance()) {
    const Structure::Node *mine = g.node(), *other = w.node();
    StructureDifference found{g.name(), w.name(), mine ? mine->text : "", other ? other->text : ""};
    if (g.at_end() || w.at_end() || (mine == nullptr) != (other == nullptr) ||
        !corresponds(found.given_name, found.wanted_name)) {
      return found;
    }
    if (mine == nullptr || (mine->text == other->text && mine->keys == other->keys)) continue;
    found.same_place = true;
    if (mine->is_map && other->is_map) compare_keys(mine->keys, other->keys, found);
    return found;
  }
  return std::nullopt;
}

void check_structure(const std::string& what, const Structure& given, const Structure& wanted,
                     const std::source_location& where) {
  const std::optional<StructureDifference> found = difference(given, wanted);
  if (!found) return;
  if (found->same_place) {
    fail(where, what + " " + found->given_name + " is " + found->given + ", but must be " + found->wanted +
                    ", as in " + found->wanted_name);
  }
  if (given.names.size() != wanted.names.size()) return;
  const auto name = [](const std::string& path, const std::string& text) {
    return path + (text.empty() ? "" : ", which is " + text + ",");
  };
  if (found->given_name.empty())
    fail(where, what + " there is nothing for " + name(found->wanted_name, found->wanted) + " in it");
  fail(where, what + " " + name(found->given_name, found->given) +
                  (found->wanted_name.empty()
                       ? " belongs to nothing"
                       : " stands where " + name(found->wanted_name, found->wanted) + " must"));
}

void check_carry_structure(const std::string& function, const Structure& init, const Structure& next,
                           const std::source_location& where) {
  const std::optional<StructureDifference> found = difference(next, init);
  if (!found) return;
  fail(where, function + ": " + found->wanted_name + " comes in as " + found->wanted +
                  ", but a step makes it " + found->given +
                  "; a carry keeps its structure, since the step is traced once: only its arrays change, so "
                  "let what changes be an Array");
}

}  // namespace ingot::detail
