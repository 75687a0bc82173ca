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

// Is shown what each operation has made, those within regions and callees included, before anything reads it,
// and may put something else of the same types in its place. Tensors share their bytes: what is to be changed
// must be copied first.
class Interceptor {
 public:
  virtual ~Interceptor() = default;
  virtual void made(const ir::Op& op, std::span<const Tensor> operands, std::vector<Tensor>& results) = 0;
};

// The results of the module's entry function, or of any function. Throws ingot::Error if the arguments do not
// have the types of the function's.
std::vector<Tensor> interpret(const ir::Module& module, std::span<const Tensor> arguments,
                              const Observer& observer = nullptr);
std::vector<Tensor> interpret(const ir::Function& function, std::span<const Tensor> arguments,
                              const Observer& observer = nullptr);
std::vector<Tensor> interpret(const ir::Function& function, std::span<const Tensor> arguments,
                              Interceptor& interceptor);

}  // namespace ingot
