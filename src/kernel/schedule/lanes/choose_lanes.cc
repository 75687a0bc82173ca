#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>

#include "kernel/cost/price.h"
#include "kernel/cost/table.h"
#include "kernel/ir/blocks.h"
#include "kernel/ir/commutes.h"
#include "kernel/ir/in_place.h"
#include "kernel/ir/nest.h"
#include "kernel/ir/reductions.h"
#include "kernel/ir/target.h"
#include "kernel/schedule/lanes/lanes.h"
#include "kernel/schedule/lanes/short_rows.h"

namespace ingot::kernel {
namespace {

using prices::kElementwiseTile;
constexpr int64_t kLeastElementwiseTile = kElementwiseTile / 2;  // half of one still hides its start
// Instructions for a vector across rows, as long as no loop says that it is part of a transposed block. With
// prices::kTransposedVector, which is 4, bench gradient.mixture takes 1.17 x with AVX2 (Intel Xeon).
constexpr double kMaybeTransposed = 2.5;
constexpr int64_t kLongestBody = 512;  // statements of all points that run side by side
constexpr int64_t kRowsThatShare = 4;  // side by side, what all of them read
constexpr int64_t kPiecesOfARow = 8;   // that a row is cut into at least, for threads

int64_t power_of_two_below(int64_t n) {
  int64_t p = 1;
  while (p * 2 <= n) p *= 2;
  return p;
}

bool may_have_lanes(const Kernel& kernel, const Loop& loop) {
  if (has_loops(loop.body)) return false;
  if (loop.kind == LoopKind::kReduce && !knows_order(kernel, loop)) return false;
  return loop.kind != LoopKind::kScan || (kernel.bound.empty() && !running_totals(loop).empty());
}

// Tiles that end where the next one begins, if there are such: nothing is computed twice, and a result may
// take the place of what it is made of.
int64_t elementwise_tile(int64_t extent) {
  for (int64_t tile = kElementwiseTile; tile >= kLeastElementwiseTile; tile -= kMostLanes) {
    if (extent % tile == 0) return tile;
  }
  return kElementwiseTile;
}

class CostModel {
 public:
  CostModel(Kernel& kernel, const Target& target, const std::vector<Loop>& band) : kernel_(kernel) {
    lanes_ = lanes_of_widest(kernel, target);
    for (const Loop& loop : band) band_.insert(loop.var), open_.push_back(loop.var);
  }

  // Cost per band point when the points of variable `lane` run side by side.
  double with_band_lanes(const Block& body, VarId lane, int64_t extent) {
    const double width = static_cast<double>(std::min(lanes_, power_of_two_below(extent)));
    varying_.clear();
    return visit(body, lane, width, false);
  }
  // ... when the innermost map and reduce loops of the body run side by side.
  double with_inner_lanes(const Block& body) { return visit(body, kNone, 1, true); }

 private:
  double visit(const Block& block, VarId lane, double width, bool inner) {
    double total = 0;
    for (const Stmt& stmt : block.stmts) {
      if (auto* loop = std::get_if<Loop>(&stmt.node)) {
        open_.push_back(loop->var);
        VarId inner_lane = lane;
        double inner_width = width;
        if (inner && may_have_lanes(kernel_, *loop)) {
          inner_lane = loop->var;
          inner_width =
              static_cast<double>(std::min(lanes_, power_of_two_below(std::max<int64_t>(loop->extent, 1))));
        }
        double body = visit(loop->body, inner_lane, inner_width, inner) + 0.5 / inner_width;
        body += visit(loop->combiner.body, inner_lane, inner_width, inner);
        // Totals within a vector take a few shuffles, which hide behind its way through memory.
        if (inner && loop->kind == LoopKind::kScan && inner_lane == loop->var)
          body += 2 * static_cast<double>(loop->carries.size()) / inner_width;
        total += body * likely_points(*loop);
        if (inner && loop->kind == LoopKind::kReduce) total += prices::kJoinLanes;
        open_.pop_back();
      } else if (auto* s = std::get_if<Load>(&stmt.node)) {
        total += access(block, s->buffer, s->offset, lane, width);
      } else if (auto* s = std::get_if<Store>(&stmt.node)) {
        total += access(block, s->buffer, s->offset, lane, width);
      } else {
        total += cost(stmt) / width;
      }
      note_varying(stmt, lane);
    }
    return total;
  }

