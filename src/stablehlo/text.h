// StableHLO in text, as JAX prints it and in MLIR's generic form.
#pragma once

#include <memory>
#include <string_view>

#include "stablehlo/module.h"

namespace ingot::stablehlo {

// Throws ingot::Error "file:line:column: what was expected". `file` names the text.
std::unique_ptr<Module> read_text(std::string_view text, std::string_view file = "<text>");

// What {a = 1 : i32, b = "c"} says, or what else is an attribute; its types belong to the module.
Attribute read_attribute(std::string_view text, std::unique_ptr<Module>& module);
// A dictionary as MLIR prints it, its names sorted.
std::string dictionary_text(const Attributes& attributes);

// Whether it looks like MLIR text: behind comments and aliases there is a module, a func.func or an operation
// in quotes. Ingot's own programs begin with "func @".
bool looks_like_text(std::string_view text);

}  // namespace ingot::stablehlo
