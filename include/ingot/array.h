// Array: an immutable n-dimensional array, and the parameter types of the functions over arrays.
//
// An Array is either concrete (its elements lie in memory) or traced: a value inside of a function that jit
// or scan is turning into a program. Both are handles; copies are cheap and share the elements.
//
// Dtypes. Arrays of different dtypes do not mix: x + y with an f32 and an f64 is an Error that suggests
// astype. The exceptions are f16 and bf16, whose programs are mixed ones: they give way to any wider float,
// take integers and preds beside them, and meet each other in f32, as in JAX; and c64 and c128, beside which
// real arrays become complex, and c128 where either part needs f64. C++ numbers do not count as
// arrays and take the dtype of the array beside them: x + 1.0 stays f32 for an f32 x, n + 1 stays u8 for a u8
// n (and is an Error if the number does not fit). Two cases change the dtype: an integer or pred array with a
// floating number gives f32, a pred array with an integer gives s32. Integer / and % truncate towards zero,
// as in C++.
//
// Shapes broadcast as in numpy: aligned at the last axis, where an extent of 1 stretches.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "ingot/dtype.h"
#include "ingot/error.h"

namespace ingot {

// The C++ types that an array can hold and that operators take beside arrays.
template <class T>
concept Number = (std::is_arithmetic_v<T> && sizeof(T) <= 8) || std::is_same_v<T, float16> ||
                 std::is_same_v<T, bfloat16> || std::is_same_v<T, std::complex<float>> ||
                 std::is_same_v<T, std::complex<double>>;

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

}  // namespace detail

// Part of an axis, as start:stop:step in Python: ends that are left out reach to the end of the axis,
// negative ones count from it, and a negative step walks backwards. {.step = -1} reverses.
struct Slice {
  static constexpr int64_t kEnd = INT64_MIN;
  int64_t start = kEnd;
  int64_t stop = kEnd;
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

class Operand;

class Array {
 public:
  Array() = default;  // no array at all: any use is an Error
  Array(const Array&) = default;
  Array(Array&&) = default;
  Array& operator=(const Array&) & = default;
  Array& operator=(Array&&) & = default;
  // What x[0], x.slice(...) and f(x) give are arrays of their own: to assign to one would change nothing in
  // x. A part of x is written by making all of x anew: x = dynamic_update_slice(x, part, {0, ...}), or
  // scatter(Scatter::kSet, x, indices, rows), scatter_add, or where(condition, part, x).
  Array& operator=(const Array&) && = delete;
  // A scalar of the number's own dtype: Array(1.0f) is an f32[], Array(2) an s32[]. In a program a constant.
  template <Number T>
  Array(T value)  // NOLINT: numbers are arrays
      : Array(detail::Literal::of(value)) {}

  using Where = std::source_location;

  // Copies row-major values; Error if their number is not that of the shape.
  template <Number T>
  static Array from(Shape shape, std::span<const T> values, Where where = Where::current()) {
    return copy_from(detail::dtype_for<T>(), std::move(shape), values.data(), values.size(), where);
  }
  template <Number T>
  static Array from(Shape shape, const std::vector<T>& values, Where where = Where::current()) {
    if constexpr (std::is_same_v<T, bool>) {
      const std::vector<uint8_t> bytes(values.begin(), values.end());
      return copy_from(DType::kPred, std::move(shape), bytes.data(), bytes.size(), where);
    } else {
      return from(std::move(shape), std::span<const T>(values), where);
    }
  }
  template <Number T>
  static Array from(const std::vector<T>& values, Where where = Where::current()) {  // of rank 1
    return from(Shape{static_cast<int64_t>(values.size())}, values, where);
  }
  // Copies size(shape) row-major elements of that dtype; a pred is a byte, 0 or 1.
  static Array from_bytes(DType dtype, Shape shape, const void* bytes, Where where = Where::current());

  static Array zeros(Shape shape, DType dtype = DType::kF32, Where where = Where::current());
  static Array ones(Shape shape, DType dtype = DType::kF32, Where where = Where::current());
  static Array full(Shape shape, const Operand& value, DType dtype = DType::kF32);
  // Only a type: for jit(f).lower(...) and compile(...), which look at no values.
  static Array abstract(DType dtype, Shape shape, Where where = Where::current());

  bool empty() const { return node_ == nullptr; }  // default-constructed
  bool is_traced() const;
  DType dtype(Where where = Where::current()) const;
  const Shape& shape(Where where = Where::current()) const;
  int64_t shape(Axis axis, Where where = Where::current()) const;  // negative axes count from the end
  int64_t rank(Where where = Where::current()) const { return static_cast<int64_t>(shape(where).size()); }
  int64_t size(Where where = Where::current()) const;   // elements
  int64_t bytes(Where where = Where::current()) const;  // of all elements
  std::string type_string() const;                      // "f32[3,4]"

