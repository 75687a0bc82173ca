// Convolutions: what the attributes of a `convolution` say.
#pragma once

#include "ops/support.h"

namespace ingot::ops {

// Spatial dimensions are numbered as in the lists; the tables of dimensions begin with the two others.
struct ConvolutionDims {
  IntList lhs;  // where the batch, the features and each spatial dimension stand in the lhs
  IntList rhs;  // where the output features, the input features and each spatial dimension stand in the rhs
  IntList out;  // where the batch, the features and each spatial dimension stand in the result
  IntList strides;
  IntList low, high;                   // padding of the (dilated) lhs; negative: cut off
  IntList lhs_dilation, rhs_dilation;  // distances of neighbours
  IntList reverse;                     // 1: the window is read backwards
  int64_t feature_groups, batch_groups;

  static ConvolutionDims of(const Attributes& attributes);
  Attributes attributes() const;
  size_t spatial() const { return strides.size(); }
};

// The extent with so many places from one element to the next.
constexpr int64_t dilated(int64_t extent, int64_t dilation) {
  return spread_extent(extent, dilation);
}

}  // namespace ingot::ops
