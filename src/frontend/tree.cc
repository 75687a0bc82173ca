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

void Visitor::number(const detail::Literal&, const Path&) {}
void Visitor::fixed(const detail::Literal&, const Path&) {}
void Visitor::fixed(std::string_view, const Path&) {}
void Visitor::extent(Extent, size_t, const Path&) {}
void Visitor::key(const detail::Literal& value, const Path& path) {
  fixed(value, path);
}
void Visitor::key(std::string_view text, const Path& path) {
  fixed(text, path);
}

void for_each(Ref tree, void (*fn)(void* context, Array& array, const Path& path), void* context,
              std::string_view root) {
  class Each final : public Visitor {
   public:
    Each(decltype(fn) call, void* with) : call_(call), context_(with) {}
    void array(Array& array, const Path& path) override { call_(context_, array, path); }

   private:
    decltype(fn) call_;
    void* context_;
  } visitor(fn, context);
  tree.visit(tree.value, visitor, Path{nullptr, root});
}

namespace {

// The same for any function.
template <class F>
void each_array(Ref tree, std::string_view root, const F& fn) {
  for_each(
      tree, [](void* f, Array& array, const Path& path) { (*static_cast<const F*>(f))(array, path); },
      const_cast<void*>(static_cast<const void*>(&fn)), root);
}

}  // namespace

std::vector<Array> flatten(Ref tree) {
  std::vector<Array> leaves;
  each_array(tree, "", [&](const Array& array, const Path&) { leaves.push_back(array); });
  return leaves;
}

TreeScope::TreeScope(const std::source_location& where, const char* function,
                     std::initializer_list<Named> trees)
    : scope_(where, function) {
  for (const Named& named : trees) {
    each_array(named.tree, named.name, [&](const Array& array, const Path& path) {
      const detail::ArrayNode* node = array.node().get();
      if (node == nullptr || node->donated_to.load(std::memory_order_acquire) != nullptr)
        detail::checked_node(array, where, to_string(path));
    });
  }
}

size_t replace_arrays(Ref tree, const std::vector<Array>& leaves) {
  size_t count = 0;
  each_array(tree, "", [&](Array& array, const Path&) {
    if (count < leaves.size()) array = leaves[count];
    ++count;
  });
  return count;
}

void unflatten_into(Ref tree, const std::vector<Array>& leaves) {
  const size_t wanted = replace_arrays(tree, leaves);
  if (wanted != leaves.size()) {
    throw Error("unflatten: the tree has " + std::to_string(wanted) + " arrays, but " +
                std::to_string(leaves.size()) + " were given");
  }
}

Array LeafReader::take() {
  return next_ != nullptr ? *next_++ : Array();
}
void LeafReader::fill(Ref tree) {
  each_array(tree, "", [&](Array& array, const Path&) { array = take(); });
}

std::vector<std::string> leaf_paths(Ref tree, std::string_view root) {
  std::vector<std::string> paths;
  each_array(tree, root, [&](const Array&, const Path& path) { paths.push_back(to_string(path)); });
  return paths;
}

namespace {

// What a tree holds beside its arrays, "layers = 3", and the paths of these.
struct Contents final : Visitor {
  std::vector<std::string> paths, rest;

  void array(Array&, const Path& path) override { paths.push_back(to_string(path)); }
  void number(const detail::Literal& value, const Path& path) override { fixed(value, path); }
  void fixed(const detail::Literal& value, const Path& path) override {
    rest.push_back(to_string(path) + " = " + detail::text_of(value));
  }
  void fixed(std::string_view text, const Path& path) override {
    rest.push_back(to_string(path) + " = \"" + std::string(text) + "\"");
  }
  void extent(Extent, size_t n, const Path& path) override {
    fixed(detail::Literal::of(static_cast<int64_t>(n)), path);
  }
};
Contents contents_of(Ref tree) {
  Contents contents;
  tree.visit(tree.value, contents, Path{});
  return contents;
}

[[noreturn]] void fail_structure(const std::vector<std::string>& wanted,
                                 const std::vector<std::string>& given, size_t which) {
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
  detail::fail(std::source_location(), "tree::map: tree " + std::to_string(which) +
                                           " has another structure than the first one: " + what);
}

[[noreturn]] void fail_rest(const std::vector<std::string>& wanted, const std::vector<std::string>& given,
                            size_t which) {
  std::string what = "what they hold beside arrays differs";
  for (size_t i = 0; i < std::min(wanted.size(), given.size()); ++i) {
    if (wanted[i] == given[i]) continue;
    what = "it has " + given[i] + ", the first one " + wanted[i];
    break;
  }
  detail::fail(std::source_location(),
               "tree::map: tree " + std::to_string(which) + " is not like the first one: " + what +
                   "; make them equal first, since the result can have but one of them");
}

}  // namespace

void check_alike(Ref first, Ref other, bool same_type, size_t which) {
  const Contents wanted = contents_of(first), given = contents_of(other);
  if (wanted.paths != given.paths) fail_structure(wanted.paths, given.paths, which);
  if (same_type && wanted.rest != given.rest) fail_rest(wanted.rest, given.rest, which);
}

}  // namespace ingot::tree
