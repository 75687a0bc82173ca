// Indices that are known at run time.
#pragma once

#include "frontend/apply.h"

namespace ingot::detail {

// Error, which suggests astype, unless they are integers.
inline void check_indices(const char* name, const Array& indices, const std::source_location& where) {
  checked_node(indices, where);
  if (is_integer(indices.dtype())) return;
  fail(where, std::string(name) + ": the indices are " + indices.type_string() +
                  ", but must be integers; convert them with astype");
}

// Signed indices of a dtype that can count the elements of the axis: an s8 may well index the first 128 of
// 300, but to add 300 to it takes a wider one.
inline Array wide_enough(const Array& indices, int64_t extent, const std::source_location& where) {
  const auto bits = bit_width(indices.dtype());
  if (bits == 64 || extent < int64_t{1} << (bits - 1)) return indices;
  return astype(Operand(indices, where), extent <= INT32_MAX ? DType::kS32 : DType::kS64);
}

// Negative indices count from the end of an axis.
inline Array from_the_end(const Array& indices, int64_t extent, const std::source_location& where) {
  if (!is_signed(indices.dtype())) return indices;
  const Operand index(wide_enough(indices, extent, where), where);
  return select(index < 0, index + extent, index);
}

}  // namespace ingot::detail
