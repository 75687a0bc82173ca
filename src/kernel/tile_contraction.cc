// Register tiles for contractions.
//
// A contraction is a reduction over k at every point (m, n) of the band where some loads do not depend on m
// and others not on n. It runs as
//
//   parallel chunk of n, chunk of m:
//     for block of k:                          (one block, where all of k fits)
//       pack what depends on (k, n) only, in panels of NR
//       for other dimensions of the rows' side, for group of rows:   (what the second-level cache holds)
//         pack what depends on (m, k) only, in tiles of MR rows
//         for panel, for tile of rows:
//           tile m in MR, lanes n in NR:  all accumulators in registers
//             reduce k in block; keep the sums in a local buffer
//           epilogue, store                    (with several blocks: after the last one, for all tiles)
//
// Where m alone is short, the other dimensions that the panels do not see share them: (a, b, k) with (k, n) is
// one product with a times b rows, in whatever order a, b and k lie in memory.
//
// Producers run in the packing, once per element. The epilogue runs on sums that are still in a cache, as a
// loop of its own: written out for every accumulator it would be long, and take their registers away from the
// sums. An epilogue of next to nothing stays with the sums, if there is one block. Tiles are counted, and the
// last one of a chunk is moved back where it would leave it (see start_of). Nothing here knows an operation.
#include <algorithm>
#include <memory>

#include "kernel/blocks.h"
#include "kernel/contraction.h"
#include "kernel/schedule.h"

