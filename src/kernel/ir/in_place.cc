#include "kernel/ir/in_place.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <optional>
#include <unordered_set>
#include <utility>

#include "base/extents.h"
#include "kernel/ir/blocks.h"

namespace ingot::kernel {
namespace {

// Loops whose last bodies overlap compute some points twice, the second time from what the first one wrote.
// Lanes overlap too unless their vectors divide the extent, whatever the width of the machine's vectors: a
// power of two, of 64 bytes of what they load and store at most, and no longer than the loop. Several vectors
// side by side are as wide as the schedule has made them, since the tile that they are of is cut for them.
int64_t width_of(const Loop& loop, size_t element_bytes) {
  int64_t lanes = 1;
  if (loop.style == LoopStyle::kLanes && loop.vectors > 1) {
    lanes = (loop.widths.lanes > 0 ? loop.widths.lanes : kMostLanes) * loop.vectors;
  } else if (loop.style == LoopStyle::kLanes) {
    lanes = kMostLanes * 4 / static_cast<int64_t>(std::max<size_t>(element_bytes, 4));
    while (lanes > std::max<int64_t>(loop.extent, 1)) lanes /= 2;
  }
  return std::lcm(lanes, loop.step);
}

// The cure is the width of long loops: that of a short one would do for few points alone.
std::string why_repeated(const Loop& loop, size_t element_bytes) {
  Loop longest = loop;
  longest.extent = std::numeric_limits<int64_t>::max();
  const int64_t width = width_of(longest, element_bytes);
  return "computes some elements twice, where the last steps of a loop over " + std::to_string(loop.extent) +
         " points overlap" + (loop.style == LoopStyle::kLanes ? " on machines with long vectors" : "") +
         ", the second time from what it has written; an extent that " + std::to_string(width) +
         " divides would do";
}

void mark_in(const Kernel& kernel, Block& block) {
  for (Stmt& stmt : block.stmts) {
    auto* loop = std::get_if<Loop>(&stmt.node);
    if (loop == nullptr) continue;
    BufferId input = kNone;
    if (copying_store(kernel, *loop, input) != nullptr) {
      loop->copies = input;
    } else {
      mark_in(kernel, loop->body);
    }
  }
}

void collect_copied(const Block& block, std::unordered_set<BufferId>& copied) {
  for (const Stmt& stmt : block.stmts) {
    const auto* loop = std::get_if<Loop>(&stmt.node);
    if (loop == nullptr) continue;
    if (loop->copies != kNone) copied.insert(loop->copies);
    collect_copied(loop->body, copied);
  }
}

// Is the output a copy of the input that is then updated, and is nothing read of the input that an update has
// overwritten where both are the same memory? Then what is in place is a copy already. Reads come before the
// first update, or before each one what it overwrites itself.
class Updates {
 public:
  Updates(const Kernel& kernel, BufferId input, BufferId output)
      : kernel_(kernel), input_(input), output_(output) {}

  bool come_last() { return visit(kernel_.body) && copied_; }

 private:
  struct Accesses {
    struct One {
      const Block* block;
      size_t position;
      Index offset;
      std::vector<const Loop*> loops;  // around it, from the one that was asked about on
    };
    std::vector<One> loads, stores;
    std::unordered_set<ScalarId> varying;  // from point to point, as far as is seen
  };

  bool is_load(const Stmt& stmt) const {
    auto* s = std::get_if<Load>(&stmt.node);
    return s != nullptr && s->buffer == input_;
  }
  bool is_store(const Stmt& stmt) const {
    auto* s = std::get_if<Store>(&stmt.node);
    return s != nullptr && s->buffer == output_;
  }

  bool visit(const Block& block) {
    for (const Stmt& stmt : block.stmts) {
      if (is_load(stmt) && updated_) return false;
      if (is_store(stmt)) updated_ = true;
      auto* loop = std::get_if<Loop>(&stmt.node);
      if (loop != nullptr && !(loop->copies == input_ ? visit_copy(*loop) : visit(*loop))) return false;
    }
    return true;
  }

  bool visit_copy(const Loop& loop) {
    BufferId from = kNone;
    const Store* store = copying_store(kernel_, loop, from);
    copied_ = true;
    return store != nullptr && store->buffer == output_ && !updated_;
  }

