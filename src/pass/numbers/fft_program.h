// The program over arrays that a transform becomes.
#pragma once

#include <vector>

#include "pass/numbers/fft_writer.h"

namespace ingot::pass {

// The factors of a length, in the order in which its passes take them; empty if a prime among them is too
// large for that.
std::vector<int64_t> fft_radices(int64_t n);

class FftProgram {
 public:
  FftProgram(FftWriter& writer, DType part, bool inverse) : w_(writer), part_(part), inverse_(inverse) {}

  // Along dimension 1 of [batch, n, columns], times `scale`.
  Parts transform(const Parts& x, double scale);
  // From real numbers to the first n / 2 + 1 of their transform.
  Parts half_of_real(ir::Value* x);
  // From there back to n real numbers, times `scale`.
  ir::Value* real_of_half(const Parts& x, int64_t n, double scale);

 private:
  Parts by_passes(Parts x, const std::vector<int64_t>& radices, double scale);
  Parts by_chirp(const Parts& x, double scale);
  Parts pass_written_out(const Parts& x);
  Parts pass_by_product(const Parts& x);
  Parts roots(int64_t r, int64_t m);

  FftWriter& w_;
  const DType part_;
  const bool inverse_;
};

}  // namespace ingot::pass
