// A rough guess at the time of one unit of work, so that the runtime can cut the band into pieces worth a
// thread.
#pragma once

#include <vector>

#include "kernel/ir/kernel_ir.h"

namespace ingot::codegen {

// Nanoseconds of a unit of each phase; the phases have so many units. With everything that the kernel may
// have to copy; with `in_place`, where that input and output are the same memory, and nothing is copied from
// one to the other.
std::vector<double> estimate_unit_costs(const kernel::Kernel& kernel,
                                        const std::vector<int64_t>& units_of_phases,
                                        const CopiedFirst* in_place = nullptr);

}  // namespace ingot::codegen
