// Factors and solutions of small matrices, each in a lane of its own. Everything is inlined into functions
// that are compiled for one kind of processor.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "runtime/routines/lanes_in_memory.h"
#include "runtime/routines/panels.h"
#include "runtime/routines/vector_of.h"

namespace ingot::runtime {

template <class T, bool kComplex, int kBytes>
struct InLanes {
  static constexpr int64_t kLanes = kBytes / static_cast<int>(sizeof(T));
  static constexpr int kParts = kComplex ? 2 : 1;
  using V = typename VectorOf<T, kBytes>::type;

  using Bits = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
  using Mask = typename VectorOf<Bits, kBytes>::type;

  struct alignas(kBytes) Number {  // vectors that lie across lines of the cache take twice as long
    V part[kParts];
  };
  using Matrix = Number[kSmallMatrix<kComplex> * kSmallMatrix<kComplex>];

  [[gnu::always_inline]] static void load(const T* from, int64_t elements, int64_t count, Number* to) {
    LanesInMemory<T, kBytes>::load(from, elements * kParts, count, &to->part[0]);
  }
  [[gnu::always_inline]] static void store(const Number* from, int64_t elements, int64_t count, T* to) {
    LanesInMemory<T, kBytes>::store(&from->part[0], elements * kParts, count, to);
  }
  // Numbers that are whole, for which T is wide enough, as int32.
  [[gnu::always_inline]] static void store_whole(const V* from, int64_t elements, int64_t count,
                                                 int32_t* to) {
    T numbers[kSmallMatrix<kComplex> * kLanes];
    LanesInMemory<T, kBytes>::store(from, elements, count, numbers);
    for (int64_t e = 0; e < count * elements; ++e) to[e] = static_cast<int32_t>(numbers[e]);
  }
  // Whether some lane is not 0.
  [[gnu::always_inline]] static bool any(const Mask& mask) {
    Bits some = 0;
    for (int64_t l = 0; l < kLanes; ++l) some |= mask[l];
    return some != 0;
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
    for (int64_t first = 0; first < count; first += kLanes) {
      const int64_t some = std::min(kLanes, count - first);
      const int64_t at = first * n * n * kParts;
      if (n == kFixed && !kComplex && kBytes == 64)  // 16 numbers and what is computed of them
        factor_vector(from + at, to + at, kFixed, lower, some);
      else
        factor_vector(from + at, to + at, n, lower, some);
    }
  }

  // Matrices of so many rows lie in registers, in code of their own.
  static constexpr int64_t kFixed = 4;
  // Rows that stay in registers while products are taken off them.
  static constexpr int kRows = kComplex ? 2 : kBytes == 64 ? 8 : 4;

  // Element j of kSome rows minus the products of the elements before it with those of row j.
  template <int kSome>
  [[gnu::always_inline]] static void subtract_products(Number* rows, const Number* other, int64_t row,
                                                       int64_t column, int64_t j) {
    Number sum[kSome];
    for (int r = 0; r < kSome; ++r) sum[r] = rows[r * row + j * column];
    for (int64_t k = 0; k < j; ++k) {
      const Number by = other[k * column];
      for (int r = 0; r < kSome; ++r) subtract<true>(sum[r], rows[r * row + k * column], by);
    }
    for (int r = 0; r < kSome; ++r) rows[r * row + j * column] = sum[r];
  }

