// Replacing operations without losing the names that users know.
#pragma once

#include <span>

#include "ir/ir.h"

namespace ingot::pass {

// Makes every user of op's results use `values` instead, and erases op. A replacement that was made for this
// purpose (its operation is one of `made`) takes over the name of the result.
void replace_op(ir::Op* op, std::span<ir::Value* const> values, std::span<ir::Op* const> made);

// Moves the operations of `from` but for its return into the empty region `to`, whose arguments have replaced
// those of `from` already. Values keep their names.
void move_ops(ir::Region& from, ir::Region& to);

}  // namespace ingot::pass