namespace ingot::kernel {
namespace {

constexpr int64_t kMostRows = 1024;  // of m per unit, which packs its panels for itself
constexpr int64_t kEnoughRows = 32;  // of m; with fewer, a longer dimension is better than one that lies well
constexpr int64_t kFewRows = 128;    // per unit: fewer do not pay for packing the panels
constexpr int64_t kMostPanels = 32;  // of n per unit, which packs its rows for itself
constexpr int64_t kFewPanels = 8;    // per unit: fewer do not pay for packing the rows
constexpr int64_t kFewTiles = 8;     // in a group of rows: more of them are worth a block of k
constexpr int64_t kMostPacked = 8;   // second-level caches that the packed panels of a unit may fill
constexpr int64_t kUnits = 32;       // wanted, so that threads end together

// Whether the panels of n are the same for all values of the variable. What stands before the reduction may
// be used in it on either side, so it must not depend on the variable at all.
bool shares_panels(Nest& nest, Loop& reduction, VarId n, VarId var) {
  bool shares = true;
  for_each_index(reduction.body,
                 [&](const Index& index) { shares = shares && !(index.uses(var) && index.uses(n)); });
  for (Stmt& stmt : nest.body.stmts) {
    if (std::holds_alternative<Loop>(stmt.node)) break;
    Block alone;
    alone.stmts.push_back(stmt);
    for_each_index(alone, [&](const Index& index) { shares = shares && !index.uses(var); });
  }
  return shares;
}

struct Roles {
  size_t m = 0, n = 0;       // positions in the nest
  std::vector<size_t> rest;  // of other loops that the rows see and the panels do not, longest first
};

// n is the band's variable along which the output is contiguous; m is one that half of the loads do not see.
bool find_roles(Nest& nest, Loop& reduction, Roles& roles) {
  if (reduction.extent == 0 || !only_reductions(reduction.body)) return false;
  bool have_n = false;
  for (size_t i = 0; i < nest.loops.size(); ++i) {
    if (store_is_contiguous(nest.body, nest.loops[i].var)) roles.n = i, have_n = true;
  }
  if (!have_n) return false;
  auto uses_in_loads = [&](VarId with, VarId without) {
    bool found = false;
    for_each_stmt(reduction.body, [&](Stmt& stmt) {
      auto* s = std::get_if<Load>(&stmt.node);
      found = found || (s && s->offset.uses(with) && !s->offset.uses(without));
    });
    return found;
  };
  const VarId n = nest.loops[roles.n].var, k = innermost(reduction).var;
  // Rows that lie far apart, like the steps of k, would be read one element per cache line.
  const auto is_near = [&](VarId m) {
    return contiguous_along(reduction, m, n) || contiguous_along(reduction, k, n);
  };
  const auto is_better = [&](const Loop& loop, const Loop& than) {
    const int64_t extent = std::min(loop.extent, kEnoughRows), other = std::min(than.extent, kEnoughRows);
    if (extent != other) return extent > other;
    const bool near = is_near(loop.var), other_near = is_near(than.var);
    return near != other_near ? near : loop.extent > than.extent;
  };
  for (size_t i = 0; i < nest.loops.size(); ++i) {
    const VarId m = nest.loops[i].var;
    if (i != roles.n && uses_in_loads(m, n) && uses_in_loads(n, m)) roles.rest.push_back(i);
  }
  if (roles.rest.empty()) return false;
  roles.m = roles.rest[0];
  for (size_t i : roles.rest) {
    if (is_better(nest.loops[i], nest.loops[roles.m])) roles.m = i;
  }
  const auto is_no_rest = [&](size_t i) {
    return i == roles.m || !shares_panels(nest, reduction, n, nest.loops[i].var);
  };
  roles.rest.erase(std::remove_if(roles.rest.begin(), roles.rest.end(), is_no_rest), roles.rest.end());
  std::stable_sort(roles.rest.begin(), roles.rest.end(),
                   [&](size_t a, size_t b) { return nest.loops[a].extent > nest.loops[b].extent; });
  return nest.loops[roles.m].extent > 1;
}

// How many points each loop takes. All sizes follow from extents and caches, never from threads.
struct Sizes {
  int64_t vectors = 0, panel = 0;    // vectors side by side, and their lanes
  int64_t rows = 0;                  // of the register tile
  int64_t m_chunk = 0, n_chunk = 0;  // of one unit
  int64_t panels = 0;                // in a chunk
  int64_t groups = 0, tiles = 0;     // of rows in a chunk; in a group
  int64_t k_block = 0;               // points of the reduction in a block
};

// Cuts so many tiles into pieces of equal size, from `fewest` to `most` of them; returns a piece's size. The
// last piece overlaps the one before, so the count is the largest one that computes next to nothing twice.
int64_t even_piece(int64_t tiles, int64_t fewest, int64_t most) {
  const auto waste = [&](int64_t pieces) { return pieces * divide_up(tiles, pieces) - tiles; };
  int64_t best = fewest;
  for (int64_t pieces = fewest; pieces <= most; ++pieces) {
    if (waste(pieces) * 100 <= tiles * 2 || waste(pieces) < waste(best)) best = pieces;
  }
  return divide_up(tiles, best);
}

int64_t contracted_points(const Loop& reduction) {
  int64_t points = reduction.extent;
  for (const Stmt& stmt : reduction.body.stmts) {
    if (auto* loop = std::get_if<Loop>(&stmt.node)) points *= contracted_points(*loop);
  }
  return points;
}

Sizes choose_sizes(const Kernel& kernel, const Target& target, const Loop& reduction, int64_t m_extent,
                   int64_t n_extent, int64_t other_units) {
  size_t widest = 1;
  for (DType dtype : kernel.scalars) widest = std::max(widest, byte_size(dtype));
  const auto bytes = static_cast<int64_t>(widest);
  const int64_t lanes = std::max<int64_t>(1, target.vector_bytes / bytes);
  Sizes s;
  s.vectors = n_extent < 2 * lanes ? 1 : 2;
  s.panel = lanes * s.vectors;
  while (s.panel > n_extent) s.panel /= 2;
  if (s.panel < 2) return s;  // no lanes, no tile
  // Accumulators fill the registers but for the panel's vectors and what is read of the other operand.
  const int64_t registers = target.vector_registers - (target.vector_registers >= 32 ? 4 : 2) - s.vectors;
  s.rows = std::min<int64_t>(m_extent, std::max<int64_t>(1, registers / s.vectors));

  // Half of the second-level cache holds a group of rows; a panel beside it is streamed from further away.
  const int64_t cached = target.l2_bytes / 2 / bytes;
  const int64_t longest_k = cached / (kFewTiles * s.rows), k_extent = contracted_points(reduction);
  s.k_block = reduction.extent;
  if (k_extent == reduction.extent && k_extent > longest_k) s.k_block = near_divisor(k_extent, longest_k);
  const int64_t k_packed = s.k_block * (k_extent / reduction.extent);

  const int64_t m_tiles = divide_up(m_extent, s.rows), n_panels = divide_up(n_extent, s.panel);
  // Where k cannot be cut, fewer panels are packed at once: threads hold a copy each.
  const int64_t most_panels =
      std::clamp<int64_t>(kMostPacked * target.l2_bytes / (k_packed * s.panel * bytes), 1, kMostPanels);
  const int64_t n_pieces = divide_up(n_panels, most_panels);
  s.panels = even_piece(n_panels, n_pieces, std::max(n_pieces, n_panels / kFewPanels));
  s.n_chunk = std::min(s.panels * s.panel, n_extent);
  const int64_t m_pieces = divide_up(m_extent, kMostRows);
  const int64_t m_wanted = divide_up(kUnits, divide_up(n_panels, s.panels) * other_units);
  const int64_t all_tiles =
      even_piece(m_tiles, m_pieces, std::max(m_pieces, std::min(m_wanted, m_extent / kFewRows)));
  s.m_chunk = std::min(all_tiles * s.rows, m_extent);
  const int64_t most_tiles = std::max<int64_t>(1, cached / k_packed / s.rows);
  s.groups = divide_up(all_tiles, most_tiles);
  s.tiles = divide_up(all_tiles, s.groups);
  return s;
}

void append(Block& to, Block from) {
  for (Stmt& stmt : from.stmts) to.stmts.push_back(std::move(stmt));
}

// Builds the loops of one unit.
class Unit {
 public:
  // `rest` are the other loops of the rows' side that run inside of the unit.
  Unit(Kernel& kernel, const Sizes& sizes, int64_t blocks, std::vector<Loop> rest)
      : kernel_(kernel),
        sizes_(sizes),
        rest_(std::move(rest)),
        block_(make_loop(kernel, "k_block", blocks, 1, LoopKind::kScan)),
        panel_(make_loop(kernel, "n_panel", sizes.panels, 1, LoopKind::kMap)),
        group_(make_loop(kernel, "m_group", sizes.groups, 1, LoopKind::kMap)),
        tile_(make_loop(kernel, "m_tile", sizes.tiles, 1, LoopKind::kMap)),
        m_(make_loop(kernel, "m", sizes.rows, 1, LoopKind::kMap, LoopStyle::kTile)),
        n_(make_loop(kernel, "n", sizes.panel, 1, LoopKind::kMap, LoopStyle::kLanes)) {
    n_.vectors = static_cast<int>(sizes.vectors);
  }

