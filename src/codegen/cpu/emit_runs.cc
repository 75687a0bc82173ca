// Transposed access: lanes that walk along rows of memory.
//
// Where lane i reads row i and the code around wants neighbours in the row (the next steps of a loop, or
// other constants in the same body), a piece of up to 16 bytes is loaded from every row and the block is
// transposed in registers, within 128-bit parts only: part q of register j holds row q * P + j, P elements
// each, so that after log2(P) rounds of unpacking vector c holds element c of all rows in order. Stores go
// the same way back; they wait for the end of the straight-line stretch, when all pieces are complete. Pairs
// that lie side by side are vectors whose lanes are interleaved.
#include <algorithm>
#include <bit>

#include "base/check.h"
#include "codegen/cpu/emitter.h"
#include "codegen/cpu/llvm_scalar_builder.h"
#include "kernel/cost/table.h"

namespace ingot::codegen {

using kernel::Buffer;
using llvm::Value;

namespace {

constexpr int64_t kRowAhead[] = {512, 2048};  // bytes

// The pieces that cover sorted constants: (first constant, elements). Pieces of one run have one size; the
// last one may overlap its neighbour. What has no neighbour is in no piece.
std::vector<std::pair<int64_t, int>> cut_into_pieces(const std::vector<int64_t>& sorted, int largest) {
  std::vector<std::pair<int64_t, int>> pieces;
  for (size_t i = 0; i < sorted.size();) {
    size_t end = i + 1;
    while (end < sorted.size() && sorted[end] == sorted[end - 1] + 1) ++end;
    const auto length = static_cast<int64_t>(end - i);
    const auto size =
        std::min<int64_t>(largest, static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(length))));
    for (int64_t at = 0; size >= 2 && at < length; at += size) {
      pieces.emplace_back(sorted[i] + std::min(at, length - size), static_cast<int>(size));
    }
    i = end;
  }
  return pieces;
}

}  // namespace

int Emitter::largest_piece(DType dtype) const {
  return std::min(static_cast<int>(16 / byte_size(dtype)), lanes_);
}

void Emitter::plan_runs(const kernel::Block& block, kernel::VarId var, int steps, Stretch& stretch) {
  if (lanes_ == 1) return;
  for (const kernel::Stmt& stmt : block.stmts) {
    const auto* load = std::get_if<kernel::Load>(&stmt.node);
    if (!load || load->predicate != kernel::kNone) continue;
    const Buffer& buffer = kernel_.buffers[static_cast<size_t>(load->buffer)];
    if (buffer.kind != Buffer::Kind::kInput || load->offset.uses_nonlinearly(lane_var_)) continue;
    if (kernel_.uses_bound(load->offset)) continue;
    if (std::abs(load->offset.coefficient(lane_var_)) < 2) continue;
    const DimMask tiles = varying_.scalars[static_cast<size_t>(load->result)] & ~kLaneBit;
    int64_t* delta = var == kernel::kNone ? nullptr : &vars_[static_cast<size_t>(var)].delta;
    for (int step = 0; step < steps; ++step) {
      for (int copy = 0; copy < copy_count(tiles); ++copy) {
        const Offset offset = offset_at(load->offset, coords_of(tiles, copy));
        group_of(stretch, load->buffer, offset, true)->constants.push_back(offset.constant);
      }
      if (delta) ++*delta;
    }
    if (delta) *delta -= steps;
  }
  for (RunGroup& group : stretch.groups) {
    std::sort(group.constants.begin(), group.constants.end());
    group.constants.erase(std::unique(group.constants.begin(), group.constants.end()), group.constants.end());
    const DType dtype = kernel_.buffers[static_cast<size_t>(group.buffer)].dtype;
    group.pieces = cut_into_pieces(group.constants, largest_piece(dtype));
  }
  if (var != kernel::kNone) read_ahead(stretch, var, steps);
}

Emitter::RunGroup* Emitter::group_of(Stretch& stretch, kernel::BufferId buffer, const Offset& offset,
                                     bool make) {
  for (RunGroup& group : stretch.groups) {
    if (group.buffer == buffer && group.lane_stride == offset.lane_stride &&
        group.uniform == offset.uniform) {
      return &group;
    }
  }
  if (!make) return nullptr;
  return &stretch.groups.emplace_back(RunGroup{buffer, offset.uniform, offset.lane_stride, {}, {}, {}});
}

