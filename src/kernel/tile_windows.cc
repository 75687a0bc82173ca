// Register tiles for convolutions.
//
// A reduction one of whose operands is read in windows that overlap runs as
//
//   parallel, over chunks of the band:
//     for block of the reduction:                (one block, where all that its windows reach fits)
//       copy what the unit's windows reach       (windows.h: each place once, zeros where there is nothing)
//       pack the other operand in panels         (where its lanes are no neighbours)
//       for the band's variables that windows share, for panel, for tile of rows:
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
#include <cmath>
#include <utility>

#include "kernel/blocks.h"
#include "kernel/schedule.h"
#include "kernel/windows.h"

namespace ingot::kernel {
namespace {

constexpr int64_t kUnits = 16;       // wanted, so that threads end together
constexpr double kMostWaste = 1.06;  // of what more units may compute twice
constexpr int64_t kFewLanes = 4;     // an output with fewer neighbours is no place for lanes
constexpr int64_t kMostVectors = 8;  // side by side
constexpr double kOverhead = 2;      // of a step of a tile, in instructions
constexpr int64_t kLatency = 8;      // steps of a sum that can be under way at once

// A variable of the band that units take in chunks.
struct Chunk {
  size_t position;  // in the nest
  int64_t extent;
  int64_t size;
};

struct Roles {
  size_t m = 0, n = 0;  // positions in the nest
  int64_t rows = 1, vectors = 1;
  bool n_in_window = false, m_in_window = false;
};

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

class Windowing {
 public:
  Windowing(Kernel& kernel, const Target& target, Nest& nest)
      : kernel_(kernel), target_(target), nest_(nest) {
    size_t widest = 1;
    for (DType dtype : kernel.scalars) widest = std::max(widest, byte_size(dtype));
    bytes_ = static_cast<int64_t>(widest);
    lanes_ = std::max<int64_t>(1, target.vector_bytes / bytes_);
  }

  // False if this is no reduction over windows; the nest is of no use then.
  bool run() {
    sink_into_innermost(kernel_, nest_.body);
    reduction_ = single_reduction(nest_.body);
    if (reduction_->extent == 0) return false;
    std::vector<VarId> band;
    for (const Loop& loop : nest_.loops) band.push_back(loop.var);
    std::optional<Windows> windows = find_windows(kernel_, nest_.body, *reduction_, band);
    if (!windows) return false;
    windows_ = std::move(*windows);
    if (!choose_roles()) return false;
    choose_chunks();
    build();
    return true;
  }

 private:
  VarId var(size_t position) const { return nest_.loops[position].var; }
  int64_t extent(size_t position) const { return nest_.loops[position].extent; }
  bool in_window(size_t position) const { return windows_.seen.count(var(position)) > 0; }
  bool in_rest(size_t position) const { return windows_.by_rest.count(var(position)) > 0; }

  bool is_opaque(size_t position) const { return windows_.opaque.count(var(position)) > 0; }

  // --- roles

  bool choose_roles() {
    if (!choose_lanes()) return false;
    roles_.n_in_window = in_window(roles_.n);
    double best = -1;
    const bool rest_has_rows = roles_.n_in_window && any_of_rest_only();
    for (size_t i = 0; i < nest_.loops.size(); ++i) {
      if (i == roles_.n || extent(i) < 2 || is_opaque(i)) continue;
      if (rest_has_rows ? in_window(i) || !in_rest(i) : !in_window(i) || in_rest(i)) continue;
      for (int64_t vectors = 1; vectors <= kMostVectors; ++vectors) try_tile(i, vectors, best);
    }
    roles_.m_in_window = best >= 0 && in_window(roles_.m);
    return best >= 0;
  }

