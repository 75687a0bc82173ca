// Lanes along rows that are shorter than a vector.
//
// The elements of a batch of small matrices, in the order in which memory holds them, see their operands in a
// pattern that repeats from matrix to matrix. After as many matrices as fill whole vectors (16 of 3x3: nine
// vectors of 16 lanes) it repeats from vector to vector too. So a unit takes these as vectors side by side:
// what it stores is dense, and the lanes of what it reads lie at places that are known when the kernel is
// made, in pieces of memory that are read as they lie and permuted in registers. Lanes across the matrices
// would have to transpose what is read and what is written.
#include "kernel/schedule/lanes/short_rows.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "kernel/cost/price.h"
#include "kernel/cost/table.h"
#include "kernel/ir/blocks.h"
#include "kernel/ir/target.h"

namespace ingot::kernel {
namespace {

constexpr double kWorthShortRows = 0.9;   // times the price of lanes across rows
constexpr int64_t kLongestRowBody = 512;  // statements of all vectors side by side
constexpr int64_t kFewVectors = 8;        // of a unit: less would be all overhead
constexpr int64_t kMostVectors = 32;      // more do not repeat within what is worth writing out
constexpr int64_t kMostStatements = 96;   // of a body; longer ones are cut into several loops

struct Rows {
  VarId outer;
  std::vector<Loop> inside;
  int64_t points = 1;  // of all loops inside
};

const Index* offset_of(const Stmt& stmt) {
  if (auto* s = std::get_if<Load>(&stmt.node)) return &s->offset;
  if (auto* s = std::get_if<Store>(&stmt.node)) return &s->offset;
  return nullptr;
}

// Does the index see the points in the order of their numbers, each `coefficient` further?
bool in_order(const Index& index, const Rows& rows, int64_t& coefficient) {
  coefficient = index.coefficient(rows.inside.back().var);
  int64_t stride = coefficient;
  for (size_t i = rows.inside.size(); i-- > 0;) {
    const VarId var = rows.inside[i].var;
    if (index.coefficient(var) != stride || index.uses_nonlinearly(var)) return false;
    stride *= rows.inside[i].extent;
  }
  return index.coefficient(rows.outer) == stride && !index.uses_nonlinearly(rows.outer);
}

// Does the body only compute what it stores, in order, from inputs at places that the loops inside permute?
bool may_permute(const Kernel& kernel, const Block& body, const Nest& nest, const Rows& rows) {
  if (!kernel.bound.empty() || static_cast<int64_t>(body.stmts.size()) > kMostStatements) return false;
  std::set<VarId> inside;
  for (const Loop& loop : rows.inside) inside.insert(loop.var);
  return std::all_of(body.stmts.begin(), body.stmts.end(), [&](const Stmt& stmt) {
    if (std::holds_alternative<Loop>(stmt.node) || std::holds_alternative<Alloc>(stmt.node)) return false;
    auto kind = [&](BufferId id) { return kernel.buffers[static_cast<size_t>(id)].kind; };
    if (auto* load = std::get_if<Load>(&stmt.node)) {
      if (load->predicate != kNone || kind(load->buffer) != Buffer::Kind::kInput) return false;
    }
    if (auto* store = std::get_if<Store>(&stmt.node)) {
      int64_t coefficient = 0;
      if (kind(store->buffer) != Buffer::Kind::kOutput) return false;
      if (!in_order(store->offset, rows, coefficient) || coefficient != 1) return false;
    }
    const Index* index = offset_of(stmt);
    return index == nullptr || std::all_of(nest.loops.begin(), nest.loops.end(), [&](const Loop& loop) {
             return inside.count(loop.var) > 0 || !index->uses_nonlinearly(loop.var);
           });
  });
}

// The index in terms of a variable that counts the points, from the first one of the unit on.
Index renumbered(const Index& index, const Rows& rows, const Index& first, const Index& point) {
  int64_t coefficient = 0;
  const bool one = in_order(index, rows, coefficient);
  Index seen = index.substitute([&](int id, int64_t extent) {
    if (id == rows.outer) return one ? first : first + point.floor_div(rows.points);
    int64_t stride = rows.points;
    for (const Loop& loop : rows.inside) {
      stride /= loop.extent;
      if (id == loop.var) return one ? Index(0) : point.floor_div(stride).mod(loop.extent);
    }
    return Index::variable(id, extent);
  });
  return one ? seen + point * coefficient : seen;
}

// Per point, with lanes across the rows. What differs along some of the loops inside only is computed once
// for all points of the others.
double price_across(const Kernel& kernel, const Block& body, const Rows& rows) {
  std::map<ScalarId, std::set<VarId>> varies;
  double total = 0;
  for (const Stmt& stmt : body.stmts) {
    std::set<VarId> vars;
    auto see = [&](const Index& index) {
      for (const Loop& loop : rows.inside) {
        if (index.uses(loop.var)) vars.insert(loop.var);
      }
    };
    for (ScalarId id : uses(kernel, stmt)) vars.insert(varies[id].begin(), varies[id].end());
    double price = cost(stmt);
    if (const Index* offset = offset_of(stmt)) {
      see(*offset);
      price = std::abs(offset->coefficient(rows.outer)) <= 1 ? 1 : prices::kTransposedVector;
    }
    if (auto* s = std::get_if<IndexValue>(&stmt.node)) see(s->index);
    if (auto* s = std::get_if<InRange>(&stmt.node)) see(s->index);
    for (const Loop& loop : rows.inside) {
      if (vars.count(loop.var) == 0) price /= static_cast<double>(loop.extent);
    }
    for (ScalarId id : results(stmt)) varies[id] = vars;
    total += price;
  }
  return total;
}

double price_along(const Block& body, VarId point, int64_t extent, int64_t lanes, const Target& target) {
  double total = 0;
  for (const Stmt& stmt : body.stmts) {
    const Index* offset = offset_of(stmt);
    total += offset ? price_of_permuting(*offset, point, extent, lanes, target) : cost(stmt);
  }
  return total;
}

}  // namespace

bool lanes_along_short_rows(Kernel& kernel, const Target& target, Nest& nest, size_t lane) {
  Rows rows{nest.loops[lane].var, {nest.loops.begin() + static_cast<int64_t>(lane) + 1, nest.loops.end()}};
  if (rows.inside.empty()) return false;
  const int64_t lanes = target.vector_bytes / std::max<int64_t>(4, widest_scalar(kernel));
  const auto size = static_cast<int64_t>(nest.body.stmts.size());
  for (const Loop& loop : rows.inside) rows.points *= loop.extent;
  const int64_t shared = std::gcd(lanes, rows.points);
  int64_t taken = lanes / shared, vectors = rows.points / shared;  // of the outer loop, by a unit
  const int64_t extent = nest.loops[lane].extent;
  if (taken > extent || vectors > kMostVectors || vectors * size > kLongestRowBody) return false;
  if (!may_permute(kernel, nest.body, nest, rows)) return false;
  while (vectors * 2 <= kFewVectors && taken * 2 <= extent) vectors *= 2, taken *= 2;

  const std::string name = kernel.var_names[static_cast<size_t>(rows.outer)];
  Loop units = make_loop(kernel, name, extent, taken, LoopKind::kParallel);
  Loop points = make_loop(kernel, name + "_point", taken * rows.points, 1, LoopKind::kMap, LoopStyle::kLanes);
  points.vectors = static_cast<int>(vectors);
  Block body = nest.body;
  for_each_index(body, [&](Index& index) {
    index = renumbered(index, rows, kernel.var(units.var), kernel.var(points.var));
  });
  if (price_along(body, points.var, points.extent, lanes, target) >
      kWorthShortRows * price_across(kernel, nest.body, rows))
    return false;
  nest.loops.resize(lane);
  nest.loops.push_back(std::move(units));
  nest.body = wrap({std::move(points)}, std::move(body));
  return true;
}

}  // namespace ingot::kernel
