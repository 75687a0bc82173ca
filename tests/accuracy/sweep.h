// An operation as it is compiled, beside its exact values: over all floats, or over a sample.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "accuracy/exact.h"
#include "runtime/executable.h"

namespace ingot::accuracy {

// An element-wise operation on vectors of `length` elements.
class Operation {
 public:
  Operation(const Function& function, DType dtype, int64_t length);
  // On 64-byte aligned memory, by the calling thread's share of workers.
  void run(const void* x, const void* second, void* y) const;
  int64_t length() const { return length_; }

 private:
  std::shared_ptr<const runtime::Executable> executable_;
  int operands_;
  int64_t length_;
};

struct Worst {
  double ulps = 0, x = 0, second = 0, got = 0;
  void take(double error, double at, double with, double value) {
    if (error > ulps) *this = {error, at, with, value};
  }
};

struct Result {
  Worst worst;
  int64_t values = 0;  // compared
  int64_t correctly_rounded = 0;
  bool flushes = false;  // results below the smallest normal number are zero; they are not in `worst`
  double reference_error =
      0;  // of the fast reference beside MPFR, in ulps of the result, where it was looked at
};

// All 2^32 floats, or each `stride`-th of them. Told of its progress: the share that is done, and the worst
// so far.
Result sweep(const Function& function, int threads, uint64_t stride,
             const std::function<void(double, const Worst&)>& progress);

// `count` values, of which half have random bits, against MPFR alone.
Result sample(const Function& function, DType dtype, int64_t count, uint64_t seed);

}  // namespace ingot::accuracy
