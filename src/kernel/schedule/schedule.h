// Decides how a kernel's loops run: which are collapsed, which become vector lanes, tiles and units of
// threads.
//
// The steps, in order, each in a file of its own:
//   split_pieces       an output that is put together from several arrays is computed piece by piece, many
//                      narrow ones in blocks of rows, few that lie along rows in each row
//   collapse           adjacent loops that all accesses see as one become one
//   share_updates      updates of memory at indices that are known at run time are divided among threads
//   block_rows         rows of the band that share what the contractions in their scans read run in blocks
//   reduce_columns     rows of a contraction that are joined become two phases: its tiles, which join
//                      theirs, and the rest
//   tile_windows       a reduction over windows that overlap becomes a register tile over a copy of what
//                      they reach
//   split_contraction  a contraction over many points with few results becomes two phases: products of parts,
//                      and their sum
//   tile_contraction   a reduction whose operands each miss one band dimension becomes a register tile over
//                      packed panels
//   split_reductions   a long reduction over which threads would starve becomes two phases
//   shorten_chains     a chain of many combinations becomes a short tree of shorter ones
//   separate_digits    a loop that is seen in groups or by remainders becomes two where lanes gain by it
//   choose_lanes       the loop whose points run side by side is the one that costs least, by the strides of
//                      all accesses; loops inside of it that are shorter than a vector run on lanes with it,
//                      if that costs less (short_rows.cc)
//   split_long_bodies  a long straight-line body becomes several short loops over a tile in the first-level
//                      cache
//   fetch_next         while a step computes on what it has read before, it fetches what a later one reads
//   hoist_invariants   what is the same at all points of a loop is computed before it, where that is work
//   mark_copies        what copies an array that is then updated is marked, so that it may run in place
//   choose_widths      how wide lanes are, how far loops are unrolled, how many partial results
//                      reductions keep
//   choose_instructions
//                      by which instructions reductions join their points, where the machine has better
//                      ones than the combiner's
// The structure of the result depends on the target only through Target.
#pragma once

#include "kernel/ir/kernel_ir.h"
#include "kernel/ir/target.h"

namespace ingot::kernel {

Kernel schedule(Kernel kernel, const Target& target);
// The last two steps alone, of loops that have their styles.
void choose_code(Kernel& kernel, const Target& target);

}  // namespace ingot::kernel
