// Loads, stores and local buffers.
//
// A load whose offset does not depend on the lane reads one element and broadcasts it; stride 1 reads a
// vector, stride -1 a vector to be reversed, anything else element by element. A false predicate turns the
// address to a few zeros, so that no branch is needed.
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/InlineAsm.h>

#include <algorithm>
#include <numeric>

#include "base/check.h"
#include "codegen/cpu/emitter.h"
#include "codegen/cpu/llvm_scalar_builder.h"

namespace ingot::codegen {

using kernel::Buffer;
using llvm::Value;

namespace {

std::vector<int> reversed(int lanes) {
  std::vector<int> order(static_cast<size_t>(lanes));
  std::iota(order.rbegin(), order.rend(), 0);
  return order;
}

}  // namespace

Value* Emitter::from_memory(Value* value, DType dtype) {
  if (dtype != DType::kPred) return value;
  return b_.CreateICmpNE(value, llvm::Constant::getNullValue(value->getType()));
}

Value* Emitter::to_memory(Value* value, DType dtype) {
  if (dtype != DType::kPred) return value;
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
  llvm::Type* byte = b_.getInt8Ty();
  return b_.CreateZExt(value, vector ? llvm::FixedVectorType::get(byte, vector->getNumElements()) : byte);
}

Value* Emitter::zeros(int64_t bytes) {
  llvm::GlobalVariable*& global = context_.zeros;
  constexpr int64_t kBytes = 256;
  check(bytes <= kBytes, "no register is that wide");
  if (!global) {
    auto* type = llvm::ArrayType::get(b_.getInt64Ty(), kBytes / 8);
    global = new llvm::GlobalVariable(context_.module, type, true, llvm::GlobalValue::PrivateLinkage,
                                      llvm::Constant::getNullValue(type), "zeros");
    global->setAlignment(llvm::Align(64));
  }
  return global;
}

Value* Emitter::buffer_base(kernel::BufferId buffer) {
  const auto i = static_cast<size_t>(buffer);
  Value* base = kernel_.buffers[i].kind == Buffer::Kind::kLocal ? locals_[i].base : bases_[i];
  check(base != nullptr, "a buffer is used before it lives");
  return base;
}

int64_t Emitter::memory_scale(kernel::BufferId buffer) const {
  const Local& local = locals_[static_cast<size_t>(buffer)];
  return local.copies * local.lanes;
}

size_t Emitter::alignment(kernel::BufferId buffer, bool vector) const {
  const size_t element = byte_size(kernel_.buffers[static_cast<size_t>(buffer)].dtype);
  const Local& local = locals_[static_cast<size_t>(buffer)];
  return vector && local.lanes > 1 ? element * static_cast<size_t>(local.lanes) : element;
}

Value* Emitter::address(kernel::BufferId buffer, const Offset& offset, const Coords& coords, int64_t extra) {
  const Local& local = locals_[static_cast<size_t>(buffer)];
  const size_t bytes = byte_size(kernel_.buffers[static_cast<size_t>(buffer)].dtype);
  const int64_t scale = memory_scale(buffer);
  const int64_t own = local.mask ? copy_index(local.mask, coords) * local.lanes : 0;
  const int64_t constant = (offset.constant * scale + own + extra) * static_cast<int64_t>(bytes);
  Value* base = pointer(buffer_base(buffer), offset.uniform, scale, bytes);
  return constant ? b_.CreateConstGEP1_64(b_.getInt8Ty(), base, static_cast<uint64_t>(constant)) : base;
}

Value* Emitter::load_element(Value* address, DType dtype) {
  return b_.CreateAlignedLoad(memory_type(llvm_, dtype), address, llvm::Align(byte_size(dtype)));
}

void Emitter::emit(const kernel::Load& load) {
  const DimMask mask = varying_.scalars[static_cast<size_t>(load.result)];
  std::vector<Value*> results;
  for (int copy = 0; copy < copy_count(mask); ++copy) {
    const Coords coords = coords_of(mask, copy);
    Value* value = load_from_run(load, coords);
    if (!value && width(mask) > 1) value = load_permuted(load, coords);
    results.push_back(value ? value : load_one(load, coords, width(mask) > 1));
  }
  define(load.result, mask).copies = std::move(results);
}

// Lanes that are kept are moved to the front of a vector, which is stored as a whole: the next one goes over
// what lies behind them.
void Emitter::emit(const kernel::Append& append) {
  DimMask mask = varying_.scalars[static_cast<size_t>(append.keep)];
  for (kernel::ScalarId value : append.values) mask |= varying_.scalars[static_cast<size_t>(value)];
  check((mask & ~kLaneBit) == 0, "points of a tile append to lists");
  check(lanes_ <= kernel::kAppendedAtOnce, "a vector has more lanes than lists have room for");
  Value* count_at = base_of_copy(append.count, {});
  for (int copy = 0; copy < copy_count(mask); ++copy) {
    const Coords coords = coords_of(mask, copy);
    const bool vector = width(mask) > 1;
    Value *keep = get(append.keep, coords, vector), *count = load_element(count_at, DType::kS32);
    Value* from = b_.CreateZExt(count, b_.getInt64Ty());
    for (size_t i = 0; i < append.lists.size(); ++i) {
      const DType dtype = kernel_.buffers[static_cast<size_t>(append.lists[i])].dtype;
      Value* value = to_memory(get(append.values[i], coords, vector), dtype);
      if (vector)
        value = b_.CreateIntrinsic(llvm::Intrinsic::experimental_vector_compress, {value->getType()},
                                   {value, keep, llvm::PoisonValue::get(value->getType())});
      Value* to = b_.CreateGEP(memory_type(llvm_, dtype), base_of_copy(append.lists[i], {}), from);
      b_.CreateAlignedStore(value, to, llvm::Align(byte_size(dtype)));
    }
    Value* more = keep;
    if (vector) {
      more = b_.CreateBitCast(keep, b_.getIntNTy(static_cast<unsigned>(lanes_)));
      if (lanes_ < 32) more = b_.CreateZExt(more, b_.getInt32Ty());
      more = b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, more);
    }
    more = b_.CreateZExtOrTrunc(more, b_.getInt32Ty());
    b_.CreateAlignedStore(b_.CreateAdd(count, more), count_at, llvm::Align(4));
  }
}

