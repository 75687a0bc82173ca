// Sizes of a contraction's tiles, groups, chunks and parts.
//
// Each unit packs what it reads: the rows once per chunk of n, the panels once per chunk of m. Chunks are as
// large as caches allow and as small as it takes to have enough units; among those that are alike, the ones
// that pack least. Or all panels are packed once, before the units begin, which read them from the cache that
// processors share; then each unit takes few rows and many panels.
#include "kernel/contraction_sizes.h"

#include <optional>

#include "kernel/blocks.h"
#include "kernel/contraction.h"

namespace ingot::kernel {
namespace {

constexpr int64_t kMostRows = 1024;  // of m per unit, which packs its panels for itself
constexpr int64_t kEnoughRows = 32;  // with fewer, a longer dimension is a better m than one that lies well
constexpr int64_t kFewRows = 128;    // per unit: fewer do not pay for packing the panels
constexpr int64_t kMostPanels = 32;  // of n per unit, which packs its rows for itself
constexpr int64_t kFewPanels = 8;    // per unit: fewer do not pay for packing the rows
constexpr int64_t kFewTiles = 8;     // in a group of rows: more of them are worth a block of k
constexpr int64_t kLowTile = 5;      // eighths of the rows that registers hold: enough sums to be fast
constexpr int64_t kPanelsOfPackedRows = 4;  // of a unit: fewer read the rows where they lie
constexpr int64_t kMostPacked = 8;          // second-level caches that the packed panels of a unit may fill
constexpr int64_t kUnits = 16;              // fewer leave threads without work
constexpr int64_t kFewUnits = 4;            // small products have so many
constexpr int64_t kMostParts = 32;          // of k
constexpr int64_t kPartPoints = 512;        // of k per part: enough to pay for adding it up
// In multiplications of vectors:
constexpr double kPacking = 1;  // an element of either side
constexpr double kPackingFromMemory = 2;
constexpr double kTransposing = 0.7;     // an element of panels along which k runs in memory, besides
constexpr double kSpilling = 1;          // an element of panels that a unit packs, and its caches do not hold
constexpr double kSharing = 0.9;         // an element that is packed for all units, besides
constexpr double kReading = 0.25;        // a vector of a panel that a tile reads
constexpr double kStreaming = 0.2;       // an element that a group of rows reads from that cache
constexpr double kKeeping = 2;           // a sum that is kept between two blocks of k, for each of them
constexpr double kSmallProduct = 80000;  // a unit alone: threads take as long to meet
constexpr double kPhase = 20000;         // threads wait for each other between two phases
constexpr double kMatrixSpeed = 8;       // so many vectors a matrix tile multiplies at the price of one
constexpr double kJoining = 2;           // a sum that is written, read and added up
constexpr double kGain = 0.97;           // of the cost is left: parts are worth a second phase

// Whether one side, that of this variable of a tile, is the same for all values of another variable. What
// stands before the reduction may be used in it on either side, so it must not depend on the other at all.
bool is_same_for_all(const Nest& nest, Block& contracted, VarId side, VarId var) {
  bool same = true;
  for_each_index(contracted,
                 [&](const Index& index) { same = same && !(index.uses(var) && index.uses(side)); });
  for (const Stmt& stmt : nest.body.stmts) {
    if (std::holds_alternative<Loop>(stmt.node)) break;
    Block alone;
    alone.stmts.push_back(stmt);
    for_each_index(alone, [&](const Index& index) { same = same && !index.uses(var); });
  }
  return same;
}

int64_t contracted_points(const Loop& reduction) {
  int64_t points = reduction.extent;
  for (const Stmt& stmt : reduction.body.stmts) {
    if (auto* loop = std::get_if<Loop>(&stmt.node)) points *= contracted_points(*loop);
  }
  return points;
}

// What a choice of sizes depends on.
struct Problem {
  const Target& target;
  const Loop& reduction;
  int64_t m_extent, n_extent, k_extent;
  int64_t others;        // units that other dimensions make
  int64_t rest_points;   // of dimensions that run inside of a unit, which packs its panels once for all
  int64_t panel_copies;  // different panels that other dimensions see
  int64_t row_copies;    // the same of rows
  int64_t bytes;         // of a sum
  int64_t packed_bytes;  // of an element in the packed copies
  bool panels_lie_well;  // n runs along memory
  const MatrixTiles* tiles = nullptr;  // products of these are possible
  bool cut_small = true;               // small products into a few units
  bool in_tiles = false;               // ... and chosen
};

// A register tile, and the points of k that are packed at once.
struct Tile {
  int64_t vectors = 0, panel = 0, rows = 0;
  int64_t k_block = 0, k_packed = 0;  // of the outermost loop; of all of them
  bool matrix = false;                // of products of matrix tiles
};

// The width of a tile. No lanes, no tile: the panel has less than two then.
Tile choose_width(const Problem& p) {
  Tile t;
  const int64_t lanes = std::max<int64_t>(1, p.target.vector_bytes / p.bytes);
  const int64_t columns = p.in_tiles ? p.tiles->columns() : lanes;
  const bool room = !p.in_tiles || p.tiles->count >= 5;  // of sums and panels two, and one of rows
  t.panel = room && p.n_extent >= 2 * columns ? 2 * columns : columns;
  t.vectors = std::max<int64_t>(1, t.panel / lanes);
  t.matrix = p.in_tiles;
  while (t.panel > p.n_extent) t.panel /= 2;
  return t;
}

// Accumulators fill the registers but for the panel's vectors and what is read of the other operand.
int64_t most_rows(const Problem& p, const Tile& tile) {
  if (p.in_tiles) {  // and one tile for each piece of either side
    const int64_t across = divide_up(tile.panel, p.tiles->columns());
    return std::max<int64_t>(1, (p.tiles->count - across) / (across + 1)) * p.tiles->rows;
  }
  const int64_t all = p.target.vector_registers;
  const int64_t registers = all - (all >= 32 ? 4 : 2) - tile.vectors;
  return std::max<int64_t>(1, registers / tile.vectors);
}

// Half of the second-level cache holds a group of rows; a panel beside it is streamed from further away.
Tile with_rows(const Problem& p, Tile tile, int64_t rows) {
  tile.rows = rows;
  const int64_t longest_k = p.target.l2_bytes / 2 / p.packed_bytes / (kFewTiles * rows);
  const bool one_loop = contracted_points(p.reduction) == p.reduction.extent;
  tile.k_block = one_loop ? p.k_extent : p.reduction.extent;
  if (one_loop && p.k_extent > longest_k) {
    const int64_t depth = p.in_tiles ? p.tiles->depth() : 1, unit = p.k_extent % depth == 0 ? depth : 1;
    tile.k_block = near_divisor(p.k_extent / unit, std::max<int64_t>(1, longest_k / unit)) * unit;
  }
  tile.k_packed = one_loop ? tile.k_block : p.k_extent;
  return tile;
}

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

// Panels are read from a cache that processors share.
bool far_panels(const Problem& p, const Tile& tile, const Chunks& c) {
  return c.shared.panels || c.panels * tile.panel * tile.k_packed * p.packed_bytes > p.target.l2_bytes / 2;
}

// For one point of the dimensions beside m and n.
double cost_of_packing(const Problem& p, const Chunks& c, bool far, double groups, double rows,
                       double in_panels) {
  const bool near = (p.m_extent + p.n_extent) * p.k_extent * p.packed_bytes <= p.target.l3_bytes;
  const double packing = near ? kPacking : kPackingFromMemory;
  const double m = static_cast<double>(c.m), n = static_cast<double>(c.n);
  const double rest = static_cast<double>(p.rest_points), all = static_cast<double>(p.others) * rest;
  const double of_panel = packing + (p.panels_lie_well ? 0 : kTransposing);
  double cost = 0;
  if (c.shared.panels) {
    cost += in_panels * (of_panel + kSharing) * static_cast<double>(p.panel_copies) / all;
  } else {
    cost += in_panels * (of_panel + (far ? kSpilling : 0)) * m / rest;
  }
  if (far) cost += in_panels * kStreaming * groups;
  if (c.shared.rows) {
    cost += rows * (packing + kSharing) * static_cast<double>(p.row_copies) / all + rows * kStreaming * n;
  } else {
    cost += rows * packing * (c.panels >= kPanelsOfPackedRows ? n : n * static_cast<double>(c.panels));
  }
  return cost;
}

// Of a point of k: what the multiplications of a tile cost. A matrix tile takes as long with fewer rows.
double cost_of_products(const Problem& p, const Tile& tile) {
  const auto vectors = static_cast<double>(tile.vectors);
  if (!tile.matrix) return static_cast<double>(tile.rows) * vectors;
  const int64_t rows = divide_up(tile.rows, p.tiles->rows) * p.tiles->rows;
  const auto padded = static_cast<double>(padded_points(tile.k_packed, p.tiles->depth()));
  return static_cast<double>(rows) * vectors / kMatrixSpeed * padded / static_cast<double>(tile.k_packed);
}

double cost_of(const Problem& p, const Tile& tile, const Chunks& c) {
  const double groups = static_cast<double>(c.m * c.groups), tiles = groups * static_cast<double>(c.tiles);
  const double rows = tiles * static_cast<double>(tile.rows), panels = static_cast<double>(c.n * c.panels);
  const double vectors = panels * static_cast<double>(tile.vectors);
  const double in_panels = panels * static_cast<double>(tile.panel);
  double cost = tiles * panels * cost_of_products(p, tile) + tiles * vectors * kReading;
  cost += cost_of_packing(p, c, far_panels(p, tile, c), groups, rows, in_panels);
  if (tile.k_block < p.reduction.extent) {
    const double blocks = static_cast<double>(p.reduction.extent / tile.k_block);
    cost += rows * in_panels * (blocks + 1) * kKeeping / static_cast<double>(p.k_extent);
  }
  // At the end some threads wait for others, for half a unit each.
  return cost * (1 + 0.5 / static_cast<double>(c.units() * p.others));
}

// Equal chunks, of about so many. The last one overlaps the one before where they do not divide their side.
Chunks cut_into_chunks(const Problem& p, const Tile& tile, Shared shared, int64_t m, int64_t n) {
  const int64_t all_tiles = divide_up(p.m_extent, tile.rows), all_panels = divide_up(p.n_extent, tile.panel);
  const int64_t group_bytes = p.target.l2_bytes / 2;
  const int64_t most_tiles =
      std::max<int64_t>(1, group_bytes / p.packed_bytes / tile.k_packed / tile.rows);  // in a group
  Chunks c;
  c.shared = shared;
  c.panels = divide_up(all_panels, n);
  c.n = divide_up(all_panels, c.panels);
  c.groups = divide_up(divide_up(all_tiles, m), most_tiles);
  c.tiles = divide_up(divide_up(all_tiles, m), c.groups);
  c.m = divide_up(all_tiles, c.groups * c.tiles);
  c.cost = cost_of(p, tile, c);
  return c;
}

// The fewest and the most chunks of each side that are tried.
struct Limits {
  int64_t units;  // that are wanted
  int64_t fewest_n, most_n, fewest_m, most_m;
};

Chunks choose_chunks(const Problem& p, const Tile& tile, Shared shared, const Limits& limits) {
  const int64_t panels = divide_up(p.n_extent, tile.panel);
  std::optional<Chunks> best;
  for (int64_t n = limits.most_n; n >= limits.fewest_n; --n) {
    if (n < limits.most_n && divide_up(panels, n) == divide_up(panels, n + 1)) continue;  // the same chunks
    const int64_t m_wanted = std::clamp(divide_up(limits.units, n), limits.fewest_m, limits.most_m);
    for (int64_t m = m_wanted; m <= std::min(limits.most_m, 3 * m_wanted); ++m) {
      const Chunks chunks = cut_into_chunks(p, tile, shared, m, n);
      const int64_t units = std::min(chunks.units(), limits.units);
      const int64_t so_far = best ? std::min(best->units(), limits.units) : 0;
      if (units > so_far || (units == so_far && chunks.cost < best->cost)) best = chunks;
    }
  }
  return *best;
}

// So many units, if caches and the sides' lengths allow, at the least cost: each chunk of n packs all rows,
// each chunk of m all panels, and what overlaps is computed twice. A small product is cut further, into a few
// units that pay less for packing than threads without work would.
Chunks choose_chunks(const Problem& p, const Tile& tile, Shared shared) {
  const int64_t panels = divide_up(p.n_extent, tile.panel), l2_bytes = p.target.l2_bytes;
  // Where k cannot be cut, fewer panels are packed at once: threads hold a copy each.
  const int64_t panel_bytes = tile.k_packed * tile.panel * p.packed_bytes;
  const int64_t most_panels =
      shared.panels ? panels : std::clamp<int64_t>(kMostPacked * l2_bytes / panel_bytes, 1, kMostPanels);
  const int64_t near_panels = std::clamp<int64_t>(l2_bytes / 2 / panel_bytes, 1, kFewPanels);
  const int64_t few_rows = shared.panels ? 2 * tile.rows : kFewRows;
  Limits limits;
  limits.units = divide_up(kUnits, p.others);
  limits.fewest_n = divide_up(panels, most_panels);
  limits.fewest_m = divide_up(p.m_extent, kMostRows);
  limits.most_n = std::max(limits.fewest_n, panels / (shared.panels ? kFewPanels : near_panels));
  limits.most_m = std::max(limits.fewest_m, p.m_extent / few_rows);
  const Chunks chunks = choose_chunks(p, tile, shared, limits);
  const bool small = chunks.cost * static_cast<double>(p.k_extent * p.others) < kSmallProduct;
  if (small || !p.cut_small || chunks.units() * p.others >= kFewUnits) return chunks;
  limits.units = divide_up(kFewUnits, p.others);
  limits.most_n = panels;
  limits.most_m = divide_up(p.m_extent, tile.rows);
  return choose_chunks(p, tile, shared, limits);
}

struct Choice {
  Tile tile;
  Chunks chunks{};
  double cost = 0;  // of all points of k
};

// Enough units come first, then cost.
bool better(const Problem& p, const Choice& choice, const std::optional<Choice>& than) {
  if (!than) return true;
  const int64_t wanted = divide_up(kUnits, p.others);
  const int64_t units = std::min(choice.chunks.units(), wanted);
  const int64_t so_far = std::min(than->chunks.units(), wanted);
  return units > so_far || (units == so_far && choice.cost < than->cost);
}

Choice choose_height(const Problem& p, const Tile& width, Shared shared) {
  const int64_t most = most_rows(p, width);
  const double phases = (shared.panels ? 1 : 0) + (shared.rows ? 1 : 0);
  std::optional<Choice> best;
  for (int64_t rows = most; rows >= std::max<int64_t>(1, most * kLowTile / 8); --rows) {
    // As many tiles as that takes, of equal heights: what overlaps is computed twice.
    const int64_t equal = divide_up(p.m_extent, divide_up(p.m_extent, rows));
    if (best && equal >= best->tile.rows) continue;
    Choice choice{with_rows(p, width, equal)};
    choice.chunks = choose_chunks(p, choice.tile, shared);
    choice.cost = choice.chunks.cost * static_cast<double>(p.k_extent);
    choice.cost += phases * kPhase / static_cast<double>(p.others * p.rest_points);
    if (better(p, choice, best)) best = choice;
  }
  return *best;
}

// The best of all ways; no panel of at least two where there are no lanes. The panels of what is a part of
// one unit are packed before all units (hoist_packing.cc).
Choice choose_way(const Problem& p, bool in_unit) {
  const Tile width = choose_width(p);
  if (width.panel < 2) return {width};
  if (in_unit) {
    Choice choice = choose_height(p, width, {.panels = true});
    choice.chunks.shared = {};
    return choice;
  }
  const Choice own = choose_height(p, width, {});
  // A unit alone with its panels, or rows, packs them as often as all would.
  const int64_t row_bytes = p.k_extent * p.packed_bytes, l3_bytes = p.target.l3_bytes;
  const int64_t panels_bytes = p.panel_copies * p.n_extent * row_bytes;
  const int64_t rows_bytes = p.row_copies * p.m_extent * row_bytes;
  const bool panels = own.chunks.m >= 2 && panels_bytes <= l3_bytes;
  const bool rows = (own.chunks.n >= 2 || p.row_copies < p.others * p.rest_points) &&
                    p.m_extent * p.rest_points >= kEnoughRows && rows_bytes <= l3_bytes / 2;
  std::optional<Choice> best = own;
  for (Shared shared : {Shared{true, false}, Shared{false, true}, Shared{true, true}}) {
    if ((shared.panels && !panels) || (shared.rows && !rows)) continue;
    if (shared.panels && shared.rows && panels_bytes + rows_bytes > l3_bytes) continue;
    const Choice choice = choose_height(p, width, shared);
    if (better(p, choice, best)) best = choice;
  }
  return *best;
}

Choice choose(const Problem& p, bool in_unit = false) {
  Choice best = choose_way(p, in_unit);
  if (p.tiles == nullptr || best.tile.panel < 2) return best;
  Problem in_tiles = p;
  in_tiles.in_tiles = true;
  in_tiles.packed_bytes = static_cast<int64_t>(byte_size(DType::kBF16));
  Choice choice = choose_way(in_tiles, in_unit);
  return choice.cost < best.cost ? choice : best;
}

// Whether each of two loads of bf16 sees but one side, and nothing stands between the loops over k but the
// sum that they hand on.
bool multiplies_sides(const Kernel& kernel, Loop& reduction, VarId m, VarId n) {
  const std::vector<Loop*> chain = chain_of(reduction);
  const Loop& inner = *chain.back();
  if (!adds_bf16_products(kernel, inner) || (chain.size() > 1 && inner.extent % 2 != 0)) return false;
  for (size_t i = 0; i + 1 < chain.size(); ++i) {
    const Combiner& joining = chain[i]->combiner;
    const auto* sum =
        joining.body.stmts.size() == 1 ? std::get_if<Let>(&joining.body.stmts[0].node) : nullptr;
    if (chain[i]->carries.size() != 1 || chain[i]->carries[0].next != chain[i + 1]->carries[0].result ||
        sum == nullptr || *sum->record->name != "add")
      return false;
  }
  int rows = 0, panels = 0;
  for (const Stmt& stmt : inner.body.stmts) {
    const auto* load = std::get_if<Load>(&stmt.node);
    if (load == nullptr) continue;
    rows += load->offset.uses(m) && !load->offset.uses(n);
    panels += load->offset.uses(n) && !load->offset.uses(m);
  }
  return rows == 1 && panels == 1;
}

int64_t widest_scalar(const Kernel& kernel) {
  size_t widest = 1;
  for (DType dtype : kernel.scalars) widest = std::max(widest, byte_size(dtype));
  return static_cast<int64_t>(widest);
}

int64_t widest_scalar(const Kernel& kernel, const Block& block) {
  size_t widest = 1;
  for (const Stmt& stmt : block.stmts) {
    for (ScalarId id : results(stmt))
      widest = std::max(widest, byte_size(kernel.scalars[static_cast<size_t>(id)]));
    auto* loop = std::get_if<Loop>(&stmt.node);
    if (loop == nullptr) continue;
    widest = std::max(widest, static_cast<size_t>(widest_scalar(kernel, loop->body)));
  }
  return static_cast<int64_t>(widest);
}

// How many different panels, or rows, the dimensions beside m and n see: those that show in an index of the
// side's variable.
int64_t copies_of(const Nest& nest, const Roles& roles, Loop& reduction, VarId side) {
  int64_t copies = 1;
  for (size_t i = 0; i < nest.loops.size(); ++i) {
    if (i == roles.m || i == roles.n) continue;
    if (!is_same_for_all(nest, reduction.body, side, nest.loops[i].var)) copies *= nest.loops[i].extent;
  }
  return copies;
}

Problem describe(const Kernel& kernel, const Target& target, const Nest& nest, const Roles& roles,
                 Loop& reduction, int64_t bytes) {
  const Loop &m = nest.loops[roles.m], &n = nest.loops[roles.n];
  const bool tiles = target.tiles.count > 0 && multiplies_sides(kernel, reduction, m.var, n.var);
  const bool narrow = target.bf16_products && sums_bf16_products(kernel, innermost(reduction));
  const std::vector<Rest> rest = rest_of_unit(nest, roles);
  int64_t rest_points = 1;
  for (const Rest& r : rest) rest_points *= r.piece;
  return {target,
          reduction,
          m.extent,
          n.extent,
          contracted_points(reduction),
          other_units(nest, roles, rest),
          rest_points,
          copies_of(nest, roles, reduction, n.var),
          copies_of(nest, roles, reduction, m.var),
          bytes,
          narrow ? static_cast<int64_t>(byte_size(DType::kBF16)) : bytes,
          contiguous_along(reduction, n.var, m.var),
          tiles ? &target.tiles : nullptr};
}

}  // namespace

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
    return i == roles.m || !is_same_for_all(nest, reduction.body, n, nest.loops[i].var);
  };
  roles.rest.erase(std::remove_if(roles.rest.begin(), roles.rest.end(), is_no_rest), roles.rest.end());
  std::stable_sort(roles.rest.begin(), roles.rest.end(),
                   [&](size_t a, size_t b) { return nest.loops[a].extent > nest.loops[b].extent; });
  return nest.loops[roles.m].extent > 1;
}

