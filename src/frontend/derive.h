// What the files of autodiff share: tracing a function of leaves, and making a derived function callable.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "frontend/trace.h"
#include "ingot/detail/derive.h"
#include "transform/derivatives.h"

namespace ingot::detail {

using LeafBody = std::function<std::vector<Array>(const std::vector<Array>&)>;

// The function for arguments of these types; it may capture what the innermost frame may.
std::shared_ptr<const TracedFunction> trace_leaves(const LeafBody& body, const LeafArrays& arguments,
                                                   const std::source_location& where);
std::string value_name(std::string path);  // of a leaf, as a value of the IR

// A function that a transform has made, to be called as if it had been traced.
std::shared_ptr<const TracedFunction> function_of(const ir::Function& function);

Array zero_of(const ArrayType& type);

// The function at a point.
struct LinearizedData {
  std::unique_ptr<ir::Module> module;
  std::unique_ptr<transform::Derivatives> derivatives;
  const transform::Linearized* made = nullptr;
  std::vector<Array> arguments;  // captured ones behind
  std::vector<Array> outputs;    // of the forward function
  LeafArrays leaves;             // the arguments with their names
  std::vector<const ArrayType*> result_types;
  transform::Mask active;  // of the leaves, those that have a tangent
  std::string what;
  mutable std::mutex mutex;  // over derivatives

  Array residual(size_t i) const {
    const transform::Linearized::Residual& residual = made->residuals[i];
    return (residual.is_argument ? arguments : outputs)[static_cast<size_t>(residual.index)];
  }
};

}  // namespace ingot::detail