  bool visit(const Loop& loop) {
    Accesses found;
    for (const Carry& carry : loop.carries) found.varying.insert(carry.arg);
    std::vector<const Loop*> loops{&loop};
    collect(loop.body, loops, found);
    if (found.loads.empty() || found.stores.empty() || loop.extent <= 1) {
      // One point after the other may copy its part and update that.
      if (found.loads.empty() && copies(loop.body)) return visit_points(loop.body);
      return visit(loop.body);
    }
    if (updated_) return false;
    if (each_its_own(found)) {
      if (copies(loop.body) && !visit_points(loop.body)) return false;
      updated_ = true;
      return true;
    }
    Accesses all;
    loops = {&loop};
    collect(loop.body, loops, all, true);
    return stay_apart(loop, all) && visit(loop.body);
  }

  // Of a loop all points of which copy and update what is theirs.
  bool visit_points(const Block& block) {
    for (const Stmt& stmt : block.stmts) {
      auto* loop = std::get_if<Loop>(&stmt.node);
      if (loop == nullptr) continue;
      if (!(loop->copies == input_ ? visit_copy(*loop) : visit_points(loop->body))) return false;
    }
    return true;
  }

  bool copies(const Block& block) const {
    return std::any_of(block.stmts.begin(), block.stmts.end(), [&](const Stmt& stmt) {
      auto* loop = std::get_if<Loop>(&stmt.node);
      return loop != nullptr && (loop->copies == input_ || copies(loop->body));
    });
  }

  void collect(const Block& block, std::vector<const Loop*>& loops, Accesses& found,
               bool with_copies = false) const {
    for (size_t i = 0; i < block.stmts.size(); ++i) {
      const Stmt& stmt = block.stmts[i];
      if (is_load(stmt)) found.loads.push_back({&block, i, std::get<Load>(stmt.node).offset, loops});
      if (is_store(stmt)) found.stores.push_back({&block, i, std::get<Store>(stmt.node).offset, loops});
      if (varies(stmt, loops, found.varying)) {
        for (ScalarId id : results(stmt)) found.varying.insert(id);
      }
      auto* loop = std::get_if<Loop>(&stmt.node);
      if (loop == nullptr || (loop->copies == input_ && !with_copies)) continue;
      for (const Carry& carry : loop->carries) found.varying.insert(carry.arg);
      loops.push_back(loop);
      collect(loop->body, loops, found, with_copies);
      loops.pop_back();
    }
  }

  // Whether what the statement makes differs between points of the loops, or may.
  bool varies(const Stmt& stmt, const std::vector<const Loop*>& loops,
              const std::unordered_set<ScalarId>& varying) const {
    const auto known = [&](ScalarId id) { return varying.count(id) > 0; };
    const auto index = [&](const Index& i) {
      std::vector<int> ids;
      i.collect_variables(ids);
      return std::any_of(ids.begin(), ids.end(), [&](int id) {
        const auto bound = kernel_.bound.find(id);
        if (bound != kernel_.bound.end()) return known(bound->second);
        return std::any_of(loops.begin(), loops.end(), [&](const Loop* loop) { return loop->var == id; });
      });
    };
    if (const auto* let = std::get_if<Let>(&stmt.node))
      return std::any_of(let->operands.begin(), let->operands.end(), known);
    if (const auto* value = std::get_if<IndexValue>(&stmt.node)) return index(value->index);
    if (const auto* range = std::get_if<InRange>(&stmt.node)) return index(range->index);
    if (const auto* load = std::get_if<Load>(&stmt.node)) {
      const bool read_only =
          kernel_.buffers[static_cast<size_t>(load->buffer)].kind == Buffer::Kind::kInput &&
          load->buffer != input_;
      return !read_only || index(load->offset) || (load->predicate != kNone && known(load->predicate));
    }
    return !std::holds_alternative<Literal>(stmt.node);
  }

