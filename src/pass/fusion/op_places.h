// At which places of an array an operation computes: what can be said of it without its group.
#pragma once

#include "ir/ir.h"

namespace ingot::pass {

// The shape of arithmetic or of what constants give; null for others. One element is one place, whatever its
// shape and whether it is computed or taken from somewhere.
const Shape* shape_of_arithmetic(const ir::Op& op);

// What is taken, maybe by way of other views, of what lies in memory before anything is computed: an index
// and no more. Joins have pieces, each of its own.
bool is_index(const ir::Op& op);

// Whether the operation adds and drops extents of 1 alone, so that no index becomes another one: whatever is
// wrong with a kernel, it is not that.
bool keeps_indices(const ir::Op& op);

// The places of a kernel that begins with the operation; null for what is neither arithmetic nor an index.
const Shape* shape_of_places(const ir::Op& op);

}  // namespace ingot::pass
