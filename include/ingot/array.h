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
// n (and is an Error if the number does not fit). So they do where they were passed as arguments, and what is
// computed of such numbers alone: f(x, 1e-3) is a program over f32 for an f32 x. Two cases change the dtype:
// an integer or pred array with a floating number gives f32, a pred array with an integer gives s32. Integer
// / and % truncate towards zero, as in C++.
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

#include "ingot/subscript.h"

namespace ingot {

class Operand;
class Selection;

class Array {
 public:
  Array() = default;  // no array at all: any use is an Error
  Array(const Array&) = default;
  Array(Array&&) = default;
  Array& operator=(const Array&) & = default;
  Array& operator=(Array&&) & = default;
  // What x[0], x(0, 1) and f(x) give are arrays of their own: to assign to one would change nothing in x. A
  // part of x is written by making all of x anew: x = at(x, 0).set(5), at(x, i, j).add(y) (indexing.h), or
  // x = where(condition, y, x).
  Array& operator=(const Array&) && = delete;  // a part is written so: x = at(x, 0).set(5)
  // A scalar of the number's own dtype: Array(1.0f) is an f32[], Array(2) an s32[]. In a program a constant.
  // Beside arrays it is the number that it is made of, and takes their dtype.
  template <Number T>
  Array(T value)  // NOLINT: numbers are arrays
      : Array(detail::Literal::of(value), true) {}

  using Where = std::source_location;

  // Numbers in braces: Array x = {{1.f, 2.f}, {3.f, 4.f}} is an f32[2,2], Array({1.0, 2.0}) an f64[2], as
  // Array(1.0) is an f64[]; of numbers of several types the one that holds all. Error where lists that should
  // have one length do not.
  Array(std::initializer_list<detail::Nested> rows, Where where = Where::current());  // NOLINT
  // The same, in another dtype: Array({0.1, 0.2}, DType::kBF16).
  Array(std::initializer_list<detail::Nested> rows, DType dtype, Where where = Where::current());
  // The same of numbers in vectors: Array(std::vector<float>{1, 2}), of rank 1, or of rank 2 with a vector
  // for each row.
  template <Number T>
  explicit Array(const std::vector<T>& values, Where where = Where::current()) : Array(from(values, where)) {}
  template <Number T>
  explicit Array(const std::vector<std::vector<T>>& rows, Where where = Where::current())
      : Array(from_rows(rows, where)) {}

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
  // Of the value's dtype as JAX has it: true is a pred, 2 an s32, int64_t{2} an s64; but a double is f32, and
  // a std::complex<double> c64, unless another dtype is given. An array, which broadcasts, keeps its own.
  static Array full(Shape shape, const Operand& value);
  static Array full(Shape shape, const Operand& value, DType dtype);
  // A number is the extent of a vector: Array::zeros(3).
  template <Extent N>
  static Array zeros(N extent, DType dtype = DType::kF32, Where where = Where::current()) {
    return zeros(Shape{static_cast<int64_t>(extent)}, dtype, where);
  }
  template <Extent N>
  static Array ones(N extent, DType dtype = DType::kF32, Where where = Where::current()) {
    return ones(Shape{static_cast<int64_t>(extent)}, dtype, where);
  }
  template <Extent N>
  static Array full(N extent, const Operand& value);
  template <Extent N>
  static Array full(N extent, const Operand& value, DType dtype);
  // Only a type: for jit(f).lower(...) and compile(...), which look at no values.
  static Array abstract(DType dtype, Shape shape, Where where = Where::current());

  bool empty() const { return node_ == nullptr; }  // default-constructed
  bool is_traced() const;
  DType dtype(Where where = Where::current()) const;
  const Shape& shape(Where where = Where::current()) const;
  int64_t shape(Axis axis, Where where = Where::current()) const;  // negative axes count from the end
  int64_t rank(Where where = Where::current()) const { return static_cast<int64_t>(shape(where).size()); }
  int64_t ndim(Where where = Where::current()) const { return rank(where); }  // numpy's name of rank
  int64_t size(Where where = Where::current()) const;                         // elements
  int64_t bytes(Where where = Where::current()) const;                        // of all elements
  std::string type_string() const;                                            // "f32[3,4]"