  // Indices that are known at run time may differ from lane to lane.
  bool bound_varies(const Index& index) const {
    std::vector<int> ids;
    if (!kernel_.bound.empty()) index.collect_variables(ids);
    return std::any_of(ids.begin(), ids.end(), [&](int id) {
      auto bound = kernel_.bound.find(id);
      return bound != kernel_.bound.end() && varying_.count(bound->second) > 0;
    });
  }
  void note_varying(const Stmt& stmt, VarId lane) {
    if (kernel_.bound.empty() || lane == kNone) return;
    bool varying = false;
    if (auto* s = std::get_if<Load>(&stmt.node)) varying = s->offset.uses(lane);
    if (auto* s = std::get_if<IndexValue>(&stmt.node)) varying = s->index.uses(lane);
    if (auto* s = std::get_if<InRange>(&stmt.node)) varying = s->index.uses(lane);
    for (ScalarId id : uses(kernel_, stmt)) varying = varying || varying_.count(id) > 0;
    for (ScalarId id : results(stmt)) {
      if (varying) varying_.insert(id);
    }
  }

  double access(const Block& block, BufferId buffer, const Index& offset, VarId lane, double width) {
    if (lane == kNone) return 1;
    const bool local = kernel_.buffers[static_cast<size_t>(buffer)].kind == Buffer::Kind::kLocal;
    // Locals of a kernel with lanes over the band have a copy per lane, side by side.
    if (local && band_.count(lane)) return 1 / width;
    if (offset.uses_nonlinearly(lane) || bound_varies(offset)) return prices::kStrayLane;
    const int64_t stride = offset.coefficient(lane);
    if (stride == 0 || stride == 1) return 1 / width;
    if (stride == -1) return prices::kReversedVector / width;
    return transposable(block, buffer, offset, open_) ? kMaybeTransposed / width : prices::kStrayLane;
  }

