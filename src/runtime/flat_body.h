// A loop's body that is nothing but short launches and copies, and choices between them, once it has run a
// few times: what a launch decides is decided for all steps that follow, and of its pointers only those are
// made anew that move with carries and slices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/kernel.h"
#include "runtime/places.h"

namespace ingot::runtime {

struct FlatBody {
  // A launch; a copy; a choice of where to go on, by an index; or where to go on.
  struct Instruction {
    KernelFunction function = nullptr;
    int64_t first = 0;         // unit of a launch
    int64_t units = 0;         // the unit behind its last; bytes of a copy
    void** buffers = nullptr;  // a copy: to, from; a choice: the index
    std::vector<size_t> targets = {};
  };
  struct Moving {
    void** pointer;
    void* const* base;
    int64_t offset;
  };
  std::vector<Instruction> instructions;
  std::vector<std::unique_ptr<void*[]>> pointers;
  std::vector<Moving> moving;
  bool straight = true;  // launches only
  size_t scratch_bytes = 0;

  // A step with the pointers as they are.
  void run_again() {
    // Asked for each time: what else runs on the thread between two steps may have asked for more.
    void* scratch = scratch_bytes > 0 ? thread_scratch(scratch_bytes) : nullptr;
    if (!straight) return run_branches(scratch);
    for (const Instruction& one : instructions) one.function(one.buffers, one.first, one.units, scratch);
  }
  void run() {
    for (const Moving& one : moving) *one.pointer = static_cast<std::byte*>(*one.base) + one.offset;
    run_again();
  }

 private:
  void run_branches(void* scratch);
};

// The body as it is to go on, whose function has run in these places; `again` if it did not begin the loop.
// Nothing if it holds more, launches are to be seen or shared among threads, or the host cannot read where to
// go on.
std::optional<FlatBody> flatten(const Plan& plan, const PlanFunction& function, const Places& places,
                                bool again);

}  // namespace ingot::runtime
