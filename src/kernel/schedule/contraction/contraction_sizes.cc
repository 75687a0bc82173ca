// What the choice of sizes asks of a kernel, and what it tells it: which loops play which part, how far sides
// repeat, in how many parts k is cut.
#include "kernel/schedule/contraction/contraction_sizes.h"

#include "kernel/cost/table.h"
#include "kernel/ir/blocks.h"
#include "kernel/ir/target.h"
#include "kernel/schedule/contraction/contraction.h"
#include "kernel/schedule/contraction/contraction_choice.h"
#include "ops/kinds.h"

namespace ingot::kernel {
namespace {

constexpr int64_t kEnoughRows = 32;   // with fewer, a longer dimension is a better m than one that lies well
constexpr int64_t kPartPoints = 512;  // of k per part: enough to pay for adding it up
// In multiplications of vectors:
constexpr double kGain = 0.97;  // of the cost is left: parts are worth a second phase

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

// Whether all that a side reads is the same in all launches of a loop.
bool is_kept(const Kernel& kernel, Loop& reduction, VarId side, VarId other) {
  bool any = false, all = true;
  for_each_stmt(reduction.body, [&](const Stmt& stmt) {
    const auto* load = std::get_if<Load>(&stmt.node);
    if (load == nullptr || !load->offset.uses(side) || load->offset.uses(other)) return;
    any = true;
    all = all && kernel.buffers[static_cast<size_t>(load->buffer)].kept;
  });
  return any && all;
}

int64_t contracted_points(const Loop& reduction) {
  int64_t points = reduction.extent;
  for (const Stmt& stmt : reduction.body.stmts) {
    if (auto* loop = std::get_if<Loop>(&stmt.node)) points *= contracted_points(*loop);
  }
  return points;
}

// Whether each of two loads of bf16 sees but one side, and nothing stands between the loops over k but the
// sum that they hand on.
bool multiplies_sides(const Kernel& kernel, Loop& reduction, VarId m, VarId n) {
  const std::vector<Loop*> chain = chain_of(reduction);
  const Loop& inner = *chain.back();
  if (!adds_products_of(DType::kBF16, kernel, inner) || (chain.size() > 1 && inner.extent % 2 != 0) ||
      !nests_as_one(reduction))
    return false;
  int rows = 0, panels = 0;
  for (const Stmt& stmt : inner.body.stmts) {
    const auto* load = std::get_if<Load>(&stmt.node);
    if (load == nullptr) continue;
    rows += load->offset.uses(m) && !load->offset.uses(n);
    panels += load->offset.uses(n) && !load->offset.uses(m);
  }
  return rows == 1 && panels == 1;
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
  const bool narrow = sums_packed_pairs(kernel, innermost(reduction), target);
  const std::vector<Rest> rest = rest_of_unit(nest, roles);
  int64_t rest_points = 1;
  for (const Rest& r : rest) rest_points *= r.piece;
  return {&target,
          m.extent,
          n.extent,
          contracted_points(reduction),
          reduction.extent,
          contracted_points(reduction) == reduction.extent,
          other_units(nest, roles, rest),
          rest_points,
          copies_of(nest, roles, reduction, n.var),
          copies_of(nest, roles, reduction, m.var),
          bytes,
          narrow ? static_cast<int64_t>(byte_size(DType::kS16)) : bytes,
          contiguous_along(reduction, n.var, m.var),
          contiguous_along(reduction, m.var, n.var),
          is_kept(kernel, reduction, n.var, m.var),
          is_kept(kernel, reduction, m.var, n.var),
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
    const int64_t piece = divide_up(extent, divide_up(extent, std::max<int64_t>(1, kMostRowsOfUnit / rows)));
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
                   Loop& reduction, bool in_unit, int64_t units) {
  const int64_t bytes = in_unit ? widest_scalar(kernel, nest.body) : widest_scalar(kernel);
  Problem problem = describe(kernel, target, nest, roles, reduction, bytes);
  problem.units = units;
  if (in_unit) problem.others = units;  // there are others
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
  s.far_sides = far_sides(problem);
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
  for (int64_t parts = 1; parts <= prices::kEnoughUnits; parts *= 2) {
    Problem part = whole;
    part.k_extent /= parts;
    part.others *= parts;
    part.panel_copies *= parts;
    part.row_copies *= parts;
    if (parts > 1 && (part.k_extent < kPartPoints || parts * results * whole.bytes > target.l3_bytes)) break;
    const Choice choice = choose(part);
    if (choice.tile.panel < 2) return 1;
    const int64_t units = std::min(prices::kEnoughUnits, choice.chunks.units() * part.others);
    const double joining = parts > 1 ? prices::kKeepSum * static_cast<double>(parts * results) : 0;
    const double cost = choice.cost * tiles * static_cast<double>(parts) + joining;
    if (parts > 1 && units <= best_units && (units < best_units || cost > kGain * best_cost)) continue;
    best = parts;
    best_units = units;
    best_cost = cost;
  }
  return best;
}

}  // namespace ingot::kernel
