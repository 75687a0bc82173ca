// Register tiles for convolutions.
//
// A reduction one of whose operands is read in windows that overlap runs as
//
//   parallel, over chunks of the band:
//     for block of the reduction:                (one block, where all that its windows reach fits)
//       copy what the unit's windows reach       (overlapping_windows.h: each place once, zeros where there
//       is nothing) pack the other operand in panels         (where its lanes are no neighbours) for the
//       band's variables that windows share, for panel, for tile of rows:
//         tile m in MR, lanes n in NR:  all accumulators in registers
//           reduce; keep the sums in a local buffer
//         epilogue, store                        (with several blocks: after the last one, for all tiles)
//
// The lanes run along what is contiguous in the output: features, or places of a spatial dimension. The rows
// of the tile are a variable of the other operand if there is one, so that each value read serves a whole row
// or column of the tile, as in a product; where both operands see the lanes (a depth-wise convolution), they
// are places along a spatial dimension, and the window's vectors serve all of them. Sizes follow from
// extents, registers and caches. Nothing here knows an operation.
#include <algorithm>

#include "kernel/cost/table.h"
#include "kernel/ir/blocks.h"
#include "kernel/ir/reductions.h"
#include "kernel/ir/target.h"
#include "kernel/schedule/lanes/digits.h"
#include "kernel/schedule/loops/loops.h"
#include "kernel/schedule/windows/window_sizes.h"
#include "kernel/schedule/windows/windows.h"

namespace ingot::kernel {
namespace {

constexpr int64_t kPartOfRow = 4;  // or less of a row is taken

// Reductions within reductions begin with the sums so far, so that a tile has one set of them: the loops
// around the innermost one only pass them on.
void go_on_with_sums(Kernel& kernel, Loop& reduction) {
  const std::vector<Loop*> chain = chain_of(reduction);
  for (size_t i = 0; i + 1 < chain.size(); ++i) {
    chain[i]->kind = LoopKind::kScan;
    chain[i]->combiner = {};
    for (size_t c = 0; c < chain[i]->carries.size(); ++c) {
      Carry& carry = chain[i]->carries[c];
      carry.arg = kernel.add_scalar(kernel.scalars[static_cast<size_t>(carry.result)]);
      chain[i + 1]->carries[c].init = carry.arg;
    }
  }
}

void append_block(Block& to, Block from) {
  for (Stmt& stmt : from.stmts) to.stmts.push_back(std::move(stmt));
}

// Builds the loops of a kernel whose windows have been found.
class Builder {
 public:
  Builder(Kernel& kernel, Nest& nest, Windows windows, WindowSizes sizes)
      : kernel_(kernel), nest_(nest), windows_(std::move(windows)), sizes_(std::move(sizes)) {}

  void run() {
    take_chunks();
    cut_reduction();
    Block result, in_block;
    body_ = std::move(nest_.body);
    // Lanes read the copy as they lie there.
    append_block(in_block, stage_windows(kernel_, body_, *single_reduction(body_), std::move(windows_),
                                         sizes_.n_in_window ? local_[0] : kNone));
    eliminate_dead(kernel_, body_);
    collapse_chains(kernel_, body_);
    cut_into_tiles();
    append_block(in_block, pack_panels());
    Block epilogue = keep_sums(result);
    go_on_with_sums(kernel_, *single_reduction(body_));
    Block tile = wrap({m_, n_}, std::move(body_));
    if (blocks_.empty()) append_block(tile, std::move(epilogue));
    std::vector<Loop> loops = inner_;
    loops.push_back(panel_);
    loops.push_back(tile_);
    append_block(in_block, wrap(std::move(loops), std::move(tile)));
    if (const Loop& next = blocks_.empty() ? parallel_.back() : blocks_.back(); next.extent > next.step)
      fetch_next_block(in_block, next, nullptr);
    append_block(result, wrap(blocks_, std::move(in_block)));
    append_block(result, std::move(epilogue));
    eliminate_dead(kernel_, result);
    kernel_.body = wrap(std::move(parallel_), std::move(result));
    kernel_.report.kind = KernelKind::kContraction;
  }

 private:
  void rename_in_sums(VarId from, VarId to) {
    for (WindowSum& sum : windows_.sums) {
      for (WindowSum::Term& term : sum.terms) {
        if (term.var == from) term.var = to;
      }
    }
  }

  void replace(Block& block, VarId var, const Index& by) {
    substitute(block, [&](int id, int64_t e) { return id == var ? by : Index::variable(id, e); });
  }

  const std::string& name_of(VarId var) const { return kernel_.var_names[static_cast<size_t>(var)]; }

