// Sums of products of bf16 in matrix tiles, by the processor's instructions for them.
//
// What stands in the kernel is a register tile like any other: sums over k at every point (m, n), stored in a
// local buffer, or added to what stands there. Where one operand has k along memory and the other one pairs
// of k interleaved, [k/2][n][2], the points of a tile are a few matrices: of accumulators, of rows of the one
// operand, and of rows of pairs of the other. A step multiplies each of the rows with each of the pairs.
//
// The shapes of the tiles are state of the thread. A kernel whose products all have the same shapes sets them
// once, where its function begins, others before each product; it gives them up where the function ends, so
// that the system need not keep tiles for a thread that computes something else.
#include <llvm/IR/IntrinsicsX86.h>

#include <array>

#include "base/check.h"
#include "base/divide.h"
#include "codegen/cpu/emitter.h"
#include "kernel/ir/matrix_product.h"

namespace ingot::codegen {

using kernel::Loop;
using llvm::Value;

namespace {

constexpr int64_t kNarrow = 2, kSum = 4;  // bytes

// Of the register with that number, as the instruction that sets the shapes reads it.
struct Shapes {
  std::vector<int64_t> rows, row_bytes;
};

std::array<uint8_t, 64> as_bytes(const Shapes& shapes) {
  constexpr size_t kMost = 16;  // that the instruction has room for
  check(shapes.rows.size() <= kMost, "more tiles than the machine can have registers for");
  std::array<uint8_t, 64> bytes{};
  bytes[0] = 1;  // the only way to lay tiles out
  for (size_t i = 0; i < kMost; ++i) {
    if (i >= shapes.rows.size()) continue;  // of a loop to rows.size() GCC believes that it leaves the array
    bytes[16 + 2 * i] = static_cast<uint8_t>(shapes.row_bytes[i]);
    bytes[48 + i] = static_cast<uint8_t>(shapes.rows[i]);
  }
  return bytes;
}

}  // namespace

// Emits the reduction at that place of the block, and what stores its sums, as products of tiles; returns how
// many statements that were, or 0.
size_t Emitter::emit_matrix_product(const kernel::Block& block, size_t at) {
  const auto* loop = std::get_if<Loop>(&block.stmts[at].node);
  if (!loop || loop->reduce_by != kernel::ReduceBy::kMatrixTiles) return 0;
  const kernel::MatrixTiles& tiles = context_.target.tiles;
  const int64_t columns = static_cast<int64_t>(lanes_) * extents_[0];
  const auto product = kernel::matrix_product(kernel_, varying_, block, at, open_, columns, tiles);
  check(product.has_value(), "what the schedule does in matrix tiles does not fit them");
  const int64_t rows = open_[static_cast<size_t>(product->dim)]->extent, down = product->down,
                across = product->across, depth = product->depth;
  const int64_t sum_bytes = product->sum_stride * kSum, row_bytes = product->row_stride * kNarrow,
                panel_bytes = product->panel_stride * kNarrow;
  vars_[static_cast<size_t>(loop->var)] = {};

  if (stretch_) flush_stores();
  Shapes shapes;
  auto shape = [&](int64_t r, int64_t bytes) {
    shapes.rows.push_back(r);
    shapes.row_bytes.push_back(bytes);
  };
  auto rows_of = [&](int64_t i) { return std::min<int64_t>(tiles.rows, rows - i * tiles.rows); };
  auto columns_of = [&](int64_t j) {
    return std::min<int64_t>(tiles.columns(), columns - j * tiles.columns());
  };
  for (int64_t t = 0; t < down * across; ++t) shape(rows_of(t / across), columns_of(t % across) * kSum);
  for (int64_t i = 0; i < down; ++i) shape(rows_of(i), depth * kNarrow);
  for (int64_t j = 0; j < across; ++j) shape(depth / 2, columns_of(j) * kSum);
  shape_tiles(as_bytes(shapes));

  auto tile = [&](int64_t number) { return b_.getInt8(static_cast<uint8_t>(number)); };
  auto bytes_on = [&](Value* from, int64_t bytes) {
    return b_.CreateConstGEP1_64(b_.getInt8Ty(), from, static_cast<uint64_t>(bytes));
  };
  auto move = [&](llvm::Intrinsic::ID instruction, int64_t number, Value* place, int64_t stride) {
    b_.CreateIntrinsic(instruction, {tile(number), place, b_.getInt64(static_cast<uint64_t>(stride))});
  };
  auto place = [&](const kernel::BufferId buffer, const Index& index) {
    return address(buffer, offset_at(index, {}), {});
  };
  Value* to = place(product->store->buffer, product->store->offset);
  auto each_sum = [&](auto fn) {
    for (int64_t t = 0; t < down * across; ++t)
      fn(t, bytes_on(to, t / across * tiles.rows * sum_bytes + t % across * tiles.columns() * kSum));
  };
  each_sum([&](int64_t t, Value* sum) {
    if (product->accumulate)
      move(llvm::Intrinsic::x86_tileloadd64, t, sum, sum_bytes);
    else
      b_.CreateIntrinsic(llvm::Intrinsic::x86_tilezero, {tile(t)});
  });
  std::vector<Carried> state = {{{place(product->row->buffer, product->row->offset)},
                                 {place(product->panel->buffer, product->panel->offset)},
                                 {}}};
  for (const kernel::Prefetch* ahead : product->prefetches)
    state[0][2].push_back(place(ahead->buffer, ahead->offset));
  counted_loop(loop->var, product->steps, depth, loop->extent - depth, state, [&] {
    Value *&row = state[0][0][0], *&panel = state[0][1][0];
    const int64_t first_row = down * across, first_panel = first_row + down;
    for (int64_t j = 0; j < across; ++j)
      move(llvm::Intrinsic::x86_tileloadd64, first_panel + j, bytes_on(panel, j * tiles.columns() * kSum),
           panel_bytes);
    for (int64_t i = 0; i < down; ++i) {
      move(llvm::Intrinsic::x86_tileloadd64, first_row + i, bytes_on(row, i * tiles.rows * row_bytes),
           row_bytes);
      for (int64_t j = 0; j < across; ++j)
        b_.CreateIntrinsic(llvm::Intrinsic::x86_tdpbf16ps,
                           {tile(i * across + j), tile(first_row + i), tile(first_panel + j)});
    }
    row = bytes_on(row, depth * kNarrow);
    panel = bytes_on(panel, depth / 2 * panel_bytes);
    for (size_t i = 0; i < product->prefetches.size(); ++i) {
      const int64_t bytes = depth * product->prefetches[i]->offset.coefficient(loop->var) * kNarrow;
      for (int64_t at = 0; at < bytes; at += kLineBytes) prefetch(bytes_on(state[0][2][i], at), 2);
      state[0][2][i] = bytes_on(state[0][2][i], bytes);
    }
  });
  each_sum([&](int64_t t, Value* sum) { move(llvm::Intrinsic::x86_tilestored64, t, sum, sum_bytes); });
  return product->count + 1;
}

void Emitter::shape_tiles(const std::array<uint8_t, 64>& shapes) {
  llvm::Constant* bytes = llvm::ConstantDataArray::get(llvm_, shapes);
  llvm::GlobalVariable* global = nullptr;
  for (const llvm::CallInst* call : shaped_tiles_) {
    auto* known = llvm::cast<llvm::GlobalVariable>(call->getArgOperand(0));
    if (known->getInitializer() == bytes) global = known;
  }
  if (!global) {
    global = new llvm::GlobalVariable(context_.module, bytes->getType(), true,
                                      llvm::GlobalValue::PrivateLinkage, bytes, "shapes");
    global->setAlignment(llvm::Align(64));
  }
  shaped_tiles_.push_back(b_.CreateIntrinsic(llvm::Intrinsic::x86_ldtilecfg, {global}));
}

// At the end of the function: one shape for all goes to its beginning.
void Emitter::release_tiles() {
  if (shaped_tiles_.empty()) return;
  Value* first = shaped_tiles_[0]->getArgOperand(0);
  const bool same = std::all_of(shaped_tiles_.begin(), shaped_tiles_.end(),
                                [&](const llvm::CallInst* call) { return call->getArgOperand(0) == first; });
  if (same) {
    for (llvm::CallInst* call : shaped_tiles_) call->eraseFromParent();
    at_level(0).CreateIntrinsic(llvm::Intrinsic::x86_ldtilecfg, {first});
  }
  shaped_tiles_.clear();
  b_.CreateIntrinsic(llvm::Intrinsic::x86_tilerelease, {});
}

}  // namespace ingot::codegen
