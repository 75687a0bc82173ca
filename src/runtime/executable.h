// A program that is ready to run: a verified launch plan together with its kernels.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ingot/error.h"
#include "runtime/plan.h"

namespace ingot::runtime {

// The user's mistake that shows between steps: a loop that runs longer than it may. Where it stands is told.
struct StepError : Error {
  using Error::Error;
};

class Executable {
 public:
  explicit Executable(Plan plan);  // verifies the plan

  // Runs the entry function. One pointer per argument and per result, in the plan's memory, 64-byte aligned,
  // results at least as long as their BufferInfo says. A result may be given the pointer of the argument that
  // it may alias (a donation); apart from that results overlap nothing. Any number of threads may run at
  // once. The caller's floating-point environment has no influence and stays as it is
  // (base/float_environment.h). Throws a StepError where a loop exceeds its bound, and RunStopped where a
  // condition of the calling thread ends it; arguments are as they were then, but for what is donated.
  void run(const void* const* arguments, void* const* results) const;
  // The same in a frame of the caller's: frame_bytes() long, 64-byte aligned, with any contents.
  void run(const void* const* arguments, void* const* results, void* frame) const;

  const Plan& plan() const { return plan_; }
  const PlanFunction& entry() const { return plan_.functions[plan_.entry]; }
  const std::string& name() const { return plan_.name; }

  // The different kernels, in the order of their first launch.
  const std::vector<std::shared_ptr<const CompiledKernel>>& kernels() const { return kernels_; }

  int64_t launch_count() const { return launch_count_; }  // kernel launches of one run, loops multiplied out
  // Whether that, like the numbers below, is only the least: a loop without a count takes no step, and of
  // several branches the one with fewest launches runs.
  bool counts_are_least() const { return counts_are_least_; }
  int64_t copy_count() const { return copy_count_; }  // copies of one run, slices of loops included
  int64_t copy_launch_count() const { return copy_launch_count_; }  // launches of kernels that only copy

  int64_t frame_bytes() const { return entry().frame_bytes; }
  // Memory that one run needs: arguments, results, constants, the frame, and the largest scratch of a thread.
  int64_t peak_bytes() const { return peak_bytes_; }

 private:
  Plan plan_;
  std::vector<std::shared_ptr<const CompiledKernel>> kernels_;
  std::vector<const void*> constants_;
  int64_t launch_count_ = 0;
  int64_t copy_count_ = 0;
  int64_t copy_launch_count_ = 0;
  bool counts_are_least_ = false;
  int64_t peak_bytes_ = 0;
  int64_t pointer_slots_ = 0;  // pointers that a run lays out for launches and calls, nested ones included
  int64_t stack_frame_bytes_ = 0;  // frames of up to so many lie on the stack of who runs it
  const char* frame_label_ = nullptr;
};

inline std::string to_string(const Executable& executable) {
  return to_string(executable.plan());
}

}  // namespace ingot::runtime
