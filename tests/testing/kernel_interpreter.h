// Runs whole programs kernel by kernel, scalar by scalar. It stands between the interpreter of the array IR
// and machine code: what differs here is the fault of fusion, lowering or schedule, and what differs only in
// machine code is the fault of code generation.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "backend/interpret/kernel_interpreter.h"
#include "base/tensor.h"
#include "ir/ir.h"
#include "kernel/ir/kernel_ir.h"
#include "kernel/ir/target.h"

namespace ingot::testing {

using backend::KernelRun;
using backend::run_kernel;

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
