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
#include "kernel/ir/blocks.h"
#include "ops/kinds.h"

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

// Bytes between two pairs of k, where the operand holds them interleaved with points of the lanes, or 0.
int64_t pair_stride(const kernel::Kernel& kernel, const Index& offset, kernel::VarId k) {
  const auto at = [&](int64_t value) {
    return offset.substitute(
        [&](int id, int64_t extent) { return id == k ? Index(value) : Index::variable(id, extent); });
  };
  const Index distance = at(2) - at(0), var = kernel.var(k);
  if (!distance.is_constant() || distance.constant() <= 0) return 0;
  const Index rest = offset - var.floor_div(2) * distance.constant() - var.mod(2);
  return rest.uses(k) ? 0 : distance.constant() * kNarrow;
}

}  // namespace

// The dimension of the open tile, if the sums vary over it and the lanes alone; else 0.
int Emitter::tile_dim(const Loop& loop) const {
  const DimMask mask = plan_.loops.at(&loop).carries[0];
  for (int d = 1; d < kMaxDims; ++d) {
    if (mask == (kLaneBit | DimMask{1} << d)) return d;
  }
  return 0;
}

// Elements from one point of the dimension to the next, if all of them lie equally far apart.
std::optional<int64_t> Emitter::distance_along(const Index& index, int dim) {
  Coords coords{};
  const Offset first = offset_at(index, coords);
  int64_t distance = 0;
  for (int i = 1; i < extents_[static_cast<size_t>(dim)]; ++i) {
    coords[static_cast<size_t>(dim)] = i;
    const Offset offset = offset_at(index, coords);
    if (i == 1) distance = offset.constant - first.constant;
    if (!(offset.uniform == first.uniform) || offset.constant != first.constant + i * distance)
      return std::nullopt;
  }
  return first.linear ? std::optional(distance) : std::nullopt;
}

// The buffer where the statements from `at` on, a reduction first, leave its sums; `count` of them are done
// with the reduction.
std::optional<Emitter::TileSums> Emitter::sums_behind(const kernel::Block& block, size_t at) {
  const Loop& loop = std::get<Loop>(block.stmts[at].node);
  const auto* old =
      at + 3 < block.stmts.size() ? std::get_if<kernel::Load>(&block.stmts[at + 1].node) : nullptr;
  const size_t last = old ? at + 3 : at + 1;
  const auto* store =
      last < block.stmts.size() ? std::get_if<kernel::Store>(&block.stmts[last].node) : nullptr;
  if (!store || last + 1 != block.stmts.size()) return std::nullopt;
  kernel::ScalarId sum = loop.carries[0].result;
  if (old) {
    const auto* add = std::get_if<kernel::Let>(&block.stmts[at + 2].node);
    if (!add || !ops::is<ops::AddOp>(*add->record) || old->predicate != kernel::kNone ||
        old->buffer != store->buffer || !(old->offset == store->offset) ||
        add->operands != std::vector{old->result, sum})
      return std::nullopt;
    sum = add->result;
  }
  const kernel::Buffer& buffer = kernel_.buffers[static_cast<size_t>(store->buffer)];
  if (store->value != sum || buffer.kind != kernel::Buffer::Kind::kLocal ||
      memory_scale(store->buffer) != 1 || plan_.of(store->offset) != plan_.loops.at(&loop).carries[0])
    return std::nullopt;
  const std::optional<int64_t> distance = distance_along(store->offset, tile_dim(loop));
  if (!distance || offset_at(store->offset, {}).lane_stride != 1) return std::nullopt;
  return TileSums{store, *distance * kSum, old != nullptr, last - at};
}

// The two operands, if they lie as the instructions want them.
std::optional<Emitter::TileOperands> Emitter::tile_operands(const Loop& loop) {
  TileOperands found;
  const int dim = tile_dim(loop);
  for (const kernel::Stmt& stmt : loop.body.stmts) {
    const auto* load = std::get_if<kernel::Load>(&stmt.node);
    if (!load) continue;
    const DimMask mask = plan_.scalars[static_cast<size_t>(load->result)];
    if (load->ahead) {
      const bool along = mask == 0 && !load->offset.uses_nonlinearly(loop.var);
      if (along && load->offset.coefficient(loop.var) > 0) found.ahead.push_back(load);
      continue;
    }
    if (memory_scale(load->buffer) != 1 || load->predicate != kernel::kNone) return std::nullopt;
    if (mask == kLaneBit) {
      found.panel = load;
      found.panel_stride = pair_stride(kernel_, load->offset, loop.var);
      const Offset offset = offset_at(load->offset, {});
      if (found.panel_stride == 0 || !offset.linear || offset.lane_stride != 2) return std::nullopt;
    } else if (mask == DimMask{1} << dim) {
      found.row = load;
      const std::optional<int64_t> distance = distance_along(load->offset, dim);
      if (!distance || load->offset.coefficient(loop.var) != 1 || load->offset.uses_nonlinearly(loop.var))
        return std::nullopt;
      found.row_stride = *distance * kNarrow;
    }
  }
  return found.panel && found.row ? std::optional(found) : std::nullopt;
}

