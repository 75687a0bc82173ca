// A function as a program of its own.
#pragma once

#include <memory>

#include "ir/ir.h"

namespace ingot::transform {

// A new module of the function, first, and of all that its operations name. Names stay.
std::unique_ptr<ir::Module> extract(const ir::Function& function);

}  // namespace ingot::transform
