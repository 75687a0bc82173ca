// Compiles one kernel and runs it on vectors.
#pragma once

#include <cstdlib>
#include <vector>

#include "codegen/codegen.h"
#include "kernel/schedule/schedule.h"

namespace ingot::testing {

// Buffers of a call, in the kernel's order. Vector<bool> has no data(): preds are uint8_t.
class Arguments {
 public:
  template <class T>
  Arguments& add(std::vector<T>& values) {
    pointers_.push_back(values.data());
    return *this;
  }
  Arguments& add(void* values) {
    pointers_.push_back(values);
    return *this;
  }
  void* const* data() const { return pointers_.data(); }
  const std::vector<void*>& pointers() const { return pointers_; }

 private:
  std::vector<void*> pointers_;
};

// A kernel that was written with its styles, as the schedule's last step leaves it.
inline kernel::Kernel with_code_chosen(kernel::Kernel kernel, const kernel::Target& target) {
  kernel::choose_code(kernel, target);
  kernel::verify(kernel);
  return kernel;
}

inline codegen::Code compile_one(const kernel::Kernel& kernel, const kernel::Target& target,
                                 const CodeOptions& options = {}) {
  const kernel::Kernel scheduled = with_code_chosen(kernel, target);
  const kernel::Kernel* pointer = &scheduled;
  return std::move(codegen::compile(std::span(&pointer, 1), target, options)[0]);
}

// Runs the units of each phase in three ranges, the last one first: they are independent.
inline void run(const codegen::Code& code, const Arguments& arguments) {
  void* scratch = std::aligned_alloc(64, (code.scratch_bytes + 64) / 64 * 64);
  void* shared = std::aligned_alloc(64, static_cast<size_t>(code.shared_bytes + 64) / 64 * 64);
  std::vector<void*> buffers = arguments.pointers();
  if (code.shared_bytes > 0) buffers.push_back(shared);
  std::vector<int64_t> ends = code.barriers;
  ends.push_back(code.units);
  int64_t first = 0;
  for (int64_t end : ends) {
    const int64_t a = first + (end - first) / 3, b = end - (end - first) / 4;
    code.function(buffers.data(), b, end, scratch);
    code.function(buffers.data(), a, b, scratch);
    code.function(buffers.data(), first, a, scratch);
    first = end;
  }
  std::free(scratch);
  std::free(shared);
}

inline void run(const kernel::Kernel& kernel, const kernel::Target& target, const Arguments& arguments) {
  run(compile_one(kernel, target), arguments);
}

}  // namespace ingot::testing
