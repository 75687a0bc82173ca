// Outputs that are written row by row across lanes.
//
// Stores of 16 bytes into many rows miss the cache one by one. Where a loop writes all of a unit's rows, and
// these are one piece of memory, the rows are put together in scratch memory that stays in the first-level
// cache and leave from there in whole lines, past the caches: such an output is too large to be found in them
// later.
#include "codegen/cpu/emitter.h"

namespace ingot::codegen {

using kernel::Buffer;
using llvm::Value;

namespace {

constexpr int64_t kLargestPiece = 16 << 10;

bool loads_from(const kernel::Block& block, kernel::BufferId buffer) {
  for (const kernel::Stmt& stmt : block.stmts) {
    const auto* load = std::get_if<kernel::Load>(&stmt.node);
    if (load && load->buffer == buffer) return true;
  }
  return false;
}

}  // namespace

void Emitter::stage_outputs(const kernel::Loop& loop) {
  if (!band_lanes_ || lanes_ == 1) return;
  const Coords origin{};
  std::map<kernel::BufferId, int> stores;
  for (const kernel::Stmt& stmt : loop.body.stmts) {
    if (std::holds_alternative<kernel::Loop>(stmt.node)) return;
    if (const auto* store = std::get_if<kernel::Store>(&stmt.node)) ++stores[store->buffer];
  }
  for (const kernel::Stmt& stmt : loop.body.stmts) {
    const auto* store = std::get_if<kernel::Store>(&stmt.node);
    if (!store || stores[store->buffer] > 1 || loads_from(loop.body, store->buffer)) continue;
    const Buffer& buffer = kernel_.buffers[static_cast<size_t>(store->buffer)];
    const auto bytes = static_cast<int64_t>(byte_size(buffer.dtype));
    const int64_t along = store->offset.coefficient(loop.var), row = store->offset.coefficient(lane_var_);
    if (buffer.kind != Buffer::Kind::kOutput || std::abs(along) != 1 || row != loop.extent) continue;
    if (kernel_.uses_bound(store->offset)) continue;
    if (store->offset.uses_nonlinearly(loop.var) || store->offset.uses_nonlinearly(lane_var_)) continue;
    const int64_t elements = row * lanes_ * extents_[0];
    if (elements * bytes > kLargestPiece || buffer.elements * bytes < 8 * context_.target.l2_bytes) continue;
    const Offset start = offset_at(store->offset, origin);
    if (!start.linear) continue;
    staged_[store->buffer] = {scratch(static_cast<size_t>(elements * bytes)), start.uniform,
                              start.constant - (along < 0 ? loop.extent - 1 : 0), elements};
  }
}

Value* Emitter::store_address(const PendingStore& place, int64_t constant) {
  auto staged = staged_.find(place.buffer);
  if (staged == staged_.end()) {
    return address(place.buffer, Offset{place.uniform, constant, place.lane_stride, true}, {});
  }
  const size_t bytes = byte_size(kernel_.buffers[static_cast<size_t>(place.buffer)].dtype);
  Value* base = pointer(staged->second.memory, place.uniform - staged->second.outer, 1, bytes);
  const int64_t distance = (constant - staged->second.first) * static_cast<int64_t>(bytes);
  return b_.CreateConstGEP1_64(b_.getInt8Ty(), base, static_cast<uint64_t>(distance));
}

void Emitter::copy_staged() {
  for (auto& [buffer, staged] : std::exchange(staged_, {})) {
    Value* to = address(buffer, Offset{staged.outer, staged.first, 0, true}, {});
    const auto bytes = static_cast<int64_t>(byte_size(kernel_.buffers[static_cast<size_t>(buffer)].dtype));
    // Streaming stores need aligned addresses; the last unit, which overlaps its neighbour, may have none.
    auto* aligned = llvm::BasicBlock::Create(llvm_, "aligned", function_);
    auto* unaligned = llvm::BasicBlock::Create(llvm_, "unaligned", function_);
    auto* after = llvm::BasicBlock::Create(llvm_, "copied", function_);
    Value* low = b_.CreateAnd(b_.CreatePtrToInt(to, b_.getInt64Ty()),
                              b_.getInt64(static_cast<uint64_t>(lanes_ * bytes - 1)));
    b_.CreateCondBr(b_.CreateICmpEQ(low, b_.getInt64(0)), aligned, unaligned);
    for (bool streaming : {true, false}) {
      b_.SetInsertPoint(streaming ? aligned : unaligned);
      copy_vectors(staged.memory, to, staged.elements * bytes, streaming);
      b_.CreateBr(after);
    }
    b_.SetInsertPoint(after);
  }
}

void Emitter::copy_vectors(Value* from, Value* to, int64_t bytes, bool streaming) {
  const int64_t width = std::min<int64_t>(context_.target.vector_bytes, bytes);
  const int64_t vectors = bytes / width, unroll = vectors % 4 == 0 ? 4 : vectors % 2 == 0 ? 2 : 1;
  llvm::Type* type = llvm::FixedVectorType::get(b_.getInt64Ty(), static_cast<unsigned>(width / 8));
  llvm::BasicBlock* before = b_.GetInsertBlock();
  auto* loop = llvm::BasicBlock::Create(llvm_, "copy", function_);
  auto* after = llvm::BasicBlock::Create(llvm_, "copy.end", function_);
  b_.CreateBr(loop);
  b_.SetInsertPoint(loop);
  llvm::PHINode* at = b_.CreatePHI(b_.getInt64Ty(), 2);
  at->addIncoming(b_.getInt64(0), before);
  Value* source = b_.CreateGEP(b_.getInt8Ty(), from, at);
  Value* target = b_.CreateGEP(b_.getInt8Ty(), to, at);
  for (int64_t i = 0; i < unroll; ++i) {
    auto place = [&](Value* base) {
      return b_.CreateConstGEP1_64(b_.getInt8Ty(), base, static_cast<uint64_t>(i * width));
    };
    Value* value = b_.CreateAlignedLoad(type, place(source), llvm::Align(static_cast<uint64_t>(width)));
    const llvm::Align align(streaming ? static_cast<uint64_t>(width) : 1);
    llvm::StoreInst* store = b_.CreateAlignedStore(value, place(target), align);
    if (!streaming) continue;
    auto* one = llvm::ConstantAsMetadata::get(b_.getInt32(1));
    store->setMetadata(llvm::LLVMContext::MD_nontemporal, llvm::MDNode::get(llvm_, {one}));
    streams_ = true;
  }
  Value* next = b_.CreateAdd(at, b_.getInt64(static_cast<uint64_t>(unroll * width)));
  at->addIncoming(next, loop);
  b_.CreateCondBr(b_.CreateICmpULT(next, b_.getInt64(static_cast<uint64_t>(bytes))), loop, after);
  b_.SetInsertPoint(after);
}

}  // namespace ingot::codegen
