// How a length is transformed.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

namespace ingot::pass {

inline constexpr int64_t kMostWrittenOut = 16;  // elements of a small transform

// The factors of a length, in the order in which its passes take them; empty if a prime among them is too
// large for that.
std::vector<int64_t> fft_radices(int64_t n);
// 2 n - 1 at least, without large primes.
int64_t chirp_length(int64_t n);
// The transform of numbers that are known, of a length without large primes.
void transform_by_factors(std::vector<std::complex<double>>& x);

}  // namespace ingot::pass