  [[gnu::always_inline]] static void factor_vector(const T* from, T* to, int64_t n, bool lower,
                                                   int64_t count) {
    Matrix a;
    load(from, n * n, count, a);
    // Element (i, j) of the lower triangle, or, of the other one, its conjugate's transpose.
    const int64_t row = lower ? n : 1, column = lower ? 1 : n;
    const auto at = [&](int64_t i, int64_t j) -> Number& { return a[i * row + j * column]; };
    Mask failed{};
    for (int64_t j = 0; j < n; ++j) {
      int64_t i = j;
      for (; i + kRows <= n; i += kRows) subtract_products<kRows>(&at(i, 0), &at(j, 0), row, column, j);
      for (; i < n; ++i) subtract_products<1>(&at(i, 0), &at(j, 0), row, column, j);
      const V pivot = at(j, j).part[0];
      failed |= ~(Mask)(pivot > 0);
      V root;
      for (int64_t l = 0; l < kLanes; ++l)
        reinterpret_cast<T*>(&root)[l] = std::sqrt(reinterpret_cast<const T*>(&pivot)[l]);
      // A root is far from where its reciprocal leaves the range of numbers.
      const V by = 1 / root;
      for (int64_t r = j + 1; r < n; ++r) {
        for (int p = 0; p < kParts; ++p) at(r, j).part[p] = at(r, j).part[p] * by;
      }
      at(j, j).part[0] = root;
      if constexpr (kComplex) at(j, j).part[1] = V{};
    }
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = i + 1; j < n; ++j) {
        for (int p = 0; p < kParts; ++p) at(i, j).part[p] = V{};
      }
    }
    for (int64_t l = 0; any(failed) && l < count; ++l) {
      for (int64_t e = 0; e < n * n && failed[l] != 0; ++e) {
        const bool inside = lower ? e % n <= e / n : e % n >= e / n;
        for (int p = 0; p < kParts && inside; ++p)
          reinterpret_cast<T*>(&a[e].part[p])[l] = std::numeric_limits<T>::quiet_NaN();
      }
    }
    store(a, n * n, count, to);
  }

  [[gnu::always_inline]] static void solve(const T* from, const T* b, T* to, int64_t n, int64_t sides,
                                           const SmallForm& form, int64_t count) {
    for (int64_t first = 0; first < count; first += kLanes) {
      const int64_t some = std::min(kLanes, count - first);
      const int64_t at = first * n * sides * kParts;
      solve_vector(from + first * n * n * kParts, b + at, to + at, n, sides, form, some);
    }
  }

  [[gnu::always_inline]] static void solve_vector(const T* from, const T* b, T* to, int64_t n, int64_t sides,
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
        Number sum = at(i);
        for (int64_t r = 0; r < s; ++r) {
          const int64_t k = row(r);
          subtract<false>(sum, a[transposed ? k * n + i : i * n + k], at(k));
        }
        if (!form.unit_diagonal) divide(sum, a[i * n + i]);
        at(i) = sum;
      }
    }
    store(x, n * sides, count, to);
  }

  // Vectors are handed over by reference: by value, how depends on the processor that one compiles for.
  [[gnu::always_inline]] static void magnitude(const V& x, V& size) { size = x < 0 ? -x : x; }
  // Where the mask is -1 and not 0. Bits, because GCC 12 breaks off where comparisons choose several times.
  [[gnu::always_inline]] static void choose(const Mask& mask, const V& chosen, V& otherwise) {
    otherwise = (V)(((Mask)chosen & mask) | ((Mask)otherwise & ~mask));
  }
  [[gnu::always_inline]] static void choose(const Mask& mask, const Number& chosen, Number& otherwise) {
    for (int p = 0; p < kParts; ++p) choose(mask, chosen.part[p], otherwise.part[p]);
  }

  // x / pivot is x * scale * by for x that are not larger. Without the scale the reciprocal of a pivot near
  // the ends of the range of numbers would leave it.
  [[gnu::always_inline]] static void reciprocal(const V& pivot, V& scale, V& by) {
    V size;
    magnitude(pivot, size);
    const T much = sizeof(T) == 4 ? T(0x1p64) : T(0x1p512);
    scale = size < 1 / much ? V{} + much : V{} + 1;
    scale = size > much ? V{} + 1 / much : scale;
    by = 1 / (pivot * scale);
  }

  // Each lane has its own row to exchange: rows that stay are written as they were.
  [[gnu::always_inline]] static void lu(const T* from, T* to, int32_t* pivots, int32_t* permutation,
                                        int64_t m, int64_t n, int64_t count) {
    for (int64_t first = 0; first < count; first += kLanes) {
      const int64_t some = std::min(kLanes, count - first);
      const int64_t at = first * m * n * kParts;
      int32_t *pivot = pivots + first * std::min(m, n), *row = permutation + first * m;
      if (m == kFixed && n == kFixed && !kComplex)
        lu_vector(from + at, to + at, pivot, row, kFixed, kFixed, some);
      else if (m == 3 && n == 3 && !kComplex)
        lu_vector(from + at, to + at, pivot, row, 3, 3, some);
      else
        lu_vector(from + at, to + at, pivot, row, m, n, some);
    }
  }

  [[gnu::always_inline]] static void lu_vector(const T* from, T* to, int32_t* pivots, int32_t* permutation,
                                               int64_t m, int64_t n, int64_t count) {
    Matrix a;
    load(from, m * n, count, a);
    V rows[kSmallMatrix<kComplex>], chosen[kSmallMatrix<kComplex>];
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
      chosen[k] = best;
      if (any((Mask)(best != static_cast<T>(k)))) exchange(a, rows, best, k, m, n);
      const Number pivot = a[k * n + k];
      Mask divides = (Mask)(pivot.part[0] != 0);
      if constexpr (kComplex) divides |= (Mask)(pivot.part[1] != 0);
      V scale, by;
      if constexpr (!kComplex) reciprocal(pivot.part[0], scale, by);
      // Where nothing divides, nothing is taken off: 0 of 0, not of what may be no number.
      Number upper[kSmallMatrix<kComplex>];
      for (int64_t j = k + 1; j < n; ++j) {
        upper[j] = {};
        choose(divides, a[k * n + j], upper[j]);
      }
      for (int64_t i = k + 1; i < m; ++i) {
        Number quotient = a[i * n + k], factor{};
        if constexpr (kComplex) {
          divide(quotient, pivot);
        } else {
          quotient.part[0] = quotient.part[0] * scale * by;
        }
        choose(divides, quotient, factor);
        choose(divides, quotient, a[i * n + k]);
        for (int64_t j = k + 1; j < n; ++j) subtract<false>(a[i * n + j], factor, upper[j]);
      }
    }
    store(a, m * n, count, to);
    store_whole(chosen, steps, count, pivots);
    store_whole(rows, m, count, permutation);
  }

  // Row k of each lane and the row that was chosen.
  [[gnu::always_inline]] static void exchange(Number* a, V* rows, const V& chosen, int64_t k, int64_t m,
                                              int64_t n) {
    Mask here[kSmallMatrix<kComplex>];  // in the lanes whose row it is
    const V row = rows[k];
    for (int64_t i = k + 1; i < m; ++i) {
      here[i] = (Mask)(chosen == static_cast<T>(i));
      choose(here[i], rows[i], rows[k]);
      choose(here[i], row, rows[i]);
    }
    if (m <= kFewRows) {
      for (int64_t j = 0; j < n; ++j) {
        Number now = a[k * n + j];
        for (int64_t i = k + 1; i < m; ++i) exchange(here[i], now, a[i * n + j]);
        a[k * n + j] = now;
      }
      return;
    }
    uint32_t some = 0;
    for (int64_t l = 0; l < kLanes; ++l) some |= 1U << static_cast<int32_t>(chosen[l]);
    int64_t other[kSmallMatrix<kComplex>], others = 0;
    for (int64_t i = k + 1; i < m; ++i) {
      if ((some >> i & 1) != 0) other[others++] = i;
    }
    for (int64_t j = 0; j < n; ++j) {
      Number now = a[k * n + j];
      for (int64_t r = 0; r < others; ++r) exchange(here[other[r]], now, a[other[r] * n + j]);
      a[k * n + j] = now;
    }
  }
  static constexpr int64_t kFewRows = 8;  // nearly all are chosen in some lane
  [[gnu::always_inline]] static void exchange(const Mask& here, Number& a, Number& b) {
    for (int p = 0; p < kParts; ++p) {
      const Mask differ = ((Mask)a.part[p] ^ (Mask)b.part[p]) & here;
      a.part[p] = (V)((Mask)a.part[p] ^ differ);
      b.part[p] = (V)((Mask)b.part[p] ^ differ);
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
    for (int64_t first = 0; first < count; first += kLanes) {
      const int64_t some = std::min(kLanes, count - first);
      const int64_t at = first * m * n * kParts;
      reflect_vector(from + at, to + at, taus + first * std::min(m, n) * kParts, m, n, some);
    }
  }

  [[gnu::always_inline]] static void reflect_vector(const T* from, T* to, T* taus, int64_t m, int64_t n,
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
    for (int64_t first = 0; first < count; first += kLanes) {
      const int64_t some = std::min(kLanes, count - first);
      multiply_vector(from + first * m * n * kParts, taus + first * reflections * kParts,
                      to + first * m * columns * kParts, m, n, reflections, columns, some);
    }
  }

  [[gnu::always_inline]] static void multiply_vector(const T* from, const T* taus, T* to, int64_t m,
                                                     int64_t n, int64_t reflections, int64_t columns,
                                                     int64_t count) {
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

}  // namespace ingot::runtime