  // Whether each point of the loop has a part of the memory to itself, as each column of an array, in all
  // that it reads and writes: then what comes first at one point comes first.
  static bool stay_apart(const Loop& loop, const Accesses& found) {
    const int64_t stride = found.stores.front().offset.coefficient(loop.var);
    if (loop.step != 1 || stride <= 0) return false;
    const int64_t period = multiply_extents(stride, loop.extent);
    std::optional<int64_t> first;  // the part of the first point, among those of one period
    for (const auto* list : {&found.loads, &found.stores}) {
      for (const Accesses::One& one : *list) {
        if (one.offset.uses_nonlinearly(loop.var) || one.offset.coefficient(loop.var) != stride) return false;
        int64_t within = ((one.offset.constant() % period) + period) % period;
        const int64_t part = within / stride;
        within %= stride;
        for (const Index::Term& term : one.offset.terms()) {
          const bool own = term.atom->kind == IndexAtom::Kind::kVariable && term.atom->id == loop.var;
          if (own || term.coefficient % period == 0) continue;
          const Index alone = Index::of_atom(term.atom) * term.coefficient;
          if (alone.min() < 0) return false;
          within = add_extents(within, alone.max());
        }
        if (within >= stride || part != first.value_or(part)) return false;
        first = part;
      }
    }
    return true;
  }

  // Each point reads what it writes itself, before that, and no two points write the same.
  bool each_its_own(const Accesses& found) const {
    const Accesses::One& first = found.stores.front();
    for (const auto* list : {&found.loads, &found.stores}) {
      for (const Accesses::One& one : *list) {
        if (one.block != first.block || one.offset != first.offset) return false;
        if (list == &found.loads && one.position > first.position) return false;
      }
    }
    std::vector<std::pair<int64_t, int64_t>> strides;  // with extents
    for (const Loop* loop : first.loops) {
      if (loop->step != 1) return false;
      if (loop->extent > 1) strides.emplace_back(std::abs(first.offset.coefficient(loop->var)), loop->extent);
    }
    for (const Index::Term& term : first.offset.terms()) {
      if (term.atom->kind != IndexAtom::Kind::kVariable) return false;
    }
    std::vector<int> variables;
    first.offset.collect_variables(variables);
    for (int variable : variables) {
      const auto bound = kernel_.bound.find(variable);
      if (bound != kernel_.bound.end() && found.varying.count(bound->second) > 0) return false;
    }
    std::sort(strides.begin(), strides.end());
    int64_t reach = 0;
    for (const auto& [stride, extent] : strides) {
      if (stride <= reach) return false;
      reach += stride * (extent - 1);
    }
    return true;
  }

