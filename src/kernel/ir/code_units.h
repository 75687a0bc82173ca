// What is told of a kernel's code, whoever has made it: in which units it runs, and what it takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ingot::kernel {

struct CodeUnits {
  int64_t units = 1;
  std::vector<int64_t> barriers;  // all units before one of these are done before those behind it begin
  size_t scratch_bytes = 0;       // of each thread
  size_t shared_bytes = 0;        // of the launch
  size_t stack_bytes = 0;         // what the function and those that it calls take of the stack
  // Rough estimates: of a unit of each phase, with all that may have to be copied; and what each of the
  // kernel's `copied_first` adds to that.
  std::vector<double> unit_cost_ns = {};
  std::vector<std::vector<double>> copying_cost_ns = {};
};

}  // namespace ingot::kernel
