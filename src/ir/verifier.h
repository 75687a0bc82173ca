// Checks that a module is well formed: types, regions, dominance, uses, calls.
#pragma once

#include "ir/ir.h"

namespace ingot::ir {

// Throws InternalError that names the operation and prints the function, if anything is wrong.
void verify(const Module& module);

}  // namespace ingot::ir
