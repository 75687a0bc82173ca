#include "codegen/cpu/llvm_scalar_builder.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/ValueSymbolTable.h>

#include <array>
#include <bit>
#include <cmath>

#include "base/check.h"

namespace ingot::codegen {

using ir::Scalar;
using llvm::Value;

namespace {
constexpr uint32_t kRoundAsSet = 4;  // AVX-512: by the control register, not by the instruction
}

llvm::Type* value_type(llvm::LLVMContext& context, DType dtype, int lanes) {
  llvm::Type* element = dtype == DType::kPred ? llvm::Type::getInt1Ty(context) : memory_type(context, dtype);
  return lanes == 1 ? element : llvm::FixedVectorType::get(element, static_cast<unsigned>(lanes));
}

llvm::Type* memory_type(llvm::LLVMContext& context, DType dtype) {
  if (dtype == DType::kF32) return llvm::Type::getFloatTy(context);
  if (dtype == DType::kF64) return llvm::Type::getDoubleTy(context);
  return llvm::Type::getIntNTy(context, static_cast<unsigned>(byte_size(dtype) * 8));
}

Scalar LlvmScalarBuilder::constant(DType dtype, double value) {
  check(!is_narrow(dtype), "arithmetic on a narrow number: it should have been widened");
  if (is_float(dtype)) return wrap(llvm::ConstantFP::get(type(dtype), value), dtype);
  return integer(dtype, static_cast<int64_t>(value));
}

Scalar LlvmScalarBuilder::integer(DType dtype, int64_t value) {
  const unsigned bits = dtype == DType::kPred ? 1 : static_cast<unsigned>(byte_size(dtype)) * 8;
  const llvm::APInt whole(64, static_cast<uint64_t>(value));
  return wrap(llvm::ConstantInt::get(type(dtype), whole.trunc(bits)), dtype);
}

Scalar LlvmScalarBuilder::float_bits(DType dtype, uint64_t bits) {
  const bool single = dtype == DType::kF32;
  const llvm::APInt pattern(single ? 32 : 64, bits);
  const llvm::APFloat value(single ? llvm::APFloat::IEEEsingle() : llvm::APFloat::IEEEdouble(), pattern);
  return wrap(llvm::ConstantFP::get(type(dtype), value), dtype);
}

Scalar LlvmScalarBuilder::add(Scalar a, Scalar b) {
  const bool f = is_float(a.dtype);
  return wrap(f ? b_.CreateFAdd(value(a), value(b)) : b_.CreateAdd(value(a), value(b)), a.dtype);
}

Scalar LlvmScalarBuilder::sub(Scalar a, Scalar b) {
  const bool f = is_float(a.dtype);
  return wrap(f ? b_.CreateFSub(value(a), value(b)) : b_.CreateSub(value(a), value(b)), a.dtype);
}

Scalar LlvmScalarBuilder::mul(Scalar a, Scalar b) {
  const bool f = is_float(a.dtype);
  return wrap(f ? b_.CreateFMul(value(a), value(b)) : b_.CreateMul(value(a), value(b)), a.dtype);
}

// a / b of integers below 2^32 in f64 (below 2^16 in f32) cannot be rounded up to a whole number q + 1: that
// is apart from it by 1 / b at least, and (q + 1) b <= a + b is far below 2^53 (2^24). The instructions for
// integers know no lanes.
Value* LlvmScalarBuilder::short_quotient(Value* a, Value* b, DType dtype) {
  llvm::Type* whole = type(dtype);
  llvm::Type* floats = type(byte_size(dtype) == 4 ? DType::kF64 : DType::kF32);
  if (is_signed(dtype))
    return b_.CreateFPToSI(b_.CreateFDiv(b_.CreateSIToFP(a, floats), b_.CreateSIToFP(b, floats)), whole);
  return b_.CreateFPToUI(b_.CreateFDiv(b_.CreateUIToFP(a, floats), b_.CreateUIToFP(b, floats)), whole);
}

namespace {

// Single elements have their instruction; what is divided by a constant is multiplied instead.
bool divides_by_floats(Value* divisor, DType dtype, int lanes) {
  return lanes > 1 && byte_size(dtype) <= 4 && !llvm::isa<llvm::Constant>(divisor);
}

}  // namespace

Scalar LlvmScalarBuilder::div(Scalar a, Scalar b) {
  if (is_float(a.dtype)) return wrap(b_.CreateFDiv(value(a), value(b)), a.dtype);
  if (divides_by_floats(value(b), a.dtype, lanes_))
    return wrap(short_quotient(value(a), value(b), a.dtype), a.dtype);
  return wrap(is_signed(a.dtype) ? b_.CreateSDiv(value(a), value(b)) : b_.CreateUDiv(value(a), value(b)),
              a.dtype);
}

// Exact, as every remainder of floats is a float. The quotient is rounded, so that one a little below a whole
// number n may be n, but never more, while it is below 2^p for p bits of precision; x - n y then is negative,
// and exact too. Where quotients are larger or none (y is 0, something is NaN), the C library takes over.
Scalar LlvmScalarBuilder::float_rem(Scalar x, Scalar y) {
  const DType dtype = x.dtype;
  const Scalar ax = abs(x), ay = abs(y), quotient = div(ax, ay);
  Scalar r = fma(neg(trunc(quotient)), ay, ax);
  r = select(compare(ir::Comparison::kLt, r, constant(dtype, 0)), add(r, ay), r);
  r = select(compare(ir::Comparison::kLt, ax, ay), ax, r);  // also where y is infinite
  const Scalar near =
      compare(ir::Comparison::kLt, quotient, constant(dtype, dtype == DType::kF32 ? 0x1p24 : 0x1p53));
  float (*const f32)(float, float) = [](float a, float b) { return std::fmod(a, b); };
  double (*const f64)(double, double) = [](double a, double b) { return std::fmod(a, b); };
  const RareSymbol far{"ingot_far_rem", std::bit_cast<uint64_t>(f32), std::bit_cast<uint64_t>(f64)};
  return patch_lanes(bit_not(near), copy_sign(r, x), far, std::array{x, y});
}

Scalar LlvmScalarBuilder::rem(Scalar a, Scalar b) {
  if (is_float(a.dtype)) return float_rem(a, b);
  if (divides_by_floats(value(b), a.dtype, lanes_)) {
    Value* multiple = b_.CreateMul(short_quotient(value(a), value(b), a.dtype), value(b));
    return wrap(b_.CreateSub(value(a), multiple), a.dtype);
  }
  return wrap(is_signed(a.dtype) ? b_.CreateSRem(value(a), value(b)) : b_.CreateURem(value(a), value(b)),
              a.dtype);
}

Scalar LlvmScalarBuilder::fma(Scalar a, Scalar b, Scalar c) {
  return wrap(b_.CreateIntrinsic(llvm::Intrinsic::fma, {value(a)->getType()}, {value(a), value(b), value(c)}),
              a.dtype);
}

Scalar LlvmScalarBuilder::neg(Scalar a) {
  return wrap(is_float(a.dtype) ? b_.CreateFNeg(value(a)) : b_.CreateNeg(value(a)), a.dtype);
}

Scalar LlvmScalarBuilder::abs(Scalar a) {
  if (is_float(a.dtype)) return unary(llvm::Intrinsic::fabs, a);
  return wrap(b_.CreateBinaryIntrinsic(llvm::Intrinsic::abs, value(a), b_.getFalse()), a.dtype);
}

Value* LlvmScalarBuilder::as_bits(Value* v) {
  llvm::Type* t = v->getType();
  llvm::Type* bits = b_.getIntNTy(t->getScalarSizeInBits());
  if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(t)) {
    bits = llvm::FixedVectorType::get(bits, vector->getNumElements());
  }
  return b_.CreateBitCast(v, bits);
}