void Emitter::emit(const kernel::Prefetch& ahead) {
  const DimMask mask = varying_.of(ahead.offset) | varying_.locals[static_cast<size_t>(ahead.buffer)];
  for (int copy = 0; copy < copy_count(mask); ++copy) {
    const Coords coords = coords_of(mask, copy);
    const Offset offset = offset_at(ahead.offset, coords);
    // Into the second level: what the first one waits for is few lines at a time.
    if (offset.linear) prefetch(address(ahead.buffer, offset, coords), 2);
  }
}

Value* Emitter::load_one(const kernel::Load& load, const Coords& coords, bool vector) {
  const Buffer& buffer = kernel_.buffers[static_cast<size_t>(load.buffer)];
  const DType dtype = buffer.dtype;
  const auto bytes = static_cast<int64_t>(byte_size(dtype));
  llvm::Type* type = value_type(llvm_, dtype, vector ? lanes_ : 1);
  if (buffer.elements == 0) return llvm::Constant::getNullValue(type);
  const Offset offset = offset_at(load.offset, coords);
  const bool guarded = load.predicate != kernel::kNone;
  const bool lane_guard =
      guarded && vector && varying_.scalars[static_cast<size_t>(load.predicate)] & kLaneBit;
  const Local& local = locals_[static_cast<size_t>(load.buffer)];
  const int64_t stride = offset.lane_stride * memory_scale(load.buffer) + (local.lanes > 1 ? 1 : 0);

  if (vector && (!offset.linear || (stride != 0 && stride != 1 && stride != -1))) {
    if (offset.linear && !guarded) return load_strided(address(load.buffer, offset, coords), dtype, stride);
    return load_gather(load, coords);
  }
  if (lane_guard && stride == 0) return load_gather(load, coords);
  const int64_t extra = vector && stride == -1 ? 1 - lanes_ : 0;
  Value* from = address(load.buffer, offset, coords, extra);
  Value* predicate = guarded ? get(load.predicate, coords, lane_guard) : nullptr;
  if (guarded && !lane_guard) from = b_.CreateSelect(predicate, from, zeros(vector ? lanes_ * bytes : bytes));
  if (!vector || stride == 0) {
    Value* value = from_memory(load_element(from, dtype), dtype);
    return vector ? splat(value, lanes_) : value;
  }
  const llvm::Align align(alignment(load.buffer, true));
  llvm::Type* memory = llvm::FixedVectorType::get(memory_type(llvm_, dtype), static_cast<unsigned>(lanes_));
  Value* value;
  if (lane_guard) {
    if (stride == -1) predicate = b_.CreateShuffleVector(predicate, reversed(lanes_));
    // Lanes that are left out of a page that is none make no fault, but processors take a microsecond to see
    // to it: vectors without any lane, which is most of those past the end of an array, stand elsewhere, and
    // read nothing there.
    from = b_.CreateSelect(b_.CreateOrReduce(predicate), from, zeros(bytes));
    value = masked_load(from, dtype, predicate, align);
  } else {
    value = b_.CreateAlignedLoad(memory, from, align);
  }
  if (stride == -1) value = b_.CreateShuffleVector(value, reversed(lanes_));
  return from_memory(value, dtype);
}

