// Updates of memory at indices that are known only at run time, as a kernel holds them before its schedule.
// Private to the schedule.
#pragma once

#include <optional>
#include <set>

#include "kernel/ir/nest.h"
#include "kernel/ir/target.h"

namespace ingot::kernel {

bool share_updates(Kernel& kernel, const Target& target);  // false: no updates, or too few

// A kernel that fills an array and then updates it.
struct Updates {
  size_t fill = 0, walk = 0;   // where they stand in the nest's body
  std::vector<Loop> loops;     // over the updates, outermost first
  Block body;                  // of one of them
  bool runs_on = false;        // what they read lies in a row, from update to update, through all loops
  size_t load = 0, store = 0;  // of the place that is updated, in the body
  std::optional<Let> combine;  // the associative operation that does so, if it is one
  // Where what is stored is chosen by a pred that depends on the update alone, and is what was there if it is
  // false: that pred and where the choice stands in the body. Else kNone.
  ScalarId counts = kNone;
  size_t choice = 0;
  BufferId buffer = kNone;
  Index slot;                     // that it is in, in terms of bound variables
  int64_t slots = 0, stride = 0;  // and how far apart they lie
  int64_t count = 1, window = 1;  // of updates; elements that each has
  Index rest;                     // of a place, without its slot: a matter of the band
};

// Nothing if the kernel is something else, or places depend on more than the update and the band.
std::optional<Updates> find_updates(const Kernel& kernel, const Nest& nest);

// Neither a loop, a store nor a buffer.
bool is_scalar(const Stmt& stmt);
// Scalars of the block that depend on one of the variables.
std::set<ScalarId> varying(const Kernel& kernel, const Block& block, const std::set<VarId>& variables);

}  // namespace ingot::kernel
