// What a loop computes at every point anew though it is the same for all of them, as the square root of a
// number per row next to the elements of the row, is computed once, before the loop. The compiler behind
// this cannot do it: what such values are loaded from might be the memory that the loop writes to. Here it
// is known that an input is read before a point overwrites it, or never overwritten.
#include <map>
#include <set>

#include "kernel/ir/blocks.h"
#include "kernel/schedule/loops/loops.h"

namespace ingot::kernel {
namespace {

// Instructions from which it pays: less is a load beside its use, which takes no register for the whole loop.
constexpr int kWorth = 4;
constexpr int kMostValues = 8;  // that stay in registers for it, of 32, or of 16 on smaller machines

class Hoisting {
 public:
  explicit Hoisting(Kernel& kernel) : kernel_(kernel) {}

  void visit(Block& block, bool root) {
    Block out;
    const bool before_bands = root || holds_bands(block);
    for (Stmt& stmt : block.stmts) {
      if (auto* loop = std::get_if<Loop>(&stmt.node)) {
        visit(loop->body, false);
        if (!before_bands && may_leave(*loop)) hoist(*loop, out);
      }
      out.stmts.push_back(std::move(stmt));
    }
    block = std::move(out);
  }

 private:
  // What stands before a loop of the band is its prelude.
  static bool holds_bands(const Block& block) {
    return std::any_of(block.stmts.begin(), block.stmts.end(), [](const Stmt& stmt) {
      const auto* loop = std::get_if<Loop>(&stmt.node);
      return loop != nullptr && loop->kind == LoopKind::kParallel;
    });
  }
  // Points of a tile run at once; an outlined body is shared with others.
  static bool may_leave(const Loop& loop) {
    return loop.kind != LoopKind::kParallel && loop.style != LoopStyle::kTile && !loop.outline &&
           loop.steps == kNone && loop.copies == kNone && loop.extent > 1;
  }

  bool depends(const Index& index, const Loop& loop) const {
    std::vector<int> variables;
    index.collect_variables(variables);
    return std::find(variables.begin(), variables.end(), loop.var) != variables.end();
  }

  // Whether it can stand before the loop, as far as its own form goes.
  bool is_free(const Stmt& stmt, const Loop& loop) const {
    if (const auto* load = std::get_if<Load>(&stmt.node)) {
      return kernel_.buffers[static_cast<size_t>(load->buffer)].kind == Buffer::Kind::kInput &&
             load->predicate == kNone && !depends(load->offset, loop);
    }
    if (const auto* value = std::get_if<IndexValue>(&stmt.node)) return !depends(value->index, loop);
    if (const auto* range = std::get_if<InRange>(&stmt.node)) return !depends(range->index, loop);
    return std::holds_alternative<Let>(stmt.node) || std::holds_alternative<Literal>(stmt.node);
  }

  void hoist(Loop& loop, Block& out) {
    std::set<ScalarId> varying;
    std::map<ScalarId, size_t>
        same;  // made by statements that are the same at each point, by their positions
    std::map<ScalarId, int> work;
    std::set<size_t> leaving;
    int values = 0;
    for (const Carry& carry : loop.carries) varying.insert(carry.arg);
    for (size_t i = 0; i < loop.body.stmts.size(); ++i) {
      const Stmt& stmt = loop.body.stmts[i];
      const std::vector<ScalarId> used = uses(kernel_, stmt), made = results(stmt);
      if (!is_free(stmt, loop) ||
          std::any_of(used.begin(), used.end(), [&](ScalarId id) { return varying.count(id) > 0; })) {
        varying.insert(made.begin(), made.end());
        continue;
      }
      same[made[0]] = i;
      work[made[0]] = std::holds_alternative<Let>(stmt.node) ? cost(stmt) : 0;
      for (ScalarId id : used) work[made[0]] += work.count(id) > 0 ? work.at(id) : 0;
      if (!std::holds_alternative<Let>(stmt.node) || work.at(made[0]) < kWorth || values == kMostValues)
        continue;
      ++values;
      leave(i, loop, same, leaving);
    }
    if (leaving.empty()) return;
    Block rest;
    for (size_t i = 0; i < loop.body.stmts.size(); ++i)
      (leaving.count(i) > 0 ? out : rest).stmts.push_back(std::move(loop.body.stmts[i]));
    loop.body = std::move(rest);
  }

  // The statement leaves the loop, with all that it needs.
  void leave(size_t position, const Loop& loop, const std::map<ScalarId, size_t>& same,
             std::set<size_t>& leaving) const {
    if (!leaving.insert(position).second) return;
    for (ScalarId id : uses(kernel_, loop.body.stmts[position])) {
      if (const auto maker = same.find(id); maker != same.end()) leave(maker->second, loop, same, leaving);
    }
  }

  Kernel& kernel_;
};

}  // namespace

void hoist_invariants(Kernel& kernel) {
  Hoisting(kernel).visit(kernel.body, true);
}

}  // namespace ingot::kernel