  // Units take chunks of the band's variables, or one value each.
  void take_chunks() {
    local_.resize(sizes_.chunks.size());
    for (size_t i = 0; i < nest_.loops.size(); ++i) {
      const VarId whole = nest_.loops[i].var;
      const auto chunk = std::find_if(sizes_.chunks.begin(), sizes_.chunks.end(),
                                      [&](const WindowSizes::Chunk& c) { return c.position == i; });
      if (chunk == sizes_.chunks.end()) {
        parallel_.push_back(nest_.loops[i]);
        leave_sums(whole);
        continue;
      }
      const std::string name = name_of(whole);
      parallel_.push_back(
          make_loop(kernel_, name + "_chunk", chunk->extent, chunk->size, LoopKind::kParallel));
      Loop here = make_loop(kernel_, name, chunk->size, 1, LoopKind::kMap);
      replace(nest_.body, whole, kernel_.var(parallel_.back().var) + kernel_.var(here.var));
      rename_in_sums(whole, here.var);
      local_[static_cast<size_t>(chunk - sizes_.chunks.begin())] = here.var;
      if (i != sizes_.m && i != sizes_.n) inner_.push_back(std::move(here));
    }
  }

  // What is one value per unit is not part of a place.
  void leave_sums(VarId var) {
    for (WindowSum& sum : windows_.sums)
      std::erase_if(sum.terms, [&](const WindowSum::Term& term) { return term.var == var; });
    std::erase_if(windows_.sums, [](const WindowSum& sum) { return sum.terms.empty(); });
  }

  // Steps of the reduction that do not fit go one after the other: their part of a variable leaves the
  // reduction's loops.
  void cut_reduction() {
    Loop& reduction = *single_reduction(nest_.body);
    const std::vector<Loop*> chain = chain_of(reduction);
    for (size_t i = 0; i < chain.size(); ++i) {
      Loop& loop = *chain[i];
      const int64_t block = sizes_.blocks[i];
      if (block == loop.extent) continue;
      const VarId whole = loop.var;
      const std::string name = name_of(whole);
      blocks_.push_back(make_loop(kernel_, name + "_block", loop.extent / block, 1, LoopKind::kScan));
      loop.extent = block;
      loop.var = kernel_.add_var(name, block);
      replace(innermost(reduction).body, whole,
              kernel_.var(blocks_.back().var) * block + kernel_.var(loop.var));
      rename_in_sums(whole, loop.var);
    }
  }

  void cut_into_tiles() {
    const int64_t n_chunk = sizes_.chunks[0].size, m_chunk = sizes_.chunks[1].size;
    const int64_t panels = divide_up(n_chunk, sizes_.panel), tiles = divide_up(m_chunk, sizes_.rows);
    panel_ = make_loop(kernel_, "n_panel", panels, 1, LoopKind::kMap);
    tile_ = make_loop(kernel_, "m_tile", tiles, 1, LoopKind::kMap);
    m_ = make_loop(kernel_, "m", sizes_.rows, 1, LoopKind::kMap, LoopStyle::kTile);
    n_ = make_loop(kernel_, "n", sizes_.panel, 1, LoopKind::kMap, LoopStyle::kLanes);
    n_.vectors = static_cast<int>(sizes_.vectors);
    replace(body_, local_[0],
            start_of(kernel_.var(panel_.var), panels, sizes_.panel, n_chunk) + kernel_.var(n_.var));
    replace(body_, local_[1],
            start_of(kernel_.var(tile_.var), tiles, sizes_.rows, m_chunk) + kernel_.var(m_.var));
  }

  // The other operand, if its lanes are no neighbours.
  Block pack_panels() {
    Loop& reduction = *single_reduction(body_);
    if (sizes_.n_in_window || contiguous_along(reduction, n_.var, m_.var)) return {};
    return pack_side(kernel_, body_, reduction,
                     {n_.var, panel_.var, m_.var, sizes_.panel, panel_.extent, true, false, "panels"});
  }

  // Sums wait in a buffer: of a tile, or of the whole unit where blocks of the reduction follow each other.
  // Returns what follows them, in loops of its own; nothing if it stays with the sums.
  Block keep_sums(Block& before) {
    const bool blocked = !blocks_.empty();
    if (!blocked && short_epilogue(body_)) return {};
    Loop& reduction = *single_reduction(body_);
    Sums sums;
    int64_t elements = 1;
    const auto along = [&](const Loop& loop) {
      sums.place = sums.place + kernel_.var(loop.var) * elements;
      elements *= loop.extent;
    };
    along(n_);
    along(m_);
    if (blocked) {
      along(tile_);
      along(panel_);
      for (const Loop& loop : inner_) along(loop);
    }
    for (const Carry& carry : reduction.carries) {
      const DType dtype = kernel_.scalars[static_cast<size_t>(carry.result)];
      const Shape shape = {elements / sizes_.panel, sizes_.panel};
      sums.buffers.push_back(kernel_.add_buffer({"sums", dtype, elements, Buffer::Kind::kLocal, shape}));
      before.stmts.push_back({Alloc{sums.buffers.back()}});
    }
    if (blocked) append_block(before, clear_sums(kernel_, body_, reduction, sums, elements));
    return in_own_loops(cut_behind_reduction(kernel_, body_, sums, blocked));
  }

