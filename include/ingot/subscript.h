// What says which part of an array is meant: numbers, axes, slices, indices.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <source_location>
#include <type_traits>
#include <utility>
#include <vector>

#include "ingot/dtype.h"
#include "ingot/error.h"
#include "ingot/optional.h"

namespace ingot {

class Array;

// The C++ types that an array can hold and that operators take beside arrays.
template <class T>
concept Number = (std::is_arithmetic_v<T> && sizeof(T) <= 8) || detail::NarrowNumber<T> || ComplexNumber<T>;

// What counts elements of an axis.
template <class T>
concept Extent = std::is_integral_v<T> && !std::is_same_v<T, bool>;

namespace detail {

struct ArrayNode;

template <Number T>
constexpr DType dtype_for() {  // as dtype_of, for long long, char and the like too
  if constexpr (std::is_same_v<T, bool>) {
    return DType::kPred;
  } else if constexpr (!std::is_arithmetic_v<T>) {
    return dtype_of<T>();
  } else if constexpr (std::is_floating_point_v<T>) {
    return sizeof(T) == 4 ? DType::kF32 : DType::kF64;
  } else {
    constexpr DType kSigned[] = {DType::kS8, DType::kS16, DType::kS32, DType::kS64};
    constexpr DType kUnsigned[] = {DType::kU8, DType::kU16, DType::kU32, DType::kU64};
    constexpr int kLog = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return std::is_signed_v<T> ? kSigned[kLog] : kUnsigned[kLog];
  }
}

// The first field of structs of options: they are written by name, {.in_axes = {0, 1}}, and {0, 1} does not
// compile, since it would give a value to each of two options where a list for one of them is meant.
struct ByName {
  explicit constexpr ByName() = default;
};

// A C++ number: its dtype and its bytes, from the low end of `bits` on.
struct Literal {
  DType dtype = DType::kF32;
  std::array<uint64_t, 2> bits{};

  template <Number T>
  static Literal of(T value) {
    Literal literal{dtype_for<T>(), {}};
    __builtin_memcpy(literal.bits.data(), &value, sizeof(T));
    return literal;
  }
};

// Throws an Error: no axis is so long, or no array has so many axes.
[[noreturn]] void fail_index(uint64_t index, const std::source_location& where);
[[noreturn]] void fail_axis(uint64_t axis, const std::source_location& where);

// Numbers in braces, as deep as one likes.
class Nested {
 public:
  template <Number T>
  Nested(T value) : literal_(Literal::of(value)) {}  // NOLINT
  Nested(std::initializer_list<Nested> items);       // NOLINT
  Nested(const Nested& other);
  ~Nested();
  bool is_list() const { return is_list_; }
  const std::vector<Nested>& items() const { return items_; }
  const Literal& literal() const { return literal_; }

 private:
  std::vector<Nested> items_;
  Literal literal_;
  bool is_list_ = false;
};

}  // namespace detail

// Part of an axis, as start:stop:step in Python: ends that are left out reach to the end of the axis,
// negative ones count from it, and a negative step walks backwards. {.step = -1} reverses.
struct Slice {
  static constexpr int64_t kEnd = INT64_MIN;
  // An end of a slice; {} is one that is left out: Slice{1, {}, 2} is 1::2.
  struct End {
    constexpr End() = default;
    template <class T>
    requires(std::is_integral_v<T> && !std::is_same_v<T, bool>) constexpr End(T place)  // NOLINT
        : value(static_cast<int64_t>(place)) {}
    constexpr End(std::nullopt_t) {}                      // NOLINT
    constexpr operator int64_t() const { return value; }  // NOLINT
    int64_t value = kEnd;
  };
  End start = {};
  End stop = {};
  int64_t step = 1;
};

// An index together with the user's line.
struct At {
  int64_t index;
  std::source_location where;
  template <class T>
  requires(std::is_integral_v<T> && !std::is_same_v<T, bool>)
      At(T i, std::source_location w = std::source_location::current())  // NOLINT: conversion is the point
      : index(static_cast<int64_t>(i)), where(w) {
    if (std::is_unsigned_v<T> && index < 0) detail::fail_index(static_cast<uint64_t>(i), w);
  }
};

// An axis of an array, where negative ones count from the last. size_t(-1) is none, but an Error at the
// user's line.
class Axis {
 public:
  template <class T>  // a bool is no axis: sum(x, kKeepDims) would be one over axis 1
  requires(std::is_integral_v<T> && !std::is_same_v<T, bool>)
      Axis(T axis, const std::source_location& where = std::source_location::current())  // NOLINT
      : axis_(static_cast<int64_t>(axis)) {
    if (std::is_unsigned_v<T> && axis_ < 0) detail::fail_axis(static_cast<uint64_t>(axis), where);
  }
  operator int64_t() const { return axis_; }  // NOLINT

