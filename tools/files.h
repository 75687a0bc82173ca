// Programs from files.
#pragma once

#include <iosfwd>
#include <memory>
#include <string>

#include "io/files.h"
#include "ir/ir.h"
#include "tools/arguments.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace ingot::tools {

using io::read_file;
using io::write_file;

struct ProgramOptions {
  std::string file;    // "-": standard input
  std::string shapes;  // what its open extents are (shapes.h)
};

// Adds FILE and --shapes; returns FILE.
CLI::Option* add_program_options(CLI::App& command, ProgramOptions& options);

// A program as text, Ingot's or StableHLO (its content tells), and what parsing it took.
struct Program {
  std::unique_ptr<ir::Module> module;
  double parse_ms = 0;
  std::string shapes_option;  // " --shapes '...'" that makes the same of the file; empty where it needs none
};

// Throws ingot::Error for what cannot be read or parsed, and for a text without a function. Extents that a
// StableHLO program leaves open are those of --shapes or of the arguments' file; `arguments` is null where
// the command takes none.
Program read_program(const ProgramOptions& options, std::istream& in,
                     const ArgumentOptions* arguments = nullptr);

}  // namespace ingot::tools
