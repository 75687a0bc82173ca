// What a scheduled kernel costs to run: a walk over its loops as the emitter will run them.
//
// A scalar costs its instructions once for every combination of lanes and tile points that it depends on. An
// access costs by how its address moves from lane to lane: neighbours are one vector, a vector that lies
// across two lines counts for more, neighbours of a later step are transposed in registers, all else goes
// element by element. What does not stay in a cache between two visits is fetched again, line by line: the
// loops are gone through from the inside out until what they touch outgrows the cache. The unit is an
// instruction on one vector; only proportions mean something.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "kernel/cost/price.h"
#include "kernel/cost/table.h"
#include "kernel/ir/blocks.h"
#include "kernel/ir/target.h"

namespace ingot::kernel {
namespace {

constexpr double kUnrolled = 8;  // steps of a loop that needs neither

struct Open {
  const Loop* loop;
  double steps;    // how often its body runs
  double spacing;  // of its variable from step to step
  double copies;   // of what depends on its variable, per step: vectors of lanes, points of a tile
  double points;   // of its variable, per step
};

class Walk {
 public:
  Walk(const Kernel& kernel, const Target& target)
      : kernel_(kernel), target_(target), made_at_(kernel.scalars.size()) {
    width_ = static_cast<double>(lanes_of_widest(kernel, target));
  }

  RunningPrice run() {
    visit(kernel_.body, 1);
    return price_;
  }

 private:
  using Vars = std::set<VarId>;  // of open loops whose points run side by side

  void open(const Loop& loop) {
    const double points = likely_points(loop);
    const auto step = static_cast<double>(loop.step);
    Open o{&loop, std::ceil(points / step), step, 1, 1};
    if (loop.style == LoopStyle::kTile) o = {&loop, 1, 0, points, points};
    if (loop.style == LoopStyle::kLanes) {
      const double all = std::ceil(points / width_);  // the last vector moves back over its neighbour
      o.copies = std::min(all, static_cast<double>(loop.vectors));
      o.steps = std::ceil(all / o.copies);
      o.points = std::min(points, o.copies * width_);
      o.spacing = o.points;
    }
    open_.push_back(o);
  }

  // How often a scalar is computed in each step of the loops around it.
  double copies(const Vars& vars) const {
    double all = 1;
    for (const Open& o : open_) {
      if (vars.count(o.loop->var)) all *= o.copies;
    }
    return all;
  }
  const Loop* lanes() const {
    for (const Open& o : open_) {
      if (o.loop->style == LoopStyle::kLanes) return o.loop;
    }
    return nullptr;
  }
  const Open& open_of(const Loop& loop) const {
    return *std::find_if(open_.begin(), open_.end(), [&](const Open& o) { return o.loop == &loop; });
  }
  std::vector<VarId> open_variables() const {
    std::vector<VarId> variables;
    for (const Open& o : open_) variables.push_back(o.loop->var);
    return variables;
  }
  // Guards of what a window reads leave the tile.
  bool is_condition(const Let& let) const {
    return kernel_.scalars[static_cast<size_t>(let.result)] == DType::kPred;
  }
  double unused_lanes() const { return lanes() == nullptr ? width_ : 1; }
  static bool side_by_side(const Loop& loop) { return loop.style != LoopStyle::kSerial; }

  Vars vars_of(const Index& index) const {
    Vars vars;
    for (const Open& o : open_) {
      if (side_by_side(*o.loop) && index.uses(o.loop->var)) vars.insert(o.loop->var);
    }
    return vars;
  }
  void depend(Vars& vars, ScalarId scalar) const {
    const Vars& more = made_at_[static_cast<size_t>(scalar)];
    vars.insert(more.begin(), more.end());
  }

  void visit(const Block& block, double times) {
    for (const Stmt& stmt : block.stmts) {
      if (auto* loop = std::get_if<Loop>(&stmt.node)) {
        visit_loop(*loop, times);
      } else if (auto* alloc = std::get_if<Alloc>(&stmt.node)) {
        for (const Open& o : open_) {
          if (side_by_side(*o.loop)) own_[alloc->buffer].insert(o.loop->var);
        }
      } else {
        Vars vars;
        for (ScalarId id : uses(kernel_, stmt)) depend(vars, id);
        double price = cost(stmt), least = price;
        if (auto* s = std::get_if<Load>(&stmt.node))
          price = access(block, s->buffer, s->offset, vars, times), least = 1;
        if (auto* s = std::get_if<Store>(&stmt.node))
          price = access(block, s->buffer, s->offset, vars, times), least = 1;
        if (auto* s = std::get_if<IndexValue>(&stmt.node)) vars.merge(vars_of(s->index));
        if (auto* s = std::get_if<InRange>(&stmt.node)) vars.merge(vars_of(s->index));
        if (auto* s = std::get_if<Let>(&stmt.node); s && !is_condition(*s))
          price_.arithmetic += times * price * copies(vars) / unused_lanes();
        price_.total += times * price * copies(vars);
        price_.least += times * least * copies(vars) / unused_lanes();
        for (ScalarId id : results(stmt)) made_at_[static_cast<size_t>(id)] = vars;
      }
    }
  }

