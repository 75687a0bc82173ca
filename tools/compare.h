// How far two runs of one program are apart.
#pragma once

#include <span>
#include <string>

#include "base/tensor.h"

namespace ingot::tools {

// The place where the error is largest. The error of floats is |actual - expected| / (1 + |expected|); equal
// infinities and two NaNs have none. Other elements have the error 0 or infinity.
struct Difference {
  double error = 0;
  DType dtype = DType::kF32;  // where it is
  std::string where;          // "out0[3,4]: 1.5 instead of 1.25"; empty if all is equal

  bool beyond(double tolerance) const { return error > tolerance; }
};

Difference largest_difference(std::span<const Tensor> actual, std::span<const Tensor> expected);

// What rounding may make of a program's results: 4e-2 if any of them is bf16, else 5e-3 for f16, 1e-4 for
// f32, and 1e-10 if there is none of them.
double default_tolerance(std::span<const Tensor> results);

}  // namespace ingot::tools
