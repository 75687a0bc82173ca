// Values to test element-wise operations with: special ones, and many at random.
#pragma once

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "ops/reference.h"
#include "testing/sanitized.h"

namespace ingot::ops {

// What sanitizers see shows in a twentieth of the samples, which take them ten times as long.
inline int fewer_samples(int samples) {
  return testing::under_sanitizer() ? samples / 20 : samples;
}

template <class T>
std::vector<T> special_values() {
  using Limits = std::numeric_limits<T>;
  if constexpr (std::is_same_v<T, bool>) {
    return {false, true};
  } else if constexpr (is_small_float(dtype_of<T>()) || is_small_integer(dtype_of<T>())) {
    std::vector<T> values;
    for (int i = 0; i < 1 << bit_width(dtype_of<T>()); ++i)
      values.push_back(T::from_bits(static_cast<uint8_t>(i)));
    return values;
  } else if constexpr (is_complex(dtype_of<T>())) {
    // Finite ones: what becomes of infinities depends on how a product is written.
    std::vector<T> values;
    for (double re : {0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0}) {
      for (double im : {0.0, -0.0, 1.0, -1.0, 0.25, -2.0}) values.push_back(T(std::complex<double>(re, im)));
    }
    return values;
  } else if constexpr (std::is_integral_v<T>) {
    return {0,
            1,
            2,
            3,
            5,
            7,
            8,
            15,
            16,
            31,
            32,
            63,
            64,
            100,
            static_cast<T>(-1),
            static_cast<T>(-2),
            static_cast<T>(-7),
            Limits::min(),
            Limits::max(),
            static_cast<T>(Limits::min() + 1),
            static_cast<T>(Limits::max() - 1)};
  } else {
    std::vector<T> values = {T(0),
                             Limits::min(),
                             Limits::denorm_min(),
                             Limits::max(),
                             Limits::infinity(),
                             Limits::quiet_NaN(),
                             Limits::epsilon(),
                             static_cast<T>(Limits::min() / 3),
                             T(0.1),
                             T(0.5),
                             T(1),
                             T(1.5),
                             T(2),
                             T(2.5),
                             T(3),
                             T(10),
                             T(88.7),
                             T(89),
                             T(127),
                             T(255.5),
                             T(709.7),
                             T(745),
                             T(38999),
                             T(39001),
                             T(65536),
                             T(1e9),
                             T(1.1e9),
                             T(2147483648.0),
                             T(1e19),
                             T(1e30)};
    for (size_t i = 0, n = values.size(); i < n; ++i)
      values.push_back(static_cast<T>(-static_cast<double>(values[i])));
    return values;
  }
}

// Special values, random bits, and for floats also values in ranges where functions are busy.
template <class T>
std::vector<T> sample_values(int random_count, uint64_t seed = 1) {
  std::vector<T> values = special_values<T>();
  std::mt19937_64 random(seed);
  if constexpr (is_complex(dtype_of<T>())) {
    std::uniform_real_distribution<double> part(-3, 3);
    for (int i = 0; i < random_count / 8; ++i) {
      const double re = part(random);
      values.push_back(T(std::complex<double>(re, part(random))));
    }
  } else if constexpr (!std::is_same_v<T, bool>) {
    for (int i = 0; i < random_count; ++i) {
      const uint64_t raw = random();
      T value;
      std::memcpy(&value, &raw, sizeof(value));
      values.push_back(value);
      if constexpr (is_float(dtype_of<T>())) {
        using C = Computed<T>;
        const C scale = i % 4 == 0 ? C(1) : i % 4 == 1 ? C(10) : i % 4 == 2 ? C(100) : C(30000);
        values.push_back(static_cast<T>(std::uniform_real_distribution<C>(-scale, scale)(random)));
      }
    }
  }
  return values;
}

}  // namespace ingot::ops
