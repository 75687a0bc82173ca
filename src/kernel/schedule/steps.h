// The steps of the schedule, in the order of schedule.h, which says what each is for. Private to it, and for
// tests.
#pragma once

#include "kernel/ir/kernel_ir.h"
#include "kernel/ir/target.h"

namespace ingot::kernel {

struct Columns;

bool split_pieces(Kernel& kernel);            // false: there are none, or one pass over all is better
bool write_pieces_in_blocks(Kernel& kernel);  // false: there are few, or they are wide
void collapse_loops(Kernel& kernel);
// Reductions whose body is one reduction, seen by every index as one, become one.
void collapse_chains(Kernel& kernel, Block& block);
void separate_digits(Kernel& kernel, const Target& target);    // of a kernel with one phase
bool share_updates(Kernel& kernel, const Target& target);      // false: no updates, or too few
bool tile_windows(Kernel& kernel, const Target& target);       // false: no windows that overlap
bool split_contraction(Kernel& kernel, const Target& target);  // false: no contraction, or it stays whole
bool block_rows(Kernel& kernel, const Target& target);         // false: no products of rows
bool reduce_columns(Kernel& kernel, const Target& target);     // false: no rows of a product are joined
// The steps from tile_windows to fetch_next, of a kernel or of one phase. `columns` are joined on the tiles
// of a contraction that stays whole.
void share_and_tile(Kernel& kernel, const Target& target, Columns* columns = nullptr);
// Of a phase, or, with `in_unit`, of what is one nest of a unit; false: not a contraction.
bool tile_contraction(Kernel& kernel, const Target& target, bool in_unit = false, Columns* columns = nullptr);
void split_reductions(Kernel& kernel, const Target& target);
void shorten_chains(Kernel& kernel, const Target& target);  // of a kernel with one phase
void choose_lanes(Kernel& kernel, const Target& target);    // of a kernel with one phase
void split_long_bodies(Kernel& kernel);
void fetch_next(Kernel& kernel, const Target& target);
void hoist_invariants(Kernel& kernel);
void choose_widths(Kernel& kernel, const Target& target);
void choose_instructions(Kernel& kernel, const Target& target);  // of loops with widths
void choose_code(Kernel& kernel, const Target& target);          // both

}  // namespace ingot::kernel
