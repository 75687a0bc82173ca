// Finding updates of memory: what is filled, what is updated, where, and by which operation.
#include <algorithm>

#include "kernel/ir/blocks.h"
#include "kernel/schedule/updates/updates.h"
#include "ops/kinds.h"

namespace ingot::kernel {

bool is_scalar(const Stmt& stmt) {
  return !std::holds_alternative<Loop>(stmt.node) && !std::holds_alternative<Store>(stmt.node) &&
         !std::holds_alternative<Alloc>(stmt.node);
}

// Scalars of the block that depend on one of the variables.
std::set<ScalarId> varying(const Kernel& kernel, const Block& block, const std::set<VarId>& variables) {
  std::set<ScalarId> found;
  auto depends = [&](const Index& index) {
    std::vector<int> ids;
    index.collect_variables(ids);
    return std::any_of(ids.begin(), ids.end(), [&](int id) { return variables.count(id) > 0; });
  };
  for (const Stmt& stmt : block.stmts) {
    bool varies = !is_scalar(stmt);
    if (auto* s = std::get_if<Load>(&stmt.node)) varies = depends(s->offset);
    if (auto* s = std::get_if<IndexValue>(&stmt.node)) varies = depends(s->index);
    if (auto* s = std::get_if<InRange>(&stmt.node)) varies = depends(s->index);
    for (ScalarId id : uses(kernel, stmt)) varies = varies || found.count(id) > 0;
    for (ScalarId id : results(stmt)) {
      if (varies) found.insert(id);
    }
  }
  return found;
}

namespace {

class UpdateFinder {
 public:
  UpdateFinder(const Kernel& kernel, const Nest& nest) : kernel_(kernel), nest_(nest) {}

  std::optional<Updates> run() {
    if (kernel_.output_count != 1 || kernel_.bound.empty()) return std::nullopt;
    u_.buffer = kernel_.input_count;
    std::vector<size_t> loops;
    for (size_t i = 0; i < nest_.body.stmts.size(); ++i) {
      const Stmt& stmt = nest_.body.stmts[i];
      if (std::holds_alternative<Loop>(stmt.node)) {
        loops.push_back(i);
      } else if (!is_scalar(stmt)) {
        return std::nullopt;
      }
    }
    if (loops.size() != 2) return std::nullopt;
    u_.fill = loops[0];
    u_.walk = loops[1];
    for (const Loop& loop : nest_.loops) {
      band_.insert(loop.var);
      u_.window *= loop.extent;
    }
    if (!match_walk() || !match_fill()) return std::nullopt;
    return std::move(u_);
  }

 private:
  bool match_walk() {
    const Loop* loop = &std::get<Loop>(nest_.body.stmts[u_.walk].node);
    while (true) {
      if (loop->kind != LoopKind::kScan || !loop->carries.empty() || loop->step != 1) return false;
      u_.loops.push_back(*loop);
      u_.count *= loop->extent;
      const Loop* inner = nullptr;
      for (const Stmt& stmt : loop->body.stmts) {
        auto* found = std::get_if<Loop>(&stmt.node);
        if (found && found->kind == LoopKind::kScan && &stmt == &loop->body.stmts.back()) {
          inner = found;
        } else {
          u_.body.stmts.push_back(stmt);
        }
      }
      u_.loops.back().body = Block{};
      if (inner == nullptr) break;
      loop = inner;
    }
    u_.runs_on = runs_on();
    int loads = 0, stores = 0;
    const Index *from = nullptr, *to = nullptr;
    for (size_t i = 0; i < u_.body.stmts.size(); ++i) {
      const Stmt& stmt = u_.body.stmts[i];
      if (std::holds_alternative<Alloc>(stmt.node)) return false;
      if (auto* s = std::get_if<Load>(&stmt.node); s && s->buffer == u_.buffer) {
        ++loads;
        u_.load = i;
        from = &s->offset;
      } else if (auto* s = std::get_if<Store>(&stmt.node)) {
        ++stores;
        u_.store = i;
        to = &s->offset;
      }
    }
    for_each_stmt(u_.body, [&](const Stmt& stmt) {
      if (auto* s = std::get_if<Load>(&stmt.node); s && s->buffer == u_.buffer) --loads;
      if (std::holds_alternative<Store>(stmt.node)) --stores;
    });
    const bool once = from != nullptr && to != nullptr && loads == 0 && stores == 0;
    return once && *from == *to && match_place(*to) && match_combiner();
  }

