// A compiled kernel as the runtime sees it: one function that works on a range of units, and what is known
// about it. Nothing here knows how the code came to be or for which instruction set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/code_units.h"
#include "ingot/dtype.h"
#include "runtime/device.h"

namespace ingot::runtime {

struct ParameterInfo {
  DType dtype;
  Shape shape;  // in memory
  bool is_output;
  int64_t pitch = 0;        // elements from row to row in memory, where there are gaps between them
  int64_t moved_bytes = 0;  // of those that a launch loads or stores
  Shape order = {};      // of the program's dimensions in memory where it is not theirs, the outermost first
  int64_t reached = -1;  // elements from the launch's pointer on that the kernel may touch; -1: all of them

  // That lie where the launch points to.
  int64_t bytes() const {
    const int64_t elements = reached >= 0 ? reached
                             : pitch == 0 ? element_count(shape)
                                          : element_count(shape) / shape.back() * pitch;
    return elements * static_cast<int64_t>(byte_size(dtype));
  }
};

// The shape that the program knows, of an array that lies in memory with this one; no order is its own.
Shape program_shape(const Shape& stored, const Shape& order);
// "f32[64,8] in the order [1,0] with rows 80 apart": the program's type, and how it lies in memory.
std::string type_text(const ParameterInfo& parameter);

// Where input and output are the same memory, a unit costs so much less.
struct CopiedOutput : CopiedFirst {
  std::vector<double> unit_cost_ns = {0};  // of each phase, or one number for all
};

class KernelProgram;

struct CompiledKernel : CodeUnits {
  std::string name;
  uint64_t hash = 0;  // of the structure, for reports: kernels are the same if they are one object
  std::string kind;   // "elementwise", "scan", "contraction", ... for reports (kernel/ir/kind.cc)
  KernelFunction function = nullptr;
  int64_t bytes_read = 0;  // of the emitted loads and stores, over all units; moved_bytes tells a launch's
  int64_t bytes_written = 0;
  int64_t flops = 0;
  std::vector<ParameterInfo> parameters;
  std::vector<CopiedOutput> copied_first;
  std::vector<std::string> source_lines;  // "file:line" or "file:line in scope", of all launches
  std::shared_ptr<void> code;             // keeps the machine code alive
  // No function, but what a launch calls once for all units (routine.h); its work memory is the shared memory
  // of the launch.
  std::shared_ptr<const KernelProgram> program;
  bool is_routine = false;  // the program is a routine of the runtime, whose flops are not counted
  bool counts_flops() const { return !is_routine; }
};

// What a launch reads and writes: elements that it touches several times count once.
struct MovedBytes {
  int64_t read = 0, written = 0;
  int64_t sum() const { return read + written; }
  bool operator==(const MovedBytes&) const = default;
};
MovedBytes moved_bytes(const CompiledKernel& kernel, void* const* buffers);
// The estimated nanoseconds of one of the units of its phase, in this memory.
double unit_cost(const CompiledKernel& kernel, void* const* buffers, size_t phase);

// Runs the whole kernel: on the calling thread where it is short, on all threads otherwise. Reports to the
// launch log if that is on, with the lines that this launch comes from. A kernel that is a function has ended
// when this returns; of others DeviceMemory::launched() tells.
// `again`: phases that are kept have left their results in the shared memory, at the same place.
void launch(const CompiledKernel& kernel, void* const* buffers, const std::vector<std::string>& source_lines,
            bool again = false);
inline void launch(const CompiledKernel& kernel, void* const* buffers) {
  launch(kernel, buffers, kernel.source_lines);
}

// Whether launch() would only call the kernel's function for all units on this thread: it is short, nobody
// looks, and the stack suffices. Of one launch the answer stays as it is.
bool runs_on_this_thread(const CompiledKernel& kernel, void* const* buffers, bool again = false);

// Units from `begin` to `end`.
struct UnitRange {
  int64_t begin, end;
};
// What of the kernel a launch runs, in that order.
std::vector<UnitRange> launched_units(const CompiledKernel& kernel, bool again);

// Some units: calls the kernel's function, on this thread where its stack suffices, or else on one that has a
// stack for it; an Error names the kernel where the system gives none.
void run_units(const CompiledKernel& kernel, void* const* buffers, int64_t begin, int64_t end, void* scratch);

// For tests: runs every launch in place of launch(), in other pieces and orders, on other threads and in
// other memory, as far as the contract of KernelFunction allows. Null: launch() itself.
using Launcher = void (*)(const CompiledKernel& kernel, void* const* buffers);
void replace_launcher(Launcher launcher);

// Scratch memory of the calling thread, at least `bytes` long, 64-byte aligned. Valid until the thread's next
// call; kept for reuse until the thread ends.
void* thread_scratch(size_t bytes);

}  // namespace ingot::runtime
