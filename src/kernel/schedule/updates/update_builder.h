// What the schedules of shared updates are built with: scalars, buffers that units share, walks over updates
// and loops over the band. Private to them.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernel/ir/blocks.h"
#include "kernel/ir/copier.h"
#include "kernel/ir/target.h"
#include "kernel/schedule/updates/updates.h"

namespace ingot::kernel {

class UpdateBuilder {
 public:
  UpdateBuilder(Kernel& kernel, const Target& target, Nest nest, Updates updates)
      : kernel_(kernel), target_(target), nest_(std::move(nest)), u_(std::move(updates)) {}

 protected:
  // A loop of the band whose points are neighbours in a window.
  bool is_lanes(const Loop& loop) const;
  ScalarId number(Block& to, int64_t value);
  ScalarId let(Block& to, const char* record, std::vector<ScalarId> operands);
  ScalarId let(Block& to, const char* record, ScalarId a, ScalarId b) { return let(to, record, {a, b}); }
  ScalarId value_of(Block& to, const Index& index);
  ScalarId load(Block& to, BufferId buffer, const Index& offset);
  // A variable that is the scalar, which is known to be below the extent; cut off for those who cannot know.
  Index bind(Block& to, ScalarId scalar, int64_t extent);
  BufferId share_buffer(const char* name, DType dtype, int64_t elements);
  void append(Block& to, Block block) {
    for (Stmt& stmt : block.stmts) to.stmts.push_back(std::move(stmt));
  }
  void append_phase(std::vector<Loop> loops, Block body);
  // What stands before the loops in the nest's body.
  void copy_scalars(Copier& copy, Block& to);
  // The variables of the loops over updates, for the update of that number.
  void at_update(Copier& copy, Index number);
  // The updates of a chunk, one after the other: `body` gets the number of each.
  template <class Fn>
  Block walk_chunk(const Index& chunk, int64_t chunks, Fn body) {
    return walk_chunk(chunk, chunks, "update", u_.count, body);
  }
  // The same of `count` things that the updates are cut into.
  template <class Fn>
  Block walk_chunk(const Index& chunk, int64_t chunks, const char* name, int64_t count, Fn body) {
    const int64_t length = (count + chunks - 1) / chunks;
    Block result;
    Loop loop = make_loop(kernel_, name, length, 1, LoopKind::kScan);
    Block inside;
    Index at = chunk * length + kernel_.var(loop.var);
    if (count % length != 0) {  // the last chunk is shorter, and some may be empty
      const ScalarId left = let(result, "sub", number(result, count), value_of(result, chunk * length));
      loop.steps = let(result, "min", left, number(result, length));
      at = bind(inside, value_of(inside, at), count);
    }
    body(inside, at);
    append(result, wrap({std::move(loop)}, std::move(inside)));
    return result;
  }
  // Fresh loops for the band: one of vectors, and the others around it.
  struct Band {
    std::vector<Loop> outer;
    std::optional<Loop> lanes;
  };
  Band fresh_band(Copier& copy, LoopKind outer);
  // Puts what depends on the band into its loops, behind what does not.
  Block over_band(Band band, Block body);
  bool reads_target(const Stmt& stmt) const;
  // a = combine(a, b), by the operation that the updates are combined with.
  ScalarId combined(Block& to, ScalarId a, ScalarId b);
  // What `count` slots begin with. The loops over `outer` dimensions of the band are open already.
  Block fill_slots(const Index& first, int64_t count, const Copier* opened);
  // A phase that fills the array and adds the parts, in their order.
  void join_parts(BufferId part, int64_t parts);

  Kernel& kernel_;
  const Target& target_;
  Nest nest_;
  Updates u_;
  Block phases_;
};

// Each unit combines a chunk of the updates into a part of its own; the parts are joined. Returns the phases.
Block combine_parts(UpdateBuilder builder, int64_t parts);
// Updates of single elements, in blocks: see update_blocks.cc. Each unit combines a chunk of the blocks in so
// many tables side by side, and their sum is a part; or it follows all of them, and does those of its own
// range of slots: one range is all of them, in their order. Return the phases.
bool fits_blocks(const Updates& updates);
Block combine_tables(UpdateBuilder builder, int64_t parts, int64_t tables);
Block divide_slots(UpdateBuilder builder, int64_t ranges);
// Each unit follows all updates, windows too, and does those of its own range of slots. Returns the phases.
Block divide_windows(UpdateBuilder builder, int64_t ranges);
// Updates go into the lists of about so many blocks of slots, `in_registers` of each slot, and are followed
// from there. Returns the phases.
Block follow_lists(UpdateBuilder builder, int64_t blocks, int64_t chunks, bool in_registers);

}  // namespace ingot::kernel