// x86's minps returns its second operand where the operands are equal (zeros of either sign) or unordered.
// Both orders joined by `or` keep a sign and a NaN of either side.
Value* LlvmScalarBuilder::ordered_min(Value* a, Value* b) {
  for (auto [constant, other] : {std::pair{a, b}, std::pair{b, a}}) {
    const llvm::ConstantFP* number = known_number(constant);
    if (number && !number->isZero())
      return b_.CreateSelect(b_.CreateFCmpOLT(constant, other), constant, other);
  }
  if (has_avx512_operation(a->getType()->getScalarSizeInBits() / 8))
    return b_.CreateSelect(b_.CreateFCmpUNO(a, b), b_.CreateFAdd(a, b), range(a, b, false));
  Value* ab = b_.CreateSelect(b_.CreateFCmpOLT(a, b), a, b);
  Value* ba = b_.CreateSelect(b_.CreateFCmpOLT(b, a), b, a);
  return b_.CreateBitCast(b_.CreateOr(as_bits(ab), as_bits(ba)), a->getType());
}

// A constant that is no NaN, among two operands, needs one comparison: the other operand is given where it is
// NaN. Null if there is none.
const llvm::ConstantFP* LlvmScalarBuilder::known_number(Value* v) {
  auto* c = llvm::dyn_cast<llvm::Constant>(v);
  if (c && c->getType()->isVectorTy()) c = c->getSplatValue();
  auto* number = c ? llvm::dyn_cast<llvm::ConstantFP>(c) : nullptr;
  return number && !number->isNaN() ? number : nullptr;
}

