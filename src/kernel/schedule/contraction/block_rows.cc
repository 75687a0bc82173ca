// Rows in blocks, where what is computed of a row holds contractions.
//
// What reduces the rows of a contraction, as a softmax behind it does, has the row as its unit, and a
// register tile needs several of them. And a scan whose steps contract something of their row with something
// that all rows share, as attention does with blocks of keys, would read the latter once per row. So a unit
// takes a block of rows through the scan together:
//
//   parallel row:                          parallel block of rows:
//     scan t carry(m):                       map row: m[row] = ...
//       map j: s[j] = reduce k (..)    =>    scan t:
//       m' = max(m, reduce j s[j])             map row, map j: s[row, j] = reduce k (..)     a register tile
//                                              map row: m[row] = max(m[row], reduce j s[row, j])
//
// Statements are distributed over loops of their own: each contraction has one, and what stands between two
// of them. Local buffers get the row as one more dimension; scalars that are used in another loop than they
// are made in, and the carries of the scans, wait in buffers with an element per row. Every contraction then
// is a nest like that of a kernel of its own, and is tiled as such (tile_contraction.cc).
//
// What is packed for the tiles and is the same for every step of a scan is packed before it; and what is the
// same for all blocks of rows, before those, once for units that a thread takes one after the other.
#include "kernel/schedule/contraction/block_rows.h"

#include <map>
#include <set>
#include <utility>

#include "base/check.h"
#include "kernel/cost/table.h"
#include "kernel/ir/blocks.h"
#include "kernel/ir/copier.h"
#include "kernel/ir/target.h"
#include "kernel/schedule/contraction/contraction.h"
#include "kernel/schedule/lanes/lanes.h"
#include "kernel/schedule/loops/loops.h"
#include "kernel/schedule/reductions/reductions.h"

namespace ingot::kernel {
namespace {

constexpr int64_t kLeastRows = 32;                   // fewer do not fill the tiles
constexpr int64_t kMostRows = 256;                   // more do not save much
constexpr int64_t kFewColumns = 32, kFewTerms = 16;  // of a product: fewer are as fast without a tile
constexpr int64_t kFar = 1 << 30;
constexpr int64_t kPartOfCacheForRows = 4;  // of the second-level cache, for what a block of rows keeps

// The only loop in the block, or null.
Loop* only_loop(Block& block) {
  Loop* found = nullptr;
  for (Stmt& stmt : block.stmts) {
    auto* loop = std::get_if<Loop>(&stmt.node);
    if (loop == nullptr) continue;
    if (found != nullptr) return nullptr;
    found = loop;
  }
  return found;
}

bool holds_product(Loop& loop, VarId row) {
  if (row_product(loop, row)) return true;
  for (Stmt& stmt : loop.body.stmts) {
    auto* inner = std::get_if<Loop>(&stmt.node);
    if (inner != nullptr && holds_product(*inner, row)) return true;
  }
  return false;
}

// Whether a product outside of scans would miss its register tile: in a scan all do.
bool is_large(const RowProduct& product) {
  int64_t columns = 1, terms = 0;
  for (const Loop* loop : product.loops) columns *= loop->extent;
  for (const Loop* loop : chain_of(*product.reduction)) terms = std::max<int64_t>(1, terms) * loop->extent;
  return columns >= kFewColumns && terms >= kFewTerms;
}

// Products of rows, and reductions that are nested in other ways.
struct Census {
  int products = 0, others = 0;

  void visit(Block& block, VarId row, bool in_scan, bool in_loop) {
    for (Stmt& stmt : block.stmts) {
      auto* loop = std::get_if<Loop>(&stmt.node);
      if (loop == nullptr) continue;
      if (const auto product = in_loop ? std::nullopt : row_product(*loop, row)) {
        if (in_scan || is_large(*product)) ++products;
        continue;
      }
      const bool scan = loop->kind == LoopKind::kScan;
      if (in_loop && loop->kind == LoopKind::kReduce) ++others;
      visit(loop->body, row, in_scan || scan, in_loop || !scan);
    }
  }
};

class RowBlocks {
 public:
  RowBlocks(Kernel& kernel, const Target& target, VarId row, Index first, int64_t rows)
      : kernel_(kernel), target_(target), row_(row), first_(std::move(first)), rows_(rows) {}