// Emits the reduction at that place of the block, and what stores its sums, as products of tiles; returns how
// many statements that were, or 0.
size_t Emitter::emit_matrix_product(const kernel::Block& block, size_t at) {
  const kernel::MatrixTiles& tiles = context_.target.tiles;
  const auto* loop = std::get_if<Loop>(&block.stmts[at].node);
  if (!loop || tiles.count == 0 || !context_.instructions.x86 || loop->kind != kernel::LoopKind::kReduce ||
      loop->style != kernel::LoopStyle::kSerial || !kernel::sums_bf16_products(kernel_, *loop))
    return 0;
  const int dim = tile_dim(*loop);
  if (dim == 0) return 0;
  vars_[static_cast<size_t>(loop->var)] = {};
  const std::optional<TileSums> sums = sums_behind(block, at);
  const std::optional<TileOperands> operands = tile_operands(*loop);
  const auto* begin = llvm::dyn_cast<llvm::Constant>(get(loop->carries[0].init, {}, false));
  const int64_t steps = divide_up(loop->extent, tiles.depth()), depth = loop->extent / steps;
  if (!sums || !operands || !begin || !begin->isZeroValue() || depth * steps != loop->extent ||
      depth % 2 != 0)
    return 0;
  const int64_t rows = extents_[static_cast<size_t>(dim)],
                columns = static_cast<int64_t>(lanes_) * extents_[0];
  const int64_t down = divide_up(rows, tiles.rows), across = divide_up(columns, tiles.columns());
  if (down * across + down + across > tiles.count) return 0;

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
  Value* to = place(sums->store->buffer, sums->store->offset);
  auto each_sum = [&](auto fn) {
    for (int64_t t = 0; t < down * across; ++t)
      fn(t, bytes_on(to, t / across * tiles.rows * sums->stride + t % across * tiles.columns() * kSum));
  };
  each_sum([&](int64_t t, Value* sum) {
    if (sums->accumulate)
      move(llvm::Intrinsic::x86_tileloadd64, t, sum, sums->stride);
    else
      b_.CreateIntrinsic(llvm::Intrinsic::x86_tilezero, {tile(t)});
  });
  std::vector<Carried> state = {{{place(operands->row->buffer, operands->row->offset)},
                                 {place(operands->panel->buffer, operands->panel->offset)},
                                 {}}};
  for (const kernel::Load* load : operands->ahead) state[0][2].push_back(place(load->buffer, load->offset));
  counted_loop(loop->var, steps, depth, loop->extent - depth, state, [&] {
    Value *&row = state[0][0][0], *&panel = state[0][1][0];
    const int64_t first_row = down * across, first_panel = first_row + down;
    for (int64_t j = 0; j < across; ++j)
      move(llvm::Intrinsic::x86_tileloadd64, first_panel + j, bytes_on(panel, j * tiles.columns() * kSum),
           operands->panel_stride);
    for (int64_t i = 0; i < down; ++i) {
      move(llvm::Intrinsic::x86_tileloadd64, first_row + i,
           bytes_on(row, i * tiles.rows * operands->row_stride), operands->row_stride);
      for (int64_t j = 0; j < across; ++j)
        b_.CreateIntrinsic(llvm::Intrinsic::x86_tdpbf16ps,
                           {tile(i * across + j), tile(first_row + i), tile(first_panel + j)});
    }
    row = bytes_on(row, depth * kNarrow);
    panel = bytes_on(panel, depth / 2 * operands->panel_stride);
    for (size_t i = 0; i < operands->ahead.size(); ++i) {
      const int64_t bytes = depth * operands->ahead[i]->offset.coefficient(loop->var) * kNarrow;
      for (int64_t at = 0; at < bytes; at += kLineBytes) prefetch(bytes_on(state[0][2][i], at), 2);
      state[0][2][i] = bytes_on(state[0][2][i], bytes);
    }
  });
  each_sum([&](int64_t t, Value* sum) { move(llvm::Intrinsic::x86_tilestored64, t, sum, sums->stride); });
  return sums->count + 1;
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
