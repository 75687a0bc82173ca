#include "kernel/ir/reductions.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "kernel/ir/blocks.h"
#include "kernel/ir/copier.h"
#include "kernel/ir/nest.h"

namespace ingot::kernel {

const Loop* single_reduction(const Block& body) {
  const Loop* found = nullptr;
  for (const Stmt& stmt : body.stmts) {
    if (std::holds_alternative<Alloc>(stmt.node)) return nullptr;
    if (auto* loop = std::get_if<Loop>(&stmt.node)) {
      if (found != nullptr || loop->kind != LoopKind::kReduce) return nullptr;
      found = loop;
    }
  }
  return found;
}

Loop* single_reduction(Block& body) {
  return const_cast<Loop*>(single_reduction(static_cast<const Block&>(body)));
}

std::vector<Loop*> chain_of(Loop& reduction) {
  std::vector<Loop*> chain;
  for (Loop* loop = &reduction; loop != nullptr;) {
    chain.push_back(loop);
    Loop* inner = nullptr;
    for (Stmt& stmt : loop->body.stmts) {
      if (auto* nested = std::get_if<Loop>(&stmt.node)) inner = nested;
    }
    loop = inner;
  }
  return chain;
}

Loop& innermost(Loop& reduction) {
  return *chain_of(reduction).back();
}

bool only_reductions(Block& block) {
  bool fine = true;
  for_each_stmt(block, [&](Stmt& stmt) {
    if (auto* loop = std::get_if<Loop>(&stmt.node))
      fine = fine && loop->kind == LoopKind::kReduce && loop->extent > 0;
    if (std::holds_alternative<Alloc>(stmt.node) || std::holds_alternative<Store>(stmt.node)) fine = false;
  });
  return fine;
}

bool begins_with_literals(const Block& body, const Loop& reduction) {
  for (const Carry& carry : reduction.carries) {
    bool found = false;
    for (const Stmt& stmt : body.stmts) {
      auto* literal = std::get_if<Literal>(&stmt.node);
      found = found || (literal != nullptr && literal->result == carry.init);
    }
    if (!found) return false;
  }
  return true;
}

const Let* only_operation(const Combiner& combiner) {
  if (combiner.body.stmts.size() != 1 || combiner.out.size() != 1) return nullptr;
  const auto* let = std::get_if<Let>(&combiner.body.stmts[0].node);
  if (let == nullptr || let->operands.size() != 2 || let->result != combiner.out[0]) return nullptr;
  const bool both = (let->operands[0] == combiner.lhs[0] && let->operands[1] == combiner.rhs[0]) ||
                    (let->operands[1] == combiner.lhs[0] && let->operands[0] == combiner.rhs[0]);
  return both ? let : nullptr;
}

bool same_combiner(const Combiner& a, const Combiner& b) {
  if (a.lhs.size() != b.lhs.size() || a.body.stmts.size() != b.body.stmts.size()) return false;
  std::unordered_map<ScalarId, ScalarId> known;  // of b, by those of a
  for (size_t i = 0; i < a.lhs.size(); ++i) known[a.lhs[i]] = b.lhs[i], known[a.rhs[i]] = b.rhs[i];
  const auto same = [&](ScalarId x, ScalarId y) {
    const auto found = known.find(x);
    return (found == known.end() ? x : found->second) == y;
  };
  for (size_t i = 0; i < a.body.stmts.size(); ++i) {
    const Stmt &x = a.body.stmts[i], &y = b.body.stmts[i];
    if (x.node.index() != y.node.index()) return false;
    if (const auto* let = std::get_if<Let>(&x.node)) {
      const Let& other = std::get<Let>(y.node);
      if (let->record != other.record || !(let->attributes == other.attributes) ||
          !std::equal(let->operands.begin(), let->operands.end(), other.operands.begin(),
                      other.operands.end(), same))
        return false;
      known[let->result] = other.result;
    } else if (const auto* literal = std::get_if<Literal>(&x.node)) {
      const Literal& other = std::get<Literal>(y.node);
      if (!(literal->value == other.value)) return false;
      known[literal->result] = other.result;
    } else {
      return false;
    }
  }
  return std::equal(a.out.begin(), a.out.end(), b.out.begin(), b.out.end(), same);
}

bool nests_as_one(Loop& reduction) {
  const std::vector<Loop*> chain = chain_of(reduction);
  const auto hands_on = [](const Carry& outer, const Carry& inner) { return outer.next == inner.result; };
  for (size_t i = 0; i + 1 < chain.size(); ++i) {
    const Loop &outer = *chain[i], &inner = *chain[i + 1];
    if (!std::equal(outer.carries.begin(), outer.carries.end(), inner.carries.begin(), inner.carries.end(),
                    hands_on) ||
        !same_combiner(outer.combiner, inner.combiner))
      return false;
  }
  return true;
}

bool rises(const Kernel& kernel, const Loop& loop, size_t carry) {
  const ScalarId next = loop.carries[carry].next;
  const DType dtype = kernel.scalars[static_cast<size_t>(next)];
  if (dtype != DType::kS32 && dtype != DType::kS64) return false;
  return std::any_of(loop.body.stmts.begin(), loop.body.stmts.end(), [&](const Stmt& stmt) {
    const auto* place = std::get_if<IndexValue>(&stmt.node);
    return place != nullptr && place->result == next && place->index.coefficient(loop.var) > 0 &&
           !place->index.uses_nonlinearly(loop.var) && !kernel.uses_bound(place->index) &&
           place->index.min() >= 0 && place->index.max() <= std::numeric_limits<int32_t>::max();
  });
}

namespace {

// Whether points of the band share what the reduction reads as rows and columns of a product do: one load is
// the same along one of the loops, another one along another.
bool is_product_of_band(const std::vector<Loop>& band, const Loop& reduction) {
  std::vector<std::vector<bool>> seen;  // by load, the loops that tell it apart
  const auto visit = [&](const auto& self, const Block& block) -> void {
    for (const Stmt& stmt : block.stmts) {
      if (const auto* load = std::get_if<Load>(&stmt.node)) {
        std::vector<bool>& by = seen.emplace_back();
        for (const Loop& loop : band) by.push_back(loop.extent > 1 && load->offset.uses(loop.var));
      }
      if (const auto* loop = std::get_if<Loop>(&stmt.node)) self(self, loop->body);
    }
  };
  visit(visit, reduction.body);
  const auto has_more = [](const std::vector<bool>& a, const std::vector<bool>& b) {
    for (size_t i = 0; i < a.size(); ++i) {
      if (a[i] && !b[i]) return true;
    }
    return false;
  };
  return std::any_of(seen.begin(), seen.end(), [&](const std::vector<bool>& a) {
    return std::any_of(seen.begin(), seen.end(),
                       [&](const std::vector<bool>& b) { return has_more(a, b) && has_more(b, a); });
  });
}

}  // namespace

bool has_products_in_scans(const Kernel& kernel) {
  Kernel copy = kernel;
  Nest nest = take_nest(copy);
  bool found = false;
  auto visit = [&](auto& self, Block& block, bool in_scan, bool in_loop) -> void {
    for (Stmt& stmt : block.stmts) {
      auto* loop = std::get_if<Loop>(&stmt.node);
      if (loop == nullptr) continue;
      found = found || (in_scan && loop->kind == LoopKind::kReduce &&
                        (in_loop || is_product_of_band(nest.loops, *loop)));
      const bool scan = loop->kind == LoopKind::kScan;
      self(self, loop->body, in_scan || scan, in_loop || (in_scan && !scan));
    }
  };
  visit(visit, nest.body, false, false);
  return found;
}

bool repeats_products_in_scans(const Kernel& kernel) {
  bool found = false;
  // The loops of a scan's step that are open, and the scalars that each has made so far.
  struct Open {
    const Loop* loop;
    std::unordered_set<ScalarId> made;
  };
  std::vector<Open> open;
  // From the innermost loop outwards: what a loop has made depends on all loops around it.
  const auto repeats = [&](const Stmt& reduction) {
    const std::vector<ScalarId> used = uses(kernel, reduction);
    Block body{{reduction}};
    std::unordered_set<VarId> variables;
    for_each_index(body, [&](const Index& index) {
      std::vector<int> ids;
      index.collect_variables(ids);
      variables.insert(ids.begin(), ids.end());
    });
    for (size_t i = open.size(); i-- > 0;) {
      const auto made_there = [&](ScalarId id) { return open[i].made.count(id) > 0; };
      if (std::any_of(used.begin(), used.end(), made_there)) return false;
      if (open[i].loop->extent > 1 && variables.count(open[i].loop->var) == 0) return true;
    }
    return false;
  };
  const auto visit = [&](const auto& self, const Block& block, bool in_scan) -> void {
    for (const Stmt& stmt : block.stmts) {
      if (const auto* loop = std::get_if<Loop>(&stmt.node)) {
        if (in_scan && loop->kind == LoopKind::kReduce) found = found || repeats(stmt);
        const bool steps = loop->kind == LoopKind::kScan;
        if (in_scan && !steps) open.push_back({loop, {}});
        self(self, loop->body, in_scan || steps);
        if (in_scan && !steps) open.pop_back();
      }
      if (open.empty()) continue;
      for (ScalarId id : results(stmt)) open.back().made.insert(id);
    }
  };
  visit(visit, kernel.body, false);
  return found;
}

Block clear_sums(Kernel& kernel, const Block& body, const Loop& reduction, const Sums& sums,
                 int64_t elements) {
  Block clear;
  Loop all = make_loop(kernel, "sum", elements, 1, LoopKind::kMap, LoopStyle::kLanes);
  for (size_t i = 0; i < reduction.carries.size(); ++i) {
    for (const Stmt& stmt : body.stmts) {
      auto* literal = std::get_if<Literal>(&stmt.node);
      if (literal == nullptr || literal->result != reduction.carries[i].init) continue;
      const ScalarId zero = kernel.add_scalar(kernel.scalars[static_cast<size_t>(literal->result)]);
      clear.stmts.push_back({Literal{zero, literal->value}});
      clear.stmts.push_back({Store{sums.buffers[i], kernel.var(all.var), zero}});
    }
  }
  return wrap({std::move(all)}, std::move(clear));
}

Block cut_behind_reduction(Kernel& kernel, Block& body, const Sums& sums, bool accumulate) {
  size_t at = 0;
  while (!std::holds_alternative<Loop>(body.stmts[at].node)) ++at;
  // What stood before the reduction may be needed on both sides; the dead half goes at the end.
  Copier copy(kernel);
  Block after, before;
  for (size_t i = 0; i < at; ++i) after.stmts.push_back(copy(body.stmts[i]));
  const Loop& reduction = std::get<Loop>(body.stmts[at].node);
  std::vector<ScalarId> values;
  for (const Carry& carry : reduction.carries) values.push_back(carry.result);
  for (size_t i = 0; i <= at; ++i) before.stmts.push_back(body.stmts[i]);
  if (accumulate) {
    std::vector<ScalarId> old;
    for (size_t i = 0; i < values.size(); ++i) {
      old.push_back(kernel.add_scalar(kernel.scalars[static_cast<size_t>(values[i])]));
      before.stmts.push_back({Load{old.back(), sums.buffers[i], sums.place}});
    }
    values = combine(kernel, reduction.combiner, old, values, before);
  }
  for (size_t i = 0; i < values.size(); ++i) {
    before.stmts.push_back({Store{sums.buffers[i], sums.place, values[i]}});
    const ScalarId result = reduction.carries[i].result;
    const ScalarId again = kernel.add_scalar(kernel.scalars[static_cast<size_t>(result)]);
    copy.replace_scalar(result, again);
    after.stmts.push_back({Load{again, sums.buffers[i], sums.place}});
  }
  for (size_t i = at + 1; i < body.stmts.size(); ++i) after.stmts.push_back(copy(body.stmts[i]));
  body = std::move(before);
  return after;
}

}  // namespace ingot::kernel