// Lanes whose predicate is false are not touched, and are zero.
//
// LLVM 22 folds a load with a mask into the instruction that takes it under the same mask, which is right,
// and takes such an instruction apart again as a load without the mask, which is not: it reads beyond
// buffers. It does not fold through assembly, be it empty, so each load hands its lanes to some, in pieces
// that are registers.
Value* Emitter::masked_load(Value* address, DType dtype, Value* predicate, llvm::Align align) {
  const auto lanes = static_cast<unsigned>(lanes_), bytes = static_cast<unsigned>(byte_size(dtype));
  llvm::Type* element = memory_type(llvm_, dtype);
  const bool folds = context_.instructions.x86 && context_.target.vector_bytes == 64;
  const unsigned length = folds ? std::clamp(lanes, 16 / bytes, 64 / bytes) : lanes;
  auto* type = llvm::FixedVectorType::get(element, length);
  auto* none = llvm::Constant::getNullValue(type);
  if (!folds) return b_.CreateMaskedLoad(type, address, align, predicate, none);
  auto* words = llvm::FixedVectorType::get(b_.getInt64Ty(), length * bytes / 8);
  auto* nothing = llvm::InlineAsm::get(llvm::FunctionType::get(words, {words}, false), "", "=v,0",
                                       /*hasSideEffects=*/false);
  llvm::SmallVector<Value*> pieces;
  for (unsigned first = 0; first < lanes; first += length) {
    llvm::SmallVector<int> order;
    for (unsigned i = first; i < first + length; ++i) order.push_back(static_cast<int>(std::min(i, lanes)));
    Value* mask =
        b_.CreateShuffleVector(predicate, llvm::Constant::getNullValue(predicate->getType()), order);
    Value* from = b_.CreateConstGEP1_64(b_.getInt8Ty(), address, first * bytes);
    Value* piece = b_.CreateMaskedLoad(type, from, align, mask, none);
    llvm::CallInst* call = b_.CreateCall(nothing, {b_.CreateBitCast(piece, words)});
    call->setDoesNotThrow();
    pieces.push_back(b_.CreateBitCast(call, type));
  }
  Value* whole = llvm::concatenateVectors(b_, pieces);
  if (length <= lanes) return whole;
  llvm::SmallVector<int> low;
  for (unsigned i = 0; i < lanes; ++i) low.push_back(static_cast<int>(i));
  return b_.CreateShuffleVector(whole, low);
}

