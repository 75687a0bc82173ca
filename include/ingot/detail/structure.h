// The structure of a tree: all that tells two trees of one C++ type apart but for the types of their arrays,
// namely static values, lengths of vectors, keys of maps, and what optionals and variants hold. Where the
// arrays of one tree take the places of those of another one, leaf by leaf (the carry of a loop from step to
// step, a value and its tangent), both must have one structure.
#pragma once

#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "ingot/array.h"
#include "ingot/tree.h"

namespace ingot::detail {

// A static value as text, another one for every other value: 3, 0.1, "relu".
std::string value_text(const Literal& value);
std::string value_text(std::string_view value);
template <class T>
std::string text_of_value(const T& value) {
  if constexpr (std::is_enum_v<T>)
    return value_text(Literal::of(static_cast<int64_t>(value)));
  else if constexpr (std::is_arithmetic_v<T>)
    return value_text(Literal::of(value));
  else
    return value_text(std::string_view(value));
}

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

// All leaves of a tree as arrays, numbers among them, and its structure; a visitor of trees.
struct LeafArrays : Structure {
  std::vector<Array> arrays;

  void array(const Array& a, const tree::Path& path) {
    arrays.push_back(a), names.push_back(to_string(path));
  }
  template <Number T>
  void number(const T& value, const tree::Path& path) {
    array(Array(value), path);
  }
  template <class T>
  void fixed(const T& value, const tree::Path& path) {
    add_node(path, text_of_value(value));
  }
  template <class T>
  void key(const T& key, const tree::Path& path) {
    add_key(text_of_value(key), path);
  }
  void extent(tree::Extent kind, size_t n, const tree::Path& path) { add_extent(kind, n, path); }

  // Adds a part of a whole whose parts without arrays need no counterpart: a static argument has no tangent.
  template <class T>
  void add_part(const T& part, const tree::Path& path) {
    const size_t before = nodes.size(), leaves = arrays.size();
    tree::visit<false>(part, *this, path);
    if (arrays.size() == leaves) nodes.resize(before);
  }
};

template <class T>
LeafArrays leaf_arrays(const T& value, std::string_view root) {
  LeafArrays leaves;
  tree::visit<false>(value, leaves, tree::Path{nullptr, root});
  return leaves;
}

// Of a tree with a part for each of `kCount` arguments.
template <size_t kCount, class T>
LeafArrays leaves_of_parts(const T& value, std::string_view root) {
  if constexpr (kCount > 1 && tree::kinds::IsTuple<T>::value) {
    LeafArrays leaves;
    const tree::Path whole{nullptr, root};
    int64_t index = 0;
    ingot::detail::on_each(
        [&](const auto&... parts) {
          (leaves.add_part(parts, tree::Path{&whole, {}, index++}), ...);
        },
        value);
    return leaves;
  } else {
    return leaf_arrays(value, root);
  }
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

template <class T>
tree::traced_t<T> with_leaves(const T& value, const std::vector<Array>& leaves) {
  size_t used = 0;
  auto next = [&]() -> Array { return leaves[used++]; };
  return tree::to_traced(value, next);
}

}  // namespace ingot::detail
