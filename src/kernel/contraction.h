// The parts of a contraction's schedule. Private to it.
#pragma once

#include "kernel/nest.h"

namespace ingot::kernel {

// One operand's side of a contraction: what its packed copy holds, and how. The copy consists of pieces, one
// for each value of the ordinal; a piece has `extent` points of the tile's variable.
struct Side {
  VarId inner;            // the tile's variable
  VarId ordinal;          // which piece
  VarId other;            // what depends on this variable too is not packed
  int64_t extent;         // points of a piece
  int64_t pieces;         // that are packed at once
  bool contracted_first;  // layout of a piece: [contracted][extent]; otherwise [extent][contracted], padded
  bool across_pieces;  // neighbours in memory belong to several pieces: copy line by line, not piece by piece
  const char* name;    // of the local buffer
};

// Moves the part of the reduction in that body that depends on the side's variable, and not on the other
// side's, into loops of its own, which write a local buffer; the reduction reads that buffer. Returns the
// buffer's allocation and those loops, or an empty block if there is nothing to pack.
Block pack_side(Kernel& kernel, const Block& body, Loop& reduction, const Side& side);

// The innermost one of the loops that are nested in the reduction.
Loop& innermost(Loop& reduction);

// Where the sums of a tile wait for what follows them.
struct Sums {
  std::vector<BufferId> buffers;  // one per carry of the reduction
  Index place;                    // in terms of the tile's variables
};

// Cuts the body behind its reduction: the sums are stored, and what follows is returned as a block that reads
// them. With `accumulate` the sums are combined with what stands there already.
Block cut_behind_reduction(Kernel& kernel, Block& body, const Sums& sums, bool accumulate);

// True if every carry of the reduction begins with a literal of the body: the neutral element.
bool begins_with_literals(const Block& body, const Loop& reduction);
// Writes the neutral elements into the sums.
Block clear_sums(Kernel& kernel, const Block& body, const Loop& reduction, const Sums& sums,
                 int64_t elements);

}  // namespace ingot::kernel