  // --- values: Error for a traced Array, naming select and scan ---
  // All elements in row-major order. T must be the dtype's C++ type.
  template <Number T>
  std::vector<T> to_vector(Where where = Where::current()) const {
    const T* data = static_cast<const T*>(read(detail::dtype_for<T>(), where));
    return std::vector<T>(data, data + size());
  }
  // The elements where they lie; valid while this Array or a copy lives.
  template <Number T>
  std::span<const T> view(Where where = Where::current()) const& {
    return {static_cast<const T*>(read(detail::dtype_for<T>(), where)), static_cast<size_t>(size())};
  }
  template <Number T>
  std::span<const T> view(Where where = Where::current()) && = delete;  // keep the Array, or take to_vector
  void to_host(void* bytes, Where where = Where::current()) const;      // copies bytes() bytes
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
  // x[i]: element i of the first axis; -1 is the last. A Slice, an array of indices and a mask do, too: x[x >
  // 0].
  Array operator[](const Subscript& at) const;
  Array row(const At& at) const;
  // x(i, Slice{1, 3}, kNewAxis, kEllipsis, rows): as x[i, 1:3, None, ..., rows] of numpy. See indexing.h,
  // also for at(...), which makes arrays of which such a part is another.
  Array operator()(const Subscript& a, const Subscript& b = {}, const Subscript& c = {},
                   const Subscript& d = {}, const Subscript& e = {}, const Subscript& f = {},
                   const Subscript& g = {}, const Subscript& h = {}) const;
  Selection at(const Subscript& a, const Subscript& b = {}, const Subscript& c = {}, const Subscript& d = {},
               const Subscript& e = {}, const Subscript& f = {}, const Subscript& g = {},
               const Subscript& h = {}) const;
  Selection at(Subscript::Line line = Where::current()) const;     // all of it, also where there are no axes
  Array slice(Slice first, Where where = Where::current()) const;  // of the first axis
  Array slices(const std::vector<Slice>& axes, Where where = Where::current()) const;  // of the first axes
  Array T(Where where = Where::current()) const;  // all axes in reverse order
  Array astype(DType dtype, Where where = Where::current()) const;
  Array reshape(Shape shape, Where where = Where::current()) const;  // one extent may be -1
  template <Extent N>  // x.reshape(-1), x.reshape(5, 1), as numpy's
  Array reshape(N extent, Where where = Where::current()) const {
    return reshape(Shape{static_cast<int64_t>(extent)}, where);
  }
  template <Extent... N>
  requires(sizeof...(N) > 0) Array reshape(const At& first, N... others)
  const { return reshape(Shape{first.index, static_cast<int64_t>(others)...}, first.where); }

  // --- the functions of functions.h that are tried as members; they mean the same ---
  Array transpose(const std::vector<int64_t>& permutation = {}, Where where = Where::current()) const;
  template <Extent N>
  Array transpose(N axis, Where where = Where::current()) const {  // of a vector
    return transpose(std::vector<int64_t>{static_cast<int64_t>(axis)}, where);
  }
  template <Extent... N>
  requires(sizeof...(N) > 0) Array transpose(const At& first, N... others)
  const {  // x.transpose(1, 0)
    return transpose(std::vector<int64_t>{first.index, static_cast<int64_t>(others)...}, first.where);
  }
  Array swapaxes(int64_t a, int64_t b, Where where = Where::current()) const;
  Array ravel(Where where = Where::current()) const;
  Array flatten(Where where = Where::current()) const { return ravel(where); }
  Array squeeze(const Axes& axes = {}, Where where = Where::current()) const;
  Array copy(Where where = Where::current()) const;  // itself: elements never change
  Array sum(const Axes& axes = {}, KeepDims keepdims = {}, Where where = Where::current()) const;
  Array prod(const Axes& axes = {}, KeepDims keepdims = {}, Where where = Where::current()) const;
  Array mean(const Axes& axes = {}, KeepDims keepdims = {}, Where where = Where::current()) const;
  Array max(const Axes& axes = {}, KeepDims keepdims = {}, Where where = Where::current()) const;
  Array min(const Axes& axes = {}, KeepDims keepdims = {}, Where where = Where::current()) const;
  Array any(const Axes& axes = {}, KeepDims keepdims = {}, Where where = Where::current()) const;
  Array all(const Axes& axes = {}, KeepDims keepdims = {}, Where where = Where::current()) const;
  Array var(const Axes& axes = {}, int64_t ddof = 0, KeepDims keepdims = {},
            Where where = Where::current()) const;
  Array std_(const Axes& axes = {}, int64_t ddof = 0, KeepDims keepdims = {},
             Where where = Where::current()) const;
  Array argmax(Where where = Where::current()) const;  // of all elements, in row-major order
  Array argmax(Axis axis, KeepDims keepdims = {}, Where where = Where::current()) const;
  Array argmin(Where where = Where::current()) const;
  Array argmin(Axis axis, KeepDims keepdims = {}, Where where = Where::current()) const;
  Array round(int64_t decimals = 0, Where where = Where::current()) const;
  Array clip(const Operand& low, const Operand& high, Where where = Where::current()) const;
  Array dot(const Operand& other, Where where = Where::current()) const;
  Array abs(Where where = Where::current()) const;
  Array real(Where where = Where::current()) const;
  Array imag(Where where = Where::current()) const;
  Array conj(Where where = Where::current()) const;
  Array cumsum(Axis axis = 0, Where where = Where::current()) const;
  Array cumprod(Axis axis = 0, Where where = Where::current()) const;
  [[nodiscard]] Array sort(Axis axis = -1, Where where = Where::current()) const;  // x stays as it is
  Array argsort(Axis axis = -1, Where where = Where::current()) const;
  Array diagonal(int64_t offset = 0, Axis axis1 = 0, Axis axis2 = 1, Where where = Where::current()) const;
  Array trace(int64_t offset = 0, Axis axis1 = 0, Axis axis2 = 1, Where where = Where::current()) const;
  Array ptp(const Axes& axes = {}, KeepDims keepdims = {}, Where where = Where::current()) const;
  Array repeat(int64_t repeats, Where where = Where::current()) const;  // of x flattened
  Array repeat(int64_t repeats, Axis axis, Where where = Where::current()) const;
  Array take(const std::vector<int64_t>& indices, Axis axis = 0, Where where = Where::current()) const;
  template <std::same_as<Array> A>  // {0, 1} are constant indices, as above
  Array take(const A& indices, Axis axis = 0, Where where = Where::current()) const {
    return take_rows(indices, axis, where);
  }
  template <Extent I>  // one index
  Array take(I index, Axis axis = 0, Where where = Where::current()) const {
    return take_rows(Array(static_cast<int64_t>(index)), axis, where);
  }