  Block run(Block body) {
    for (const Stmt& stmt : body.stmts) {
      for (ScalarId id : uses(kernel_, stmt)) ++uses_[id];
    }
    Block result;
    distribute(std::move(body), result);
    Block all = std::move(allocations_);
    for (Stmt& stmt : result.stmts) all.stmts.push_back(std::move(stmt));
    return all;
  }

 private:
  // A buffer with an element, or so many, of every row.
  BufferId per_row(const std::string& name, DType dtype, int64_t elements) {
    const BufferId id =
        kernel_.add_buffer({name, dtype, elements * rows_, Buffer::Kind::kLocal, {rows_, elements}});
    of_row_[id] = elements;
    allocations_.stmts.push_back({Alloc{id}});
    return id;
  }
  BufferId keep(ScalarId id) {
    return kept_[id] = per_row("kept", kernel_.scalars[static_cast<size_t>(id)], 1);
  }

  void distribute(Block block, Block& to) {
    Block run;  // of statements that share a loop over rows
    auto flush = [&] {
      if (!run.stmts.empty()) to.stmts.push_back({over_rows(std::move(run))});
      run = Block{};
    };
    for (Stmt& stmt : block.stmts) {
      auto* loop = std::get_if<Loop>(&stmt.node);
      const bool from_nothing = std::holds_alternative<Literal>(stmt.node) ||
                                std::holds_alternative<IndexValue>(stmt.node) ||
                                std::holds_alternative<InRange>(stmt.node);
      if (from_nothing) {
        made_anew_.emplace(results(stmt)[0], stmt);
      } else if (auto* alloc = std::get_if<Alloc>(&stmt.node)) {
        Buffer& buffer = kernel_.buffers[static_cast<size_t>(alloc->buffer)];
        of_row_[alloc->buffer] = buffer.elements;
        buffer.shape = {rows_, buffer.elements};
        buffer.elements *= rows_;
        to.stmts.push_back(std::move(stmt));
      } else if (loop != nullptr && row_product(*loop, row_)) {
        flush();
        const RowProduct found = *row_product(*loop, row_);
        run.stmts.push_back({cut(found)});
        for (Stmt& made : product(found).stmts) to.stmts.push_back(std::move(made));
      } else if (loop != nullptr && holds_product(*loop, row_)) {
        for (const Carry& carry : loop->carries) {
          const BufferId buffer = keep(carry.arg);
          kept_[carry.result] = buffer;
          run.stmts.push_back({Store{buffer, 0, carry.init}});
          loop->body.stmts.push_back({Store{buffer, 0, carry.next}});
        }
        flush();
        loop->carries.clear();
        limit_steps(*loop, to);
        Block inside;
        distribute(std::move(loop->body), inside);
        loop->body = std::move(inside);
        to.stmts.push_back(std::move(stmt));
      } else {
        run.stmts.push_back(std::move(stmt));
      }
    }
    flush();
  }

  // Ends the scan behind the last step that changes something in one of the rows.
  void limit_steps(Loop& scan, Block& to) {
    const Index active = std::exchange(scan.active, Index(0));
    const int64_t per_row = active.coefficient(row_);
    // Of a single step it does not matter how far it is from the next one.
    const int64_t per_step = scan.extent == 1 ? -kFar : active.coefficient(scan.var);
    if (active == Index(0) || per_step >= 0 || active.uses_nonlinearly(scan.var) ||
        active.uses_nonlinearly(row_))
      return;
    const Index best = first_ + Index(per_row > 0 ? rows_ - 1 : 0);
    const Index most = active.substitute([&](int id, int64_t extent) {
      return id == scan.var ? Index(0) : id == row_ ? best : Index::variable(id, extent);
    });
    const Index steps = most.floor_div(-per_step) + Index(1);
    const auto number = [&](int64_t value) {
      Tensor scalar(DType::kS32, {});
      scalar.set_int(0, value);
      to.stmts.push_back({Literal{kernel_.add_scalar(DType::kS32), scalar}});
      return std::get<Literal>(to.stmts.back().node).result;
    };
    const auto clamp = [&](std::string_view record, ScalarId value, int64_t bound) {
      const std::vector<ScalarId> operands = {value, number(bound)};
      to.stmts.push_back({Let{kernel_.add_scalar(DType::kS32), ir::find_record(record), operands, {}}});
      return std::get<Let>(to.stmts.back().node).result;
    };
    scan.steps = kernel_.add_scalar(DType::kS32);
    to.stmts.push_back({IndexValue{scan.steps, steps}});
    if (steps.max() > scan.extent) scan.steps = clamp("min", scan.steps, scan.extent);
    if (steps.min() < 0) scan.steps = clamp("max", scan.steps, 0);
  }