Value* Emitter::load_from_run(const kernel::Load& load, const Coords& coords) {
  if (!stretch_) return nullptr;
  const bool waits = std::any_of(stretch_->stores.begin(), stretch_->stores.end(),
                                 [&](const PendingStore& store) { return store.buffer == load.buffer; });
  if (waits || kernel_.buffers[static_cast<size_t>(load.buffer)].kind == Buffer::Kind::kOutput)
    flush_stores();
  if (stretch_->groups.empty() || load.predicate != kernel::kNone || kernel_.uses_bound(load.offset))
    return nullptr;
  Coords first = coords;
  first[0] = 0;
  const Offset offset = offset_at(load.offset, first);
  RunGroup* group = offset.linear ? group_of(*stretch_, load.buffer, offset, false) : nullptr;
  if (!group) return nullptr;
  for (auto [start, size] : group->pieces) {
    if (offset.constant < start || offset.constant >= start + size) continue;
    const std::vector<Value*>& values = group->loaded[{start, coords[0]}];
    if (values.empty()) load_pieces(*group, start, size, coords[0]);
    return values[static_cast<size_t>(offset.constant - start)];
  }
  return nullptr;
}

// The piece that begins there, and with rows that fall on the same lines of the caches all others of one
// line's length, row by row: a row's line would be gone when its next piece is asked for.
void Emitter::load_pieces(RunGroup& group, int64_t start, int size, int vector) {
  const auto bytes =
      static_cast<int64_t>(byte_size(kernel_.buffers[static_cast<size_t>(group.buffer)].dtype));
  std::vector<int64_t> starts;
  for (auto [other, length] : group.pieces) {
    const bool same_line = other >= start && (other - start + length) * bytes <= kLineBytes;
    if (other == start || (length == size && same_line && rows_collide(group.lane_stride * bytes)))
      starts.push_back(other);
  }
  std::vector<std::vector<Value*>> registers = load_rows(group, starts, size, vector);
  const DType dtype = kernel_.buffers[static_cast<size_t>(group.buffer)].dtype;
  for (size_t i = 0; i < starts.size(); ++i) {
    std::vector<Value*> values = transposed(std::move(registers[i]), dtype, true);
    for (Value*& value : values) value = from_memory(value, dtype);
    group.loaded[{starts[i], vector}] = std::move(values);
  }
}

// Which row lies in part `part` of register `j`. Pieces of 8 bytes in vectors of 4-byte elements lie so that
// one shuffle per result joins them.
int Emitter::row_of(int j, int part, int size, DType dtype) const {
  if (paired(size, dtype)) return part / 2 * 4 + j * 2 + part % 2;
  return part * size + j;
}

bool Emitter::paired(int size, DType dtype) const {
  return size == 2 && byte_size(dtype) == 4 && lanes_ >= 4;
}

std::vector<std::vector<Value*>> Emitter::load_rows(const RunGroup& group, const std::vector<int64_t>& starts,
                                                    int size, int vector) {
  const DType dtype = kernel_.buffers[static_cast<size_t>(group.buffer)].dtype;
  const auto bytes = static_cast<int64_t>(byte_size(dtype));
  const int parts = lanes_ / size;
  const Offset offset{group.uniform, starts[0] + group.lane_stride * lanes_ * vector, group.lane_stride,
                      true};
  Value* base = address(group.buffer, offset, {});
  auto row = [&](int r, size_t piece) {
    const int64_t distance = r * group.lane_stride + starts[piece] - starts[0];
    return b_.CreateConstGEP1_64(b_.getInt8Ty(), base, static_cast<uint64_t>(distance * bytes));
  };
  llvm::Type* element = memory_type(llvm_, dtype);
  llvm::Type* whole = llvm::FixedVectorType::get(element, static_cast<unsigned>(lanes_));
  const llvm::Align align(static_cast<uint64_t>(bytes));
  std::vector<std::vector<Value*>> registers(starts.size());
  for (int j = 0; j < size; ++j) {
    if (size * bytes == 16) {
      llvm::Type* type = llvm::FixedVectorType::get(element, static_cast<unsigned>(size));
      std::vector<std::vector<Value*>> halves(starts.size());
      for (int q = 0; q < parts; ++q) {
        for (size_t piece = 0; piece < starts.size(); ++piece)
          halves[piece].push_back(b_.CreateAlignedLoad(type, row(row_of(j, q, size, dtype), piece), align));
      }
      for (size_t piece = 0; piece < starts.size(); ++piece)
        registers[piece].push_back(concatenated(std::move(halves[piece])));
    } else {  // a piece is as wide as some scalar
      llvm::Type* scalar =
          size * bytes == 8 ? b_.getDoubleTy() : b_.getIntNTy(static_cast<unsigned>(size * bytes * 8));
      for (size_t piece = 0; piece < starts.size(); ++piece) {
        Value* joined =
            llvm::PoisonValue::get(llvm::FixedVectorType::get(scalar, static_cast<unsigned>(parts)));
        for (int q = 0; q < parts; ++q) {
          Value* part = b_.CreateAlignedLoad(scalar, row(row_of(j, q, size, dtype), piece), align);
          joined = b_.CreateInsertElement(joined, part, static_cast<uint64_t>(q));
        }
        registers[piece].push_back(b_.CreateBitCast(joined, whole));
      }
    }
  }
  return registers;
}

