// Functions of the host as operations: C++ that a program calls with whole arrays, wherever it stands.
//
//   Array y = ingot::custom_call("histogram", {DType::kS32, {16}}, [](const CustomCall& call) {
//     for (float x : call.input<float>(0)) call.output<int32_t>(0)[bin_of(x)] += 1;
//   }, {x});
//
// The function is called each time when the program comes to it, by whichever thread runs the program, and by
// several threads at once if several run programs. It writes all of its outputs, which begin as zeros; it may
// be left out where nobody uses a result, and be called once for two calls that are alike. What it throws
// ends the run, and comes to the caller as an Error that names the function and the line; arrays stay as they
// were.
//
// vmap calls it for each element of the batch, or with the batch as the leading dimensions of all inputs and
// outputs, if it takes those. It has no derivative: give one with custom_jvp or custom_vjp (autodiff.h).
#pragma once

#include <source_location>
#include <string>
#include <vector>

#include "ingot/array.h"
#include "ingot/host_call.h"

namespace ingot {

struct CustomCallOptions {
  detail::ByName by_name{};
  std::string config;          // handed to the function
  bool takes_batches = false;  // called once for a batch, whose dimensions lead in all inputs and outputs
};

std::vector<Array> custom_call(const std::string& name, const std::vector<ResultType>& results,
                               HostFunction function, const std::vector<Array>& arguments,
                               const CustomCallOptions& options = {},
                               std::source_location where = std::source_location::current());
Array custom_call(const std::string& name, const ResultType& result, HostFunction function,
                  const std::vector<Array>& arguments, const CustomCallOptions& options = {},
                  std::source_location where = std::source_location::current());

// The function that stablehlo.custom_call @target means in modules that are read (stablehlo.h), in place of
// one of that name before. Its config is the backend_config.
void register_custom_call(const std::string& target, HostFunction function,
                          const CustomCallOptions& options = {});

}  // namespace ingot