// For the maximum, `and` joins the signs of zeros, but can lose a NaN, which the sum of the operands keeps.
Value* LlvmScalarBuilder::ordered_max(Value* a, Value* b) {
  for (auto [constant, other] : {std::pair{a, b}, std::pair{b, a}}) {
    const llvm::ConstantFP* number = known_number(constant);
    if (!number) continue;
    Value* m = b_.CreateSelect(b_.CreateFCmpOGT(constant, other), constant, other);
    if (number->isZero() && !number->isNegative()) m = b_.CreateFAdd(m, constant);  // -0 + 0 is +0
    return m;
  }
  if (has_avx512_operation(a->getType()->getScalarSizeInBits() / 8))
    return b_.CreateSelect(b_.CreateFCmpUNO(a, b), b_.CreateFAdd(a, b), range(a, b, true));
  Value* ab = b_.CreateSelect(b_.CreateFCmpOGT(a, b), a, b);
  Value* ba = b_.CreateSelect(b_.CreateFCmpOGT(b, a), b, a);
  Value* both = b_.CreateBitCast(b_.CreateAnd(as_bits(ab), as_bits(ba)), a->getType());
  return b_.CreateSelect(b_.CreateFCmpUNO(a, b), b_.CreateFAdd(a, b), both);
}

Scalar LlvmScalarBuilder::min(Scalar a, Scalar b) {
  if (!is_float(a.dtype))
    return binary(is_signed(a.dtype) ? llvm::Intrinsic::smin : llvm::Intrinsic::umin, a, b);
  if (!instructions_.x86) return binary(llvm::Intrinsic::minimum, a, b);
  return wrap(ordered_min(value(a), value(b)), a.dtype);
}

Scalar LlvmScalarBuilder::max(Scalar a, Scalar b) {
  if (!is_float(a.dtype))
    return binary(is_signed(a.dtype) ? llvm::Intrinsic::smax : llvm::Intrinsic::umax, a, b);
  if (!instructions_.x86) return binary(llvm::Intrinsic::maximum, a, b);
  return wrap(ordered_max(value(a), value(b)), a.dtype);
}

Scalar LlvmScalarBuilder::unary(llvm::Intrinsic::ID id, Scalar a) {
  return wrap(b_.CreateUnaryIntrinsic(id, value(a)), a.dtype);
}
Scalar LlvmScalarBuilder::binary(llvm::Intrinsic::ID id, Scalar a, Scalar b) {
  return wrap(b_.CreateBinaryIntrinsic(id, value(a), value(b)), a.dtype);
}

