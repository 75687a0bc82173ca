// Runs an executable on tensors.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/tensor.h"
#include "ir/ir.h"
#include "runtime/buffer_pool.h"
#include "runtime/executable.h"

namespace CLI {
class App;
}

namespace ingot::tools {

// Holds aligned copies of the arguments and room for the results, so that runs can be repeated and timed.
class Execution {
 public:
  Execution(std::shared_ptr<const runtime::Executable> executable, std::span<const Tensor> arguments);

  void run() { executable_->run(argument_pointers_.data(), result_pointers_.data()); }
  std::vector<Tensor> results() const;

 private:
  std::shared_ptr<const runtime::Executable> executable_;
  std::vector<std::shared_ptr<runtime::Buffer>> buffers_;
  std::vector<const void*> argument_pointers_;
  std::vector<void*> result_pointers_;
};

// What the interpreter makes of the program. It computes all that is written down, and the compiled program
// what results need: where that tells them apart, in an error of what nobody needs, parts that `dce` finds to
// be none of the results' business are taken out of the module first. A wrong `dce` cannot hide behind that,
// since it is not asked where there is no error.
std::vector<Tensor> interpret_needed(ir::Module& module, std::span<const Tensor> arguments);
bool remove_unneeded(ir::Module& module);  // whether there was something

// --dump, --log and --threads, for the subcommands that compile and run.
struct ExecutionOptions {
  std::string dump_directory;
  bool log = false;
  int64_t threads = -1;

  void apply() const;  // log and threads
};
void add_execution_options(CLI::App& command, ExecutionOptions& options);

}  // namespace ingot::tools
