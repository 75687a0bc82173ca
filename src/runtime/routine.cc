#include "runtime/routine.h"

#include <utility>

namespace ingot::runtime {
namespace {

std::atomic<uint64_t> watched_routines{0};
thread_local constinit uint64_t last_watched_routine = 0;

}  // namespace

RoutineThreads::RoutineThreads() : launch_(watched_routines.fetch_add(1, std::memory_order_relaxed) + 1) {}

void RoutineThreads::come_by() {
  if (std::exchange(last_watched_routine, launch_) != launch_) count_.fetch_add(1, std::memory_order_relaxed);
}

void run_program(const CompiledKernel& kernel, void* const* buffers, RoutineThreads* threads) {
  void* work = kernel.shared_bytes > 0 ? buffers[kernel.parameters.size()] : nullptr;
  kernel.program->run({buffers, static_cast<std::byte*>(work), threads});
}

}  // namespace ingot::runtime
