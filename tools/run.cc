// ingot run: compiles a program and runs it once.

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "compiler/compiler.h"
#include "tools/arguments.h"
#include "tools/command.h"
#include "tools/execute.h"
#include "tools/files.h"
#include "tools/interrupt.h"
#include "tools/numbers.h"
#include "tools/report.h"
#include "tools/show.h"

namespace ingot::tools {
namespace {

struct RunOptions {
  ProgramOptions program;
  std::string out;
  ArgumentOptions arguments;
  ExecutionOptions execution;
  bool json = false;
};

void run(const RunOptions& options, const Streams& streams) {
  options.execution.apply();
  Program program = read_program(options.program, streams.in, &options.arguments);
  const std::vector<Tensor> arguments = make_arguments(*program.module, options.arguments);
  compiler::Options compile_options;
  compile_options.dump_directory = options.execution.dump_directory;
  compiler::Compiled compiled = compiler::compile(std::move(program.module), compile_options);
  Execution execution(compiled.executable, arguments);
  {
    const Interruptible interruptible;
    execution.run();
  }
  const std::vector<Tensor> results = execution.results();
  if (!options.out.empty()) write_results(options.out, results);
  if (options.json) {
    Json report;
    report["results"] = json_of(results);
    report["compile_ms"] = compile_times(compiled, program.parse_ms);
    report["kernels"] = json_of(*compiled.executable);
    streams.out << json_text(report) << "\n";
    return;
  }
  show_results(streams.out, results);
}

}  // namespace

void add_run(CLI::App& app, const Streams& streams) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand("run", "compile a program and run it");
  add_program_options(*command, options->program)->required();
  add_argument_options(*command, options->arguments);
  command
      ->add_option("--out", options->out,
                   "write the results into this .npz or .safetensors file as out0, out1, ...")
      ->check(results_path());
  command->add_flag("--json", options->json, "print results, compile times and kernels as one JSON object");
  add_execution_options(*command, options->execution);
  command->callback([options, &streams] { run(*options, streams); });
}

}  // namespace ingot::tools