Value* Emitter::concatenated(std::vector<Value*> parts) {
  while (parts.size() > 1) {
    std::vector<Value*> joined;
    for (size_t i = 0; i < parts.size(); i += 2) {
      const auto n = llvm::cast<llvm::FixedVectorType>(parts[i]->getType())->getNumElements();
      std::vector<int> order(2 * n);
      for (size_t e = 0; e < order.size(); ++e) order[e] = static_cast<int>(e);
      joined.push_back(b_.CreateShuffleVector(parts[i], parts[i + 1], order));
    }
    parts = std::move(joined);
  }
  return parts[0];
}

// Transposes every block of P x P elements, P the number of registers. `loading` matters only where rows are
// paired.
std::vector<Value*> Emitter::transposed(std::vector<Value*> registers, DType dtype, bool loading) {
  const auto size = static_cast<int>(registers.size());
  auto shuffled = [&](Value* a, Value* b, auto source) {
    std::vector<int> order;
    for (int lane = 0; lane < lanes_; ++lane) order.push_back(source(lane));
    return b_.CreateShuffleVector(a, b, order);
  };
  if (paired(size, dtype)) {
    std::vector<Value*> result;
    for (int half = 0; half < 2; ++half) {
      result.push_back(shuffled(registers[0], registers[1], [&](int lane) {
        const int part = lane / 4 * 4, i = lane % 4;
        if (loading) return (i < 2 ? 0 : lanes_) + part + i % 2 * 2 + half;  // shufps
        return (i % 2) * lanes_ + part + half * 2 + i / 2;                   // unpcklps, unpckhps
      }));
    }
    return result;
  }
  // Before a round with grain g, register rg * g + cg holds columns cg.. of the rows of row group rg.
  for (int grain = 1; grain < size; grain *= 2) {
    std::vector<Value*> next(registers.size());
    for (int pair = 0; pair < size / grain / 2; ++pair) {
      for (int column = 0; column < grain; ++column) {
        Value* a = registers[static_cast<size_t>(2 * pair * grain + column)];
        Value* b = registers[static_cast<size_t>((2 * pair + 1) * grain + column)];
        for (int half = 0; half < 2; ++half) {
          next[static_cast<size_t>(pair * 2 * grain + 2 * column + half)] = shuffled(a, b, [&](int lane) {
            const int part = lane / size * size, i = lane % size;
            const int from = part + half * size / 2 + i / (2 * grain) * grain + i % grain;
            return (i / grain % 2) * lanes_ + from;
          });
        }
      }
    }
    registers = std::move(next);
  }
  return registers;
}

void Emitter::flush_stores() {
  if (!stretch_ || stretch_->stores.empty()) return;
  std::vector<PendingStore> stores = std::exchange(stretch_->stores, {});
  while (!stores.empty()) {
    // One buffer and one sum of variables at a time; of two stores to one place the last one counts.
    const PendingStore first = stores.front();
    std::map<int64_t, Value*> values;
    std::vector<PendingStore> rest;
    for (const PendingStore& s : stores) {
      const bool same =
          s.buffer == first.buffer && s.lane_stride == first.lane_stride && s.uniform == first.uniform;
      if (same)
        values[s.constant] = s.value;
      else
        rest.push_back(s);
    }
    stores = std::move(rest);
    std::vector<int64_t> constants;
    for (const auto& [constant, value] : values) constants.push_back(constant);
    const DType dtype = kernel_.buffers[static_cast<size_t>(first.buffer)].dtype;
    std::vector<RowPiece> pieces;
    for (auto [start, size] : cut_into_pieces(constants, largest_piece(dtype))) {
      pieces.push_back({start, {}});
      for (int64_t c = start; c < start + size; ++c) {
        pieces.back().values.push_back(to_memory(values[c], dtype));
        std::erase(constants, c);
      }
    }
    store_pieces(first, std::move(pieces));
    for (int64_t constant : constants) store_strided(first, constant, to_memory(values[constant], dtype));
  }
}

