// The widths of vectors that tests of routines run with.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ingot::runtime {

inline bool width_runs_here(int vector_bytes) {
#if defined(__x86_64__)
  if (vector_bytes == 64)
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
  if (vector_bytes == 32) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
  return vector_bytes == 16;
}

// The width, or the widest that runs here.
inline int width_here(int wanted) {
  while (!width_runs_here(wanted)) wanted /= 2;
  return wanted;
}

// Those that a test is to try, of which there is one on every machine. The report of the test tells them.
inline std::vector<int> widths_here() {
  std::vector<int> widths;
  std::string list;
  for (const int width : {16, 32, 64}) {
    if (!width_runs_here(width)) continue;
    widths.push_back(width);
    list += (list.empty() ? "" : " ") + std::to_string(width);
  }
  EXPECT_FALSE(widths.empty());
  ::testing::Test::RecordProperty("vector_bytes", list);
  return widths;
}

}  // namespace ingot::runtime
