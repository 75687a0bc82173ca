// Scalar recipes as LLVM instructions on vectors of any number of lanes (one lane: plain scalars).
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <optional>
#include <span>

#include "ir/scalar_builder.h"

namespace ingot::codegen {

// The type of a value in registers: preds are i1. One lane gives a scalar type.
llvm::Type* value_type(llvm::LLVMContext& context, DType dtype, int lanes);
// The type of an element in memory: a pred is a byte. f16 and bf16 are their bits, in registers too, since
// nothing but convert looks at their numbers.
llvm::Type* memory_type(llvm::LLVMContext& context, DType dtype);

// What differs between machines in the code of recipes.
struct Instructions {
  bool this_process = true;   // runs it, so that addresses in it are known
  bool x86 = true;            // comparing minima and maxima give their second operand where unordered
  bool converts_half = true;  // between f16 and f32
  bool avx512 = false;        // F, DQ and VL
};

class LlvmScalarBuilder final : public ir::ScalarBuilder {
 public:
  LlvmScalarBuilder(llvm::IRBuilder<>& builder, int lanes, const Instructions& instructions)
      : b_(builder), lanes_(lanes), instructions_(instructions) {}

  static llvm::Value* value(ir::Scalar s) { return static_cast<llvm::Value*>(s.handle); }

  ir::Scalar constant(DType dtype, double value) override;
  ir::Scalar integer(DType dtype, int64_t value) override;
  ir::Scalar float_bits(DType dtype, uint64_t bits) override;
  ir::Scalar add(ir::Scalar a, ir::Scalar b) override;
  ir::Scalar sub(ir::Scalar a, ir::Scalar b) override;
  ir::Scalar mul(ir::Scalar a, ir::Scalar b) override;
  ir::Scalar div(ir::Scalar a, ir::Scalar b) override;
  ir::Scalar rem(ir::Scalar a, ir::Scalar b) override;
  ir::Scalar fma(ir::Scalar a, ir::Scalar b, ir::Scalar c) override;
  ir::Scalar neg(ir::Scalar a) override;
  ir::Scalar abs(ir::Scalar a) override;
  ir::Scalar min(ir::Scalar a, ir::Scalar b) override;
  ir::Scalar max(ir::Scalar a, ir::Scalar b) override;
  ir::Scalar sqrt(ir::Scalar a) override;
  ir::Scalar floor(ir::Scalar a) override;
  ir::Scalar ceil(ir::Scalar a) override;
  ir::Scalar trunc(ir::Scalar a) override;
  ir::Scalar round_even(ir::Scalar a) override;
  ir::Scalar copy_sign(ir::Scalar magnitude, ir::Scalar sign) override;
  ir::Scalar scale_by_power(ir::Scalar a, ir::Scalar n) override;
  bool scales_by_powers(DType dtype) const override;
  ir::Scalar bit_and(ir::Scalar a, ir::Scalar b) override;
  ir::Scalar bit_or(ir::Scalar a, ir::Scalar b) override;
  ir::Scalar bit_xor(ir::Scalar a, ir::Scalar b) override;
  ir::Scalar bit_not(ir::Scalar a) override;
  ir::Scalar shift_left(ir::Scalar a, ir::Scalar amount) override;
  ir::Scalar shift_right_logical(ir::Scalar a, ir::Scalar amount) override;
  ir::Scalar shift_right_arithmetic(ir::Scalar a, ir::Scalar amount) override;
  ir::Scalar compare(ir::Comparison comparison, ir::Scalar a, ir::Scalar b) override;
  ir::Scalar select(ir::Scalar pred, ir::Scalar if_true, ir::Scalar if_false) override;
  ir::Scalar convert(ir::Scalar a, DType to) override;
  ir::Scalar bitcast(ir::Scalar a, DType to) override;
  ir::Scalar patch_rare(ir::Scalar rare, ir::Scalar usual, const ir::RareFunction& function,
                        ir::Scalar x) override;

  // The smaller or larger one, of zeros the negative or positive one; of a number and NaN, the number. Only
  // where gives_numbers() is true.
  llvm::Value* range(llvm::Value* a, llvm::Value* b, bool maximum);
  bool gives_numbers(DType dtype) const { return is_float(dtype) && has_avx512_operation(byte_size(dtype)); }

 private:
  llvm::Type* type(DType dtype) { return value_type(b_.getContext(), dtype, lanes_); }
  ir::Scalar wrap(llvm::Value* v, DType dtype) { return {v, dtype}; }
  ir::Scalar unary(llvm::Intrinsic::ID id, ir::Scalar a);
  ir::Scalar binary(llvm::Intrinsic::ID id, ir::Scalar a, ir::Scalar b);
  // An AVX-512 operation on two vectors of floats; `ids` are those for f32, then f64, of 128, 256, 512 bits.
  bool has_avx512_operation(size_t element_bytes) const;
  llvm::Value* avx512_operation(const llvm::Intrinsic::ID (&ids)[2][3], llvm::Value* a, llvm::Value* b,
                                std::optional<uint32_t> selector = std::nullopt);
  llvm::Value* ordered_min(llvm::Value* a, llvm::Value* b);
  llvm::Value* ordered_max(llvm::Value* a, llvm::Value* b);
  static const llvm::ConstantFP* known_number(llvm::Value* v);
  llvm::Value* as_bits(llvm::Value* v);
  // Between f32 and the bits of a narrow float (llvm_narrow_floats.cc).
  llvm::Value* widened(llvm::Value* bits, DType from);
  llvm::Value* narrowed(llvm::Value* x, DType to);
  // The same of floats of a byte or less, and of integers of fewer bits, by way of a whole byte.
  llvm::Value* widened_small(llvm::Value* bits, DType from);
  llvm::Value* narrowed_small(llvm::Value* x, DType to);
  llvm::Value* widened_integer(llvm::Value* bits, DType from);
  llvm::Value* narrowed_integer(ir::Scalar a, DType to);
  // The f32 from which an f64 is narrowed: rounded to odd, so that it is rounded once.
  llvm::Value* rounded_to_odd(llvm::Value* x);
  llvm::Value* splat(uint32_t number) { return llvm::ConstantInt::get(type(DType::kU32), number); }
  ir::Scalar float_rem(ir::Scalar x, ir::Scalar y);
  // Integers of at most 32 bits, by floats of twice as many: exact, and lanes can do it.
  llvm::Value* short_quotient(llvm::Value* a, llvm::Value* b, DType dtype);
  // By its name and its addresses for f32 and f64.
  struct RareSymbol {
    const char* symbol;
    uint64_t f32, f64;
  };
  llvm::Function* rare_function(const RareSymbol& function, DType dtype, size_t arguments);
  ir::Scalar patch_lanes(ir::Scalar rare, ir::Scalar usual, const RareSymbol& function,
                         std::span<const ir::Scalar> arguments);

  llvm::IRBuilder<>& b_;
  int lanes_;
  const Instructions& instructions_;
};

}  // namespace ingot::codegen
