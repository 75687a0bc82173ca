// Functions of the host that programs call (ops/custom_call.cc), kept as long as the process lives.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ingot/host_call.h"

namespace ingot {

// Keeps the function; gives the number by which this process finds it again. Numbers of other processes, as
// they stand in texts of programs, find nothing.
int64_t keep_host_function(HostFunction function);

struct RegisteredFunction {
  int64_t handle = 0;
  bool takes_batches = false;
};
void register_host_function(const std::string& target, HostFunction function, bool takes_batches);
// Its handle is 0 where there is none.
RegisteredFunction registered_host_function(const std::string& target);

// One call as an operation says it: with the function's own types, for each index of the batch, which leads
// in all buffers.
struct HostCall {
  std::string name, config, place;  // the place in the user's program, for errors
  int64_t handle = 0;
  Shape batch;
  std::vector<CustomCall::Buffer> inputs, outputs;  // without data

  // Error that names the function and the place.
  void run(void* const* input_data, void* const* output_data) const;
};

}  // namespace ingot
