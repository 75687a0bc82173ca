// The choice of lanes, rows and pieces for a reduction over windows, by what a step of all tiles costs, what
// a cache holds, and what is computed twice where pieces overlap.
#include "kernel/schedule/windows/window_sizes.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernel/cost/table.h"
#include "kernel/ir/blocks.h"
#include "kernel/ir/reductions.h"
#include "kernel/ir/target.h"

namespace ingot::kernel {
namespace {

constexpr double kMostWaste = 1.06;        // of what more units may compute twice
constexpr int64_t kFewLanes = 4;           // an output with fewer neighbours is no place for lanes
constexpr int64_t kMostWindowVectors = 8;  // side by side
constexpr double kOverhead = 2;            // of a step of a tile, in instructions

class Chooser {
 public:
  Chooser(const Kernel& kernel, const Target& target, Nest& nest, const Windows& windows)
      : target_(target), nest_(nest), windows_(windows), reduction_(single_reduction(nest.body)) {
    bytes_ = widest_scalar(kernel);
    lanes_ = lanes_of_widest(kernel, target);
  }

  std::optional<WindowSizes> run() {
    if (!choose_roles()) return std::nullopt;
    choose_chunks();
    return std::move(sizes_);
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
    sizes_.n_in_window = in_window(sizes_.n);
    double best = -1;
    const bool rest_has_rows = sizes_.n_in_window && any_of_rest_only();
    for (size_t i = 0; i < nest_.loops.size(); ++i) {
      if (i == sizes_.n || extent(i) < 2 || is_opaque(i)) continue;
      if (rest_has_rows ? in_window(i) || !in_rest(i) : !in_window(i) || in_rest(i)) continue;
      for (int64_t vectors = 1; vectors <= kMostWindowVectors; ++vectors) try_tile(i, vectors, best);
    }
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
      if (worth > 0 && worth >= best) best = worth, sizes_.n = i;
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
      if (i != sizes_.n && extent(i) > 1 && in_rest(i) && !in_window(i) && !is_opaque(i)) return true;
    }
    return false;
  }

  // What a step of all tiles costs, per point: arithmetic, loads at a part of its price, and something for
  // itself.
  void try_tile(size_t m, int64_t vectors, double& best) {
    const int64_t n_extent = extent(sizes_.n);
    if (vectors > 1 && vectors * lanes_ > n_extent) return;        // a panel is whole vectors
    const int64_t spare = target_.vector_registers >= 32 ? 4 : 2;  // for what is read of the other operand
    const int64_t most = (target_.vector_registers - spare - vectors) / vectors;
    const int64_t tiles = divide_up(extent(m), std::max<int64_t>(std::min(most, extent(m)), 1));
    const int64_t rows = divide_up(extent(m), tiles);
    const int64_t panels = divide_up(n_extent, lanes_ * vectors);
    const bool vectors_per_row = sizes_.n_in_window && in_window(m);
    const int64_t loads = vectors + (vectors_per_row ? rows * vectors : rows);
    const double step = static_cast<double>(std::max(rows * vectors, prices::kSumLatency)) +
                        prices::kTileLoad * static_cast<double>(loads) + kOverhead;
    const double cost = static_cast<double>(tiles * panels) * step / static_cast<double>(extent(m));
    if (best >= 0 && cost > best) return;  // between equals the inner variable: its points lie closer
    best = cost;
    sizes_.m = m;
    sizes_.rows = rows;
    sizes_.vectors = vectors;
  }

  // --- chunks

  // Each lane has a window and a weight of its own, as features do in a depth-wise convolution: every product
  // reads another place, so that the first level should hold the window.
  bool lanes_by_themselves() const { return sizes_.n_in_window && in_rest(sizes_.n); }

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
    for (const WindowSizes::Chunk& chunk : sizes_.chunks) {
      if (var(chunk.position) == v) return chunk.size;
    }
    for (size_t i = 0; i < chain_.size(); ++i) {
      if (chain_[i].first == v) return sizes_.blocks[i];
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
      for (const WindowSizes::Chunk& chunk : sizes_.chunks) {
        if (chunk.position == i) size = chunk.size;
      }
      units *= divide_up(extent(i), size);
    }
    return units;
  }

