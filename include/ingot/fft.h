// Fourier transforms, by the names of numpy.fft: y[k] = sum over j of x[j] exp(-2 pi i j k / n), and back.
// Complex numbers and floats; of f16 and bf16 in f32. Results are c64 or c128, of the functions that go back
// to real numbers f32 or f64. Any length n > 0 takes time in proportion to n log n. Transforms are linear:
// their derivatives, in any order, are transforms.
#pragma once

#include "ingot/functions.h"

namespace ingot::fft {

// Where the factor 1/n stands: with the inverse transforms, as 1/sqrt(n) with all, or with the others.
enum class Norm { kBackward, kOrtho, kForward };

struct Options {
  detail::ByName by_name = detail::ByName();
  // Elements along the axis: x is cut off there, or has zeros behind it. If not given, those that x has, or
  // of irfft and hfft, whose result is so long, 2 (m - 1) of m.
  Optional<int64_t> n = std::nullopt;
  int64_t axis = -1;
  Norm norm = Norm::kBackward;
};

struct ManyOptions {
  detail::ByName by_name = detail::ByName();
  // Elements along each of the axes, as `n` above: {.s = {4, 6}}.
  Axes s = {};
  // In the order in which `s` has their lengths; rfft and irfft halve the last one. If not given, all, or of
  // `s` the last ones; of the functions with a 2 the last two.
  Axes axes = {};
  Norm norm = Norm::kBackward;
};

// Along one axis. Error if n is not positive, or the axis has no element.
Array fft(const Operand& x, const Options& options = {});
Array ifft(const Operand& x, const Options& options = {});
// Of real numbers: the first n / 2 + 1 elements of fft, of which the others are the conjugates.
Array rfft(const Operand& x, const Options& options = {});
// Back from there to n real numbers. Imaginary parts of the first element, and of the last one for even n, do
// not count.
Array irfft(const Operand& x, const Options& options = {});
// Of n numbers of which the first n / 2 + 1 are given and the others are the conjugates: real numbers.
Array hfft(const Operand& x, const Options& options = {});
Array ihfft(const Operand& x, const Options& options = {});  // the inverse of hfft

// Along two axes or more, each once. Error if one is named twice.
Array fft2(const Operand& x, const ManyOptions& options = {});
Array ifft2(const Operand& x, const ManyOptions& options = {});
Array rfft2(const Operand& x, const ManyOptions& options = {});
Array irfft2(const Operand& x, const ManyOptions& options = {});
Array fftn(const Operand& x, const ManyOptions& options = {});
Array ifftn(const Operand& x, const ManyOptions& options = {});
Array rfftn(const Operand& x, const ManyOptions& options = {});
Array irfftn(const Operand& x, const ManyOptions& options = {});

// The frequencies of fft's result, in cycles per unit, for samples d apart: [0, 1, .., -2, -1] / (n d).
Array fftfreq(int64_t n, double d = 1, DType dtype = DType::kF32, Where where = Where::current());
// Those of rfft's: [0, 1, .., n / 2] / (n d).
Array rfftfreq(int64_t n, double d = 1, DType dtype = DType::kF32, Where where = Where::current());
// The element of frequency 0 moves to the middle of each axis, and back. All axes if none are given.
Array fftshift(const Operand& x, const Axes& axes = {});
Array ifftshift(const Operand& x, const Axes& axes = {});

}  // namespace ingot::fft
