// Code generation for a cache of kernels.
#pragma once

#include <exception>
#include <span>
#include <vector>

#include "codegen/codegen.h"

namespace ingot::codegen {

struct Outcome {
  Code code;
  std::exception_ptr error;  // what the kernel has thrown; the others are compiled nevertheless
};

// As compile().
std::vector<Outcome> compile_each(std::span<const kernel::Kernel* const> kernels,
                                  const kernel::Target& target, const CodeOptions& options);

// What the machine code takes in memory: whole pages.
size_t machine_code_bytes(const Code& code);

}  // namespace ingot::codegen
