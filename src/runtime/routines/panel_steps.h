// The steps of algorithms in panels (panels.h). Everything is inlined into functions that are compiled for
// one kind of processor.
#pragma once

#include <cmath>
#include <cstdint>

#include "runtime/routines/panels.h"
#include "runtime/routines/vector_of.h"

namespace ingot::runtime {

template <class T, bool kComplex, int kBytes, int kVectors, int kRows>
struct Panels {
  using V = typename VectorOf<T, kBytes>::type;
  static constexpr int kParts = kComplex ? 2 : 1;
  static constexpr int64_t kVector = kBytes / static_cast<int>(sizeof(T));
  static constexpr int64_t kLanes = kVector * kVectors;
  static constexpr int64_t kTileRows = kRows;
  static constexpr int64_t kRow = kLanes * kParts;  // elements of a row of a panel

  [[gnu::always_inline]] static V& at(T* row, int part, int vector) {
    return *reinterpret_cast<V*>(row + part * kLanes + vector * kVector);
  }

  // row -= f * other, of one pair of rows.
  template <bool kConjugated>
  [[gnu::always_inline]] static void subtract(T* row, T* other, T re, T im) {
    if constexpr (kConjugated) im = -im;
    for (int v = 0; v < kVectors; ++v) {
      if constexpr (kComplex) {
        at(row, 0, v) -= re * at(other, 0, v) - im * at(other, 1, v);
        at(row, 1, v) -= re * at(other, 1, v) + im * at(other, 0, v);
      } else {
        at(row, 0, v) -= re * at(other, 0, v);
      }
    }
  }

  template <bool kConjugated>
  [[gnu::always_inline]] static void tile(const Factors<T>& factors, T* x, int64_t from, int64_t to,
                                          int64_t row) {
    V sum[kRows][kParts][kVectors];
    T* rows = x + row * kRow;
    for (int m = 0; m < kRows; ++m) {
      for (int p = 0; p < kParts; ++p) {
        for (int v = 0; v < kVectors; ++v) sum[m][p][v] = at(rows + m * kRow, p, v);
      }
    }
    const T* f = factors.block(row) + from * factors.k_stride;
    T* other = x + from * kRow;
    for (int64_t k = from; k < to; ++k, f += factors.k_stride, other += kRow) {
      V b[kParts][kVectors];
      for (int p = 0; p < kParts; ++p) {
        for (int v = 0; v < kVectors; ++v) b[p][v] = at(other, p, v);
      }
      for (int m = 0; m < kRows; ++m) {
        const T re = f[m];
        for (int v = 0; v < kVectors; ++v) {
          if constexpr (kComplex) {
            const T im = kConjugated ? -f[factors.imaginary + m] : f[factors.imaginary + m];
            sum[m][0][v] -= re * b[0][v];
            sum[m][1][v] -= re * b[1][v];
            sum[m][0][v] += im * b[1][v];
            sum[m][1][v] -= im * b[0][v];
          } else {
            sum[m][0][v] -= re * b[0][v];
          }
        }
      }
    }
    for (int m = 0; m < kRows; ++m) {
      for (int p = 0; p < kParts; ++p) {
        for (int v = 0; v < kVectors; ++v) at(rows + m * kRow, p, v) = sum[m][p][v];
      }
    }
  }

  [[gnu::always_inline]] static void update(const Factors<T>& factors, bool conjugated, T* x, int64_t from,
                                            int64_t to, int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; row += kRows) {
      conjugated ? tile<true>(factors, x, from, to, row) : tile<false>(factors, x, from, to, row);
    }
  }

  // A row divided by a number (Smith, Algorithm 116: complex division).
  [[gnu::always_inline]] static void divide(T* row, T c, T d) {
    for (int v = 0; v < kVectors; ++v) {
      if constexpr (kComplex) {
        const V a = at(row, 0, v), b = at(row, 1, v);
        if (std::abs(c) >= std::abs(d)) {
          const T ratio = d == 0 ? T(0) : d / c, size = c + d * ratio;
          at(row, 0, v) = (a + b * ratio) / size;
          at(row, 1, v) = (b - a * ratio) / size;
        } else {
          const T ratio = c / d, size = c * ratio + d;
          at(row, 0, v) = (a * ratio + b) / size;
          at(row, 1, v) = (b * ratio - a) / size;
        }
      } else {
        at(row, 0, v) = at(row, 0, v) / c;
      }
    }
  }

