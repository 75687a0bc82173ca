// --shapes: the sizes that a StableHLO program leaves open.
#pragma once

#include <string>
#include <vector>

#include "ir/ir.h"
#include "stablehlo/symbolic_shapes.h"

namespace ingot::tools {

// What the text makes of the arguments' types: sizes of dimensions by name, b=8, and shapes of arguments, in
// their order or by name, f32[8,3], [8,3], x=[8,3]. Error, which names the argument and its type and what
// would be right, where something is missing, superfluous or in contradiction.
std::vector<ir::TensorType> given_shapes(const std::vector<stablehlo::ArgumentType>& arguments,
                                         const std::string& text);

// "b=8,n=8" or "x=[8,3]": what would be enough.
std::string example_of_shapes(const std::vector<stablehlo::ArgumentType>& arguments);

// "argument 0, x: f32[b,3]"
std::string argument_text(const std::vector<stablehlo::ArgumentType>& arguments, size_t i);

}  // namespace ingot::tools
