// The algebraic rules of the operations, and how they recognise what they look for.
//
// A rule rewrites one operation from what its operands are made of, and holds for the dtype at hand: bits do
// not change, but for the payload of NaNs. Each asks the rewriter by its name once it is sure.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "ops/support.h"

namespace ingot::ops {

using Values = std::vector<Value*>;

// The operation that makes the value if it is of that name, or null.
const Op* made_by(const Value* value, std::string_view name);
// The one element of an array of equal ones: a constant, or a broadcast of one; as a scalar.
std::optional<Tensor> splat(const Value* value);
bool is_splat_of(const Value* value, double number);  // -0 is not 0
bool is_constant(const Value* value);                 // a constant, or a splat
// An array of equal elements.
Value* make_splat(Rewriter& rewriter, const TensorType& type, const Tensor& scalar);
// The reference of an element-wise operation on scalars.
Tensor evaluate(const Op& op, const std::vector<Tensor>& operands);

// Element-wise operations.
Values add_identities(Op& op, Rewriter& rewriter);
Values sub_identities(Op& op, Rewriter& rewriter);
Values mul_identities(Op& op, Rewriter& rewriter);
Values div_identities(Op& op, Rewriter& rewriter);
Values extreme_identities(Op& op, Rewriter& rewriter);  // max, min
Values and_identities(Op& op, Rewriter& rewriter);
Values or_identities(Op& op, Rewriter& rewriter);
Values xor_identities(Op& op, Rewriter& rewriter);
Values shift_identities(Op& op, Rewriter& rewriter);
Values involution_identities(Op& op, Rewriter& rewriter);  // f(f(x)) is x: neg, not
Values projection_identities(Op& op, Rewriter& rewriter);  // f(f(x)) is f(x): abs, sign, floor and the like
Values compare_identities(Op& op, Rewriter& rewriter);
Values select_identities(Op& op, Rewriter& rewriter);
Values convert_identities(Op& op, Rewriter& rewriter);
Values bitcast_identities(Op& op, Rewriter& rewriter);

// Views.
Values transpose_identities(Op& op, Rewriter& rewriter);
Values reverse_identities(Op& op, Rewriter& rewriter);
Values reshape_identities(Op& op, Rewriter& rewriter);
Values broadcast_identities(Op& op, Rewriter& rewriter);
Values slice_identities(Op& op, Rewriter& rewriter);
Values take_identities(Op& op, Rewriter& rewriter);
Values concatenate_identities(Op& op, Rewriter& rewriter);
Values pad_identities(Op& op, Rewriter& rewriter);
Values gather_identities(Op& op, Rewriter& rewriter);

// Reductions, contractions, loops.
Values reduce_identities(Op& op, Rewriter& rewriter);
Values dot_general_identities(Op& op, Rewriter& rewriter);
Values scan_identities(Op& op, Rewriter& rewriter);

}  // namespace ingot::ops
