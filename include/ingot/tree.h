// Aggregates of arrays: what jit and scan take and return.
//
// A tree is an Array, a number, or any nesting of std::tuple, pair, array, vector, map and unordered_map
// (with any static key), optional, variant and plain structs of trees. Its leaves are visited in the order of
// declaration (of the keys for maps). A plain struct is an aggregate of up to 48 fields, C arrays among them,
// which may have base classes where all fields are in one class. Any other class opts in:
//
//   template <> struct ingot::tree::Traits<Layer> {
//     template <class L, class F> static void fields(L& layer, F&& f) { f("w", layer.w); f("b", layer.b); }
//   };
//
// What is done with trees: flatten, unflatten, map, reduce and so on below; arithmetic in tree_math.h.
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
#include <unordered_map>
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
uint64_t place_of(const Path& path);      // a hash of the same, but for the name of the root

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
struct IsHashMap : std::false_type {};
template <class K, class V, class H, class E>
struct IsHashMap<std::unordered_map<K, V, H, E>> : std::true_type {};
template <class K, class V, class H, class E>
struct IsMap<std::unordered_map<K, V, H, E>> : std::true_type {};
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

// Calls fn(key, item) for every entry of a map, in the order of the keys.
template <class M, class F>
void for_each_entry(M& map, F&& fn) {
  if constexpr (kinds::IsHashMap<std::remove_const_t<M>>::value) {
    std::map<typename M::key_type, decltype(&map.begin()->second)> entries;
    for (auto& [key, item] : map) entries.emplace(key, &item);
    for (auto& [key, item] : entries) fn(key, *item);
  } else {
    for (auto& [key, item] : map) fn(key, item);
  }
}

