// The operations of a program that a pass is about.
#pragma once

#include <vector>

#include "ir/ir.h"

namespace ingot::pass {

// Those that `wanted` says, in the order of the program. What an operation holds stands behind it: from the
// last one to the first one, inner ones come before those around them. Found before anything is rewritten,
// since a walk through regions that change is none.
template <class Wanted>
std::vector<ir::Op*> find_ops(ir::Module& module, const Wanted& wanted) {
  std::vector<ir::Op*> found;
  for (const auto& function : module.functions()) {
    ir::walk(function->body(), [&](ir::Op& op) {
      if (wanted(op)) found.push_back(&op);
    });
  }
  return found;
}

}  // namespace ingot::pass
