// A length of several factors is transformed in passes (Stockham's order, as Cochran and others, 1967, have
// it): of n = r m, the elements m apart are transformed, r at a time, and multiplied with roots of unity;
// what is left are r transforms of m, whose elements lie side by side in the end, so that no order has to be
// made good. A pass is one kernel: slices of its operand, a small transform written out (small_dft.h), or,
// of a larger prime, a product with its matrix, and a concatenation.
//
// A length with a larger prime becomes a convolution with a chirp (Bluestein, 1970). n real numbers, n even,
// are transformed as n / 2 complex ones.
#include "pass/numbers/fft_program.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base/unit_root.h"
#include "pass/numbers/small_dft.h"

namespace ingot::pass {
namespace {

using ir::IntList;
using ir::Value;

constexpr int64_t kMostWrittenOut = 16;  // elements of a small transform
constexpr int64_t kMostByProduct = 128;  // a prime beyond this makes a chirp

// Passes are few and of even size: n as a product of numbers up to 16, as few as can be, the least sum.
struct Factors {
  std::vector<int64_t> list;
  int64_t sum = 0;
  bool operator<(const Factors& other) const {
    return std::pair(list.size(), sum) < std::pair(other.list.size(), other.sum);
  }
};

const Factors& best_factors(int64_t n, std::map<int64_t, Factors>& known) {
  const auto [it, fresh] = known.try_emplace(n);
  if (!fresh || n == 1) return it->second;
  Factors best{std::vector<int64_t>(64, 0), 0};
  for (int64_t r = kMostWrittenOut; r > 1; --r) {
    if (n % r != 0) continue;
    Factors rest = best_factors(n / r, known);
    rest.list.insert(rest.list.begin(), r);
    rest.sum += r;
    if (rest < best) best = rest;
  }
  return known[n] = best;
}

bool is_smooth(int64_t n) {
  for (const int64_t p : {2, 3, 5, 7}) {
    while (n % p == 0) n /= p;
  }
  return n == 1;
}

// Twice the length of a convolution's operands at least, and easily transformed.
int64_t chirp_length(int64_t n) {
  int64_t m = 2 * n - 1;
  while (!is_smooth(m)) ++m;
  return m;
}

// Of numbers that are known, of a length without large primes.
void transform_by_factors(std::vector<std::complex<double>>& x) {
  const auto n = static_cast<int64_t>(x.size());
  std::vector<std::complex<double>> y(x.size());
  int64_t columns = 1, rest = n;
  while (rest > 1) {
    int64_t r = 2;
    while (rest % r != 0) ++r;
    const int64_t m = rest / r;
    std::vector<std::complex<double>> matrix;
    for (int64_t i = 0; i < r * r; ++i) matrix.push_back(unit_root<double>(-(i / r) * (i % r), r));
    for (int64_t p = 0; p < m; ++p) {
      for (int64_t k = 0; k < r; ++k) {
        const auto root = unit_root<double>(-p * k, rest);
        for (int64_t q = 0; q < columns; ++q) {
          std::complex<double> sum = 0;
          for (int64_t j = 0; j < r; ++j) {
            const auto a = x[static_cast<size_t>((j * m + p) * columns + q)],
                       b = matrix[static_cast<size_t>(j * r + k)];
            sum += std::complex(a.real() * b.real() - a.imag() * b.imag(),
                                a.real() * b.imag() + a.imag() * b.real());
          }
          y[static_cast<size_t>((p * r + k) * columns + q)] =
              std::complex(sum.real() * root.real() - sum.imag() * root.imag(),
                           sum.real() * root.imag() + sum.imag() * root.real());
        }
      }
    }
    std::swap(x, y);
    columns *= r;
    rest = m;
  }
}

}  // namespace

std::vector<int64_t> fft_radices(int64_t n) {
  std::vector<int64_t> radices;
  int64_t small = 1, rest = n;
  for (int64_t p = 2; rest > 1; ++p) {
    if (p * p > rest) p = rest;
    for (; rest % p == 0; rest /= p) {
      if (p > kMostByProduct) return {};
      if (p <= kMostWrittenOut)
        small *= p;
      else
        radices.push_back(p);
    }
  }
  std::map<int64_t, Factors> known;
  const Factors& factors = best_factors(small, known);
  radices.insert(radices.end(), factors.list.begin(), factors.list.end());
  return radices;
}

Parts FftProgram::transform(const Parts& x, double scale) {
  const int64_t n = x.re->shape()[1];
  if (n == 1) return w_.times(x, scale);
  const std::vector<int64_t> radices = fft_radices(n);
  return radices.empty() ? by_chirp(x, scale) : by_passes(x, radices, scale);
}

// x[j m + p] to y[p r + k], columns beside each other: those of the array, and what earlier passes have made.
Parts FftProgram::by_passes(Parts x, const std::vector<int64_t>& radices, double scale) {
  const Shape whole = x.re->shape();
  int64_t m = whole[1], columns = whole[2];
  for (const int64_t r : radices) {
    m /= r;
    x = w_.each(x, [&](Value* v) { return w_.reshape(v, {whole[0], r, m, columns}); });
    x = r > kMostWrittenOut ? pass_by_product(x) : pass_written_out(x);
    if (m == 1) x = w_.times(x, scale);
    columns *= r;
  }
  return w_.each(x, [&](Value* v) { return w_.reshape(v, whole); });
}

// exp(-+ 2 pi i k p / (r m)) of [k, p].
Parts FftProgram::roots(int64_t r, int64_t m) {
  return w_.table(part_, {r, m}, [&](int64_t i) {
    const auto z = unit_root<double>(i / m * (i % m), r * m);
    return inverse_ ? z : std::conj(z);
  });
}

// [batch, r, m, columns] to [batch, m, r, columns].
Parts FftProgram::pass_written_out(const Parts& x) {
  const Shape shape = x.re->shape();
  const int64_t r = shape[1], m = shape[2];
  const Shape part{shape[0], m, shape[3]}, joined{shape[0], m, 1, shape[3]};
  std::vector<Parts> y;
  for (int64_t j = 0; j < r; ++j)
    y.push_back(w_.each(x, [&](Value* v) { return w_.reshape(w_.slice(v, 1, j, j + 1), part); }));
  y = small_dft(w_, y, inverse_);
  if (m > 1) {
    const Parts table = roots(r, m);
    for (int64_t k = 1; k < r; ++k) {
      Parts& each = y[static_cast<size_t>(k)];
      each = w_.mul(each, w_.each(table, [&](Value* v) {
        return w_.spread(w_.reshape(w_.slice(v, 0, k, k + 1), {m}), part, {1});
      }));
    }
  }
  std::vector<Value*> re, im;
  for (const Parts& each : y) {
    re.push_back(w_.reshape(each.re, joined));
    im.push_back(w_.reshape(each.im, joined));
  }
  return {w_.concatenate(re, 2), w_.concatenate(im, 2)};
}

// The same of a prime r: sums of what stands opposite to each other by a matrix of cosines, differences by
// one of sines.
Parts FftProgram::pass_by_product(const Parts& x) {
  const Shape shape = x.re->shape();
  const int64_t r = shape[1], m = shape[2], half = r / 2;
  const Parts matrix = w_.table(part_, {half + 1, half},
                                [&](int64_t i) { return unit_root<double>(i / half * (i % half + 1), r); });
  const auto product = [&](Value* a, Value* v) {  // [k, batch, m, columns]
    return w_.builder().value("dot_general", {a, v},
                              {{"lhs_batch", IntList{}},
                               {"rhs_batch", IntList{}},
                               {"lhs_contract", IntList{1}},
                               {"rhs_contract", IntList{1}}});
  };
  const auto transposed = [&](Value* v, const IntList& order) {
    return w_.builder().value("transpose", {v}, {{"permutation", order}});
  };
  const auto low = [&](Value* v) { return w_.slice(v, 1, 1, half + 1); };
  const auto high = [&](Value* v) { return w_.reverse(w_.slice(v, 1, half + 1, r), 1); };
  const Parts even = w_.each(x, [&](Value* v) {
    Value* first = transposed(w_.slice(v, 1, 0, 1), {1, 0, 2, 3});
    Value* sums = product(matrix.re, w_.add(low(v), high(v)));
    return w_.add(sums, w_.spread(w_.reshape(first, {shape[0], m, shape[3]}), sums->shape(), {1, 2, 3}));
  });
  const Parts odd = w_.each(x, [&](Value* v) { return product(matrix.im, w_.sub(low(v), high(v))); });
  const Parts down{w_.add(even.re, odd.im), w_.sub(even.im, odd.re)},
      up{w_.sub(even.re, odd.im), w_.add(even.im, odd.re)};
  const auto joined = [&](Value* ahead, Value* behind) {
    return w_.concatenate({ahead, w_.reverse(w_.slice(behind, 0, 1, half + 1), 0)}, 0);
  };
  Parts y = inverse_ ? Parts{joined(up.re, down.re), joined(up.im, down.im)}
                     : Parts{joined(down.re, up.re), joined(down.im, up.im)};
  if (m > 1) {
    const Parts table = roots(r, m);
    y = w_.mul(y, w_.each(table, [&](Value* v) { return w_.spread(v, y.re->shape(), {0, 2}); }));
  }
  return w_.each(y, [&](Value* v) { return transposed(v, {1, 2, 0, 3}); });
}

// j k = (j^2 + k^2 - (k - j)^2) / 2: x times a chirp, convolved with its conjugate, times the chirp.
Parts FftProgram::by_chirp(const Parts& x, double scale) {
  const Shape shape = x.re->shape();
  const int64_t n = shape[1], length = chirp_length(n);
  std::vector<std::complex<double>> chirp(static_cast<size_t>(n)), other(static_cast<size_t>(length));
  for (int64_t j = 0, square = 0; j < n; ++j) {  // square = j^2 mod 2n
    const auto z = unit_root<double>(square, 2 * n);
    chirp[static_cast<size_t>(j)] = inverse_ ? z : std::conj(z);
    other[static_cast<size_t>(j)] = other[static_cast<size_t>((length - j) % length)] =
        std::conj(chirp[static_cast<size_t>(j)]);
    square = (square + 2 * j + 1) % (2 * n);
  }
  transform_by_factors(other);
  const auto whole = [&](const Parts& row, const Shape& to) {
    return w_.each(row, [&](Value* v) { return w_.spread(v, to, {1}); });
  };
  const auto multiplied =
      whole(w_.table(part_, {n}, [&](int64_t j) { return chirp[static_cast<size_t>(j)]; }), shape);
  Parts y = w_.each(w_.mul(x, multiplied), [&](Value* v) { return w_.zeros_behind(v, 1, length); });
  y = FftProgram(w_, part_, false).transform(y, 1);
  y = w_.mul(y, whole(w_.table(part_, {length},
                               [&](int64_t k) {
                                 return other[static_cast<size_t>(k)] * (scale / static_cast<double>(length));
                               }),
                      y.re->shape()));
  y = FftProgram(w_, part_, true).transform(y, 1);
  return w_.mul(w_.each(y, [&](Value* v) { return w_.slice(v, 1, 0, n); }), multiplied);
}

// Z, the transform of z[j] = x[2j] + i x[2j + 1], has that of the even elements, E[k], as
// (Z[k] + conj Z[h - k]) / 2, and that of the odd ones, O[k], as (Z[k] - conj Z[h - k]) / 2i.
// X[k] = E[k] + w^k O[k], w = exp(-2 pi i / n).
Parts FftProgram::half_of_real(Value* x) {
  const Shape shape = x->shape();
  const int64_t n = shape[1], half = n / 2;
  if (n % 2 != 0) {
    const Parts y = transform({x, ComplexMath(w_.builder()).number(x, 0)}, 1);
    return w_.each(y, [&](Value* v) { return w_.slice(v, 1, 0, half + 1); });
  }
  const auto every_second = [&](int64_t first) { return w_.slice(x, 1, first, n, 2); };
  const Parts z = transform({every_second(0), every_second(1)}, 1);
  const Parts ahead = w_.each(z, [&](Value* v) { return w_.concatenate({v, w_.slice(v, 1, 0, 1)}, 1); });
  const Parts behind = w_.conj(w_.each(ahead, [&](Value* v) { return w_.reverse(v, 1); }));
  const Shape& result = ahead.re->shape();
  const Parts factors = w_.table(part_, {half + 1}, [&](int64_t k) {  // w^k / 2i
    const auto z = unit_root<double>(-k, n);
    return std::complex(z.imag() / 2, -z.real() / 2);
  });
  const Parts odd =
      w_.mul(w_.sub(ahead, behind), w_.each(factors, [&](Value* v) { return w_.spread(v, result, {1}); }));
  return w_.add(w_.times(w_.add(ahead, behind), 0.5), odd);
}

// The same backwards.
Value* FftProgram::real_of_half(const Parts& given, int64_t n, double scale) {
  const Shape shape = given.re->shape();
  const int64_t half = n / 2;
  std::vector<bool> counts(static_cast<size_t>(half + 1), true);
  counts[0] = false;
  if (n % 2 == 0) counts[static_cast<size_t>(half)] = false;
  const Parts x{given.re, w_.zero_unless(given.im, 1, counts)};
  if (n % 2 != 0) {
    const Parts rest =
        w_.conj(w_.each(x, [&](Value* v) { return w_.reverse(w_.slice(v, 1, 1, half + 1), 1); }));
    return transform({w_.concatenate({x.re, rest.re}, 1), w_.concatenate({x.im, rest.im}, 1)}, scale).re;
  }
  const auto cut = [&](const Parts& v) {
    return w_.each(v, [&](Value* u) { return w_.slice(u, 1, 0, half); });
  };
  const Parts ahead = cut(x), behind = cut(w_.conj(w_.each(x, [&](Value*v) { return w_.reverse(v, 1); })));
  const Shape& result = ahead.re->shape();
  const Parts factors = w_.table(part_, {half}, [&](int64_t k) {  // i w^-k
    const auto z = unit_root<double>(k, n);
    return std::complex(-z.imag(), z.real());
  });
  const Parts odd =
      w_.mul(w_.sub(ahead, behind), w_.each(factors, [&](Value* v) { return w_.spread(v, result, {1}); }));
  const Parts z = transform(w_.add(w_.add(ahead, behind), odd), scale);
  const auto apart = [&](Value* v) { return w_.reshape(v, {shape[0], half, 1, shape[2]}); };
  return w_.reshape(w_.concatenate({apart(z.re), apart(z.im)}, 2), {shape[0], n, shape[2]});
}

}  // namespace ingot::pass
