// Passes are few, and a pass is as short as its factor: of all products of small factors one with the fewest,
// and of those the least sum.
#include "pass/numbers/fft_lengths.h"

#include <algorithm>
#include <functional>
#include <map>

#include "base/check.h"
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

namespace {

using Complex = std::complex<double>;

// Roots whose neighbours are known one by one; the others are products with such a one.
constexpr int64_t kNear = 1024;

// Without the library's care for infinities.
Complex product(Complex a, Complex b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

}  // namespace

UnitRoots::UnitRoots(int64_t n, DType wanted) : n_(n), exact_(wanted == DType::kF64) {
  if (exact_) return;
  for (int64_t k = 0; k < std::min(n, kNear); ++k) near_.push_back(unit_root<double>(-k, n));
  for (int64_t k = 0; k < n; k += kNear) far_.push_back(unit_root<double>(-k, n));
}

Complex UnitRoots::of(int64_t k) const {
  // A quarter of a turn is a 0 in one part, and stays one.
  if (exact_ || 4 * k % n_ == 0) return unit_root<double>(-k, n_);
  return product(far_[static_cast<size_t>(k / kNear)], near_[static_cast<size_t>(k % kNear)]);
}

namespace {

// One pass, of n = R m columns.
template <int R>
void transform_by(const std::vector<Complex>& x, int64_t m, int64_t columns, std::vector<Complex>& y) {
  Complex matrix[R][R];
  for (int j = 0; j < R; ++j) {
    for (int k = 0; k < R; ++k) matrix[j][k] = unit_root<double>(-j * k, R);
  }
  const UnitRoots roots(R * m, DType::kF32);
  for (int64_t p = 0; p < m; ++p) {
    Complex root[R];
    for (int k = 0; k < R; ++k) root[k] = roots.of(p * k);
    const Complex* from = x.data() + p * columns;
    Complex* to = y.data() + p * R * columns;
    for (int64_t q = 0; q < columns; ++q) {
      Complex a[R];
      for (int j = 0; j < R; ++j) a[j] = from[j * m * columns + q];
      for (int k = 0; k < R; ++k) {
        Complex sum = a[0];
        for (int j = 1; j < R; ++j) sum += product(a[j], matrix[j][k]);
        to[k * columns + q] = product(sum, root[k]);
      }
    }
  }
}

}  // namespace

void transform_by_factors(std::vector<Complex>& x) {
  std::vector<Complex> y(x.size());
  const std::pair<int64_t, void (*)(const std::vector<Complex>&, int64_t, int64_t, std::vector<Complex>&)>
      passes[] = {{7, transform_by<7>},
                  {5, transform_by<5>},
                  {4, transform_by<4>},
                  {3, transform_by<3>},
                  {2, transform_by<2>}};
  int64_t columns = 1, rest = static_cast<int64_t>(x.size());
  for (const auto& [r, pass] : passes) {
    for (; rest % r == 0; rest /= r, columns *= r) {
      pass(x, rest / r, columns, y);
      std::swap(x, y);
    }
  }
  check(rest == 1, "transform_by_factors: the length has a large prime");
}

}  // namespace ingot::pass