  // Where the output is contiguous along too few points, as in the gradient of a small window, lanes run
  // along what the other operand alone sees, or the windows alone: the sums are what crosses memory in
  // strides then, once.
  bool choose_lanes() {
    int64_t best = 0;
    for (size_t i = 0; i < nest_.loops.size(); ++i) {
      if (is_opaque(i)) continue;
      const bool contiguous = extent(i) >= kFewLanes && store_is_contiguous(nest_.body, var(i));
      const bool alone = in_rest(i) != in_window(i) && extent(i) >= lanes_ && (in_rest(i) || unit_step(i));
      const int64_t worth = contiguous   ? int64_t{1} << 62
                            : !alone     ? 0
                            : in_rest(i) ? extent(i) << 20
                                         : extent(i);
      if (worth > 0 && worth >= best) best = worth, roles_.n = i;
    }
    return best > 0;
  }

  bool unit_step(size_t position) const {
    for (const WindowSum& sum : windows_.sums) {
      for (const WindowSum::Term& term : sum.terms) {
        if (term.var == var(position)) return std::abs(term.factor) == 1;
      }
    }
    return false;
  }

  bool any_of_rest_only() const {
    for (size_t i = 0; i < nest_.loops.size(); ++i) {
      if (i != roles_.n && extent(i) > 1 && in_rest(i) && !in_window(i) && !is_opaque(i)) return true;
    }
    return false;
  }

  // What a step of all tiles costs, per point: arithmetic, loads at a part of its price, and something for
  // itself.
  void try_tile(size_t m, int64_t vectors, double& best) {
    const int64_t n_extent = extent(roles_.n);
    if (vectors > 1 && vectors * lanes_ > n_extent) return;        // a panel is whole vectors
    const int64_t spare = target_.vector_registers >= 32 ? 4 : 2;  // for what is read of the other operand
    const int64_t most = (target_.vector_registers - spare - vectors) / vectors;
    const int64_t tiles = divide_up(extent(m), std::max<int64_t>(std::min(most, extent(m)), 1));
    const int64_t rows = divide_up(extent(m), tiles);
    const int64_t panels = divide_up(n_extent, lanes_ * vectors);
    const bool vectors_per_row = roles_.n_in_window && in_window(m);
    const int64_t loads = vectors + (vectors_per_row ? rows * vectors : rows);
    const double step = static_cast<double>(std::max(rows * vectors, kLatency)) +
                        0.25 * static_cast<double>(loads) + kOverhead;
    const double cost = static_cast<double>(tiles * panels) * step / static_cast<double>(extent(m));
    if (best >= 0 && cost > best) return;  // between equals the inner variable: its points lie closer
    best = cost;
    roles_.m = m;
    roles_.rows = rows;
    roles_.vectors = vectors;
  }

  // --- chunks

  // Whether windows share what they read along that variable, or take turns in one piece of memory.
  bool is_shared(size_t position) const {
    if (!in_window(position) || in_rest(position) || is_opaque(position)) return false;
    int64_t step = 0, largest = 0;
    for (size_t s = 0; s < windows_.sums.size(); ++s) {
      for (const WindowSum::Term& term : windows_.sums[s].terms) {
        const int64_t reach = windows_.steps[s];
        if (term.var == var(position)) step = reach;
        for (Loop* loop : chain_of(*reduction_)) {
          if (term.var == loop->var) largest = std::max(largest, reach);
        }
      }
    }
    return step <= largest;
  }

  int64_t size_of(VarId v) const {
    for (const Chunk& chunk : chunks_) {
      if (var(chunk.position) == v) return chunk.size;
    }
    for (size_t i = 0; i < chain_.size(); ++i) {
      if (chain_[i].first == v) return blocks_[i];
    }
    return 1;  // one value per unit
  }

  // Bytes of all places that a unit's windows reach.
  int64_t reached() const {
    int64_t elements = 1;
    for (const WindowSum& sum : windows_.sums) {
      int64_t range = 1;
      for (const WindowSum::Term& term : sum.terms) range += std::abs(term.factor) * (size_of(term.var) - 1);
      elements *= range;
    }
    return elements * bytes_;
  }

  int64_t units() const {
    int64_t units = 1;
    for (size_t i = 0; i < nest_.loops.size(); ++i) {
      int64_t size = 1;
      for (const Chunk& chunk : chunks_) {
        if (chunk.position == i) size = chunk.size;
      }
      units *= divide_up(extent(i), size);
    }
    return units;
  }

