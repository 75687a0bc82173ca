// Reductions along columns of memory, row by row.
//
//   parallel piece of the row:
//     local sums: one per column of the piece
//     for block of rows:
//       lanes column:  sums[column] += the block's rows, added up in registers
//     lanes column:  what follows
//
// So memory is read in long pieces of few rows at a time, as it streams best; a few vectors of every row, one
// row after the other, would touch as many pages as there are rows.
#include <algorithm>

#include "kernel/cost/table.h"
#include "kernel/ir/blocks.h"
#include "kernel/ir/copier.h"
#include "kernel/ir/reductions.h"
#include "kernel/ir/target.h"
#include "kernel/schedule/lanes/lanes.h"

namespace ingot::kernel {
namespace {

constexpr int64_t kRows = 8;           // that are read side by side
constexpr int64_t kShortPiece = 512;   // elements of a row
constexpr int64_t kNarrowVectors = 4;  // of a unit that keeps its results in registers

bool is_straight(const Block& body) {
  for (const Stmt& stmt : body.stmts) {
    if (std::holds_alternative<Loop>(stmt.node) || std::holds_alternative<Store>(stmt.node)) return false;
  }
  return true;
}

// Some load takes neighbours along the lanes, from rows that lie further apart than a few vectors.
bool reads_rows(const Loop& reduction, VarId lane, int64_t narrow) {
  for (const Stmt& stmt : reduction.body.stmts) {
    auto* load = std::get_if<Load>(&stmt.node);
    if (load == nullptr || load->offset.uses_nonlinearly(lane)) continue;
    if (std::abs(load->offset.coefficient(lane)) != 1) continue;
    if (load->offset.uses_nonlinearly(reduction.var) ||
        std::abs(load->offset.coefficient(reduction.var)) >= 2 * narrow)
      return true;
  }
  return false;
}

}  // namespace

int64_t points_in_memory(const Kernel& kernel, const Target& target, const Nest& nest, size_t lane,
                         int64_t other_units) {
  const Loop* reduction = single_reduction(nest.body);
  if (reduction == nullptr || reduction->extent < 2 * kRows || !is_straight(reduction->body)) return 0;
  const int64_t extent = nest.loops[lane].extent, narrow = kNarrowVectors * target.lanes(DType::kF32);
  if (extent < 2 * narrow || !begins_with_literals(nest.body, *reduction)) return 0;
  if (!reads_rows(*reduction, nest.loops[lane].var, narrow)) return 0;
  int64_t bytes = 0;
  for (const Carry& carry : reduction->carries)
    bytes += static_cast<int64_t>(byte_size(kernel.scalars[static_cast<size_t>(carry.init)]));
  if (reduction->extent * extent * bytes <= target.sums.l1_bytes) return 0;  // all of it stays in the cache
  const int64_t most = target.sums.l1_bytes / 2 / bytes;
  // Where nothing else gives threads work, the pieces are shorter.
  const int64_t wanted = std::min((prices::kFairUnits + other_units - 1) / other_units, extent / kShortPiece);
  const int64_t pieces = std::max((extent + most - 1) / most, wanted);
  return std::min(extent, ((extent + pieces - 1) / pieces + narrow - 1) / narrow * narrow);
}

bool accumulate_in_memory(Kernel& kernel, const Target& target, Nest& nest, size_t lane) {
  int64_t units = 1;
  for (size_t i = 0; i < nest.loops.size(); ++i) {
    if (i != lane) units *= nest.loops[i].extent;
  }
  const int64_t points = points_in_memory(kernel, target, nest, lane, units);
  if (points == 0) return false;
  std::rotate(nest.loops.begin() + static_cast<int64_t>(lane),
              nest.loops.begin() + static_cast<int64_t>(lane) + 1, nest.loops.end());
  Loop& band = nest.loops.back();
  const VarId old = band.var;
  const std::string name = kernel.var_names[static_cast<size_t>(old)];
  band = make_loop(kernel, name + "_piece", band.extent, points, LoopKind::kParallel);
  Loop column = make_loop(kernel, name, points, 1, LoopKind::kMap, LoopStyle::kLanes);
  const Index at = kernel.var(band.var) + kernel.var(column.var);
  substitute(nest.body, [&](int id, int64_t e) { return id == old ? at : Index::variable(id, e); });

  Block body = std::move(nest.body), result;
  Sums sums;
  sums.place = kernel.var(column.var);
  const Loop reduction = *single_reduction(body);
  for (const Carry& carry : reduction.carries) {
    const DType dtype = kernel.scalars[static_cast<size_t>(carry.init)];
    sums.buffers.push_back(kernel.add_buffer({"sums", dtype, points, Buffer::Kind::kLocal, {points}}));
    result.stmts.push_back({Alloc{sums.buffers.back()}});
  }
  auto append = [&](Block block) {
    for (Stmt& stmt : block.stmts) result.stmts.push_back(std::move(stmt));
  };
  append(clear_sums(kernel, body, reduction, sums, points));
  Block after = cut_behind_reduction(kernel, body, sums, true);

  // The rows that no block holds go through a copy of the code.
  const int64_t blocks = reduction.extent / kRows, rest = reduction.extent % kRows;
  auto over_columns = [&](Block code, Index first_row, int64_t rows) {
    Loop lanes = make_loop(kernel, name, points, 1, LoopKind::kMap, LoopStyle::kLanes);
    Copier copy(kernel, {{column.var, kernel.var(lanes.var)}});
    Block own = copy(code);
    for (Stmt& stmt : own.stmts) {
      auto* loop = std::get_if<Loop>(&stmt.node);
      if (loop == nullptr) continue;
      const VarId row = loop->var;
      loop->extent = rows;
      loop->var = kernel.add_var(kernel.var_names[static_cast<size_t>(row)], rows);
      const Index here = first_row + kernel.var(loop->var);
      substitute(loop->body, [&](int id, int64_t e) { return id == row ? here : Index::variable(id, e); });
    }
    return wrap({std::move(lanes)}, std::move(own));
  };
  Loop block = make_loop(kernel, kernel.var_names[static_cast<size_t>(reduction.var)] + "_block", blocks, 1,
                         LoopKind::kScan);
  const Index first = kernel.var(block.var) * kRows;
  Block in_block = over_columns(body, first, kRows);
  append(wrap({std::move(block)}, std::move(in_block)));
  if (rest > 0) append(over_columns(body, Index(blocks * kRows), rest));
  append(over_columns(std::move(after), Index(0), 0));
  eliminate_dead(kernel, result);
  nest.body = std::move(result);
  return true;
}

}  // namespace ingot::kernel