  void visit_loop(const Loop& loop, double times) {
    open(loop);
    const double inside = times * open_.back().steps;
    Vars carried;  // what is carried differs wherever something that the loop reads does
    if (!loop.carries.empty()) {
      for_each_index(const_cast<Block&>(loop.body),
                     [&](const Index& index) { carried.merge(vars_of(index)); });
      for (const Carry& carry : loop.carries) {
        depend(carried, carry.init);
        if (carry.arg != kNone) made_at_[static_cast<size_t>(carry.arg)] = carried;
      }
    }
    const RunningPrice before = price_;
    visit(loop.body, inside);
    for (const auto* list : {&loop.combiner.lhs, &loop.combiner.rhs}) {
      for (ScalarId id : *list) made_at_[static_cast<size_t>(id)] = carried;
    }
    const double arithmetic = price_.arithmetic;
    visit(loop.combiner.body, inside);
    if (has_loops(loop.body)) price_.arithmetic = arithmetic;  // one chain of sums runs through nested loops
    if (!loop.carries.empty() && !has_loops(loop.body)) {
      // Short sums run while the next ones begin.
      const double chain = open_.back().steps * ((price_.total - before.total) / inside + prices::kLoopStep);
      const double latency =
          inside * static_cast<double>(prices::kSumLatency) / std::max(1.0, prices::kLooksAhead / chain);
      price_.total = std::max(price_.total, before.total + latency);
      price_.least = std::max(price_.least, before.least + latency / unused_lanes());
    }
    if (open_.back().steps > kUnrolled) {
      price_.total += inside * prices::kLoopStep;
      price_.least += inside * prices::kLoopStep / unused_lanes();
    }
    carried.erase(loop.var);
    for (const Carry& carry : loop.carries) made_at_[static_cast<size_t>(carry.result)] = carried;
    open_.pop_back();
  }

  // Of one visit by all lanes of a vector; what is fetched for all visits goes to the total. `vars` receives
  // what the address depends on.
  double access(const Block& block, BufferId buffer, const Index& offset, Vars& vars, double times) {
    vars.merge(vars_of(offset));
    const Buffer& info = kernel_.buffers[static_cast<size_t>(buffer)];
    if (auto own = own_.find(buffer); own != own_.end()) {
      vars.insert(own->second.begin(), own->second.end());
      return 1;
    }
    if (info.kind != Buffer::Kind::kLocal) fetch(info, offset, times);
    const Loop* loop = lanes();
    if (loop == nullptr || vars.count(loop->var) == 0) return 1;
    if (offset.uses_nonlinearly(loop->var) && open_of(*loop).steps == 1 && !kernel_.uses_bound(offset)) {
      return price_of_permuting(offset, loop->var, loop->extent, static_cast<int64_t>(width_), target_);
    }
    if (offset.uses_nonlinearly(loop->var) || !offset.uses(loop->var)) return prices::kStrayLane * width_;
    const int64_t stride = std::abs(offset.coefficient(loop->var));
    if (stride == 1) return 1 + (aligned(offset, loop->var) ? 0 : prices::kAcrossLines);
    return transposable(block, buffer, offset, open_variables()) ? prices::kTransposedVector
                                                                 : prices::kStrayLane * width_;
  }

