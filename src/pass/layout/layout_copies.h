// Copies that stand where a value may change its order, and that are taken away where it does not.
//
// The program's arguments and results are row-major, and so is what operations besides kernels, loops and
// calls touch. A loop that reads a weight in every step, or a function that is called a hundred times, may
// still be worth having it otherwise: the price is a kernel that copies it once, outside. So there is one
// between each such value and the loop or call that takes it, or makes it, while orders are chosen.
#pragma once

#include <unordered_set>

#include "ir/ir.h"
#include "pass/layout/layout_classes.h"

namespace ingot::pass {

using LayoutCopies = std::unordered_set<const ir::Op*>;

// Puts them in, for values of `small` elements at least; of loops, for smaller ones too.
LayoutCopies insert_copies(ir::Module& module, int64_t small);
// Whether both sides of the copy lie in the same order.
bool is_needless(const ir::Op& copy, const Orders& orders);
// Takes away the copies that are, and those that another one in front of them has made.
void erase_needless_copies(ir::Module& module, LayoutCopies& copies, LayoutClasses& classes,
                           const Orders& orders);

}  // namespace ingot::pass
