// The tile, the chunks and the shared copies of a contraction, chosen by cost. Private to
// contraction_sizes.cc; of numbers alone: nothing here sees the kernel.
#pragma once

#include <vector>

#include "kernel/cost/table.h"
#include "kernel/ir/kernel_ir.h"
#include "kernel/ir/target.h"

namespace ingot::kernel {

constexpr int64_t kMostRowsOfUnit = 1024;   // of m per unit, which packs its panels for itself
constexpr int64_t kPanelsOfPackedRows = 4;  // of a unit: fewer read the rows where they lie

// What a choice depends on.
struct Problem {
  const Target* target;
  int64_t m_extent, n_extent, k_extent;
  int64_t k_loop;        // extent of the outermost loop over k
  bool one_loop;         // ... which is the only one
  int64_t others;        // units that other dimensions make
  int64_t rest_points;   // of dimensions that run inside of a unit, which packs its panels once for all
  int64_t panel_copies;  // different panels that other dimensions see
  int64_t row_copies;    // the same of rows
  int64_t bytes;         // of a sum
  int64_t packed_bytes;  // of an element in the packed copies
  bool panels_lie_well;  // n runs along memory
  bool rows_lie_well;    // m does
  bool panels_kept;      // they are packed by one launch of many, if for all units
  bool rows_kept;
  const MatrixTiles* tiles = nullptr;  // products of these are possible
  bool in_tiles = false;               // ... and chosen
  bool cut_small = true;               // small products into a few units
  int64_t units = prices::kFairUnits;  // that are wanted
};

// A register tile, and the points of k that are packed at once.
struct Tile {
  int64_t vectors = 0, panel = 0, rows = 0;
  int64_t k_block = 0, k_packed = 0;  // of the outermost loop; of all of them
  bool matrix = false;                // of products of matrix tiles
};

// Which sides are packed once, in phases of their own.
struct Shared {
  bool panels = false, rows = false;
};

// How both sides are cut into chunks.
struct Chunks {
  int64_t groups = 0, tiles = 0;  // of rows in a chunk; in a group
  int64_t panels = 0;             // in a chunk
  int64_t m = 0, n = 0;           // chunks of each side
  Shared shared;
  double cost = 0;  // for each point of k: multiplications of vectors, and what packing is beside them
  int64_t units() const { return m * n; }
};

struct Choice {
  Tile tile;
  Chunks chunks{};
  double cost = 0;  // of all points of k
};

// The best of all ways; no panel of at least two where there are no lanes. The panels of what is a part of
// one unit are packed before all units (hoist_packing.cc).
Choice choose(const Problem& p, bool in_unit = false);

// Into how many chunks a side may be cut, from the fewest to the most, so that no two make chunks of the same
// length: of a side of millions there are thousands of ways.
std::vector<int64_t> counts_of_chunks(int64_t length, int64_t fewest, int64_t most);

// No cache holds all that units pack.
bool far_sides(const Problem& p);
// Panels are read from a cache that processors share.
bool far_panels(const Problem& p, const Tile& tile, const Chunks& c);

}  // namespace ingot::kernel
