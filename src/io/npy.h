// NumPy's .npy format: one array with a header in text. Read: versions 1 to 3, either byte order, C and
// Fortran order. Written: version 1, little endian, C order.
// bf16 is what np.save makes of ml_dtypes.bfloat16, '<V2': NumPy reads it back as raw bytes, which
// .view(ml_dtypes.bfloat16) makes numbers of again.
#pragma once

#include <string>
#include <string_view>

#include "base/tensor.h"

namespace ingot::io {

// `name` is what an error calls the array. Throws ingot::Error.
Tensor read_npy(std::string_view bytes, const std::string& name);
std::string write_npy(const Tensor& tensor);

}  // namespace ingot::io
