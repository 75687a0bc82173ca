#include "runtime/routines/panels.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ingot::runtime {
namespace {

template <class T, int kBytes>
struct VectorOf {
  typedef T type __attribute__((vector_size(kBytes), aligned(alignof(T)), may_alias));
};

// Everything is inlined into functions that are compiled for one kind of processor.
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

  template <bool kConjugated>
  [[gnu::always_inline]] static void update(const Factors<T>& factors, T* x, int64_t from, int64_t to,
                                            int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; row += kRows) tile<kConjugated>(factors, x, from, to, row);
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

  template <bool kConjugated>
  [[gnu::always_inline]] static void solve(const Factors<T>& factors, bool unit_diagonal, T* x, int64_t from,
                                           int64_t begin, int64_t end) {
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

// --- small matrices, one per lane

template <class T, bool kComplex>
struct InLanes {
  static constexpr int64_t kLanes = kSmallLanes<T>;
  static constexpr int kParts = kComplex ? 2 : 1;
  using V = typename VectorOf<T, 64>::type;

  struct Number {
    V part[kParts];
  };
  using Matrix = Number[kSmallMatrix<kComplex> * kSmallMatrix<kComplex>];

  [[gnu::always_inline]] static void load(const T* from, int64_t elements, int64_t count, Number* to) {
    for (int64_t e = 0; e < elements; ++e) {
      for (int p = 0; p < kParts; ++p) {
        T* lanes = reinterpret_cast<T*>(&to[e].part[p]);
        for (int64_t l = 0; l < count; ++l) lanes[l] = from[(l * elements + e) * kParts + p];
        for (int64_t l = count; l < kLanes; ++l) lanes[l] = 0;
      }
    }
  }
  [[gnu::always_inline]] static void store(const Number* from, int64_t elements, int64_t count, T* to) {
    for (int64_t e = 0; e < elements; ++e) {
      for (int p = 0; p < kParts; ++p) {
        const T* lanes = reinterpret_cast<const T*>(&from[e].part[p]);
        for (int64_t l = 0; l < count; ++l) to[(l * elements + e) * kParts + p] = lanes[l];
      }
    }
  }
  // x -= a * b, or a * conj(b).
  template <bool kConjugated>
  [[gnu::always_inline]] static void subtract(Number& x, const Number& a, const Number& b) {
    x.part[0] -= a.part[0] * b.part[0];
    if constexpr (kComplex) {
      if constexpr (kConjugated) {
        x.part[0] -= a.part[1] * b.part[1];
        x.part[1] -= a.part[1] * b.part[0] - a.part[0] * b.part[1];
      } else {
        x.part[0] += a.part[1] * b.part[1];
        x.part[1] -= a.part[1] * b.part[0] + a.part[0] * b.part[1];
      }
    }
  }

  [[gnu::always_inline]] static void divide(Number& x, const Number& by) {
    if constexpr (kComplex) {
      T *xr = reinterpret_cast<T*>(&x.part[0]), *xi = reinterpret_cast<T*>(&x.part[1]);
      const T *br = reinterpret_cast<const T*>(&by.part[0]), *bi = reinterpret_cast<const T*>(&by.part[1]);
      for (int64_t l = 0; l < kLanes; ++l) {
        const bool swap = std::abs(br[l]) < std::abs(bi[l]);
        const T c = swap ? bi[l] : br[l], d = swap ? -br[l] : bi[l];
        const T a = swap ? xi[l] : xr[l], b = swap ? -xr[l] : xi[l];
        const T ratio = d == 0 ? T(0) : d / c, size = c + d * ratio;
        xr[l] = (a + b * ratio) / size;
        xi[l] = (b - a * ratio) / size;
      }
    } else {
      x.part[0] = x.part[0] / by.part[0];
    }
  }

  [[gnu::always_inline]] static void factor(const T* from, T* to, int64_t n, bool lower, int64_t count) {
    Matrix a;
    load(from, n * n, count, a);
    // Element (i, j) of the lower triangle, or, of the other one, its conjugate's transpose.
    const auto at = [&](int64_t i, int64_t j) -> Number& { return a[lower ? i * n + j : j * n + i]; };
    bool positive[kLanes];
    for (int64_t l = 0; l < kLanes; ++l) positive[l] = true;
    for (int64_t j = 0; j < n; ++j) {
      for (int64_t k = 0; k < j; ++k) {
        for (int64_t i = j; i < n; ++i) subtract<true>(at(i, j), at(i, k), at(j, k));
      }
      T* pivot = reinterpret_cast<T*>(&at(j, j).part[0]);
      V root;
      for (int64_t l = 0; l < kLanes; ++l) {
        positive[l] = positive[l] && pivot[l] > 0;
        reinterpret_cast<T*>(&root)[l] = std::sqrt(pivot[l]);
      }
      for (int64_t i = j + 1; i < n; ++i) {
        for (int p = 0; p < kParts; ++p) at(i, j).part[p] = at(i, j).part[p] / root;
      }
      at(j, j).part[0] = root;
      if constexpr (kComplex) at(j, j).part[1] = V{};
    }
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = i + 1; j < n; ++j) {
        for (int p = 0; p < kParts; ++p) at(i, j).part[p] = V{};
      }
    }
    for (int64_t l = 0; l < count; ++l) {
      for (int64_t e = 0; e < n * n && !positive[l]; ++e) {
        const bool inside = lower ? e % n <= e / n : e % n >= e / n;
        for (int p = 0; p < kParts && inside; ++p)
          reinterpret_cast<T*>(&a[e].part[p])[l] = std::numeric_limits<T>::quiet_NaN();
      }
    }
    store(a, n * n, count, to);
  }

