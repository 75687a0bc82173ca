#include "kernel/schedule.h"

#include "kernel/nest.h"

namespace ingot::kernel {

Kernel schedule(Kernel kernel, const Target& target) {
  if (split_pieces(kernel)) {
    for_each_phase(kernel, [&] {
      collapse_loops(kernel);
      separate_digits(kernel, target);
      choose_lanes(kernel, target);
      kernel.body = as_phase(kernel, std::move(kernel.body));
    });
    split_long_bodies(kernel, target);
    verify(kernel);
    return kernel;
  }
  collapse_loops(kernel);
  if (!block_rows(kernel, target) && !share_updates(kernel, target) && !tile_windows(kernel, target)) {
    const bool in_parts = split_contraction(kernel, target);
    if (in_parts || !tile_contraction(kernel, target)) {
      if (!in_parts) split_reductions(kernel, target);
      for_each_phase(kernel, [&] {
        if (in_parts && tile_contraction(kernel, target)) return;
        shorten_chains(kernel, target);
        separate_digits(kernel, target);
        choose_lanes(kernel, target);
      });
      split_long_bodies(kernel, target);
      fetch_next(kernel, target);
    }
  }
  mark_copies(kernel);
  verify(kernel);
  return kernel;
}

}  // namespace ingot::kernel
