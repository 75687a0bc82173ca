// The call of a function of the host that an operation custom_call is.
#pragma once

#include "base/host_functions.h"
#include "ops/kinds.h"

namespace ingot::ops {

struct CustomCallOp : OneOp {
  using OneOp::OneOp;
  static const ir::OpRecord& record();
};

HostCall host_call_of(const ir::Op& op);

}  // namespace ingot::ops