  [[gnu::always_inline]] static void solve(const T* from, const T* b, T* to, int64_t n, int64_t sides,
                                           const SmallForm& form, int64_t count) {
    Matrix a, x;
    load(from, n * n, count, a);
    load(b, n * sides, count, x);
    const bool transposed = form.transposed == form.left_side, upwards = form.lower == transposed;
    if (form.conjugated && kComplex) {
      for (int64_t e = 0; e < n * n; ++e) a[e].part[kParts - 1] = -a[e].part[kParts - 1];
    }
    const auto row = [&](int64_t step) { return upwards ? n - 1 - step : step; };
    for (int64_t side = 0; side < sides; ++side) {
      const auto at = [&](int64_t i) -> Number& {
        return x[form.left_side ? i * sides + side : side * n + i];
      };
      for (int64_t s = 0; s < n; ++s) {
        const int64_t i = row(s);
        for (int64_t r = 0; r < s; ++r) {
          const int64_t k = row(r);
          subtract<false>(at(i), a[transposed ? k * n + i : i * n + k], at(k));
        }
        if (!form.unit_diagonal) divide(at(i), a[i * n + i]);
      }
    }
    store(x, n * sides, count, to);
  }

  // Vectors are handed over by reference: by value, how depends on the processor that one compiles for.
  [[gnu::always_inline]] static void magnitude(const V& x, V& size) { size = x < 0 ? -x : x; }
  // Where the mask is not 0.
  [[gnu::always_inline]] static void choose(const V& mask, const Number& chosen, Number& otherwise) {
    for (int p = 0; p < kParts; ++p) otherwise.part[p] = mask != 0 ? chosen.part[p] : otherwise.part[p];
  }

