// Windows: what a convolution's window reads is read again by its neighbours.
//
// The operand's index along a spatial dimension is a sum such as 2*o + k - 3. All places that a unit's
// windows reach are copied into a local buffer first, zeros where a condition on the place says that there is
// nothing; the reduction then reads that buffer at affine offsets, without conditions. The copy holds each
// place once, so it is no larger than the piece of the operand that the unit reads.
#include "kernel/schedule/windows/overlapping_windows.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"
#include "kernel/ir/blocks.h"
#include "kernel/ir/copier.h"
#include "kernel/ir/reductions.h"
#include "kernel/schedule/windows/step_conditions.h"

namespace ingot::kernel {
namespace {

using Term = WindowSum::Term;

constexpr int64_t kBadRow = 256, kWindowPadding = 16;  // elements

const Index* index_of(const Stmt& stmt) {
  if (auto* s = std::get_if<Load>(&stmt.node)) return &s->offset;
  if (auto* s = std::get_if<IndexValue>(&stmt.node)) return &s->index;
  if (auto* s = std::get_if<InRange>(&stmt.node)) return &s->index;
  return nullptr;
}

// Divides the factors by what they share.
WindowSum reduced(WindowSum sum) {
  int64_t shared = 0;
  for (const Term& term : sum.terms) shared = std::gcd(shared, term.factor);
  for (Term& term : sum.terms) term.factor /= std::max<int64_t>(shared, 1);
  if (sum.terms.front().factor < 0) {
    for (Term& term : sum.terms) term.factor = -term.factor;
  }
  return sum;
}

// How often the sum is in the index, if its variables occur there in no other way.
std::optional<int64_t> multiple(const Index& index, const WindowSum& sum) {
  const int64_t first = index.coefficient(sum.terms.front().var);
  if (first % sum.terms.front().factor != 0) return std::nullopt;
  const int64_t times = first / sum.terms.front().factor;
  for (const Term& term : sum.terms) {
    if (index.coefficient(term.var) != times * term.factor) return std::nullopt;
  }
  return times;
}

class WindowFinder {
 public:
  WindowFinder(Kernel& kernel, Loop& reduction, const std::vector<VarId>& band)
      : kernel_(kernel), body_(innermost(reduction).body), band_(band.begin(), band.end()) {
    for (Loop* loop : chain_of(reduction)) reduced_.insert(loop->var);
    for (const Carry& carry : innermost(reduction).carries) wanted_.insert(carry.next);
  }

  std::optional<Windows> run() {
    if (!forget_opaque()) return std::nullopt;
    from_others_ = separate_step_conditions(kernel_, body_, band_);
    collect_dependences();
    std::vector<const Load*> windowed, others;
    for (const Stmt& stmt : body_.stmts) {
      auto* load = std::get_if<Load>(&stmt.node);
      if (load == nullptr) continue;
      (overlaps(*load) ? windowed : others).push_back(load);
    }
    if (windowed.empty() || others.empty()) return std::nullopt;
    Windows windows;
    for (const Load* load : others) {
      add_band(windows.by_rest, load->result);
      from_others_.insert(load->result);
    }
    for (const Load* load : windowed) {
      add_band(windows.seen, load->result);
      from_windows_.insert(load->result);
    }
    windows.opaque = opaque_;
    mark_parts(windows);
    if (windows.frontier.empty() || !find_sums(windows, *windowed.front())) return std::nullopt;
    return windows;
  }

 private:
  bool ours(const Index::Term& term) const {
    return term.atom->kind == IndexAtom::Kind::kVariable &&
           (band_.count(term.atom->id) > 0 || reduced_.count(term.atom->id) > 0);
  }

  void collect_dependences() {
    for (const Stmt& stmt : body_.stmts) {
      std::set<VarId> vars;
      if (const Index* index = index_of(stmt)) {
        std::vector<int> ids;
        index->collect_variables(ids);
        vars.insert(ids.begin(), ids.end());
      }
      for (ScalarId id : uses(kernel_, stmt)) vars.insert(depends_[id].begin(), depends_[id].end());
      for (ScalarId id : results(stmt)) depends_[id] = vars;
    }
  }

  void add_band(std::set<VarId>& to, ScalarId from) {
    for (VarId var : depends_[from]) {
      if (band_.count(var)) to.insert(var);
    }
  }

  // The variables that an index sees in another way than as a sum: units take one value of them each. False
  // if the reduction's are among them.
  bool forget_opaque() {
    for (const Stmt& stmt : body_.stmts) {
      const Index* index = index_of(stmt);
      if (index == nullptr) continue;
      for (VarId var : reduced_) {
        if (index->uses_nonlinearly(var)) return false;
      }
      for (VarId var : band_) {
        if (index->uses_nonlinearly(var)) opaque_.insert(var);
      }
    }
    for (VarId var : opaque_) band_.erase(var);
    return true;
  }

