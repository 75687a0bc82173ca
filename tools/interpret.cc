// ingot interpret: evaluates a program with the reference semantics of its operations, and compares.

#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "compiler/compiler.h"
#include "interpreter/interpreter.h"
#include "tools/arguments.h"
#include "tools/command.h"
#include "tools/compare.h"
#include "tools/execute.h"
#include "tools/files.h"
#include "tools/interrupt.h"
#include "tools/numbers.h"
#include "tools/report.h"
#include "tools/show.h"

namespace ingot::tools {
namespace {

struct InterpretOptions {
  ProgramOptions program;
  std::string out, plant;
  ArgumentOptions arguments;
  double tolerance = -1;
  bool compare = false, json = false;
};

// Whether the compiled program is right.
bool compare(std::unique_ptr<ir::Module> module, const std::vector<Tensor>& arguments,
             const InterpretOptions& options, const Streams& streams) {
  const Measure measure(judge(*module, arguments), options.tolerance);
  compiler::Compiled compiled = compiler::compile(std::move(module), {.plant = options.plant});
  Execution execution(compiled.executable, arguments);
  execution.run();
  const std::vector<Tensor> results = execution.results();
  const std::string wrong = measure.wrong(results);
  if (!wrong.empty()) {
    streams.out << "wrong: " << wrong << "\n";
  } else if (const int64_t different = measure.different(results); different == 0) {
    streams.out << "compiled and interpreted are equal\n";
  } else {
    streams.out << measure.largest(results) << "; " << different << " of " << measure.judgement().elements
                << " elements are not equal\n";
  }
  streams.out << measure.unseen();
  return wrong.empty();
}

void interpret_program(const InterpretOptions& options, const Streams& streams) {
  if (options.tolerance >= 0 && !options.compare)
    throw Error("interpret: --tolerance says how far results may be apart that --compare compares");
  Program program = read_program(options.program, streams.in, &options.arguments);
  const std::vector<Tensor> arguments = make_arguments(
      *program.module, options.arguments, options.compare ? std::optional<uint64_t>(0) : std::nullopt);
  const Interruptible interruptible;
  const std::vector<Tensor> results = interpret_needed(*program.module, arguments);
  if (!options.out.empty()) write_results(options.out, results);
  if (options.json) {
    streams.out << json_text({{"results", json_of(results)}}) << "\n";
  } else if (!options.compare) {
    show_results(streams.out, results);
  }
  if (options.compare && !compare(std::move(program.module), arguments, options, streams))
    throw ExitCode{kFoundDifference};
}

}  // namespace

void add_interpret(CLI::App& app, const Streams& streams) {
  auto options = std::make_shared<InterpretOptions>();
  CLI::App* command =
      app.add_subcommand("interpret", "evaluate a program plainly, operation by operation; the judge of run");
  add_program_options(*command, options->program)->required();
  add_argument_options(*command, options->arguments);
  command
      ->add_option("--out", options->out,
                   "write the results into this .npz or .safetensors file as out0, out1, ...")
      ->check(results_path());
  auto* json = command->add_flag("--json", options->json, "print the results as one JSON object");
  command
      ->add_flag("--compare", options->compare,
                 "compile and run it too, and print the largest error, beside what rounding may make of the "
                 "program; random arguments from seed 0 where none are given; exits with 2 if it is wrong")
      ->excludes(json);
  command
      ->add_option("--tolerance", options->tolerance,
                   "with --compare: the largest error allowed, relative to 1 + the magnitude of what the "
                   "interpreter makes of the program; without it, what rounding may make of each element")
      ->check(number_between(0, 1e6));
  // For tests, as bisect has it: a rewrite that is made wrongly.
  command->add_option("--plant", options->plant)->group("");
  command->callback([options, &streams] { interpret_program(*options, streams); });
}

}  // namespace ingot::tools
