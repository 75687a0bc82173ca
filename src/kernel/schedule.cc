#include "kernel/schedule.h"

#include "kernel/nest.h"

namespace ingot::kernel {

Kernel schedule(Kernel kernel, const Target& target) {
  collapse_loops(kernel);
  if (!tile_windows(kernel, target) && !tile_contraction(kernel, target)) {
    split_reductions(kernel, target);
    for_each_phase(kernel, [&] { shorten_chains(kernel, target); });
    for_each_phase(kernel, [&] { choose_lanes(kernel, target); });
    split_long_bodies(kernel, target);
  }
  verify(kernel);
  return kernel;
}

}  // namespace ingot::kernel
