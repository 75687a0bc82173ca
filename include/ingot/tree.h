// Aggregates of arrays: what jit and scan take and return.
//
// A tree is an Array, a number, or any nesting of std::tuple, pair, array, vector, map (with any static key),
// optional, variant and plain structs of trees. Its leaves are visited in the order of declaration (of the
// keys for maps). A class that is no plain struct opts in:
//
//   template <> struct ingot::tree::Traits<Layer> {
//     template <class L, class F> static void fields(L& layer, F&& f) { f("w", layer.w); f("b", layer.b); }
//   };
//
// Numbers. A number that stands alone, or in a standard container, is a run-time value: the function that is
// traced sees an Array of rank 0 in its place (traced_t). A number inside of a struct or variant is static,
// as are strings, enums and all in ingot::Static: the function sees the C++ value, and is traced again for
// every new one.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "ingot/array.h"
#include "ingot/detail/fields.h"

namespace ingot {

// A value that is known when a function is traced, and part of the key of its cache.
template <class T>
struct Static {
  T value;
  constexpr operator const T&() const { return value; }  // NOLINT: stands for the value
};
template <class T>
Static(T) -> Static<T>;
Static(const char*)->Static<std::string>;

namespace detail {
struct ArrayArgument;
}

namespace tree {

// The way from the root of a tree to a node, kept on the stack while a tree is visited.
struct Path {
  const Path* parent = nullptr;
  std::string_view name;  // of the root or a field; or the text of a map's key
  int64_t index = -1;     // in a tuple, array or vector
  bool key = false;       // name is a map's key
};
std::string to_string(const Path& path);  // "params.layers[2].w"

template <class T>
struct Traits {};

namespace kinds {

template <class T>
struct IsStatic : std::false_type {};
template <class T>
struct IsStatic<Static<T>> : std::true_type {};
template <class T>
struct IsTuple : std::false_type {};
template <class... Ts>
struct IsTuple<std::tuple<Ts...>> : std::true_type {};
template <class A, class B>
struct IsTuple<std::pair<A, B>> : std::true_type {};
template <class T>
struct IsSequence : std::false_type {};
template <class T>
struct IsSequence<std::vector<T>> : std::true_type {};
template <class T, size_t N>
struct IsSequence<std::array<T, N>> : std::true_type {};
template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};
template <class T>
struct IsMap : std::false_type {};
template <class K, class V, class C>
struct IsMap<std::map<K, V, C>> : std::true_type {};
template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <class T>
struct IsVariant : std::false_type {};
template <class... Ts>
struct IsVariant<std::variant<Ts...>> : std::true_type {};

struct NoField {
  template <class F>
  void operator()(std::string_view, F&) const {}
};
template <class T>
concept OptedIn = requires(T& value) {
  Traits<T>::fields(value, NoField{});
};
template <class T>
concept Text = std::is_same_v<T, std::string> || std::is_same_v<T, std::string_view>;
template <class T>
concept Fixed = std::is_enum_v<T> || Text<T>;

}  // namespace kinds

// Visits the leaves of `value`, a tree, const or not. The visitor has
//   array(Array&, const Path&)       for every array,
//   number(value, const Path&)       for every run-time number,
//   fixed(value, const Path&)        for every static number, enum or text,
//   extent(Extent, size_t, const Path&)  for what may differ between trees of one type,
//   key(value, const Path&)          for every key of a map, with the path of the map.
enum class Extent { kVector, kMap, kOptional, kVariant };  // length, size, 1 for a value, alternative
template <bool kInStruct, class V, class Visitor>
void visit(V& value, Visitor& visitor, const Path& path) {
  using T = std::remove_const_t<V>;
  if constexpr (std::is_same_v<T, Array>) {
    visitor.array(value, path);
  } else if constexpr (std::is_same_v<T, detail::ArrayArgument>) {
    visitor.argument(value, path);
  } else if constexpr (std::is_arithmetic_v<T>) {
    if constexpr (kInStruct)
      visitor.fixed(value, path);
    else
      visitor.number(value, path);
  } else if constexpr (kinds::Fixed<T>) {
    visitor.fixed(value, path);
  } else if constexpr (kinds::IsStatic<T>::value) {
    visit<true>(value.value, visitor, path);
  } else if constexpr (kinds::IsTuple<T>::value) {
    int64_t index = 0;
    std::apply(
        [&](auto&... items) {
          (visit<kInStruct>(items, visitor, Path{&path, {}, index++}), ...);
        },
        value);
  } else if constexpr (kinds::IsSequence<T>::value) {
    static_assert(!std::is_same_v<T, std::vector<bool>>, "ingot: use std::vector<char> or an Array");
    if constexpr (kinds::IsVector<T>::value) visitor.extent(Extent::kVector, value.size(), path);
    int64_t index = 0;
    for (auto& item : value) visit<kInStruct>(item, visitor, Path{&path, {}, index++});
  } else if constexpr (kinds::IsMap<T>::value) {
    visitor.extent(Extent::kMap, value.size(), path);
    for (auto& [key, item] : value) {
      visitor.key(key, path);
      if constexpr (kinds::Text<std::remove_const_t<std::remove_reference_t<decltype(key)>>>) {
        visit<kInStruct>(item, visitor, Path{&path, key, -1, true});
      } else {
        visit<kInStruct>(item, visitor, Path{&path, {}, static_cast<int64_t>(key)});
      }
    }
  } else if constexpr (kinds::IsOptional<T>::value) {
    visitor.extent(Extent::kOptional, value.has_value() ? 1 : 0, path);
    if (value) visit<kInStruct>(*value, visitor, path);
  } else if constexpr (kinds::IsVariant<T>::value) {
    visitor.extent(Extent::kVariant, value.index(), path);
    std::visit([&](auto& item) { visit<true>(item, visitor, path); }, value);
  } else if constexpr (std::is_same_v<T, std::monostate>) {
  } else if constexpr (kinds::OptedIn<T>) {
    Traits<T>::fields(value, [&](std::string_view name, auto& field) {
      visit<true>(field, visitor, Path{&path, name});
    });
  } else {
    static_assert(
        std::is_aggregate_v<T>,
        "ingot: arguments and results are Arrays, numbers and aggregates of them; for a class of your own "
        "specialise ingot::tree::Traits");
    static_assert(!std::is_array_v<T>, "ingot: use std::array instead of a C array");
    size_t index = 0;
    std::apply(
        [&](auto&... fields) {
          (visit<true>(fields, visitor, Path{&path, detail::field_names<T>[index++]}), ...);
        },
        detail::tie_fields(value));
  }
}

// --- flatten, unflatten, map ---

// A visitor that looks at arrays alone.
template <class F>
struct ArrayVisitor {
  F fn;
  template <class A>
  void array(A& array, const Path& path) {
    fn(array, path);
  }
  template <class T>
  void number(T&, const Path&) {}
  template <class T>
  void fixed(T&, const Path&) {}
  template <class T>
  void key(const T&, const Path&) {}
  void extent(Extent, size_t, const Path&) {}
};

// Calls fn(array, path) for every array of the tree; the arrays may be replaced if the tree is not const.
template <class V, class F>
void for_each(V& value, F&& fn, std::string_view root = "") {
  ArrayVisitor<F&> visitor{fn};
  visit<false>(value, visitor, Path{nullptr, root});
}

template <class V>
std::vector<Array> flatten(const V& value) {
  std::vector<Array> leaves;
  for_each(value, [&](const Array& array, const Path&) { leaves.push_back(array); });
  return leaves;
}

// The tree `like` with its arrays replaced by `leaves`, in order. Error if their number differs.
void check_leaf_count(size_t wanted, size_t given);
template <class V>
V unflatten(V like, const std::vector<Array>& leaves) {
  size_t count = 0;
  for_each(like, [&](Array& array, const Path&) {
    if (count < leaves.size()) array = leaves[count];
    ++count;
  });
  check_leaf_count(count, leaves.size());
  return like;
}

// The tree with fn applied to every array.
template <class V, class F>
V map(V value, F&& fn) {
  for_each(value, [&](Array& array, const Path&) { array = fn(std::as_const(array)); });
  return value;
}

// "params.w", ... for every array.
template <class V>
std::vector<std::string> leaf_paths(const V& value, std::string_view root = "") {
  std::vector<std::string> paths;
  for_each(
      value, [&](const Array&, const Path& path) { paths.push_back(to_string(path)); }, root);
  return paths;
}

// --- what a traced function sees ---

template <class T>
struct Traced {
  using type = T;
};
template <class T>
using traced_t = typename Traced<T>::type;
template <Number T>
struct Traced<T> {
  using type = Array;
};
template <>
struct Traced<detail::ArrayArgument> {
  using type = Array;
};
template <class... Ts>
struct Traced<std::tuple<Ts...>> {
  using type = std::tuple<traced_t<Ts>...>;
};
template <class A, class B>
struct Traced<std::pair<A, B>> {
  using type = std::pair<traced_t<A>, traced_t<B>>;
};
template <class T, size_t N>
struct Traced<std::array<T, N>> {
  using type = std::array<traced_t<T>, N>;
};
template <class T>
struct Traced<std::vector<T>> {
  using type = std::vector<traced_t<T>>;
};
template <class K, class V, class C>
struct Traced<std::map<K, V, C>> {
  using type = std::map<K, traced_t<V>, C>;
};
template <class T>
struct Traced<std::optional<T>> {
  using type = std::optional<traced_t<T>>;
};

// `value` with the arrays that next() returns in place of its arrays and run-time numbers.
template <class T, class Next>
traced_t<T> to_traced(const T& value, Next& next) {
  if constexpr (std::is_same_v<traced_t<T>, Array>) {
    return next();
  } else if constexpr (std::is_same_v<T, traced_t<T>>) {
    T copy = value;
    for_each(copy, [&](Array& array, const Path&) { array = next(); });
    return copy;
  } else if constexpr (kinds::IsTuple<T>::value) {
    // Braces evaluate from left to right, in the order of the leaves.
    return std::apply([&](const auto&... items) { return traced_t<T>{to_traced(items, next)...}; }, value);
  } else if constexpr (kinds::IsOptional<T>::value) {
    return value ? traced_t<T>(to_traced(*value, next)) : std::nullopt;
  } else if constexpr (kinds::IsMap<T>::value) {
    traced_t<T> result;
    for (auto& [key, item] : value) result.emplace(key, to_traced(item, next));
    return result;
  } else if constexpr (kinds::IsVector<T>::value) {
    traced_t<T> result;
    for (auto& item : value) result.push_back(to_traced(item, next));
    return result;
  } else {
    traced_t<T> result;  // std::array
    for (size_t i = 0; i < value.size(); ++i) result[i] = to_traced(value[i], next);
    return result;
  }
}

}  // namespace tree
}  // namespace ingot
