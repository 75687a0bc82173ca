// Visits of trees: the templates that know the type of a user's tree are here, and few; all else takes a
// tree::Ref and a tree::Visitor. Included by tree.h alone, behind what it needs of that.
#pragma once

namespace ingot {
namespace detail {
struct ArrayArgument;
}

namespace tree {
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
struct IsOptional<Optional<T>> : std::true_type {};
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

// What a visit of a tree tells of its leaves and of what stands beside them, from left to right.
enum class Extent { kVector, kMap, kOptional, kVariant };  // length, size, 1 for a value, alternative
class Visitor {
 public:
  virtual void array(Array& array, const Path& path) = 0;  // of a const tree: to be looked at alone
  virtual void number(const detail::Literal& value, const Path& path);  // at run time
  virtual void fixed(const detail::Literal& value, const Path& path);   // a static number or enum
  virtual void fixed(std::string_view text, const Path& path);
  virtual void extent(Extent kind, size_t n, const Path& path);  // what may differ between trees of one type
  // Of a map, with its path; they are fixed unless a visitor says more.
  virtual void key(const detail::Literal& value, const Path& path);
  virtual void key(std::string_view text, const Path& path);

 protected:
  ~Visitor() = default;
};

// A tree of a type that is not known any more: what the library's own functions take, so that nothing but the
// visit itself is compiled for each type of the user's.
struct Ref {
  void* value = nullptr;
  void (*visit)(void* value, Visitor& visitor, const Path& path) = nullptr;
};

template <class T>
detail::Literal literal_of(const T& value) {
  if constexpr (std::is_enum_v<T>)
    return detail::Literal::of(static_cast<int64_t>(value));
  else
    return detail::Literal::of(value);
}

template <class T>
void visit(T& value, Visitor& visitor, const Path& path, bool in_struct);

struct VisitFields {
  Visitor& visitor;
  const Path& path;
  const std::string_view* names;
  template <class... Field>
  void operator()(Field&... field) const {
    [[maybe_unused]] const std::string_view* name = names;
    (tree::visit(field, visitor, Path{&path, *name++}, true), ...);
  }
};
struct VisitField {  // of a class that opts in
  Visitor& visitor;
  const Path& path;
  template <class Field>
  void operator()(std::string_view name, Field& field) const {
    tree::visit(field, visitor, Path{&path, name}, true);
  }
};
template <class T, size_t... I>
void visit_items([[maybe_unused]] T& tuple, [[maybe_unused]] Visitor& visitor,
                 [[maybe_unused]] const Path& path, [[maybe_unused]] bool in_struct,
                 std::index_sequence<I...>) {
  (tree::visit(std::get<I>(tuple), visitor, Path{&path, {}, int64_t{I}}, in_struct), ...);
}

template <class T>
void visit(T& value, Visitor& visitor, const Path& path, bool in_struct) {
  if constexpr (std::is_same_v<T, Array>) {
    visitor.array(value, path);
  } else if constexpr (std::is_same_v<T, detail::ArrayArgument>) {
    if (value.array != nullptr)
      visitor.array(const_cast<Array&>(*value.array), path);
    else
      visitor.number(value.literal, path);
  } else if constexpr (Number<T>) {
    in_struct ? visitor.fixed(literal_of(value), path) : visitor.number(literal_of(value), path);
  } else if constexpr (std::is_enum_v<T>) {
    visitor.fixed(literal_of(value), path);
  } else if constexpr (kinds::Text<T>) {
    visitor.fixed(std::string_view(value), path);
  } else if constexpr (kinds::IsStatic<T>::value) {
    tree::visit(value.value, visitor, path, true);
  } else if constexpr (kinds::IsTuple<T>::value) {
    visit_items(value, visitor, path, in_struct, std::make_index_sequence<std::tuple_size_v<T>>());
  } else if constexpr (kinds::IsSequence<T>::value || std::is_array_v<T>) {  // an array: a field of a struct
    static_assert(!std::is_same_v<T, std::vector<bool>>, "ingot: use std::vector<char> or an Array");
    if constexpr (kinds::IsVector<T>::value) visitor.extent(Extent::kVector, value.size(), path);
    int64_t index = 0;
    for (auto& item : value) tree::visit(item, visitor, Path{&path, {}, index++}, in_struct);
  } else if constexpr (kinds::IsMap<T>::value) {
    visitor.extent(Extent::kMap, value.size(), path);
    for_each_entry(value, [&](const auto& key, auto& item) {
      if constexpr (kinds::Text<std::remove_cvref_t<decltype(key)>>) {
        visitor.key(std::string_view(key), path);
        tree::visit(item, visitor, Path{&path, key, -1, true}, in_struct);
      } else {
        visitor.key(literal_of(key), path);
        tree::visit(item, visitor, Path{&path, {}, static_cast<int64_t>(key)}, in_struct);
      }
    });
  } else if constexpr (kinds::IsOptional<T>::value) {
    visitor.extent(Extent::kOptional, value.has_value() ? 1 : 0, path);
    if (value.has_value()) tree::visit(*value, visitor, path, in_struct);
  } else if constexpr (kinds::IsVariant<T>::value) {
    visitor.extent(Extent::kVariant, value.index(), path);
    std::visit([&](auto& item) { tree::visit(item, visitor, path, true); }, value);
  } else if constexpr ((std::is_same_v<T, std::monostate> || std::is_same_v<T, std::nullopt_t>)) {
  } else if constexpr (kinds::OptedIn<T>) {
    Traits<T>::fields(value, VisitField{visitor, path});
  } else {
    static_assert(
        std::is_aggregate_v<T>,
        "ingot: arguments and results are Arrays, numbers and aggregates of them; for a class of your own "
        "specialise ingot::tree::Traits");
    detail::with_fields(value, VisitFields{visitor, path, detail::field_names<T>});
  }
}

template <class T>
void visit_whole(void* value, Visitor& visitor, const Path& path) {
  tree::visit(*static_cast<T*>(value), visitor, path, false);
}
template <class T>
Ref ref(const T& value) {
  return {const_cast<T*>(&value), &visit_whole<T>};
}

}  // namespace tree
}  // namespace ingot
