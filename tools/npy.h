// NumPy's .npy format: one array with a header in text. Read: versions 1 to 3, little endian, C and Fortran
// order. Written: version 1, C order.
#pragma once

#include <string>
#include <string_view>

#include "base/tensor.h"

namespace ingot::tools {

// `name` is what an error calls the array. Throws ingot::Error.
Tensor read_npy(std::string_view bytes, const std::string& name);
std::string write_npy(const Tensor& tensor);

}  // namespace ingot::tools