  void choose_chunks() {
    const int64_t panel = panel_size();
    chunks_.push_back({roles_.n, extent(roles_.n), extent(roles_.n)});
    chunks_.push_back({roles_.m, extent(roles_.m), extent(roles_.m)});
    for (size_t i = 0; i < nest_.loops.size(); ++i) {
      if (i != roles_.m && i != roles_.n && extent(i) > 1 && is_shared(i))
        chunks_.push_back({i, extent(i), extent(i)});
    }
    for (Loop* loop : chain_of(*reduction_)) {
      chain_.emplace_back(loop->var, loop->extent);
      blocks_.push_back(loop->extent);
    }
    may_block_ = begins_with_literals(nest_.body, *reduction_);
    const int64_t most = target_.l2_bytes / 4;
    while (reached() > most && shrink(panel, true)) {
    }
    while (units() < kUnits && shrink(panel, false)) {
    }
  }

  int64_t panel_size() const {
    int64_t lanes = lanes_;
    while (lanes > extent(roles_.n)) lanes /= 2;
    return std::min(lanes * roles_.vectors, extent(roles_.n));
  }

  // Halves the piece that helps most: of what is reached, or of what units there are. Steps of the reduction
  // that go one after the other cost a trip of the sums through a cache, so they need a better reason.
  bool shrink(int64_t panel, bool for_space) {
    const auto figure = [&] { return for_space ? reached() : units(); };
    const auto before = static_cast<double>(figure());
    int64_t* best = nullptr;
    int64_t smaller = 0;
    double best_gain = 1;
    const auto consider = [&](int64_t& size, int64_t next, double handicap) {
      if (next >= size || next < 1) return;
      const int64_t old = std::exchange(size, next);
      const auto after = static_cast<double>(figure());
      size = old;
      const double gain = (for_space ? after / before : before / after) * handicap;
      if (gain < best_gain - 1e-9) best_gain = gain, best = &size, smaller = next;
    };
    const auto consider_chunk = [&](Chunk& chunk, int64_t quantum, double handicap) {
      const int64_t next = smaller_piece(chunk, quantum);
      const double waste = static_cast<double>(points(chunk.extent, next, quantum)) /
                           static_cast<double>(points(chunk.extent, chunk.size, quantum));
      if (for_space || waste <= kMostWaste) consider(chunk.size, next, handicap * waste * waste);
    };
    for (size_t i = 2; i < chunks_.size(); ++i) consider_chunk(chunks_[i], 1, 1.0);
    for (size_t i = 0; for_space && may_block_ && i < blocks_.size(); ++i) {
      int64_t next = blocks_[i] / 2;
      while (next > 1 && chain_[i].second % next != 0) --next;
      consider(blocks_[i], next, 1.3);
      if (blocks_[i] > 1) break;  // the outermost one that is not single steps yet
    }
    consider_chunk(chunks_[1], roles_.rows, 1.05);
    consider_chunk(chunks_[0], panel, roles_.n_in_window ? 1.1 : 1.01);
    if (best == nullptr) return false;
    *best = smaller;
    return true;
  }

  // What is computed along a variable that is taken in such pieces: the last ones overlap.
  static int64_t points(int64_t extent, int64_t size, int64_t quantum) {
    return divide_up(extent, size) * divide_up(size, quantum) * quantum;
  }

  // About half of the chunk, so that next to nothing is computed twice.
  static int64_t smaller_piece(const Chunk& chunk, int64_t quantum) {
    int64_t best = chunk.size;
    double best_score = 1e30;
    for (int64_t size = quantum; size < chunk.size; size += quantum) {
      const double off =
          std::abs(std::log2(2.0 * static_cast<double>(size) / static_cast<double>(chunk.size)));
      const double waste =
          static_cast<double>(points(chunk.extent, size, quantum)) / static_cast<double>(chunk.extent);
      if (waste + 0.1 * off < best_score) best_score = waste + 0.1 * off, best = size;
    }
    return best;
  }

  // --- loops

  void build();
  void cut_reduction(std::vector<Loop>& blocks);