 private:
  int64_t axis_;
};

// Some axes of an array; default: all.
class Axes {
 public:
  Axes();
  Axes(const Axes& other);
  Axes& operator=(const Axes& other);
  ~Axes();
  template <class T>
  requires(std::is_integral_v<T> && !std::is_same_v<T, bool>)
      Axes(T axis, const std::source_location& where = std::source_location::current())  // NOLINT
      : Axes(Axis(axis, where)) {}
  Axes(Axis axis);                            // NOLINT
  Axes(std::initializer_list<int64_t> axes);  // NOLINT
  Axes(std::vector<int64_t> axes);            // NOLINT
  const Optional<std::vector<int64_t>>& get() const { return axes_; }

 private:
  Optional<std::vector<int64_t>> axes_;
};

// Do reduced axes stay, with extent 1? A bool says so, and no number does: sum(x, 0, 1) is none of sum(x, {0,
// 1}) and sum(x, 0, kKeepDims).
struct KeepDims {
  constexpr KeepDims() = default;
  template <std::same_as<bool> T>
  constexpr KeepDims(T keeps) : value(keeps) {}  // NOLINT
  bool value = false;
};
inline constexpr KeepDims kKeepDims = true;

struct NewAxis {};
struct Ellipsis {};

// What stands between the brackets of numpy: an integer, a Slice, kNewAxis, kEllipsis, or an Array of
// integers (indexing.h says what they do together); {} before others is a whole axis. Knows the user's line.
class Subscript {
 public:
  enum class Kind { kNone, kInteger, kSlice, kNewAxis, kEllipsis, kArray };
  using Where = std::source_location;

  // The user's line, which no {} stands for: {1, {}} is no index, but Slice{1, {}} is.
  struct Line {
    Line(Where w) : where(w) {}  // NOLINT
    Where where;
  };

  Subscript() = default;  // no index: a whole axis, where others stand behind it
  template <class T>
  requires(std::is_integral_v<T> && !std::is_same_v<T, bool>)
      Subscript(T i, Line line = Where::current())  // NOLINT: conversion is the point
      : kind_(Kind::kInteger), integer_(static_cast<int64_t>(i)), where_(line.where) {
    if (std::is_unsigned_v<T> && integer_ < 0) detail::fail_index(static_cast<uint64_t>(i), where_);
  }
  Subscript(const Slice& slice, Line line = Where::current())  // NOLINT
      : kind_(Kind::kSlice), slice_(slice), where_(line.where) {}
  Subscript(NewAxis, Line line = Where::current()) : kind_(Kind::kNewAxis), where_(line.where) {}    // NOLINT
  Subscript(Ellipsis, Line line = Where::current()) : kind_(Kind::kEllipsis), where_(line.where) {}  // NOLINT
  Subscript(const Array& indices, Line line = Where::current());                                     // NOLINT

  Kind kind() const { return kind_; }
  int64_t integer() const { return integer_; }
  const Slice& slice() const { return slice_; }
  Array array() const;
  const Where& where() const { return where_; }

 private:
  Kind kind_ = Kind::kNone;
  int64_t integer_ = 0;
  Slice slice_;
  std::shared_ptr<const detail::ArrayNode> node_;  // of an array
  Where where_;
};

inline constexpr NewAxis kNewAxis;    // None in numpy's indices: an axis of extent 1
inline constexpr Ellipsis kEllipsis;  // ... there: as many whole axes as are left

}  // namespace ingot