// Rows that fall on the same lines of the caches are stored one after the other, as far as pieces of them lie
// in one line, as they are loaded.
void Emitter::store_pieces(const PendingStore& place, std::vector<RowPiece> pieces) {
  const auto bytes =
      static_cast<int64_t>(byte_size(kernel_.buffers[static_cast<size_t>(place.buffer)].dtype));
  const bool by_rows = rows_collide(place.lane_stride * bytes);
  for (size_t i = 0; i < pieces.size();) {
    size_t end = i + 1;
    const auto size = static_cast<int64_t>(pieces[i].values.size());
    while (by_rows && end < pieces.size() && static_cast<int64_t>(pieces[end].values.size()) == size &&
           (pieces[end].start + size - pieces[i].start) * bytes <= kLineBytes)
      ++end;
    store_rows(place, std::span(pieces).subspan(i, end - i));
    i = end;
  }
}

// Pieces of one size, row by row.
void Emitter::store_rows(const PendingStore& place, std::span<RowPiece> pieces) {
  const DType dtype = kernel_.buffers[static_cast<size_t>(place.buffer)].dtype;
  const auto bytes = static_cast<int64_t>(byte_size(dtype));
  const int size = static_cast<int>(pieces[0].values.size()), parts = lanes_ / size;
  const llvm::Align align(static_cast<uint64_t>(bytes));
  if (size == 2 && place.lane_stride == 2) {
    std::vector<int> order;
    for (int lane = 0; lane < lanes_; ++lane) order.insert(order.end(), {lane, lane + lanes_});
    for (const RowPiece& piece : pieces) {
      Value* both = b_.CreateShuffleVector(piece.values[0], piece.values[1], order);
      b_.CreateAlignedStore(both, store_address(place, piece.start), align);
    }
    return;
  }
  Value* base = store_address(place, pieces[0].start);
  const auto part_type = [&]() -> llvm::Type* {
    if (size * bytes == 8) return b_.getDoubleTy();
    return b_.getIntNTy(static_cast<unsigned>(size * bytes * 8));
  };
  for (RowPiece& piece : pieces) {
    piece.values = transposed(std::move(piece.values), dtype, false);
    if (size * bytes == 16) continue;  // a piece is as wide as some scalar
    llvm::Type* whole = llvm::FixedVectorType::get(part_type(), static_cast<unsigned>(parts));
    for (Value*& from : piece.values) from = b_.CreateBitCast(from, whole);
  }
  for (int j = 0; j < size; ++j) {
    for (int q = 0; q < parts; ++q) {
      for (const RowPiece& piece : pieces) {
        Value* from = piece.values[static_cast<size_t>(j)];
        const int64_t distance =
            row_of(j, q, size, dtype) * place.lane_stride + piece.start - pieces[0].start;
        if (size * bytes == 16) {
          std::vector<int> order;
          for (int e = 0; e < size; ++e) order.push_back(q * size + e);
          from = b_.CreateShuffleVector(from, order);
        } else {
          from = b_.CreateExtractElement(from, static_cast<uint64_t>(q));
        }
        Value* at = b_.CreateConstGEP1_64(b_.getInt8Ty(), base, static_cast<uint64_t>(distance * bytes));
        b_.CreateAlignedStore(from, at, align);
      }
    }
  }
}

void Emitter::store_strided(const PendingStore& place, int64_t constant, Value* value) {
  const DType dtype = kernel_.buffers[static_cast<size_t>(place.buffer)].dtype;
  const auto bytes = static_cast<int64_t>(byte_size(dtype));
  Value* base = store_address(place, constant);
  for (int lane = 0; lane < lanes_; ++lane) {
    const auto distance = static_cast<uint64_t>(lane * place.lane_stride * bytes);
    Value* element = b_.CreateExtractElement(value, static_cast<uint64_t>(lane));
    b_.CreateAlignedStore(element, b_.CreateConstGEP1_64(b_.getInt8Ty(), base, distance),
                          llvm::Align(static_cast<uint64_t>(bytes)));
  }
}

