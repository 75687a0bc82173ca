// Runs an executable on tensors, wherever its memory is.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/tensor.h"
#include "runtime/buffer_pool.h"
#include "runtime/executable.h"

namespace ingot::testing {

// With `donate`, results may take the memory of arguments.
inline std::vector<Tensor> run_executable(const runtime::Executable& executable,
                                          std::span<const Tensor> arguments, bool donate = false) {
  const runtime::DeviceMemory& memory = *executable.plan().memory;
  std::vector<std::shared_ptr<runtime::Buffer>> given, made;
  std::vector<const void*> in;
  std::vector<void*> out;
  for (const Tensor& argument : arguments) {
    given.push_back(memory.allocate(argument.bytes(), "an argument"));
    memory.write(given.back()->data(), argument.raw(), argument.bytes());
    in.push_back(given.back()->data());
  }
  for (const runtime::BufferInfo& info : executable.entry().results) {
    const int32_t alias = donate ? info.may_alias_argument : -1;
    made.push_back(alias >= 0 ? given[static_cast<size_t>(alias)]
                              : memory.allocate(static_cast<size_t>(info.bytes()), "a result"));
    out.push_back(made.back()->data());
  }
  executable.run(in.data(), out.data());
  std::vector<Tensor> results;
  for (size_t i = 0; i < made.size(); ++i) {
    const runtime::BufferInfo& info = executable.entry().results[i];
    Tensor& result = results.emplace_back(info.dtype, info.shape);
    memory.read(result.raw(), made[i]->data(), result.bytes());
  }
  return results;
}

}  // namespace ingot::testing