  void choose_chunks() {
    int64_t lanes = lanes_;
    while (lanes > extent(sizes_.n)) lanes /= 2;
    const int64_t panel = sizes_.panel = std::min(lanes * sizes_.vectors, extent(sizes_.n));
    sizes_.chunks.push_back({sizes_.n, extent(sizes_.n), extent(sizes_.n)});
    sizes_.chunks.push_back({sizes_.m, extent(sizes_.m), extent(sizes_.m)});
    for (size_t i = 0; i < nest_.loops.size(); ++i) {
      if (i != sizes_.m && i != sizes_.n && extent(i) > 1 && is_shared(i))
        sizes_.chunks.push_back({i, extent(i), extent(i)});
    }
    for (Loop* loop : chain_of(*reduction_)) {
      chain_.emplace_back(loop->var, loop->extent);
      sizes_.blocks.push_back(loop->extent);
    }
    may_block_ = begins_with_literals(nest_.body, *reduction_);
    // Of the common machine's caches, since pieces may cut the reduction, and then bits depend on them; of
    // the second level an eighth, a quarter on machines where it is half as large.
    const int64_t most = lanes_by_themselves() ? target_.sums.l1_bytes * 3 / 4 : target_.sums.l2_bytes / 8;
    while (reached() > most && shrink(panel, true)) {
    }
    while (units() < prices::kFairUnits && shrink(panel, false)) {
    }
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
    const auto consider_chunk = [&](WindowSizes::Chunk& chunk, int64_t quantum, double handicap) {
      const int64_t next = smaller_piece(chunk, quantum);
      const double waste = static_cast<double>(points(chunk.extent, next, quantum)) /
                           static_cast<double>(points(chunk.extent, chunk.size, quantum));
      if (for_space || waste <= kMostWaste) consider(chunk.size, next, handicap * waste * waste);
    };
    for (size_t i = 2; i < sizes_.chunks.size(); ++i) consider_chunk(sizes_.chunks[i], 1, 1.0);
    for (size_t i = 0; for_space && may_block_ && i < sizes_.blocks.size(); ++i) {
      int64_t next = sizes_.blocks[i] / 2;
      while (next > 1 && chain_[i].second % next != 0) --next;
      consider(sizes_.blocks[i], next, 1.3);
      if (sizes_.blocks[i] > 1) break;  // the outermost one that is not single steps yet
    }
    consider_chunk(sizes_.chunks[1], sizes_.rows, 1.05);
    const int64_t row = prices::kPieceOfRow / bytes_ / panel * panel;
    const int64_t piece = lanes_by_themselves() && for_space ? std::max(panel, row) : panel;
    consider_chunk(sizes_.chunks[0], piece, sizes_.n_in_window ? 1.1 : 1.01);
    if (best == nullptr) return false;
    *best = smaller;
    return true;
  }

  // What is computed along a variable that is taken in such pieces: the last ones overlap.
  static int64_t points(int64_t extent, int64_t size, int64_t quantum) {
    return divide_up(extent, size) * divide_up(size, quantum) * quantum;
  }

  // About half of the chunk, so that next to nothing is computed twice. Of the sizes that make one number of
  // pieces, only the smallest is looked at: what larger ones compute twice outweighs how near they are to
  // half.
  static int64_t smaller_piece(const WindowSizes::Chunk& chunk, int64_t quantum) {
    int64_t best = chunk.size;
    double best_score = 1e30;
    for (int64_t size = quantum; size < chunk.size;) {
      const double off =
          std::abs(std::log2(2.0 * static_cast<double>(size) / static_cast<double>(chunk.size)));
      const double waste =
          static_cast<double>(points(chunk.extent, size, quantum)) / static_cast<double>(chunk.extent);
      if (waste + 0.1 * off < best_score) best_score = waste + 0.1 * off, best = size;
      const int64_t pieces = divide_up(chunk.extent, size);
      if (pieces == 1) break;
      size = divide_up(divide_up(chunk.extent, pieces - 1), quantum) * quantum;
    }
    return best;
  }

  const Target& target_;
  Nest& nest_;
  const Windows& windows_;
  Loop* reduction_;
  int64_t bytes_ = 0, lanes_ = 0;
  WindowSizes sizes_;
  std::vector<std::pair<VarId, int64_t>> chain_;  // the reduction's loops, and their extents
  bool may_block_ = false;
};

}  // namespace

std::optional<WindowSizes> choose_window_sizes(const Kernel& kernel, const Target& target, Nest& nest,
                                               const Windows& windows) {
  return Chooser(kernel, target, nest, windows).run();
}

}  // namespace ingot::kernel
