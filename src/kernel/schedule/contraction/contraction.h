// The parts of a contraction's schedule. Private to it.
#pragma once

#include "base/divide.h"
#include "kernel/ir/nest.h"
#include "kernel/ir/reductions.h"
#include "kernel/ir/target.h"

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
  bool narrow = false;  // 16 bits stay as they are in the copy, and become wider behind it
  bool far = false;     // no cache holds what is copied
};

// Moves the part of the reduction in that body that depends on the side's variable, and not on the other
// side's, into loops of its own, which write a local buffer; the reduction reads that buffer. Returns the
// buffer's allocation and those loops, or an empty block if there is nothing to pack.
Block pack_side(Kernel& kernel, const Block& body, Loop& reduction, const Side& side);

// The contracted dimensions as the packed copies of pairs see them: as one, with zeros behind its points.
struct FlatLoop {
  VarId var = kNone;
  int64_t points = 0, padded = 0;
};

// One operand's side of a product of bf16 whose instruction takes pairs, or more, along k.
struct PairSide {
  VarId inner, ordinal, other;  // as those of Side
  int64_t extent, pieces;
  bool interleaved;  // layout of a piece: [k/2][extent][2]; otherwise [extent][k]
  bool neighbours;   // points are neighbours in memory
  const char* name;
};

// So many points, in equal steps of an even number, and of at most `depth`.
int64_t padded_points(int64_t points, int64_t depth);
FlatLoop flat_loop(Kernel& kernel, Loop& reduction, int64_t depth);
// As pack_side, of a load that nothing but a conversion follows.
Block pack_pairs(Kernel& kernel, Loop& reduction, const PairSide& side, const FlatLoop& flat);
// When both sides are packed: all loops of the reduction become the flat one.
void flatten(Loop& reduction, const FlatLoop& flat);

// Makes what pack_side returned a phase of its own, which does it for all points of those of the `loops`
// (parallel ones) that it depends on, into shared buffers; the reduction reads those. Returns their
// allocations and the phase.
Block packed_for_all(Kernel& kernel, Block packed, Loop& reduction, const std::vector<Loop>& loops);

// What is joined of the rows of a contraction: for each point of the band, values that the product's body
// stores, a row after the other (reduce_columns.cc).
struct Columns {
  struct Reduction {
    std::vector<BufferId> values;  // one per carry: [part][point of the band]
    std::vector<Carry> carries;    // they begin with literals
    Combiner combiner;
  };
  std::vector<Reduction> reductions;
  std::vector<Stmt> literals;  // that carries begin with, and combiners use
  std::vector<VarId> rows;     // loops of the nest
  Index place;                 // of a point of the band
  int64_t points = 1;          // of the band
  int64_t parts = 1;           // rows of the buffers: all, until tiles have joined some
};
const Literal* find_literal(const Columns& columns, ScalarId id);

// A point of a unit counts where the index lies in 0 .. extent: units and tiles may overlap.
struct Counted {
  Index index;
  int64_t extent;
};

// The sums of a unit's own rows: one for each of its columns and carries.
class ColumnSums {
 public:
  // `place` and `elements` are those of the unit's sums.
  ColumnSums(Kernel& kernel, const Columns& columns, Index place, int64_t elements);
  // Allocates and clears them.
  Block begin();
  // The epilogue of one column of a tile as a loop over its `rows`: what it stores into the columns' buffers
  // goes into the sums, if it counts.
  Block join(Block epilogue, Loop rows, const std::vector<Counted>& counted);
  // Writes one of them to its `place` in the columns' buffers.
  Block end(const Index& place);

 private:
  Kernel& kernel_;
  const Columns& columns_;
  Index place_;
  int64_t elements_;
  std::vector<std::vector<BufferId>> sums_;  // of each reduction's carries
};

// --- what a body is like

// Whether every store takes neighbours along the variable, and there is one.
bool store_is_contiguous(Block& block, VarId var);
// True if all loads that see `here` and not `other` take neighbours along it.
bool contiguous_along(Loop& reduction, VarId here, VarId other);
// Whether next to nothing follows the sums, which may then stay in their registers.
bool short_epilogue(const Block& body);

// --- pieces

// Points of a loop are counted, though the last step of one is moved back where it would leave the extent.
int64_t count_of(const Loop& loop);
Index ordinal_of(const Kernel& kernel, const Loop& loop);
// Where the tile begins that is the ordinal-th of a chunk: the last ones do not leave the chunk.
Index start_of(const Index& ordinal, int64_t count, int64_t tile, int64_t chunk);

// Of a phase, or, with `in_unit`, of what is one nest of a unit; false: not a contraction. `columns` are
// joined on its tiles.
bool tile_contraction(Kernel& kernel, const Target& target, bool in_unit = false, Columns* columns = nullptr);

}  // namespace ingot::kernel
