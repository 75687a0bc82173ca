// A module as a portable artifact: MLIR bytecode in the dialect vhlo, as jax.export writes it.
#pragma once

#include <string>

#include "stablehlo/module.h"

namespace ingot::stablehlo {

// Bytes that read_bytecode() makes the same module of. Operations of CHLO, which vhlo does not have, stand as
// they are among casts from its types and back. Throws ingot::Error for an operation or an attribute that the
// tables (names.h) do not know.
std::string write_bytecode(const Module& module);

}  // namespace ingot::stablehlo
