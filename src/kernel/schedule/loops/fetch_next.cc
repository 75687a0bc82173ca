// Where the steps of a loop read a block of memory several times (a row's maximum first, then the sum of its
// exponentials), only the first pass over the block waits for memory, while there is nothing to compute, and
// during the others memory has nothing to do: both times add up. So the pass that computes most asks for the
// block of the next step but one, line by line.
#include <algorithm>
#include <map>

#include "kernel/cost/table.h"
#include "kernel/ir/blocks.h"
#include "kernel/ir/target.h"
#include "kernel/schedule/loops/loops.h"

namespace ingot::kernel {
namespace {

constexpr int64_t kPartOfCache = 8;  // the blocks that come beside those in use
constexpr int64_t kStepsAhead = 2;   // what is asked for one step ahead comes late at its end

struct Pass {
  Loop* loop;
  const Load* load;
};

// Of memory that lies side by side along the lanes of the pass, and one behind the other along the steps?
bool reads_blocks(const Kernel& kernel, const Loop& steps, const Loop& pass, const Load& load) {
  if (load.predicate != kNone || kernel.uses_bound(load.offset)) return false;
  if (kernel.buffers[static_cast<size_t>(load.buffer)].kind != Buffer::Kind::kInput) return false;
  for (VarId var : {steps.var, pass.var}) {
    if (load.offset.uses_nonlinearly(var)) return false;
  }
  return load.offset.coefficient(pass.var) == 1 &&
         load.offset.coefficient(steps.var) * steps.step >= pass.extent;
}

int64_t bytes_of(const Kernel& kernel, const Pass& pass) {
  const DType dtype = kernel.buffers[static_cast<size_t>(pass.load->buffer)].dtype;
  return pass.loop->extent * static_cast<int64_t>(byte_size(dtype));
}

int64_t cost_of(const Block& block) {
  int64_t sum = 0;
  for (const Stmt& stmt : block.stmts) sum += cost(stmt);
  return sum;
}

void fetch_for(Kernel& kernel, const Target& target, Loop& steps) {
  std::map<std::pair<BufferId, Index>, std::vector<Pass>> blocks;  // by where the pass begins
  for (Stmt& stmt : steps.body.stmts) {
    Loop* pass = std::get_if<Loop>(&stmt.node);
    if (pass == nullptr || pass->style != LoopStyle::kLanes || has_loops(pass->body)) continue;
    for (const Stmt& inside : pass->body.stmts) {
      const Load* load = std::get_if<Load>(&inside.node);
      if (load == nullptr || !reads_blocks(kernel, steps, *pass, *load)) continue;
      const int64_t bytes = bytes_of(kernel, {pass, load});
      if (bytes < prices::kSeenComing || bytes > target.l2_bytes / kPartOfCache) continue;
      const Index start = load->offset.substitute(
          [&](int id, int64_t extent) { return id == pass->var ? Index(0) : Index::variable(id, extent); });
      blocks[{load->buffer, start}].push_back({pass, load});
    }
  }
  std::vector<std::pair<Loop*, Prefetch>> made;
  for (const auto& [where, passes] : blocks) {
    if (passes.size() < 2) continue;
    const Pass& longest = *std::max_element(
        passes.begin() + 1, passes.end(),
        [](const Pass& a, const Pass& b) { return cost_of(a.loop->body) < cost_of(b.loop->body); });
    if (cost_of(longest.loop->body) < prices::kHidesFetch) continue;
    made.emplace_back(longest.loop, ahead_of(*longest.load, {{steps.var, kStepsAhead * steps.step}}));
  }
  for (auto& [pass, prefetch] : made) pass->body.stmts.insert(pass->body.stmts.begin(), Stmt{prefetch});
}

void fetch_in(Kernel& kernel, const Target& target, Block& block) {
  for (Stmt& stmt : block.stmts) {
    auto* loop = std::get_if<Loop>(&stmt.node);
    if (loop == nullptr || loop->style != LoopStyle::kSerial) continue;
    if (loop->extent > loop->step && loop->steps == kNone) fetch_for(kernel, target, *loop);
    fetch_in(kernel, target, loop->body);
  }
}

}  // namespace

void fetch_next(Kernel& kernel, const Target& target) {
  fetch_in(kernel, target, kernel.body);
}

}  // namespace ingot::kernel
