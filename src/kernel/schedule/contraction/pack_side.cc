// Packing: the copy of an operand's piece that the register tiles of a contraction read.
//
// What is copied is every statement of the reduction that depends on the side's own tile variable and not on
// the other's: loads through any index map, and the arithmetic behind them, so that producers run here, once
// per element.
#include <algorithm>
#include <numeric>
#include <set>

#include "kernel/cost/table.h"
#include "kernel/ir/blocks.h"
#include "kernel/ir/copier.h"
#include "kernel/ir/target.h"
#include "kernel/schedule/contraction/contraction.h"

namespace ingot::kernel {
namespace {

// Rows that are a multiple of 4 KiB apart fall on the same few lines of a cache.
constexpr int64_t kRowPadding = 16;  // elements

// Lines of so many pieces, which are written in turn, do not stay in the first level.
bool pieces_collide(int64_t bytes_apart, int64_t pieces) {
  return pieces * std::gcd(bytes_apart, prices::kCollisionPeriod) > prices::kFirstLevel / 2;
}

// Which scalars of the reduction's innermost body belong to a side. What stands around that body, and is used
// in it, counts as well, but is not packed by itself.
struct SideParts {
  const Kernel& kernel;
  std::set<ScalarId> here, other, inside, left;  // left: is not packed, though it could be

  SideParts(const Kernel& kernel, const std::vector<const Stmt*>& around, const Block& body, const Side& side)
      : kernel(kernel) {
    for (const Stmt* stmt : around) sort(*stmt, side);
    for (const Stmt& stmt : body.stmts) {
      sort(stmt, side);
      for (ScalarId id : results(stmt)) inside.insert(id);
      if (side.narrow && widens_half(kernel, stmt)) left.insert(results(stmt)[0]);
    }
  }

  void sort(const Stmt& stmt, const Side& side) {
    bool uses_here = false, uses_other = false;
    auto look = [&](const Index& index) {
      uses_here = uses_here || index.uses(side.inner);
      uses_other = uses_other || index.uses(side.other);
    };
    if (auto* s = std::get_if<Load>(&stmt.node)) look(s->offset);
    if (auto* s = std::get_if<IndexValue>(&stmt.node)) look(s->index);
    if (auto* s = std::get_if<InRange>(&stmt.node)) look(s->index);
    for (ScalarId id : uses(kernel, stmt)) {
      uses_here = uses_here || here.count(id);
      uses_other = uses_other || other.count(id);
    }
    for (ScalarId id : results(stmt)) {
      if (uses_here) here.insert(id);
      if (uses_other) other.insert(id);
    }
  }

  bool packable(ScalarId id) const {
    return inside.count(id) && here.count(id) && !other.count(id) && !left.count(id);
  }