  VarId block() const { return block_.var; }
  Index m() const {
    return start_of(tile_ordinal(), sizes_.groups * sizes_.tiles, sizes_.rows, sizes_.m_chunk) +
           kernel_.var(m_.var);
  }
  Index n() const {
    return start_of(kernel_.var(panel_.var), sizes_.panels, sizes_.panel, sizes_.n_chunk) +
           kernel_.var(n_.var);
  }

  // `body` is in terms of the unit's variables.
  Block build(Block body) {
    Loop& reduction = *single_reduction(body);
    const bool blocked = block_.extent > 1;
    Block result, in_block, in_group, epilogue;
    Sums sums;
    if (blocked || !short_epilogue(body)) sums = allocate(reduction, result, blocked);
    if (blocked) append(result, clear_sums(kernel_, body, reduction, sums, unit_sums()));
    append(in_block, pack_panels(body, reduction));
    append(in_group, pack_rows(body, reduction));
    if (!sums.buffers.empty()) epilogue = cut_behind_reduction(kernel_, body, sums, blocked);
    Block tile = wrap({m_, n_}, std::move(body));
    if (!blocked) append(tile, over_tile(std::move(epilogue)));
    append(in_group, wrap({panel_, tile_}, std::move(tile)));
    append(in_block, wrap(rest_, wrap({group_}, std::move(in_group))));
    if (!blocked) {
      append(result, std::move(in_block));
    } else {
      append(result, wrap({block_}, std::move(in_block)));
      append(result, over_unit(std::move(epilogue)));
    }
    return result;
  }

