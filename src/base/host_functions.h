// Functions of the host that programs call (ops/custom_call.cc): kept as long as a trace or a program names
// them, and registered ones as long as the process lives.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ingot/host_call.h"

namespace ingot {

// The number by which this process finds a function, as long as `owner` or a copy of it lives. Numbers of
// other processes, as they stand in texts of programs, find nothing.
struct KeptFunction {
  int64_t handle = 0;
  std::shared_ptr<const void> owner;
};
KeptFunction keep_host_function(HostFunction function);

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
  std::shared_ptr<const void> owner{};  // of the function; none where the call was read from a text
  Shape batch;
  std::vector<CustomCall::Buffer> inputs, outputs;  // without data

  // Error that names the function and the place.
  void run(void* const* input_data, void* const* output_data) const;
};

}  // namespace ingot
