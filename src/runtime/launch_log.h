// Every kernel launch, made visible: as a line on stderr with INGOT_LOG=kernels, and to observers (a
// profiler, a test). When nobody watches, a launch pays for one relaxed load.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/options.h"
#include "runtime/kernel.h"

namespace ingot::runtime {

struct LaunchRecord {
  const CompiledKernel& kernel;
  void* const* buffers;  // one per parameter
  const std::vector<std::string>& source_lines;
  int64_t duration_ns = 0;
  int64_t threads = 1;  // that took part

  MovedBytes moved() const { return moved_bytes(kernel, buffers); }
};

// Called on the launching thread, right after the kernel has ended.
using LaunchObserver = std::function<void(const LaunchRecord&)>;

// Installs an observer until the returned handle is destroyed. Any thread may do so at any time; a launch
// that is under way may still report to an observer that was just removed, and keeps it alive meanwhile.
[[nodiscard]] std::shared_ptr<void> observe_launches(LaunchObserver observer);

// "tdma f32[100,8],f32[100] -> f32[100]: 3.2 KB read, 0.4 KB written, 800 flops, 1.2 us, 3.0 GB/s, ..."
std::string describe(const LaunchRecord& record);

// ---- For launch() alone.
inline bool launches_watched() {
  return logs(static_cast<uint32_t>(LogTopic::kKernels) | static_cast<uint32_t>(LogTopic::kObservers));
}
void launch_watched(const CompiledKernel& kernel, void* const* buffers,
                    const std::vector<std::string>& source_lines, bool again = false);
void launch_unlogged(const CompiledKernel& kernel, void* const* buffers, bool again = false);

}  // namespace ingot::runtime
