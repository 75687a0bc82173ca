// What a run of a plan amounts to, before it runs.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/plan.h"

namespace ingot::runtime {

struct PlanTotals {
  // Of a function, callees multiplied out; they stop at the end of 64 bits.
  struct Counts {
    int64_t launches = 0;
    int64_t copies = 0;
    int64_t copy_launches = 0;  // of kernels that only copy
    int64_t pointers = 0;       // that the lists of its steps, and of what they call, have room for
    bool least = false;         // the counts, but for pointers, are only the least
  };
  Counts counts;
  std::vector<std::shared_ptr<const CompiledKernel>> kernels;  // different ones, in order of launch
};

PlanTotals totals_of(const Plan& plan);

}  // namespace ingot::runtime