  // What is computed from windows, and from nothing of the rest; and what that needs.
  void mark_parts(Windows& windows) {
    for (const Stmt& stmt : body_.stmts) {
      bool from_others = false, from_windows = false;
      for (ScalarId id : uses(kernel_, stmt)) {
        from_others = from_others || from_others_.count(id) > 0;
        from_windows = from_windows || from_windows_.count(id) > 0;
      }
      for (ScalarId id : results(stmt)) {
        if (from_others) from_others_.insert(id);
        if (from_windows) from_windows_.insert(id);
        if (from_windows_.count(id) && !from_others_.count(id)) windows.parts.insert(id);
      }
    }
    const std::set<ScalarId> values = windows.parts;
    for (size_t i = body_.stmts.size(); i-- > 0;) {
      const std::vector<ScalarId> made = results(body_.stmts[i]);
      if (made.empty() || !windows.parts.count(made[0])) continue;
      for (ScalarId id : uses(kernel_, body_.stmts[i])) windows.parts.insert(id);
    }
    const auto want = [&](ScalarId id) {
      if (values.count(id)) windows.frontier.insert(id);
    };
    for (const Stmt& stmt : body_.stmts) {
      const std::vector<ScalarId> made = results(stmt);
      if (!made.empty() && windows.parts.count(made[0])) continue;
      for (ScalarId id : uses(kernel_, stmt)) want(id);
    }
    for (ScalarId id : wanted_) want(id);
  }

  // Sorted by the size of their steps, the variables of an address belong to one dimension as long as what
  // they reach together reaches the next one's step.
  std::vector<WindowSum> sums_of(const Index& offset, const std::set<VarId>& without) const {
    std::vector<Term> terms;
    for (const Index::Term& t : offset.terms()) {
      if (ours(t) && !without.count(t.atom->id)) terms.push_back({t.atom->id, t.coefficient});
    }
    std::stable_sort(terms.begin(), terms.end(),
                     [](const Term& a, const Term& b) { return std::abs(a.factor) < std::abs(b.factor); });
    std::vector<WindowSum> sums;
    int64_t reach = -1;
    for (const Term& term : terms) {
      const int64_t extent = kernel_.var_extents[static_cast<size_t>(term.var)];
      if (sums.empty() || std::abs(term.factor) > reach) {
        sums.emplace_back();
        reach = 0;
      }
      sums.back().terms.push_back(term);
      reach += std::abs(term.factor) * (extent - 1);
    }
    return sums;
  }

  bool overlaps(const Load& load) const {
    for (const WindowSum& sum : sums_of(load.offset, {})) {
      bool in_band = false, is_reduced = false;
      for (const Term& term : sum.terms) {
        in_band = in_band || band_.count(term.var) > 0;
        is_reduced = is_reduced || reduced_.count(term.var) > 0;
      }
      if (in_band && is_reduced) return true;
    }
    return false;
  }

  // Conditions name the dimensions: what they compare is one place each. The rest follows from the address.
  bool find_sums(Windows& windows, const Load& load) {
    std::set<VarId> grouped;
    std::vector<const Index*> indices;
    for (const Stmt& stmt : body_.stmts) {
      const std::vector<ScalarId> made = results(stmt);
      const Index* index = index_of(stmt);
      if (index == nullptr || made.empty() || !windows.parts.count(made[0])) continue;
      indices.push_back(index);
      if (!std::holds_alternative<InRange>(stmt.node)) continue;
      WindowSum sum;
      for (const Index::Term& t : index->terms()) {
        if (ours(t)) sum.terms.push_back({t.atom->id, t.coefficient});
      }
      if (sum.terms.empty()) continue;
      const auto known = static_cast<size_t>(std::count_if(
          sum.terms.begin(), sum.terms.end(), [&](const Term& t) { return grouped.count(t.var) > 0; }));
      if (known == sum.terms.size()) continue;  // checked below
      if (known > 0) return false;
      for (const Term& term : sum.terms) grouped.insert(term.var);
      windows.sums.push_back(reduced(std::move(sum)));
    }
    for (WindowSum& sum : sums_of(load.offset, grouped)) windows.sums.push_back(reduced(std::move(sum)));
    std::set<VarId> all;
    for (const WindowSum& sum : windows.sums) {
      for (const Term& term : sum.terms) all.insert(term.var);
      for (const Index* index : indices) {
        if (!multiple(*index, sum)) return false;
      }
    }
    for (const Index* index : indices) {
      for (const Index::Term& t : index->terms()) {
        if (ours(t) && !all.count(t.atom->id)) return false;
      }
    }
    // As they lie in memory, the smallest steps last.
    const auto step = [&](const WindowSum& sum) { return std::abs(*multiple(load.offset, sum)); };
    std::stable_sort(windows.sums.begin(), windows.sums.end(),
                     [&](const WindowSum& a, const WindowSum& b) { return step(a) > step(b); });
    for (const WindowSum& sum : windows.sums) windows.steps.push_back(step(sum));
    return true;
  }

