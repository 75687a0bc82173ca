#include "pass/numbers/short_products.h"

#include <algorithm>

#include "ops/few_terms.h"
#include "ops/kinds.h"
#include "ops/make.h"
#include "ops/support.h"

namespace ingot::pass {
namespace {

using ir::IntList;
using ir::Value;

int64_t terms_of(const ops::DotGeneralOp& dot) {
  int64_t terms = 1;
  for (int64_t d : dot.contract(0)) terms *= dot.op().operand(0)->shape()[static_cast<size_t>(d)];
  return terms;
}

// One operand at a term: its own dimensions where they are in the result.
Value* operand_at(const ops::DotGeneralOp& dot, int side, Value* x, const std::vector<int64_t>& term,
                  ir::Builder& builder) {
  const Shape& result = dot.op().result()->shape();
  const IntList &batch = dot.batch(side), &contract = dot.contract(side);
  Shape starts(x->shape().size(), 0), limits = x->shape(), kept;
  for (size_t k = 0; k < contract.size(); ++k) {
    const auto d = static_cast<size_t>(contract[k]);
    starts[d] = term[k];
    limits[d] = term[k] + 1;
  }
  // Free dimensions of the left operand come behind the batch, then those of the right one.
  const int64_t own_free = x->rank() - static_cast<int64_t>(batch.size() + contract.size());
  int64_t next =
      side == 0 ? static_cast<int64_t>(batch.size()) : static_cast<int64_t>(result.size()) - own_free;
  IntList dims;
  for (int64_t d = 0; d < x->rank(); ++d) {
    if (ops::contains(contract, d)) continue;
    const auto at = std::find(batch.begin(), batch.end(), d) - batch.begin();
    dims.push_back(at < static_cast<std::ptrdiff_t>(batch.size()) ? at : next++);
    kept.push_back(x->shape()[static_cast<size_t>(d)]);
  }
  x = make::slice(builder, x, starts, limits, IntList(starts.size(), 1));
  x = make::reshape(builder, x, kept);
  return make::broadcast(builder, x, result, dims);
}

}  // namespace

bool has_few_terms(const ir::Op& op) {
  return ops::is<ops::DotGeneralOp>(op) && terms_of(ops::DotGeneralOp(op)) <= ops::kFewTerms &&
         terms_of(ops::DotGeneralOp(op)) > 0;
}

Value* short_product(const ir::Op& op, Value* lhs, Value* rhs, ir::Builder& builder) {
  const ops::DotGeneralOp dot(op);
  const DType dtype = real_dtype(op.result()->dtype());
  const int64_t own = significant_bits(dtype) - 1;
  const ir::Attributes rounding{{"exponent_bits", 8 * static_cast<int64_t>(byte_size(dtype)) - 1 - own},
                                {"mantissa_bits", own}};
  Shape extents;
  for (int64_t d : dot.contract(0)) extents.push_back(op.operand(0)->shape()[static_cast<size_t>(d)]);
  std::vector<int64_t> term(extents.size(), 0);
  Value* sum = nullptr;
  for (int64_t k = 0; k < terms_of(dot); ++k) {
    Value *a = operand_at(dot, 0, lhs, term, builder), *b = operand_at(dot, 1, rhs, term, builder);
    if (a->dtype() != dtype) a = make::convert(builder, a, dtype);
    if (b->dtype() != dtype) b = make::convert(builder, b, dtype);
    Value* product = builder.value("reduce_precision", {make::mul(builder, {a, b})}, rounding);
    sum = sum ? make::add(builder, {sum, product}) : product;
    ops::next_index(extents, term);
  }
  return sum;
}

}  // namespace ingot::pass
