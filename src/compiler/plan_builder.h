// From a fused module to a launch plan: in which order kernels run, and where every
// buffer lives.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/donations.h"
#include "compiler/kernel_cache.h"
#include "compiler/planned_kernels.h"
#include "compiler/routines.h"
#include "ir/ir.h"
#include "runtime/plan.h"

namespace ingot::compiler {

// Builds the plan once all kernels are compiled. `compiled` holds the cache's entry for each operation that
// is a kernel, `routines` what is called for each that is none; both are of the back end.
// What is worth telling of it goes to `notes`.
runtime::Plan build_plan(ir::Module& module,
                         const std::unordered_map<const ir::Op*, Implementation>& implementations,
                         const PlannedRoutines& routines, const backend::Backend& backend,
                         std::vector<pass::Note>* notes = nullptr);

}  // namespace ingot::compiler
