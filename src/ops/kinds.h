// Operations without a body as types (ops/typed.h): those that somebody outside of ops/ looks for.
//
// Ask for one of these only where it is this operation that matters, as where a pass knows a form of
// arithmetic. What holds for many is asked of the record (becomes<ir::View>(op)), or by its name at the end.
#pragma once

#include "ops/typed.h"

namespace ingot::ops {

class OneOp {
 public:
  explicit OneOp(const ir::Op& op) : op_(&op) {}
  const ir::Op& op() const { return *op_; }

 protected:
  const ir::IntList& list(std::string_view attribute) const { return op_->attributes().list(attribute); }
  const std::string& text(std::string_view attribute) const {
    return op_->attributes().get<std::string>(attribute);
  }

  const ir::Op* op_;
};

// --- arrays that are known

struct ConstantOp : OneOp {
  using OneOp::OneOp;
  static const ir::OpRecord& record();
  const Tensor& value() const { return op_->attributes().get<Tensor>("value"); }
};
struct IotaOp : OneOp {
  using OneOp::OneOp;
  static const ir::OpRecord& record();
  int64_t axis() const { return op_->attributes().integer("axis"); }
};

// --- views

struct BroadcastOp : OneOp {
  using OneOp::OneOp;
  static const ir::OpRecord& record();
  const ir::IntList& dims() const { return list("dims"); }  // of the result, one per dimension of the operand
};
struct ReshapeOp : OneOp {
  using OneOp::OneOp;
  static const ir::OpRecord& record();
};
struct TransposeOp : OneOp {
  using OneOp::OneOp;
  static const ir::OpRecord& record();
  const ir::IntList& permutation() const { return list("permutation"); }  // of the operand's dimensions
};
struct SliceOp : OneOp {
  using OneOp::OneOp;
  static const ir::OpRecord& record();
  const ir::IntList& starts() const { return list("starts"); }
  const ir::IntList& limits() const { return list("limits"); }
  const ir::IntList& strides() const { return list("strides"); }
};
struct ReverseOp : OneOp {
  using OneOp::OneOp;
  static const ir::OpRecord& record();
};
struct ConcatenateOp : OneOp {
  using OneOp::OneOp;
  static const ir::OpRecord& record();
};

// --- reductions, contractions, scatter

// Of n arrays along the same axes; the region joins n accumulators with n elements.
struct ReduceOp : OneOp {
  using OneOp::OneOp;
  static const ir::OpRecord& record();
  const ir::IntList& axes() const { return list("axes"); }  // ascending
  int count() const { return op_->operand_count() / 2; }
  ir::Value* array(int k) const { return op_->operand(k); }
  ir::Value* initial(int k) const { return op_->operand(count() + k); }
  ir::Region& combiner() const { return op_->region(); }
  int64_t reduced_elements() const;  // that one element of a result is made of
};

// Which dimensions of the operands, lhs and rhs, are a batch's and which are summed over.
struct DotForm {
  ir::IntList batch[2], contract[2];

  static DotForm of(const ir::Attributes& attributes);
  void write(ir::Attributes& attributes) const;  // leaves alone what else stands there
};
struct DotGeneralOp : OneOp {
  using OneOp::OneOp;
  static const ir::OpRecord& record();
  const ir::IntList& batch(int side) const { return list(side == 0 ? "lhs_batch" : "rhs_batch"); }
  const ir::IntList& contract(int side) const { return list(side == 0 ? "lhs_contract" : "rhs_contract"); }
};

struct ScatterOp : OneOp {
  using OneOp::OneOp;
  static const ir::OpRecord& record();
  const std::string& combiner() const { return text("combiner"); }
  bool overwrites() const { return combiner() == "set"; }
};

// (x1 .. xn) in the order of a comparator: of operand k, arguments 2 k and 2 k + 1 are two elements.
struct SortOp : OneOp {
  using OneOp::OneOp;
  static const ir::OpRecord& record();
  int64_t axis() const { return op_->attributes().get<int64_t>("axis"); }
  const ir::Region& comparator() const { return op_->region(); }
};

// How a key of sort_by_keys orders.
struct KeyOrder {
  bool descending = false;
  // Of floats: -0 and +0 are equal, and so are NaN, which come last (in descending order, first). Without it
  // they are ordered by their bits: -NaN, -inf .. -0, +0 .. inf, NaN.
  bool by_value = false;

  static KeyOrder of(int64_t number) { return {(number & 1) != 0, (number & 2) != 0}; }
  int64_t number() const { return (descending ? 1 : 0) + (by_value ? 2 : 0); }
  bool operator==(const KeyOrder&) const = default;
};
// Keys, then the arrays that are put into their order.
struct SortByKeysOp : OneOp {
  using OneOp::OneOp;
  static const ir::OpRecord& record();
  int64_t axis() const { return op_->attributes().get<int64_t>("axis"); }
  int key_count() const { return static_cast<int>(list("orders").size()); }
  KeyOrder order(int key) const { return KeyOrder::of(list("orders")[static_cast<size_t>(key)]); }
  ir::Value* key(int i) const { return op_->operand(i); }
  ir::Value* array(int i) const { return op_->operand(key_count() + i); }
  // How many elements of each row the results have, if not all.
  std::optional<int64_t> first() const {
    if (!op_->attributes().has("first")) return std::nullopt;
    return op_->attributes().get<int64_t>("first");
  }
};

// --- linear algebra

// L with L L^H = a, or U with U^H U = a, of which only that triangle is read.
struct CholeskyOp : OneOp {
  using OneOp::OneOp;
  static const ir::OpRecord& record();
  bool lower() const { return op_->attributes().get<bool>("lower"); }
};
// x with op(a) x = b, or x op(a) = b, where op(a) is a triangle of a, transposed or not.
struct TriangularSolveForm {
  bool left_side = true, lower = true, unit_diagonal = false, transposed = false, conjugated = false;

