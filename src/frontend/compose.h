// How functions that are compositions of others begin: operands are checked and get one dtype, reports name
// the user's line, and outside of a trace all of a function is one program.
#pragma once

#include <bit>
#include <functional>

#include "frontend/apply.h"

namespace ingot::detail {

// A double among the words that tell programs apart.
inline int64_t word_of(double number) {
  return std::bit_cast<int64_t>(number);
}

inline Array checked_array(const Operand& x) {
  Array array = x.array();
  checked_node(array, x.where());
  return array;
}

// The number of elements, or an Error at the user's line.
inline int64_t checked_shape(const char* name, const Shape& shape, const std::source_location& where) {
  try {
    return element_count(shape);
  } catch (const Error& error) {
    fail(where, std::string(name) + ": " + error.what());
  }
}

// For the numbers of so many places.
inline DType places_dtype(int64_t extent) {
  return extent > INT32_MAX ? DType::kS64 : DType::kS32;
}

// Integers and preds as f32.
inline Array floating(const Array& x) {
  return is_inexact(x.dtype()) ? x : as_weak(x.astype(DType::kF32), is_weak(x));
}

// Operands of one dtype, in which there are fractions: integer arrays become floats like those beside them,
// and f32 where there are none.
inline std::vector<Array> same_floats(const char* name, const std::vector<Operand>& operands,
                                      const std::source_location& where) {
  DType dtype = DType::kF32;
  for (const Operand& operand : operands)
    if (!is_number(operand) && is_inexact(checked_array(operand).dtype())) dtype = operand.array().dtype();
  std::vector<Operand> floats;
  for (const Operand& operand : operands) {
    const bool whole = !operand.is_literal() && !is_inexact(checked_array(operand).dtype());
    floats.push_back(whole ? Operand(as_weak(operand.array().astype(dtype), is_weak(operand.array())), where)
                           : operand);
  }
  std::vector<Array> arrays = same_dtype(name, floats, where);
  for (Array& array : arrays) array = floating(array);
  return arrays;
}

using OneArray = std::function<Array(const Array&)>;
using TwoArrays = std::function<Array(const Array&, const Array&)>;

// Of one array as it is; of one that is made floating.
inline Array compose_any(const char* name, const Operand& x, const std::vector<int64_t>& words,
                         const OneArray& body) {
  const CallerScope caller(x.where(), name);
  return apply(name, {checked_array(x)}, words, x.where(),
               [&](const std::vector<Array>& operands) { return body(operands[0]); });
}
inline Array compose_floating(const char* name, const Operand& x, const std::vector<int64_t>& words,
                              const OneArray& body) {
  return compose_any(name, x, words, [&](const Array& a) { return body(floating(a)); });
}

// Of two arrays of one dtype.
inline Array compose_same(const char* name, const Operand& x, const Operand& y,
                          const std::vector<int64_t>& words, const TwoArrays& body) {
  const CallerScope caller(x.where(), name);
  return apply(name, same_dtype(name, {x, y}, x.where()), words, x.where(),
               [&](const std::vector<Array>& operands) { return body(operands[0], operands[1]); });
}
inline Array compose_floats(const char* name, const Operand& x, const Operand& y,
                            const std::vector<int64_t>& words, const TwoArrays& body) {
  const CallerScope caller(x.where(), name);
  return apply(name, same_floats(name, {x, y}, x.where()), words, x.where(),
               [&](const std::vector<Array>& operands) { return body(operands[0], operands[1]); });
}

// Numbers are true where they are not 0.
inline Array truth(const Array& x) {
  return x.dtype() == DType::kPred ? x : x != 0;
}

}  // namespace ingot::detail
