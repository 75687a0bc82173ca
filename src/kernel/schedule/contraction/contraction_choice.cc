// Sizes of a contraction's tiles, groups and chunks.
//
// Each unit packs what it reads: the rows once per chunk of n, the panels once per chunk of m. Chunks are as
// large as caches allow and as small as it takes to have enough units; among those that are alike, the ones
// that pack least. Or all panels are packed once, before the units begin, which read them from the cache that
// processors share; then each unit takes few rows and many panels. And so with the rows.
#include "kernel/schedule/contraction/contraction_choice.h"

#include <algorithm>
#include <optional>

#include "kernel/cost/table.h"
#include "kernel/schedule/contraction/contraction.h"

namespace ingot::kernel {
namespace {

constexpr int64_t kFewRows = 128;     // per unit: fewer do not pay for packing the panels
constexpr int64_t kMostPanels = 32;   // of n per unit, which packs its rows for itself
constexpr int64_t kFewPanels = 8;     // per unit: fewer do not pay for packing the rows
constexpr int64_t kFewTiles = 8;      // in a group of rows: more of them are worth a block of k
constexpr int64_t kLowTile = 5;       // eighths of the rows that registers hold: enough sums to be fast
constexpr int64_t kMostPacked = 8;    // second-level caches that the packed panels of a unit may fill
constexpr int64_t kFewUnits = 4;      // small products have so many
constexpr int64_t kRowsToShare = 32;  // of the rows' side: fewer are not packed for all

// The width of a tile. No lanes, no tile: the panel has less than two then.
Tile choose_width(const Problem& p) {
  Tile t;
  const int64_t lanes = std::max<int64_t>(1, p.target->vector_bytes / p.bytes);
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
  const int64_t all = p.target->vector_registers;
  const int64_t registers = all - (all >= 32 ? 4 : 2) - tile.vectors;
  return std::max<int64_t>(1, registers / tile.vectors);
}

// The most points of k in a block. Each block has sums of its own, so that bits depend on it: it follows from
// registers and the common machine's caches alone. A group of a few tiles fills a quarter of the second
// level, which is half of it on machines where it is half as large; a panel beside it is streamed from
// further away.
int64_t longest_block(const Problem& p, const Tile& tile) {
  return p.target->sums.l2_bytes / 4 / p.packed_bytes / (kFewTiles * most_rows(p, tile));
}

Tile with_rows(const Problem& p, Tile tile, int64_t rows) {
  tile.rows = rows;
  const int64_t longest_k = longest_block(p, tile);
  tile.k_block = p.one_loop ? p.k_extent : p.k_loop;
  if (p.one_loop && p.k_extent > longest_k) {
    const int64_t depth = p.in_tiles ? p.tiles->depth() : 1, unit = p.k_extent % depth == 0 ? depth : 1;
    tile.k_block = near_divisor(p.k_extent / unit, std::max<int64_t>(1, longest_k / unit)) * unit;
  }
  tile.k_packed = p.one_loop ? tile.k_block : p.k_extent;
  return tile;
}

// How often an element of the rows is moved where they are neighbours: the last vector of a tile's point of k
// overlaps the one before. Of what caches hold that is too little to choose a height by.
double moves_of_row(const Problem& p, const Tile& tile) {
  if (!p.rows_lie_well || p.in_tiles || !far_sides(p)) return 1;
  int64_t lanes = std::max<int64_t>(1, p.target->vector_bytes / p.bytes);
  while (lanes > tile.rows) lanes /= 2;
  return static_cast<double>(divide_up(tile.rows, lanes) * lanes) / static_cast<double>(tile.rows);
}

// For one point of the dimensions beside m and n.
double cost_of_packing(const Problem& p, const Tile& tile, const Chunks& c, bool far, double groups,
                       double rows, double in_panels) {
  const bool near = (p.m_extent + p.n_extent) * p.k_extent * p.packed_bytes <= p.target->l3_bytes;
  const double packing = near ? prices::kPackElement : prices::kPackFromMemory;
  const double m = static_cast<double>(c.m), n = static_cast<double>(c.n);
  const double rest = static_cast<double>(p.rest_points), all = static_cast<double>(p.others) * rest;
  const double of_row = packing * moves_of_row(p, tile);
  const double of_panel = packing + (p.panels_lie_well ? 0 : prices::kPackTransposed);
  double cost = 0;
  if (c.shared.panels && p.panels_kept) {
    // nothing: it is there
  } else if (c.shared.panels) {
    cost += in_panels * (of_panel + prices::kPackShared) * static_cast<double>(p.panel_copies) / all;
  } else {
    cost += in_panels * (of_panel + (far ? prices::kPackSpilled : 0)) * m / rest;
  }
  if (far) cost += in_panels * prices::kStreamElement * groups;
  if (c.shared.rows) {
    cost += rows * prices::kStreamElement * n;
    if (!p.rows_kept) cost += rows * (of_row + prices::kPackShared) * static_cast<double>(p.row_copies) / all;
  } else {
    cost += rows * of_row * (c.panels >= kPanelsOfPackedRows ? n : n * static_cast<double>(c.panels));
  }
  return cost;
}

// Of a point of k: what the multiplications of a tile cost. A matrix tile takes as long with fewer rows.
double cost_of_products(const Problem& p, const Tile& tile) {
  const auto vectors = static_cast<double>(tile.vectors);
  if (!tile.matrix) return static_cast<double>(tile.rows) * vectors;
  const int64_t rows = divide_up(tile.rows, p.tiles->rows) * p.tiles->rows;
  const auto padded = static_cast<double>(padded_points(tile.k_packed, p.tiles->depth()));
  return static_cast<double>(rows) * vectors / prices::kMatrixSpeed * padded /
         static_cast<double>(tile.k_packed);
}

double cost_of(const Problem& p, const Tile& tile, const Chunks& c) {
  const double groups = static_cast<double>(c.m * c.groups), tiles = groups * static_cast<double>(c.tiles);
  const double rows = tiles * static_cast<double>(tile.rows), panels = static_cast<double>(c.n * c.panels);
  const double vectors = panels * static_cast<double>(tile.vectors);
  const double in_panels = panels * static_cast<double>(tile.panel);
  double cost = tiles * panels * cost_of_products(p, tile) + tiles * vectors * prices::kTileLoad;
  cost += cost_of_packing(p, tile, c, far_panels(p, tile, c), groups, rows, in_panels);
  if (tile.k_block < p.k_loop) {
    const double blocks = static_cast<double>(p.k_loop / tile.k_block);
    cost += rows * in_panels * (blocks + 1) * prices::kKeepSum / static_cast<double>(p.k_extent);
  }
  // At the end some threads wait for others, for half a unit each.
  return cost * (1 + 0.5 / static_cast<double>(c.units() * p.others));
}

// Equal chunks, of about so many. The last one overlaps the one before where they do not divide their side.
Chunks cut_into_chunks(const Problem& p, const Tile& tile, Shared shared, int64_t m, int64_t n) {
  const int64_t all_tiles = divide_up(p.m_extent, tile.rows), all_panels = divide_up(p.n_extent, tile.panel);
  const int64_t group_bytes = p.target->l2_bytes / 2;
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

// Enough units come first, then cost.
std::pair<int64_t, double> rank(int64_t units, int64_t wanted, double cost) {
  return {-std::min(units, wanted), cost};
}
std::pair<int64_t, double> rank(const Problem& p, const Choice& choice) {
  return rank(choice.chunks.units(), divide_up(p.units, p.others), choice.cost);
}

// The fewest and the most chunks of each side that are tried.
struct Limits {
  int64_t units;  // that are wanted
  int64_t fewest_n, most_n, fewest_m, most_m;
};

Chunks choose_chunks(const Problem& p, const Tile& tile, Shared shared, const Limits& limits) {
  const int64_t panels = divide_up(p.n_extent, tile.panel), tiles = divide_up(p.m_extent, tile.rows);
  std::optional<Chunks> best;
  const std::vector<int64_t> of_n = counts_of_chunks(panels, limits.fewest_n, limits.most_n);
  for (size_t i = of_n.size(); i-- > 0;) {
    const int64_t m_wanted = std::clamp(divide_up(limits.units, of_n[i]), limits.fewest_m, limits.most_m);
    for (int64_t m : counts_of_chunks(tiles, m_wanted, std::min(limits.most_m, 3 * m_wanted))) {
      const Chunks chunks = cut_into_chunks(p, tile, shared, m, of_n[i]);
      const auto of = [&](const Chunks& c) { return rank(c.units(), limits.units, c.cost); };
      if (!best || of(chunks) < of(*best)) best = chunks;
    }
  }
  return *best;
}

// So many units, if caches and the sides' lengths allow, at the least cost: each chunk of n packs all rows,
// each chunk of m all panels, and what overlaps is computed twice. A small product is cut further, into a few
// units that pay less for packing than threads without work would.
Chunks choose_chunks(const Problem& p, const Tile& tile, Shared shared) {
  const int64_t panels = divide_up(p.n_extent, tile.panel), l2_bytes = p.target->l2_bytes;
  // Where k cannot be cut, fewer panels are packed at once: threads hold a copy each.
  const int64_t panel_bytes = tile.k_packed * tile.panel * p.packed_bytes;
  const int64_t most_panels =
      shared.panels ? panels : std::clamp<int64_t>(kMostPacked * l2_bytes / panel_bytes, 1, kMostPanels);
  const int64_t near_panels = std::clamp<int64_t>(l2_bytes / 2 / panel_bytes, 1, kFewPanels);
  const int64_t few_rows = shared.panels ? 2 * tile.rows : kFewRows;
  Limits limits;
  limits.units = divide_up(p.units, p.others);
  limits.fewest_n = divide_up(panels, most_panels);
  limits.fewest_m = divide_up(p.m_extent, kMostRowsOfUnit);
  limits.most_n = std::max(limits.fewest_n, panels / (shared.panels ? kFewPanels : near_panels));
  limits.most_m = std::max(limits.fewest_m, p.m_extent / few_rows);
  const Chunks chunks = choose_chunks(p, tile, shared, limits);
  const bool small = chunks.cost * static_cast<double>(p.k_extent * p.others) * prices::kMultiplication <
                     prices::kWakeThreads;
  if (small || !p.cut_small || chunks.units() * p.others >= kFewUnits) return chunks;
  limits.units = divide_up(kFewUnits, p.others);
  limits.most_n = panels;
  limits.most_m = divide_up(p.m_extent, tile.rows);
  return choose_chunks(p, tile, shared, limits);
}

Choice choose_height(const Problem& p, const Tile& width, Shared shared) {
  const int64_t most = most_rows(p, width);
  const double phases = (shared.panels && !p.panels_kept ? 1 : 0) + (shared.rows && !p.rows_kept ? 1 : 0);
  std::optional<Choice> best;
  for (int64_t rows = most; rows >= std::max<int64_t>(1, most * kLowTile / 8); --rows) {
    // As many tiles as that takes, of equal heights: what overlaps is computed twice.
    const int64_t equal = divide_up(p.m_extent, divide_up(p.m_extent, rows));
    if (best && equal >= best->tile.rows) continue;
    Choice choice{with_rows(p, width, equal)};
    choice.chunks = choose_chunks(p, choice.tile, shared);
    choice.cost = choice.chunks.cost * static_cast<double>(p.k_extent);
    choice.cost += phases * prices::kThreadsMeet / prices::kMultiplication /
                   static_cast<double>(p.others * p.rest_points);
    if (!best || rank(p, choice) < rank(p, *best)) best = choice;
  }
  return *best;
}

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
  const int64_t row_bytes = p.k_extent * p.packed_bytes, l3_bytes = p.target->l3_bytes;
  const int64_t panels_bytes = p.panel_copies * p.n_extent * row_bytes;
  const int64_t rows_bytes = p.row_copies * p.m_extent * row_bytes;
  const bool panels = (own.chunks.m >= 2 || p.panels_kept) && panels_bytes <= l3_bytes;
  const bool kept_rows = p.rows_kept && own.chunks.panels >= kPanelsOfPackedRows;
  const bool rows = (own.chunks.n >= 2 || kept_rows || p.row_copies < p.others * p.rest_points) &&
                    p.m_extent * p.rest_points >= kRowsToShare && rows_bytes <= l3_bytes / 2;
  std::optional<Choice> best = own;
  for (Shared shared : {Shared{true, false}, Shared{false, true}, Shared{true, true}}) {
    if ((shared.panels && !panels) || (shared.rows && !rows)) continue;
    if (shared.panels && shared.rows && panels_bytes + rows_bytes > l3_bytes) continue;
    const Choice choice = choose_height(p, width, shared);
    if (!best || rank(p, choice) < rank(p, *best)) best = choice;
  }
  return *best;
}

}  // namespace

std::vector<int64_t> counts_of_chunks(int64_t length, int64_t fewest, int64_t most) {
  std::vector<int64_t> counts;
  for (int64_t count = fewest; count <= most;) {
    const int64_t size = divide_up(length, count);
    const int64_t next = size > 1 ? divide_up(length, size - 1) : most + 1;  // that makes them shorter
    counts.push_back(std::min(next - 1, most));
    count = next;
  }
  return counts;
}

bool far_sides(const Problem& p) {
  const int64_t sides = p.m_extent * p.row_copies + p.n_extent * p.panel_copies;
  return sides * p.k_extent * p.packed_bytes > p.target->l3_bytes;
}

bool far_panels(const Problem& p, const Tile& tile, const Chunks& c) {
  return c.shared.panels || c.panels * tile.panel * tile.k_packed * p.packed_bytes > p.target->l2_bytes / 2;
}

Choice choose(const Problem& p, bool in_unit) {
  Choice best = choose_way(p, in_unit);
  if (p.tiles == nullptr || best.tile.panel < 2) return best;
  Problem in_tiles = p;
  in_tiles.in_tiles = true;
  in_tiles.packed_bytes = static_cast<int64_t>(byte_size(DType::kBF16));
  // They add up in another order, so that the caches at hand do not decide.
  const Target common = p.target->for_sums();
  const auto common_cost = [&](Problem there) {
    there.target = &common;
    return choose_way(there, in_unit).cost;
  };
  return common_cost(in_tiles) < common_cost(p) ? choose_way(in_tiles, in_unit) : best;
}

}  // namespace ingot::kernel