std::vector<Rest> rest_of_unit(const Nest& nest, const Roles& roles) {
  std::vector<Rest> rest;
  int64_t rows = nest.loops[roles.m].extent;
  for (size_t i : roles.rest) {
    const int64_t extent = nest.loops[i].extent;
    const int64_t piece = divide_up(extent, divide_up(extent, std::max<int64_t>(1, kMostRows / rows)));
    if (piece < 2) continue;
    rest.push_back({i, piece});
    rows *= piece;
  }
  return rest;
}

int64_t other_units(const Nest& nest, const Roles& roles, const std::vector<Rest>& rest) {
  int64_t units = 1;
  for (size_t i = 0; i < nest.loops.size(); ++i) {
    if (i != roles.m && i != roles.n) units *= nest.loops[i].extent;
  }
  for (const Rest& r : rest) {
    const int64_t extent = nest.loops[r.at].extent;
    units = units / extent * divide_up(extent, r.piece);
  }
  return units;
}

Sizes choose_sizes(const Kernel& kernel, const Target& target, const Nest& nest, const Roles& roles,
                   Loop& reduction, bool in_unit) {
  const int64_t bytes = in_unit ? widest_scalar(kernel, nest.body) : widest_scalar(kernel);
  Problem problem = describe(kernel, target, nest, roles, reduction, bytes);
  if (in_unit) problem.others = kUnits;  // there are others
  const Choice choice = choose(problem, in_unit);
  Sizes s;
  s.vectors = choice.tile.vectors;
  s.panel = choice.tile.panel;
  if (s.panel < 2) return s;
  s.rows = choice.tile.rows;
  s.k_block = choice.tile.k_block;
  s.panels = choice.chunks.panels;
  s.groups = choice.chunks.groups;
  s.tiles = choice.chunks.tiles;
  s.n_chunk = std::min(s.panels * s.panel, problem.n_extent);
  s.m_chunk = std::min(s.groups * s.tiles * s.rows, problem.m_extent);
  s.shared_panels = choice.chunks.shared.panels;
  s.shared_rows = choice.chunks.shared.rows;
  s.far_panels = far_panels(problem, choice.tile, choice.chunks);
  s.packed_rows = s.panels >= kPanelsOfPackedRows;
  s.matrix = choice.tile.matrix;
  return s;
}

