#include "tools/command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <new>
#include <ostream>

#include "base/options.h"
#include "base/stop.h"
#include "ingot/error.h"
#include "ingot/ingot.h"
#include "ir/text_cursor.h"

namespace ingot::tools {

void list_passes(std::ostream& out);  // passes.cc

namespace {

constexpr const char* kAbout =
    "Compiles and runs programs in Ingot's IR text or in StableHLO, and shows everything on the way.\n"
    "FILE is a program's text; - reads it from standard input.";

// What an argument that nobody takes was meant to be: "; did you mean ...?", or nothing.
std::string suggestion(const CLI::App& app) {
  std::vector<const CLI::App*> given{&app};  // and the subcommands in use
  while (!given.back()->get_subcommands().empty()) given.push_back(given.back()->get_subcommands().front());
  std::vector<std::string> words, options;
  if (given.size() == 1) {
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
      words.push_back(command->get_name());
  }
  for (const CLI::App* command : given) {
    for (const CLI::Option* option : command->get_options()) {
      for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
    }
  }
  for (const std::string& extra : app.remaining(/*recurse=*/true)) {
    const bool option = extra.starts_with("-");
    const std::string word = option ? extra.substr(0, extra.find('=')) : extra;
    const std::string_view near = ir::nearest_word(word, option ? options : words);
    if (near.empty() || near == word) continue;
    return "; for '" + word + "', did you mean '" + std::string(near) + "'?";
  }
  return "";
}

int report_parse_error(const CLI::App& app, const CLI::ParseError& error, const Streams& streams) {
  if (error.get_exit_code() == 0) {  // --help, --version
    app.exit(error, streams.out, streams.err);
    return 0;
  }
  streams.err << "error: " << error.what() << suggestion(app) << "\nrun with --help for more information\n";
  return kUserError;
}

int run_app(std::vector<std::string> arguments, const Streams& streams) {
  // What the environment asks for is looked at whatever the command does; but --help tells what is right.
  const bool wants_help = std::any_of(arguments.begin(), arguments.end(), [](const std::string& argument) {
    return argument == "--help" || argument == "-h" || argument == "--version";
  });
  if (!wants_help && !arguments.empty()) Options::global();
  bool wants_passes = false;
  const std::unique_ptr<CLI::App> owner = make_app(streams, wants_passes);
  CLI::App& app = *owner;
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
  try {
    app.parse(arguments);
  } catch (const CLI::ParseError& error) {
    return report_parse_error(app, error, streams);
  }
  if (wants_passes) {
    list_passes(streams.out);
  } else if (app.get_subcommands().empty()) {
    streams.out << app.help();
  }
  return 0;
}

}  // namespace

std::unique_ptr<CLI::App> make_app(const Streams& streams, bool& list_passes) {
  auto app = std::make_unique<CLI::App>(kAbout, "ingot");
  app->set_version_flag("--version", std::string("ingot ") + version());
  app->footer("Environment:\n" + Options::help());
  app->add_flag("--list-passes", list_passes, "the same as the subcommand passes");
  add_run(*app, streams);
  add_interpret(*app, streams);
  add_bench(*app, streams);
  add_kernels(*app, streams);
  add_opt(*app, streams);
  add_passes(*app, streams);
  add_bisect(*app, streams);
  add_check(*app, streams);
  add_export(*app, streams);
  add_ops(*app, streams);
  app->require_subcommand(0, 1);
  return app;
}

int run_command(const std::vector<std::string>& arguments, const Streams& streams) {
  try {
    return run_app(arguments, streams);
  } catch (const ExitCode& exit) {
    return exit.code;
  } catch (const RunStopped& stopped) {
    streams.err << "error: " << stopped.what() << "\n";
    return kInterrupted;
  } catch (const Error& error) {
    streams.err << "error: " << error.what() << "\n";
    return kUserError;
  } catch (const std::bad_alloc&) {
    streams.err << "error: out of memory: the system gave none beyond what this process has (ulimit -v?)\n";
    return kUserError;
  } catch (const std::exception& error) {
    streams.err << "internal error: " << error.what() << "\n";
    return kInternalError;
  }
}

}  // namespace ingot::tools
