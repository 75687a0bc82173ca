// Decides which operations of a region share a kernel.
//
// Operations are taken in reverse, so that each one meets the groups of its users. Cheap operations and views
// join them, in several groups at once if need be; scans, reductions and contractions join if the kernel
// layer can build the whole and the band does not shrink to where threads and lanes starve. Every refusal is
// recorded with its reason.
#pragma once

#include <set>
#include <unordered_map>
#include <vector>

#include "ir/ir.h"
#include "pass/pass.h"

namespace ingot::pass {

struct FusionGroup {
  std::set<ir::Op*> ops;
  std::set<ir::Value*> outputs;
  bool contraction = false;    // holds one, whose register tile no other anchor may take
  std::set<ir::Op*> upstream;  // operations that feed the contraction
};

// The groups of the region's own operations, in no particular order. Operations in no group stay as they are:
// calls, scans that no kernel can hold, constants.
std::vector<FusionGroup> choose_groups(ir::Region& region, PassContext& context);

// Why the scan cannot be a kernel, or empty.
std::string why_no_kernel(ir::Op& scan);

// A constant that is written into the kernel's code: a scalar, or one value everywhere.
bool is_inline_constant(const ir::Op& op);

}  // namespace ingot::pass
