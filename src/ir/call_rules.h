// The functions that a call names besides its callee, as rules for derivatives: that they are there, and that
// their types fit the call.
#pragma once

#include <vector>

#include "ir/ir.h"

namespace ingot::ir {

// An Error says which rule does not fit, and what would. All functions of the module must be complete.
void check_rules(const Op& op, const Module& module);
// Those that are there.
std::vector<Function*> rules_of(const Op& op, const Module& module);

}  // namespace ingot::ir