  Kernel& kernel_;
  int64_t lanes_;
  std::set<VarId> band_;
  std::vector<VarId> open_;     // of the loops around a statement
  std::set<ScalarId> varying_;  // from lane to lane; asked for indices alone
};

void set_inner_lanes(Kernel& kernel, Block& block) {
  for (Stmt& stmt : block.stmts) {
    auto* loop = std::get_if<Loop>(&stmt.node);
    if (loop == nullptr) continue;
    if (may_have_lanes(kernel, *loop)) {
      if (loop->kind == LoopKind::kReduce) order_by_place(kernel, *loop);
      loop->style = LoopStyle::kLanes;
      loop->vectors = 1;
    } else {
      set_inner_lanes(kernel, loop->body);
    }
  }
}

bool contains(const Block& block, LoopKind kind) {
  bool found = false;
  for_each_stmt(const_cast<Block&>(block), [&](const Stmt& stmt) {
    auto* loop = std::get_if<Loop>(&stmt.node);
    found = found || (loop != nullptr && loop->kind == kind);
  });
  return found;
}

bool reads_outputs(const Kernel& kernel, Block& block) {
  bool found = false;
  for_each_stmt(block, [&](const Stmt& stmt) {
    auto* load = std::get_if<Load>(&stmt.node);
    found = found || (load != nullptr &&
                      kernel.buffers[static_cast<size_t>(load->buffer)].kind == Buffer::Kind::kOutput);
  });
  return found;
}

// Splits the loop into parallel tiles and an inner map loop over one tile.
void strip_mine(Kernel& kernel, Nest& nest, size_t position, int64_t tile, Loop& inner) {
  Loop& outer = nest.loops[position];
  const VarId old = outer.var;
  const std::string name = kernel.var_names[static_cast<size_t>(old)];
  const int64_t extent = outer.extent;
  tile = std::min(tile, extent);
  outer = make_loop(kernel, name + "_tile", extent, tile, LoopKind::kParallel);
  inner = make_loop(kernel, name, tile, 1, LoopKind::kMap);
  const Index sum = kernel.var(outer.var) + kernel.var(inner.var);
  substitute(nest.body, [&](int id, int64_t e) { return id == old ? sum : Index::variable(id, e); });
}

// A band variable along which strided accesses are contiguous; it becomes an inner serial loop, so that
// blocks of them can be transposed in registers.
std::optional<size_t> transposing_loop(Nest& nest, size_t lane) {
  const VarId lane_var = nest.loops[lane].var;
  std::optional<size_t> found;
  for_each_stmt(nest.body, [&](Stmt& stmt) {
    const Index* offset = nullptr;
    if (auto* s = std::get_if<Load>(&stmt.node)) offset = &s->offset;
    if (auto* s = std::get_if<Store>(&stmt.node)) offset = &s->offset;
    if (offset == nullptr || std::abs(offset->coefficient(lane_var)) <= 1) return;
    for (size_t i = 0; i < nest.loops.size(); ++i) {
      if (i != lane && std::abs(offset->coefficient(nest.loops[i].var)) == 1) found = i;
    }
  });
  return found;
}

// Puts the outer loops into the order of the memory that is read across lanes: its lines and pages hold
// several rows, which are wanted one after the other. What is written leaves in whole lines in any order.
void order_by_strided_loads(Nest& nest, VarId lane) {
  std::vector<int64_t> stride(nest.loops.size(), 0);
  for_each_stmt(nest.body, [&](Stmt& stmt) {
    auto* load = std::get_if<Load>(&stmt.node);
    if (load == nullptr || std::abs(load->offset.coefficient(lane)) <= 1) return;
    for (size_t i = 0; i < nest.loops.size(); ++i)
      stride[i] = std::max(stride[i], std::abs(load->offset.coefficient(nest.loops[i].var)));
  });
  std::vector<size_t> order(nest.loops.size() - 1);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return stride[a] > stride[b]; });
  std::vector<Loop> loops;
  for (size_t i : order) loops.push_back(std::move(nest.loops[i]));
  loops.push_back(std::move(nest.loops.back()));
  nest.loops = std::move(loops);
}

// Does the loop stay inside of the row that a lane walks along, in all accesses across lanes?
bool stays_in_rows(Nest& nest, VarId lane, const Loop& loop) {
  bool inside = true;
  for_each_stmt(nest.body, [&](Stmt& stmt) {
    const Index* offset = nullptr;
    if (auto* s = std::get_if<Load>(&stmt.node)) offset = &s->offset;
    if (auto* s = std::get_if<Store>(&stmt.node)) offset = &s->offset;
    if (offset == nullptr) return;
    inside = inside && !offset->uses_nonlinearly(loop.var) && !offset->uses_nonlinearly(lane) &&
             std::abs(offset->coefficient(loop.var)) * loop.extent <= std::abs(offset->coefficient(lane));
  });
  return inside;
}

// The points of small loops inside of a row stand side by side: what they share is loaded and transposed
// once. An index that is known at run time has one value for all points of a tile.
std::vector<Loop> take_points_of_rows(const Kernel& kernel, Nest& nest, VarId lane) {
  std::vector<Loop> tiles;
  if (!kernel.bound.empty()) return tiles;
  int64_t size = static_cast<int64_t>(nest.body.stmts.size());
  for (size_t i = nest.loops.size() - 1; i-- > 0;) {
    Loop& loop = nest.loops[i];
    if (loop.extent < 2 || loop.extent * size > kLongestBody || !stays_in_rows(nest, lane, loop)) continue;
    size *= loop.extent;
    loop.kind = LoopKind::kMap;
    loop.style = LoopStyle::kTile;
    tiles.insert(tiles.begin(), std::move(loop));
    nest.loops.erase(nest.loops.begin() + static_cast<int64_t>(i));
  }
  return tiles;
}

