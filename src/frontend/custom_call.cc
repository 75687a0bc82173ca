// Functions of the host in the user's programs.
#include "ingot/custom_call.h"

#include "base/host_functions.h"
#include "base/stop.h"
#include "frontend/apply.h"
#include "ingot/stop.h"

namespace ingot {
namespace {

// A call that it makes may be ended by a condition of its caller's, which ends the caller's call, too.
HostFunction passing_stops_on(HostFunction function) {
  return [function = std::move(function)](const CustomCall& call) {
    try {
      function(call);
    } catch (const Stopped& stopped) {
      throw RunStopped(stopped.what());
    }
  };
}

}  // namespace

std::vector<Array> custom_call(const std::string& name, const std::vector<ResultType>& results,
                               HostFunction function, const std::vector<Array>& arguments,
                               const CustomCallOptions& options, std::source_location where) {
  if (!function) detail::fail(where, "custom_call '" + name + "': there is no function");
  if (results.empty()) detail::fail(where, "custom_call '" + name + "': it has no results");
  std::string types;
  for (const ResultType& result : results)
    types += (types.empty() ? "" : " ") + std::string(name_of(result.dtype)) + to_string(result.shape);
  for (const Array& argument : arguments) detail::checked_node(argument, where);
  ir::Attributes attributes{{"target", name}, {"types", types}, {"batch", ir::IntList{}}};
  KeptFunction kept = keep_host_function(passing_stops_on(std::move(function)));
  attributes.set("handle", kept.handle);
  attributes.keep(std::move(kept.owner));
  if (!options.config.empty()) attributes.set("config", options.config);
  attributes.set("batches", options.takes_batches);
  return detail::apply_all("custom_call", arguments, where, [&](const std::vector<Array>& given) {
    return detail::emit_all("custom_call", given, attributes, where);
  });
}

Array custom_call(const std::string& name, const ResultType& result, HostFunction function,
                  const std::vector<Array>& arguments, const CustomCallOptions& options,
                  std::source_location where) {
  return custom_call(name, std::vector<ResultType>{result}, std::move(function), arguments, options,
                     where)[0];
}

void register_custom_call(const std::string& target, HostFunction function,
                          const CustomCallOptions& options) {
  if (!function) throw Error("register_custom_call: there is no function for '" + target + "'");
  register_host_function(target, passing_stops_on(std::move(function)), options.takes_batches);
}

}  // namespace ingot
