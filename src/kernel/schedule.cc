#include "kernel/schedule.h"

namespace ingot::kernel {

Kernel schedule(Kernel kernel, const Target& target) {
  collapse_loops(kernel);
  if (!tile_contraction(kernel, target)) {
    choose_lanes(kernel, target);
    split_long_bodies(kernel, target);
  }
  verify(kernel);
  return kernel;
}

}  // namespace ingot::kernel
