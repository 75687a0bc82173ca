// What the files of autodiff share: tracing a function of leaves, and making a derived function callable.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "frontend/trace.h"
#include "ingot/detail/derive.h"

namespace ingot::detail {

using LeafBody = std::function<std::vector<Array>(const std::vector<Array>&)>;

// The function for arguments of these types; it may capture what the innermost frame may.
std::shared_ptr<const TracedFunction> trace_leaves(const LeafBody& body, const LeafArrays& arguments,
                                                   const std::source_location& where);
std::string value_name(std::string path);  // of a leaf, as a value of the IR

// A function that a transform has made, to be called as if it had been traced.
std::shared_ptr<const TracedFunction> function_of(const ir::Function& function);

Array zero_of(const ArrayType& type);

}  // namespace ingot::detail
