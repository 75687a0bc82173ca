// A program of the benchmark as the worker runs it.
#pragma once

#include <ingot/ingot.h>

#include <chrono>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace bench {

using ingot::Array;
using Clock = std::chrono::steady_clock;

inline double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// A compiled program with its arguments bound.
struct Program {
  std::function<std::vector<Array>()> run;
  ingot::Lowered lowered;
  ingot::Compiled compiled;
  double compile_ms;  // from the C++ function to machine code
};

template <class F, class... Args>
Program bind(const std::string& name, F f, const Args&... args) {
  const auto jitted = ingot::jit(f, {.name = name});
  const auto start = Clock::now();
  ingot::Lowered lowered = jitted.lower(args...);
  ingot::Compiled compiled = lowered.compile();
  const double compile_ms = milliseconds_since(start);
  auto run = [=]() -> std::vector<Array> {
    if constexpr (std::is_same_v<decltype(jitted(args...)), Array>) {
      return {jitted(args...)};
    } else {
      return jitted(args...);
    }
  };
  return {std::move(run), std::move(lowered), std::move(compiled), compile_ms};
}

// The lines `loops` (ingot_loops.cc).
Program loops(const std::string& variant, const std::vector<Array>& x);

}  // namespace bench
