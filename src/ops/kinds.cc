#include "ops/kinds.h"

namespace ingot::ops {

int64_t ReduceOp::reduced_elements() const {
  int64_t elements = 1;
  for (int64_t axis : axes()) elements *= array(0)->shape()[static_cast<size_t>(axis)];
  return elements;
}

DotForm DotForm::of(const ir::Attributes& attributes) {
  return {{attributes.list("lhs_batch"), attributes.list("rhs_batch")},
          {attributes.list("lhs_contract"), attributes.list("rhs_contract")}};
}

void DotForm::write(ir::Attributes& attributes) const {
  attributes.set("lhs_batch", batch[0]);
  attributes.set("rhs_batch", batch[1]);
  attributes.set("lhs_contract", contract[0]);
  attributes.set("rhs_contract", contract[1]);
}

const std::string& CompareOp::direction(const ir::Attributes& attributes) {
  return attributes.get<std::string>("direction");
}

bool BitcastOp::is_between_complex_and_parts() const {
  return is_complex(op_->operand(0)->dtype()) != is_complex(op_->result()->dtype());
}

bool keeps_bytes(const ir::Op& op) {
  if (const auto bitcast = as<BitcastOp>(op)) return bitcast->is_between_complex_and_parts();
  return is<ReshapeOp>(op);
}

}  // namespace ingot::ops
