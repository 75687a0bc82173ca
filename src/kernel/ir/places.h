// Vectors whose lanes lie at places that are known before a kernel runs: which pieces of memory hold them.
#pragma once

#include <vector>

#include "kernel/ir/kernel_ir.h"

namespace ingot::kernel {

// The first and the last one of places that a vector's length of memory holds.
struct Span {
  int64_t first, last;
};

constexpr size_t kMostPieces = 8;  // of one vector; beyond that, element by element

inline int64_t floor_to(int64_t value, int64_t multiple) {
  const int64_t rest = value % multiple;
  return value - (rest < 0 ? rest + multiple : rest);
}

// Spans that hold all places, in order and apart. Each lies between two multiples of a vector's length, so
// that vectors which see the same memory share what is loaded of it; but where that takes more than two, and
// fewer would do, each begins where the one before it ends.
std::vector<Span> cover(std::vector<int64_t> places, int64_t lanes);

}  // namespace ingot::kernel
