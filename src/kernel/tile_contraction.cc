// Register tiles for contractions.
//
// A contraction is a reduction over k at every point (m, n) of the band where some loads do not depend on m
// and others not on n. It runs as
//
//   parallel panel of n, chunk of m:
//     pack what depends on (k, n) only, for all k of the panel, into a local buffer
//     map rows of m by MR:
//       tile m in MR, lanes n in NR:   all accumulators in registers
//         reduce k, keep the sums in a local tile
//       map m in MR, lanes n in NR:
//         epilogue, store
//
// Producers of the packed side run in the packing. The epilogue runs on the tile while it is in the
// first-level cache, as a loop of its own: written out for every accumulator it would be long, and take their
// registers away from the sums. An epilogue of next to nothing stays with the sums. Nothing here knows an
// operation.
#include <algorithm>
#include <set>

#include "kernel/blocks.h"
#include "kernel/nest.h"
#include "kernel/schedule.h"

namespace ingot::kernel {
namespace {

constexpr int kShortEpilogue = 2;    // instructions that may follow the sums in their registers
constexpr int64_t kChunkRows = 256;  // rows of m per unit: enough to pay for packing the panel

struct Roles {
  size_t m = 0, n = 0;  // positions in the nest
};

bool store_is_contiguous(Block& block, VarId var) {
  bool any = false, all = true;
  for_each_stmt(block, [&](Stmt& stmt) {
    if (auto* s = std::get_if<Store>(&stmt.node)) {
      any = true;
      all = all && !s->offset.uses_nonlinearly(var) && s->offset.coefficient(var) == 1;
    }
  });
  return any && all;
}

// The one reduction at the top of the body, or null.
Loop* single_reduction(Block& body) {
  Loop* found = nullptr;
  for (Stmt& stmt : body.stmts) {
    if (std::holds_alternative<Alloc>(stmt.node)) return nullptr;
    if (auto* loop = std::get_if<Loop>(&stmt.node)) {
      if (found != nullptr || loop->kind != LoopKind::kReduce) return nullptr;
      found = loop;
    }
  }
  return found;
}

bool only_reductions(Block& block) {
  bool fine = true;
  for_each_stmt(block, [&](Stmt& stmt) {
    if (auto* loop = std::get_if<Loop>(&stmt.node)) fine = fine && loop->kind == LoopKind::kReduce;
    if (std::holds_alternative<Alloc>(stmt.node) || std::holds_alternative<Store>(stmt.node)) fine = false;
  });
  return fine;
}

// n is the band's variable along which the output is contiguous; m is one that half of the loads do not see.
bool find_roles(Nest& nest, Loop& reduction, Roles& roles) {
  if (!only_reductions(reduction.body)) return false;
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
  const VarId n = nest.loops[roles.n].var;
  int64_t best = 0;
  for (size_t i = 0; i < nest.loops.size(); ++i) {
    const VarId m = nest.loops[i].var;
    if (i == roles.n || !uses_in_loads(m, n) || !uses_in_loads(n, m)) continue;
    if (nest.loops[i].extent > best) best = nest.loops[i].extent, roles.m = i;
  }
  return best > 1;
}

// Moves the part of the reduction that depends on n but not on m into a loop nest of its own, which writes a
// local buffer [k][NR]; the reduction reads that buffer.
Block pack_panel(Kernel& kernel, Loop& reduction, VarId m, VarId n_inner, int64_t panel) {
  std::vector<Loop*> ks;  // the reduction's loops, outermost first
  Loop* innermost = &reduction;
  while (true) {
    ks.push_back(innermost);
    Loop* inner = nullptr;
    for (Stmt& stmt : innermost->body.stmts) {
      if (auto* loop = std::get_if<Loop>(&stmt.node)) inner = loop;
    }
    if (inner == nullptr) break;
    innermost = inner;
  }
  std::set<ScalarId> on_m, on_n, inside;
  Block& body = innermost->body;
  for (Stmt& stmt : body.stmts) {
    bool m_here = false, n_here = false;
    auto look = [&](const Index& index) {
      m_here = m_here || index.uses(m);
      n_here = n_here || index.uses(n_inner);
    };
    if (auto* s = std::get_if<Load>(&stmt.node)) look(s->offset);
    if (auto* s = std::get_if<IndexValue>(&stmt.node)) look(s->index);
    if (auto* s = std::get_if<InRange>(&stmt.node)) look(s->index);
    for (ScalarId id : uses(kernel, stmt)) {
      m_here = m_here || on_m.count(id);
      n_here = n_here || on_n.count(id);
    }
    for (ScalarId id : results(stmt)) {
      inside.insert(id);
      if (m_here) on_m.insert(id);
      if (n_here) on_n.insert(id);
    }
  }
  auto packable = [&](ScalarId id) { return inside.count(id) && on_n.count(id) && !on_m.count(id); };
  std::set<ScalarId> frontier;
  for (Stmt& stmt : body.stmts) {
    std::vector<ScalarId> made = results(stmt);
    if (!made.empty() && packable(made[0])) continue;
    for (ScalarId id : uses(kernel, stmt)) {
      if (packable(id)) frontier.insert(id);
    }
  }
  for (const Carry& carry : innermost->carries) {
    if (packable(carry.next)) frontier.insert(carry.next);
  }
  if (frontier.empty()) return {};

  // Fresh loops for the packing; the statements are copied, with scalars of their own.
  std::vector<Loop> loops;
  Index position;
  std::vector<Index> fresh_k;
  int64_t elements = 1;
  for (Loop* k : ks) {
    loops.push_back(
        make_loop(kernel, kernel.var_names[static_cast<size_t>(k->var)], k->extent, 1, LoopKind::kMap));
    position = position * k->extent + kernel.var(k->var);
    elements *= k->extent;
  }
  loops.push_back(make_loop(kernel, "nn", panel, 1, LoopKind::kMap, LoopStyle::kLanes));
  auto renew = [&](const Index& index) {
    return index.substitute([&](int id, int64_t extent) {
      for (size_t i = 0; i < ks.size(); ++i) {
        if (ks[i]->var == id) return kernel.var(loops[i].var);
      }
      return id == n_inner ? kernel.var(loops.back().var) : Index::variable(id, extent);
    });
  };
  Block copy_body, rest, result;
  std::unordered_map<ScalarId, ScalarId> renamed;
  auto fresh = [&](ScalarId id) {
    auto it = renamed.find(id);
    return it == renamed.end() ? id : it->second;
  };
  std::unordered_map<ScalarId, Load> replacement;
  for (ScalarId id : frontier) {
    BufferId buffer = kernel.add_buffer({"panel",
                                         kernel.scalars[static_cast<size_t>(id)],
                                         elements * panel,
                                         Buffer::Kind::kLocal,
                                         {elements, panel}});
    result.stmts.push_back({Alloc{buffer}});
    replacement[id] = Load{id, buffer, position * panel + kernel.var(n_inner)};
  }
  std::set<ScalarId> needed_below;  // kept in the reduction although the packing copies it
  for (const Stmt& stmt : body.stmts) {
    std::vector<ScalarId> made = results(stmt);
    const bool packs = !made.empty() && !on_m.count(made[0]);
    if (packs) {
      Stmt copy = stmt;
      auto rename_result = [&](ScalarId& id) {
        id = renamed[id] = kernel.add_scalar(kernel.scalars[static_cast<size_t>(id)]);
      };
      if (auto* s = std::get_if<Let>(&copy.node)) {
        for (ScalarId& operand : s->operands) operand = fresh(operand);
        rename_result(s->result);
      } else if (auto* s = std::get_if<Load>(&copy.node)) {
        s->offset = renew(s->offset);
        if (s->predicate != kNone) s->predicate = fresh(s->predicate);
        rename_result(s->result);
      } else if (auto* s = std::get_if<IndexValue>(&copy.node)) {
        s->index = renew(s->index);
        rename_result(s->result);
      } else if (auto* s = std::get_if<InRange>(&copy.node)) {
        s->index = renew(s->index);
        rename_result(s->result);
      } else if (auto* s = std::get_if<Literal>(&copy.node)) {
        rename_result(s->result);
      }
      copy_body.stmts.push_back(std::move(copy));
      if (frontier.count(made[0])) {
        const Load& load = replacement.at(made[0]);
        copy_body.stmts.push_back({Store{load.buffer, renew(load.offset), fresh(made[0])}});
        rest.stmts.push_back({load});
        continue;
      }
      if (packable(made[0])) continue;
    }
    rest.stmts.push_back(stmt);
  }
  body = std::move(rest);
  Block nest = wrap(std::move(loops), std::move(copy_body));
  for (Stmt& stmt : nest.stmts) result.stmts.push_back(std::move(stmt));
  return result;
}

// Cuts the body behind the reduction: what follows reads the sums from a local tile [rows][panel]. The block
// that is returned holds the epilogue's loops, and is empty if the epilogue is short.
Block split_epilogue(Kernel& kernel, Block& body, const Loop& m_tile, const Loop& n_lanes,
                     Block& allocations) {
  size_t at = 0;
  while (!std::holds_alternative<Loop>(body.stmts[at].node)) ++at;
  int after = 0;
  for (size_t i = at + 1; i < body.stmts.size(); ++i)
    after += std::holds_alternative<Let>(body.stmts[i].node) ? cost(body.stmts[i]) : 0;
  if (after <= kShortEpilogue) return {};

  // What stood before the reduction may be needed on both sides; the dead half goes at the end.
  Block epilogue;
  std::unordered_map<ScalarId, ScalarId> renamed;
  auto fresh = [&](ScalarId id) {
    auto [it, made] = renamed.emplace(id, kNone);
    if (made) it->second = kernel.add_scalar(kernel.scalars[static_cast<size_t>(id)]);
    return it->second;
  };
  auto old_or_new = [&](ScalarId id) {
    auto it = renamed.find(id);
    return it == renamed.end() ? id : it->second;
  };
  auto copy = [&](Stmt stmt) {
    if (auto* s = std::get_if<Let>(&stmt.node)) {
      for (ScalarId& operand : s->operands) operand = old_or_new(operand);
      s->result = fresh(s->result);
    } else if (auto* s = std::get_if<Load>(&stmt.node)) {
      if (s->predicate != kNone) s->predicate = old_or_new(s->predicate);
      s->result = fresh(s->result);
    } else if (auto* s = std::get_if<Literal>(&stmt.node)) {
      s->result = fresh(s->result);
    } else if (auto* s = std::get_if<IndexValue>(&stmt.node)) {
      s->result = fresh(s->result);
    } else if (auto* s = std::get_if<InRange>(&stmt.node)) {
      s->result = fresh(s->result);
    } else if (auto* s = std::get_if<Store>(&stmt.node)) {
      s->value = old_or_new(s->value);
    }
    epilogue.stmts.push_back(std::move(stmt));
  };
  for (size_t i = 0; i < at; ++i) copy(body.stmts[i]);
  const Index place = kernel.var(m_tile.var) * n_lanes.extent + kernel.var(n_lanes.var);
  Block sums;
  for (size_t i = 0; i <= at; ++i) sums.stmts.push_back(body.stmts[i]);
  for (const Carry& carry : std::get<Loop>(body.stmts[at].node).carries) {
    const DType dtype = kernel.scalars[static_cast<size_t>(carry.result)];
    const int64_t elements = m_tile.extent * n_lanes.extent;
    const BufferId buffer =
        kernel.add_buffer({"sums", dtype, elements, Buffer::Kind::kLocal, {m_tile.extent, n_lanes.extent}});
    allocations.stmts.push_back({Alloc{buffer}});
    sums.stmts.push_back({Store{buffer, place, carry.result}});
    epilogue.stmts.push_back({Load{fresh(carry.result), buffer, place}});
  }
  for (size_t i = at + 1; i < body.stmts.size(); ++i) copy(std::move(body.stmts[i]));
  body = std::move(sums);

  Loop rows = make_loop(kernel, "m", m_tile.extent, 1, LoopKind::kMap);
  Loop lanes = make_loop(kernel, "n", n_lanes.extent, 1, LoopKind::kMap, LoopStyle::kLanes);
  lanes.vectors = n_lanes.vectors;
  substitute(epilogue, [&](int id, int64_t extent) {
    return id == m_tile.var    ? kernel.var(rows.var)
           : id == n_lanes.var ? kernel.var(lanes.var)
                               : Index::variable(id, extent);
  });
  return wrap({std::move(rows), std::move(lanes)}, std::move(epilogue));
}

}  // namespace

bool tile_contraction(Kernel& kernel, const Target& target) {
  if (!kernel.bound.empty()) return false;  // points of a tile read at constant distances
  Nest nest = take_nest(kernel);
  Loop* reduction = single_reduction(nest.body);
  Roles roles;
  if (reduction == nullptr || !find_roles(nest, *reduction, roles)) {
    put_nest(kernel, std::move(nest));
    return false;
  }
  size_t widest = 1;
  for (DType dtype : kernel.scalars) widest = std::max(widest, byte_size(dtype));
  const int64_t lanes = std::max<int64_t>(1, target.vector_bytes / static_cast<int64_t>(widest));
  const Loop m_loop = nest.loops[roles.m], n_loop = nest.loops[roles.n];
  int64_t vectors = 2;
  int64_t panel = lanes * vectors;
  if (n_loop.extent < panel) {
    vectors = 1;
    panel = lanes;
    while (panel > n_loop.extent) panel /= 2;
  }
  if (panel < 2) {
    put_nest(kernel, std::move(nest));
    return false;
  }
  // Accumulators fill the registers but for the panel's vectors and what is read of the other operand.
  const int64_t registers = target.vector_registers - (target.vector_registers >= 32 ? 4 : 2) - vectors;
  const int64_t rows = std::min<int64_t>(m_loop.extent, std::max<int64_t>(1, registers / vectors));
  const int64_t chunk = std::min(m_loop.extent, std::max<int64_t>(1, kChunkRows / rows) * rows);

  Loop panel_loop = make_loop(kernel, "n_panel", n_loop.extent, panel, LoopKind::kParallel);
  Loop chunk_loop = make_loop(kernel, "m_chunk", m_loop.extent, chunk, LoopKind::kParallel);
  Loop row_loop = make_loop(kernel, "m_block", chunk, rows, LoopKind::kMap);
  Loop m_tile = make_loop(kernel, "m", rows, 1, LoopKind::kMap, LoopStyle::kTile);
  Loop n_lanes = make_loop(kernel, "n", panel, 1, LoopKind::kMap, LoopStyle::kLanes);
  n_lanes.vectors = static_cast<int>(vectors);
  const Index m = kernel.var(chunk_loop.var) + kernel.var(row_loop.var) + kernel.var(m_tile.var);
  const Index n = kernel.var(panel_loop.var) + kernel.var(n_lanes.var);
  substitute(nest.body, [&](int id, int64_t extent) {
    return id == m_loop.var ? m : id == n_loop.var ? n : Index::variable(id, extent);
  });
  // Packing pays when the panel is read several times.
  Block body;
  if (m_loop.extent >= 4 * rows) {
    reduction = single_reduction(nest.body);
    // m is spread over three variables; "depends on m" means on any of them, and the tile's stands for all.
    body = pack_panel(kernel, *reduction, m_tile.var, n_lanes.var, panel);
  }
  Block epilogue = split_epilogue(kernel, nest.body, m_tile, n_lanes, body);
  Block tile = wrap({std::move(m_tile), std::move(n_lanes)}, std::move(nest.body));
  for (Stmt& stmt : epilogue.stmts) tile.stmts.push_back(std::move(stmt));
  body.stmts.push_back({std::move(wrap({std::move(row_loop)}, std::move(tile)).stmts[0])});
  eliminate_dead(kernel, body);
  std::vector<Loop> loops;
  for (size_t i = 0; i < nest.loops.size(); ++i) {
    if (i != roles.m && i != roles.n) loops.push_back(nest.loops[i]);
  }
  loops.push_back(std::move(panel_loop));
  loops.push_back(std::move(chunk_loop));
  kernel.body = wrap(std::move(loops), std::move(body));
  kernel.kind = "contraction";
  return true;
}

}  // namespace ingot::kernel
