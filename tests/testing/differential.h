// Compiled programs against interpreted ones.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ir/ir.h"
#include "kernel/kernel_ir.h"

namespace ingot::testing {

struct DifferentialOptions {
  bool machine_code = true;               // else only the kernels as the kernel interpreter runs them
  bool all_targets = true;                // every vector width of this machine, not just the widest
  bool passes = true;                     // else the program consists of kernels already
  std::vector<kernel::Target> targets{};  // instead of those of this machine
};

// Compiles the program, runs it on random arguments in several ways, and compares: with the interpreter,
// within tolerance (one per result; empty: by dtype); with itself, run again and on one and two threads, bit
// by bit; with results in the memory of donated arguments; without fma. Also looks at the bytes behind every
// result, and at the arguments, which must not change unless they are donated.
//
// Says what is wrong, in a text that begins with its kind ("values", "bits", "memory", "error") and a colon.
// Empty if nothing is.
std::string check_compiled(const ir::Module& module, std::span<const double> tolerances, uint64_t seed,
                           const DifferentialOptions& options = {});

// Tolerance for results of programs that nobody has analysed.
double tolerance_of(DType dtype);

}  // namespace ingot::testing