Scalar LlvmScalarBuilder::sqrt(Scalar a) {
  return unary(llvm::Intrinsic::sqrt, a);
}
Scalar LlvmScalarBuilder::floor(Scalar a) {
  return unary(llvm::Intrinsic::floor, a);
}
Scalar LlvmScalarBuilder::ceil(Scalar a) {
  return unary(llvm::Intrinsic::ceil, a);
}
Scalar LlvmScalarBuilder::trunc(Scalar a) {
  return unary(llvm::Intrinsic::trunc, a);
}
Scalar LlvmScalarBuilder::round_even(Scalar a) {
  return unary(llvm::Intrinsic::roundeven, a);
}
Scalar LlvmScalarBuilder::copy_sign(Scalar magnitude, Scalar sign) {
  return binary(llvm::Intrinsic::copysign, magnitude, sign);
}

// AVX-512 has these for vectors of three sizes. Single elements stand in the lowest lane of the smallest.
bool LlvmScalarBuilder::has_avx512_operation(size_t element_bytes) const {
  const size_t bytes = static_cast<size_t>(lanes_) * element_bytes;
  return instructions_.avx512 && element_bytes >= 4 &&
         (lanes_ == 1 || bytes == 16 || bytes == 32 || bytes == 64);
}

Value* LlvmScalarBuilder::avx512_operation(const llvm::Intrinsic::ID (&ids)[2][3], Value* a, Value* b,
                                           std::optional<uint32_t> selector) {
  const bool single = a->getType()->getScalarType()->isFloatTy();
  auto widen = [&](Value* v) {
    auto* vector = llvm::FixedVectorType::get(v->getType(), single ? 4 : 2);
    return lanes_ > 1 ? v : b_.CreateInsertElement(llvm::Constant::getNullValue(vector), v, uint64_t{0});
  };
  std::vector<Value*> operands{widen(a), widen(b)};
  const unsigned bits = static_cast<unsigned>(operands[0]->getType()->getPrimitiveSizeInBits());
  if (selector) operands.push_back(b_.getInt32(*selector));
  operands.push_back(llvm::Constant::getNullValue(operands[0]->getType()));
  const unsigned lanes = bits / (single ? 32 : 64);
  // The mask has a bit for each lane, and no fewer than eight.
  operands.push_back(llvm::ConstantInt::getAllOnesValue(b_.getIntNTy(std::max(lanes, 8u))));
  if (bits == 512) operands.push_back(b_.getInt32(kRoundAsSet));
  Value* result = b_.CreateIntrinsic(ids[single ? 0 : 1][bits / 256], {}, operands);
  return lanes_ > 1 ? result : b_.CreateExtractElement(result, uint64_t{0});
}

bool LlvmScalarBuilder::scales_by_powers(DType dtype) const {
  return is_float(dtype) && has_avx512_operation(byte_size(dtype));
}

Scalar LlvmScalarBuilder::scale_by_power(Scalar a, Scalar n) {
  using namespace llvm::Intrinsic;
  static constexpr ID kIds[2][3] = {
      {x86_avx512_mask_scalef_ps_128, x86_avx512_mask_scalef_ps_256, x86_avx512_mask_scalef_ps_512},
      {x86_avx512_mask_scalef_pd_128, x86_avx512_mask_scalef_pd_256, x86_avx512_mask_scalef_pd_512}};
  return wrap(avx512_operation(kIds, value(a), value(n)), a.dtype);
}

Value* LlvmScalarBuilder::range(Value* a, Value* b, bool maximum) {
  using namespace llvm::Intrinsic;
  static constexpr ID kIds[2][3] = {
      {x86_avx512_mask_range_ps_128, x86_avx512_mask_range_ps_256, x86_avx512_mask_range_ps_512},
      {x86_avx512_mask_range_pd_128, x86_avx512_mask_range_pd_256, x86_avx512_mask_range_pd_512}};
  constexpr uint32_t kSignOfResult = 4;
  return avx512_operation(kIds, a, b, kSignOfResult | (maximum ? 1 : 0));
}

