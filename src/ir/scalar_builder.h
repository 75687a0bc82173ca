// What a scalar recipe is written against: arithmetic on one element, which a code generator turns into
// instructions for a whole vector of them. Implemented by the code generators and by nothing else.
#pragma once

#include <cstdint>
#include <span>

#include "ingot/dtype.h"
#include "ir/attribute.h"

namespace ingot::ir {

// An opaque handle; only the builder that made it knows what it is.
struct Scalar {
  void* handle = nullptr;
  DType dtype = DType::kF32;
};

enum class Comparison { kEq, kNe, kLt, kLe, kGt, kGe };

// A function for arguments so rare that they are not worth inline code (sin of 1e30). Called out of line.
struct RareFunction {
  const char* symbol;  // unique name
  float (*f32)(float);
  double (*f64)(double);
};

// All operands of an operation have one dtype, except where said. Preds are booleans of their own.
class ScalarBuilder {
 public:
  virtual ~ScalarBuilder() = default;

  virtual Scalar constant(DType dtype, double value) = 0;  // floats; integers if exactly representable
  virtual Scalar integer(DType dtype, int64_t value) = 0;  // integers and preds, by bits
  virtual Scalar float_bits(DType dtype, uint64_t bits) = 0;

  virtual Scalar add(Scalar a, Scalar b) = 0;  // integers wrap
  virtual Scalar sub(Scalar a, Scalar b) = 0;
  virtual Scalar mul(Scalar a, Scalar b) = 0;
  virtual Scalar div(Scalar a,
                     Scalar b) = 0;  // integers: truncating; the divisor must not be 0 (nor min / -1)
  virtual Scalar rem(Scalar a, Scalar b) = 0;            // sign of the dividend; integers as for div
  virtual Scalar fma(Scalar a, Scalar b, Scalar c) = 0;  // floats: a * b + c, fused
  virtual Scalar neg(Scalar a) = 0;
  virtual Scalar abs(Scalar a) = 0;            // floats and signed integers
  virtual Scalar min(Scalar a, Scalar b) = 0;  // floats: NaN if either is NaN; -0 below +0
  virtual Scalar max(Scalar a, Scalar b) = 0;
  virtual Scalar sqrt(Scalar a) = 0;
  virtual Scalar floor(Scalar a) = 0;
  virtual Scalar ceil(Scalar a) = 0;
  virtual Scalar trunc(Scalar a) = 0;
  virtual Scalar round_even(Scalar a) = 0;
  virtual Scalar copy_sign(Scalar magnitude, Scalar sign) = 0;
  // Floats: a * 2^n for a whole n of any size, rounded once; infinite and zero where it leaves the range.
  // Only where scales_by_powers() is true, which says that the target has an instruction for it.
  virtual Scalar scale_by_power(Scalar a, Scalar n) = 0;
  virtual bool scales_by_powers(DType dtype) const = 0;

  virtual Scalar bit_and(Scalar a, Scalar b) = 0;  // integers and preds
  virtual Scalar bit_or(Scalar a, Scalar b) = 0;
  virtual Scalar bit_xor(Scalar a, Scalar b) = 0;
  virtual Scalar bit_not(Scalar a) = 0;
  // Shift amounts must be in [0, bits): recipes guard them.
  virtual Scalar shift_left(Scalar a, Scalar amount) = 0;
  virtual Scalar shift_right_logical(Scalar a, Scalar amount) = 0;
  virtual Scalar shift_right_arithmetic(Scalar a, Scalar amount) = 0;

  virtual Scalar compare(Comparison comparison, Scalar a, Scalar b) = 0;  // pred; ordered, but kNe unordered
  virtual Scalar select(Scalar pred, Scalar if_true, Scalar if_false) = 0;
  // Value conversion. float -> integer truncates and saturates, NaN to 0; to pred: != 0.
  virtual Scalar convert(Scalar a, DType to) = 0;
  virtual Scalar bitcast(Scalar a, DType to) = 0;  // same width
  // `usual` where `rare` is false, else the function's value at x (computed out of line, lane by lane).
  virtual Scalar patch_rare(Scalar rare, Scalar usual, const RareFunction& function, Scalar x) = 0;
};

// What a recipe knows of the operation besides its operands.
struct ScalarContext {
  DType result;
  const Attributes& attributes;
};

using ScalarRecipeFn = Scalar (*)(ScalarBuilder&, const ScalarContext&, std::span<const Scalar> operands);

}  // namespace ingot::ir