 private:
  Index tile_ordinal() const { return kernel_.var(group_.var) * sizes_.tiles + kernel_.var(tile_.var); }
  int64_t tile_sums() const { return sizes_.rows * sizes_.panel; }
  int64_t unit_sums() const {
    int64_t sums = sizes_.panels * sizes_.groups * sizes_.tiles * tile_sums();
    for (const Loop& loop : rest_) sums *= loop.extent;
    return sums;
  }

  // A buffer for the sums of one tile, or of the whole unit where blocks of k follow each other.
  Sums allocate(const Loop& reduction, Block& to, bool blocked) {
    Sums sums;
    sums.place = kernel_.var(m_.var) * sizes_.panel + kernel_.var(n_.var);
    if (blocked) {
      Index tiles = kernel_.var(panel_.var);
      for (const Loop& loop : rest_) tiles = tiles * loop.extent + kernel_.var(loop.var);
      tiles = tiles * (sizes_.groups * sizes_.tiles) + tile_ordinal();
      sums.place = sums.place + tiles * tile_sums();
    }
    const int64_t elements = blocked ? unit_sums() : tile_sums();
    for (const Carry& carry : reduction.carries) {
      const DType dtype = kernel_.scalars[static_cast<size_t>(carry.result)];
      sums.buffers.push_back(kernel_.add_buffer(
          {"sums", dtype, elements, Buffer::Kind::kLocal, {elements / sizes_.panel, sizes_.panel}}));
      to.stmts.push_back({Alloc{sums.buffers.back()}});
    }
    return sums;
  }

  // Panels that are read several times, or whose points are no neighbours.
  Block pack_panels(const Block& body, Loop& reduction) {
    const bool neighbours = contiguous_along(reduction, n_.var, m_.var);
    if (sizes_.groups * sizes_.tiles < 2 && rest_.empty() && neighbours) return {};
    return pack_side(kernel_, body, reduction,
                     {n_.var, panel_.var, m_.var, sizes_.panel, sizes_.panels, true, neighbours, "panels"});
  }

  // Rows that enough panels read.
  Block pack_rows(const Block& body, Loop& reduction) {
    if (sizes_.panels < kFewPanels / 2) return {};
    const bool neighbours = contiguous_along(reduction, m_.var, n_.var);
    return pack_side(kernel_, body, reduction,
                     {m_.var, tile_.var, n_.var, sizes_.rows, sizes_.tiles, neighbours, neighbours, "rows"});
  }

  Block over_tile(Block epilogue) {
    if (epilogue.stmts.empty()) return {};
    Loop rows = make_loop(kernel_, "m", sizes_.rows, 1, LoopKind::kMap);
    Loop lanes = make_loop(kernel_, "n", sizes_.panel, 1, LoopKind::kMap, LoopStyle::kLanes);
    lanes.vectors = n_.vectors;
    replace(epilogue, {{m_.var, rows.var}, {n_.var, lanes.var}});
    return wrap({std::move(rows), std::move(lanes)}, std::move(epilogue));
  }

  Block over_unit(Block epilogue) {
    Loop panels = make_loop(kernel_, "n_panel", sizes_.panels, 1, LoopKind::kMap);
    Loop groups = make_loop(kernel_, "m_group", sizes_.groups, 1, LoopKind::kMap);
    Loop tiles = make_loop(kernel_, "m_tile", sizes_.tiles, 1, LoopKind::kMap);
    std::unordered_map<VarId, VarId> renewed = {
        {panel_.var, panels.var}, {group_.var, groups.var}, {tile_.var, tiles.var}};
    std::vector<Loop> loops = {std::move(panels)};
    for (const Loop& loop : rest_) {
      loops.push_back(make_loop(kernel_, kernel_.var_names[static_cast<size_t>(loop.var)], loop.extent, 1,
                                LoopKind::kMap));
      renewed[loop.var] = loops.back().var;
    }
    loops.push_back(std::move(groups));
    loops.push_back(std::move(tiles));
    replace(epilogue, renewed);
    return wrap(std::move(loops), over_tile(std::move(epilogue)));
  }

