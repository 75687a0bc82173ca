// Decides how a kernel's loops run: which are collapsed, which become vector lanes, tiles and units of
// threads.
//
// The steps, in order, each in a file of its own:
//   split_pieces       an output that is put together from several arrays is computed piece by piece
//   collapse           adjacent loops that all accesses see as one become one
//   share_updates      updates of memory at indices that are known at run time are divided among threads
//   block_rows         rows of the band that share what the contractions in their scans read run in blocks
//   reduce_columns     rows of a contraction that are joined become two phases: its tiles, which join theirs,
//   and
//                      the rest
//   tile_windows       a reduction over windows that overlap becomes a register tile over a copy of what they
//   reach
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
//   mark_copies        what copies an array that is then updated is marked, so that it may run in place
// The structure of the result depends on the target only through Target.
#pragma once

#include "kernel/kernel_ir.h"

namespace ingot::kernel {

Kernel schedule(Kernel kernel, const Target& target);

// Fills in bytes_read, bytes_written, flops and kind. Bytes count each element once that is read from an
// input or written to an output: what is read again comes from a cache.
void count_work(Kernel& kernel);

// True if the schedule shares all of the kernel's work among threads, however few points its band has: what
// it reduces is cut into parts (see split_reductions), each of which reads memory as it lies.
bool shares_reductions(Kernel kernel);

// True if steps of the kernel's scans hold reductions at several points; and if rows of the band can share
// what such reductions read, in scans or not, in blocks (see row_blocks.cc).
bool has_products_in_scans(const Kernel& kernel);
bool blocks_rows(Kernel kernel);

// True if the kernel joins rows of a contraction that has a register tile (see reduce_columns.cc).
bool reduces_columns(Kernel kernel);

struct Columns;

// --- the steps, for tests ---
bool split_pieces(Kernel& kernel);  // false: there are none, or one pass over all is better
void collapse_loops(Kernel& kernel);
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
void split_long_bodies(Kernel& kernel, const Target& target);
void fetch_next(Kernel& kernel, const Target& target);
void mark_copies(Kernel& kernel);

}  // namespace ingot::kernel
