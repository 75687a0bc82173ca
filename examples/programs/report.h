// What the examples print of a program: its kernels, the memory that they move, times.
#pragma once

#include <ingot/ingot.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace programs {

inline double milliseconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

// The median of some runs, for about a fifth of a second.
inline double median_ms(const std::function<void()>& work) {
  work();
  std::vector<double> times;
  double total = 0;
  while (times.size() < 3 || (total < 200 && times.size() < 1000))
    total += times.emplace_back(milliseconds(work));
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  return times[times.size() / 2];
}

template <class T = float>
ingot::Array random_array(const ingot::Shape& shape, unsigned seed, double low = -1, double high = 1) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> real(low, high);
  std::vector<T> values(static_cast<size_t>(ingot::element_count(shape)));
  for (T& value : values) {
    if constexpr (std::is_integral_v<T>)
      value = static_cast<T>(engine());
    else
      value = static_cast<T>(real(engine));
  }
  return ingot::Array::from(shape, values);
}

inline void print_heading() {
  std::printf("%-26s %8s %8s %10s %10s %11s  %s\n", "program", "kernels", "launches", "MB moved", "ms",
              "compile ms", "values");
}

// Compiles f for the arguments, compares a call with `expected` (largest allowed relative difference; 0:
// equal), times it and prints a line. Returns whether the values were right.
template <class F, class... Args>
bool report(const std::string& name, const F& f, const std::vector<double>& expected, double tolerance,
            const Args&... args) {
  const auto jitted = ingot::jit(f, {.name = name});
  double compile_ms = 0;
  ingot::Compiled compiled = [&] {
    const auto start = std::chrono::steady_clock::now();
    ingot::Compiled result = jitted.compile(args...);
    compile_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return result;
  }();
  int64_t bytes = 0;
  for (const ingot::KernelInfo& kernel : compiled.kernels()) {
    bytes += kernel.launches * (kernel.bytes_read + kernel.bytes_written);
  }
  const std::vector<double> values = jitted(args...).astype(ingot::DType::kF64).template to_vector<double>();
  double largest = 0, difference = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    largest = std::max(largest, std::abs(expected[i]));
    const double here = std::abs(expected[i] - values[i]);
    if (!(here <= difference)) difference = std::isnan(difference) ? difference : here;
  }
  const bool right = values.size() >= expected.size() && difference <= tolerance * largest;
  const double ms = median_ms([&] { jitted(args...); });
  std::printf("%-26s %8zu %8lld %10.3f %10.4f %11.2f  %s\n", name.c_str(), compiled.kernels().size(),
              static_cast<long long>(compiled.launches()), static_cast<double>(bytes) / 1e6, ms, compile_ms,
              right ? "right" : "WRONG");
  return right;
}

}  // namespace programs
