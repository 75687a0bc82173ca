// Convolutions: any number of spatial dimensions, any order of dimensions, and gradients that are
// convolutions again. Floating arrays and integers; both operands have one dtype.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "ingot/functions.h"

namespace ingot {

// What stands around the first operand: zeros before and after each spatial dimension (negative: elements are
// cut off). kValid: none. kSame: as many as make the result ceil(extent / stride) long, the odd one at the
// end.
class ConvPadding {
 public:
  enum Kind { kValid, kSame, kPairs };
  ConvPadding(Kind kind = kValid);                                        // NOLINT
  ConvPadding(std::vector<std::pair<int64_t, int64_t>> pairs);            // NOLINT
  ConvPadding(std::initializer_list<std::pair<int64_t, int64_t>> pairs);  // NOLINT
  ConvPadding(const ConvPadding& other);
  ConvPadding& operator=(const ConvPadding& other);
  ~ConvPadding();
  Kind kind() const { return kind_; }
  const std::vector<std::pair<int64_t, int64_t>>& pairs() const { return pairs_; }

 private:
  Kind kind_;
  std::vector<std::pair<int64_t, int64_t>> pairs_;
};

// Lists have an entry per spatial dimension, or one entry for all of them, or none for 1 everywhere.
struct ConvOptions {
  detail::ByName by_name = detail::ByName();
  std::vector<int64_t> strides = {};  // from window to window
  ConvPadding padding = {};
  std::vector<int64_t> lhs_dilation = {};  // distance of the elements of lhs, with zeros in between
  std::vector<int64_t> rhs_dilation = {};  // distance of the elements of a window
  // Orders of dimensions: N and C are batch and features, I and O the input and output features of rhs, every
  // other letter (or digit) a spatial dimension. Empty: features last, as "NHWC" and "HWIO".
  std::string lhs_layout = {}, rhs_layout = {}, out_layout = {};
  int64_t feature_groups = 1;  // of input and output features that do not see each other
  int64_t batch_groups = 1;    // of batch and output features that do not see each other
  bool flip = false;           // windows are read backwards, as mathematicians define a convolution
};

// Sums of products of windows of lhs with rhs. Without options: lhs is [batch, spatial..., features], rhs is
// [spatial..., input features, output features], and the result has the first one's order.
Array conv_general(const Operand& lhs, const Operand& rhs, const ConvOptions& options = {});
// The same for one, two and three spatial dimensions; an Error for any other rank.
Array conv1d(const Operand& lhs, const Operand& rhs, const ConvOptions& options = {});
Array conv2d(const Operand& lhs, const Operand& rhs, const ConvOptions& options = {});
Array conv3d(const Operand& lhs, const Operand& rhs, const ConvOptions& options = {});
// Fractionally strided: `strides` say how far apart the elements of lhs are put. kSame makes the result
// extent * stride long, kValid what a valid convolution with these strides would have come from.
Array conv_transpose(const Operand& lhs, const Operand& rhs, ConvOptions options = {});
// Every feature of lhs by itself: rhs has input features of extent 1, and a multiple of lhs's features as
// output features.
Array depthwise_conv(const Operand& lhs, const Operand& rhs, ConvOptions options = {});

}  // namespace ingot
