// In which order kernels are compiled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernel/ir/kernel_ir.h"

namespace ingot::codegen {

// How long a kernel takes to compile, in the instructions that about become of it.
double expected_length(const kernel::Kernel& kernel);

struct CompileOrder {
  std::vector<size_t> kernels;  // in the order in which they are begun
  bool least_first = false;     // next to nothing is compiled ahead of them
};

// For kernels of these lengths: the longest are begun first, so that no thread is left with a long one at the
// end. But the first compilation of a process goes on alone, while LLVM makes what it makes once: that is the
// shortest kernel, or next to nothing where all ends earlier so. In the order given on one thread.
CompileOrder compile_order(std::span<const double> lengths, int64_t threads, bool first_of_process);

}  // namespace ingot::codegen
