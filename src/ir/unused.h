// What nobody uses.
#pragma once

#include "ir/ir.h"

namespace ingot::ir {

// Erases the operations of a region whose results nobody uses, those in nested regions aside.
void erase_unused(Region& region);

}  // namespace ingot::ir
