// A function as a program of its own.
#pragma once

#include <memory>

#include "ir/ir.h"

namespace ingot::transform {

// A new module of the function, first, and of all that its operations name. Names stay.
std::unique_ptr<ir::Module> extract(const ir::Function& function);

// Adds to `to` all functions of `from` that operations of the region name, and those that they name.
void copy_callees(const ir::Region& region, const ir::Module& from, ir::Module& to);

}  // namespace ingot::transform