  bool aligned(const Index& offset, VarId lane) const {
    const auto width = static_cast<int64_t>(width_);
    if (offset.constant() % width != 0) return false;
    return std::all_of(offset.terms().begin(), offset.terms().end(), [&](const Index::Term& term) {
      const IndexAtom& atom = *term.atom;
      if (atom.kind == IndexAtom::Kind::kVariable && atom.id == lane) return true;
      if (term.coefficient % width == 0) return true;
      if (atom.kind == IndexAtom::Kind::kLookup)
        return std::all_of(atom.table->begin(), atom.table->end(),
                           [&](int64_t entry) { return entry * term.coefficient % width == 0; });
      // Only the values that a loop's variable takes.
      return atom.kind == IndexAtom::Kind::kVariable && term.coefficient * spacing_of(atom.id) % width == 0;
    });
  }
  int64_t spacing_of(VarId var) const {
    for (const Open& o : open_) {
      if (o.loop->var == var && o.loop->style == LoopStyle::kSerial) return o.loop->step;
    }
    return 1;
  }

  // --- memory

  // What a step of the variable means for the address, on average.
  double stride_of(const Index& offset, VarId var, int64_t extent) const {
    if (!offset.uses_nonlinearly(var)) return static_cast<double>(std::abs(offset.coefficient(var)));
    if (extent < 2) return 0;
    const auto at = [&](int64_t value) {
      return offset.evaluate([&](int id) { return id == var ? value : 0; });
    };
    return std::abs(static_cast<double>(at(extent - 1) - at(0)) / static_cast<double>(extent - 1));
  }

  // Adds the price of all lines that come from beyond the second level.
  void fetch(const Buffer& info, const Index& offset, double times) {
    const auto bytes = static_cast<double>(byte_size(info.dtype));
    const double lines = std::ceil(static_cast<double>(info.elements) * bytes / kLineBytes);
    const auto cache = static_cast<double>(target_.l2_bytes) / 2;
    const auto share = 1 / static_cast<double>(accesses(info));
    // Points side by side come first, then the steps of the loops from the inside out.
    std::vector<std::pair<double, double>> inner;  // strides in bytes, and how many
    const auto stride_in_bytes = [&](const Open& o) {
      return bytes * stride_of(offset, o.loop->var, o.loop->extent);
    };
    for (const Open& o : open_) {
      if (side_by_side(*o.loop)) inner.emplace_back(stride_in_bytes(o), o.points);
    }
    double touched = lines_of(inner, bytes), visits = 1;
    if (lines * kLineBytes <= cache) {
      const double price = std::min(lines, times * touched) * prices::kLineFromNear * share;
      price_.total += price;
      price_.least += price;
      return;
    }
    size_t i = open_.size();
    for (; i > 0; --i) {
      const Open& o = open_[i - 1];
      inner.emplace_back(stride_in_bytes(o) * o.spacing, o.steps);
      const double now = lines_of(inner, bytes);
      if (now * kLineBytes > cache) break;
      touched = now;
    }
    for (; i > 0; --i) visits *= open_[i - 1].steps;
    price_.total += touched * visits * prices::kLineFromMemory * share;
    price_.least += std::min(touched * visits, lines) * prices::kLineFromMemory * share;
  }

  // Lines that a set of strides touches: pieces of what is contiguous.
  static double lines_of(std::vector<std::pair<double, double>> loops, double bytes) {
    std::sort(loops.begin(), loops.end());
    double span = bytes, pieces = 1;
    for (auto [stride, count] : loops) {
      if (stride == 0 || count == 1) continue;
      if (stride <= std::max<double>(span, kLineBytes))
        span += stride * (count - 1);
      else
        pieces *= count;
    }
    return pieces * std::ceil(span / kLineBytes);
  }

  // Accesses at places near each other, as those of an unrolled body, share what is fetched.
  int accesses(const Buffer& info) const {
    if (access_count_.empty()) {
      for_each_stmt(const_cast<Block&>(kernel_.body), [&](const Stmt& stmt) {
        if (auto* s = std::get_if<Load>(&stmt.node)) ++access_count_[&kernel_.buffers[size_t(s->buffer)]];
        if (auto* s = std::get_if<Store>(&stmt.node)) ++access_count_[&kernel_.buffers[size_t(s->buffer)]];
      });
    }
    return std::max(1, access_count_[&info]);
  }

  const Kernel& kernel_;
  const Target& target_;
  double width_ = 1;
  RunningPrice price_;
  std::vector<Vars> made_at_;     // of each scalar: the loops side by side that it differs along
  std::map<BufferId, Vars> own_;  // local buffers of which each of these loops' points has its own
  std::vector<Open> open_;
  mutable std::map<const Buffer*, int> access_count_;
};

}  // namespace

RunningPrice running_price(const Kernel& kernel, const Target& target) {
  return Walk(kernel, target).run();
}

}  // namespace ingot::kernel
