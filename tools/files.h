// Whole files, and programs from files.
#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "ir/ir.h"

namespace ingot::tools {

// Throw ingot::Error with the path and the system's reason.
std::string read_file(const std::string& path);
// The same of a file that begins with one of these (of equal length); the Error `other` of another file, of
// which no more is read: it may have no end.
std::string read_file_that_begins(const std::string& path, std::span<const std::string_view> beginnings,
                                  const std::string& other);
// The file is there whole or as it was: it is written beside its place first.
void write_file(const std::string& path, const std::string& text);
void write_file(const std::string& path, const std::function<void(std::ostream&)>& write);

// A program as text, Ingot's or StableHLO (its content tells), and what parsing it took.
struct Program {
  std::unique_ptr<ir::Module> module;
  double parse_ms = 0;
};

// `path` may be "-": then the text comes from `in`. Throws ingot::Error for what cannot be read or parsed,
// and for a text without a function.
Program read_program(const std::string& path, std::istream& in);

}  // namespace ingot::tools
