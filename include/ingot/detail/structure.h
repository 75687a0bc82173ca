// The structure of a tree: all that tells two trees of one C++ type apart but for the types of their arrays,
// namely static values, lengths of vectors, keys of maps, and what optionals and variants hold. Where the
// arrays of one tree take the places of those of another one, leaf by leaf (the carry of a loop from step to
// step, a value and its tangent), both must have one structure.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "ingot/array.h"
#include "ingot/tree.h"

namespace ingot::detail {

std::string value_text(std::string_view value);  // a static text, with quotes

struct Structure {
  // A static value or a container, in the order of a visit.
  struct Node {
    bool is_map = false;
    size_t leaf = 0;  // how many leaves come before
    std::string path;
    std::string text;               // "3", "a vector of 2"
    std::vector<std::string> keys;  // of a map
  };
  std::vector<std::string> names;  // the paths of the leaves
  std::vector<Node> nodes;

  void add_node(const tree::Path& path, std::string text);
  void add_extent(tree::Extent kind, size_t n, const tree::Path& path);
  void add_key(std::string key, const tree::Path& path);  // of the map there
};

// All leaves of a tree as arrays, numbers among them, and its structure.
struct LeafArrays : Structure, tree::Visitor {
  std::vector<Array> arrays;

  void array(Array& a, const tree::Path& path) override;
  void number(const Literal& value, const tree::Path& path) override;
  void fixed(const Literal& value, const tree::Path& path) override;
  void fixed(std::string_view text, const tree::Path& path) override;
  void key(const Literal& value, const tree::Path& path) override;
  void key(std::string_view text, const tree::Path& path) override;
  void extent(tree::Extent kind, size_t n, const tree::Path& path) override;

  void add(tree::Ref tree, const tree::Path& path);
  // Adds a part of a whole whose parts without arrays need no counterpart: a static argument has no tangent.
  void add_part(tree::Ref part, const tree::Path& path);
};

LeafArrays leaf_arrays(tree::Ref tree, std::string_view root);
template <class T>
LeafArrays leaf_arrays(const T& value, std::string_view root) {
  return leaf_arrays(tree::ref(value), root);
}

// Of arguments: arg0, arg1, ...
LeafArrays argument_leaves(std::initializer_list<tree::Ref> arguments);

// Of a tree with a part for each of `kCount` arguments.
LeafArrays leaves_of_parts(std::initializer_list<tree::Ref> parts, std::string_view root);
template <size_t kCount, class T>
LeafArrays leaves_of_parts(const T& value, std::string_view root) {
  if constexpr (kCount > 1 && tree::kinds::IsTuple<T>::value)
    return ingot::detail::on_each(
        [&](const auto&... parts) { return leaves_of_parts({tree::ref(parts)...}, root); }, value);
  else
    return leaf_arrays(value, root);
}

// Whether a value can be taken apart in two, as `auto [a, b]` does it. A class that is neither a container
// nor an aggregate may be.
template <class T>
constexpr bool is_two() {
  if constexpr (std::is_void_v<T> || std::is_arithmetic_v<T> || std::is_same_v<T, Array> ||
                tree::kinds::IsVector<T>::value || tree::kinds::IsMap<T>::value ||
                tree::kinds::IsOptional<T>::value || tree::kinds::IsVariant<T>::value) {
    return false;
  } else if constexpr (requires { std::tuple_size<T>::value; }) {
    return std::tuple_size_v<T> == 2;
  } else if constexpr (std::is_aggregate_v<T>) {
    return field_count<T> == 2;
  } else {
    return true;
  }
}
// Whether f(args...) is a call that returns two.
template <class F, class... Args>
constexpr bool returns_two() {
  if constexpr (std::is_invocable_v<F, Args...>)
    return is_two<std::remove_cvref_t<std::invoke_result_t<F, Args...>>>();
  else
    return false;
}

// How many arguments a value of the user's stands for: a std::tuple for its elements, all else for one.
template <class T>
inline constexpr size_t argument_count = 1;
template <class... Ts>
inline constexpr size_t argument_count<std::tuple<Ts...>> = sizeof...(Ts);

void append(std::vector<Array>& arrays, const std::vector<Array>& more);
void append(std::vector<std::string>& names, const std::vector<std::string>& more);

template <class T>
tree::traced_t<T> with_leaves(const T& value, const std::vector<Array>& leaves) {
  tree::LeafReader next(leaves);
  return tree::to_traced(value, next);
}

}  // namespace ingot::detail
