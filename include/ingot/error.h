// The two kinds of failure: a user's mistake, and a bug of ours.
#pragma once

#include <source_location>
#include <stdexcept>
#include <string>

namespace ingot {

// A user's mistake: wrong shapes, dtypes, attributes or text. what() names the user's line, the operation,
// the shapes involved and what would have been right.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message) : std::runtime_error(message) {}
};

// A bug in Ingot. what() asks for a report and holds what is needed for one (usually a dump of the IR).
class InternalError : public std::logic_error {
 public:
  explicit InternalError(const std::string& message,
                         std::source_location where = std::source_location::current());
};

}  // namespace ingot
