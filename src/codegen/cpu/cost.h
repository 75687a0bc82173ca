// A rough guess at the time of one unit of work, so that the runtime can cut the band into pieces worth a
// thread.
#pragma once

#include "codegen/cpu/plan.h"

namespace ingot::codegen {

double estimate_unit_cost(const kernel::Kernel& kernel, const Plan& plan, int64_t units);

}  // namespace ingot::codegen