  // Each lane has its own row to exchange: rows that stay are written as they were.
  [[gnu::always_inline]] static void lu(const T* from, T* to, int32_t* pivots, int32_t* permutation,
                                        int64_t m, int64_t n, int64_t count) {
    Matrix a;
    load(from, m * n, count, a);
    V rows[kSmallMatrix<kComplex>];
    for (int64_t i = 0; i < m; ++i) rows[i] = V{} + static_cast<T>(i);
    const int64_t steps = std::min(m, n);
    for (int64_t k = 0; k < steps; ++k) {
      V largest{}, best = V{} + static_cast<T>(k);
      for (int64_t i = k; i < m; ++i) {
        V size;
        magnitude(a[i * n + k].part[0], size);
        if constexpr (kComplex) {
          V imaginary;
          magnitude(a[i * n + k].part[1], imaginary);
          size += imaginary;
        }
        if (i == k) {  // a NaN that stands first stays
          largest = size;
          continue;
        }
        best = size > largest ? V{} + static_cast<T>(i) : best;
        largest = size > largest ? size : largest;
      }
      for (int64_t l = 0; l < count; ++l)
        pivots[l * steps + k] = static_cast<int32_t>(reinterpret_cast<const T*>(&best)[l]);
      for (int64_t i = k + 1; i < m; ++i) {
        const V here = best == static_cast<T>(i) ? V{} + 1 : V{};
        for (int64_t j = 0; j < n; ++j) {
          const Number upper = a[k * n + j], lower = a[i * n + j];
          choose(here, lower, a[k * n + j]);
          choose(here, upper, a[i * n + j]);
        }
        const V upper = rows[k];
        rows[k] = here != 0 ? rows[i] : upper;
        rows[i] = here != 0 ? upper : rows[i];
      }
      const Number pivot = a[k * n + k];
      V divides = pivot.part[0] != 0 ? V{} + 1 : V{};
      if constexpr (kComplex) divides = pivot.part[1] != 0 ? V{} + 1 : divides;
      for (int64_t i = k + 1; i < m; ++i) {
        Number factor = a[i * n + k];
        divide(factor, pivot);
        choose(divides, factor, a[i * n + k]);
        for (int64_t j = k + 1; j < n; ++j) {
          Number changed = a[i * n + j];
          subtract<false>(changed, factor, a[k * n + j]);
          choose(divides, changed, a[i * n + j]);
        }
      }
    }
    store(a, m * n, count, to);
    for (int64_t l = 0; l < count; ++l) {
      for (int64_t i = 0; i < m; ++i)
        permutation[l * m + i] = static_cast<int32_t>(reinterpret_cast<const T*>(&rows[i])[l]);
    }
  }

  // x += conj(a) * b.
  [[gnu::always_inline]] static void add_adjoint(Number& x, const Number& a, const Number& b) {
    x.part[0] += a.part[0] * b.part[0];
    if constexpr (kComplex) {
      x.part[0] += a.part[1] * b.part[1];
      x.part[1] += a.part[0] * b.part[1] - a.part[1] * b.part[0];
    }
  }
  // x = a * x, or conj(a) * x.
  template <bool kConjugated>
  [[gnu::always_inline]] static void multiply_by(const Number& a, Number& x) {
    const V re = x.part[0];
    x.part[0] = a.part[0] * re;
    if constexpr (kComplex) {
      const V im = kConjugated ? -a.part[1] : a.part[1];
      x.part[0] -= im * x.part[1];
      x.part[1] = a.part[0] * x.part[1] + im * re;
    }
  }

  // The norms of a column from row k on, and the sums of squares below that are no 0 where there is
  // something; scaled where the squares leave the range of numbers.
  [[gnu::always_inline]] static void norms(const Number* a, int64_t m, int64_t n, int64_t k, V& norm,
                                           V& below) {
    V by = V{} + 1, total{};
    below = V{};
    for (int64_t i = m - 1; i >= k; --i) {
      if (i == k) below = total;
      for (int p = 0; p < kParts; ++p) total += a[i * n + k].part[p] * a[i * n + k].part[p];
    }
    bool plain = true;
    const T least = sizeof(T) == 4 ? T(1e-28) : T(1e-280), most = sizeof(T) == 4 ? T(1e28) : T(1e280);
    for (int64_t l = 0; l < kLanes; ++l) {
      const T whole = reinterpret_cast<const T*>(&total)[l], rest = reinterpret_cast<const T*>(&below)[l];
      plain = plain && whole > least && whole < most && (rest > least || k + 1 == m);
    }
    if (!plain) {
      V largest{};
      for (int64_t i = k; i < m; ++i) {
        for (int p = 0; p < kParts; ++p) {
          V size;
          magnitude(a[i * n + k].part[p], size);
          largest = size > largest ? size : largest;
        }
      }
      by = largest == 0 ? V{} + 1 : largest;
      total = below = V{};
      for (int64_t i = k; i < m; ++i) {
        for (int p = 0; p < kParts; ++p) {
          const V x = a[i * n + k].part[p], scaled = x / by;
          total += scaled * scaled;
          if (i > k) below = x != 0 ? V{} + 1 : below;
        }
      }
    }
    for (int64_t l = 0; l < kLanes; ++l)
      reinterpret_cast<T*>(&norm)[l] =
          reinterpret_cast<const T*>(&by)[l] * std::sqrt(reinterpret_cast<const T*>(&total)[l]);
  }