  // The packable scalars that the rest of the reduction uses.
  std::set<ScalarId> frontier(const Loop& loop) const {
    std::set<ScalarId> found;
    for (const Stmt& stmt : loop.body.stmts) {
      const std::vector<ScalarId> made = results(stmt);
      if (!made.empty() && packable(made[0])) continue;
      for (ScalarId id : uses(kernel, stmt)) {
        if (packable(id)) found.insert(id);
      }
    }
    for (const Carry& carry : loop.carries) {
      if (packable(carry.next)) found.insert(carry.next);
    }
    return found;
  }
};

// The statements before the loop in a block.
void collect_before_loop(const Block& block, std::vector<const Stmt*>& found) {
  for (const Stmt& stmt : block.stmts) {
    if (std::holds_alternative<Loop>(stmt.node)) return;
    found.push_back(&stmt);
  }
}

// Those of `around` that the packing needs, directly or by way of others, in their order.
std::vector<const Stmt*> needed_around(const Kernel& kernel, const std::vector<const Stmt*>& around,
                                       const Block& body, const SideParts& parts) {
  std::set<ScalarId> wanted;
  for (const Stmt& stmt : body.stmts) {
    const std::vector<ScalarId> made = results(stmt);
    if (made.empty() || parts.other.count(made[0])) continue;
    for (ScalarId id : uses(kernel, stmt)) wanted.insert(id);
  }
  std::vector<const Stmt*> found;
  for (auto it = around.rbegin(); it != around.rend(); ++it) {
    const std::vector<ScalarId> made = results(**it);
    if (made.empty() || !wanted.count(made[0])) continue;
    found.insert(found.begin(), *it);
    for (ScalarId id : uses(kernel, **it)) wanted.insert(id);
  }
  return found;
}

int64_t widest(const Kernel& kernel, const std::set<ScalarId>& scalars) {
  size_t bytes = 1;
  for (ScalarId id : scalars) bytes = std::max(bytes, byte_size(kernel.scalars[static_cast<size_t>(id)]));
  return static_cast<int64_t>(bytes);
}

// What is copied line by line lies in short lines that are far from each other, so that the hardware does not
// see the next one coming: loops that ask for the line some steps of k ahead, one for each load.
Block lines_ahead(Kernel& kernel, const Block& packing, const Loop& k, const Loop& pieces,
                  const Loop& points) {
  Block ahead;
  for (const Stmt& stmt : packing.stmts) {
    const auto* load = std::get_if<Load>(&stmt.node);
    if (load == nullptr || load->predicate != kNone || load->offset.uses_nonlinearly(k.var)) continue;
    const Buffer& buffer = kernel.buffers[static_cast<size_t>(load->buffer)];
    const auto bytes = static_cast<int64_t>(byte_size(buffer.dtype));
    const int64_t line = pieces.extent * points.extent * bytes;
    if (buffer.kind != Buffer::Kind::kInput || load->offset.coefficient(points.var) != 1 ||
        load->offset.coefficient(k.var) * bytes < prices::kSeenComing)
      continue;
    const int64_t steps = divide_up(prices::kUnderWay, line);
    const Loop parts = make_loop(kernel, "line", divide_up(line, kLineBytes), 1, LoopKind::kMap);
    Prefetch next = ahead_of(*load, {{k.var, steps}});
    next.offset = next.offset.substitute([&](int id, int64_t extent) {
      return id == points.var || id == pieces.var ? Index(0) : Index::variable(id, extent);
    });
    next.offset = next.offset + kernel.var(parts.var) * (kLineBytes / bytes);
    for (Stmt& loop : wrap({parts}, {{{next}}}).stmts) ahead.stmts.push_back(std::move(loop));
  }
  return ahead;
}

}  // namespace

Block pack_side(Kernel& kernel, const Block& body, Loop& reduction, const Side& side) {
  const std::vector<Loop*> chain = chain_of(reduction);  // outermost first
  Loop& inner = *chain.back();
  std::vector<const Stmt*> around;
  collect_before_loop(body, around);
  for (size_t i = 0; i + 1 < chain.size(); ++i) collect_before_loop(chain[i]->body, around);
  const SideParts parts(kernel, around, inner.body, side);
  const std::set<ScalarId> frontier = parts.frontier(inner);
  if (frontier.empty()) return {};

  std::vector<Loop> loops;
  Index contracted;
  int64_t contracted_extent = 1;
  for (Loop* k : chain) {
    loops.push_back(
        make_loop(kernel, kernel.var_names[static_cast<size_t>(k->var)], k->extent, 1, LoopKind::kMap));
    contracted = contracted * k->extent + kernel.var(k->var);
    contracted_extent *= k->extent;
  }
  Loop points = make_loop(kernel, std::string(side.name) + "_point", side.extent, 1, LoopKind::kMap);
  Loop pieces = make_loop(kernel, std::string(side.name) + "_piece", side.pieces, 1, LoopKind::kMap);
  std::unordered_map<VarId, Index> renewed = {{side.inner, kernel.var(points.var)},
                                              {side.ordinal, kernel.var(pieces.var)}};
  for (size_t i = 0; i < chain.size(); ++i) renewed[chain[i]->var] = kernel.var(loops[i].var);
  const int64_t row = side.contracted_first ? side.extent : contracted_extent + kRowPadding;
  int64_t rows = side.contracted_first ? contracted_extent : side.extent;
  const bool line_by_line = side.contracted_first && side.across_pieces;
  if (line_by_line && pieces_collide(rows * row * widest(kernel, frontier), side.pieces))
    rows += divide_up(kRowPadding, row);
  const Index in_piece = side.contracted_first ? contracted * row + kernel.var(side.inner)
                                               : kernel.var(side.inner) * row + contracted;
  const Index offset = kernel.var(side.ordinal) * (rows * row) + in_piece;
  const int64_t elements = side.pieces * rows * row;

  Block packing, rest, result;
  std::unordered_map<ScalarId, BufferId> buffers;
  for (ScalarId id : frontier) {
    const DType dtype = kernel.scalars[static_cast<size_t>(id)];
    buffers[id] =
        kernel.add_buffer({side.name, dtype, elements, Buffer::Kind::kLocal, {elements / row, row}});
    result.stmts.push_back({Alloc{buffers[id]}});
  }
  Copier copy(kernel, std::move(renewed));
  for (const Stmt* stmt : needed_around(kernel, around, inner.body, parts))
    packing.stmts.push_back(copy(*stmt));
  for (const Stmt& stmt : inner.body.stmts) {
    const std::vector<ScalarId> made = results(stmt);
    const ScalarId id = made.empty() ? kNone : made[0];
    if (id != kNone && !parts.other.count(id) && !parts.left.count(id)) packing.stmts.push_back(copy(stmt));
    if (frontier.count(id)) {
      packing.stmts.push_back({Store{buffers[id], copy.fresh(offset), copy.fresh(id)}});
      rest.stmts.push_back({Load{id, buffers[id], offset}});
    } else if (id == kNone || !parts.packable(id)) {
      rest.stmts.push_back(stmt);
    }
  }
  inner.body = std::move(rest);
  // The lanes run along what is contiguous in the copy. Where that is not contiguous in memory, they stand
  // outside of the loop that is, so that steps of it are transposed in registers.
  Loop& lanes = side.contracted_first ? points : loops.back();
  lanes.style = LoopStyle::kLanes;
  Block nest;
  if (line_by_line) {
    if (side.far) nest = lines_ahead(kernel, packing, loops.back(), pieces, points);
    for (Stmt& stmt : wrap({std::move(pieces), std::move(points)}, std::move(packing)).stmts)
      nest.stmts.push_back(std::move(stmt));
    nest = wrap(std::move(loops), std::move(nest));
  } else {
    loops.insert(loops.begin(), {std::move(pieces), std::move(points)});
    nest = wrap(std::move(loops), std::move(packing));
  }
  for (Stmt& stmt : nest.stmts) result.stmts.push_back(std::move(stmt));
  return result;
}

}  // namespace ingot::kernel