// How many rows should run side by side: several where long chains read much that all rows share.
int64_t rows_side_by_side(const Kernel& kernel, Block& body, VarId row) {
  if (!kernel.bound.empty()) return 1;
  int64_t loads = 0, shared = 0, size = 0;
  for_each_stmt(body, [&](Stmt& stmt) {
    ++size;
    auto* load = std::get_if<Load>(&stmt.node);
    if (load == nullptr) return;
    ++loads;
    if (!load->offset.uses(row)) ++shared;
  });
  return size >= 16 && shared * 3 >= loads && size * 4 <= kLongestBody ? 4 : 1;
}

void lanes_over_elementwise(Kernel& kernel, const Target& target, Nest& nest, size_t lane) {
  std::rotate(nest.loops.begin() + static_cast<int64_t>(lane),
              nest.loops.begin() + static_cast<int64_t>(lane) + 1, nest.loops.end());
  lane = nest.loops.size() - 1;
  if (std::vector<Loop> tiles = take_points_of_rows(kernel, nest, nest.loops[lane].var); !tiles.empty()) {
    nest.loops.back().style = LoopStyle::kLanes;
    Block body = std::move(nest.body);
    nest.body = wrap(std::move(tiles), std::move(body));
    return;
  }
  if (std::optional<size_t> serial = transposing_loop(nest, lane)) {
    Loop loop = nest.loops[*serial];
    nest.loops.erase(nest.loops.begin() + static_cast<int64_t>(*serial));
    loop.kind = LoopKind::kMap;
    nest.loops.back().style = LoopStyle::kLanes;
    nest.loops.back().vectors =
        std::max(1, static_cast<int>(kLineBytes) / target.vector_bytes);  // whole lines across the rows
    order_by_strided_loads(nest, nest.loops.back().var);
    Block body = std::move(nest.body);
    nest.body = Block{};
    nest.body = wrap({std::move(loop)}, std::move(body));
    return;
  }
  Loop inner;
  strip_mine(kernel, nest, lane, elementwise_tile(nest.loops[lane].extent), inner);
  inner.style = LoopStyle::kLanes;
  if (nest.loops[lane].step == nest.loops[lane].extent) nest.loops.pop_back();  // one tile: its variable is 0
  Block body = std::move(nest.body);
  nest.body = wrap({std::move(inner)}, std::move(body));
  // Where the lanes' loop is short, a unit holds several rows.
  int64_t unit = nest.body.stmts.empty() ? 1 : std::get<Loop>(nest.body.stmts[0].node).extent;
  if (!nest.loops.empty() && unit * 4 <= kElementwiseTile && nest.loops.back().step == 1 &&
      nest.loops.back().extent > 1) {
    Loop rows;
    strip_mine(kernel, nest, nest.loops.size() - 1, std::max<int64_t>(1, kElementwiseTile / unit), rows);
    if (nest.loops.back().step == nest.loops.back().extent) nest.loops.pop_back();
    Block lanes_body = std::move(nest.body);
    std::vector<Loop> loops;
    if (const int64_t tile = rows_side_by_side(kernel, lanes_body, rows.var);
        rows.extent > tile && tile > 1) {
      Loop outer = make_loop(kernel, "row", rows.extent, tile, LoopKind::kMap);
      Loop points = make_loop(kernel, "point", tile, 1, LoopKind::kMap, LoopStyle::kTile);
      const Index sum = kernel.var(outer.var) + kernel.var(points.var);
      const VarId old = rows.var;
      substitute(lanes_body, [&](int id, int64_t e) { return id == old ? sum : Index::variable(id, e); });
      loops = {std::move(outer), std::move(points)};
    } else {
      loops = {std::move(rows)};
    }
    nest.body = wrap(std::move(loops), std::move(lanes_body));
  }
}

