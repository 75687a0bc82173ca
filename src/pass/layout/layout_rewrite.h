// Makes kernels, loops, calls and the arguments of functions again that touch values in another order.
#pragma once

#include "ir/ir.h"
#include "pass/layout/layout_classes.h"

namespace ingot::pass {

// Values keep their names.
void rewrite_layout(ir::Module& module, const Orders& orders);

}  // namespace ingot::pass
