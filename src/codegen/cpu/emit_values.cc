// Scalars: their copies per point, literals, operations.
#include "base/check.h"

#include <cstring>
#include "codegen/cpu/emitter.h"
#include "codegen/cpu/llvm_scalar_builder.h"

namespace ingot::codegen {

using llvm::Value;

int Emitter::copy_count(DimMask mask) const {
  int count = 1;
  for (int d = 0; d < kMaxDims; ++d) {
    if (mask >> d & 1) count *= extents_[static_cast<size_t>(d)];
  }
  return count;
}

int Emitter::copy_index(DimMask mask, const Coords& coords) const {
  int index = 0;
  for (int d = kMaxDims - 1; d >= 0; --d) {
    if (mask >> d & 1) index = index * extents_[static_cast<size_t>(d)] + coords[static_cast<size_t>(d)];
  }
  return index;
}

Coords Emitter::coords_of(DimMask mask, int copy) const {
  Coords coords{};
  for (int d = 0; d < kMaxDims; ++d) {
    if (!(mask >> d & 1)) continue;
    coords[static_cast<size_t>(d)] = copy % extents_[static_cast<size_t>(d)];
    copy /= extents_[static_cast<size_t>(d)];
  }
  return coords;
}

Emitter::Values& Emitter::define(kernel::ScalarId id, DimMask mask) {
  Values& values = scalars_[static_cast<size_t>(id)];
  values.mask = mask;
  const size_t count = static_cast<size_t>(copy_count(mask));
  values.copies.assign(count, nullptr);
  values.splats.assign(count, {});
  return values;
}

// A broadcast, made right where the value is made, so that it stays outside of loops that only use it.
Value* Emitter::splat(Value* value, int lanes) {
  if (lanes == 1) return value;
  if (auto* constant = llvm::dyn_cast<llvm::Constant>(value)) {
    return llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(static_cast<unsigned>(lanes)),
                                          constant);
  }
  llvm::IRBuilder<> b(llvm_);
  if (auto* phi = llvm::dyn_cast<llvm::PHINode>(value)) {
    b.SetInsertPoint(phi->getParent(), phi->getParent()->getFirstInsertionPt());
  } else if (auto* instruction = llvm::dyn_cast<llvm::Instruction>(value)) {
    llvm::Instruction* next = instruction->getNextNode();
    if (next)
      b.SetInsertPoint(next);
    else
      b.SetInsertPoint(instruction->getParent());
  } else {
    b.SetInsertPoint(function_->getEntryBlock().getTerminator());
  }
  return b.CreateVectorSplat(static_cast<unsigned>(lanes), value);
}

Value* Emitter::get(kernel::ScalarId id, const Coords& coords, bool vector) {
  Values& values = scalars_[static_cast<size_t>(id)];
  check(!values.copies.empty(), "a scalar has no value yet");
  const auto copy = static_cast<size_t>(copy_index(values.mask, coords));
  Value* value = values.copies[copy];
  if (!vector || values.mask & kLaneBit || lanes_ == 1) return value;
  auto& splats = values.splats[copy];
  for (auto& [lanes, known] : splats) {
    if (lanes == lanes_) return known;
  }
  splats.emplace_back(lanes_, splat(value, lanes_));
  return splats.back().second;
}

Value* Emitter::literal(const kernel::Literal& literal, int lanes) {
  LlvmScalarBuilder builder(b_, lanes, context_.instructions);
  const Tensor& t = literal.value;
  if (t.dtype() == DType::kF32) {
    return LlvmScalarBuilder::value(
        builder.float_bits(t.dtype(), *reinterpret_cast<const uint32_t*>(t.raw())));
  }
  if (t.dtype() == DType::kF64) {
    return LlvmScalarBuilder::value(
        builder.float_bits(t.dtype(), *reinterpret_cast<const uint64_t*>(t.raw())));
  }
  if (is_narrow(t.dtype())) {  // as its bits
    uint16_t bits = 0;
    std::memcpy(&bits, t.raw(), byte_size(t.dtype()));
    return LlvmScalarBuilder::value(builder.integer(t.dtype(), bits));
  }
  return LlvmScalarBuilder::value(builder.integer(t.dtype(), t.get_int(0)));
}

Value* Emitter::recipe(const kernel::Let& let, std::span<Value* const> operands, int lanes) {
  const auto& recipe = std::get<ir::ScalarRecipe>(*let.record->becomes);
  std::vector<ir::Scalar> arguments;
  for (size_t i = 0; i < operands.size(); ++i) arguments.push_back({operands[i], dtype(let.operands[i])});
  LlvmScalarBuilder builder(b_, lanes, context_.instructions);
  const ir::ScalarContext context{dtype(let.result), let.attributes};
  return LlvmScalarBuilder::value((*recipe.emit)(builder, context, arguments));
}

void Emitter::emit(const kernel::Let& let) {
  if (totals_.count(let.result)) return emit_total(let);
  const DimMask mask = varying_.scalars[static_cast<size_t>(let.result)];
  std::vector<Value*> results;
  for (int copy = 0; copy < copy_count(mask); ++copy) {
    const Coords coords = coords_of(mask, copy);
    std::vector<Value*> operands;
    for (kernel::ScalarId operand : let.operands) operands.push_back(get(operand, coords, mask & kLaneBit));
    results.push_back(recipe(let, operands, width(mask)));
  }
  define(let.result, mask).copies = std::move(results);
  bind(let.result);
}

void Emitter::emit(const kernel::Literal& l) {
  define(l.result, 0).copies[0] = literal(l, 1);
}

void Emitter::emit(const kernel::IndexValue& value) {
  const DimMask mask = varying_.scalars[static_cast<size_t>(value.result)];
  LlvmScalarBuilder builder(b_, width(mask), context_.instructions);
  Values& values = define(value.result, mask);
  for (int copy = 0; copy < copy_count(mask); ++copy) {
    const Coords coords = coords_of(mask, copy);
    Value* index =
        width(mask) > 1 ? lane_index(value.index, coords) : uniform_index(offset_at(value.index, coords));
    const DType from = index->getType()->isIntOrIntVectorTy(32) ? DType::kS32 : DType::kS64;
    const DType to = dtype(value.result);
    values.copies[static_cast<size_t>(copy)] = LlvmScalarBuilder::value(builder.convert({index, from}, to));
  }
}

// One unsigned comparison: low <= x < high is x - low < high - low without sign.
void Emitter::emit(const kernel::InRange& range) {
  const DimMask mask = varying_.scalars[static_cast<size_t>(range.result)];
  Values& values = define(range.result, mask);
  for (int copy = 0; copy < copy_count(mask); ++copy) {
    const Coords coords = coords_of(mask, copy);
    const Index shifted = range.index - Index(range.low);
    Value* result;
    if (range.high <= range.low) {
      result = llvm::ConstantInt::get(value_type(llvm_, DType::kPred, width(mask)), 0);
    } else {
      Value* index =
          width(mask) > 1 ? lane_index(shifted, coords) : uniform_index(offset_at(shifted, coords));
      // A 32-bit index is below 2^31 in size: so is every limit that matters.
      const bool narrow = index->getType()->isIntOrIntVectorTy(32);
      const int64_t limit =
          narrow ? std::min<int64_t>(range.high - range.low, INT32_MAX) : range.high - range.low;
      result =
          b_.CreateICmpULT(index, llvm::ConstantInt::get(index->getType(), static_cast<uint64_t>(limit)));
    }
    values.copies[static_cast<size_t>(copy)] = result;
  }
}

}  // namespace ingot::codegen