int64_t contracted_parts(const Kernel& kernel, const Target& target, const Nest& nest, const Roles& roles,
                         Loop& reduction) {
  Problem whole = describe(kernel, target, nest, roles, reduction, widest_scalar(kernel));
  whole.cut_small = false;  // parts come first
  int64_t results = 1;
  for (const Loop& loop : nest.loops) results *= loop.extent;
  const double tiles = static_cast<double>(results / (whole.m_extent * whole.n_extent));
  int64_t best = 1, best_units = 0;
  double best_cost = 0;
  for (int64_t parts = 1; parts <= kMostParts; parts *= 2) {
    Problem part = whole;
    part.k_extent /= parts;
    part.others *= parts;
    part.panel_copies *= parts;
    part.row_copies *= parts;
    if (parts > 1 && (part.k_extent < kPartPoints || parts * results * whole.bytes > target.l3_bytes)) break;
    const Choice choice = choose(part);
    if (choice.tile.panel < 2) return 1;
    const int64_t units = std::min(kUnits, choice.chunks.units() * part.others);
    const double joining = parts > 1 ? kJoining * static_cast<double>(parts * results) : 0;
    const double cost = choice.cost * tiles * static_cast<double>(parts) + joining;
    if (parts > 1 && units <= best_units && (units < best_units || cost > kGain * best_cost)) continue;
    best = parts;
    best_units = units;
    best_cost = cost;
  }
  return best;
}

}  // namespace ingot::kernel
