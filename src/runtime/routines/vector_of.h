// Vectors of numbers as the compiler knows them, for code that is compiled for several kinds of processors.
#pragma once

namespace ingot::runtime {

template <class T, int kBytes>
struct VectorOf {
  typedef T type __attribute__((vector_size(kBytes), aligned(alignof(T)), may_alias));
};

}  // namespace ingot::runtime