  // Cuts the loops behind the reduction inside: they become maps that store its sums, and what follows is
  // returned as loops of its own that read them. So the tiles of a product may overlap, whatever follows.
  Loop cut(const RowProduct& product) {
    Loop& loop = *product.loops.front();
    Block& body = product.loops.back()->body;
    Copier copy(kernel_);
    Block alone;
    alone.stmts.push_back({loop});
    Loop rest = std::get<Loop>(copy(alone.stmts[0]).node);
    for (size_t i = 0; i < loop.carries.size(); ++i) rest.carries[i].result = loop.carries[i].result;
    Loop* innermost = &rest;
    for (size_t i = 1; i < product.loops.size(); ++i) innermost = only_loop(innermost->body);

    size_t at = 0;
    while (!std::holds_alternative<Loop>(body.stmts[at].node)) ++at;
    const Loop& reduction = std::get<Loop>(body.stmts[at].node);
    Index place;
    int64_t points = 1;
    for (const Loop* around : product.loops) {
      place = place * around->extent + kernel_.var(around->var);
      points *= around->extent;
    }
    Block before, after;
    for (size_t i = 0; i <= at; ++i) before.stmts.push_back(body.stmts[i]);
    for (size_t i = 0; i < at; ++i) after.stmts.push_back(innermost->body.stmts[i]);
    std::set<size_t> moved;  // stores of sums
    for (const Carry& carry : reduction.carries) {
      Store store{kNone, place, carry.result};
      for (size_t i = at + 1; i < body.stmts.size(); ++i) {
        auto* found = std::get_if<Store>(&body.stmts[i].node);
        if (found == nullptr || found->value != carry.result || of_row_.count(found->buffer) == 0 ||
            is_read(body, found->buffer))
          continue;
        store = *found;
        moved.insert(i);
        break;
      }
      if (store.buffer == kNone)
        store.buffer = per_row("sums", kernel_.scalars[static_cast<size_t>(carry.result)], points);
      after.stmts.push_back({Load{copy.fresh(carry.result), store.buffer, copy.fresh(store.offset)}});
      before.stmts.push_back({std::move(store)});
    }
    for (size_t i = at + 1; i < body.stmts.size(); ++i) {
      if (moved.count(i) == 0) after.stmts.push_back(innermost->body.stmts[i]);
    }
    body = std::move(before);
    innermost->body = std::move(after);
    loop.kind = LoopKind::kMap;
    loop.carries.clear();
    loop.combiner = Combiner{};
    return rest;
  }

  static bool is_read(Block& block, BufferId buffer) {
    bool found = false;
    for_each_stmt(block, [&](Stmt& stmt) {
      auto* load = std::get_if<Load>(&stmt.node);
      found = found || (load != nullptr && load->buffer == buffer);
    });
    return found;
  }

  // Brings in what the statements use of other loops.
  void bring(const Block& block, Copier& copy, Block& to) {
    std::set<ScalarId> here;
    for (const Stmt& stmt : block.stmts) {
      for (ScalarId id : uses(kernel_, stmt)) {
        if (!here.insert(id).second) continue;
        if (auto found = made_anew_.find(id); found != made_anew_.end()) {
          to.stmts.push_back(copy(found->second));
        } else if (auto kept = kept_.find(id); kept != kept_.end()) {
          const ScalarId again = kernel_.add_scalar(kernel_.scalars[static_cast<size_t>(id)]);
          to.stmts.push_back({Load{again, kept->second, 0}});
          copy.replace_scalar(id, again);
        }
      }
      for (ScalarId id : results(stmt)) here.insert(id);
    }
  }

  void place_rows(Block& block, VarId each) {
    for_each_place(block, [&](BufferId buffer, Index& offset) {
      if (auto own = of_row_.find(buffer); own != of_row_.end())
        offset = kernel_.var(each) * own->second + offset;
    });
  }

