#include "runtime/kernel.h"

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "base/float_environment.h"
#include "base/options.h"
#include "base/stack.h"
#include "base/thread_value.h"
#include "ingot/error.h"
#include "kernel/cost/table.h"
#include "runtime/buffer_pool.h"
#include "runtime/launch_log.h"
#include "runtime/plan_copy.h"
#include "runtime/routine.h"
#include "runtime/thread_pool.h"

namespace ingot::runtime {
namespace {

// Below this estimate a kernel runs on its calling thread. Fork and join cost far less while the workers are
// awake, but a launch that wakes them pays a system call of a few microseconds and gets no help in this time.
using prices::kSerialBelowNs;
// Chunks of less work than this would be dominated by taking them, and by the false start of each range.
using prices::kLeastChunkNs;
// Chunks per thread: enough for threads that come late or are slowed down.
constexpr int64_t kChunksPerThread = 4;
// The last chunks are cut once more: whoever comes first takes the next piece.
constexpr int64_t kPiecesOfLast = 4;
// A frame of that many bytes is there without a question: a run itself takes as much (executable.cc).
constexpr size_t kSmallFrame = 4096;
// What a kernel calls of the process besides (functions for rare numbers, copies of memory), and a signal.
constexpr size_t kStackForTheRest = 16 << 10;

std::atomic<Launcher> other_launcher{nullptr};

// Units that begin at `first` instead of 0.
struct Phase {
  const CompiledKernel* kernel;
  void* const* buffers;
  int64_t first;
};

struct Scratch {
  std::shared_ptr<Buffer> buffer;
};

void run_range(void* context, int64_t begin, int64_t end) {
  const auto& [kernel, buffers, first] = *static_cast<const Phase*>(context);
  void* memory = kernel->scratch_bytes > 0 ? thread_scratch(kernel->scratch_bytes) : nullptr;
  run_units(*kernel, buffers, first + begin, first + end, memory);
}

// Kernels of thousands of operations have frames of some hundred KiB; threads may have less (ulimit -s, which
// is what the pool's get, too).
[[gnu::noinline]] void run_on_larger_stack(const CompiledKernel& kernel, void* const* buffers, int64_t begin,
                                           int64_t end, void* scratch) {
  struct Units {
    const CompiledKernel& kernel;
    void* const* buffers;
    int64_t begin, end;
    void* scratch;
  } units{kernel, buffers, begin, end, scratch};
  const size_t wanted = kernel.stack_bytes + kStackForTheRest;
  const auto run = [](void* context) {
    const Units& u = *static_cast<const Units*>(context);
    const FloatEnvironment environment;
    u.kernel.function(u.buffers, u.begin, u.end, u.scratch);
  };
  if (run_on_stack(wanted, run, &units)) return;
  throw Error(
      "the kernel '" + kernel.name + "' takes " + std::to_string(wanted >> 10) +
      " KiB of stack, but this thread has " + std::to_string(stack_left() >> 10) +
      " KiB left, and the system gives no other one; give this one more (ulimit -s, or the attributes "
      "of the thread)");
}

Grain grain_of(double unit_cost_ns, int64_t units) {
  int64_t most_chunks = num_threads() * kChunksPerThread;
  double least_units = kLeastChunkNs / std::max(unit_cost_ns, 1e-3);
  int64_t by_cost = least_units < static_cast<double>(units) ? static_cast<int64_t>(least_units) + 1 : units;
  int64_t whole = std::max(by_cost, (units - 1) / most_chunks + 1);
  return {whole, std::max(by_cost, (whole - 1) / kPiecesOfLast + 1)};
}

void run_phase(const CompiledKernel& kernel, void* const* buffers, int64_t first, int64_t end,
               double unit_cost_ns) {
  if (end <= first) return;
  Phase phase{&kernel, buffers, first};
  parallel_for(end - first, grain_of(unit_cost_ns, end - first), run_range, &phase);
}

// Whether the launch begins with a copy of much, which all threads had better share.
bool copies_much(const CompiledKernel& kernel, const CopiedOutput& copied, void* const* buffers) {
  return buffers[copied.input] != buffers[copied.output] &&
         kernel.parameters[static_cast<size_t>(copied.output)].bytes() > prices::kSmallCache;
}

// Copies what outputs begin as, and runs the kernel on them in place.
void run_after_copies(const CompiledKernel& kernel, void* const* buffers) {
  std::vector<void*> placed(buffers, buffers + kernel.parameters.size() + (kernel.shared_bytes > 0 ? 1 : 0));
  for (const CopiedOutput& copied : kernel.copied_first) {
    if (!copies_much(kernel, copied, placed.data())) continue;
    void *const from = placed[static_cast<size_t>(copied.input)],
                *to = placed[static_cast<size_t>(copied.output)];
    const int64_t bytes = kernel.parameters[static_cast<size_t>(copied.output)].bytes();
    copy_unlogged(to, from, bytes);
    placed[static_cast<size_t>(copied.input)] = to;
  }
  Phase whole{&kernel, placed.data(), 0};
  run_range(&whole, 0, kernel.units);
}

}  // namespace

void run_units(const CompiledKernel& kernel, void* const* buffers, int64_t begin, int64_t end,
               void* scratch) {
  if (kernel.stack_bytes > kSmallFrame && stack_left() < kernel.stack_bytes + kStackForTheRest) [[unlikely]] {
    run_on_larger_stack(kernel, buffers, begin, end, scratch);
  } else {
    kernel.function(buffers, begin, end, scratch);
  }
}

void* thread_scratch(size_t bytes) {
  auto& scratch = thread_value<Scratch, Scratch>();
  if (!scratch.buffer || scratch.buffer->bytes() < bytes) {
    scratch.buffer = nullptr;  // first, so that both need not exist at once
    scratch.buffer = BufferPool::global().allocate(bytes, "scratch of a thread");
  }
  return scratch.buffer->data();
}

Shape program_shape(const Shape& stored, const Shape& order) {
  Shape shape = stored;
  for (size_t i = 0; i < order.size(); ++i) shape[static_cast<size_t>(order[i])] = stored[i];
  return shape;
}

std::string type_text(const ParameterInfo& parameter) {
  std::string text = std::string(name_of(parameter.dtype)) +
                     ingot::to_string(program_shape(parameter.shape, parameter.order));
  if (!parameter.order.empty()) text += " in the order " + ingot::to_string(parameter.order);
  if (parameter.pitch > 0) text += " with rows " + std::to_string(parameter.pitch) + " apart";
  return text;
}

MovedBytes moved_bytes(const CompiledKernel& kernel, void* const* buffers) {
  MovedBytes moved{kernel.bytes_read, kernel.bytes_written};
  for (const CopiedOutput& copied : kernel.copied_first) {
    if (buffers[copied.input] != buffers[copied.output]) continue;
    moved.read -= copied.bytes_read;
    moved.written -= copied.bytes_written;
  }
  return moved;
}

double unit_cost(const CompiledKernel& kernel, void* const* buffers, size_t phase) {
  const auto of_phase = [&](const std::vector<double>& costs) {
    return costs[std::min(phase, costs.size() - 1)];
  };
  double cost = of_phase(kernel.unit_cost_ns);
  for (const CopiedOutput& copied : kernel.copied_first) {
    if (buffers[copied.input] == buffers[copied.output]) cost -= of_phase(copied.unit_cost_ns);
  }
  return std::max(cost, 0.0);
}

// The phases of a kernel that run, in their order: the number of each, its first unit, and the one behind its
// last.
template <class Fn>
void for_each_phase(const CompiledKernel& kernel, bool again, Fn fn) {
  int64_t first = 0;
  size_t phase = 0;
  const auto one = [&](int64_t end) {
    const int64_t begin = std::exchange(first, end);
    const bool kept = again && phase < 64 && (kernel.kept_phases >> phase & 1) != 0;
    if (!kept) fn(phase, begin, end);
    ++phase;
  };
  for (const int64_t barrier : kernel.barriers) one(barrier);
  one(kernel.units);
}

std::vector<UnitRange> launched_units(const CompiledKernel& kernel, bool again) {
  std::vector<UnitRange> ranges;
  for_each_phase(kernel, again, [&](size_t, int64_t first, int64_t end) {
    if (!ranges.empty() && ranges.back().end == first)
      ranges.back().end = end;
    else
      ranges.push_back({first, end});
  });
  return ranges;
}

bool runs_serially(const CompiledKernel& kernel, void* const* buffers, bool again) {
  if (kernel.units <= 1) return true;
  double ns = 0;
  for_each_phase(kernel, again, [&](size_t phase, int64_t first, int64_t end) {
    ns += static_cast<double>(end - first) * unit_cost(kernel, buffers, phase);
  });
  return ns < kSerialBelowNs;
}

void launch_unlogged(const CompiledKernel& kernel, void* const* buffers, bool again) {
  if (kernel.units <= 0) return;
  if (kernel.function == nullptr) return run_program(kernel, buffers);
  if (kernel.units == 1) {
    for (const CopiedOutput& copied : kernel.copied_first) {
      if (copies_much(kernel, copied, buffers)) return run_after_copies(kernel, buffers);
    }
  }
  again = again && kernel.kept_phases != 0;
  if (runs_serially(kernel, buffers, again)) {
    Phase whole{&kernel, buffers, 0};
    if (!again) return run_range(&whole, 0, kernel.units);
    return for_each_phase(kernel, again,
                          [&](size_t, int64_t first, int64_t end) { run_range(&whole, first, end); });
  }
  for_each_phase(kernel, again, [&](size_t phase, int64_t first, int64_t end) {
    run_phase(kernel, buffers, first, end, unit_cost(kernel, buffers, phase));
  });
}

bool runs_on_this_thread(const CompiledKernel& kernel, void* const* buffers, bool again) {
  return kernel.units > 0 && kernel.function != nullptr &&
         other_launcher.load(std::memory_order_relaxed) == nullptr && !launches_watched() &&
         runs_serially(kernel, buffers, again) &&
         (kernel.stack_bytes <= kSmallFrame || stack_left() >= kernel.stack_bytes + kStackForTheRest);
}

void replace_launcher(Launcher launcher) {
  other_launcher.store(launcher);
}

void launch(const CompiledKernel& kernel, void* const* buffers, const std::vector<std::string>& source_lines,
            bool again) {
  if (Launcher launcher = other_launcher.load(std::memory_order_relaxed)) [[unlikely]] {
    launcher(kernel, buffers);
  } else if (launches_watched()) [[unlikely]] {
    launch_watched(kernel, buffers, source_lines, again);
  } else {
    launch_unlogged(kernel, buffers, again);
  }
}

}  // namespace ingot::runtime
