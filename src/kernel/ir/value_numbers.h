// Which scalars of a kernel are the same value, though they are computed in different places: two loops over
// a row that each subtract its mean have the difference twice. Private to the counting of work.
#pragma once

#include <vector>

#include "kernel/ir/kernel_ir.h"

namespace ingot::kernel {

struct ValueNumbers {
  explicit ValueNumbers(const Kernel& kernel);

  std::vector<int> of;  // by scalar: those of one number have one value where their loops' points are equal
  std::vector<bool> twice;  // by scalar: whether another one has its number
  // By variable of a loop: loops of one extent in one place have one number. What surrounds a place says
  // which.
  std::vector<int> of_loop;
};

}  // namespace ingot::kernel
