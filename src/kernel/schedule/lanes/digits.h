// Loops whose variable is seen in groups of so many, or by its remainders, as a reshape leaves them. Private
// to the schedule.
#pragma once

#include <functional>

#include "kernel/ir/nest.h"

namespace ingot::kernel {

// Makes two loops of each such loop of the nest, over groups and within a group, where `accept` likes what
// becomes of the nest. It gets the nest and the position of the outer one of the two loops.
void separate_loops(Kernel& kernel, Nest& nest,
                    const std::function<bool(const Nest& separated, size_t outer)>& accept);

}  // namespace ingot::kernel
