// Where an operation comes from: the user's line and named scope, and which pass or transform made it from
// what.
#pragma once

#include <source_location>
#include <string>
#include <vector>

namespace ingot::ir {

struct Provenance {
  std::string file;  // of the user's program; empty if unknown
  int line = 0;
  std::string made_by;    // the pass or transform that made it; empty if the user wrote it
  std::string made_from;  // the operation(s) that it was made from, by name
  // place() of those of the user's that are the same operation since functions have become one.
  std::vector<std::string> also = {};
  // The user's names for this part of the program, "encoder/attention"; empty if there are none.
  std::string scope = {};

  static Provenance at(const std::source_location& where) {
    return {where.file_name(), static_cast<int>(where.line()), "", ""};
  }
  // The same user's line, made by a pass or transform from an operation.
  Provenance derived(std::string by, std::string from) const {
    return {file, line, std::move(by), std::move(from), also, scope};
  }
  // "file:12", "file:12 in encoder/attention"; empty if the file is unknown.
  std::string place() const;

  bool operator==(const Provenance&) const = default;
};

// "file:12", "file:12 in attention by views from transpose"; empty if nothing is known.
std::string to_string(const Provenance& provenance);

// The scope of what is named `inner` within `outer`.
std::string joined_scopes(const std::string& outer, const std::string& inner);

}  // namespace ingot::ir