  Loop over_rows(Block run) {
    Loop each = make_loop(kernel_, "row", rows_, 1, LoopKind::kMap);
    Copier copy(kernel_, {{row_, first_ + kernel_.var(each.var)}});
    std::unordered_map<ScalarId, int> here;
    for (const Stmt& stmt : run.stmts) {
      for (ScalarId id : uses(kernel_, stmt)) ++here[id];
    }
    bring(run, copy, each.body);
    for (const Stmt& stmt : run.stmts) {
      each.body.stmts.push_back(copy(stmt));
      for (ScalarId id : results(stmt)) {
        if (uses_[id] > here[id]) each.body.stmts.push_back({Store{keep(id), 0, copy.fresh(id)}});
      }
    }
    place_rows(each.body, each.var);
    Block alone;
    alone.stmts.push_back({std::move(each)});
    in_a_kernel(alone, [&] {
      shorten_chains(kernel_, target_);
      choose_lanes(kernel_, target_);
    });
    check(alone.stmts.size() == 1, "a loop over rows fell apart");
    return std::move(std::get<Loop>(alone.stmts[0].node));
  }

  Block product(const RowProduct& product) {
    std::vector<Loop> loops = {make_loop(kernel_, "row", rows_, 1, LoopKind::kParallel)};
    const VarId each = loops[0].var;
    Copier copy(kernel_, {{row_, first_ + kernel_.var(each)}});
    for (const Loop* loop : product.loops) {
      loops.push_back(make_loop(kernel_, kernel_.var_names[static_cast<size_t>(loop->var)], loop->extent, 1,
                                LoopKind::kParallel));
      copy.replace_variable(loop->var, kernel_.var(loops.back().var));
    }
    const Block& original = product.loops.back()->body;
    Block body;
    bring(original, copy, body);
    for (const Stmt& stmt : original.stmts) body.stmts.push_back(copy(stmt));
    place_rows(body, each);
    Block nest = wrap(std::move(loops), std::move(body));
    in_a_kernel(nest, [&] {
      if (tile_contraction(kernel_, target_, true)) return;
      for_each_stmt(kernel_.body, [](Stmt& stmt) {
        auto* loop = std::get_if<Loop>(&stmt.node);
        if (loop != nullptr && loop->kind == LoopKind::kParallel) loop->kind = LoopKind::kMap;
      });
      choose_lanes(kernel_, target_);
    });
    return nest;
  }

  // Calls fn as if the block were the whole kernel; what is shared among threads there is not here.
  template <class Fn>
  void in_a_kernel(Block& block, Fn fn) {
    std::swap(kernel_.body, block);
    fn();
    std::swap(kernel_.body, block);
    settle(block);
  }
  void settle(Block& block) {
    Block settled;
    for (Stmt& stmt : block.stmts) {
      auto* loop = std::get_if<Loop>(&stmt.node);
      if (loop == nullptr) {
        settled.stmts.push_back(std::move(stmt));
        continue;
      }
      if (loop->kind == LoopKind::kParallel) loop->kind = LoopKind::kMap;
      settle(loop->body);
      const bool once =
          loop->kind == LoopKind::kMap && loop->style == LoopStyle::kSerial && loop->step == loop->extent;
      if (!once) {
        settled.stmts.push_back(std::move(stmt));
        continue;
      }
      const VarId only = loop->var;
      substitute(loop->body,
                 [&](int id, int64_t extent) { return id == only ? Index(0) : Index::variable(id, extent); });
      for (Stmt& inner : loop->body.stmts) settled.stmts.push_back(std::move(inner));
    }
    block = std::move(settled);
  }

