// The type of a value: an element type and static extents.
#pragma once

#include <string>

#include "ingot/dtype.h"

namespace ingot::ir {

struct TensorType {
  DType dtype = DType::kF32;
  Shape shape;

  int64_t rank() const { return static_cast<int64_t>(shape.size()); }
  int64_t elements() const { return element_count(shape); }
  int64_t bytes() const { return elements() * static_cast<int64_t>(byte_size(dtype)); }
  bool operator==(const TensorType&) const = default;
};

// "f32[4,1]"; a scalar is "f32[]".
inline std::string to_string(const TensorType& type) {
  return std::string(name_of(type.dtype)) + ingot::to_string(type.shape);
}

}  // namespace ingot::ir
