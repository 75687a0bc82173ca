// What a kernel keeps in memory of its own.
#pragma once

#include "ops/support.h"

namespace ingot::ops {

class HoldOp {
 public:
  explicit HoldOp(const Op& op) : op_(&op) {}
  static bool is(const Op* op);

  Value* operand() const { return op_->operand(0); }
  // The dimensions of which a point of the band has all.
  const IntList& dims() const { return op_->attributes().list("dims"); }
  bool holds(int64_t dim) const;

 private:
  const Op* op_;
};

}  // namespace ingot::ops
