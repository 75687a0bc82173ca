// How a length is transformed.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "base/tensor.h"

namespace ingot::pass {

inline constexpr int64_t kMostWrittenOut = 16;  // elements of a small transform
// Within a kernel that holds the whole transform, and of real numbers. With a factor 31 so, c64[256,1023]
// takes 1.1 ms, and compiles in 0.6 s; by products with matrices, in eleven kernels, 4.4 ms and 1 s (Intel
// Xeon, 2 cores).
inline constexpr int64_t kMostInKernel = 31;

// The factors of a length, in the order in which its passes take them; empty if a prime among them is too
// large for that.
std::vector<int64_t> fft_radices(int64_t n);
// 2 n - 1 at least, without large primes.
int64_t chirp_length(int64_t n);
// exp(-2 pi i k / n) of many k below n. Exact in f64; for what is rounded to a narrower type each is a
// product of two that are known: 2^20 of them take 7 ns instead of 25 ns each (AMD EPYC).
class UnitRoots {
 public:
  UnitRoots(int64_t n, DType wanted);
  std::complex<double> of(int64_t k) const;

 private:
  int64_t n_;
  bool exact_;
  std::vector<std::complex<double>> near_, far_;
};

// The transform of numbers that are known, of a length without large primes.
void transform_by_factors(std::vector<std::complex<double>>& x);

}  // namespace ingot::pass
