// The worker side of the benchmark's line protocol (bench/README.md), for programs written in C++.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "npz.h"

namespace bench {

// What a worker implements. Any exception becomes an error line in the table.
class Worker {
 public:
  virtual ~Worker() = default;

  // Compiles or selects what runs `program` in this `variant`; arguments are arg0, arg1, ... in order.
  virtual void prepare(const std::string& program, const std::string& variant,
                       std::vector<HostArray> arguments) = 0;

  // One run, milliseconds. With `fresh` the result goes into memory that was never touched; otherwise into
  // that of the run before. Only the run itself is timed, not getting rid of an old result.
  virtual double run(bool fresh) = 0;

  virtual std::vector<HostArray> results() = 0;  // of one run with the arguments of prepare

  virtual std::string text() { return ""; }  // of the program, where the worker has any

  // For the measured library: compile_ms, kernels, hashes, bytes. Peers: whatever names them.
  virtual nlohmann::json info() = 0;
};

int serve(Worker& worker);  // answers lines until `quit`

}  // namespace bench