  [[gnu::always_inline]] static void solve(const Factors<T>& factors, bool conjugated, bool unit_diagonal,
                                           T* x, int64_t from, int64_t begin, int64_t end) {
    conjugated ? solve_by<true>(factors, unit_diagonal, x, from, begin, end)
               : solve_by<false>(factors, unit_diagonal, x, from, begin, end);
  }

  template <bool kConjugated>
  [[gnu::always_inline]] static void solve_by(const Factors<T>& factors, bool unit_diagonal, T* x,
                                              int64_t from, int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; row += kRows) {
      tile<kConjugated>(factors, x, from, row, row);
      const T* f = factors.block(row) + row * factors.k_stride;
      for (int m = 0; m < kRows; ++m, f += factors.k_stride) {
        T* solved = x + (row + m) * kRow;
        const T sign = kConjugated ? T(-1) : T(1);
        if (!unit_diagonal) divide(solved, f[m], kComplex ? sign * f[factors.imaginary + m] : T(0));
        for (int below = m + 1; below < kRows; ++below)
          subtract<kConjugated>(x + (row + below) * kRow, solved, f[below],
                                kComplex ? f[factors.imaginary + below] : T(0));
      }
    }
  }

  [[gnu::always_inline]] static bool factor(T* x, int64_t count) {
    for (int64_t m = 0; m < count; ++m) {
      T* row = x + m * kRow;
      if (!(row[m] > 0)) return false;
      const T root = std::sqrt(row[m]);
      divide(row, root, 0);
      row[m] = root;
      if constexpr (kComplex) row[kLanes + m] = 0;
      for (int64_t below = m + 1; below < count; ++below)
        subtract<true>(x + below * kRow, row, row[below], kComplex ? row[kLanes + below] : T(0));
    }
    return true;
  }

  [[gnu::always_inline]] static void eliminate(T* x, int64_t column, int64_t count) {
    T pivot[2 * kLanes];  // all of its row that is behind the column
    for (int64_t i = 0; i < kRow; ++i) pivot[i] = i % kLanes > column ? x[i] : T(0);
    const T re = x[column], im = kComplex ? x[kLanes + column] : T(0);
    if (re == 0 && im == 0) return;
    const bool swapped = std::abs(re) < std::abs(im);  // Smith's division, as above
    const T ratio = swapped ? re / im : im / re, size = swapped ? re * ratio + im : re + im * ratio;
    for (int64_t r = 1; r <= count; ++r) {
      T* row = x + r * kRow;
      if constexpr (kComplex) {
        const T a = row[column], b = row[kLanes + column];
        row[column] = (swapped ? a * ratio + b : a + b * ratio) / size;
        row[kLanes + column] = (swapped ? b * ratio - a : b - a * ratio) / size;
        subtract<false>(row, pivot, row[column], row[kLanes + column]);
      } else {
        row[column] /= re;
        subtract<false>(row, pivot, row[column], 0);
      }
    }
  }

  // The norm of a column of some rows: of floats summed in double, of doubles scaled where the sum leaves the
  // range of numbers.
  [[gnu::always_inline]] static double norm_of(const T* x, int64_t column, int64_t count) {
    double sums[4] = {};
    for (int64_t r = 0; r < count; ++r) {
      for (int p = 0; p < kParts; ++p) {
        const double value = x[r * kRow + p * kLanes + column];
        sums[(r * kParts + p) % 4] += value * value;
      }
    }
    const double sum = sums[0] + sums[1] + (sums[2] + sums[3]);
    if (sizeof(T) == 4 || (sum > 1e-280 && sum < 1e280)) return std::sqrt(sum);
    double largest = 0, scaled = 0;
    for (int64_t r = 0; r < count; ++r) {
      for (int p = 0; p < kParts; ++p) {
        const double value = std::abs(static_cast<double>(x[r * kRow + p * kLanes + column]));
        largest = value <= largest ? largest : value;
      }
    }
    for (int64_t r = 0; r < count && largest != 0; ++r) {
      for (int p = 0; p < kParts; ++p) {
        const double value = x[r * kRow + p * kLanes + column] / largest;
        scaled += value * value;
      }
    }
    return largest * std::sqrt(scaled);
  }

  [[gnu::always_inline]] static void reflect(T* x, int64_t column, int64_t count, T* tau) {
    const double below = norm_of(x + kRow, column, count), re = x[column],
                 im = kComplex ? x[kLanes + column] : T(0);
    tau[0] = 0;
    if constexpr (kComplex) tau[1] = 0;
    if (below == 0 && im == 0) return;
    const double beta = -std::copysign(std::hypot(re, im, below), re);
    tau[0] = static_cast<T>((beta - re) / beta);
    if constexpr (kComplex) tau[1] = static_cast<T>(-im / beta);
    const double c = re - beta;  // not 0, and not smaller than the imaginary part
    const double ratio = im / c, size = c + im * ratio;
    V sum[kParts][kVectors];
    for (int p = 0; p < kParts; ++p) {
      for (int v = 0; v < kVectors; ++v) sum[p][v] = at(x, p, v);
    }
    for (int64_t r = 1; r <= count; ++r) {
      T* row = x + r * kRow;
      if constexpr (kComplex) {
        const double a = row[column], b = row[kLanes + column];
        const T vr = static_cast<T>((a + b * ratio) / size), vi = static_cast<T>((b - a * ratio) / size);
        row[column] = vr;
        row[kLanes + column] = vi;
        for (int v = 0; v < kVectors; ++v) {
          sum[0][v] += vr * at(row, 0, v) + vi * at(row, 1, v);
          sum[1][v] += vr * at(row, 1, v) - vi * at(row, 0, v);
        }
      } else {
        row[column] = static_cast<T>(row[column] / c);
        for (int v = 0; v < kVectors; ++v) sum[0][v] += row[column] * at(row, 0, v);
      }
    }
    T behind[kLanes];  // which columns are to change
    for (int64_t i = 0; i < kLanes; ++i) behind[i] = i > column ? T(1) : T(0);
    for (int v = 0; v < kVectors; ++v) {
      const V mask = at(behind, 0, v);
      const V first = sum[0][v];
      sum[0][v] = mask != 0 ? tau[0] * first : V{};
      if constexpr (kComplex) {
        const V second = sum[1][v];
        sum[0][v] = mask != 0 ? tau[0] * first + tau[1] * second : V{};
        sum[1][v] = mask != 0 ? tau[0] * second - tau[1] * first : V{};
      }
      for (int p = 0; p < kParts; ++p) at(x, p, v) -= sum[p][v];
    }
    for (int64_t r = 1; r <= count; ++r) {
      T* row = x + r * kRow;
      const T vr = row[column], vi = kComplex ? row[kLanes + column] : T(0);
      for (int v = 0; v < kVectors; ++v) {
        const V mask = at(behind, 0, v);
        if constexpr (kComplex) {
          const V re_row = at(row, 0, v), im_row = at(row, 1, v);
          at(row, 0, v) = mask != 0 ? re_row - (vr * sum[0][v] - vi * sum[1][v]) : re_row;
          at(row, 1, v) = mask != 0 ? im_row - (vr * sum[1][v] + vi * sum[0][v]) : im_row;
        } else {
          const V old = at(row, 0, v);
          at(row, 0, v) = mask != 0 ? old - vr * sum[0][v] : old;
        }
      }
    }
    x[column] = static_cast<T>(beta);
    if constexpr (kComplex) x[kLanes + column] = 0;
  }
};

}  // namespace ingot::runtime