  [[gnu::always_inline]] static void reflect(const T* from, T* to, T* taus, int64_t m, int64_t n,
                                             int64_t count) {
    Matrix a;
    Number factors[kSmallMatrix<kComplex>];
    load(from, m * n, count, a);
    const int64_t steps = std::min(m, n);
    for (int64_t k = 0; k < steps; ++k) {
      V norm, below;
      norms(a, m, n, k, norm, below);
      Number& pivot = a[k * n + k];
      V some = below != 0 ? V{} + 1 : V{};
      if constexpr (kComplex) some = pivot.part[1] != 0 ? V{} + 1 : some;
      V beta = norm;
      for (int64_t l = 0; l < kLanes; ++l) {
        T& b = reinterpret_cast<T*>(&beta)[l];
        b = -std::copysign(b, reinterpret_cast<const T*>(&pivot.part[0])[l]);
      }
      Number by = pivot, tau;
      by.part[0] = some != 0 ? pivot.part[0] - beta : V{} + 1;
      tau.part[0] = some != 0 ? (beta - pivot.part[0]) / beta : V{};
      if constexpr (kComplex) tau.part[1] = some != 0 ? -pivot.part[1] / beta : V{};
      factors[k] = tau;
      pivot.part[0] = some != 0 ? beta : pivot.part[0];
      if constexpr (kComplex) pivot.part[1] = V{};
      for (int64_t i = k + 1; i < m; ++i) divide(a[i * n + k], by);
      for (int64_t j = k + 1; j < n; ++j) {
        Number sum = a[k * n + j];
        for (int64_t i = k + 1; i < m; ++i) add_adjoint(sum, a[i * n + k], a[i * n + j]);
        multiply_by<true>(tau, sum);
        for (int p = 0; p < kParts; ++p) a[k * n + j].part[p] -= sum.part[p];
        for (int64_t i = k + 1; i < m; ++i) subtract<false>(a[i * n + j], a[i * n + k], sum);
      }
    }
    store(a, m * n, count, to);
    store(factors, steps, count, taus);
  }

  [[gnu::always_inline]] static void multiply(const T* from, const T* taus, T* to, int64_t m, int64_t n,
                                              int64_t reflections, int64_t columns, int64_t count) {
    Matrix a, q;
    Number factors[kSmallMatrix<kComplex>];
    load(from, m * n, count, a);
    load(taus, reflections, count, factors);
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < columns; ++j) {
        q[i * columns + j] = {};
        if (i == j) q[i * columns + j].part[0] = V{} + 1;
      }
    }
    for (int64_t k = reflections - 1; k >= 0; --k) {
      for (int64_t j = k; j < columns; ++j) {
        Number sum = q[k * columns + j];
        for (int64_t i = k + 1; i < m; ++i) add_adjoint(sum, a[i * n + k], q[i * columns + j]);
        multiply_by<false>(factors[k], sum);
        for (int p = 0; p < kParts; ++p) q[k * columns + j].part[p] -= sum.part[p];
        for (int64_t i = k + 1; i < m; ++i) subtract<false>(q[i * columns + j], a[i * n + k], sum);
      }
    }
    store(q, m * columns, count, to);
  }
};

// --- by processor

