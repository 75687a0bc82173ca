// Windows that overlap: operands of a reduction that are read at sums of a band variable and a reduced one.
// Private to the schedule.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "kernel/schedule/contraction/contraction.h"

namespace ingot::kernel {

// Variables that the operand sees only in this sum: a place along one of its dimensions.
struct WindowSum {
  struct Term {
    VarId var;
    int64_t factor;
  };
  std::vector<Term> terms;  // the factors have no common divisor

  Index index(const Kernel& kernel) const;
  bool has(VarId var) const;
};

struct Windows {
  std::vector<WindowSum> sums;    // every variable of the operand that is the band's or reduced is in one
  std::set<ScalarId> parts;       // of the innermost body: what is computed from the operand alone
  std::set<ScalarId> frontier;    // of these, what the rest of the reduction uses
  std::set<VarId> seen, by_rest;  // the band's variables that the operand sees, and those that the rest does
  std::set<VarId> opaque;         // the band's variables that are seen in other ways than in sums
  std::vector<int64_t> steps;     // of each sum: by how much the operand's address grows with it
};

// Moves what stands in the outer loops of the body's reduction, and what it needs of the body before it, into
// its innermost body.
void sink_into_innermost(const Kernel& kernel, Block& body);

// The operand of the reduction that is read in windows, if it has just one. `band` are the variables around
// it. What depends on them must stand in the innermost body; `around` is the body that the reduction is in.
std::optional<Windows> find_windows(Kernel& kernel, const Block& around, Loop& reduction,
                                    const std::vector<VarId>& band);

// Moves the operand's parts out of the reduction: they are computed once for each place that the windows
// reach, and kept in a local buffer, in the order of `sums`, the last one innermost, or else the one with
// `lanes`. Conditions on the place are asked here, and nowhere else.
Block stage_windows(Kernel& kernel, const Block& around, Loop& reduction, Windows windows, VarId lanes);

}  // namespace ingot::kernel
