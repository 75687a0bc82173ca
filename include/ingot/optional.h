// A value, or none: what options and parameters have that may be left out. It is used as std::optional is,
// from which it is made and which it becomes; but options are part of every program that uses the library,
// and the standard one takes the compiler ten times as long.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

namespace ingot {
namespace detail {

// What can be copied byte by byte.
template <class T,
          bool kPlain = std::is_trivially_copyable_v<T>&& std::is_trivially_default_constructible_v<T>>
class OptionalStorage {
 protected:
  constexpr OptionalStorage() = default;
  template <class U>
  constexpr void set(U&& value) {
    value_ = static_cast<T>(std::forward<U>(value));
    has_ = true;
  }
  constexpr void clear() { has_ = false; }
  T value_{};
  bool has_ = false;
};

template <class T>
class OptionalStorage<T, false> {
 public:
  OptionalStorage(const OptionalStorage& other) : none_() {
    if (other.has_) set(other.value_);
  }
  OptionalStorage(OptionalStorage&& other) noexcept : none_() {
    if (other.has_) set(std::move(other.value_));
  }
  OptionalStorage& operator=(const OptionalStorage& other) {
    if (this == &other) return *this;
    clear();
    if (other.has_) set(other.value_);
    return *this;
  }
  OptionalStorage& operator=(OptionalStorage&& other) noexcept {
    if (this == &other) return *this;
    clear();
    if (other.has_) set(std::move(other.value_));
    return *this;
  }
  ~OptionalStorage() { clear(); }

 protected:
  OptionalStorage() : none_() {}
  template <class U>
  void set(U&& value) {
    ::new (static_cast<void*>(&value_)) T(std::forward<U>(value));
    has_ = true;
  }
  void clear() {
    if (has_) value_.~T();
    has_ = false;
  }
  union {
    char none_;
    T value_;
  };
  bool has_ = false;
};

}  // namespace detail

template <class T>
class Optional : detail::OptionalStorage<T> {
 public:
  using value_type = T;

  constexpr Optional() = default;
  constexpr Optional(std::nullopt_t) {}  // NOLINT: none
  template <class U = T>
  requires(!std::is_base_of_v<Optional, std::remove_cvref_t<U>> &&
           std::is_convertible_v<U&&, T>) constexpr Optional(U&& value) {  // NOLINT: a value is one
    this->set(std::forward<U>(value));
  }
  template <class U>
  requires std::is_convertible_v<const U&, T> Optional(const std::optional<U>& other) {  // NOLINT
    if (other) this->set(*other);
  }
  // A list in braces is the value of what is made of one: axes, a shape. (Not by `requires`, which GCC 12
  // loses here where the header is a precompiled one.)
  template <class U = T, class = std::enable_if_t<std::is_constructible_v<U, std::initializer_list<int64_t>>>>
  Optional(std::initializer_list<int64_t> values) {  // NOLINT
    this->set(U(values));
  }
  // Not of a plain value in braces, so that x = {} is none.
  template <class U = T>
  requires(!std::is_base_of_v<Optional, std::remove_cvref_t<U>> && std::is_convertible_v<U&&, T> &&
           !(std::is_scalar_v<T> && std::is_same_v<T, std::decay_t<U>>)) constexpr Optional&
  operator=(U&& value) {
    return *this = Optional(std::forward<U>(value));
  }
  operator std::optional<T>() const {  // NOLINT
    return this->has_ ? std::optional<T>(this->value_) : std::nullopt;
  }

  constexpr bool has_value() const { return this->has_; }
  constexpr explicit operator bool() const { return this->has_; }
  constexpr const T& operator*() const { return this->value_; }
  constexpr T& operator*() { return this->value_; }
  constexpr const T* operator->() const { return &this->value_; }
  constexpr T* operator->() { return &this->value_; }
  constexpr T value_or(T other) const { return this->has_ ? this->value_ : other; }
};

}  // namespace ingot
