// The fields of plain structs, found by counting how many values initialise one and by structured bindings.
// Names come from the compiler's spelling of a pointer to the field. Up to 48 fields, C arrays among them;
// base classes where all fields are in one class.
#pragma once

#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

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

// fn(field, ...), of references to all fields.
template <class T, class F>
constexpr auto with_fields(T& s, F&& fn) {
  constexpr size_t count = field_count<T>;
  static_assert(count <= kMaxFields,
                "ingot: a struct with more than 48 fields; nest some, or specialise ingot::tree::Traits");
  if constexpr (count == 0) {
    return fn();
  } else if constexpr (count == 1) {
    auto& [a] = s;
    return fn(a);
  } else if constexpr (count == 2) {
    auto& [a, b] = s;
    return fn(a, b);
  } else if constexpr (count == 3) {
    auto& [a, b, c] = s;
    return fn(a, b, c);
  } else if constexpr (count == 4) {
    auto& [a, b, c, d] = s;
    return fn(a, b, c, d);
  } else if constexpr (count == 5) {
    auto& [a, b, c, d, e] = s;
    return fn(a, b, c, d, e);
  } else if constexpr (count == 6) {
    auto& [a, b, c, d, e, f] = s;
    return fn(a, b, c, d, e, f);
  } else if constexpr (count == 7) {
    auto& [a, b, c, d, e, f, g] = s;
    return fn(a, b, c, d, e, f, g);
  } else if constexpr (count == 8) {
    auto& [a, b, c, d, e, f, g, h] = s;
    return fn(a, b, c, d, e, f, g, h);
  } else if constexpr (count == 9) {
    auto& [a, b, c, d, e, f, g, h, i] = s;
    return fn(a, b, c, d, e, f, g, h, i);
  } else if constexpr (count == 10) {
    auto& [a, b, c, d, e, f, g, h, i, j] = s;
    return fn(a, b, c, d, e, f, g, h, i, j);
  } else if constexpr (count == 11) {
    auto& [a, b, c, d, e, f, g, h, i, j, k] = s;
    return fn(a, b, c, d, e, f, g, h, i, j, k);
  } else if constexpr (count == 12) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l] = s;
    return fn(a, b, c, d, e, f, g, h, i, j, k, l);
  } else if constexpr (count == 13) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = s;
    return fn(a, b, c, d, e, f, g, h, i, j, k, l, m);
  } else if constexpr (count == 14) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = s;
    return fn(a, b, c, d, e, f, g, h, i, j, k, l, m, n);
  } else if constexpr (count == 15) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o] = s;
    return fn(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o);
  } else if constexpr (count == 16) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = s;
    return fn(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p);
  } else if constexpr (count == 17) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q] = s;
    return fn(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q);
  } else if constexpr (count == 18) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r] = s;
    return fn(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r);
  } else if constexpr (count == 19) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, u] = s;
    return fn(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, u);
  } else if constexpr (count == 20) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, u, v] = s;
    return fn(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, u, v);
  } else if constexpr (count == 21) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, u, v, w] = s;
    return fn(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, u, v, w);
  } else if constexpr (count == 22) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, u, v, w, x] = s;
    return fn(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, u, v, w, x);
  } else if constexpr (count == 23) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, u, v, w, x, y] = s;
    return fn(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, u, v, w, x, y);
  } else if constexpr (count == 24) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, u, v, w, x, y, z] = s;
    return fn(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, u, v, w, x, y, z);
  } else {
    return with_wide<count>(s, fn);
  }
}

#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wundefined-var-template"
#pragma clang diagnostic ignored "-Wundefined-internal"
#endif
// The types of the fields, and pointers to them.
template <class... T>
struct TypeList {};
struct ListTypes {
  template <class... Field>
  constexpr TypeList<Field...> operator()(Field&...) const {
    return {};
  }
};
template <class T>
using field_types = decltype(with_fields(std::declval<T&>(), ListTypes()));

template <size_t I, class T>
struct PointerAt {
  T* pointer;
};
template <class I, class... T>
struct PointerList;
template <size_t... I, class... T>
struct PointerList<std::index_sequence<I...>, T...> : PointerAt<I, T>... {};
template <size_t I, class T>
constexpr T* pointer_at(const PointerAt<I, T>& list) {
  return list.pointer;
}
struct ListPointers {
  template <class... Field>
  constexpr PointerList<std::index_sequence_for<Field...>, Field...> operator()(Field&... field) const {
    return {{&field}...};
  }
};

template <class T>
struct FieldHolder {
  T value;
};
template <class T>
extern const FieldHolder<T> field_holder;  // never defined; only its address is looked at

// The name at the end of how a compiler writes the pointer to a field.
// GCC: "... [with auto kPointer = (& field_holder<S>.FieldHolder<S>::value.S::name)]"
// Clang: "... [kPointer = &field_holder.value.name]"
consteval std::string_view last_name(const char* text, size_t size) {
  size_t end = size;
  while (text[end - 1] == ')' || text[end - 1] == ']') --end;
  size_t begin = end;
  while (text[begin - 1] != ':' && text[begin - 1] != '.') --begin;
  return {text + begin, end - begin};
}
template <auto kPointer>
consteval auto field_name() {
  return last_name(__PRETTY_FUNCTION__, sizeof(__PRETTY_FUNCTION__) - 1);
}

template <class T>
consteval auto field_pointers() {
  return with_fields(field_holder<T>.value, ListPointers());
}
#ifdef __clang__
#pragma clang diagnostic pop
#endif

template <class T, class I>
struct FieldNames;
template <class T, size_t... I>
struct FieldNames<T, std::index_sequence<I...>> {
  static constexpr std::string_view names[] = {field_name<pointer_at<I>(field_pointers<T>())>()..., ""};
};

// "w", "b", ... in the order of declaration.
template <class T>
inline constexpr const std::string_view* field_names =
    FieldNames<T, std::make_index_sequence<field_count<T>>>::names;

}  // namespace ingot::detail
