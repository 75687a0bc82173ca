// Packing once for all units of a contraction: a phase of its own, and shared buffers.
#include <map>

#include "kernel/ir/blocks.h"
#include "kernel/schedule/contraction/contraction.h"

namespace ingot::kernel {
namespace {

bool uses(Block& block, VarId var) {
  bool found = false;
  for_each_index(block, [&](const Index& index) { found = found || index.uses(var); });
  return found;
}

}  // namespace

Block packed_for_all(Kernel& kernel, Block packed, Loop& reduction, const std::vector<Loop>& loops) {
  std::vector<Loop> band;
  std::unordered_map<VarId, VarId> renewed;
  Index place, place_there;  // of the piece that a unit packs; of the one that the reduction reads
  int64_t copies = 1;
  for (const Loop& loop : loops) {
    if (!uses(packed, loop.var)) continue;
    band.push_back(make_loop(kernel, kernel.var_names[static_cast<size_t>(loop.var)], loop.extent, loop.step,
                             LoopKind::kParallel));
    renewed[loop.var] = band.back().var;
    place = place * count_of(loop) + ordinal_of(kernel, band.back());
    place_there = place_there * count_of(loop) + ordinal_of(kernel, loop);
    copies *= count_of(loop);
  }
  substitute(packed, [&](int id, int64_t extent) {
    auto it = renewed.find(id);
    return it == renewed.end() ? Index::variable(id, extent) : kernel.var(it->second);
  });

  Block result, nest;
  std::map<BufferId, int64_t> elements;  // of one piece
  for (Stmt& stmt : packed.stmts) {
    auto* alloc = std::get_if<Alloc>(&stmt.node);
    if (alloc == nullptr) {
      nest.stmts.push_back(std::move(stmt));
      continue;
    }
    Buffer& buffer = kernel.buffers[static_cast<size_t>(alloc->buffer)];
    elements[alloc->buffer] = buffer.elements;
    buffer.kind = Buffer::Kind::kShared;
    buffer.elements *= copies;
    buffer.shape[0] *= copies;
    result.stmts.push_back(std::move(stmt));
  }
  for_each_stmt(nest, [&](Stmt& stmt) {
    auto* store = std::get_if<Store>(&stmt.node);
    if (store != nullptr && elements.count(store->buffer))
      store->offset = store->offset + place * elements[store->buffer];
  });
  for_each_place(reduction.body, [&](BufferId of, Index& offset) {
    if (elements.count(of)) offset = offset + place_there * elements[of];
  });
  // Threads share the outermost loop, too, where no other one follows in the same unit.
  for (Stmt& stmt : nest.stmts) {
    if (nest.stmts.size() > 1 && !band.empty()) break;
    auto* outermost = std::get_if<Loop>(&stmt.node);
    if (outermost != nullptr && outermost->style == LoopStyle::kSerial) outermost->kind = LoopKind::kParallel;
  }
  for (Stmt& stmt : wrap(std::move(band), std::move(nest)).stmts) result.stmts.push_back(std::move(stmt));
  return result;
}

}  // namespace ingot::kernel