// LLVM folds what is constant altogether. That a divisor is none in spite of its guards is to be seen at
// once.
Scalar LlvmScalarBuilder::bit_and(Scalar a, Scalar b) {
  for (Scalar one : {a, b}) {
    if (const auto* constant = llvm::dyn_cast<llvm::Constant>(value(one));
        constant && constant->isNullValue())
      return one;
  }
  return wrap(b_.CreateAnd(value(a), value(b)), a.dtype);
}
Scalar LlvmScalarBuilder::bit_or(Scalar a, Scalar b) {
  return wrap(b_.CreateOr(value(a), value(b)), a.dtype);
}
Scalar LlvmScalarBuilder::bit_xor(Scalar a, Scalar b) {
  return wrap(b_.CreateXor(value(a), value(b)), a.dtype);
}
Scalar LlvmScalarBuilder::bit_not(Scalar a) {
  return wrap(b_.CreateNot(value(a)), a.dtype);
}
Scalar LlvmScalarBuilder::shift_left(Scalar a, Scalar n) {
  return wrap(b_.CreateShl(value(a), value(n)), a.dtype);
}
Scalar LlvmScalarBuilder::shift_right_logical(Scalar a, Scalar n) {
  return wrap(b_.CreateLShr(value(a), value(n)), a.dtype);
}
Scalar LlvmScalarBuilder::shift_right_arithmetic(Scalar a, Scalar n) {
  return wrap(b_.CreateAShr(value(a), value(n)), a.dtype);
}

Scalar LlvmScalarBuilder::compare(ir::Comparison comparison, Scalar a, Scalar b) {
  using P = llvm::CmpInst::Predicate;
  static constexpr P kFloat[] = {P::FCMP_OEQ, P::FCMP_UNE, P::FCMP_OLT,
                                 P::FCMP_OLE, P::FCMP_OGT, P::FCMP_OGE};
  static constexpr P kSigned[] = {P::ICMP_EQ, P::ICMP_NE, P::ICMP_SLT, P::ICMP_SLE, P::ICMP_SGT, P::ICMP_SGE};
  static constexpr P kUnsigned[] = {P::ICMP_EQ,  P::ICMP_NE,  P::ICMP_ULT,
                                    P::ICMP_ULE, P::ICMP_UGT, P::ICMP_UGE};
  const auto i = static_cast<size_t>(comparison);
  if (is_float(a.dtype)) return wrap(b_.CreateFCmp(kFloat[i], value(a), value(b)), DType::kPred);
  return wrap(b_.CreateICmp(is_signed(a.dtype) ? kSigned[i] : kUnsigned[i], value(a), value(b)),
              DType::kPred);
}

Scalar LlvmScalarBuilder::select(Scalar pred, Scalar if_true, Scalar if_false) {
  return wrap(b_.CreateSelect(value(pred), value(if_true), value(if_false)), if_true.dtype);
}

