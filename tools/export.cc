// ingot export: a program as StableHLO, for JAX and others.

#include "stablehlo/export.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "ir/builder.h"
#include "ops/control.h"
#include "tools/command.h"
#include "tools/files.h"
#include "tools/numbers.h"

namespace ingot::tools {
namespace {

struct ExportCommand {
  ProgramOptions program;
  std::string out;
  bool no_locations = false, bytecode = false;
};

// What means less where it is read again.
void note_bounds(const ir::Module& module, std::ostream& err) {
  for (const auto& function : module.functions()) {
    ir::walk(function->body(), [&](const ir::Op& op) {
      const auto loop = ops::as<ops::WhileOp>(op);
      if (!loop || !loop->form().max_steps) return;
      err << "note: " << ir::place_of(op) << "StableHLO has no bound of steps: a loop of more than "
          << *loop->form().max_steps << ", an error here, goes on there\n";
    });
  }
}

void export_program(const ExportCommand& options, const Streams& streams) {
  const Program program = read_program(options.program, streams.in);
  note_bounds(*program.module, streams.err);
  const std::string text = options.bytecode ? stablehlo::export_bytecode(*program.module)
                                            : stablehlo::export_text(*program.module, !options.no_locations);
  if (options.out.empty()) {
    streams.out << text;
  } else {
    write_file(options.out, text);
  }
}

}  // namespace

void add_export(CLI::App& app, const Streams& streams) {
  auto options = std::make_shared<ExportCommand>();
  CLI::App* command = app.add_subcommand("export", "print a program as StableHLO, which JAX reads");
  add_program_options(*command, options->program)->required();
  command->add_option("--out", options->out, "write it into this file instead")->check(path_given());
  command->add_flag("--bytecode", options->bytecode,
                    "write a portable artifact (MLIR bytecode in the dialect vhlo) instead of text");
  command->add_flag("--no-locations", options->no_locations, "leave out where operations come from");
  command->callback([options, &streams] { export_program(*options, streams); });
}

}  // namespace ingot::tools