  Kernel& kernel_;
  const Target& target_;
  Nest& nest_;
  int64_t bytes_ = 0, lanes_ = 0;
  Loop* reduction_ = nullptr;
  Windows windows_;
  Roles roles_;
  std::vector<Chunk> chunks_;  // of n, of m, of others
  std::vector<std::pair<VarId, int64_t>> chain_;
  std::vector<int64_t> blocks_;
  bool may_block_ = false;
};

// Steps of the reduction that do not fit go one after the other: their part of a variable leaves the
// reduction's loops.
void Windowing::cut_reduction(std::vector<Loop>& blocks) {
  for (size_t i = 0; i < chain_.size(); ++i) {
    if (blocks_[i] == chain_[i].second) continue;
    Loop* loop = chain_of(*reduction_)[i];
    const VarId whole = loop->var;
    const std::string& name = kernel_.var_names[static_cast<size_t>(whole)];
    blocks.push_back(make_loop(kernel_, name + "_block", chain_[i].second / blocks_[i], 1, LoopKind::kScan));
    loop->extent = blocks_[i];
    loop->var = kernel_.add_var(kernel_.var_names[static_cast<size_t>(whole)], blocks_[i]);
    const Index index = kernel_.var(blocks.back().var) * blocks_[i] + kernel_.var(loop->var);
    substitute(innermost(*reduction_).body,
               [&](int id, int64_t e) { return id == whole ? index : Index::variable(id, e); });
    for (WindowSum& sum : windows_.sums) {
      for (WindowSum::Term& term : sum.terms) {
        if (term.var == whole) term.var = loop->var;
      }
    }
  }
}

void Windowing::build() {
  std::vector<Loop> parallel, inner, blocks;
  std::vector<VarId> local(chunks_.size());
  for (size_t i = 0; i < nest_.loops.size(); ++i) {
    const auto chunk =
        std::find_if(chunks_.begin(), chunks_.end(), [&](const Chunk& c) { return c.position == i; });
    if (chunk == chunks_.end()) {
      parallel.push_back(nest_.loops[i]);
      continue;
    }
    const VarId whole = var(i);
    const std::string name = kernel_.var_names[static_cast<size_t>(whole)];
    parallel.push_back(make_loop(kernel_, name + "_chunk", chunk->extent, chunk->size, LoopKind::kParallel));
    Loop here = make_loop(kernel_, name, chunk->size, 1, LoopKind::kMap);
    const Index index = kernel_.var(parallel.back().var) + kernel_.var(here.var);
    substitute(nest_.body, [&](int id, int64_t e) { return id == whole ? index : Index::variable(id, e); });
    for (WindowSum& sum : windows_.sums) {
      for (WindowSum::Term& term : sum.terms) {
        if (term.var == whole) term.var = here.var;
      }
    }
    local[static_cast<size_t>(chunk - chunks_.begin())] = here.var;
    if (chunk->position != roles_.m && chunk->position != roles_.n) inner.push_back(std::move(here));
  }
  // What is one value per unit is not part of a place.
  for (WindowSum& sum : windows_.sums) {
    std::erase_if(sum.terms, [&](const WindowSum::Term& term) {
      const bool chunked = std::find(local.begin(), local.end(), term.var) != local.end();
      const bool reduced =
          std::any_of(chain_.begin(), chain_.end(), [&](const auto& c) { return c.first == term.var; });
      return !chunked && !reduced;
    });
  }
  std::erase_if(windows_.sums, [](const WindowSum& sum) { return sum.terms.empty(); });
  cut_reduction(blocks);

  // Lanes read the copy as they lie there.
  VarId lanes_in_window = roles_.n_in_window ? local[0] : kNone;
  Block result, in_block, body = std::move(nest_.body);
  reduction_ = single_reduction(body);
  Block staging = stage_windows(kernel_, body, *reduction_, std::move(windows_), lanes_in_window);
  for (Stmt& stmt : staging.stmts) in_block.stmts.push_back(std::move(stmt));
  eliminate_dead(kernel_, body);
  collapse_chains(kernel_, body);
  reduction_ = single_reduction(body);

  const int64_t panel = panel_size(), n_chunk = chunks_[0].size, m_chunk = chunks_[1].size;
  const int64_t panels = divide_up(n_chunk, panel), tiles = divide_up(m_chunk, roles_.rows);
  Loop panel_loop = make_loop(kernel_, "n_panel", panels, 1, LoopKind::kMap);
  Loop tile_loop = make_loop(kernel_, "m_tile", tiles, 1, LoopKind::kMap);
  Loop m = make_loop(kernel_, "m", roles_.rows, 1, LoopKind::kMap, LoopStyle::kTile);
  Loop n = make_loop(kernel_, "n", panel, 1, LoopKind::kMap, LoopStyle::kLanes);
  n.vectors = static_cast<int>(roles_.vectors);
  const Index n_index = start_of(kernel_.var(panel_loop.var), panels, panel, n_chunk) + kernel_.var(n.var);
  const Index m_index =
      start_of(kernel_.var(tile_loop.var), tiles, roles_.rows, m_chunk) + kernel_.var(m.var);
  substitute(body, [&](int id, int64_t e) {
    return id == local[0] ? n_index : id == local[1] ? m_index : Index::variable(id, e);
  });
  if (!roles_.n_in_window) {
    const bool neighbours = contiguous_along(*reduction_, n.var, m.var);
    if (!neighbours) {
      Block packing = pack_side(kernel_, body, *reduction_,
                                {n.var, panel_loop.var, m.var, panel, panels, true, neighbours, "panels"});
      for (Stmt& stmt : packing.stmts) in_block.stmts.push_back(std::move(stmt));
    }
  }

  // Sums wait in a buffer: of a tile, or of the whole unit where blocks of the reduction follow each other.
  const bool blocked = !blocks.empty();
  const int64_t tile_sums = roles_.rows * panel;
  Sums sums;
  Block epilogue;
  int64_t unit_sums = tile_sums;
  if (blocked || !short_epilogue(body)) {
    sums.place = kernel_.var(m.var) * panel + kernel_.var(n.var);
    if (blocked) {
      sums.place = sums.place + kernel_.var(tile_loop.var) * unit_sums;
      unit_sums *= tiles;
      sums.place = sums.place + kernel_.var(panel_loop.var) * unit_sums;
      unit_sums *= panels;
      for (const Loop& loop : inner) {
        sums.place = sums.place + kernel_.var(loop.var) * unit_sums;
        unit_sums *= loop.extent;
      }
    }
    for (const Carry& carry : reduction_->carries) {
      const DType dtype = kernel_.scalars[static_cast<size_t>(carry.result)];
      sums.buffers.push_back(
          kernel_.add_buffer({"sums", dtype, unit_sums, Buffer::Kind::kLocal, {unit_sums / panel, panel}}));
      result.stmts.push_back({Alloc{sums.buffers.back()}});
    }
    if (blocked) {
      Block clear = clear_sums(kernel_, body, *reduction_, sums, unit_sums);
      for (Stmt& stmt : clear.stmts) result.stmts.push_back(std::move(stmt));
    }
    epilogue = cut_behind_reduction(kernel_, body, sums, blocked);
  }
  // The epilogue's loops have variables of their own.
  std::unordered_map<VarId, VarId> renamed;
  const auto again = [&](const Loop& loop, LoopStyle style) {
    Loop fresh = make_loop(kernel_, kernel_.var_names[static_cast<size_t>(loop.var)], loop.extent, 1,
                           LoopKind::kMap, style);
    fresh.vectors = loop.vectors;
    renamed[loop.var] = fresh.var;
    return fresh;
  };
  std::vector<Loop> epilogue_loops;
  if (blocked) {
    for (const Loop& loop : inner) epilogue_loops.push_back(again(loop, LoopStyle::kSerial));
    epilogue_loops.push_back(again(panel_loop, LoopStyle::kSerial));
    epilogue_loops.push_back(again(tile_loop, LoopStyle::kSerial));
  }
  epilogue_loops.push_back(again(m, LoopStyle::kSerial));
  epilogue_loops.push_back(again(n, LoopStyle::kLanes));
  substitute(epilogue, [&](int id, int64_t e) {
    auto it = renamed.find(id);
    return it == renamed.end() ? Index::variable(id, e) : kernel_.var(it->second);
  });
  if (!epilogue.stmts.empty()) epilogue = wrap(std::move(epilogue_loops), std::move(epilogue));

  go_on_with_sums(kernel_, *single_reduction(body));
  Block tile = wrap({std::move(m), std::move(n)}, std::move(body));
  if (!blocked) {
    for (Stmt& stmt : epilogue.stmts) tile.stmts.push_back(std::move(stmt));
  }
  inner.push_back(std::move(panel_loop));
  inner.push_back(std::move(tile_loop));
  Block nest = wrap(std::move(inner), std::move(tile));
  for (Stmt& stmt : nest.stmts) in_block.stmts.push_back(std::move(stmt));
  in_block = wrap(std::move(blocks), std::move(in_block));
  for (Stmt& stmt : in_block.stmts) result.stmts.push_back(std::move(stmt));
  if (blocked) {
    for (Stmt& stmt : epilogue.stmts) result.stmts.push_back(std::move(stmt));
  }
  eliminate_dead(kernel_, result);
  kernel_.body = wrap(std::move(parallel), std::move(result));
  kernel_.kind = "contraction";
}

// A divisor in the index by which the variable is seen in another way than as a sum, or 0.
int64_t divisor_of(const Index& index, VarId var) {
  for (const Index::Term& term : index.terms()) {
    const IndexAtom& atom = *term.atom;
    if (atom.kind == IndexAtom::Kind::kVariable || !atom.argument.uses(var)) continue;
    if (const int64_t inner = divisor_of(atom.argument, var); inner > 0) return inner;
    if (atom.kind != IndexAtom::Kind::kLookup) return atom.divisor;
  }
  return 0;
}

// A variable of the band that is seen in groups, or by its remainders, becomes two, if one of them is seen in
// sums alone then: groups of features, or places between the elements of what lies apart.
void split_by_divisors(Kernel& kernel, Nest& nest) {
  for (size_t i = 0; i < nest.loops.size(); ++i) {
    const VarId whole = nest.loops[i].var;
    const int64_t extent = nest.loops[i].extent;
    int64_t divisor = 0;
    for_each_index(nest.body, [&](const Index& index) {
      if (divisor == 0) divisor = divisor_of(index, whole);
    });
    if (divisor < 2 || divisor >= extent || extent % divisor != 0) continue;
    const std::string name = kernel.var_names[static_cast<size_t>(whole)];
    Loop outer = make_loop(kernel, name + "_by", extent / divisor, 1, LoopKind::kParallel);
    Loop inner = make_loop(kernel, name, divisor, 1, LoopKind::kParallel);
    const Index both = kernel.var(outer.var) * divisor + kernel.var(inner.var);
    Block split = nest.body;
    substitute(split, [&](int id, int64_t e) { return id == whole ? both : Index::variable(id, e); });
    bool outer_fine = true, inner_fine = true;
    for_each_index(split, [&](const Index& index) {
      outer_fine = outer_fine && !index.uses_nonlinearly(outer.var);
      inner_fine = inner_fine && !index.uses_nonlinearly(inner.var);
    });
    if (!outer_fine && !inner_fine) continue;
    nest.body = std::move(split);
    nest.loops[i] = std::move(outer);
    nest.loops.insert(nest.loops.begin() + static_cast<int64_t>(i) + 1, std::move(inner));
    ++i;
  }
}

}  // namespace

bool tile_windows(Kernel& kernel, const Target& target) {
  if (!kernel.bound.empty()) return false;  // points of a tile read at constant distances
  Nest nest = take_nest(kernel);
  if (Loop* reduction = single_reduction(nest.body);
      reduction != nullptr && only_reductions(reduction->body)) {
    Nest tiled = nest;
    split_by_divisors(kernel, tiled);
    if (Windowing(kernel, target, tiled).run()) return true;
  }
  put_nest(kernel, std::move(nest));
  return false;
}

}  // namespace ingot::kernel
