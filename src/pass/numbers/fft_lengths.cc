// Passes are few, and a pass is as short as its factor: of all products of small factors one with the fewest,
// and of those the least sum.
#include "pass/numbers/fft_lengths.h"

#include <algorithm>
#include <functional>
#include <map>

#include "base/unit_root.h"

namespace ingot::pass {
namespace {

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
    rest.list.insert(std::upper_bound(rest.list.begin(), rest.list.end(), r, std::greater<>()), r);
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
  // The largest one comes last: lanes run along what is left behind a factor, but for the last one, behind
  // which there is nothing.
  radices.insert(radices.end(), factors.list.rbegin(), factors.list.rend());
  return radices;
}

int64_t chirp_length(int64_t n) {
  int64_t m = 2 * n - 1;
  while (!is_smooth(m)) ++m;
  return m;
}

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

}  // namespace ingot::pass