  Kernel& kernel_;
  Block& body_;
  std::set<VarId> band_, reduced_;
  std::set<VarId> opaque_;
  std::set<ScalarId> wanted_, from_others_, from_windows_;
  std::unordered_map<ScalarId, std::set<VarId>> depends_;
};

}  // namespace

Index WindowSum::index(const Kernel& kernel) const {
  Index sum;
  for (const Term& term : terms) sum = sum + kernel.var(term.var) * term.factor;
  return sum;
}

bool WindowSum::has(VarId var) const {
  return std::any_of(terms.begin(), terms.end(), [&](const Term& t) { return t.var == var; });
}

namespace {

// Takes what stands beside the loops of a nest.
void take_from_nest(Loop& loop, std::vector<Stmt>& taken) {
  auto& stmts = loop.body.stmts;
  const auto inner = std::find_if(stmts.begin(), stmts.end(),
                                  [](const Stmt& stmt) { return std::holds_alternative<Loop>(stmt.node); });
  if (inner == stmts.end()) {
    stmts.insert(stmts.begin(), std::make_move_iterator(taken.begin()), std::make_move_iterator(taken.end()));
    return;
  }
  taken.insert(taken.end(), std::make_move_iterator(stmts.begin()), std::make_move_iterator(inner));
  Stmt only = std::move(*inner);
  stmts.clear();
  stmts.push_back(std::move(only));
  take_from_nest(std::get<Loop>(stmts[0].node), taken);
}

}  // namespace

void sink_into_innermost(const Kernel& kernel, Block& body) {
  size_t at = 0;
  while (!std::holds_alternative<Loop>(body.stmts[at].node)) ++at;
  // What the reduction needs of its surroundings, and nobody behind it.
  std::set<ScalarId> behind, needed;
  for (size_t i = at + 1; i < body.stmts.size(); ++i) {
    for (ScalarId id : uses(kernel, body.stmts[i])) behind.insert(id);
  }
  for (const Carry& carry : std::get<Loop>(body.stmts[at].node).carries) behind.insert(carry.init);
  for (ScalarId id : uses(kernel, body.stmts[at])) needed.insert(id);
  std::vector<size_t> moved;
  for (size_t i = at; i-- > 0;) {
    const std::vector<ScalarId> made = results(body.stmts[i]);
    if (std::holds_alternative<Literal>(body.stmts[i].node) || made.empty()) continue;
    const bool moves = needed.count(made[0]) > 0 && behind.count(made[0]) == 0;
    for (ScalarId id : uses(kernel, body.stmts[i])) (moves ? needed : behind).insert(id);
    if (moves) moved.insert(moved.begin(), i);
  }
  std::vector<Stmt> sunk;
  for (size_t i : moved) sunk.push_back(std::move(body.stmts[i]));
  take_from_nest(std::get<Loop>(body.stmts[at].node), sunk);
  for (size_t i = moved.size(); i-- > 0;)
    body.stmts.erase(body.stmts.begin() + static_cast<int64_t>(moved[i]));
}

namespace {

// What the parts need of the statements before the loop, in order.
std::vector<const Stmt*> needed_before_loop(const Kernel& kernel, const Block& around, const Block& body,
                                            const std::set<ScalarId>& parts) {
  std::set<ScalarId> wanted;
  for (const Stmt& stmt : body.stmts) {
    const std::vector<ScalarId> made = results(stmt);
    if (made.empty() || !parts.count(made[0])) continue;
    for (ScalarId id : uses(kernel, stmt)) wanted.insert(id);
  }
  size_t at = 0;
  while (!std::holds_alternative<Loop>(around.stmts[at].node)) ++at;
  std::vector<const Stmt*> needed;
  while (at-- > 0) {
    const std::vector<ScalarId> made = results(around.stmts[at]);
    if (made.empty() || !wanted.count(made[0])) continue;
    needed.insert(needed.begin(), &around.stmts[at]);
    for (ScalarId id : uses(kernel, around.stmts[at])) wanted.insert(id);
  }
  return needed;
}

}  // namespace

std::optional<Windows> find_windows(Kernel& kernel, const Block& around, Loop& reduction,
                                    const std::vector<VarId>& band) {
  std::optional<Windows> windows = WindowFinder(kernel, reduction, band).run();
  if (!windows) return std::nullopt;
  for (const Stmt* stmt : needed_before_loop(kernel, around, innermost(reduction).body, windows->parts)) {
    const Index* index = index_of(*stmt);
    if (index != nullptr && !index->is_constant()) return std::nullopt;
  }
  return windows;
}

Block stage_windows(Kernel& kernel, const Block& around, Loop& reduction, Windows windows, VarId lanes) {
  // Neighbours in the copy may be apart in memory: then steps along memory are taken inside of the lanes, so
  // that blocks of them are transposed in registers.
  const bool transposes = lanes != kNone && !windows.sums.empty() && !windows.sums.back().has(lanes);
  for (size_t i = 0; transposes && i < windows.sums.size(); ++i) {
    if (!windows.sums[i].has(lanes)) continue;
    std::rotate(windows.sums.begin() + static_cast<int64_t>(i),
                windows.sums.begin() + static_cast<int64_t>(i) + 1, windows.sums.end());
    break;
  }
  // Lanes read forwards.
  for (WindowSum& sum : windows.sums) {
    const bool backwards = std::any_of(sum.terms.begin(), sum.terms.end(),
                                       [&](const Term& t) { return t.var == lanes && t.factor < 0; });
    for (Term& term : sum.terms) term.factor = backwards ? -term.factor : term.factor;
  }
  std::vector<Loop> loops;
  std::vector<Index> places;  // of the copy, as the reduction sees them
  std::vector<int64_t> lows;
  for (const WindowSum& sum : windows.sums) {
    const Index index = sum.index(kernel);
    lows.push_back(index.min());
    loops.push_back(make_loop(kernel, "w", index.max() - index.min() + 1, 1, LoopKind::kMap));
    places.push_back(index - Index(lows.back()));
  }
  Index offset, copied;
  int64_t stride = 1;
  for (size_t i = windows.sums.size(); i-- > 0;) {
    offset = offset + places[i] * stride;
    copied = copied + kernel.var(loops[i].var) * stride;
    stride *= loops[i].extent;
    // Rows that are a multiple of 4 KiB apart fall on the same few lines of a cache.
    if (i > 0 && stride % kBadRow == 0) stride += kWindowPadding;
  }
  const int64_t elements = stride;
  const auto renew = [&](const Index& index) {
    Index result = index.substitute([&](int id, int64_t extent) {
      const bool summed = std::any_of(windows.sums.begin(), windows.sums.end(),
                                      [&](const WindowSum& sum) { return sum.has(id); });
      return summed ? Index(0) : Index::variable(id, extent);
    });
    for (size_t i = 0; i < windows.sums.size(); ++i) {
      const WindowSum& sum = windows.sums[i];
      int64_t times = 0;  // variables of one value are no longer in the index
      for (const Term& term : sum.terms) {
        if (const int64_t c = index.coefficient(term.var); c != 0) times = c / term.factor;
      }
      result = result + (kernel.var(loops[i].var) + Index(lows[i])) * times;
    }
    return result;
  };
  Block& body = innermost(reduction).body;
  Block result, packing, rest;
  Copier same(kernel);
  const auto copy = [&](const Stmt& stmt) {
    Stmt copied = same(stmt);
    if (auto* s = std::get_if<Load>(&copied.node)) s->offset = renew(s->offset);
    if (auto* s = std::get_if<IndexValue>(&copied.node)) s->index = renew(s->index);
    if (auto* s = std::get_if<InRange>(&copied.node)) s->index = renew(s->index);
    return copied;
  };
  for (const Stmt* stmt : needed_before_loop(kernel, around, body, windows.parts))
    packing.stmts.push_back(copy(*stmt));
  for (const Stmt& stmt : body.stmts) {
    const std::vector<ScalarId> made = results(stmt);
    if (made.empty() || !windows.parts.count(made[0])) {
      rest.stmts.push_back(stmt);
      continue;
    }
    packing.stmts.push_back(copy(stmt));
    if (!windows.frontier.count(made[0])) {
      rest.stmts.push_back(stmt);  // dead, unless the rest needs it too
      continue;
    }
    const DType dtype = kernel.scalars[static_cast<size_t>(made[0])];
    const BufferId buffer = kernel.add_buffer({"window", dtype, elements, Buffer::Kind::kLocal, {elements}});
    result.stmts.push_back({Alloc{buffer}});
    packing.stmts.push_back({Store{buffer, copied, same.fresh(made[0])}});
    rest.stmts.push_back({Load{made[0], buffer, offset}});
  }
  body = std::move(rest);
  if (!loops.empty()) loops.back().style = LoopStyle::kLanes;
  if (transposes && loops.size() > 1) std::swap(loops[loops.size() - 1], loops[loops.size() - 2]);
  Block nest = wrap(std::move(loops), std::move(packing));
  for (Stmt& stmt : nest.stmts) result.stmts.push_back(std::move(stmt));
  return result;
}

}  // namespace ingot::kernel
