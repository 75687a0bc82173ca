// Kernels written by hand, with the ABI of compiled ones.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "runtime/kernel.h"

namespace ingot::runtime {

inline std::shared_ptr<CompiledKernel> make_kernel(std::string name, uint64_t hash, KernelFunction function,
                                                   int64_t units, std::vector<ParameterInfo> parameters,
                                                   double unit_cost_ns = 1) {
  auto kernel = std::make_shared<CompiledKernel>();
  kernel->name = std::move(name);
  kernel->hash = hash;
  kernel->kind = "loop";
  kernel->function = function;
  kernel->units = units;
  kernel->unit_cost_ns = {unit_cost_ns};
  for (const ParameterInfo& parameter : parameters) {
    int64_t bytes = element_count(parameter.shape) * static_cast<int64_t>(byte_size(parameter.dtype));
    (parameter.is_output ? kernel->bytes_written : kernel->bytes_read) += bytes;
  }
  kernel->parameters = std::move(parameters);
  return kernel;
}

// out[i] = a[i] + b[i], one element a unit.
inline std::shared_ptr<CompiledKernel> add_kernel(int64_t n, double unit_cost_ns = 1) {
  KernelFunction function = [](void* const* buffers, int64_t begin, int64_t end, void*) {
    const float *a = static_cast<const float*>(buffers[0]), *b = static_cast<const float*>(buffers[1]);
    float* out = static_cast<float*>(buffers[2]);
    for (int64_t i = begin; i < end; ++i) out[i] = a[i] + b[i];
  };
  auto kernel = make_kernel("add", 11, function, n,
                            {{DType::kF32, {n}, false}, {DType::kF32, {n}, false}, {DType::kF32, {n}, true}},
                            unit_cost_ns);
  kernel->flops = n;
  return kernel;
}

// out[i] = 2 * a[i]
inline std::shared_ptr<CompiledKernel> double_kernel(int64_t n) {
  KernelFunction function = [](void* const* buffers, int64_t begin, int64_t end, void*) {
    const float* a = static_cast<const float*>(buffers[0]);
    float* out = static_cast<float*>(buffers[1]);
    for (int64_t i = begin; i < end; ++i) out[i] = 2 * a[i];
  };
  return make_kernel("double", 22, function, n, {{DType::kF32, {n}, false}, {DType::kF32, {n}, true}});
}

}  // namespace ingot::runtime
