// The judge: a plain, slow evaluator that defines what a program means.
//
// Every operation is computed by the reference semantics of its record, on whole arrays in host memory, one
// after the other. Compiled programs are tested against it.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "base/tensor.h"
#include "ir/ir.h"

namespace ingot {

// Told of every value, those of regions and callees too, each time when it is computed.
using Observer = std::function<void(const ir::Value& value, const Tensor& tensor)>;

// The results of the module's entry function, or of any function. Throws ingot::Error if the arguments do not
// have the types of the function's.
std::vector<Tensor> interpret(const ir::Module& module, std::span<const Tensor> arguments,
                              const Observer& observer = nullptr);
std::vector<Tensor> interpret(const ir::Function& function, std::span<const Tensor> arguments,
                              const Observer& observer = nullptr);

}  // namespace ingot
