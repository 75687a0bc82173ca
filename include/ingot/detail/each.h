// Tuples taken apart, and values kept by pointers that do not know their type: what std::apply and
// std::make_shared do, but for what takes the compiler long.
#pragma once

#include <cstddef>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ingot::detail {

template <class F, class Tuple, size_t... I>
constexpr decltype(auto) on_each_of(F&& f, Tuple& tuple, std::index_sequence<I...>) {
  return f(std::get<I>(tuple)...);
}
// f(elements...), which are lvalues.
template <class F, class Tuple>
constexpr decltype(auto) on_each(F&& f, Tuple&& tuple) {
  return on_each_of(f, tuple, std::make_index_sequence<std::tuple_size_v<std::remove_cvref_t<Tuple>>>());
}

// A value of any type that is kept as long as somebody points to it.
std::shared_ptr<const void> keep(const void* value, void (*destroy)(const void*));
template <class T>
std::shared_ptr<const void> keep(T&& value) {
  using Value = std::decay_t<T>;
  return keep(new Value(std::forward<T>(value)),
              [](const void* kept) { delete static_cast<const Value*>(kept); });
}

}  // namespace ingot::detail
