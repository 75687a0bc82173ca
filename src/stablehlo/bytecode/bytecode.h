// StableHLO as MLIR bytecode in the versioned dialect vhlo: the portable artifacts that jax.export writes and
// that PJRT hands to a plugin.
//
// What other people's programs may hold besides vhlo (mixed artifacts: chlo, sdy) is read as far as the
// format says how. Three steps, one folder:
//
// - container.cc: sections, strings, dialects and operations by name, where each attribute and type lies
// - types.cc, attributes.cc, locations.cc: what lies there, read once where it is first wanted
// - operations.cc: functions, operations and regions; forms.cc makes of vhlo's operations and attributes
// those
//   of StableHLO, by the tables in names.cc, so that the module is the one that its text gives
//
// Nothing in the bytes is trusted: no count before there is a byte for each of what is counted, no size
// before the bytes are there, no reference before it has been followed once with a bound on depth and on
// size.
#pragma once

#include <memory>
#include <string_view>

#include "stablehlo/module.h"

namespace ingot::stablehlo {

bool looks_like_bytecode(std::string_view bytes);

// Throws ingot::Error "file: at byte 123: what was expected".
std::unique_ptr<Module> read_bytecode(std::string_view bytes, std::string_view file = "<bytecode>");

}  // namespace ingot::stablehlo
