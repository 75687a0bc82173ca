// How the register tiles over windows are cut: which variables are lanes and rows, how many points a unit
// takes of each variable, and how many steps of the reduction go at once. Private to the schedule.
#pragma once

#include <optional>
#include <vector>

#include "kernel/ir/target.h"
#include "kernel/schedule/windows/overlapping_windows.h"

namespace ingot::kernel {

struct WindowSizes {
  // A variable of the band that units take in chunks.
  struct Chunk {
    size_t position;  // in the nest
    int64_t extent;
    int64_t size;
  };
  size_t m = 0, n = 0;            // the variables of rows and lanes, as positions in the nest
  int64_t rows = 1, vectors = 1;  // of a tile
  int64_t panel = 1;              // lanes of a tile
  bool n_in_window = false;       // whether the windows see the lanes
  std::vector<Chunk> chunks;      // of n, of m, of others; a unit has one value of what is not among them
  std::vector<int64_t> blocks;    // steps at once, of each of the reduction's loops
};

// Nothing where no variable is fit to be lanes, or rows.
std::optional<WindowSizes> choose_window_sizes(const Kernel& kernel, const Target& target, Nest& nest,
                                               const Windows& windows);

}  // namespace ingot::kernel
