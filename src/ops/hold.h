// What a kernel keeps in memory of its own.
#pragma once

#include "ops/kinds.h"

namespace ingot::ops {

struct HoldOp : OneOp {
  using OneOp::OneOp;
  static const ir::OpRecord& record();
  // The dimensions of which a point of the band has all.
  const ir::IntList& dims() const { return list("dims"); }
};

}  // namespace ingot::ops
