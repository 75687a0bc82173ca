// A number of a step, as loops count them.
#pragma once

#include "ir/builder.h"

namespace ingot::pass {

inline ir::Value* number(ir::Builder& builder, int64_t value, DType dtype = DType::kS32) {
  Tensor scalar(dtype, {});
  scalar.set_int(0, value);
  return builder.constant(scalar);
}

}  // namespace ingot::pass
