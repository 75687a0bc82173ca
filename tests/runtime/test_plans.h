// Plans of a few steps over f32 arrays, made by hand, and their runs.
#pragma once

#include <utility>
#include <vector>

#include "runtime/executable.h"
#include "test_kernels.h"

namespace ingot::runtime {

using Floats = std::vector<float>;

inline BufferInfo buffer(const char* name, Shape shape, int32_t may_alias = -1) {
  return {name, DType::kF32, std::move(shape), may_alias};
}

inline Floats run(const Executable& executable, std::vector<Floats> arguments) {
  std::vector<const void*> argument_pointers;
  for (const Floats& argument : arguments) argument_pointers.push_back(argument.data());
  Floats result(static_cast<size_t>(executable.entry().results[0].bytes() / 4), -1);
  void* results[] = {result.data()};
  executable.run(argument_pointers.data(), results);
  return result;
}

// A loop whose body is carry' = carry + x_t, emitted = carry'. Inputs [steps, n] or [n, steps] by the axis.
inline Plan cumulative_plan(int64_t steps, int64_t n, int32_t axis, bool reverse) {
  Plan plan;
  plan.name = "cumulative";
  plan.kernels = {add_kernel(n)};
  Shape stacked = axis == 0 ? Shape{steps, n} : Shape{n, steps};
  PlanFunction body{"body",
                    {buffer("carry", {n}), buffer("x_t", {n})},
                    {buffer("next", {n}), buffer("emit", {n})},
                    0,
                    {LaunchStep{0, {Location::argument(0), Location::argument(1), Location::result(0)}},
                     CopyStep{Location::result(0), Location::result(1), 4 * n}},
                    {}};
  LoopStep loop;
  loop.function = 1;
  loop.trip_count = steps;
  loop.reverse = reverse;
  loop.carries = {{Location::argument(0), Location::result(1), 4 * n, 0}};
  loop.inputs = {{Location::argument(1), stacked, axis, 4, 1024}};
  loop.outputs = {{Location::result(0), stacked, axis, 4, 2048}};
  loop.frame_offset = 4096;
  PlanFunction main{"main",
                    {buffer("start", {n}), buffer("x", stacked)},
                    {buffer("y", stacked), buffer("last", {n}, 0)},
                    4096,
                    {loop},
                    {}};
  plan.functions = {main, body};
  return plan;
}

}  // namespace ingot::runtime
