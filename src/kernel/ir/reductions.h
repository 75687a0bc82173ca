// How reductions stand in a block, and how they are set apart from what follows them.
#pragma once

#include <vector>

#include "kernel/ir/kernel_ir.h"

namespace ingot::kernel {

// The one reduction at the top of the body, or null: nothing else there may be a loop or local memory.
Loop* single_reduction(Block& body);
const Loop* single_reduction(const Block& body);
// The loops that are nested in the reduction, itself among them, outermost first.
std::vector<Loop*> chain_of(Loop& reduction);
// Whether they are one reduction over several dimensions: each hands on what the next one joins, by the same
// combiner.
bool nests_as_one(Loop& reduction);
// The innermost one of them.
Loop& innermost(Loop& reduction);
// Whether nothing but loads, arithmetic and further reductions stands in the block.
bool only_reductions(Block& block);
// Whether every carry begins with a literal of the body.
bool begins_with_literals(const Block& body, const Loop& reduction);
// The combiner's only operation, of one value on the left and one on the right, or null.
const Let* only_operation(const Combiner& combiner);
// Whether both do the same with their values, statement by statement.
bool same_combiner(const Combiner& a, const Combiner& b);
// Whether the carry is a place that grows from point to point of the reduction, without a sign and within 32
// bits.
bool rises(const Kernel& kernel, const Loop& reduction, size_t carry);
// Whether steps of the kernel's scans hold reductions at several points, or products whose rows and columns
// points of the band share.
bool has_products_in_scans(const Kernel& kernel);
// Whether one of those is computed anew for points of a loop that it does not depend on: a factor of another
// product, say.
bool repeats_products_in_scans(const Kernel& kernel);

// Where the sums of a tile wait for what follows them.
struct Sums {
  std::vector<BufferId> buffers;  // one per carry of the reduction
  Index place;                    // in terms of the tile's variables
};

// Cuts the body behind its reduction: the sums are stored, and what follows is returned as a block that reads
// them. With `accumulate` the sums are combined with what stands there already.
Block cut_behind_reduction(Kernel& kernel, Block& body, const Sums& sums, bool accumulate);

// Writes the neutral elements into the sums.
Block clear_sums(Kernel& kernel, const Block& body, const Loop& reduction, const Sums& sums,
                 int64_t elements);

}  // namespace ingot::kernel
