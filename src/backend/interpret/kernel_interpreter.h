// Runs kernels as their text says, scalar by scalar, by the reference semantics of their operations. It
// checks what machine code cannot: nothing is read before it was written, no access leaves its buffer, and,
// for tests, every element of an output is written.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/tensor.h"
#include "kernel/ir/kernel_ir.h"

namespace ingot::backend {

struct KernelRun {
  std::vector<Tensor> outputs;
  std::vector<int64_t> elements_touched;  // of each parameter: how many different ones were read or written
};

// Throws InternalError where the kernel breaks a rule. `backwards` takes independent points in reverse order.
KernelRun run_kernel(const kernel::Kernel& kernel, std::span<const Tensor> inputs, bool backwards = false);

// The same in memory, as a launch does, again and again.
class KernelInterpreter {
 public:
  explicit KernelInterpreter(kernel::Kernel kernel);
  ~KernelInterpreter();

  const kernel::Kernel& kernel() const { return kernel_; }
  // A pointer per parameter. All inputs are read before an output is written, so that an output may lie in
  // the place of an input. Any number of threads may run it at once.
  void run(void* const* buffers) const;

 private:
  struct Idle;
  kernel::Kernel kernel_;
  std::unique_ptr<Idle> idle_;
};

}  // namespace ingot::backend