// A reduction along a row that also reads what all rows share, like the vector that a matrix is multiplied
// by: a few rows side by side read it once. An index that is known at run time may be another one for each
// row.
void rows_share_reads(Kernel& kernel, Nest& nest) {
  if (!kernel.bound.empty()) return;
  Loop* reduction = single_reduction(nest.body);
  if (nest.loops.empty() || reduction == nullptr || reduction->style != LoopStyle::kLanes) return;
  Loop& row = nest.loops.back();
  bool own = false, shared = false;
  for (const Stmt& stmt : reduction->body.stmts) {
    auto* load = std::get_if<Load>(&stmt.node);
    if (load != nullptr) (load->offset.uses(row.var) ? own : shared) = true;
  }
  if (!own || !shared || row.step != 1 || row.extent < kRowsThatShare) return;
  Loop inside = make_loop(kernel, kernel.var_names[static_cast<size_t>(row.var)], kRowsThatShare, 1,
                          LoopKind::kMap, LoopStyle::kTile);
  const VarId old = row.var;
  row = make_loop(kernel, "row", row.extent, kRowsThatShare, LoopKind::kParallel);
  const Index place = kernel.var(row.var) + kernel.var(inside.var);
  substitute(nest.body,
             [&](int id, int64_t extent) { return id == old ? place : Index::variable(id, extent); });
  nest.body = wrap({std::move(inside)}, std::move(nest.body));
}

// A scan whose steps go from row to row of memory touches one line of each with one vector on lanes, and as
// many pages as there are rows. It takes a longer piece, of as many vectors as its carries have registers
// for: running sums of u32[16384,1024] from row to row take 0.6 of the time with 8 vectors of AVX-512, and
// 0.4 with 4 of AVX2. Half a line at a time is brought in and written back twice, so that it takes a whole
// one, even without registers for it: the steps back of a Kalman filter of f64[2] with 500 series take 0.65
// of the time with 2 vectors of AVX2. So does one whose steps stay in registers: it is a chain, whose latency
// other vectors hide (1000 steps of the logistic map on 4096 points take 0.3 of the time with 4 vectors of
// AVX2).
int vectors_of_a_scan(const Kernel& kernel, const Target& target, const Block& body, const Loop& lanes) {
  const Loop* scan = nullptr;
  bool alone = true;
  for (const Stmt& stmt : body.stmts) {
    const Loop* loop = std::get_if<Loop>(&stmt.node);
    if (loop != nullptr && loop->kind == LoopKind::kScan && (scan != nullptr || has_loops(loop->body)))
      return 1;
    if (loop != nullptr && loop->kind == LoopKind::kScan)
      scan = loop;
    else
      alone = alone && loop == nullptr && !std::holds_alternative<Alloc>(stmt.node);
  }
  if (scan == nullptr) return 1;
  size_t widest = 4, values = 0;
  bool far = false, in_registers = true;
  const auto see = [&](const Index& offset) {
    in_registers = in_registers && !offset.uses(scan->var);
    far = far || (offset.coefficient(lanes.var) == 1 &&
                  std::abs(offset.coefficient(scan->var)) * 4 >= prices::kSeenComing);
  };
  for (const Carry& carry : scan->carries)
    widest = std::max(widest, byte_size(kernel.scalars[static_cast<size_t>(carry.init)]));
  for (const Stmt& stmt : scan->body.stmts) {
    if (auto* load = std::get_if<Load>(&stmt.node)) see(load->offset);
    if (auto* store = std::get_if<Store>(&stmt.node)) see(store->offset);
    values += std::holds_alternative<Let>(stmt.node) || std::holds_alternative<Load>(stmt.node);
  }
  if (!far && !in_registers) return 1;
  const int64_t lane_count = target.vector_bytes / static_cast<int64_t>(widest);
  const auto registers = static_cast<int64_t>(std::max<size_t>(1, scan->carries.size() + values));
  int64_t vectors = 8;
  const int64_t least = far ? std::max<int64_t>(1, prices::kLineBytes / target.vector_bytes) : 1;
  while (vectors > 1 && ((vectors > least && (vectors * registers > target.vector_registers || !alone)) ||
                         lanes.extent < kPiecesOfARow * vectors * lane_count))
    vectors /= 2;
  return static_cast<int>(vectors);
}