  void replace(Block& block, const std::unordered_map<VarId, VarId>& by) {
    substitute(block, [&](int id, int64_t extent) {
      auto it = by.find(id);
      return it == by.end() ? Index::variable(id, extent) : kernel_.var(it->second);
    });
  }

  Kernel& kernel_;
  const Sizes& sizes_;
  std::vector<Loop> rest_;
  Loop block_, panel_, group_, tile_, m_, n_;
};

}  // namespace

bool tile_contraction(Kernel& kernel, const Target& target) {
  if (!kernel.bound.empty()) return false;  // points of a tile read at constant distances
  Nest nest = take_nest(kernel);
  Loop* reduction = single_reduction(nest.body);
  Roles roles;
  auto refuse = [&] {
    put_nest(kernel, std::move(nest));
    return false;
  };
  if (reduction == nullptr || !find_roles(nest, *reduction, roles)) return refuse();
  const Loop m_loop = nest.loops[roles.m], n_loop = nest.loops[roles.n];
  // Loops that share the panels run inside of a unit, in pieces.
  std::vector<Loop> loops, rest;
  std::unordered_map<VarId, Index> places;
  int64_t other_units = 1, rows = m_loop.extent;
  for (size_t i : roles.rest) {
    const Loop& loop = nest.loops[i];
    const int64_t pieces = divide_up(loop.extent, std::max<int64_t>(1, kMostRows / rows));
    const int64_t piece = divide_up(loop.extent, pieces);
    if (piece < 2) continue;
    const std::string name = kernel.var_names[static_cast<size_t>(loop.var)];
    loops.push_back(make_loop(kernel, name + "_chunk", loop.extent, piece, LoopKind::kParallel));
    rest.push_back(make_loop(kernel, name, piece, 1, LoopKind::kMap));
    places[loop.var] = kernel.var(loops.back().var) + kernel.var(rest.back().var);
    other_units *= divide_up(loop.extent, piece);
    rows *= piece;
  }
  for (size_t i = 0; i < nest.loops.size(); ++i) {
    if (i == roles.m || i == roles.n || places.count(nest.loops[i].var)) continue;
    loops.push_back(nest.loops[i]);
    other_units *= nest.loops[i].extent;
  }
  Sizes sizes = choose_sizes(kernel, target, *reduction, m_loop.extent, n_loop.extent, other_units);
  if (sizes.panel < 2) return refuse();
  if (!begins_with_literals(nest.body, *reduction)) sizes.k_block = reduction->extent;

  loops.push_back(make_loop(kernel, "n_chunk", n_loop.extent, sizes.n_chunk, LoopKind::kParallel));
  const Index n_start = kernel.var(loops.back().var);
  loops.push_back(make_loop(kernel, "m_chunk", m_loop.extent, sizes.m_chunk, LoopKind::kParallel));
  const Index m_start = kernel.var(loops.back().var);
  Unit unit(kernel, sizes, reduction->extent / sizes.k_block, std::move(rest));
  places[m_loop.var] = m_start + unit.m();
  places[n_loop.var] = n_start + unit.n();
  substitute(nest.body, [&](int id, int64_t extent) {
    auto it = places.find(id);
    return it == places.end() ? Index::variable(id, extent) : it->second;
  });
  if (sizes.k_block < reduction->extent) {
    const VarId whole = reduction->var;
    reduction->var = kernel.add_var(kernel.var_names[static_cast<size_t>(whole)], sizes.k_block);
    reduction->extent = sizes.k_block;
    const Index k = kernel.var(unit.block()) * sizes.k_block + kernel.var(reduction->var);
    substitute(reduction->body,
               [&](int id, int64_t extent) { return id == whole ? k : Index::variable(id, extent); });
  }
  Block body = unit.build(std::move(nest.body));
  eliminate_dead(kernel, body);
  kernel.body = wrap(std::move(loops), std::move(body));
  kernel.kind = "contraction";
  return true;
}

}  // namespace ingot::kernel
