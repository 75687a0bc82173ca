// Compiles one kernel and runs it on vectors.
#pragma once

#include <cstdlib>

#include "codegen/codegen.h"

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

 private:
  std::vector<void*> pointers_;
};

inline codegen::Code compile_one(const kernel::Kernel& kernel, const kernel::Target& target,
                                 const codegen::Options& options = {}) {
  const kernel::Kernel* pointer = &kernel;
  return std::move(codegen::compile(std::span(&pointer, 1), target, options)[0]);
}

// Runs the units in three ranges, the last one first: units are independent.
inline void run(const codegen::Code& code, const Arguments& arguments) {
  void* scratch = std::aligned_alloc(64, (code.scratch_bytes + 64) / 64 * 64);
  const int64_t a = code.units / 3, b = code.units - code.units / 4;
  code.function(arguments.data(), b, code.units, scratch);
  code.function(arguments.data(), a, b, scratch);
  code.function(arguments.data(), 0, a, scratch);
  std::free(scratch);
}

inline void run(const kernel::Kernel& kernel, const kernel::Target& target, const Arguments& arguments) {
  run(compile_one(kernel, target), arguments);
}

}  // namespace ingot::testing
