// The tridiagonal solver by hand, the yardstick of the benchmark: solves rows [begin, end) of (rows, length)
// systems. All versions compute the same recurrences in the same order.
#pragma once

#include <cstdint>
#include <vector>

namespace bench {

template <class T>
struct Systems {
  const T *a, *b, *c, *d;
  T* x;
  int64_t rows, length;
};

template <class T>
using Solver = void (*)(const Systems<T>& systems, int64_t begin, int64_t end);

template <class T>
void solve_plain(const Systems<T>& systems, int64_t begin, int64_t end);

// The SIMD versions that this machine can run.
template <class T>
std::vector<Solver<T>> simd_solvers();

// One file each, compiled for that instruction set.
namespace avx2 {
template <class T>
void solve(const Systems<T>& systems, int64_t begin, int64_t end);
}
namespace avx512 {
template <class T>
void solve(const Systems<T>& systems, int64_t begin, int64_t end);
}

}  // namespace bench