  // Of variables only: x[0] += y does not compile, as x[0] = y does not (see above): x = at(x, 0).add(y).
  Array& operator+=(const Operand& other) &;
  Array& operator-=(const Operand& other) &;
  Array& operator*=(const Operand& other) &;
  Array& operator/=(const Operand& other) &;
  Array& operator+=(const Operand& other) && = delete;  // a part is changed so: x = at(x, 0).add(5)
  Array& operator-=(const Operand& other) && = delete;  // a part is changed so: x = at(x, 0).sub(5)
  Array& operator*=(const Operand& other) && = delete;  // a part is changed so: x = at(x, 0).mul(5)
  Array& operator/=(const Operand& other) && = delete;  // a part is changed so: x = at(x, 0).mul(1 / 5.0)
  Array* begin() const = delete;                        // for (Array row : unstack(x))
  Array* end() const = delete;                          // for (Array row : unstack(x))

  // For the library itself.
  explicit Array(std::shared_ptr<const detail::ArrayNode> node) : node_(std::move(node)) {}
  explicit Array(const detail::Literal& literal, bool weak = false);
  const std::shared_ptr<const detail::ArrayNode>& node() const { return node_; }

 private:
  static Array copy_from(DType dtype, Shape shape, const void* values, size_t count, Where where);
  template <Number T>
  static Array from_rows(const std::vector<std::vector<T>>& rows, Where where) {
    std::vector<T> all;
    for (const std::vector<T>& row : rows) {
      if (row.size() != rows[0].size()) fail_rows(rows[0].size(), row.size(), where);
      all.insert(all.end(), row.begin(), row.end());
    }
    const auto extent = static_cast<int64_t>(rows.size());
    return from(Shape{extent, rows.empty() ? 0 : static_cast<int64_t>(rows[0].size())}, all, where);
  }
  [[noreturn]] static void fail_rows(size_t wanted, size_t given, Where where);
  Array take_rows(const Array& indices, Axis axis, Where where) const;
  const void* read(DType dtype, Where where) const;
  detail::Literal item_as(DType dtype, Where where) const;

  std::shared_ptr<const detail::ArrayNode> node_;  // parts: auto [a, b] = random::split<2>(key); unstack(x)
};

// What functions over arrays take: an array or a number, together with the line on which the user wrote it.
class Operand {
 public:
  using Where = std::source_location;
  Operand(const Array& array, Where where = Where::current()) : array_(array), where_(where) {}  // NOLINT
  template <Number T>
  Operand(T value, Where where = Where::current())  // NOLINT
      : literal_(detail::Literal::of(value)), is_literal_(true), where_(where) {}

  explicit Operand(const detail::Literal& literal, Where where = Where::current())
      : literal_(literal), is_literal_(true), where_(where) {}

  bool is_literal() const { return is_literal_; }
  const detail::Literal& literal() const { return literal_; }
  Array array() const { return is_literal_ ? Array(literal_, true) : array_; }  // a number stays one
  const Where& where() const { return where_; }

 private:
  Array array_;
  detail::Literal literal_;
  bool is_literal_ = false;
  Where where_;
};

template <Extent N>
Array Array::full(N extent, const Operand& value) {
  return full(Shape{static_cast<int64_t>(extent)}, value);
}
template <Extent N>
Array Array::full(N extent, const Operand& value, DType dtype) {
  return full(Shape{static_cast<int64_t>(extent)}, value, dtype);
}

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
std::ostream& operator<<(std::ostream& out,
                         const Shape& shape);              // [2,3]; found where namespace ingot is used
std::ostream& operator<<(std::ostream& out, DType dtype);  // f32

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

extern template class std::vector<ingot::Array>;  // is in the library, and in no file that uses it
