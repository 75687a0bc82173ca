// Machine code by the structure of kernels: the same kernel is compiled once in a process, whichever program
// it came from. Thread-safe.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "codegen/codegen.h"
#include "kernel/kernel_ir.h"

namespace ingot::compiler {

struct CachedKernel {
  uint64_t hash = 0;  // of the kernel before its schedule: the same on every machine
  kernel::Kernel scheduled;
  codegen::Code code;
};

struct KernelRequest {
  uint64_t hash;
  kernel::Kernel kernel;  // not scheduled
};

struct CacheAnswer {
  std::vector<std::shared_ptr<const CachedKernel>> kernels;  // one per request
  int compiled = 0;                                          // how many were not there yet
  double schedule_ms = 0, codegen_ms = 0;
};

// Compiles what is missing, in parallel.
CacheAnswer find_or_compile(std::vector<KernelRequest> requests, const kernel::Target& target,
                            const codegen::Options& options);

}  // namespace ingot::compiler
