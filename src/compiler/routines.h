// What operations that become a routine of the runtime call there (ir::LibraryRoutine): one entry for each
// name, in routines.cc.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "compiler/compiler.h"
#include "ir/ir.h"
#include "runtime/routine.h"

namespace ingot::compiler {

// The different arrays that the operation's routine reads, in the order of its parameters.
std::vector<ir::Value*> routine_inputs(const ir::Op& op);

using PlannedRoutines = std::unordered_map<const ir::Op*, std::shared_ptr<const runtime::Routine>>;
// The routine of every operation that becomes one and makes anything, callees, loop bodies and branches
// included. What the program hands to a routine as a region is compiled with the options.
PlannedRoutines plan_routines(ir::Module& module, const Options& options);

}  // namespace ingot::compiler