// Lanes that lie a constant number of elements apart.
Value* Emitter::load_strided(Value* base, DType dtype, int64_t stride) {
  llvm::Type* element = memory_type(llvm_, dtype);
  Value* result = llvm::PoisonValue::get(llvm::FixedVectorType::get(element, static_cast<unsigned>(lanes_)));
  const int64_t bytes = stride * static_cast<int64_t>(byte_size(dtype));
  for (int lane = 0; lane < lanes_; ++lane) {
    Value* at = b_.CreateConstGEP1_64(b_.getInt8Ty(), base, static_cast<uint64_t>(lane * bytes));
    result = b_.CreateInsertElement(result, load_element(at, dtype), static_cast<uint64_t>(lane));
  }
  return from_memory(result, dtype);
}

// Where the elements of all lanes lie, from base_of_copy() on. Where the predicate, if there is one, is
// false, the lane has element 0.
Value* Emitter::elements_of_lanes(kernel::BufferId buffer, const Index& offset, const Coords& coords,
                                  Value* predicate) {
  const Local& local = locals_[static_cast<size_t>(buffer)];
  Value* indices = b_.CreateSExt(lane_index(offset, coords), value_type(llvm_, DType::kS64, lanes_));
  if (predicate)
    indices = b_.CreateSelect(predicate, indices, llvm::Constant::getNullValue(indices->getType()));
  const int64_t scale = memory_scale(buffer);
  if (scale != 1) indices = b_.CreateMul(indices, splat(b_.getInt64(static_cast<uint64_t>(scale)), lanes_));
  if (local.lanes > 1) indices = b_.CreateAdd(indices, iota(indices->getType(), 1));
  return indices;
}

Value* Emitter::base_of_copy(kernel::BufferId buffer, const Coords& coords) {
  const Local& local = locals_[static_cast<size_t>(buffer)];
  const int64_t own = local.mask ? copy_index(local.mask, coords) * local.lanes : 0;
  llvm::Type* element = memory_type(llvm_, kernel_.buffers[static_cast<size_t>(buffer)].dtype);
  return b_.CreateConstGEP1_64(element, buffer_base(buffer), static_cast<uint64_t>(own));
}

// Lanes anywhere. Where the predicate is false the lane reads element 0 and throws it away.
Value* Emitter::load_gather(const kernel::Load& load, const Coords& coords) {
  const DType dtype = kernel_.buffers[static_cast<size_t>(load.buffer)].dtype;
  llvm::Type* element = memory_type(llvm_, dtype);
  Value* predicate = load.predicate == kernel::kNone ? nullptr : get(load.predicate, coords, true);
  Value* indices = elements_of_lanes(load.buffer, load.offset, coords, predicate);
  Value* base = base_of_copy(load.buffer, coords);
  Value* result = llvm::PoisonValue::get(llvm::FixedVectorType::get(element, static_cast<unsigned>(lanes_)));
  for (uint64_t lane = 0; lane < static_cast<uint64_t>(lanes_); ++lane) {
    Value* at = b_.CreateGEP(element, base, b_.CreateExtractElement(indices, lane));
    result = b_.CreateInsertElement(result, load_element(at, dtype), lane);
  }
  result = from_memory(result, dtype);
  return predicate ? b_.CreateSelect(predicate, result, llvm::Constant::getNullValue(result->getType()))
                   : result;
}

void Emitter::emit(const kernel::Store& store) {
  // A dimension of one point does not show in the offset.
  const DimMask mask = varying_.of(store.offset) | varying_.locals[static_cast<size_t>(store.buffer)];
  const DimMask hidden = varying_.scalars[static_cast<size_t>(store.value)] & ~mask;
  check(copy_count(hidden) == 1 && width(hidden) == 1,
        "points that run side by side store different values in one place");
  for (int copy = 0; copy < copy_count(mask); ++copy)
    store_one(store, coords_of(mask, copy), width(mask) > 1);
}

