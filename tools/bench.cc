// ingot bench: how long a program takes to compile and to run, and what its kernels do.
//
// A run that is much shorter than the clock can tell is repeated within one measurement. Results go into the
// same buffers every time, as in a program that reuses them.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <memory>
#include <ostream>

#include "base/options.h"
#include "compiler/compiler.h"
#include "runtime/launch_log.h"
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

struct BenchOptions {
  ProgramOptions program;
  ArgumentOptions arguments;
  ExecutionOptions execution;
  int64_t reps = 0;
  bool json = false;
};

struct RunTimes {
  double min_ms = 0, median_ms = 0;
  int64_t reps = 0, runs_per_rep = 1;
  int64_t launches = 0, copies = 0;  // of one run
};

// What one run launches and copies. Where loops decide for themselves when to end, it is counted.
void count_steps(const runtime::Executable& executable, Execution& execution, RunTimes& times) {
  times.launches = executable.launch_count();
  times.copies = executable.copy_count() + executable.copy_launch_count();
  if (!executable.counts_are_least()) return;
  times.launches = times.copies = 0;
  const auto observer = runtime::observe_launches([&](const runtime::LaunchRecord& record) {
    const bool launch = record.kernel.code != nullptr;  // the plan's own copies have no code
    times.launches += launch ? 1 : 0;
    times.copies += !launch || record.kernel.kind == "copy" ? 1 : 0;
  });
  execution.run();
}

double ms_of(Execution& execution, int64_t runs) {
  const auto start = std::chrono::steady_clock::now();
  for (int64_t i = 0; i < runs; ++i) execution.run();
  const auto end = std::chrono::steady_clock::now();
  return std::chrono::duration<double, std::milli>(end - start).count() / static_cast<double>(runs);
}

RunTimes measure(Execution& execution, int64_t reps) {
  constexpr double kShortestMs = 0.05, kBudgetMs = 1000;
  double warm = ms_of(execution, 1);
  if (warm < kBudgetMs / 10) warm = std::min(ms_of(execution, 1), ms_of(execution, 1));
  RunTimes times;
  times.runs_per_rep = std::clamp<int64_t>(static_cast<int64_t>(kShortestMs / std::max(warm, 1e-5)), 1, 2000);
  const double rep_ms = warm * static_cast<double>(times.runs_per_rep);
  times.reps =
      reps > 0 ? reps : std::clamp<int64_t>(static_cast<int64_t>(kBudgetMs / std::max(rep_ms, 1e-3)), 5, 200);
  std::vector<double> samples;
  for (int64_t i = 0; i < times.reps; ++i) samples.push_back(ms_of(execution, times.runs_per_rep));
  std::sort(samples.begin(), samples.end());
  times.min_ms = samples.front();
  times.median_ms = (samples[(samples.size() - 1) / 2] + samples[samples.size() / 2]) / 2;
  return times;
}

void print_json(std::ostream& out, const compiler::Compiled& compiled, double parse_ms,
                const RunTimes& times) {
  const runtime::Executable& executable = *compiled.executable;
  Json report;
  report["compile_ms"] = compile_times(compiled, parse_ms);
  report["run_ms"] = {{"min", times.min_ms}, {"median", times.median_ms}};
  report["kernels"] = json_of(executable);
  report["peak_bytes"] = executable.peak_bytes();
  report["launches"] = times.launches;
  report["copies"] = times.copies;
  report["threads"] = num_threads();
  report["reps"] = times.reps;
  report["refusals"] = json_of(compiled.refusals);
  out << json_text(report) << "\n";
}

void print_table(std::ostream& out, const compiler::Compiled& compiled, double parse_ms,
                 const RunTimes& times) {
  const runtime::Executable& executable = *compiled.executable;
  out << "compile  " << show_ms(parse_ms + compiled.total_ms) << " (parse " << show_ms(parse_ms)
      << ", passes " << show_ms(compiled.passes_ms) << ", kernels " << show_ms(compiled.kernels_ms)
      << ", code generation " << show_ms(compiled.codegen_ms) << ")\n";
  out << "run      median " << show_ms(times.median_ms) << ", min " << show_ms(times.min_ms) << " of "
      << times.reps;
  if (times.runs_per_rep > 1) out << " x " << times.runs_per_rep;
  out << (num_threads() == 1 ? " on 1 thread\n" : " on " + std::to_string(num_threads()) + " threads\n");
  out << "memory   " << show_bytes(executable.peak_bytes()) << "\n";
  out << "launches " << times.launches << ", copies " << times.copies << ", refused fusions "
      << compiled.refusals.size() << "\n\n";
  Table table({"kernel", "hash", "kind", "units", "read", "written", "flops"});
  for (const auto& kernel : executable.kernels()) {
    const runtime::MovedBytes moved = moved_bytes(executable.plan(), *kernel);
    table.add({kernel->name, show_hash(kernel->hash), kernel->kind, std::to_string(kernel->units),
               show_bytes(moved.read), show_bytes(moved.written),
               kernel->counts_flops() ? show_count(kernel->flops) : "-"});
  }
  out << table.text({false, false, false, true, true, true, true});
}

void bench(const BenchOptions& options, const Streams& streams) {
  options.execution.apply();
  Program program = read_program(options.program, streams.in, &options.arguments);
  const std::vector<Tensor> arguments = make_arguments(*program.module, options.arguments, 0);
  compiler::Options compile_options;
  compile_options.dump_directory = options.execution.dump_directory;
  compiler::Compiled compiled = compiler::compile(std::move(program.module), compile_options);
  Execution execution(compiled.executable, arguments);
  RunTimes times;
  {
    const Interruptible interruptible;
    times = measure(execution, options.reps);
    count_steps(*compiled.executable, execution, times);
  }
  (options.json ? print_json : print_table)(streams.out, compiled, program.parse_ms, times);
}

}  // namespace

void add_bench(CLI::App& app, const Streams& streams) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App* command = app.add_subcommand("bench", "measure compile time and run time of a program");
  add_program_options(*command, options->program)->required();
  add_argument_options(*command, options->arguments);
  command
      ->add_option("--reps", options->reps, "measurements; without it as many as fit into a second, 5 to 200")
      ->check(whole_number(1, 1000000));
  command->add_flag("--json", options->json, "print one JSON object");
  add_execution_options(*command, options->execution);
  command->callback([options, &streams] { bench(*options, streams); });
}

}  // namespace ingot::tools