// P: Panels, S: InLanes, of T. The three differ in the processor that they are compiled for.
template <class P, class S, class T>
struct Baseline {
  static void update(const Factors<T>& f, bool conjugated, T* x, int64_t from, int64_t to, int64_t begin,
                     int64_t end) {
    conjugated ? P::template update<true>(f, x, from, to, begin, end)
               : P::template update<false>(f, x, from, to, begin, end);
  }
  static void eliminate(T* x, int64_t column, int64_t count) { P::eliminate(x, column, count); }
  static void solve(const Factors<T>& f, bool conjugated, bool unit, T* x, int64_t from, int64_t begin,
                    int64_t end) {
    conjugated ? P::template solve<true>(f, unit, x, from, begin, end)
               : P::template solve<false>(f, unit, x, from, begin, end);
  }
  static bool factor(T* x, int64_t count) { return P::factor(x, count); }
  static void small_factor(const T* a, T* to, int64_t n, bool lower, int64_t count) {
    S::factor(a, to, n, lower, count);
  }
  static void small_solve(const T* a, const T* b, T* x, int64_t n, int64_t sides, const SmallForm& form,
                          int64_t count) {
    S::solve(a, b, x, n, sides, form, count);
  }
  static void reflect(T* x, int64_t column, int64_t count, T* tau) { P::reflect(x, column, count, tau); }
  static void small_lu(const T* a, T* lu, int32_t* pivots, int32_t* permutation, int64_t m, int64_t n,
                       int64_t count) {
    S::lu(a, lu, pivots, permutation, m, n, count);
  }
  static void small_reflect(const T* a, T* to, T* taus, int64_t m, int64_t n, int64_t count) {
    S::reflect(a, to, taus, m, n, count);
  }
  static void small_product(const T* a, const T* taus, T* q, int64_t m, int64_t n, int64_t reflections,
                            int64_t columns, int64_t count) {
    S::multiply(a, taus, q, m, n, reflections, columns, count);
  }
};

#if defined(__x86_64__)
template <class P, class S, class T>
struct Avx2 {
  [[gnu::target("avx2,fma")]] static void update(const Factors<T>& f, bool conjugated, T* x, int64_t from,
                                                 int64_t to, int64_t begin, int64_t end) {
    conjugated ? P::template update<true>(f, x, from, to, begin, end)
               : P::template update<false>(f, x, from, to, begin, end);
  }
  [[gnu::target("avx2,fma")]] static void eliminate(T* x, int64_t column, int64_t count) {
    P::eliminate(x, column, count);
  }
  [[gnu::target("avx2,fma")]] static void solve(const Factors<T>& f, bool conjugated, bool unit, T* x,
                                                int64_t from, int64_t begin, int64_t end) {
    conjugated ? P::template solve<true>(f, unit, x, from, begin, end)
               : P::template solve<false>(f, unit, x, from, begin, end);
  }
  [[gnu::target("avx2,fma")]] static bool factor(T* x, int64_t count) { return P::factor(x, count); }
  [[gnu::target("avx2,fma")]] static void small_factor(const T* a, T* to, int64_t n, bool lower,
                                                       int64_t count) {
    S::factor(a, to, n, lower, count);
  }
  [[gnu::target("avx2,fma")]] static void small_solve(const T* a, const T* b, T* x, int64_t n, int64_t sides,
                                                      const SmallForm& form, int64_t count) {
    S::solve(a, b, x, n, sides, form, count);
  }
  [[gnu::target("avx2,fma")]] static void reflect(T* x, int64_t column, int64_t count, T* tau) {
    P::reflect(x, column, count, tau);
  }
  [[gnu::target("avx2,fma")]] static void small_lu(const T* a, T* lu, int32_t* pivots, int32_t* permutation,
                                                   int64_t m, int64_t n, int64_t count) {
    S::lu(a, lu, pivots, permutation, m, n, count);
  }
  [[gnu::target("avx2,fma")]] static void small_reflect(const T* a, T* to, T* taus, int64_t m, int64_t n,
                                                        int64_t count) {
    S::reflect(a, to, taus, m, n, count);
  }
  [[gnu::target("avx2,fma")]] static void small_product(const T* a, const T* taus, T* q, int64_t m, int64_t n,
                                                        int64_t reflections, int64_t columns, int64_t count) {
    S::multiply(a, taus, q, m, n, reflections, columns, count);
  }
};

