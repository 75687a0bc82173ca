// From a fused module to a launch plan: which kernels there are, in which order they run, and where every
// buffer lives.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/donations.h"
#include "compiler/kernel_cache.h"
#include "ir/ir.h"
#include "kernel/candidates.h"
#include "runtime/plan.h"

namespace ingot::compiler {

// One kernel to be, and the operation that it implements.
struct PlannedKernel {
  const ir::Op* op;
  uint64_t hash;
  std::string form;       // of the kernel, canonical
  kernel::Kernel kernel;  // not scheduled
};

// The name that the operation's kernel was given; the first of equal kernels lends its name to all.
std::string kernel_name(const ir::Op& op);

// The kernel of every operation that becomes one, callees and loop bodies included.
std::vector<PlannedKernel> plan_kernels(ir::Module& module, kernel::Candidates& candidates);

// Builds the plan once all kernels are compiled. `compiled` holds the cache's entry for each operation.
// What is worth telling of it goes to `notes`.
runtime::Plan build_plan(
    ir::Module& module,
    const std::unordered_map<const ir::Op*, std::shared_ptr<const CachedKernel>>& compiled,
    std::vector<PlanNote>* notes = nullptr);

}  // namespace ingot::compiler
