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
#include "ingot/detail/each.h"
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

}  // namespace tree
}  // namespace ingot

#include "ingot/detail/visit.h"  // what follows is made of visits, and these of what stands above

namespace ingot {
namespace tree {

// Calls fn(name, field) for every field of a plain struct: for Traits of classes that have one as a base.
template <class V, class F>
void fields(V& value, F&& fn) {
  const std::string_view* name = detail::field_names<std::remove_const_t<V>>;
  detail::with_fields(value, [&](auto&... field) { (fn(*name++, field), ...); });
}

// --- flatten, unflatten, map ---

// fn(context, array, path) for every array.
void for_each(Ref tree, void (*fn)(void* context, Array& array, const Path& path), void* context,
              std::string_view root);

// Calls fn(array, path) for every array of the tree; the arrays may be replaced if the tree is not const.
template <class V, class F>
void for_each(V& value, F&& fn, std::string_view root = "") {
  using Item = std::conditional_t<std::is_const_v<V>, const Array, Array>;
  for_each(
      tree::ref(value),
      [](void* context, Array& array, const Path& path) {
        (*static_cast<std::remove_reference_t<F>*>(context))(static_cast<Item&>(array), path);
      },
      const_cast<void*>(static_cast<const void*>(&fn)), root);
}

std::vector<Array> flatten(Ref tree);
template <class V>
std::vector<Array> flatten(const V& value) {
  return flatten(tree::ref(value));
}
// The arrays of the tree replaced by others, in order, as far as there are any; how many it has.
size_t replace_arrays(Ref tree, const std::vector<Array>& leaves);

// The tree `like` with its arrays replaced by `leaves`, in order. Error if their number differs.
void unflatten_into(Ref tree, const std::vector<Array>& leaves);
template <class V>
V unflatten(V like, const std::vector<Array>& leaves) {
  unflatten_into(tree::ref(like), leaves);
  return like;
}

// "params.w", ... for every array.
std::vector<std::string> leaf_paths(Ref tree, std::string_view root);
template <class V>
std::vector<std::string> leaf_paths(const V& value, std::string_view root = "") {
  return leaf_paths(tree::ref(value), root);
}

// The same as flatten, as jax.tree.leaves.
template <class V>
std::vector<Array> leaves(const V& value) {
  return flatten(tree::ref(value));
}

// In a function over trees while one lives: what it does stands in the user's line, as with CallerScope, and
// the arrays of the trees are there. Error, which names the leaf, where one is empty or was donated.
class TreeScope {
 public:
  struct Named {
    Ref tree;
    const char* name;
  };
  TreeScope(const std::source_location& where, const char* function, std::initializer_list<Named> trees);

 private:
  CallerScope scope_;
};

// Error unless the other tree, which is tree number `which`, has arrays where the first one has them, and, if
// it is of the same type, equal numbers and texts beside them.
void check_alike(Ref first, Ref other, bool same_type, size_t which);

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
  [[maybe_unused]] size_t which = 2;
  (check_alike(tree::ref(value), tree::ref(others), std::is_same_v<Others, V>, which++), ...);
  const std::vector<Array> lists[] = {flatten(others)..., {}};
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
template <class T>
struct Traced<Optional<T>> {
  using type = Optional<traced_t<T>>;
};

// Arrays one after the other; empty ones where there are none at all.
class LeafReader {
 public:
  LeafReader() = default;
  explicit LeafReader(const std::vector<Array>& leaves) : next_(leaves.data()) {}
  Array take();
  void fill(Ref tree);  // with the next ones

 private:
  const Array* next_ = nullptr;
};

// `value` with the next arrays in place of its arrays and run-time numbers.
template <class T>
traced_t<T> to_traced(const T& value, LeafReader& next) {
  if constexpr (std::is_same_v<traced_t<T>, Array>) {
    return next.take();
  } else if constexpr (std::is_same_v<T, traced_t<T>>) {
    T copy = value;
    next.fill(tree::ref(copy));
    return copy;
  } else if constexpr (kinds::IsTuple<T>::value) {
    // Braces evaluate from left to right, in the order of the leaves.
    return ingot::detail::on_each(
        [&](const auto&... items) { return traced_t<T>{to_traced(items, next)...}; }, value);
  } else if constexpr (kinds::IsOptional<T>::value) {
    return value ? traced_t<T>(to_traced(*value, next)) : traced_t<T>();
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