template <class P, class S, class T>
struct Avx512 {
  [[gnu::target("avx512f,avx512dq,avx512bw,avx512vl,fma")]] static void update(const Factors<T>& f,
                                                                               bool conjugated, T* x,
                                                                               int64_t from, int64_t to,
                                                                               int64_t begin, int64_t end) {
    conjugated ? P::template update<true>(f, x, from, to, begin, end)
               : P::template update<false>(f, x, from, to, begin, end);
  }
  [[gnu::target("avx512f,avx512dq,avx512bw,avx512vl,fma")]] static void eliminate(T* x, int64_t column,
                                                                                  int64_t count) {
    P::eliminate(x, column, count);
  }
  [[gnu::target("avx512f,avx512dq,avx512bw,avx512vl,fma")]] static void solve(const Factors<T>& f,
                                                                              bool conjugated, bool unit,
                                                                              T* x, int64_t from,
                                                                              int64_t begin, int64_t end) {
    conjugated ? P::template solve<true>(f, unit, x, from, begin, end)
               : P::template solve<false>(f, unit, x, from, begin, end);
  }
  [[gnu::target("avx512f,avx512dq,avx512bw,avx512vl,fma")]] static bool factor(T* x, int64_t count) {
    return P::factor(x, count);
  }
  [[gnu::target("avx512f,avx512dq,avx512bw,avx512vl,fma")]] static void small_factor(const T* a, T* to,
                                                                                     int64_t n, bool lower,
                                                                                     int64_t count) {
    S::factor(a, to, n, lower, count);
  }
  [[gnu::target("avx512f,avx512dq,avx512bw,avx512vl,fma")]] static void small_solve(
      const T* a, const T* b, T* x, int64_t n, int64_t sides, const SmallForm& form, int64_t count) {
    S::solve(a, b, x, n, sides, form, count);
  }
  [[gnu::target("avx512f,avx512dq,avx512bw,avx512vl,fma")]] static void reflect(T* x, int64_t column,
                                                                                int64_t count, T* tau) {
    P::reflect(x, column, count, tau);
  }
  [[gnu::target("avx512f,avx512dq,avx512bw,avx512vl,fma")]] static void small_lu(
      const T* a, T* lu, int32_t* pivots, int32_t* permutation, int64_t m, int64_t n, int64_t count) {
    S::lu(a, lu, pivots, permutation, m, n, count);
  }
  [[gnu::target("avx512f,avx512dq,avx512bw,avx512vl,fma")]] static void small_reflect(const T* a, T* to,
                                                                                      T* taus, int64_t m,
                                                                                      int64_t n,
                                                                                      int64_t count) {
    S::reflect(a, to, taus, m, n, count);
  }
  [[gnu::target("avx512f,avx512dq,avx512bw,avx512vl,fma")]] static void small_product(
      const T* a, const T* taus, T* q, int64_t m, int64_t n, int64_t reflections, int64_t columns,
      int64_t count) {
    S::multiply(a, taus, q, m, n, reflections, columns, count);
  }
};
#endif

template <template <class, class, class> class Processor, class P, class S, class T>
constexpr PanelCode<T> kCode{P::kLanes,
                             P::kTileRows,
                             Processor<P, S, T>::update,
                             Processor<P, S, T>::solve,
                             Processor<P, S, T>::factor,
                             Processor<P, S, T>::eliminate,
                             Processor<P, S, T>::reflect,
                             Processor<P, S, T>::small_factor,
                             Processor<P, S, T>::small_solve,
                             Processor<P, S, T>::small_lu,
                             Processor<P, S, T>::small_reflect,
                             Processor<P, S, T>::small_product};

template <class T, bool kComplex, int kVectors>
const PanelCode<T>& code_of(int vector_bytes) {
  using S = InLanes<T, kComplex>;
#if defined(__x86_64__)
  if (vector_bytes >= 64) return kCode<Avx512, Panels<T, kComplex, 64, kVectors, kComplex ? 4 : 8>, S, T>;
  if (vector_bytes >= 32) return kCode<Avx2, Panels<T, kComplex, 32, kVectors, kComplex ? 2 : 4>, S, T>;
#endif
  return kCode<Baseline, Panels<T, kComplex, 16, kVectors, kComplex ? 2 : 4>, S, T>;
}

}  // namespace

template <class T, bool kComplex>
const PanelCode<T>& panel_code(int vector_bytes, bool narrow) {
  return narrow ? code_of<T, kComplex, 1>(vector_bytes) : code_of<T, kComplex, 2>(vector_bytes);
}

template const PanelCode<float>& panel_code<float, false>(int, bool);
template const PanelCode<float>& panel_code<float, true>(int, bool);
template const PanelCode<double>& panel_code<double, false>(int, bool);
template const PanelCode<double>& panel_code<double, true>(int, bool);

}  // namespace ingot::runtime
