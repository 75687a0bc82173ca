// The fields of plain structs, found by counting how many values initialise one and by structured bindings.
// Names come from the compiler's spelling of a pointer to the field. Up to 48 fields, C arrays among them;
// base classes where all fields are in one class.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "ingot/detail/each.h"
#include "ingot/detail/wide_fields.h"

namespace ingot::detail {

inline constexpr size_t kMaxFields = 48;
inline constexpr size_t kMaxValues = 512;  // with the elements of C arrays

struct AnyField {
  template <class U>
  operator U() const noexcept;  // NOLINT: converts to whatever the field is
};
// Converts to base classes of T alone, to empty ones, and to all that is none.
template <class T>
struct AnyBase {
  template <class U>
  requires(std::is_base_of_v<U, T> && !std::is_same_v<U, T>) operator U() const noexcept;  // NOLINT
};
template <class T>
struct AnyEmptyBase {
  template <class U>
  requires(std::is_base_of_v<U, T> && !std::is_same_v<U, T> && std::is_empty_v<U>) operator U()
      const noexcept;  // NOLINT
};
template <class T>
struct AnyButBase {
  template <class U>
  requires(!std::is_base_of_v<U, T>) operator U() const noexcept;  // NOLINT
};

template <class T, class Any, size_t... I>
constexpr bool initialises(std::index_sequence<I...>) {
  return requires {
    T{(static_cast<void>(I), Any{})...};
  };
}
template <class T, class Any, size_t N>
inline constexpr bool takes = initialises<T, Any>(std::make_index_sequence<N>{});

// The greatest number of values that initialise a T, searched from the top.
template <class T, class Any, size_t N>
constexpr size_t last_taken() {
  if constexpr (N == 0 || takes<T, Any, N>)
    return N;
  else
    return last_taken<T, Any, N - 1>();
}
// The same where kLow do and kHigh do not, and all below the greatest number do.
template <class T, class Any, size_t kLow, size_t kHigh>
constexpr size_t bisect_taken() {
  if constexpr (kHigh - kLow == 1)
    return kLow;
  else if constexpr (takes<T, Any, (kLow + kHigh) / 2>)
    return bisect_taken<T, Any, (kLow + kHigh) / 2, kHigh>();
  else
    return bisect_taken<T, Any, kLow, (kLow + kHigh) / 2>();
}
template <class T, class Any, size_t N = 1>
constexpr size_t gallop_taken() {
  if constexpr (N > kMaxValues || !takes<T, Any, N>)
    return bisect_taken<T, Any, N / 2, N>();
  else
    return gallop_taken<T, Any, 2 * N>();
}
// Where a T can be made of nothing, it can be made of its first fields, however many.
template <class T, class Any>
constexpr size_t count_values() {
  if constexpr (takes<T, Any, 0>)
    return gallop_taken<T, Any>();
  else
    return last_taken<T, Any, kMaxFields + 1>();
}

// A C array takes a value for each element, but one pair of braces: whether {} in place of the values from
// kFirst on, kWidth of them, leaves a place for all others.
template <class T, size_t... I, size_t... J>
constexpr bool spans(std::index_sequence<I...>, std::index_sequence<J...>) {
  return requires {
    T{(static_cast<void>(I), AnyField{})..., {}, (static_cast<void>(J), AnyField{})...};
  };
}
template <class T, size_t kValues, size_t kFirst, size_t kWidth = 1>
constexpr size_t fields_from() {
  if constexpr (kFirst == kValues) {
    return 0;
  } else if constexpr (kFirst + kWidth > kValues) {  // what cannot be made of nothing is no array
    return 1 + fields_from<T, kValues, kFirst + 1>();
  } else if constexpr (spans<T>(std::make_index_sequence<kFirst>{},
                                std::make_index_sequence<kValues - kFirst - kWidth>{})) {
    return 1 + fields_from<T, kValues, kFirst + kWidth>();
  } else {
    return fields_from<T, kValues, kFirst, kWidth + 1>();
  }
}

// How many a structured binding of T has: its own fields, or those of the one base class that has any.
template <class T>
constexpr size_t count_fields() {
  if constexpr (!takes<T, AnyBase<T>, 1>) {
    return fields_from<T, count_values<T, AnyField>(), 0>();
  } else {
    constexpr size_t bases = last_taken<T, AnyBase<T>, 8>();
    constexpr size_t values = count_values<T, AnyField>();
    if constexpr (takes<T, AnyEmptyBase<T>, bases>) {
      return fields_from<T, values, bases>();
    } else {
      static_assert(values == bases,
                    "ingot: a struct with fields of its own beside those of a base class; let the base be a "
                    "field, or specialise ingot::tree::Traits, where ingot::tree::fields visits the base");
      return count_values<T, AnyButBase<T>>();
    }
  }
}

template <class T>
inline constexpr size_t field_count = count_fields<std::remove_const_t<T>>();

// References to the fields, as a tuple.
template <class T>
constexpr auto tie_fields(T& s) {
  constexpr size_t count = field_count<T>;
  static_assert(count <= kMaxFields,
                "ingot: a struct with more than 48 fields; nest some, or specialise ingot::tree::Traits");
  if constexpr (count == 0) {
    return std::tie();
  } else if constexpr (count == 1) {
    auto& [a] = s;
    return std::tie(a);
  } else if constexpr (count == 2) {
    auto& [a, b] = s;
    return std::tie(a, b);
  } else if constexpr (count == 3) {
    auto& [a, b, c] = s;
    return std::tie(a, b, c);
  } else if constexpr (count == 4) {
    auto& [a, b, c, d] = s;
    return std::tie(a, b, c, d);
  } else if constexpr (count == 5) {
    auto& [a, b, c, d, e] = s;
    return std::tie(a, b, c, d, e);
  } else if constexpr (count == 6) {
    auto& [a, b, c, d, e, f] = s;
    return std::tie(a, b, c, d, e, f);
  } else if constexpr (count == 7) {
    auto& [a, b, c, d, e, f, g] = s;
    return std::tie(a, b, c, d, e, f, g);
  } else if constexpr (count == 8) {
    auto& [a, b, c, d, e, f, g, h] = s;
    return std::tie(a, b, c, d, e, f, g, h);
  } else if constexpr (count == 9) {
    auto& [a, b, c, d, e, f, g, h, i] = s;
    return std::tie(a, b, c, d, e, f, g, h, i);
  } else if constexpr (count == 10) {
    auto& [a, b, c, d, e, f, g, h, i, j] = s;
    return std::tie(a, b, c, d, e, f, g, h, i, j);
  } else if constexpr (count == 11) {
    auto& [a, b, c, d, e, f, g, h, i, j, k] = s;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k);
  } else if constexpr (count == 12) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l] = s;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l);
  } else if constexpr (count == 13) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = s;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m);
  } else if constexpr (count == 14) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = s;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n);
  } else if constexpr (count == 15) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o] = s;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o);
  } else if constexpr (count == 16) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = s;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p);
  } else if constexpr (count == 17) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q] = s;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q);
  } else if constexpr (count == 18) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r] = s;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r);
  } else if constexpr (count == 19) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, u] = s;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, u);
  } else if constexpr (count == 20) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, u, v] = s;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, u, v);
  } else if constexpr (count == 21) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, u, v, w] = s;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, u, v, w);
  } else if constexpr (count == 22) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, u, v, w, x] = s;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, u, v, w, x);
  } else if constexpr (count == 23) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, u, v, w, x, y] = s;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, u, v, w, x, y);
  } else if constexpr (count == 24) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, u, v, w, x, y, z] = s;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, u, v, w, x, y, z);
  } else {
    return tie_wide<count>(s);
  }
}

