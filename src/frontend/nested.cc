// Arrays from numbers in braces: {{1.f, 2.f}, {3.f, 4.f}}.
#include <algorithm>
#include <tuple>

#include "frontend/trace.h"
#include "ingot/array.h"

namespace ingot {

detail::Nested::Nested(std::initializer_list<Nested> items) : items_(items), is_list_(true) {}
detail::Nested::Nested(const Nested& other) = default;
detail::Nested::~Nested() = default;

namespace {

using detail::Literal;
using detail::Nested;

// Numbers of several types are of the first of complex numbers, floats, integers and preds, and of its
// widest.
DType wider_number(DType a, DType b) {
  if (is_complex(a) != is_complex(b)) {
    const bool wide = real_dtype(a) == DType::kF64 || real_dtype(b) == DType::kF64;
    return wide ? DType::kC128 : DType::kC64;
  }
  if (a != b && is_narrow_float(a) && is_narrow_float(b)) return DType::kF32;
  const auto order = [](DType dtype) {
    const int kind = is_inexact(dtype) ? 2 : dtype == DType::kPred ? 0 : 1;
    return std::tuple(kind, byte_size(dtype), is_signed(dtype));
  };
  return order(a) < order(b) ? b : a;
}

struct Numbers {
  Shape shape;
  std::vector<Literal> literals;
};

// Appends the numbers of a list at this depth. The first list of each depth says how long all are.
void collect(const std::vector<Nested>& items, size_t depth, Numbers& numbers,
             const std::source_location& where) {
  const auto length = static_cast<int64_t>(items.size());
  if (depth == numbers.shape.size()) numbers.shape.resize(depth + 1, length);
  if (numbers.shape[depth] != length)
    detail::fail(where, "Array: the lists in braces have " + std::to_string(numbers.shape[depth]) + " and " +
                            std::to_string(length) + " items along axis " + std::to_string(depth) +
                            "; all should have as many");
  for (const Nested& item : items) {
    const bool last_axis = depth + 1 == numbers.shape.size();
    if (item.is_list() ? last_axis && !numbers.literals.empty() : !last_axis)
      detail::fail(where, "Array: there are numbers and lists side by side along axis " +
                              std::to_string(depth + 1) + "; all items should be one or the other");
    if (item.is_list()) {
      collect(item.items(), depth + 1, numbers, where);
    } else {
      numbers.literals.push_back(item.literal());
    }
  }
}

Array from_numbers(const std::vector<Nested>& rows, Optional<DType> wanted,
                   const std::source_location& where) {
  Numbers numbers;
  collect(rows, 0, numbers, where);
  DType dtype = numbers.literals.empty() ? DType::kF32 : numbers.literals[0].dtype;
  for (const Literal& literal : numbers.literals) dtype = wider_number(dtype, literal.dtype);
  dtype = wanted.value_or(dtype);
  const size_t width = byte_size(dtype);
  std::vector<std::byte> bytes(width * numbers.literals.size());
  for (size_t i = 0; i < numbers.literals.size(); ++i) {
    const Literal value =
        detail::value_of("Array", numbers.literals[i], dtype, where, "; give another dtype");
    __builtin_memcpy(bytes.data() + i * width, value.bits.data(), width);
  }
  return Array::from_bytes(dtype, numbers.shape, bytes.data(), where);
}

}  // namespace

Array::Array(std::initializer_list<detail::Nested> rows, Where where)
    : Array(from_numbers(std::vector<Nested>(rows), std::nullopt, where)) {}

Array::Array(std::initializer_list<detail::Nested> rows, DType dtype, Where where)
    : Array(from_numbers(std::vector<Nested>(rows), dtype, where)) {}

}  // namespace ingot
