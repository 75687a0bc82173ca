// What a launch calls once, for all units, in place of a kernel's function: a kernel that is no function of
// this process, or a routine of the runtime that works on whole arrays. To the plan, the log and all reports
// a routine is a kernel of one unit, whose kind is the routine's name.
//
// A routine shares its work out among threads itself. What it writes must not depend on their number: it cuts
// its work by sizes alone. Its work memory lies in the frame of the plan; of the arrays none overlaps another
// one that it writes.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "runtime/kernel.h"
#include "runtime/thread_pool.h"

namespace ingot::runtime {

// How many threads took part in one launch, if somebody wants to know.
class RoutineThreads {
 public:
  RoutineThreads();
  void come_by();
  int64_t count() const { return count_.load(); }

 private:
  uint64_t launch_;
  std::atomic<int64_t> count_{0};
};

struct RoutineCall {
  void* const* buffers;  // one per parameter, inputs first; of a device their handles
  std::byte* work;       // work_bytes long, 64-byte aligned, with any contents
  RoutineThreads* threads = nullptr;

  template <class T>
  const T* input(size_t parameter) const {
    return static_cast<const T*>(buffers[parameter]);
  }
  // Calls body(i) for all i below `count`, on several threads if there are several of them.
  template <class Body>
  void for_each(int64_t count, const Body& body) const {
    parallel_for(count, 1, [&](int64_t begin, int64_t end) {
      if (threads != nullptr) threads->come_by();
      for (int64_t i = begin; i < end; ++i) body(i);
    });
  }
};

class KernelProgram {
 public:
  virtual ~KernelProgram() = default;
  // Where the kernel runs on a device, this may return before it has ended (DeviceMemory::launched).
  virtual void run(const RoutineCall& call) const = 0;
};

class Routine : public KernelProgram {
 public:
  virtual std::string name() const = 0;
  // All that its meaning depends on besides the parameters, as text: equal ones are the same routine.
  virtual std::string form() const = 0;
  virtual int64_t work_bytes() const = 0;
};

// Runs the launch of a kernel that has a program.
void run_program(const CompiledKernel& kernel, void* const* buffers, RoutineThreads* threads = nullptr);

}  // namespace ingot::runtime
