#include "pass/fusion/op_places.h"

#include <algorithm>

#include "ops/kinds.h"
#include "pass/fusion/fusion_groups.h"
#include "pass/fusion/grouping.h"

namespace ingot::pass {

using ir::Op;
using ir::Value;

const Shape* shape_of_arithmetic(const Op& op) {
  static const Shape& one = *new Shape;
  if ((becomes<ir::ScalarRecipe>(op) || becomes<ir::View>(op)) && element_count(op.result()->shape()) == 1)
    return &one;
  const bool gives_constants = becomes<ir::View>(op) && reads_constants_alone(op);
  return becomes<ir::ScalarRecipe>(op) || gives_constants ? &op.result()->shape() : nullptr;
}

bool is_index(const Op& op) {
  if (!becomes<ir::View>(op) || ops::is<ops::ConcatenateOp>(op)) return false;
  return std::all_of(op.operands().begin(), op.operands().end(), [](const Value* operand) {
    return operand->op() == nullptr || is_inline_constant(*operand->op()) || is_index(*operand->op());
  });
}

bool keeps_indices(const Op& op) {
  if (!ops::is<ops::ReshapeOp>(op)) return false;
  const auto without_ones = [](Shape shape) {
    std::erase(shape, 1);
    return shape;
  };
  return without_ones(op.result()->shape()) == without_ones(op.operand(0)->shape());
}

const Shape* shape_of_places(const Op& op) {
  return becomes<ir::ScalarRecipe>(op) || is_index(op) ? &op.result()->shape() : nullptr;
}

}  // namespace ingot::pass