  static TriangularSolveForm of(const ir::Attributes& attributes);
  ir::Attributes attributes() const;  // conjugated without transposed has no spelling
};
struct TriangularSolveOp : OneOp {
  using OneOp::OneOp;
  static const ir::OpRecord& record();
  TriangularSolveForm form() const { return TriangularSolveForm::of(op_->attributes()); }
};

// --- transforms

// The discrete Fourier transform over the last dimensions, one for each length: of complex numbers, back with
// 1/n, of real numbers to the half of the result that says all, or from there back to real numbers.
enum class FftType { kFft, kIfft, kRfft, kIrfft };
struct FftOp : OneOp {
  using OneOp::OneOp;
  static const ir::OpRecord& record();
  static FftType type(const ir::Attributes& attributes);
  FftType type() const { return type(op_->attributes()); }
  const ir::IntList& lengths() const { return list("fft_length"); }
};

// --- decompositions

struct EighOp : OneOp {
  using OneOp::OneOp;
  static const ir::OpRecord& record();
  bool lower() const { return op_->attributes().get<bool>("lower"); }
  bool vectors() const { return op_->attributes().get<bool>("vectors"); }
};
struct SvdOp : OneOp {
  using OneOp::OneOp;
  static const ir::OpRecord& record();
  bool full_matrices() const { return op_->attributes().get<bool>("full_matrices"); }
  bool vectors() const { return op_->attributes().get<bool>("vectors"); }
};
struct EigOp : OneOp {
  using OneOp::OneOp;
  static const ir::OpRecord& record();
  bool left() const { return op_->attributes().get<bool>("left"); }
  bool right() const { return op_->attributes().get<bool>("right"); }
};

// --- element by element

struct CompareOp : OneOp {
  using OneOp::OneOp;
  static const ir::OpRecord& record();
  static const std::string& direction(const ir::Attributes& attributes);  // eq, ne, lt, le, gt or ge
  const std::string& direction() const { return direction(op_->attributes()); }
};
struct SelectOp : OneOp {
  using OneOp::OneOp;
  static const ir::OpRecord& record();
};
struct ConvertOp : OneOp {
  using OneOp::OneOp;
  static const ir::OpRecord& record();
};
struct BitcastOp : OneOp {
  using OneOp::OneOp;
  static const ir::OpRecord& record();
  // Between complex numbers and their parts, side by side along one more dimension: the same bytes.
  bool is_between_complex_and_parts() const;
};
struct StopGradientOp : OneOp {
  using OneOp::OneOp;
  static const ir::OpRecord& record();
};
struct CheckpointNameOp : OneOp {
  using OneOp::OneOp;
  static const ir::OpRecord& record();
  const std::string& name() const { return text("name"); }
};

struct AddOp : OneOp {
  using OneOp::OneOp;
  static const ir::OpRecord& record();
};
struct SubOp : OneOp {
  using OneOp::OneOp;
  static const ir::OpRecord& record();
};
struct MulOp : OneOp {
  using OneOp::OneOp;
  static const ir::OpRecord& record();
};
struct DivOp : OneOp {
  using OneOp::OneOp;
  static const ir::OpRecord& record();
};
struct MaxOp : OneOp {
  using OneOp::OneOp;
  static const ir::OpRecord& record();
};
struct MinOp : OneOp {
  using OneOp::OneOp;
  static const ir::OpRecord& record();
};
struct AndOp : OneOp {
  using OneOp::OneOp;
  static const ir::OpRecord& record();
};
struct OrOp : OneOp {
  using OneOp::OneOp;
  static const ir::OpRecord& record();
};
struct XorOp : OneOp {
  using OneOp::OneOp;
  static const ir::OpRecord& record();
};
struct NotOp : OneOp {
  using OneOp::OneOp;
  static const ir::OpRecord& record();
};
struct ShiftLeftOp : OneOp {
  using OneOp::OneOp;
  static const ir::OpRecord& record();
};
struct ShiftRightLogicalOp : OneOp {
  using OneOp::OneOp;
  static const ir::OpRecord& record();
};
struct ShiftRightArithmeticOp : OneOp {
  using OneOp::OneOp;
  static const ir::OpRecord& record();
};
struct PopcntOp : OneOp {
  using OneOp::OneOp;
  static const ir::OpRecord& record();
};
struct ClzOp : OneOp {
  using OneOp::OneOp;
  static const ir::OpRecord& record();
};
struct AbsOp : OneOp {
  using OneOp::OneOp;
  static const ir::OpRecord& record();
};
struct ComplexOp : OneOp {  // of two real parts
  using OneOp::OneOp;
  static const ir::OpRecord& record();
};
struct RealOp : OneOp {
  using OneOp::OneOp;
  static const ir::OpRecord& record();
};
struct ImagOp : OneOp {
  using OneOp::OneOp;
  static const ir::OpRecord& record();
};
struct ExpOp : OneOp {
  using OneOp::OneOp;
  static const ir::OpRecord& record();
};

// --- what holds for several

// Gives elements as they are, converted at most: no arithmetic, so that narrow floats may stay narrow.
inline bool moves_elements(const ir::OpRecord& record) {
  return is_any<ConvertOp, SelectOp, BitcastOp, StopGradientOp>(record);
}
// The identity but for derivatives.
inline bool is_for_derivatives(const ir::Op& op) {
  return is_any<StopGradientOp, CheckpointNameOp>(op);
}
// The result is the operand's bytes under another shape, and maybe as pairs of parts.
bool keeps_bytes(const ir::Op& op);

}  // namespace ingot::ops
