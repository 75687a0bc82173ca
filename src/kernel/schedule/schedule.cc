#include "kernel/schedule/schedule.h"

#include "base/check.h"
#include "kernel/ir/in_place.h"
#include "kernel/ir/nest.h"
#include "kernel/ir/target.h"
#include "kernel/schedule/contraction/block_rows.h"
#include "kernel/schedule/contraction/contraction.h"
#include "kernel/schedule/lanes/lanes.h"
#include "kernel/schedule/loops/loops.h"
#include "kernel/schedule/reductions/reductions.h"
#include "kernel/schedule/steps.h"
#include "kernel/schedule/updates/updates.h"
#include "kernel/schedule/windows/windows.h"

namespace ingot::kernel {

namespace {

// All but the widths.
void choose_loops(Kernel& kernel, const Target& target) {
  if (split_pieces(kernel)) {
    for_each_phase(kernel, [&] {
      collapse_loops(kernel);
      if (!write_pieces_in_rows(kernel)) {
        separate_digits(kernel, target);
        choose_lanes(kernel, target);
      }
      kernel.body = as_phase(kernel, std::move(kernel.body));
    });
    split_long_bodies(kernel);
    hoist_invariants(kernel);
    return;
  }
  collapse_loops(kernel);
  if (write_pieces_in_blocks(kernel) || write_pieces_in_turn(kernel)) return;
  if (write_pieces_in_rows(kernel)) return hoist_invariants(kernel);
  if (!reduce_columns(kernel, target) && !block_rows(kernel, target) && !share_updates(kernel, target))
    share_and_tile(kernel, target);
  hoist_invariants(kernel);
  mark_copies(kernel);
}

}  // namespace

Kernel schedule(Kernel kernel, const Target& target) {
  check(target.vector_bytes <= kMostLanes * 4, "in_place.h knows no vectors of so many lanes");
  choose_loops(kernel, target);
  choose_code(kernel, target);
  verify(kernel);
  return kernel;
}

void choose_code(Kernel& kernel, const Target& target) {
  choose_widths(kernel, target);
  choose_instructions(kernel, target);
}

void share_and_tile(Kernel& kernel, const Target& target, Columns* columns) {
  if (tile_windows(kernel, target)) return;
  const bool in_parts = split_contraction(kernel, target);
  if (!in_parts && tile_contraction(kernel, target, false, columns)) return;
  if (!in_parts) split_reductions(kernel, target);
  for_each_phase(kernel, [&] {
    if (in_parts && tile_contraction(kernel, target)) return;
    shorten_chains(kernel, target);
    separate_digits(kernel, target);
    choose_lanes(kernel, target);
  });
  split_long_bodies(kernel);
  fetch_next(kernel, target);
}

}  // namespace ingot::kernel
