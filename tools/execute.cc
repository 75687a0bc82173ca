#include "tools/execute.h"

#include <CLI/CLI.hpp>
#include <cstring>

#include "base/options.h"
#include "base/stop.h"
#include "interpreter/interpreter.h"
#include "pass/passes.h"
#include "tools/numbers.h"

namespace ingot::tools {

Execution::Execution(std::shared_ptr<const runtime::Executable> executable, std::span<const Tensor> arguments)
    : executable_(std::move(executable)) {
  const runtime::DeviceMemory& memory = *executable_->plan().memory;
  check(arguments.size() == executable_->entry().arguments.size(), "Execution: wrong number of arguments");
  for (const Tensor& argument : arguments) {
    buffers_.push_back(memory.allocate(argument.bytes(), "arguments"));
    memory.write(buffers_.back()->data(), argument.raw(), argument.bytes());
    argument_pointers_.push_back(buffers_.back()->data());
  }
  for (const runtime::BufferInfo& result : executable_->entry().results) {
    buffers_.push_back(memory.allocate(static_cast<size_t>(result.bytes()), "results"));
    result_pointers_.push_back(buffers_.back()->data());
  }
}

std::vector<Tensor> Execution::results() const {
  std::vector<Tensor> results;
  for (size_t i = 0; i < result_pointers_.size(); ++i) {
    const runtime::BufferInfo& info = executable_->entry().results[i];
    results.emplace_back(info.dtype, info.shape);
    executable_->plan().memory->read(results.back().raw(), result_pointers_[i], results.back().bytes());
  }
  return results;
}

bool remove_unneeded(ir::Module& module) {
  pass::PassContext context;
  return pass::make_dce()->run(module, context);
}

std::vector<Tensor> interpret_needed(ir::Module& module, std::span<const Tensor> arguments) {
  try {
    return interpret(module, arguments);
  } catch (const RunStopped&) {
    throw;
  } catch (const Error&) {
    if (!remove_unneeded(module)) throw;
  }
  return interpret(module, arguments);
}

void ExecutionOptions::apply() const {
  if (log) set_log_topic(LogTopic::kKernels, true);
  if (threads >= 0) set_num_threads(threads);
}

void add_execution_options(CLI::App& command, ExecutionOptions& options) {
  command
      .add_option("--dump", options.dump_directory,
                  "write every pass, kernel, LLVM IR and assembly into this folder, with an index.md")
      ->check(path_given());
  command.add_flag("--log", options.log, "log every kernel launch on stderr, as INGOT_LOG=kernels does");
  command.add_option("--threads", options.threads, "threads that kernels run on; 0: all")
      ->check(whole_number(0, Options::kMostThreads));
}

}  // namespace ingot::tools