// Calls fn(name, field) for every field of a plain struct: for Traits of classes that have one as a base.
template <class V, class F>
void fields(V& value, F&& fn) {
  size_t index = 0;
  ingot::detail::on_each(
      [&](auto&... field) { (fn(detail::field_names<std::remove_const_t<V>>[index++], field), ...); },
      detail::tie_fields(value));
}

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
    ingot::detail::on_each(
        [&](auto&... items) {
          (visit<kInStruct>(items, visitor, Path{&path, {}, index++}), ...);
        },
        value);
  } else if constexpr (kinds::IsSequence<T>::value) {
    static_assert(!std::is_same_v<T, std::vector<bool>>, "ingot: use std::vector<char> or an Array");
    if constexpr (kinds::IsVector<T>::value) visitor.extent(Extent::kVector, value.size(), path);
    int64_t index = 0;
    for (auto& item : value) visit<kInStruct>(item, visitor, Path{&path, {}, index++});
  } else if constexpr (std::is_array_v<T>) {  // a field of a struct
    int64_t index = 0;
    for (auto& item : value) visit<true>(item, visitor, Path{&path, {}, index++});
  } else if constexpr (kinds::IsMap<T>::value) {
    visitor.extent(Extent::kMap, value.size(), path);
    for_each_entry(value, [&](const auto& key, auto& item) {
      visitor.key(key, path);
      if constexpr (kinds::Text<std::remove_cvref_t<decltype(key)>>) {
        visit<kInStruct>(item, visitor, Path{&path, key, -1, true});
      } else {
        visit<kInStruct>(item, visitor, Path{&path, {}, static_cast<int64_t>(key)});
      }
    });
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
    size_t index = 0;
    ingot::detail::on_each(
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

// "params.w", ... for every array.
template <class V>
std::vector<std::string> leaf_paths(const V& value, std::string_view root = "") {
  std::vector<std::string> paths;
  for_each(
      value, [&](const Array&, const Path& path) { paths.push_back(to_string(path)); }, root);
  return paths;
}

// The same as flatten, as jax.tree.leaves.
template <class V>
std::vector<Array> leaves(const V& value) {
  return flatten(value);
}

// Whether trees have their arrays at equal places: a number that is equal then, and differs otherwise.
template <class V>
uint64_t place_hash(const V& value) {
  uint64_t hash = 0;
  for_each(value,
           [&](const Array&, const Path& path) { hash = hash * 0x9E3779B97F4A7C15u + place_of(path); });
  return hash;
}

// What trees hold beside their arrays: numbers, texts, lengths, keys. A visitor of trees.
struct Rest {
  uint64_t hash = 0;
  void add(uint64_t word) { hash = (hash ^ word) * 0x9E3779B97F4A7C15u + (hash >> 29); }
  template <class T>
  void fixed(const T& value, const Path&) {
    if constexpr (std::is_enum_v<T>) {
      add(static_cast<uint64_t>(value));
    } else if constexpr (std::is_arithmetic_v<T>) {
      add(detail::Literal::of(value).bits[0]);
    } else {
      for (const char c : std::string_view(value)) add(static_cast<unsigned char>(c));
      add(256);
    }
  }
  template <class T>
  void number(const T& value, const Path&) {
    for (const uint64_t word : detail::Literal::of(value).bits) add(word);
  }
  template <class T>
  void key(const T& value, const Path& path) {
    fixed(value, path);
  }
  void extent(Extent, size_t n, const Path&) { add(n); }
  void array(const Array&, const Path&) {}
};
template <class V>
uint64_t rest_hash(const V& value) {
  Rest rest;
  visit<false>(value, rest, Path{});
  return rest.hash;
}
// Each of these as text, "layers = 3"; a visitor of trees.
struct RestText {
  std::vector<std::string> lines;
  void add(const Path& path, const detail::Literal& value);
  void add(const Path& path, std::string_view text);
  template <class T>
  void fixed(const T& value, const Path& path) {
    if constexpr (std::is_enum_v<T>)
      add(path, detail::Literal::of(static_cast<int64_t>(value)));
    else if constexpr (std::is_arithmetic_v<T>)
      add(path, detail::Literal::of(value));
    else
      add(path, std::string_view(value));
  }
  template <class T>
  void number(const T& value, const Path& path) {
    add(path, detail::Literal::of(value));
  }
  template <class T>
  void key(const T& value, const Path& path) {
    fixed(value, path);
  }
  void extent(Extent, size_t n, const Path& path) { add(path, detail::Literal::of(static_cast<int64_t>(n))); }
  void array(const Array&, const Path&) {}
};
template <class V>
std::vector<std::string> rest_text(const V& value) {
  RestText rest;
  visit<false>(value, rest, Path{});
  return rest.lines;
}
// Error, naming the first of these that differs.
[[noreturn]] void fail_rest(const std::vector<std::string>& wanted, const std::vector<std::string>& given,
                            size_t which, const std::source_location& where);

// Error, naming the first place that only one of the trees has.
[[noreturn]] void fail_structure(const std::vector<std::string>& wanted,
                                 const std::vector<std::string>& given, size_t which,
                                 const std::source_location& where);

template <class F, class Head, class... Tail>
inline constexpr bool maps_trees =  // x(i), with an Array of indices, is no function of trees
    !std::is_same_v<std::remove_cvref_t<F>, Array> &&
    std::is_invocable_r_v<Array, F&, const Array&, std::conditional_t<true, const Array&, Tail>...>;

// The tree with fn applied to every array: map(tree, fn), or map(fn, tree).
template <class V, class F>
requires(!maps_trees<V, F>) V map(V value, F&& fn) {
  for_each(value, [&](Array& array, const Path&) { array = fn(std::as_const(array)); });
  return value;
}

// The first tree with fn(array, ...) for every array and those at its place in the other trees. Error unless
// all have arrays at equal places, and equal numbers and texts beside them; types of trees and of arrays may
// differ.
template <class F, class V, class... Others>
requires(maps_trees<F, V, Others...>) V map(F&& fn, V value, const Others&... others) {
  const std::array<std::vector<Array>, sizeof...(Others)> lists = {flatten(others)...};
  if constexpr (sizeof...(Others) > 0) {
    const uint64_t places = place_hash(value), rest = rest_hash(value);
    size_t which = 2;
    const auto check = [&]<class T>(const T& other) {
      if (place_hash(other) != places)
        fail_structure(leaf_paths(value), leaf_paths(other), which, std::source_location());
      if constexpr (std::is_same_v<T, V>) {
        if (rest_hash(other) != rest)
          fail_rest(rest_text(value), rest_text(other), which, std::source_location());
      }
      ++which;
    };
    (check(others), ...);
  }
  size_t leaf = 0;
  for_each(value, [&](Array& array, const Path&) {
    [&]<size_t... I>(std::index_sequence<I...>) {
      array = fn(std::as_const(array), lists[I][leaf]...);
    }
    (std::index_sequence_for<Others...>{});
    ++leaf;
  });
  return value;
}

// The tree with fn(path, array) for every array, where the path is a string such as "layers[2].w".
template <class F, class V>
V map_with_path(F&& fn, V value, std::string_view root = "") {
  for_each(
      value, [&](Array& array, const Path& path) { array = fn(to_string(path), std::as_const(array)); },
      root);
  return value;
}

// fn(.. fn(fn(init, first array), second array) .., last array).
template <class F, class V, class T>
T reduce(F&& fn, const V& value, T init) {
  for_each(value, [&](const Array& array, const Path&) { init = fn(std::move(init), array); });
  return init;
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
template <class K, class V, class H, class E>
struct Traced<std::unordered_map<K, V, H, E>> {
  using type = std::unordered_map<K, traced_t<V>, H, E>;
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
    return ingot::detail::on_each(
        [&](const auto&... items) { return traced_t<T>{to_traced(items, next)...}; }, value);
  } else if constexpr (kinds::IsOptional<T>::value) {
    return value ? traced_t<T>(to_traced(*value, next)) : std::nullopt;
  } else if constexpr (kinds::IsMap<T>::value) {
    traced_t<T> result;
    for_each_entry(value,
                   [&](const auto& key, const auto& item) { result.emplace(key, to_traced(item, next)); });
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