  Block in_own_loops(Block epilogue) {
    std::vector<Loop> loops;
    const auto again = [&](const Loop& loop, LoopStyle style) {
      loops.push_back(
          make_loop(kernel_, std::string(name_of(loop.var)), loop.extent, 1, LoopKind::kMap, style));
      loops.back().vectors = loop.vectors;
      replace(epilogue, loop.var, kernel_.var(loops.back().var));
    };
    if (!blocks_.empty()) {
      for (const Loop& loop : inner_) again(loop, LoopStyle::kSerial);
      again(panel_, LoopStyle::kSerial);
      again(tile_, LoopStyle::kSerial);
    }
    again(m_, LoopStyle::kSerial);
    again(n_, LoopStyle::kLanes);
    return wrap(std::move(loops), std::move(epilogue));
  }

  // Where a unit takes a short piece of every row of an array, the hardware does not see the next row coming:
  // each load asks for its place in the next block of the reduction, or in the next unit. `row`: the loop
  // over rows, if one is open.
  void fetch_next_block(Block& block, const Loop& blocks, const Loop* row) {
    const VarId step = blocks.var;
    std::vector<Stmt> ahead;
    for (Stmt& stmt : block.stmts) {
      if (auto* loop = std::get_if<Loop>(&stmt.node))
        fetch_next_block(loop->body, blocks, loop->style == LoopStyle::kSerial ? loop : row);
      const auto* load = std::get_if<Load>(&stmt.node);
      if (load == nullptr || row == nullptr || load->offset.coefficient(step) == 0) continue;
      const Buffer& buffer = kernel_.buffers[static_cast<size_t>(load->buffer)];
      if (buffer.kind != Buffer::Kind::kInput || load->offset.uses_nonlinearly(step)) continue;
      if (buffer.elements * static_cast<int64_t>(byte_size(buffer.dtype)) < prices::kSmallCache / 2) continue;
      const int64_t distance = std::abs(load->offset.coefficient(row->var));
      if (distance * static_cast<int64_t>(byte_size(buffer.dtype)) < prices::kSeenComing ||
          distance < kPartOfRow * sizes_.chunks[0].size)
        continue;
      ahead.push_back({ahead_of(*load, {{step, blocks.step}})});
    }
    block.stmts.insert(block.stmts.begin(), ahead.begin(), ahead.end());
  }

  Kernel& kernel_;
  Nest& nest_;
  Windows windows_;
  WindowSizes sizes_;
  std::vector<Loop> parallel_, inner_, blocks_;  // chunks; what a unit steps through; steps of the reduction
  std::vector<VarId> local_;                     // of each chunk: the variable within it
  Block body_;                                   // of a point, without its loops
  Loop panel_, tile_, m_, n_;
};

// A variable of the band that is seen in groups, or by its remainders, becomes two, if one of them is seen in
// sums alone then: groups of features, or places between the elements of what lies apart.
void split_by_divisors(Kernel& kernel, Nest& nest) {
  separate_loops(kernel, nest, [&](const Nest& separated, size_t outer) {
    bool outer_fine = true, inner_fine = true;
    for_each_index(const_cast<Block&>(separated.body), [&](const Index& index) {
      outer_fine = outer_fine && !index.uses_nonlinearly(separated.loops[outer].var);
      inner_fine = inner_fine && !index.uses_nonlinearly(separated.loops[outer + 1].var);
    });
    return outer_fine || inner_fine;
  });
}

// False if this is no reduction over windows; the nest is of no use then.
bool tile_nest(Kernel& kernel, const Target& target, Nest& nest) {
  split_by_divisors(kernel, nest);
  sink_into_innermost(kernel, nest.body);
  Loop& reduction = *single_reduction(nest.body);
  if (reduction.extent == 0) return false;
  std::vector<VarId> band;
  for (const Loop& loop : nest.loops) band.push_back(loop.var);
  std::optional<Windows> windows = find_windows(kernel, nest.body, reduction, band);
  if (!windows) return false;
  std::optional<WindowSizes> sizes = choose_window_sizes(kernel, target, nest, *windows);
  if (!sizes) return false;
  Builder(kernel, nest, std::move(*windows), std::move(*sizes)).run();
  return true;
}

}  // namespace

bool tile_windows(Kernel& kernel, const Target& target) {
  if (!kernel.bound.empty()) return false;  // points of a tile read at constant distances
  Nest nest = take_nest(kernel);
  if (Loop* reduction = single_reduction(nest.body);
      reduction != nullptr && only_reductions(reduction->body) && nests_as_one(*reduction)) {
    Nest tiled = nest;
    if (tile_nest(kernel, target, tiled)) return true;
  }
  put_nest(kernel, std::move(nest));
  return false;
}

}  // namespace ingot::kernel
