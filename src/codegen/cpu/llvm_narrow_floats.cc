// Conversions between f32 and floats of 16 bits, which are integers as far as LLVM is told.
//
// bf16 is the upper half of an f32: widening is a shift, and rounding to nearest even an addition. The
// processor's instruction for it (vcvtneps2bf16) would give zero for denormals; the five integer
// instructions are exact, and hide behind memory where kernels store bf16. f16 has instructions on all
// processors but old ones; for those there is arithmetic. No conversion ever calls a function.
#include "base/check.h"
#include "codegen/cpu/llvm_scalar_builder.h"

namespace ingot::codegen {

using llvm::Value;

namespace {

llvm::Type* with_element(llvm::Type* like, llvm::Type* element) {
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(like);
  return vector == nullptr ? element : llvm::FixedVectorType::get(element, vector->getNumElements());
}

}  // namespace

Value* LlvmScalarBuilder::widened(Value* bits, DType from) {
  if (is_small_float(from)) return widened_small(bits, from);
  llvm::Type* f32 = type(DType::kF32);
  if (from == DType::kF16 && instructions_.converts_half) {
    return b_.CreateFPExt(b_.CreateBitCast(bits, with_element(bits->getType(), b_.getHalfTy())), f32);
  }
  Value* wide = b_.CreateZExt(bits, type(DType::kU32));
  if (from == DType::kBF16) return b_.CreateBitCast(b_.CreateShl(wide, 16), f32);
  // The bits as those of an f32 are too small by 2^112, denormals included; infinities and NaN are not
  // numbers, and a NaN becomes a quiet one.
  Value* magnitude = b_.CreateAnd(wide, splat(0x7fff));
  Value* scaled =
      b_.CreateFMul(b_.CreateBitCast(b_.CreateShl(magnitude, 13), f32), llvm::ConstantFP::get(f32, 0x1p112));
  Value* quiet =
      b_.CreateSelect(b_.CreateICmpUGT(magnitude, splat(0x7c00)), splat(0x7fc00000), splat(0x7f800000));
  Value* special = b_.CreateOr(b_.CreateShl(magnitude, 13), quiet);
  Value* number = b_.CreateSelect(b_.CreateICmpUGE(magnitude, splat(0x7c00)), special,
                                  b_.CreateBitCast(scaled, type(DType::kU32)));
  Value* sign = b_.CreateShl(b_.CreateAnd(wide, splat(0x8000)), 16);
  return b_.CreateBitCast(b_.CreateOr(number, sign), f32);
}

Value* LlvmScalarBuilder::rounded_to_odd(Value* x) {
  Value* near = b_.CreateFPTrunc(x, type(DType::kF32));
  Value* back = b_.CreateFPExt(near, x->getType());
  Value* bits = b_.CreateBitCast(near, type(DType::kU32));
  Value* beyond = b_.CreateFCmpOGT(b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, back),
                                   b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x));
  Value* odd = b_.CreateOr(b_.CreateSub(bits, b_.CreateZExt(beyond, bits->getType())), splat(1));
  return b_.CreateBitCast(b_.CreateSelect(b_.CreateFCmpONE(back, x), odd, bits), near->getType());
}

Value* LlvmScalarBuilder::narrowed(Value* x, DType to) {
  if (is_small_float(to)) return narrowed_small(x, to);
  llvm::Type *u16 = type(DType::kU16), *u32 = type(DType::kU32);
  if (to == DType::kF16 && instructions_.converts_half) {
    // Where the processor computes in f16, LLVM would do so for arithmetic between two conversions, and then
    // contract a product and a sum that are each rounded to f16 into one operation that is rounded once.
    if (!llvm::isa<llvm::FPExtInst>(x) && !llvm::isa<llvm::Constant>(x))
      x = b_.CreateArithmeticFence(x, x->getType());
    return b_.CreateBitCast(b_.CreateFPTrunc(x, with_element(x->getType(), b_.getHalfTy())), u16);
  }
  Value* bits = b_.CreateBitCast(x, u32);
  if (to == DType::kBF16) {
    Value* upper = b_.CreateLShr(bits, 16);
    Value* odd = b_.CreateAnd(upper, splat(1));
    Value* rounded = b_.CreateLShr(b_.CreateAdd(b_.CreateAdd(bits, splat(0x7fff)), odd), 16);
    return b_.CreateTrunc(b_.CreateSelect(b_.CreateFCmpUNO(x, x), b_.CreateOr(upper, splat(0x40)), rounded),
                          u16);
  }
  Value* magnitude = b_.CreateAnd(bits, splat(0x7fffffff));
  Value* upper = b_.CreateLShr(magnitude, 13);
  Value* odd = b_.CreateAnd(upper, splat(1));
  // 2^-14 and above: another bias for the exponent, and half of the last place.
  Value* rounded = b_.CreateLShr(b_.CreateAdd(b_.CreateAdd(magnitude, splat(0xc8000fff)), odd), 13);
  // Below: adding 1/2 leaves multiples of 2^-24, rounded by the processor, in the low bits.
  llvm::Type* f32 = type(DType::kF32);
  Value* shifted = b_.CreateFAdd(b_.CreateBitCast(magnitude, f32), llvm::ConstantFP::get(f32, 0.5));
  Value* small = b_.CreateSub(b_.CreateBitCast(shifted, u32), splat(0x3f000000));
  Value* result = b_.CreateSelect(b_.CreateICmpULT(magnitude, splat(0x38800000)), small, rounded);
  result = b_.CreateSelect(b_.CreateICmpUGE(magnitude, splat(0x47800000)), splat(0x7c00), result);
  Value* nan = b_.CreateOr(b_.CreateAnd(upper, splat(0x1ff)), splat(0x7e00));
  result = b_.CreateSelect(b_.CreateICmpUGT(magnitude, splat(0x7f800000)), nan, result);
  Value* sign = b_.CreateAnd(b_.CreateLShr(bits, 16), splat(0x8000));
  return b_.CreateTrunc(b_.CreateOr(result, sign), u16);
}

}  // namespace ingot::codegen