#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wundefined-var-template"
#pragma clang diagnostic ignored "-Wundefined-internal"
#endif
template <class T>
struct FieldHolder {
  T value;
};
template <class T>
extern const FieldHolder<T> field_holder;  // never defined; only its address is looked at

template <auto kPointer>
consteval auto field_name() {
  // GCC: "... [with auto kPointer = (& field_holder<S>.FieldHolder<S>::value.S::name)]"
  // Clang: "... [kPointer = &field_holder.value.name]"
  constexpr std::string_view text = __PRETTY_FUNCTION__;
  constexpr size_t end = text.find_last_not_of(")]") + 1;
  constexpr size_t start = text.find_last_of(":.", end - 1) + 1;
  std::array<char, end - start> name{};
  for (size_t i = 0; i < name.size(); ++i) name[i] = text[start + i];
  return name;
}

template <auto kPointer>
inline constexpr auto field_name_of = field_name<kPointer>();

template <class T>
consteval auto field_pointers() {
  return ingot::detail::on_each([](auto&... field) { return std::make_tuple(&field...); },
                                tie_fields(field_holder<T>.value));
}
#ifdef __clang__
#pragma clang diagnostic pop
#endif

template <class T, size_t... I>
constexpr std::array<std::string_view, sizeof...(I)> make_field_names(std::index_sequence<I...>) {
  return {std::string_view(field_name_of<std::get<I>(field_pointers<T>())>.data(),
                           field_name_of<std::get<I>(field_pointers<T>())>.size())...};
}

// "w", "b", ... in the order of declaration.
template <class T>
inline constexpr auto field_names = make_field_names<T>(std::make_index_sequence<field_count<T>>{});

}  // namespace ingot::detail
