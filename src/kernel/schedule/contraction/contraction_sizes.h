// Which loops of a contraction play which part, and how many points each takes at a time. Private to the
// schedule. All of it follows from extents and caches, never from threads.
#pragma once

#include "kernel/cost/table.h"
#include "kernel/ir/nest.h"
#include "kernel/ir/target.h"

namespace ingot::kernel {

struct Roles {
  size_t m = 0, n = 0;       // positions in the nest
  std::vector<size_t> rest;  // of other loops that the rows see and the panels do not, longest first
};

// n is the band's variable along which the output is contiguous; m is one that half of the loads do not see.
// False if there are none: no contraction.
bool find_roles(Nest& nest, Loop& reduction, Roles& roles);

// How the loops of the rows' side beside m are shared out: a unit runs `piece` points of each.
struct Rest {
  size_t at;  // position in the nest
  int64_t piece;
};
std::vector<Rest> rest_of_unit(const Nest& nest, const Roles& roles);
// How often the tiles of m and n are there, apart from what a unit runs.
int64_t other_units(const Nest& nest, const Roles& roles, const std::vector<Rest>& rest);

// How many points each loop takes.
struct Sizes {
  int64_t vectors = 0, panel = 0;    // vectors side by side, and their lanes
  int64_t rows = 0;                  // of the register tile
  int64_t m_chunk = 0, n_chunk = 0;  // of one unit
  int64_t panels = 0;                // in a chunk
  int64_t groups = 0, tiles = 0;     // of rows in a chunk; in a group
  int64_t k_block = 0;               // points of the reduction in a block
  bool shared_panels = false;        // all panels are packed once, in a phase of their own
  bool shared_rows = false;          // all rows are
  bool far_panels = false;           // a unit's panels do not fit its own caches
  bool far_sides = false;            // no cache holds what is packed
  bool packed_rows = false;          // otherwise they are read where they lie
  bool matrix = false;               // products of matrix tiles: both sides are packed for them
};

// `in_unit`: the nest is a part of one unit, so that it is not shared out. `units`: that are wanted.
Sizes choose_sizes(const Kernel& kernel, const Target& target, const Nest& nest, const Roles& roles,
                   Loop& reduction, bool in_unit = false, int64_t units = prices::kFairUnits);

// In how many parts the contracted dimension should be cut, whose products are added up afterwards; 1: it
// stays whole. Parts make units where the result has few tiles, and spare those packing the same over and
// over again.
int64_t contracted_parts(const Kernel& kernel, const Target& target, const Nest& nest, const Roles& roles,
                         Loop& reduction);

}  // namespace ingot::kernel