void Emitter::store_one(const kernel::Store& store, const Coords& coords, bool vector) {
  const Buffer& buffer = kernel_.buffers[static_cast<size_t>(store.buffer)];
  const DType dtype = buffer.dtype;
  const Offset offset = offset_at(store.offset, coords);
  const Local& local = locals_[static_cast<size_t>(store.buffer)];
  const int64_t stride = offset.lane_stride * memory_scale(store.buffer) + (local.lanes > 1 ? 1 : 0);
  Value* value = get(store.value, coords, vector);
  const bool waits = buffer.kind == Buffer::Kind::kOutput ? stride * stride > 1
                                                          : stride == 2 && memory_scale(store.buffer) == 1;
  if (vector && offset.linear && stretch_ && waits && !kernel_.uses_bound(store.offset)) {
    stretch_->stores.push_back({store.buffer, offset.uniform, offset.constant, stride, value});
    return;
  }
  value = to_memory(value, dtype);
  const size_t bytes = byte_size(dtype);
  if (!vector) {
    b_.CreateAlignedStore(value, address(store.buffer, offset, coords), llvm::Align(bytes));
  } else if (offset.linear && (stride == 1 || stride == -1)) {
    if (stride == -1) value = b_.CreateShuffleVector(value, reversed(lanes_));
    Value* to = address(store.buffer, offset, coords, stride == -1 ? 1 - lanes_ : 0);
    if (streamed_.count(store.buffer))
      return streaming_store(value, to, static_cast<uint64_t>(lanes_) * bytes);
    b_.CreateAlignedStore(value, to, llvm::Align(alignment(store.buffer, true)));
  } else if (offset.linear) {
    Value* base = address(store.buffer, offset, coords);
    for (int lane = 0; lane < lanes_; ++lane) {
      const auto distance = static_cast<uint64_t>(lane * stride * static_cast<int64_t>(bytes));
      Value* element = b_.CreateExtractElement(value, static_cast<uint64_t>(lane));
      b_.CreateAlignedStore(element, b_.CreateConstGEP1_64(b_.getInt8Ty(), base, distance),
                            llvm::Align(bytes));
    }
  } else {
    Value* indices = elements_of_lanes(store.buffer, store.offset, coords, nullptr);
    Value* base = base_of_copy(store.buffer, coords);
    for (uint64_t lane = 0; lane < static_cast<uint64_t>(lanes_); ++lane) {
      Value* to = b_.CreateGEP(memory_type(llvm_, dtype), base, b_.CreateExtractElement(indices, lane));
      b_.CreateAlignedStore(b_.CreateExtractElement(value, lane), to, llvm::Align(bytes));
    }
  }
}

// Small locals live on the stack, where they can become registers; large ones in the thread's scratch memory.
void Emitter::emit(const kernel::Alloc& alloc) {
  const auto id = static_cast<size_t>(alloc.buffer);
  const Buffer& buffer = kernel_.buffers[id];
  if (buffer.kind == Buffer::Kind::kShared) return;  // the launch has brought it
  Local& local = locals_[id];
  local.mask = varying_.locals[id];
  local.lanes = width(local.mask);
  local.copies = copy_count(local.mask);
  const size_t bytes =
      static_cast<size_t>(std::max<int64_t>(buffer.elements, 1) * local.copies * local.lanes) *
      byte_size(buffer.dtype);
  constexpr size_t kStack = 4096;
  if (bytes <= kStack) {
    llvm::Type* type =
        llvm::ArrayType::get(memory_type(llvm_, buffer.dtype), bytes / byte_size(buffer.dtype));
    llvm::BasicBlock& entry = function_->getEntryBlock();
    llvm::AllocaInst* memory = llvm::IRBuilder<>(&entry, entry.begin()).CreateAlloca(type);
    memory->setAlignment(llvm::Align(64));
    local.base = memory;
  } else {
    local.base = scratch(bytes);
  }
}

}  // namespace ingot::codegen
