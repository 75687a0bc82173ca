// Outputs that leave past the caches: what is too large to be found in them later, and is written in pieces
// far from each other, of which each would bring its line into the cache first.
//
// Rows across lanes: stores of 16 bytes into many rows miss the cache one by one. Where a loop writes all of
// a unit's rows, and these are one piece of memory, the rows are put together in scratch memory that stays in
// the first-level cache and leave from there in whole lines.
//
// Columns along lanes: where each step of a loop writes whole lines, a row or more apart from those of the
// step before, as a transpose does, they are streamed as they are.
//
// Rows along lanes: what is written from its beginning to its end is streamed too, if the last cache does not
// hold it together with what the kernel reads meanwhile.
#include "codegen/cpu/emitter.h"
#include "kernel/ir/blocks.h"

namespace ingot::codegen {

using kernel::Buffer;
using llvm::Value;

namespace {

constexpr int64_t kLargestPiece = 16 << 10, kLeastVector = 16;

// The vectors in which so many bytes can be copied without a rest.
int64_t copied_at_once(int64_t bytes, const kernel::Target& target) {
  return std::min<int64_t>(target.vector_bytes, bytes & -bytes);
}

}  // namespace

int64_t Emitter::bytes_of(kernel::BufferId buffer) const {
  const Buffer& b = kernel_.buffers[static_cast<size_t>(buffer)];
  return b.elements * static_cast<int64_t>(byte_size(b.dtype));
}

// Is it an output of at least so many bytes that the kernel itself does not read?
bool Emitter::is_large_output(kernel::BufferId buffer, int64_t bytes) const {
  if (kernel_.buffers[static_cast<size_t>(buffer)].kind != Buffer::Kind::kOutput || bytes_of(buffer) < bytes)
    return false;
  bool read = false;
  kernel::for_each_stmt(const_cast<kernel::Block&>(kernel_.body), [&](const kernel::Stmt& stmt) {
    const auto* load = std::get_if<kernel::Load>(&stmt.node);
    read = read || (load && load->buffer == buffer);
  });
  return !read;
}

void Emitter::streaming_store(Value* value, Value* to, uint64_t bytes) {
  llvm::StoreInst* store = b_.CreateAlignedStore(value, to, llvm::Align(bytes));
  auto* one = llvm::ConstantAsMetadata::get(b_.getInt32(1));
  store->setMetadata(llvm::LLVMContext::MD_nontemporal, llvm::MDNode::get(llvm_, {one}));
  streams_ = true;
}

// Does each step of the serial loop write whole lines of the output, far from those of the step before?
bool Emitter::writes_columns(const kernel::Loop& loop, const kernel::Store& store) const {
  if (!band_lanes_ || lanes_ == 1 || !is_large_output(store.buffer, 8 * context_.target.l2_bytes))
    return false;
  const auto bytes =
      static_cast<int64_t>(byte_size(kernel_.buffers[static_cast<size_t>(store.buffer)].dtype));
  const int64_t along = store.offset.coefficient(loop.var) * bytes, vector = lanes_ * bytes;
  return store.offset.coefficient(lane_var_) == 1 && !store.offset.uses_nonlinearly(lane_var_) &&
         along != 0 && along % kLineBytes == 0 && vector >= 16 && vector * extents_[0] % kLineBytes == 0;
}

// Do lanes write the output from its beginning to its end?
bool Emitter::writes_rows(const kernel::Loop& loop, const kernel::Store& store) const {
  const kernel::LoopWidths& w = loop.widths;
  if (open_tiles_ > 0 || loop.extent % w.lanes != 0) return false;
  const int64_t l3 = context_.target.l3_bytes;
  const bool fits = kernel_.bytes_read + bytes_of(store.buffer) <= l3;
  if (fits || !is_large_output(store.buffer, l3 / 8)) return false;
  const auto bytes =
      static_cast<int64_t>(byte_size(kernel_.buffers[static_cast<size_t>(store.buffer)].dtype));
  return store.offset.coefficient(loop.var) == 1 && w.lanes * bytes >= 16;
}

// Emits the loop twice if it streams: for outputs that begin at a line and do not take the place of an input,
// whose lines are in the cache already, and for others.
bool Emitter::emit_streaming(const kernel::Loop& loop) {
  if (!loop.carries.empty() || loop.extent == 1) return false;
  const bool serial = loop.style == kernel::LoopStyle::kSerial;
  // Of loops inside, only those that add up what is stored behind them.
  for (const kernel::Stmt& stmt : loop.body.stmts) {
    const auto* inner = std::get_if<kernel::Loop>(&stmt.node);
    if (inner && (serial || inner->steps == kernel::kNone || kernel::has_loops(inner->body))) return false;
  }
  std::set<kernel::BufferId> streamed;
  Value* unfit = nullptr;
  vars_[static_cast<size_t>(loop.var)] = {};
  for (const kernel::Stmt& stmt : loop.body.stmts) {
    const auto* store = std::get_if<kernel::Store>(&stmt.node);
    if (!store || kernel_.uses_bound(store->offset) || store->offset.uses_nonlinearly(loop.var)) continue;
    if (!(serial ? writes_columns(loop, *store) : writes_rows(loop, *store))) continue;
    const Offset start = offset_at(store->offset, {});
    if (!start.linear) continue;
    streamed.insert(store->buffer);
    Value* at = b_.CreatePtrToInt(address(store->buffer, start, {}), b_.getInt64Ty());
    Value* here = b_.CreateICmpNE(b_.CreateAnd(at, b_.getInt64(kLineBytes - 1)), b_.getInt64(0));
    for (int input = 0; input < kernel_.input_count; ++input) {
      if (kernel_.buffers[static_cast<size_t>(input)].elements > 0)
        here = b_.CreateOr(here, b_.CreateICmpEQ(buffer_base(input), buffer_base(store->buffer)));
    }
    unfit = unfit ? b_.CreateOr(unfit, here) : here;
  }
  if (streamed.empty()) return false;
  auto* aligned = llvm::BasicBlock::Create(llvm_, "aligned", function_);
  auto* unaligned = llvm::BasicBlock::Create(llvm_, "unaligned", function_);
  auto* after = llvm::BasicBlock::Create(llvm_, "streamed", function_);
  b_.CreateCondBr(unfit, unaligned, aligned);
  for (bool streaming : {true, false}) {
    b_.SetInsertPoint(streaming ? aligned : unaligned);
    if (streaming) streamed_ = streamed;
    if (serial)
      emit_serial(loop);
    else
      emit_map_lanes(loop);
    streamed_.clear();
    b_.CreateBr(after);
  }
  b_.SetInsertPoint(after);
  return true;
}

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
    if (!store || stores[store->buffer] > 1) continue;
    const Buffer& buffer = kernel_.buffers[static_cast<size_t>(store->buffer)];
    const auto bytes = static_cast<int64_t>(byte_size(buffer.dtype));
    const int64_t along = store->offset.coefficient(loop.var), row = store->offset.coefficient(lane_var_);
    if (!is_large_output(store->buffer, 8 * context_.target.l2_bytes) || std::abs(along) != 1 ||
        row != loop.extent)
      continue;
    if (kernel_.uses_bound(store->offset)) continue;
    if (store->offset.uses_nonlinearly(loop.var) || store->offset.uses_nonlinearly(lane_var_)) continue;
    const int64_t elements = row * lanes_ * extents_[0];
    if (elements * bytes > kLargestPiece || copied_at_once(elements * bytes, context_.target) < kLeastVector)
      continue;
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
    const int64_t all = staged.elements * bytes;
    // Streaming stores need aligned addresses; the last unit, which overlaps its neighbour, may have none.
    auto* aligned = llvm::BasicBlock::Create(llvm_, "aligned", function_);
    auto* unaligned = llvm::BasicBlock::Create(llvm_, "unaligned", function_);
    auto* after = llvm::BasicBlock::Create(llvm_, "copied", function_);
    Value* low = b_.CreateAnd(b_.CreatePtrToInt(to, b_.getInt64Ty()),
                              b_.getInt64(static_cast<uint64_t>(copied_at_once(all, context_.target) - 1)));
    b_.CreateCondBr(b_.CreateICmpEQ(low, b_.getInt64(0)), aligned, unaligned);
    for (bool streaming : {true, false}) {
      b_.SetInsertPoint(streaming ? aligned : unaligned);
      copy_vectors(staged.memory, to, all, streaming);
      b_.CreateBr(after);
    }
    b_.SetInsertPoint(after);
  }
}

void Emitter::copy_vectors(Value* from, Value* to, int64_t bytes, bool streaming) {
  const int64_t width = copied_at_once(bytes, context_.target);
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
    if (streaming)
      streaming_store(value, place(target), static_cast<uint64_t>(width));
    else
      b_.CreateAlignedStore(value, place(target), llvm::Align(1));
  }
  Value* next = b_.CreateAdd(at, b_.getInt64(static_cast<uint64_t>(unroll * width)));
  at->addIncoming(next, loop);
  b_.CreateCondBr(b_.CreateICmpULT(next, b_.getInt64(static_cast<uint64_t>(bytes))), loop, after);
  b_.SetInsertPoint(after);
}

}  // namespace ingot::codegen
