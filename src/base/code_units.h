// What is told of a kernel's code, whoever has made it: in which units it runs, and what it takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ingot {

// Processes the units [begin, end) of the kernel's band. `buffers` holds one pointer per parameter, inputs
// and outputs in the kernel's own order, and behind them shared memory of the launch, if the kernel wants
// any. `scratch` is 64-byte aligned memory of the calling thread, scratch_bytes long, with unspecified
// contents. Units between two barriers are independent: any split into ranges gives the same bits.
using KernelFunction = void (*)(void* const* buffers, int64_t begin, int64_t end, void* scratch);

// How code is made, whatever the device.
struct CodeOptions {
  bool fma_contraction = true;  // may a * b + c round once?
  bool keep_text = false;       // keep the texts of what is made on the way, for dumps
};

// An output that begins as a copy of an input and is then updated. Where both are the same memory, nothing is
// copied; the bytes are those that copying adds.
struct CopiedFirst {
  int input = 0, output = 0;  // by their numbers among the kernel's parameters
  int64_t bytes_read = 0, bytes_written = 0;
};

struct CodeUnits {
  int64_t units = 1;
  // Ascending numbers of units: all units before a barrier are done before those from it on begin.
  std::vector<int64_t> barriers;
  // The phases, one bit each, that need not run again at the next step of a loop, if the shared memory is
  // kept.
  uint64_t kept_phases = 0;
  size_t scratch_bytes = 0;  // of each thread
  size_t stack_bytes = 0;    // that the function takes of the stack, with all that it calls
  int64_t shared_bytes = 0;  // of the launch, 64-byte aligned: what phases hand to each other
  // Estimated time of one unit on one thread, with all that may have to be copied: of each phase, or one
  // number for all.
  std::vector<double> unit_cost_ns = {0};
};

// As whoever makes code tells it.
struct MadeUnits : CodeUnits {
  // What each of the kernel's `copied_first` adds to the cost of a unit of each phase.
  std::vector<std::vector<double>> copying_cost_ns = {};
};

}  // namespace ingot