  Kernel& kernel_;
  const Target& target_;
  VarId row_;
  Index first_;
  int64_t rows_;
  Block allocations_;
  std::map<BufferId, int64_t> of_row_;            // elements of one row
  std::unordered_map<ScalarId, Stmt> made_anew_;  // in every loop over rows that uses it
  std::unordered_map<ScalarId, BufferId> kept_;   // an element per row
  std::unordered_map<ScalarId, int> uses_;        // in the whole body
};

int64_t choose_rows(const Kernel& kernel, const Target& target, Nest& nest, size_t row) {
  int64_t bytes = 1, others = 1;
  for_each_stmt(nest.body, [&](Stmt& stmt) {
    auto* alloc = std::get_if<Alloc>(&stmt.node);
    if (alloc == nullptr) return;
    const Buffer& buffer = kernel.buffers[static_cast<size_t>(alloc->buffer)];
    bytes += buffer.elements * static_cast<int64_t>(byte_size(buffer.dtype));
  });
  for (size_t i = 0; i < nest.loops.size(); ++i) {
    if (i != row) others *= nest.loops[i].extent;
  }
  const int64_t extent = nest.loops[row].extent;
  const int64_t most = std::clamp(target.l2_bytes / kPartOfCacheForRows / bytes, kLeastRows, kMostRows);
  const int64_t wanted = std::min(divide_up(prices::kFairUnits, others), divide_up(extent, kLeastRows));
  const int64_t rows = std::min(most, divide_up(extent, wanted));
  // Blocks that do not overlap compute nothing twice.
  const int64_t divisor = near_divisor(extent, rows);
  return divisor <= rows ? divisor : divide_up(extent, divide_up(extent, rows));
}

}  // namespace

std::optional<RowProduct> row_product(Loop& loop, VarId row) {
  RowProduct product;
  for (Loop* at = &loop;;) {
    Loop* inner = only_loop(at->body);
    if (inner == nullptr || at->step != 1 || at->steps != kNone) return std::nullopt;
    product.loops.push_back(at);
    const bool map = at->kind == LoopKind::kMap;
    if (inner->kind == LoopKind::kReduce && inner->extent > 0 && only_reductions(inner->body)) {
      if (!map && (at->kind != LoopKind::kReduce || product.loops.size() > 1)) return std::nullopt;
      product.reduction = inner;
      break;
    }
    if (!map || inner->kind != LoopKind::kMap || at->body.stmts.size() != 1) return std::nullopt;
    at = inner;
  }
  const VarId column = product.loops.back()->var;
  bool of_row = false, of_column = false;
  for_each_stmt(product.reduction->body, [&](Stmt& stmt) {
    auto* load = std::get_if<Load>(&stmt.node);
    if (load == nullptr) return;
    const bool by_row = load->offset.uses(row), by_column = load->offset.uses(column);
    of_column = of_column || (by_column && !by_row);
    of_row = of_row || !by_column;
  });
  return of_row && of_column ? std::optional(product) : std::nullopt;
}

std::optional<size_t> shared_row(Nest& nest) {
  std::optional<size_t> longest;
  for (size_t i = nest.loops.size(); i-- > 0;) {
    const int64_t extent = nest.loops[i].extent;
    if (longest && extent <= nest.loops[*longest].extent) continue;
    Census census;
    census.visit(nest.body, nest.loops[i].var, false, false);
    if (census.products == 0 || census.others > 0) continue;
    longest = i;
    if (extent >= kLeastRows) break;
  }
  return longest;
}

bool blocks_rows(Kernel kernel) {
  collapse_loops(kernel);
  Nest nest = take_nest(kernel);
  return kernel.bound.empty() && shared_row(nest).has_value();
}

bool block_rows(Kernel& kernel, const Target& target) {
  if (!kernel.bound.empty()) return false;
  Nest nest = take_nest(kernel);
  const std::optional<size_t> found = shared_row(nest);
  if (!found) {
    put_nest(kernel, std::move(nest));
    return false;
  }
  const Loop row = nest.loops[*found];
  const int64_t rows = choose_rows(kernel, target, nest, *found);
  nest.loops.erase(nest.loops.begin() + static_cast<int64_t>(*found));
  nest.loops.push_back(make_loop(kernel, kernel.var_names[static_cast<size_t>(row.var)] + "_block",
                                 row.extent, rows, LoopKind::kParallel));
  const Index first = kernel.var(nest.loops.back().var);
  Loop blocks = nest.loops.back();
  nest.body = RowBlocks(kernel, target, row.var, first, rows).run(std::move(nest.body));
  eliminate_dead(kernel, nest.body);
  Block packing = hoist_packing(kernel, target, nest.body, blocks.var);
  blocks.body = std::move(nest.body);
  nest.loops.pop_back();
  Block body = before_units(kernel, std::move(packing), std::move(blocks), nest.loops.empty());
  kernel.body = wrap(std::move(nest.loops), std::move(body));
  return true;
}

}  // namespace ingot::kernel
