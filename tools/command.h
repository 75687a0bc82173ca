// The command `ingot`: one function per subcommand adds it to the command line.
//
// Subcommands read and write through Streams, so that tests run them inside of the process.
#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace ingot::tools {

struct Streams {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
};

inline constexpr int kUserError = 1, kFoundDifference = 2, kInternalError = 3,
                     kInterrupted = 130;  // 128 + SIGINT, as shells have it

// Runs `ingot ARGUMENTS...` and returns its exit code: 0, kInterrupted after Ctrl-C in a run, 1 for a user's
// mistake ("error: ..." on err; memory or a disk that is full counts as one), 3 for a bug of ours. `bisect`
// and `interpret --compare` return 2 if they found a difference, and `bisect` 4 if its limit ended it before
// anything was known.
int run_command(const std::vector<std::string>& arguments, const Streams& streams);

// The command line, with all subcommands. `list_passes` is set by --list-passes.
std::unique_ptr<CLI::App> make_app(const Streams& streams, bool& list_passes);

void add_run(CLI::App& app, const Streams& streams);
void add_interpret(CLI::App& app, const Streams& streams);
void add_bench(CLI::App& app, const Streams& streams);
void add_kernels(CLI::App& app, const Streams& streams);
void add_opt(CLI::App& app, const Streams& streams);
void add_passes(CLI::App& app, const Streams& streams);
void add_ops(CLI::App& app, const Streams& streams);
void add_check(CLI::App& app, const Streams& streams);
void add_export(CLI::App& app, const Streams& streams);
void add_bisect(CLI::App& app, const Streams& streams);

// A subcommand's way to end with another exit code than 0 without it being an error.
struct ExitCode {
  int code;
};

}  // namespace ingot::tools