Scalar LlvmScalarBuilder::convert(Scalar a, DType to) {
  if (a.dtype == to) return a;
  if (is_narrow_float(a.dtype)) return convert(wrap(widened(value(a), a.dtype), DType::kF32), to);
  if (is_narrow_float(to)) {
    Value* wide = a.dtype == DType::kF64 ? rounded_to_odd(value(a)) : value(convert(a, DType::kF32));
    return wrap(narrowed(wide, to), to);
  }
  if (is_small_integer(a.dtype)) {
    const DType byte = computed_dtype(a.dtype);
    return convert(wrap(widened_integer(value(a), a.dtype), byte), to);
  }
  if (is_small_integer(to)) return wrap(narrowed_integer(a, to), to);
  Value* v = value(a);
  llvm::Type* t = type(to);
  if (to == DType::kPred) {
    Value* zero = llvm::Constant::getNullValue(v->getType());
    return wrap(is_float(a.dtype) ? b_.CreateFCmpUNE(v, zero) : b_.CreateICmpNE(v, zero), to);
  }
  if (is_float(a.dtype)) {
    if (is_float(to)) return wrap(to == DType::kF64 ? b_.CreateFPExt(v, t) : b_.CreateFPTrunc(v, t), to);
    const auto id = is_signed(to) ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat;
    return wrap(b_.CreateIntrinsic(id, {t, v->getType()}, {v}), to);
  }
  const bool from_signed = is_signed(a.dtype);
  if (is_float(to)) return wrap(from_signed ? b_.CreateSIToFP(v, t) : b_.CreateUIToFP(v, t), to);
  return wrap(from_signed ? b_.CreateSExtOrTrunc(v, t) : b_.CreateZExtOrTrunc(v, t), to);
}

// The bits of a number are those of a rounded one: in its own dtype, no product is fused with a sum that uses
// it.
Scalar LlvmScalarBuilder::bitcast(Scalar a, DType to) {
  if (a.dtype == to && is_float(to)) return wrap(b_.CreateArithmeticFence(value(a), value(a)->getType()), to);
  return wrap(b_.CreateBitCast(value(a), type(to)), to);
}

namespace {

// One stack slot per function, type and purpose.
Value* shared_alloca(llvm::Function* function, llvm::Type* type, std::string name) {
  name += "." + std::to_string(type->getTypeID()) + "." +
          std::to_string(type->getPrimitiveSizeInBits().getFixedValue());
  name += type->getScalarType()->isFloatTy() ? "f" : "d";
  if (Value* known = function->getValueSymbolTable()->lookup(name)) return known;
  llvm::BasicBlock& entry = function->getEntryBlock();
  return llvm::IRBuilder<>(&entry, entry.begin()).CreateAlloca(type, nullptr, name);
}

}  // namespace

// One function per module, argument type and number of lanes: void(x*, result*, mask) that recomputes the
// lanes in the mask, or (x*, y*, result*, mask). It preserves all registers, so that the hot path keeps its
// values where they are.
llvm::Function* LlvmScalarBuilder::rare_function(const RareSymbol& function, DType dtype, size_t arguments) {
  llvm::Module* module = b_.GetInsertBlock()->getModule();
  const std::string name = std::string("rare.") + function.symbol + "." + std::string(name_of(dtype)) + "." +
                           std::to_string(lanes_);
  if (llvm::Function* known = module->getFunction(name)) return known;
  llvm::Type* element = memory_type(b_.getContext(), dtype);
  llvm::Type* mask_type = b_.getIntNTy(static_cast<unsigned>(lanes_));
  std::vector<llvm::Type*> parameters(arguments + 1, b_.getPtrTy());
  parameters.push_back(mask_type);
  auto* type = llvm::FunctionType::get(b_.getVoidTy(), parameters, false);
  auto* f = llvm::Function::Create(type, llvm::Function::InternalLinkage, name, module);
  llvm::Function* caller = b_.GetInsertBlock()->getParent();
  f->setAttributes(f->getAttributes().addFnAttributes(
      b_.getContext(), llvm::AttrBuilder(b_.getContext(), caller->getAttributes().getFnAttrs())));
  f->setCallingConv(llvm::CallingConv::PreserveAll);
  f->addFnAttr(llvm::Attribute::NoInline);
  f->addFnAttr(llvm::Attribute::Cold);

  auto block = [&](const char* label) { return llvm::BasicBlock::Create(b_.getContext(), label, f); };
  llvm::BasicBlock *entry = block("entry"), *loop = block("lane"), *call = block("call"),
                   *next = block("next"), *done = block("done");
  llvm::IRBuilder<> b(entry);
  auto* callee_type = llvm::FunctionType::get(element, std::vector<llvm::Type*>(arguments, element), false);
  Value* callee;
  if (instructions_.this_process) {
    const uint64_t address = dtype == DType::kF32 ? function.f32 : function.f64;
    callee = b.CreateIntToPtr(b.getInt64(address), b.getPtrTy());
  } else {
    const std::string symbol = std::string(function.symbol) + "_" + std::string(name_of(dtype));
    callee = module->getOrInsertFunction(symbol, callee_type).getCallee();
  }
  const auto count = static_cast<unsigned>(arguments);
  Value* mask = b.CreateZExt(f->getArg(count + 1), b.getInt64Ty());
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  llvm::PHINode* lane = b.CreatePHI(b.getInt64Ty(), 2);
  lane->addIncoming(b.getInt64(0), entry);
  b.CreateCondBr(b.CreateTrunc(b.CreateLShr(mask, lane), b.getInt1Ty()), call, next);
  b.SetInsertPoint(call);
  std::vector<Value*> of_lane;
  for (unsigned i = 0; i < count; ++i)
    of_lane.push_back(b.CreateLoad(element, b.CreateGEP(element, f->getArg(i), lane)));
  Value* result = b.CreateCall(callee_type, callee, of_lane);
  b.CreateStore(result, b.CreateGEP(element, f->getArg(count), lane));
  b.CreateBr(next);
  b.SetInsertPoint(next);
  Value* following = b.CreateAdd(lane, b.getInt64(1));
  lane->addIncoming(following, next);
  b.CreateCondBr(b.CreateICmpULT(following, b.getInt64(static_cast<uint64_t>(lanes_))), loop, done);
  b.SetInsertPoint(done);
  b.CreateRetVoid();
  return f;
}

