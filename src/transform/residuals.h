// Which values of the forward side the linear side gets handed, and which it computes anew.
//
// What is at hand anyway (an argument, a result) costs nothing to hand over. A value that follows from such
// ones by a few cheap operations is computed again; so are views, whose operands are handed over instead, and
// constants. All others are kept.
#pragma once

#include <functional>
#include <vector>

#include "ir/ir.h"

namespace ingot::transform {

struct Residual {
  ir::Value* value;     // of the forward region
  ir::Value* argument;  // of the linear region, which stands for it
};

// Decides for all residuals, erases the arguments of the linear region that are not needed, and returns the
// residuals that are left. Both regions are complete. `is_free`: the value is at hand.
std::vector<Residual> plan_residuals(ir::Region& linear, const std::vector<Residual>& wanted,
                                     const std::function<bool(const ir::Value*)>& is_free);

}  // namespace ingot::transform
