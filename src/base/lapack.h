// Decompositions that iterate, by LAPACK: a shared library that is looked for when the first one is computed,
// never before. The option INGOT_LAPACK names it; else it is libopenblas.so.0 or liblapack.so.3. OpenBLAS is
// told to use one thread, for the whole process: what a decomposition gives must not depend on how many there
// are, and a batch is shared out by who calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "ingot/dtype.h"

namespace ingot::lapack {

enum class Kind { kEigh, kSvd, kEig, kSchur };

// Of a row-major matrix of [m, n], or [n, n]. Results lie row-major one behind the other:
// - kEigh: the eigenvalues, ascending, and with `right` the eigenvectors, as columns. One triangle is read.
// - kSvd: with `right` U, the singular values, descending, and V^H; else the values alone. With `full` U is
// of
//   [m, m] and V^H of [n, n], else of [m, k] and [k, n], where k is the lesser one.
// - kEig: the eigenvalues, with `left` left eigenvectors, with `right` right ones; all complex.
// - kSchur: T and Q with a = Q T Q^H, and the eigenvalues, which are complex.
// All are NaN where there is an element that is not finite, or where LAPACK finds no convergence.
struct Form {
  Kind kind = Kind::kEigh;
  DType dtype = DType::kF32;  // f32, f64, c64 or c128
  int64_t m = 0, n = 0;
  bool lower = true, full = false, left = false, right = true;
};

// LAPACK counts in 32 bits: the lesser and the greater extent that its work memory allows.
inline constexpr int64_t kMostLesser = 16384, kMostGreater = int64_t{1} << 24;

int64_t work_bytes(const Form& form);  // a multiple of 64
// What INGOT_LAPACK says; matters until the library is loaded.
void set_library(std::string name);

// `work` is aligned to 64 bytes. Throws an Error where there is no LAPACK.
void decompose(const Form& form, const void* a, void* const* results, std::byte* work);

}  // namespace ingot::lapack
