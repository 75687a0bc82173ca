#include "kernel/ir/kept_phases.h"

#include <algorithm>
#include <set>
#include <vector>

#include "kernel/ir/blocks.h"

namespace ingot::kernel {
namespace {

constexpr size_t kMostPhases = 64;  // that one word tells apart

struct PhaseAccess {
  std::set<BufferId> loads, stores;
};

void collect(const Block& block, PhaseAccess& found) {
  for (const Stmt& stmt : block.stmts) {
    if (const auto* load = std::get_if<Load>(&stmt.node)) found.loads.insert(load->buffer);
    if (const auto* store = std::get_if<Store>(&stmt.node)) found.stores.insert(store->buffer);
    if (const auto* loop = std::get_if<Loop>(&stmt.node)) {
      collect(loop->body, found);
      collect(loop->combiner.body, found);
    }
  }
}

}  // namespace

uint64_t kept_phases(const Kernel& kernel) {
  if (std::none_of(kernel.buffers.begin(), kernel.buffers.end(), [](const Buffer& b) { return b.kept; }))
    return 0;
  std::vector<PhaseAccess> phases;
  for (const Stmt& stmt : kernel.body.stmts) {
    if (std::holds_alternative<Alloc>(stmt.node)) continue;
    const auto* loop = std::get_if<Loop>(&stmt.node);
    if (loop == nullptr || loop->kind != LoopKind::kParallel) return 0;
    collect(loop->body, phases.emplace_back());
  }
  uint64_t kept = 0;
  std::set<BufferId> filled;  // by phases that are kept
  for (size_t p = 0; p < std::min(phases.size(), kMostPhases); ++p) {
    const auto stays = [&](BufferId id) {
      const Buffer& buffer = kernel.buffers[static_cast<size_t>(id)];
      return buffer.kept || buffer.kind == Buffer::Kind::kLocal || filled.count(id) > 0;
    };
    const auto is_own = [&](BufferId id) {
      const Buffer::Kind kind = kernel.buffers[static_cast<size_t>(id)].kind;
      if (kind == Buffer::Kind::kLocal) return true;
      return kind == Buffer::Kind::kShared &&
             std::count_if(phases.begin(), phases.end(),
                           [&](const PhaseAccess& phase) { return phase.stores.count(id) > 0; }) == 1;
    };
    const PhaseAccess& phase = phases[p];
    if (!std::all_of(phase.loads.begin(), phase.loads.end(), stays) ||
        !std::all_of(phase.stores.begin(), phase.stores.end(), is_own))
      continue;
    kept |= uint64_t{1} << p;
    filled.insert(phase.stores.begin(), phase.stores.end());
  }
  return kept;
}

}  // namespace ingot::kernel
