// Of two and four elements by sums and differences; of odd primes by sums of what stands opposite to each
// other, which halves the products (Rader, 1966, has fewer, but longer chains); of all others in two steps
// (Cooley and Tukey, 1965), with factors between them of which 1, -1, i and -i cost nothing.
#include "pass/numbers/small_dft.h"

#include <cmath>

#include "base/unit_root.h"
#include "ops/make.h"

namespace ingot::pass {
namespace {

using ir::Value;

class SmallDft {
 public:
  explicit SmallDft(FftWriter& writer) : w_(writer) {}

  std::vector<Parts> run(const std::vector<Parts>& x) {
    const size_t n = x.size();
    if (n == 1) return x;
    if (n == 2) return {w_.add(x[0], x[1]), w_.sub(x[0], x[1])};
    const size_t r = first_factor(n);
    if (n == 4) return of_four(x);
    return r == n ? of_prime(x) : of_product(x, r);
  }

 private:
  static size_t first_factor(size_t n) {
    if (n % 4 == 0) return 4;
    for (size_t p = 2; p * p <= n; ++p) {
      if (n % p == 0) return p;
    }
    return n;
  }

  // x - i y; x + i y.
  Parts less_turned(const Parts& x, const Parts& y) const { return {w_.add(x.re, y.im), w_.sub(x.im, y.re)}; }
  Parts plus_turned(const Parts& x, const Parts& y) const { return {w_.sub(x.re, y.im), w_.add(x.im, y.re)}; }

  std::vector<Parts> of_four(const std::vector<Parts>& x) {
    const Parts a = w_.add(x[0], x[2]), b = w_.sub(x[0], x[2]), c = w_.add(x[1], x[3]),
                d = w_.sub(x[1], x[3]);
    return {w_.add(a, c), less_turned(b, d), w_.sub(a, c), plus_turned(b, d)};
  }

  std::vector<Parts> of_prime(const std::vector<Parts>& x) {
    const size_t n = x.size(), half = n / 2;
    std::vector<Parts> sums, differences, y(n);
    for (size_t j = 1; j <= half; ++j) {
      sums.push_back(w_.add(x[j], x[n - j]));
      differences.push_back(w_.sub(x[j], x[n - j]));
    }
    y[0] = x[0];
    for (const Parts& sum : sums) y[0] = w_.add(y[0], sum);
    for (size_t k = 1; k <= half; ++k) {
      Parts even = x[0], odd;
      for (size_t j = 1; j <= half; ++j) {
        const auto z = unit_root<double>(static_cast<int64_t>(j * k), static_cast<int64_t>(n));
        even = w_.add(even, w_.times(sums[j - 1], z.real()));
        const Parts term = w_.times(differences[j - 1], z.imag());
        odd = j == 1 ? term : w_.add(odd, term);
      }
      y[k] = less_turned(even, odd);
      y[n - k] = plus_turned(even, odd);
    }
    return y;
  }

  // x[j1 m + j2] to y[k2 r + k1], m = n / r.
  std::vector<Parts> of_product(const std::vector<Parts>& x, size_t r) {
    const size_t n = x.size(), m = n / r;
    std::vector<std::vector<Parts>> rows(r);
    for (size_t j2 = 0; j2 < m; ++j2) {
      std::vector<Parts> column;
      for (size_t j1 = 0; j1 < r; ++j1) column.push_back(x[j1 * m + j2]);
      column = run(column);
      for (size_t k1 = 0; k1 < r; ++k1) rows[k1].push_back(by_root(column[k1], k1 * j2, n));
    }
    std::vector<Parts> y(n);
    for (size_t k1 = 0; k1 < r; ++k1) {
      const std::vector<Parts> row = run(rows[k1]);
      for (size_t k2 = 0; k2 < m; ++k2) y[k2 * r + k1] = row[k2];
    }
    return y;
  }

  Parts by_root(const Parts& x, size_t k, size_t n) {
    k %= n;
    if (k == 0) return x;
    const auto neg = [&](Value* v) { return make::neg(w_.builder(), v); };
    if (4 * k % n == 0) {  // -1, i or -i
      const size_t quarters = 4 - 4 * k / n;
      return quarters == 2   ? Parts{neg(x.re), neg(x.im)}
             : quarters == 1 ? Parts{neg(x.im), x.re}
                             : Parts{x.im, neg(x.re)};
    }
    const auto z = std::conj(unit_root<double>(static_cast<int64_t>(k), static_cast<int64_t>(n)));
    if (8 * k % n == 0) {  // odd eighths: both parts of one size
      const double size = std::sqrt(0.5);
      Value *sum = w_.add(x.re, x.im), *difference = w_.sub(x.re, x.im);
      // (a + ib)(c + id) = (ac - bd) + i(ad + bc).
      return z.real() * z.imag() > 0 ? Parts{w_.times(difference, std::copysign(size, z.real())),
                                             w_.times(sum, std::copysign(size, z.real()))}
                                     : Parts{w_.times(sum, std::copysign(size, z.real())),
                                             w_.times(difference, std::copysign(size, z.imag()))};
    }
    return {w_.sub(w_.times(x.re, z.real()), w_.times(x.im, z.imag())),
            w_.add(w_.times(x.re, z.imag()), w_.times(x.im, z.real()))};
  }

  FftWriter& w_;
};

}  // namespace

std::vector<Parts> small_dft(FftWriter& writer, std::vector<Parts> x) {
  return SmallDft(writer).run(x);
}

}  // namespace ingot::pass
