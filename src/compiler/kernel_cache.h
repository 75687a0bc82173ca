// Code by the structure of kernels and the back end that made it: the same kernel is compiled once in a
// process, whichever program it came from. Thread-safe; no lock is held while a kernel is compiled, but who
// wants a kernel that another thread is compiling waits for that one.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "kernel/ir/kernel_ir.h"
#include "kernel/ir/target.h"

namespace ingot::compiler {

// Two of them are the same kernel exactly if they are the same object.
struct CachedKernel {
  uint64_t hash = 0;  // of the kernel before its schedule: the same on every machine
  kernel::Kernel scheduled;
  backend::Code code;
};

// How an operation is computed: by a kernel, whose inputs begin so many elements behind where their arrays
// do.
struct Implementation {
  std::shared_ptr<const CachedKernel> kernel;
  std::vector<int64_t> input_starts;
};

struct KernelRequest {
  uint64_t hash;
  std::string form;       // canonical_form() of the kernel; equal hashes are compared by it
  kernel::Kernel kernel;  // not scheduled
};

struct CacheAnswer {
  std::vector<std::shared_ptr<const CachedKernel>> kernels;  // one per request
  int compiled = 0;                                          // how many were not there yet
  double schedule_ms = 0, codegen_ms = 0;
};

// Compiles what is missing, in parallel. Where a kernel cannot be compiled, all who wait for it get the
// error, and the next one to ask tries again.
CacheAnswer find_or_compile(std::vector<KernelRequest> requests, const backend::Backend& backend,
                            const kernel::Target& target, const CodeOptions& options);

struct KernelCacheUse {
  int64_t entries = 0, bytes = 0, hits = 0, misses = 0, evictions = 0;
};
KernelCacheUse kernel_cache_use();
// Drops kernels that no program has, those first that were asked for least recently, until the others take at
// most so many bytes. Returns what they take.
int64_t trim_kernels(int64_t bytes);

}  // namespace ingot::compiler
