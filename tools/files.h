// Programs from files.
#pragma once

#include <iosfwd>
#include <memory>
#include <string>

#include "io/files.h"
#include "ir/ir.h"
#include "tools/arguments.h"

namespace ingot::tools {

using io::read_file;
using io::write_file;

// A program as text, Ingot's or StableHLO (its content tells), and what parsing it took.
struct Program {
  std::unique_ptr<ir::Module> module;
  double parse_ms = 0;
};

// `path` may be "-": then the text comes from `in`. Throws ingot::Error for what cannot be read or parsed,
// and for a text without a function. Extents that a StableHLO program leaves open are those of the arguments'
// file.
Program read_program(const std::string& path, std::istream& in, const ArgumentOptions* arguments = nullptr);

}  // namespace ingot::tools
