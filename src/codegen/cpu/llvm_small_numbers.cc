// Conversions of numbers of a byte or less, which are bytes as far as LLVM is told: floats from and to f32 by
// integer arithmetic on vectors, the same for every format, and integers of 4 and 2 bits.
//
// ingot::detail::code_of (float8.h) says what is computed here, and how a format is described.
#include "base/check.h"
#include "base/visit_dtype.h"
#include "codegen/cpu/llvm_scalar_builder.h"

namespace ingot::codegen {

using ingot::detail::FloatFormat;
using ingot::detail::Specials;
using llvm::Value;

namespace {

constexpr uint32_t kInfinity = 0x7f800000, kQuietNan = 0x7fc00000;

FloatFormat format_of(DType dtype) {
  return visit_dtype(dtype, []<class T>(std::type_identity<T>) -> FloatFormat {
    if constexpr (is_small_float(dtype_of<T>()))
      return T::kFormat;
    else
      throw InternalError("no float of a byte");
  });
}

// 2^exponent as the bits of an f32.
uint32_t power_bits(int exponent) {
  return static_cast<uint32_t>(127 + exponent) << 23;
}

}  // namespace

Value* LlvmScalarBuilder::widened_small(Value* bits, DType from) {
  const FloatFormat format = format_of(from);
  llvm::Type *f32 = type(DType::kF32), *u32 = type(DType::kU32);
  Value* wide = b_.CreateZExt(bits, u32);
  Value* magnitude = b_.CreateAnd(wide, splat(format.magnitudes()));
  Value* shifted = b_.CreateShl(magnitude, static_cast<uint64_t>(23 - format.mantissa_bits));
  if (format.specials == Specials::kScale) {
    Value* number = b_.CreateSelect(b_.CreateICmpEQ(magnitude, splat(0)), splat(0x400000), shifted);
    number = b_.CreateSelect(b_.CreateICmpEQ(magnitude, splat(0xff)), splat(kQuietNan), number);
    return b_.CreateBitCast(number, f32);
  }
  // Subnormal numbers are multiples of the least one.
  Value* normal = b_.CreateAdd(shifted, splat(power_bits(-format.bias)));
  Value* least = b_.CreateBitCast(splat(power_bits(1 - format.bias - format.mantissa_bits)), f32);
  Value* small = b_.CreateBitCast(b_.CreateFMul(b_.CreateSIToFP(magnitude, f32), least), u32);
  Value* is_small = b_.CreateICmpULT(magnitude, splat(uint32_t{1} << format.mantissa_bits));
  Value* number = b_.CreateSelect(is_small, small, normal);
  Value* sign = b_.CreateShl(b_.CreateAnd(wide, splat(format.sign())),
                             static_cast<uint64_t>(31 - format.exponent_bits - format.mantissa_bits));
  if (format.specials == Specials::kNegativeZero) {
    Value* nan = b_.CreateICmpEQ(wide, splat(format.nan()));
    number = b_.CreateSelect(nan, splat(kQuietNan), number);
  } else if (format.specials != Specials::kNone) {
    Value* special = splat(kQuietNan);
    if (format.has_infinity())
      special =
          b_.CreateSelect(b_.CreateICmpEQ(magnitude, splat(format.infinity())), splat(kInfinity), special);
    number = b_.CreateSelect(b_.CreateICmpUGE(magnitude, splat(format.infinity())), special, number);
  }
  return b_.CreateBitCast(b_.CreateOr(number, sign), f32);
}

Value* LlvmScalarBuilder::narrowed_small(Value* x, DType to) {
  const FloatFormat format = format_of(to);
  llvm::Type *f32 = type(DType::kF32), *u32 = type(DType::kU32), *u8 = type(DType::kU8);
  Value* bits = b_.CreateBitCast(x, u32);
  if (format.specials == Specials::kScale) {
    Value* code = b_.CreateLShr(b_.CreateAdd(bits, splat(0x400000)), 23);
    Value* below = b_.CreateSelect(b_.CreateICmpUGT(bits, splat(0x400000)), splat(1), splat(0));
    code = b_.CreateSelect(b_.CreateICmpULT(bits, splat(0x800000)), below, code);
    Value* none = b_.CreateOr(b_.CreateICmpEQ(bits, splat(0)), b_.CreateICmpUGE(bits, splat(kInfinity)));
    return b_.CreateTrunc(b_.CreateSelect(none, splat(0xff), code), u8);
  }
  const int lost = 23 - format.mantissa_bits;
  Value* magnitude = b_.CreateAnd(bits, splat(0x7fffffff));
  Value* odd = b_.CreateAnd(b_.CreateLShr(magnitude, static_cast<uint64_t>(lost)), splat(1));
  // Normal numbers: another bias for the exponent, and half of the last place, or just less.
  const uint32_t shift = (uint32_t{1} << (lost - 1)) - 1 - (power_bits(-format.bias));
  Value* normal =
      b_.CreateLShr(b_.CreateAdd(b_.CreateAdd(magnitude, splat(shift)), odd), static_cast<uint64_t>(lost));
  // Others: a sum whose last place is the least number is rounded by the processor.
  const uint32_t anchor = power_bits(1 - format.bias - format.mantissa_bits + 23);
  Value* sum = b_.CreateFAdd(b_.CreateBitCast(magnitude, f32), b_.CreateBitCast(splat(anchor), f32));
  Value* small = b_.CreateSub(b_.CreateBitCast(sum, u32), splat(anchor));
  Value* is_small = b_.CreateICmpULT(magnitude, splat(power_bits(1 - format.bias)));
  Value* code = b_.CreateSelect(is_small, small, normal);
  code = b_.CreateSelect(b_.CreateICmpUGE(code, splat(format.infinity())), splat(format.overflow()), code);
  Value* sign = b_.CreateAnd(b_.CreateLShr(bits, static_cast<uint64_t>(lost + 8 - format.exponent_bits)),
                             splat(format.sign()));
  Value* nan = b_.CreateICmpUGT(magnitude, splat(kInfinity));
  if (format.specials == Specials::kNegativeZero) {
    code = b_.CreateSelect(nan, splat(format.nan()), code);
    Value* unsigned_code =
        b_.CreateOr(b_.CreateICmpEQ(code, splat(0)), b_.CreateICmpEQ(code, splat(format.nan())));
    return b_.CreateTrunc(b_.CreateSelect(unsigned_code, code, b_.CreateOr(code, sign)), u8);
  }
  if (format.has_nan()) {
    code = b_.CreateSelect(nan, splat(format.nan()), code);
  } else {
    code = b_.CreateSelect(nan, splat(0), code);
    sign = b_.CreateXor(sign, b_.CreateSelect(nan, splat(format.sign()), splat(0)));
  }
  return b_.CreateTrunc(b_.CreateOr(code, sign), u8);
}

Value* LlvmScalarBuilder::widened_integer(Value* bits, DType from) {
  const auto spare = static_cast<uint64_t>(8 - bit_width(from));
  Value* high = b_.CreateShl(bits, spare);
  return is_signed(from) ? b_.CreateAShr(high, spare) : b_.CreateLShr(high, spare);
}

Value* LlvmScalarBuilder::narrowed_integer(ir::Scalar a, DType to) {
  const int width = bit_width(to);
  const DType byte = computed_dtype(to);
  if (is_float(a.dtype)) {  // saturates
    const int64_t greatest = (int64_t{1} << (is_signed(to) ? width - 1 : width)) - 1;
    a = min(convert(a, byte), integer(byte, greatest));
    if (is_signed(to)) a = max(a, integer(byte, -greatest - 1));
  } else {
    a = convert(a, byte);
  }
  return b_.CreateAnd(value(a), value(integer(byte, (int64_t{1} << width) - 1)));
}

}  // namespace ingot::codegen
