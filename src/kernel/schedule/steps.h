// The steps of the schedule that cut a kernel into phases and put the rooms' steps together, and what they
// would make of a kernel, which fusion asks before it forms one. Private to the schedule, to candidates and
// to tests.
#pragma once

#include "kernel/ir/kernel_ir.h"
#include "kernel/ir/target.h"

namespace ingot::kernel {

struct Columns;

bool split_pieces(Kernel& kernel);            // false: there are none, or one pass over all is better
bool write_pieces_in_blocks(Kernel& kernel);  // false: there are few, or they are wide
bool write_pieces_in_turn(Kernel& kernel);    // false: there are few, or each is work for threads
bool write_pieces_in_rows(Kernel& kernel);    // false: there are many, or asking costs less than loops
bool split_contraction(Kernel& kernel, const Target& target);  // false: no contraction, or it stays whole
bool reduce_columns(Kernel& kernel, const Target& target);     // false: no rows of a product are joined
void split_reductions(Kernel& kernel, const Target& target);
// The steps from tile_windows to fetch_next, of a kernel or of one phase. `columns` are joined on the tiles
// of a contraction that stays whole.
void share_and_tile(Kernel& kernel, const Target& target, Columns* columns = nullptr);

// True if the schedule shares all of the kernel's work among threads, however few points its band has: what
// it reduces is cut into parts (see split_reductions), each of which reads memory as it lies.
bool shares_reductions(Kernel kernel);

// True if the kernel joins rows of a contraction that has a register tile (see reduce_columns.cc).
bool reduces_columns(Kernel kernel);

}  // namespace ingot::kernel