  const Kernel& kernel_;
  const BufferId input_, output_;
  bool copied_ = false, updated_ = false;
};

}  // namespace

void mark_copies(Kernel& kernel) {
  // What is put or combined at places that are known at run time updates what is there, and so does a second
  // store.
  bool updates = false;
  std::unordered_set<BufferId> stored;
  const auto is_output = [&](BufferId buffer) {
    return kernel.buffers[static_cast<size_t>(buffer)].kind == Buffer::Kind::kOutput;
  };
  for_each_stmt(kernel.body, [&](const Stmt& stmt) {
    auto* load = std::get_if<Load>(&stmt.node);
    auto* store = std::get_if<Store>(&stmt.node);
    updates = updates || (load && is_output(load->buffer)) ||
              (store && is_output(store->buffer) &&
               (kernel.uses_bound(store->offset) || !stored.insert(store->buffer).second));
  });
  if (updates) mark_in(kernel, kernel.body);
}

std::vector<CopiedPair> copied_pairs(const Kernel& scheduled) {
  std::vector<CopiedPair> pairs;
  for_each_stmt(const_cast<Block&>(scheduled.body), [&](const Stmt& stmt) {
    const auto* loop = std::get_if<Loop>(&stmt.node);
    BufferId input = kNone;
    if (loop == nullptr || loop->copies == kNone) return;
    const Store* store = copying_store(scheduled, *loop, input);
    if (store != nullptr) pairs.push_back({input, store->buffer});
  });
  return pairs;
}

const Store* copying_store(const Kernel& kernel, const Loop& loop, BufferId& input) {
  if (loop.kind != LoopKind::kMap && loop.kind != LoopKind::kScan) return nullptr;
  if (!loop.carries.empty() || loop.steps != kNone) return nullptr;
  const std::vector<Stmt>& stmts = loop.body.stmts;
  if (stmts.size() == 1 && std::holds_alternative<Loop>(stmts[0].node))
    return copying_store(kernel, std::get<Loop>(stmts[0].node), input);
  if (stmts.size() != 2) return nullptr;
  auto* load = std::get_if<Load>(&stmts[0].node);
  auto* store = std::get_if<Store>(&stmts[1].node);
  if (load == nullptr || store == nullptr || load->predicate != kNone) return nullptr;
  if (store->value != load->result || store->offset != load->offset) return nullptr;
  const Buffer &from = kernel.buffers[static_cast<size_t>(load->buffer)],
               &to = kernel.buffers[static_cast<size_t>(store->buffer)];
  if (from.kind != Buffer::Kind::kInput || to.kind != Buffer::Kind::kOutput || from.elements != to.elements)
    return nullptr;
  input = load->buffer;
  return store;
}

bool is_copied_first(const Kernel& scheduled, BufferId input, BufferId output) {
  std::unordered_set<BufferId> copied;
  collect_copied(scheduled.body, copied);
  return copied.count(input) > 0 && Updates(scheduled, input, output).come_last();
}

InPlace::InPlace(const Kernel& scheduled) : kernel_(scheduled) {
  collect_copied(scheduled.body, copied_);
  collect(scheduled.body, 1);
}

void InPlace::collect(const Block& block, int64_t times) {
  for (size_t i = 0; i < block.stmts.size(); ++i) {
    const Stmt& stmt = block.stmts[i];
    ++looked_at_;
    if (const auto* load = std::get_if<Load>(&stmt.node)) {
      loads_[load->buffer].push_back({&block, i, &load->offset});
    } else if (const auto* store = std::get_if<Store>(&stmt.node)) {
      Stores& stores = stores_[store->buffer];
      ++stores.count;
      stores.last = {&block, i, &store->offset};
      stores.points = times;
      stores.first_in.try_emplace(&block, i);
    } else if (const auto* loop = std::get_if<Loop>(&stmt.node)) {
      loops_.push_back(loop);
      collect(loop->body, multiply_extents(times, (loop->extent + loop->step - 1) / loop->step));
    }
  }
}

std::string InPlace::why_not(int input, int output) const {
  const BufferId written = kernel_.input_count + output;
  const Buffer &in = kernel_.buffers[static_cast<size_t>(input)],
               &out = kernel_.buffers[static_cast<size_t>(written)];
  if (in.elements != out.elements || byte_size(in.dtype) != byte_size(out.dtype))
    return "sees another number of elements, or wider or narrower ones";
  if (copied_.count(input) > 0 && Updates(kernel_, input, written).come_last()) return "";
  static const Stores& none = *new Stores;
  const auto found = stores_.find(written);
  const Stores& stores = found == stores_.end() ? none : found->second;
  if (reads_elsewhere(input, stores))
    return "reads elements of it at other places than it writes at that time, or after it has written there; "
           "elements that are each read once, where the result's are written, would do";
  if (stores.count != 1)
    return "writes the result in " + std::to_string(stores.count) +
           " places, and may read what it has overwritten; a result that one loop writes would do";
  return why_twice(stores, out);
}

// Each load of the input has to stand before the store in the same block, at the same offset.
bool InPlace::reads_elsewhere(BufferId input, const Stores& stores) const {
  const auto loads = loads_.find(input);
  return loads != loads_.end() &&
         std::any_of(loads->second.begin(), loads->second.end(), [&](const Place& load) {
           ++looked_at_;
           return load.block != stores.last.block || load.position > stores.first_in.at(load.block) ||
                  *load.offset != *stores.last.offset;
         });
}

std::string InPlace::why_twice(const Stores& stores, const Buffer& out) const {
  // What is loaded and stored at different places in different lanes says how many there are.
  for (const Loop* loop : loops_) {
    ++looked_at_;
    const size_t bytes = stores.last.offset->uses(loop->var) ? byte_size(out.dtype) : 4;
    if (loop->extent % width_of(*loop, bytes) != 0) return why_repeated(*loop, bytes);
  }
  // Each element is written, so it is written once if there are as many points; in rows with gaps between
  // them there are fewer. Pieces that overlap, the last one with the one before, are found by looking up
  // where they start.
  const auto& terms = stores.last.offset->terms();
  const bool plain = std::all_of(terms.begin(), terms.end(), [](const Index::Term& term) {
    return term.atom->kind == IndexAtom::Kind::kVariable;
  });
  if (stores.points == out.elements || (stores.points < out.elements && plain)) return "";
  return "computes some elements twice, where tiles of " + std::to_string(stores.points) +
         " points overlap on " + std::to_string(out.elements) +
         " elements, the second time from what it has written; extents that its tiles divide, powers of "
         "two for example, would do";
}

}  // namespace ingot::kernel
