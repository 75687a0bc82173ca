// Whole files, and programs from files.
#pragma once

#include <iosfwd>
#include <memory>
#include <string>

#include "ir/ir.h"

namespace ingot::tools {

// Throw ingot::Error with the path and the system's reason.
std::string read_file(const std::string& path);
void write_file(const std::string& path, const std::string& text);

// A program as text, and what parsing it took.
struct Program {
  std::unique_ptr<ir::Module> module;
  double parse_ms = 0;
};

// `path` may be "-": then the text comes from `in`. Throws ingot::Error for what cannot be read or parsed,
// and for a text without a function.
Program read_program(const std::string& path, std::istream& in);

}  // namespace ingot::tools
