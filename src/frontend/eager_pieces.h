// Element-wise operations on arrays that are there, outside of jit, of a size that nothing is compiled for.
//
// Such an operation does the same to each row, so that programs for some numbers of rows do for all: it goes
// over the rows in pieces of the largest of these that fits, the last of which is moved back and repeats some
// rows. A new size of a known operation compiles nothing.
#pragma once

#include <optional>

#include "frontend/apply.h"
#include "frontend/jit_state.h"

namespace ingot::detail {

// Whether the call is one of the first of its types. Sizes that come again get a program of their own.
bool is_rare(const Signature& signature);

// The operation on these operands, which broadcast to `shape`; `body` traces it for operands of any shapes.
// Nothing where rows do not lie in memory as programs want them, or there are none.
std::optional<Array> apply_in_pieces(JitState& state, const std::vector<Array>& operands, const Shape& shape,
                                     const std::vector<int64_t>& words, const std::source_location& where,
                                     const ArrayBody& body);

}  // namespace ingot::detail
