// The four programs as plain loops over plain vectors, in double precision (integers: exact). What the arrays
// are checked against; nothing here knows of Ingot.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace programs::plain {

using Matrix = std::vector<double>;  // row-major

template <class T>
Matrix widen(const std::vector<T>& values) {
  return Matrix(values.begin(), values.end());
}

inline Matrix product(const Matrix& x, const Matrix& w, size_t n, size_t inner, size_t columns) {
  Matrix y(n * columns, 0.0);
  for (size_t i = 0; i < n; ++i) {
    for (size_t k = 0; k < inner; ++k) {
      for (size_t j = 0; j < columns; ++j) y[i * columns + j] += x[i * inner + k] * w[k * columns + j];
    }
  }
  return y;
}

// The first `rows` rows of silu(x w + b).
inline Matrix layer(const Matrix& x, const Matrix& w, const Matrix& b, size_t rows) {
  const size_t columns = b.size(), inner = w.size() / columns;
  Matrix y = product(x, w, rows, inner, columns);
  for (size_t i = 0; i < y.size(); ++i) {
    y[i] += b[i % columns];
    y[i] /= 1 + std::exp(-y[i]);
  }
  return y;
}

// The solutions of the first `systems` systems.
inline Matrix tdma(const Matrix& a, const Matrix& b, const Matrix& c, const Matrix& d, size_t systems,
                   size_t length) {
  Matrix x(systems * length), cp(length), dp(length);
  for (size_t s = 0; s < systems; ++s) {
    double last_c = 0, last_d = 0, last_x = 0;
    for (size_t t = 0; t < length; ++t) {
      const size_t i = s * length + t;
      const double n = 1 / (b[i] - a[i] * last_c);
      cp[t] = last_c = c[i] * n;
      dp[t] = last_d = (d[i] - a[i] * last_d) * n;
    }
    for (size_t t = length; t-- > 0;) x[s * length + t] = last_x = dp[t] - cp[t] * last_x;
  }
  return x;
}

// columns: 0 shifts, 1 mixes, 2 rotates, as in perm.h.
inline void apply_columns(std::array<uint32_t, 16>& m, int columns) {
  for (size_t j = 0; j < 4; ++j) {
    uint32_t &a = m[j], &b = m[4 + j], &c = m[8 + j], &d = m[12 + j];
    for (int round = 0; round < 3; ++round) {
      if (columns == 0) {
        a <<= 7, b <<= 7, c <<= 7, d <<= 7;
      } else if (columns == 1) {
        a <<= 7, b += a, c *= b;
      } else {
        a = ((a << 7) | (a >> 25)) ^ d;
        b += a, c *= b, d ^= c;
      }
    }
  }
}

inline std::vector<int32_t> perm(const std::vector<int32_t>& x, int columns) {
  constexpr size_t kFrom[] = {0, 1, 2, 3, 5, 6, 7, 4, 10, 11, 8, 9, 15, 12, 13, 14};
  std::vector<int32_t> result(x.size());
  for (size_t start = 0; start < x.size(); start += 16) {
    std::array<uint32_t, 16> m, moved;
    for (size_t i = 0; i < 16; ++i) m[i] = static_cast<uint32_t>(x[start + i]);
    for (int round = 0; round < 7; ++round) {
      apply_columns(m, columns);
      for (size_t i = 0; i < 16; ++i) moved[i] = m[kFrom[i]];
      m = moved;
      apply_columns(m, columns);
    }
    for (size_t i = 0; i < 16; ++i)
      result[start + i] = static_cast<int32_t>(m[i] + static_cast<uint32_t>(x[start + i]));
  }
  return result;
}

// x = tanh(x w) + softmax(x) * sin(x), so many times, on n x n matrices.
inline Matrix inner(Matrix x, const Matrix& w, size_t n, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    Matrix y = product(x, w, n, n, n);
    for (size_t i = 0; i < n; ++i) {
      const auto row = x.begin() + static_cast<std::ptrdiff_t>(i * n);
      const double top = *std::max_element(row, row + static_cast<std::ptrdiff_t>(n));
      double total = 0;
      for (size_t j = 0; j < n; ++j) total += std::exp(x[i * n + j] - top);
      for (size_t j = 0; j < n; ++j) {
        const double v = x[i * n + j];
        y[i * n + j] = std::tanh(y[i * n + j]) + std::exp(v - top) / total * std::sin(v);
      }
    }
    x = std::move(y);
  }
  return x;
}

}  // namespace programs::plain
