// Where the arrays of one run of a plan's function lie.
#pragma once

#include <cstddef>

#include "runtime/plan.h"

namespace ingot::runtime {

inline void* plus(const void* base, int64_t offset) {
  return const_cast<std::byte*>(static_cast<const std::byte*>(base)) + offset;
}

struct Places {
  const void* const* constants;
  const void* const* arguments;
  void* const* results;
  std::byte* frame;

  void* at(const Location& location) const {
    switch (location.kind) {
      case Location::Kind::kArgument:
        return plus(arguments[location.index], location.offset);
      case Location::Kind::kResult:
        return plus(results[location.index], location.offset);
      case Location::Kind::kFrame:
        return frame + location.offset;
      case Location::Kind::kConstant:
        return plus(constants[location.index], location.offset);
    }
    __builtin_unreachable();
  }
};

}  // namespace ingot::runtime
