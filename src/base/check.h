// Internal invariants. A failed check is a bug of ours and throws InternalError.
#pragma once

#include <string>

#include "ingot/error.h"

namespace ingot {

inline void check(bool condition, const char* message,
                  std::source_location where = std::source_location::current()) {
  if (!condition) [[unlikely]]
    throw InternalError(message, where);
}

inline void check(bool condition, const std::string& message,
                  std::source_location where = std::source_location::current()) {
  if (!condition) [[unlikely]]
    throw InternalError(message, where);
}

}  // namespace ingot
