// What accesses and loops cost in the instructions that a processor issues: the one answer for who chooses
// lanes (choose_lanes.cc, short_rows.cc), who compares scheduled kernels (running_price.cc) and who guesses
// how long a unit takes (codegen/cpu/cost.cc). The rows of table.def are its numbers.
#pragma once

#include <optional>
#include <vector>

#include "kernel/ir/kernel_ir.h"
#include "kernel/ir/target.h"

namespace ingot::kernel {

// A load or store, in the block that it stands in.
struct PricedAccess {
  const Block* block;
  BufferId buffer;
  const Index* offset;
  ScalarId predicate = kNone;
};
std::optional<PricedAccess> access_of(const Block& block, const Stmt& stmt);

// The loop whose points are the lanes of vectors.
struct LaneLoop {
  VarId var = kNone;    // none: nothing runs on lanes
  int64_t width = 1;    // lanes of a vector
  int64_t at_once = 0;  // points of the loop, if it is gone through at once: what lies anywhere is permuted
};

class AccessPrice {
 public:
  AccessPrice(const Kernel& kernel, const Target& target) : kernel_(kernel), target_(target) {}

  // Instructions for all lanes of one vector together. `around`: variables of the loops that are open.
  // `differs`: lanes lie apart by more than the variable of their loop, by an index that is known at run
  // time.
  double of(const PricedAccess& access, const LaneLoop& lanes, const std::vector<VarId>& around,
            bool differs = false) const;

 private:
  bool transposable(const PricedAccess& access, const std::vector<VarId>& around) const;

  const Kernel& kernel_;
  const Target& target_;
};

// Instructions per vector of an access along a variable that takes the values 0 .. extent - 1 in vectors of
// `lanes`, all other variables fixed: what is no piece of memory as it lies is put together from such pieces.
double price_of_permuting(const Index& offset, VarId var, int64_t extent, int64_t lanes,
                          const Target& target);

// To count and to branch, for each of so many steps of a loop, of which so many are written out in a row.
// Short loops are written out as a whole.
double price_of_step(double steps, double unrolled = 1);

}  // namespace ingot::kernel
