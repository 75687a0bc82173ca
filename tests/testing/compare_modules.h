// Whether two readers have made the same StableHLO module of two files.
#pragma once

#include <string>

#include "stablehlo/module.h"

namespace ingot::stablehlo {

// The module's text without what forms of a program may differ in while they mean the same: the order of
// attributes, the type i64 of an attribute's number, lists without elements and zeros in sets of dimensions,
// and elements of types that Ingot has no numbers of.
std::string canonical_text(const Module& module, bool locations);

}  // namespace ingot::stablehlo
