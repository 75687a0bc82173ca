// The byte form of a group: what lowering sees of it, and no names. Groups of equal forms lower to equal
// kernels, wherever in the program they stand.
#pragma once

#include <string>
#include <vector>

#include "kernel/lower/group.h"

namespace ingot::kernel {

struct GroupForm {
  std::string bytes;                     // only for comparison within this process
  std::vector<const ir::Value*> values;  // all that the form speaks of, in its order
};

GroupForm form_of(const Group& group);

}  // namespace ingot::kernel