  // --- values: Error for a traced Array, naming select and scan ---
  // All elements in row-major order. T must be the dtype's C++ type.
  template <Number T>
  std::vector<T> to_vector(Where where = Where::current()) const {
    const T* data = static_cast<const T*>(read(detail::dtype_for<T>(), where));
    return std::vector<T>(data, data + size());
  }
  // The elements where they lie; valid while this Array or a copy lives.
  template <Number T>
  std::span<const T> view(Where where = Where::current()) const {
    return {static_cast<const T*>(read(detail::dtype_for<T>(), where)), static_cast<size_t>(size())};
  }
  void to_host(void* bytes, Where where = Where::current()) const;  // copies bytes() bytes
  // The one element, converted to T as astype does it: floats to integers saturate, NaN becomes 0, and a bool
  // is whether the element is another number than 0.
  template <Number T>
  T item(Where where = Where::current()) const {
    const detail::Literal literal = item_as(detail::dtype_for<T>(), where);
    T value;
    __builtin_memcpy(static_cast<void*>(&value), literal.bits.data(), sizeof(T));
    return value;
  }
  explicit operator bool() const;  // of an array with one element

  // --- parts ---
  Array operator[](const At& at) const;  // x[i]: element i of the first axis; -1 is the last
  Array row(const At& at) const { return (*this)[at]; }
  Array slice(Slice first, Where where = Where::current()) const;                      // of the first axis
  Array slices(const std::vector<Slice>& axes, Where where = Where::current()) const;  // of the first axes
  Array T(Where where = Where::current()) const;  // all axes in reverse order
  Array astype(DType dtype, Where where = Where::current()) const;
  Array reshape(Shape shape, Where where = Where::current()) const;  // one extent may be -1

  // Of variables only: x[0] += y does not compile, as x[0] = y does not (see above). Use scatter_add, or
  // scatter with kMul.
  Array& operator+=(const Operand& other) &;
  Array& operator-=(const Operand& other) &;
  Array& operator*=(const Operand& other) &;
  Array& operator/=(const Operand& other) &;
  Array& operator+=(const Operand& other) && = delete;
  Array& operator-=(const Operand& other) && = delete;
  Array& operator*=(const Operand& other) && = delete;
  Array& operator/=(const Operand& other) && = delete;

  // For the library itself.
  explicit Array(std::shared_ptr<const detail::ArrayNode> node) : node_(std::move(node)) {}
  explicit Array(const detail::Literal& literal);
  const std::shared_ptr<const detail::ArrayNode>& node() const { return node_; }

 private:
  static Array copy_from(DType dtype, Shape shape, const void* values, size_t count, Where where);
  const void* read(DType dtype, Where where) const;
  detail::Literal item_as(DType dtype, Where where) const;

  std::shared_ptr<const detail::ArrayNode> node_;
};

// What functions over arrays take: an array or a number, together with the line on which the user wrote it.
class Operand {
 public:
  using Where = std::source_location;
  Operand(const Array& array, Where where = Where::current()) : array_(array), where_(where) {}  // NOLINT
  template <Number T>
  Operand(T value, Where where = Where::current())  // NOLINT
      : literal_(detail::Literal::of(value)), is_literal_(true), where_(where) {}

  bool is_literal() const { return is_literal_; }
  const detail::Literal& literal() const { return literal_; }
  Array array() const { return is_literal_ ? Array(literal_) : array_; }
  const Where& where() const { return where_; }

 private:
  Array array_;
  detail::Literal literal_;
  bool is_literal_ = false;
  Where where_;
};

Array operator+(const Operand& a, const Operand& b);
Array operator-(const Operand& a, const Operand& b);
Array operator*(const Operand& a, const Operand& b);
Array operator/(const Operand& a, const Operand& b);
Array operator%(const Operand& a, const Operand& b);  // sign of a
Array operator&(const Operand& a, const Operand& b);  // integers and preds, as | ^ ~
Array operator|(const Operand& a, const Operand& b);
Array operator^(const Operand& a, const Operand& b);
Array operator~(const Operand& a);
Array operator<<(const Operand& a, const Operand& b);  // 0 where b is not in [0, bits)
Array operator>>(const Operand& a, const Operand& b);  // arithmetic for signed, logical for unsigned integers
Array operator-(const Operand& a);
Array operator==(const Operand& a,
                 const Operand& b);  // element by element, a pred array; so are the next five
Array operator!=(const Operand& a, const Operand& b);
Array operator<(const Operand& a, const Operand& b);
Array operator<=(const Operand& a, const Operand& b);
Array operator>(const Operand& a, const Operand& b);
Array operator>=(const Operand& a, const Operand& b);

// Rows and brackets as numpy prints them, long axes shortened, then the type; of a traced Array the type
// alone. Numbers have numpy's digits: the fewest that read back as the same value of the dtype, at most 8
// behind the point, an exponent below 1e-4 and from 1e8 on (f32 1e6, f16 and bf16 1e3). Each number chooses
// for itself (numpy chooses for all of an array), and neither zeros nor blanks are added behind it.
std::ostream& operator<<(std::ostream& out, const Array& array);
std::string to_string(const Array& array);

// While one lives, operations are attributed to `where` instead of the line that calls them: the first
// statement of a function that composes others. With a name, errors from inside begin with it: "softmax: max:
// axis 0 ...". The outermost one counts.
class CallerScope {
 public:
  explicit CallerScope(const std::source_location& where, const char* name = nullptr);
  ~CallerScope();
  CallerScope(const CallerScope&) = delete;
  CallerScope& operator=(const CallerScope&) = delete;

 private:
  std::source_location where_;
  bool outermost_;
};

}  // namespace ingot
