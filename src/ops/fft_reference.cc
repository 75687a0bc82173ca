// By the definition, where the length is prime; of other lengths the transforms of each p-th element are put
// together, and of large primes there is a convolution with a chirp (Bluestein, 1970) of a length that is a
// power of two.
#include "ops/fft_reference.h"

#include <bit>
#include <vector>

#include "base/unit_root.h"
#include "ops/reference.h"

namespace ingot::ops {
namespace {

constexpr size_t kMostByDefinition = 300;

size_t smallest_factor(size_t n) {
  for (size_t p = 2; p * p <= n; ++p) {
    if (n % p == 0) return p;
  }
  return n;
}

template <class Real>
class Transform {
 public:
  using Complex = std::complex<Real>;

  Transform(size_t length, bool inverse) : length_(length), roots_(length) {
    for (size_t k = 0; k < length; ++k) {
      const Complex root = unit_root<Real>(static_cast<int64_t>(k), static_cast<int64_t>(length));
      roots_[k] = inverse ? root : std::conj(root);
    }
  }

  // Of n elements that lie `stride` apart, to n elements side by side.
  void run(const Complex* x, size_t stride, size_t n, Complex* y) const {
    const size_t p = smallest_factor(n), step = length_ / n;
    if (p == n) {
      if (n > kMostByDefinition) return by_chirp(x, stride, n, y);
      for (size_t k = 0; k < n; ++k) {
        Complex sum = 0;
        for (size_t j = 0; j < n; ++j) sum += multiply(x[j * stride], roots_[j * k % n * step]);
        y[k] = sum;
      }
      return;
    }
    const size_t m = n / p;
    for (size_t i = 0; i < p; ++i) run(x + i * stride, stride * p, m, y + i * m);
    std::vector<Complex> parts(p);
    for (size_t k = 0; k < m; ++k) {
      for (size_t i = 0; i < p; ++i) parts[i] = multiply(y[i * m + k], roots_[i * k * step]);
      for (size_t q = 0; q < p; ++q) {
        Complex sum = 0;
        for (size_t i = 0; i < p; ++i) sum += multiply(parts[i], roots_[i * q % p * (length_ / p)]);
        y[q * m + k] = sum;
      }
    }
  }

 private:
  // j k = (j^2 + k^2 - (k - j)^2) / 2.
  void by_chirp(const Complex* x, size_t stride, size_t n, Complex* y) const {
    const size_t m = std::bit_ceil(2 * n - 1);
    const bool inverse = roots_[length_ / n].imag() > 0;
    const auto chirp = [&](size_t j) {
      const Complex root =
          unit_root<Real>(static_cast<int64_t>(j * j % (2 * n)), static_cast<int64_t>(2 * n));
      return inverse ? root : std::conj(root);
    };
    std::vector<Complex> a(m), b(m), c(m);
    for (size_t j = 0; j < n; ++j) {
      a[j] = multiply(x[j * stride], chirp(j));
      b[j] = b[(m - j) % m] = std::conj(chirp(j));
    }
    const Transform forward(m, false), backward(m, true);
    forward.run(a.data(), 1, m, c.data());
    forward.run(b.data(), 1, m, a.data());
    for (size_t k = 0; k < m; ++k) b[k] = multiply(a[k], c[k]);
    backward.run(b.data(), 1, m, c.data());
    for (size_t k = 0; k < n; ++k) y[k] = multiply(c[k] / static_cast<Real>(m), chirp(k));
  }

  size_t length_;
  std::vector<Complex> roots_;
};

}  // namespace

template <class Real>
void transform_in_place(std::span<std::complex<Real>> x, bool inverse) {
  if (x.size() <= 1) return;
  std::vector<std::complex<Real>> y(x.size());
  Transform<Real>(x.size(), inverse).run(x.data(), 1, x.size(), y.data());
  std::copy(y.begin(), y.end(), x.begin());
}

template void transform_in_place(std::span<std::complex<double>>, bool);
template void transform_in_place(std::span<std::complex<long double>>, bool);

}  // namespace ingot::ops