// A scan that each point ends for itself is a chain of steps, whose latency another vector hides, and all
// wait for the last point of any. On a Zen 4, two vectors: Mandelbrot's set on 10^6 points 17 -> 11 ms, an
// adaptive Runge-Kutta method on 10^4 3.8 -> 2.5; four are as fast, eight as slow as one.
constexpr int kVectorsThatEnd = 2;

bool ends_by_itself(const Block& body) {
  return std::any_of(body.stmts.begin(), body.stmts.end(), [](const Stmt& stmt) {
    const Loop* loop = std::get_if<Loop>(&stmt.node);
    return loop != nullptr && (!loop->running.empty() || ends_by_itself(loop->body));
  });
}

struct Cheapest {
  std::optional<size_t> lane;
  double cost;
};

Cheapest cheapest(Kernel& kernel, const Target& target, const Nest& nest) {
  CostModel model(kernel, target, nest.loops);
  Cheapest best{std::nullopt, model.with_inner_lanes(nest.body)};
  for (size_t i = 0; i < nest.loops.size(); ++i) {
    if (nest.loops[i].extent == 1) continue;
    const double cost = model.with_band_lanes(nest.body, nest.loops[i].var, nest.loops[i].extent);
    // Between equals the innermost loop wins: its neighbours are likelier to share a cache line.
    if (cost < best.cost || (best.lane && cost <= best.cost)) best = {i, cost};
  }
  return best;
}

}  // namespace

std::optional<size_t> cheapest_lane(Kernel& kernel, const Target& target, const Nest& nest) {
  return cheapest(kernel, target, nest).lane;
}

double price_on_lanes(Kernel& kernel, const Target& target, const Nest& nest) {
  return cheapest(kernel, target, nest).cost;
}

void choose_lanes(Kernel& kernel, const Target& target) {
  Nest nest = take_nest(kernel);
  const std::optional<size_t> lane = cheapest_lane(kernel, target, nest);
  if (lane && accumulate_in_memory(kernel, target, nest, *lane)) {
    put_nest(kernel, std::move(nest));
    return;
  }
  if (!lane) {
    set_inner_lanes(kernel, nest.body);
    rows_share_reads(kernel, nest);
  } else if (!has_loops(nest.body)) {
    bool strided = false;
    for_each_stmt(nest.body, [&](Stmt& stmt) {
      const Index* offset = nullptr;
      if (auto* s = std::get_if<Load>(&stmt.node)) offset = &s->offset;
      if (auto* s = std::get_if<Store>(&stmt.node)) offset = &s->offset;
      strided = strided || (offset != nullptr && std::abs(offset->coefficient(nest.loops[*lane].var)) > 1);
    });
    const bool one_dimension = nest.loops.size() == 1;
    if (strided && one_dimension) {
      nest.loops[*lane].style = LoopStyle::kLanes;
    } else if (!strided || !lanes_along_short_rows(kernel, target, nest, *lane)) {
      lanes_over_elementwise(kernel, target, nest, *lane);
    }
  } else {
    std::rotate(nest.loops.begin() + static_cast<int64_t>(*lane),
                nest.loops.begin() + static_cast<int64_t>(*lane) + 1, nest.loops.end());
    nest.loops.back().style = LoopStyle::kLanes;
    // One accumulator per lane is a chain of dependent additions: several vectors side by side hide its
    // latency.
    if (contains(nest.body, LoopKind::kReduce) && !contains(nest.body, LoopKind::kScan))
      nest.loops.back().vectors = 4;
    // Where outputs are updated in memory, every unit goes through all updates: the longer its part of a row,
    // the better memory streams.
    if (reads_outputs(kernel, nest.body)) nest.loops.back().vectors = 8;
    if (ends_by_itself(nest.body)) nest.loops.back().vectors = kVectorsThatEnd;
    nest.loops.back().vectors =
        std::max(nest.loops.back().vectors, vectors_of_a_scan(kernel, target, nest.body, nest.loops.back()));
  }
  put_nest(kernel, std::move(nest));
}

}  // namespace ingot::kernel