// Many short streams defeat the hardware's prefetcher. Where the rows of a unit are one piece of memory, that
// of the next unit is fetched into the second-level cache in the order of addresses, once from far ahead and
// once more shortly before it is read: a prefetch is dropped where too many are on their way. Loads in their
// place would hold up what waits behind them. Long rows are prefetched along themselves instead.
void Emitter::read_ahead(const Stretch& stretch, kernel::VarId var, int steps) {
  const Variable& v = vars_[static_cast<size_t>(var)];
  const Variable& lane = vars_[static_cast<size_t>(lane_var_)];
  if (!band_lanes_ || !lane.base || !v.base) return;
  const int64_t extent = kernel_.var_extents[static_cast<size_t>(var)];
  const int64_t width = static_cast<int64_t>(lanes_) * extents_[0];
  for (const RunGroup& group : stretch.groups) {
    const auto bytes =
        static_cast<int64_t>(byte_size(kernel_.buffers[static_cast<size_t>(group.buffer)].dtype));
    const int64_t along = group.uniform.coefficient(var), row = std::abs(group.lane_stride);
    if (group.pieces.empty() || std::abs(along) != 1 || group.uniform.uses_nonlinearly(var)) continue;
    const int64_t piece = width * row * bytes;  // of the unit
    if (extent * 2 > row && piece <= context_.target.l2_bytes / 8) {
      const Index at_start = group.uniform - kernel_.var(var) * along;
      const int64_t first = group.constants.front() - (along < 0 ? extent / steps * steps - steps : 0);
      Value* from = address(group.buffer, Offset{at_start, first, group.lane_stride, true}, {});
      Value* distance =
          b_.CreateMul(next_unit_, b_.getInt64(static_cast<uint64_t>(group.lane_stride * bytes)));
      from = b_.CreateGEP(b_.getInt8Ty(), from, distance);
      // Each step has its share of the piece.
      const int64_t share = (piece + extent - 1) / extent;
      from =
          b_.CreateGEP(b_.getInt8Ty(), from, b_.CreateMul(v.base, b_.getInt64(static_cast<uint64_t>(share))));
      for (int64_t at = 0; at < share * steps; at += kLineBytes) {
        for (int64_t ahead : {at, at + prices::kAheadOfUnit}) {
          prefetch(b_.CreateConstGEP1_64(b_.getInt8Ty(), from, static_cast<uint64_t>(ahead)), 2);
        }
      }
    } else {
      prefetch_along(group, var, steps);
    }
  }
}

void Emitter::prefetch(Value* address, uint32_t locality) {
  b_.CreateIntrinsic(llvm::Intrinsic::prefetch, {b_.getPtrTy()},
                     {address, b_.getInt32(0), b_.getInt32(locality), b_.getInt32(1)});
}

// Every row needs a line each time that the steps have passed one: at each step some of the rows have their
// turn. Again each line is asked for twice, into the second level.
void Emitter::prefetch_along(const RunGroup& group, kernel::VarId var, int steps) {
  const auto bytes =
      static_cast<int64_t>(byte_size(kernel_.buffers[static_cast<size_t>(group.buffer)].dtype));
  const int64_t turns = kLineBytes / (steps * bytes), row_bytes = group.lane_stride * bytes;
  if (turns < 1 || lanes_ % turns != 0) return;
  const int64_t direction = group.uniform.coefficient(var) < 0 ? -1 : 1;
  Value* base =
      address(group.buffer, Offset{group.uniform, group.constants.front(), group.lane_stride, true}, {});
  const auto log2 = static_cast<uint64_t>(std::bit_width(static_cast<uint64_t>(steps)) - 1);
  Value* turn = b_.CreateAnd(b_.CreateLShr(vars_[static_cast<size_t>(var)].base, log2),
                             b_.getInt64(static_cast<uint64_t>(turns - 1)));
  Value* at =
      b_.CreateGEP(b_.getInt8Ty(), base, b_.CreateMul(turn, b_.getInt64(static_cast<uint64_t>(row_bytes))));
  for (int64_t row = 0; row < lanes_ * extents_[0]; row += turns) {
    for (int64_t ahead : kRowAhead) {
      const int64_t distance = row * row_bytes + direction * ahead;
      prefetch(b_.CreateConstGEP1_64(b_.getInt8Ty(), at, static_cast<uint64_t>(distance)), 2);
    }
  }
}

}  // namespace ingot::codegen
