// Contractions of few complex terms, written out: each product is rounded before it is added. A fused
// multiply-add would round sums alone, but the parts of complex products cancel, and other programs' sums of
// so few terms are those of rounded products.
#pragma once

#include "ir/builder.h"

namespace ingot::pass {

// Whether the operation is a contraction of at most ops::kFewTerms terms.
bool has_few_terms(const ir::Op& op);

// The sum of products of two real arrays whose dimensions are those of the operation's operands.
ir::Value* short_product(const ir::Op& op, ir::Value* lhs, ir::Value* rhs, ir::Builder& builder);

}  // namespace ingot::pass
