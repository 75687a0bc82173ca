// Rows of the band in blocks: see block_rows.cc. Private to the schedule.
#pragma once

#include <optional>

#include "kernel/ir/nest.h"
#include "kernel/ir/target.h"

namespace ingot::kernel {

bool block_rows(Kernel& kernel, const Target& target);  // false: no products of rows
// True if rows of the band can share what reductions at several points read, in scans or not, in blocks:
// fusion asks.
bool blocks_rows(Kernel kernel);

// A contraction among the loops of one row: a reduction at every point of other loops, where some loads do
// not depend on the row, and others on nothing but it.
struct RowProduct {
  std::vector<Loop*> loops;  // around the reduction, outermost first; maps, or one reduction over its results
  Loop* reduction = nullptr;
};
std::optional<RowProduct> row_product(Loop& loop, VarId row);

// The band's loop whose points share what the kernel's products of rows read; its position in the nest. Of
// several, as the rows and the heads of a group that share their keys, the innermost one that fills the
// tiles, or the longest. Nothing if there is no such product, or another nested reduction beside them.
std::optional<size_t> shared_row(Nest& nest);

// Moves packing out of the scans of a unit where every step repeats it, and returns what is the same for all
// units of the band's innermost loop. See hoist_packing.cc.
Block hoist_packing(Kernel& kernel, const Target& target, Block& unit, VarId innermost);
// Puts it before that loop: into its own thread's memory, or, if that loop is the whole band, into memory
// that all units share.
Block before_units(Kernel& kernel, Block packing, Loop units, bool whole_band);

}  // namespace ingot::kernel
