// Programs of others, in whatever form they come.
#pragma once

#include <memory>
#include <string_view>

#include "stablehlo/module.h"

namespace ingot::stablehlo {

// Whether these bytes look like a StableHLO program, rather than Ingot's own text: told by the content.
bool looks_like_stablehlo(std::string_view bytes);
std::unique_ptr<Module> read_module(std::string_view bytes, std::string_view file);

}  // namespace ingot::stablehlo
