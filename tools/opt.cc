// ingot opt: runs passes on a program and prints it.

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <utility>

#include "compiler/pipeline.h"
#include "ir/text.h"
#include "pass/passes.h"
#include "pass/runner.h"
#include "tools/command.h"
#include "tools/files.h"
#include "tools/numbers.h"
#include "tools/show.h"

namespace ingot::tools {

void list_passes(std::ostream& out);  // passes.cc

namespace {

struct OptOptions {
  ProgramOptions program;
  std::string passes, out;
  bool pipeline = false, print = false, timing = false, log = false, no_locations = false, list = false;
  int stop_after = -1;
  int64_t max_rewrites = -1;
};

void print_timing(std::ostream& err, const std::vector<pass::PassResult>& results) {
  Table table({"nr", "pass", "time", "lowered", "rewrites"});
  for (size_t i = 0; i < results.size(); ++i) {
    std::string rules;
    for (const auto& [rule, count] : results[i].rewrites) {
      rules += (rules.empty() ? " (" : ", ") + rule + " " + std::to_string(count);
    }
    table.add({std::to_string(i + 1), results[i].name, show_ms(results[i].ms),
               std::to_string(results[i].lowerings),
               std::to_string(results[i].total_rewrites()) + (rules.empty() ? "" : rules + ")")});
  }
  err << table.text({true, false, true, true, false});
}

void opt(const OptOptions& options, const Streams& streams) {
  if (options.list) return list_passes(streams.out);
  if (options.program.file.empty()) throw Error("opt: FILE is missing");
  if (options.pipeline && !options.passes.empty()) {
    throw Error("opt: --pipeline and --passes exclude each other");
  }
  const pass::PassList passes =
      options.pipeline ? compiler::pipeline() : pass::parse_pass_list(options.passes);
  for (const auto& [given, name] :
       {std::pair(options.stop_after >= 0, "--stop-after"),
        std::pair(options.max_rewrites >= 0, "--max-rewrites"), std::pair(options.print, "--print"),
        std::pair(options.timing, "--timing"), std::pair(options.log, "--log")}) {
    if (given && passes.empty())
      throw Error("opt: " + std::string(name) + " needs passes to run: --pipeline or --passes");
  }
  if (options.stop_after > static_cast<int>(passes.size()))
    throw Error("opt: --stop-after " + std::to_string(options.stop_after) + ", but there are only " +
                std::to_string(passes.size()) + " passes");
  Program program = read_program(options.program, streams.in);
  pass::PassOptions pass_options;
  pass_options.max_rewrites = options.max_rewrites;
  if (options.log) pass_options.log = [&](const std::string& line) { streams.err << line << "\n"; };
  pass::PassContext context(pass_options);

  const ir::PrintOptions print_options{.locations = !options.no_locations};
  std::string last;
  pass::RunnerOptions runner;
  runner.stop_after = options.stop_after;
  if (options.print) {
    runner.dump = [&](int index, std::string_view name, const ir::Module& module) {
      std::string text = ir::to_string(module, print_options);
      const bool same = index > 0 && text == last;
      streams.out << "// " << index << ": " << name << (same ? ", unchanged\n" : "\n");
      if (!same) streams.out << text;
      last = std::move(text);
    };
  }
  const auto results = pass::run_passes(*program.module, passes, context, runner);
  if (!options.out.empty()) {
    write_file(options.out,
               ir::to_string(*program.module, {.locations = !options.no_locations, .version = true}));
  } else if (!options.print) {
    streams.out << ir::to_string(*program.module, print_options);
  }
  if (options.timing) print_timing(streams.err, results);
}

}  // namespace

void add_opt(CLI::App& app, const Streams& streams) {
  auto options = std::make_shared<OptOptions>();
  CLI::App* command = app.add_subcommand("opt", "run passes on a program and print it");
  add_program_options(*command, options->program);
  command->add_option("--passes", options->passes, "the passes to run, by name: cse,dce");
  command->add_flag("--pipeline", options->pipeline, "run the compiler's whole list");
  command->add_option("--stop-after", options->stop_after, "run only the first N passes")
      ->check(whole_number(0, 1000000));
  command
      ->add_option("--max-rewrites", options->max_rewrites,
                   "allow only the first N rewrites, over all passes")
      ->check(whole_number(0, INT64_MAX));
  command
      ->add_option("--out", options->out,
                   "write the program into this file, with the version of its text, and do not print it")
      ->check(path_given());
  command->add_flag("--print", options->print,
                    "print the program as it comes and after every pass that changed it");
  command->add_flag("--timing", options->timing,
                    "print time, groups lowered and rewrites of every pass on stderr");
  command->add_flag("--log", options->log, "print every rewrite and refusal on stderr");
  command->add_flag("--no-locations", options->no_locations, "leave out where operations come from");
  command->add_flag("--list-passes", options->list, "the same as the subcommand passes");
  command->callback([options, &streams] { opt(*options, streams); });
}

}  // namespace ingot::tools
