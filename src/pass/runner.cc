#include "pass/runner.h"

#include <algorithm>
#include <chrono>
#include <new>

#include "base/fork.h"
#include "ingot/error.h"
#include "ir/text.h"
#include "ir/verifier.h"

namespace ingot::pass {
namespace {

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool wanted(const Pass& pass, const RunnerOptions& options) {
  return pass.required() || ((options.only.empty() || contains(options.only, pass.name())) &&
                             !contains(options.skip, pass.name()));
}

[[noreturn]] void failed(std::string_view when, std::string_view pass, const ir::Module& module,
                         const char* what) {
  throw InternalError("failed " + std::string(when) + " pass '" + std::string(pass) + "': " + what +
                      "\nThe program at that point:\n" + ir::to_string(module, {.max_literal_elements = 16}));
}

PassResult run_one(ir::Module& module, Pass& pass, PassContext& context, bool verify) {
  using Clock = std::chrono::steady_clock;
  PassResult result;
  result.name = pass.name();
  context.enter(pass.name());
  const int64_t before = context.total_rewrites(), lowered = context.candidates().lowerings();
  auto start = Clock::now();
  const ForkSection section;
  try {
    result.changed = pass.run(module, context);
  } catch (const std::bad_alloc&) {  // no bug of the pass's
    throw;
  } catch (const OutOfMemory&) {
    throw;
  } catch (const std::exception& error) {
    failed("in", pass.name(), module, error.what());
  }
  result.ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  result.lowerings = context.candidates().lowerings() - lowered;
  context.leave(module);
  result.rewrites = context.enter("");
  module.end_pass(pass.name());
  // Passes that must run may keep everything and still write down the border of what they have kept.
  if (result.changed && !pass.required() && context.total_rewrites() == before)
    failed("after", pass.name(), module, "it changed the program without asking for leave");
  if (!verify || !result.changed) return result;
  try {
    ir::verify(module);
  } catch (const InternalError& error) {
    // The verifier's message holds the function already.
    throw InternalError("failed after pass '" + result.name + "': " + error.what());
  }
  return result;
}

}  // namespace

int64_t PassResult::total_rewrites() const {
  int64_t total = 0;
  for (const auto& [rule, count] : rewrites) total += count;
  return total;
}

std::vector<PassResult> run_passes(ir::Module& module, const PassList& passes, PassContext& context,
                                   const RunnerOptions& options) {
  std::vector<PassResult> results;
  module.end_pass("");  // of what has made the program so far, nothing is told
  if (options.dump) options.dump(0, "input", module);
  for (const auto& pass : passes) {
    if (options.stop_after >= 0 && static_cast<int>(results.size()) >= options.stop_after) break;
    if (!wanted(*pass, options)) continue;
    results.push_back(run_one(module, *pass, context, options.verify));
    if (options.dump) options.dump(static_cast<int>(results.size()), pass->name(), module);
  }
  return results;
}

}  // namespace ingot::pass
