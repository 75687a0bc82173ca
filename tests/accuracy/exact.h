// The functions of analysis as MPFR computes them, with the accuracy that their operations promise.
#pragma once

#include <mpfr.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ingot/dtype.h"

namespace ingot::accuracy {

// A number of MPFR's that frees itself.
class Number {
 public:
  explicit Number(mpfr_prec_t bits = kBits) { mpfr_init2(value_, bits); }
  ~Number() { mpfr_clear(value_); }
  Number(const Number&) = delete;
  Number& operator=(const Number&) = delete;
  operator mpfr_ptr() { return value_; }

  static constexpr mpfr_prec_t kBits = 160;

 private:
  mpfr_t value_;
};

struct Function {
  const char* name;  // of the operation
  int operands;
  void (*exact)(mpfr_ptr y, mpfr_srcptr x, mpfr_srcptr second);
  // The same in double by the C library, at most a few ulps off; none where it has no such function.
  double (*in_double)(double);
  double bound_f32, bound_f64;  // in units of the last place, see error_in_ulps()
  double low, high;             // where samples of f64 are dense
  bool crosses_zero = false;    // away from 0: there the error is at most `epsilons`
  double epsilons = 0;
};

std::span<const Function> all_functions();

// How far `got` is from the function of these operands, in units of the last place of the result that is
// right, at least the smallest subnormal number. What overflows counts as the power of two that follows the
// largest number. Infinite where one of both is NaN, and where zeros differ in sign.
double error_in_ulps(const Function& function, DType dtype, double got, double x, double second = 0);

// What error_in_ulps() compares: the right result, rounded once.
double rounded(const Function& function, DType dtype, double x, double second = 0);

}  // namespace ingot::accuracy