  // Whether every index depends on the number of the update alone, and not on each of its loops.
  bool runs_on() {
    bool all = true;
    for_each_index(u_.body, [&](const Index& index) {
      int64_t stride = index.coefficient(u_.loops.back().var);
      for (size_t i = u_.loops.size(); i-- > 0;) {
        const Loop& loop = u_.loops[i];
        all = all && !index.uses_nonlinearly(loop.var) && index.coefficient(loop.var) == stride;
        stride *= loop.extent;
      }
    });
    return all;
  }

  // The place is a slot that is known at run time, and for the rest a matter of the band.
  bool match_place(const Index& offset) {
    Block all;
    for (const Stmt& stmt : nest_.body.stmts) {
      if (is_scalar(stmt)) all.stmts.push_back(stmt);
    }
    all.stmts.insert(all.stmts.end(), u_.body.stmts.begin(), u_.body.stmts.end());
    by_band_ = varying(kernel_, all, band_);
    u_.rest = Index(offset.constant());
    for (const Index::Term& term : offset.terms()) {
      std::vector<int> ids;
      const Index single = Index::of_atom(term.atom);
      single.collect_variables(ids);
      const bool in_band = std::all_of(ids.begin(), ids.end(), [&](int id) { return band_.count(id) > 0; });
      if (in_band) {
        u_.rest = u_.rest + single * term.coefficient;
        continue;
      }
      if (term.atom->kind != IndexAtom::Kind::kVariable) return false;
      auto bound = kernel_.bound.find(term.atom->id);
      if (bound == kernel_.bound.end() || by_band_.count(bound->second) > 0) return false;
      place_.emplace_back(single, term.coefficient);
    }
    return !place_.empty();
  }

  // A plain combination, or one that is left out where the update is out of range.
  bool match_combiner() {
    auto maker = [&](ScalarId id) -> const Let* {
      for (const Stmt& stmt : u_.body.stmts) {
        if (auto* let = std::get_if<Let>(&stmt.node); let && let->result == id) return let;
      }
      return nullptr;
    };
    const ScalarId before = std::get<Load>(u_.body.stmts[u_.load].node).result;
    const Let* let = maker(std::get<Store>(u_.body.stmts[u_.store].node).value);
    int others = 0;  // uses of what was there
    if (let != nullptr && ops::is<ops::SelectOp>(*let->record) && let->operands[2] == before) {
      ++others;
      if (by_band_.count(let->operands[0]) == 0) note_choice(*let);
      let = maker(let->operands[1]);
    }
    for (const Stmt& stmt : u_.body.stmts) {
      for (ScalarId id : uses(kernel_, stmt)) others -= id == before;
    }
    if (let == nullptr || let->operands.size() != 2 || others != -1) return true;
    if (let->operands[0] == before && std::get<ir::ScalarRecipe>(*let->record->becomes).identity != nullptr)
      u_.combine = *let;
    return true;
  }

  void note_choice(const Let& select) {
    u_.counts = select.operands[0];
    while (results(u_.body.stmts[u_.choice]) != std::vector<ScalarId>{select.result}) ++u_.choice;
  }

  // One loop over all slots, of which each gets what it begins with.
  bool match_fill() {
    const Loop& loop = std::get<Loop>(nest_.body.stmts[u_.fill].node);
    if (loop.kind != LoopKind::kMap || loop.step != 1 || !loop.carries.empty()) return false;
    const Store* store = nullptr;
    for (const Stmt& stmt : loop.body.stmts) {
      if (auto* s = std::get_if<Store>(&stmt.node); s && !store && s->buffer == u_.buffer) {
        store = s;
      } else if (!is_scalar(stmt)) {
        return false;
      }
      if (auto* s = std::get_if<Load>(&stmt.node); s && s->buffer == u_.buffer) return false;
    }
    if (store == nullptr || store->offset.uses_nonlinearly(loop.var)) return false;
    u_.slots = loop.extent;
    u_.stride = store->offset.coefficient(loop.var);
    if (u_.stride <= 0 || store->offset - kernel_.var(loop.var) * u_.stride != u_.rest) return false;
    for (auto& [start, coefficient] : place_) {
      if (coefficient % u_.stride != 0) return false;
      u_.slot = u_.slot + start * (coefficient / u_.stride);
    }
    return u_.slot.min() == 0 && u_.slot.max() < u_.slots;
  }

  const Kernel& kernel_;
  const Nest& nest_;
  Updates u_;
  std::set<VarId> band_;
  std::set<ScalarId> by_band_;                    // scalars that depend on it
  std::vector<std::pair<Index, int64_t>> place_;  // bound variables and their coefficients
};

}  // namespace

std::optional<Updates> find_updates(const Kernel& kernel, const Nest& nest) {
  return UpdateFinder(kernel, nest).run();
}

}  // namespace ingot::kernel
