// Parts and views of arrays that are there, outside of jit: their elements are copied, and nothing is
// compiled, whatever the index, the start or the shape is.
#pragma once

#include <optional>

#include "frontend/node.h"

namespace ingot::detail {

// What apply(name, operands, words, where, ..) gives, if that is a copy of parts of the one operand which is
// as fast as a kernel, or shorter than to compile one: reshape, slice, index_axis, transpose and reverse.
// Else nothing; mistakes are told where the operation is traced.
std::optional<Array> move_eagerly(std::string_view name, const std::vector<Array>& operands,
                                  const std::vector<int64_t>& words, const std::source_location& where);

}  // namespace ingot::detail
