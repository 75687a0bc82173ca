// Runs kernels as their text says, scalar by scalar, and whole programs kernel by kernel. It stands between
// the interpreter of the array IR and machine code: what differs here is the fault of fusion, lowering or
// schedule, and what differs only in machine code is the fault of code generation. It also checks what
// machine code cannot: every element of an output is written, nothing is read before it was written, no
// access leaves its buffer.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/tensor.h"
#include "ir/ir.h"
#include "kernel/ir/kernel_ir.h"
#include "kernel/ir/target.h"

namespace ingot::testing {

struct KernelRun {
  std::vector<Tensor> outputs;
  std::vector<int64_t> elements_touched;  // of each parameter: how many different ones were read or written
};

// Throws InternalError where the kernel breaks a rule. `backwards` takes independent points in reverse order.
KernelRun run_kernel(const kernel::Kernel& kernel, std::span<const Tensor> inputs, bool backwards = false);

struct LoweredOptions {
  const kernel::Target* target = nullptr;  // null: kernels as they are lowered, without a schedule
  bool backwards = false;
  // Sees every run of a kernel.
  std::function<void(const kernel::Kernel&, std::span<const Tensor> inputs, const KernelRun&)> seen{};
};

// The results of the entry function of a program that has passed fusion: its kernels are lowered, verified,
// scheduled, verified again and run; all else is done by the reference semantics.
std::vector<Tensor> run_lowered(const ir::Module& module, std::span<const Tensor> arguments,
                                const LoweredOptions& options = {});

}  // namespace ingot::testing
