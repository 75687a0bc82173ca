// Integers that are computed from places and constants alone.
#pragma once

#include <cstdint>
#include <optional>

#include "ir/ir.h"

namespace ingot::ops {

// The greatest of integers that are counts: `iota`, constants, and sums, products and views of such, none
// negative and none of which leaves its dtype. Nothing for all others.
std::optional<int64_t> greatest_count(const ir::Value* value);

}  // namespace ingot::ops
