// Cutting a reduction into pieces: what phases, blocks and their left-overs share. Private to the schedule.
#pragma once

#include "kernel/ir/copier.h"
#include "kernel/ir/nest.h"

namespace ingot::kernel {

// How the outermost loops of a reduction are cut: all but the last of these into single points. What the last
// one leaves over follows at the end.
struct Cut {
  struct Level {
    int64_t pieces, length;
    bool operator==(const Level&) const = default;
  };
  std::vector<Level> levels;
  int64_t left_over = 0;

  int64_t pieces() const {
    int64_t all = 1;
    for (const Level& level : levels) all *= level.pieces;
    return all;
  }
  bool operator==(const Cut& other) const { return levels == other.levels; }
};

bool is_reduction(const Stmt& stmt);
// The loop directly inside that does nothing but go on with the same reduction, or null.
Loop* same_reduction_inside(Loop& loop);
// Of the loops that are one reduction, outermost first.
std::vector<int64_t> extents_of(Loop& reduction);
// Points of all loops inside, the longest way.
int64_t points_of(const Loop& loop);
// True if it adds up (or joins in any other way) floats, which round.
bool rounds(const Kernel& kernel, const Loop& loop);

// The largest divisor of the extent near the wanted number of pieces, or else what leaves little over.
Cut::Level cut_level(int64_t extent, int64_t wanted);
Cut cut_into(const std::vector<int64_t>& extents, int64_t wanted);
// A copy of the reduction over one piece of its points; `at` has an index per level.
Loop piece_of(Kernel& kernel, Copier& copy, const Stmt& reduction, const Cut& cut,
              const std::vector<Index>& at);
// A copy of the reduction over what the cut leaves over.
Loop rest_of(Kernel& kernel, Copier& copy, const Stmt& reduction, const Cut& cut);
std::vector<ScalarId> results_of(const Loop& loop);

}  // namespace ingot::kernel
