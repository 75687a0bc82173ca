// Real numbers as MLIR's printer writes them.
#pragma once

#include <cstddef>
#include <string>

#include "ingot/dtype.h"

namespace ingot::stablehlo {

// With six digits where these read back as the same number, 1.500000e+00, and with as many as that takes
// elsewhere, 0.333333343; as 0x and the bits where it is no number. `bits` are those of it in that type.
std::string print_real(double value, DType dtype, const std::byte* bits);

}  // namespace ingot::stablehlo
