// The solver as plain loops over one row at a time, and the list of the others.
#include <cstddef>
#include <vector>

#include "tdma.h"

namespace bench {

template <class T>
void solve_plain(const Systems<T>& s, int64_t begin, int64_t end) {
  std::vector<T> cp(static_cast<size_t>(s.length)), dp(static_cast<size_t>(s.length));
  for (int64_t row = begin; row < end; ++row) {
    const T *a = s.a + row * s.length, *b = s.b + row * s.length;
    const T *c = s.c + row * s.length, *d = s.d + row * s.length;
    T* x = s.x + row * s.length;
    T last_c = 0, last_d = 0, last = 0;
    for (int64_t t = 0; t < s.length; ++t) {
      const T n = 1 / (b[t] - a[t] * last_c);
      cp[t] = last_c = c[t] * n;
      dp[t] = last_d = (d[t] - a[t] * last_d) * n;
    }
    for (int64_t t = s.length - 1; t >= 0; --t) x[t] = last = dp[t] - cp[t] * last;
  }
}

template <class T>
std::vector<Solver<T>> simd_solvers() {
  std::vector<Solver<T>> solvers;
#if defined(BENCH_X86)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) solvers.push_back(avx2::solve<T>);
  if (__builtin_cpu_supports("avx512dq")) solvers.push_back(avx512::solve<T>);
#endif
  return solvers;
}

template void solve_plain(const Systems<float>&, int64_t, int64_t);
template void solve_plain(const Systems<double>&, int64_t, int64_t);
template std::vector<Solver<float>> simd_solvers();
template std::vector<Solver<double>> simd_solvers();

}  // namespace bench