Scalar LlvmScalarBuilder::patch_rare(Scalar rare, Scalar usual, const ir::RareFunction& function, Scalar x) {
  const RareSymbol symbol{function.symbol, std::bit_cast<uint64_t>(function.f32),
                          std::bit_cast<uint64_t>(function.f64)};
  return patch_lanes(rare, usual, symbol, std::array{x});
}

Scalar LlvmScalarBuilder::patch_lanes(Scalar rare, Scalar usual, const RareSymbol& function,
                                      std::span<const Scalar> arguments) {
  llvm::Function* caller = b_.GetInsertBlock()->getParent();
  llvm::Function* cold = rare_function(function, usual.dtype, arguments.size());
  Value* mask = b_.CreateBitCast(value(rare), b_.getIntNTy(static_cast<unsigned>(lanes_)));
  Value* any = b_.CreateICmpNE(mask, llvm::Constant::getNullValue(mask->getType()));
  llvm::BasicBlock* before = b_.GetInsertBlock();
  auto* patch = llvm::BasicBlock::Create(b_.getContext(), "rare", caller);
  auto* after = llvm::BasicBlock::Create(b_.getContext(), "usual", caller);
  b_.CreateCondBr(any, patch, after, llvm::MDBuilder(b_.getContext()).createBranchWeights(1, 1 << 20));

  b_.SetInsertPoint(patch);
  llvm::Type* t = type(usual.dtype);
  std::vector<Value*> given;
  for (Scalar argument : arguments) {
    given.push_back(shared_alloca(caller, t, "rare." + std::to_string(given.size())));
    b_.CreateStore(value(argument), given.back());
  }
  Value* result = shared_alloca(caller, t, "rare.result");
  b_.CreateStore(value(usual), result);
  given.insert(given.end(), {result, mask});
  llvm::CallInst* call = b_.CreateCall(cold, given);
  call->setCallingConv(cold->getCallingConv());
  Value* patched = b_.CreateLoad(t, result);
  b_.CreateBr(after);

  b_.SetInsertPoint(after);
  llvm::PHINode* phi = b_.CreatePHI(t, 2);
  phi->addIncoming(value(usual), before);
  phi->addIncoming(patched, patch);
  return wrap(phi, usual.dtype);
}

}  // namespace ingot::codegen
