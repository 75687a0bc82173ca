// Packing that need not be repeated.
//
// Where units compute products of their rows (block_rows.cc), each packs what the tiles read, in a scan at
// each step. What is the same for every step is packed before the scan. What is the same for all units of the
// band's innermost loop is packed before those, for all steps: in a prelude, that runs once for units which a
// thread takes one after the other, or, where the band has no other loop, in a phase of its own, whose
// results threads share.
#include <set>

#include "kernel/ir/blocks.h"
#include "kernel/ir/target.h"
#include "kernel/schedule/contraction/block_rows.h"

namespace ingot::kernel {
namespace {

constexpr int64_t kPartOfCacheForPacking = 8;  // of the last-level cache, for what is packed ahead

// A buffer that loops fill from inputs alone, and that is only read elsewhere.
struct HoistedPacking {
  size_t alloc = 0, end = 0;  // positions in the block: the loops stand between
  BufferId buffer = kNone;
};

bool fills_from_inputs(const Kernel& kernel, Stmt& stmt, BufferId buffer) {
  auto* loop = std::get_if<Loop>(&stmt.node);
  if (loop == nullptr || loop->kind != LoopKind::kMap) return false;
  std::set<ScalarId> made;
  bool stores = false, fine = true;
  for_each_stmt(loop->body, [&](Stmt& inner) {
    for (ScalarId id : results(inner)) made.insert(id);
    if (auto* store = std::get_if<Store>(&inner.node)) {
      stores = true;
      fine = fine && store->buffer == buffer;
    }
    if (auto* load = std::get_if<Load>(&inner.node))
      fine = fine && kernel.buffers[static_cast<size_t>(load->buffer)].kind == Buffer::Kind::kInput;
    fine = fine && !std::holds_alternative<Alloc>(inner.node);
  });
  for (ScalarId id : uses(kernel, stmt)) fine = fine && made.count(id) > 0;
  return fine && stores;
}

int stores_into(Block& block, BufferId buffer) {
  int found = 0;
  for_each_stmt(block, [&](Stmt& stmt) {
    auto* store = std::get_if<Store>(&stmt.node);
    found += store != nullptr && store->buffer == buffer;
  });
  return found;
}

Block loops_of(const Block& block, const HoistedPacking& packing) {
  const auto at = [&](size_t i) { return block.stmts.begin() + static_cast<std::ptrdiff_t>(i); };
  return {std::vector<Stmt>(at(packing.alloc + 1), at(packing.end))};
}

std::vector<HoistedPacking> packings(const Kernel& kernel, Block& block) {
  std::vector<HoistedPacking> found;
  for (size_t i = 0; i + 1 < block.stmts.size(); ++i) {
    auto* alloc = std::get_if<Alloc>(&block.stmts[i].node);
    if (alloc == nullptr) continue;
    size_t end = i + 1;
    while (end < block.stmts.size() && fills_from_inputs(kernel, block.stmts[end], alloc->buffer)) ++end;
    const HoistedPacking packing{i, end, alloc->buffer};
    Block fill = loops_of(block, packing);
    if (end > i + 1 && stores_into(fill, alloc->buffer) == stores_into(block, alloc->buffer))
      found.push_back(packing);
  }
  return found;
}

bool uses_variable(Block& block, VarId var) {
  bool found = false;
  for_each_index(block, [&](const Index& index) { found = found || index.uses(var); });
  return found;
}

// The buffer gets room for every step of the loop: `here` fills the part of one step, `there` reads it.
void fill_for_all_steps(Kernel& kernel, const Loop& scan, const HoistedPacking& packing, Block& fill,
                        Block& there) {
  Buffer& buffer = kernel.buffers[static_cast<size_t>(packing.buffer)];
  const int64_t elements = buffer.elements;
  buffer.elements *= scan.extent;
  buffer.shape[0] *= scan.extent;
  Loop steps =
      make_loop(kernel, kernel.var_names[static_cast<size_t>(scan.var)], scan.extent, 1, LoopKind::kMap);
  const Index step = kernel.var(steps.var);
  Block body = std::move(fill);
  substitute(body,
             [&](int id, int64_t extent) { return id == scan.var ? step : Index::variable(id, extent); });
  for_each_stmt(body, [&](Stmt& stmt) {
    auto* store = std::get_if<Store>(&stmt.node);
    if (store != nullptr) store->offset = store->offset + step * elements;
  });
  for_each_place(there, [&](BufferId of, Index& offset) {
    if (of == packing.buffer) offset = offset + kernel.var(scan.var) * elements;
  });
  fill = wrap({std::move(steps)}, std::move(body));
}

}  // namespace

Block hoist_packing(Kernel& kernel, const Target& target, Block& unit, VarId innermost) {
  Block prelude;
  int64_t bytes_ahead = 0;
  const auto fits = [&](const Buffer& buffer, int64_t copies) {
    const int64_t bytes = buffer.elements * static_cast<int64_t>(byte_size(buffer.dtype)) * copies;
    if ((bytes_ahead + bytes) * kPartOfCacheForPacking > target.l3_bytes) return false;
    bytes_ahead += bytes;
    return true;
  };
  // Takes out what goes elsewhere: a packing's allocation, and its loops.
  const auto move_out = [](Block& from, const HoistedPacking& packing, Block fill, Block& to,
                           std::set<size_t>& moved) {
    to.stmts.push_back(from.stmts[packing.alloc]);
    for (Stmt& stmt : fill.stmts) to.stmts.push_back(std::move(stmt));
    for (size_t i = packing.alloc; i < packing.end; ++i) moved.insert(i);
  };
  const auto without = [](Block block, const std::set<size_t>& moved) {
    Block left;
    for (size_t i = 0; i < block.stmts.size(); ++i) {
      if (moved.count(i) == 0) left.stmts.push_back(std::move(block.stmts[i]));
    }
    return left;
  };

  Block result;
  for (Stmt& stmt : unit.stmts) {
    auto* scan = std::get_if<Loop>(&stmt.node);
    if (scan != nullptr && scan->kind == LoopKind::kScan) {
      std::set<size_t> moved;
      for (const HoistedPacking& packing : packings(kernel, scan->body)) {
        Block fill = loops_of(scan->body, packing);
        const bool each_step = uses_variable(fill, scan->var), each_unit = uses_variable(fill, innermost);
        const Buffer& buffer = kernel.buffers[static_cast<size_t>(packing.buffer)];
        const bool ahead = !each_unit && fits(buffer, each_step ? scan->extent : 1);
        if (!ahead && each_step) continue;
        if (each_step) fill_for_all_steps(kernel, *scan, packing, fill, scan->body);
        move_out(scan->body, packing, std::move(fill), ahead ? prelude : result, moved);
      }
      scan->body = without(std::move(scan->body), moved);
    }
    result.stmts.push_back(std::move(stmt));
  }
  std::set<size_t> moved;
  for (const HoistedPacking& packing : packings(kernel, result)) {
    Block fill = loops_of(result, packing);
    if (uses_variable(fill, innermost) || !fits(kernel.buffers[static_cast<size_t>(packing.buffer)], 1))
      continue;
    move_out(result, packing, std::move(fill), prelude, moved);
  }
  unit = without(std::move(result), moved);
  return prelude;
}

Block before_units(Kernel& kernel, Block packing, Loop units, bool whole_band) {
  Block result, rest;
  for (Stmt& stmt : packing.stmts) {
    auto* alloc = std::get_if<Alloc>(&stmt.node);
    if (alloc != nullptr && whole_band)
      kernel.buffers[static_cast<size_t>(alloc->buffer)].kind = Buffer::Kind::kShared;
    if (auto* fill = std::get_if<Loop>(&stmt.node); fill != nullptr && whole_band)
      fill->kind = LoopKind::kParallel;
    (alloc != nullptr ? result : rest).stmts.push_back(std::move(stmt));
  }
  for (Stmt& stmt : rest.stmts) result.stmts.push_back(std::move(stmt));
  result.stmts.push_back({std::move(units)});
  return result;
}

}  // namespace ingot::kernel
