// The program over arrays that a transform becomes.
#pragma once

#include <complex>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pass/numbers/fft_writer.h"

namespace ingot::pass {

// Complex numbers: two arrays of their parts, or one, in which real and imaginary parts take turns.
struct ComplexArray {
  Parts parts;
  ir::Value* pairs = nullptr;
};

class FftProgram {
 public:
  // Kernels are called by the name.
  FftProgram(FftWriter& writer, DType part, bool inverse, std::string name)
      : w_(writer), part_(part), inverse_(inverse), name_(std::move(name)) {}

  // Along dimension 1 of [batch, n, columns], times `scale`; to pairs, if they are wanted.
  ComplexArray transform(const ComplexArray& x, const Shape& shape, double scale, bool to_pairs);
  // From real numbers [batch, n, 1] to the first n / 2 + 1 of their transform.
  ComplexArray half_of_real(ir::Value* x);
  // From there, as [batch, n / 2 + 1, 1], back to n real numbers, times `scale`.
  ir::Value* real_of_half(const ComplexArray& x, const Shape& shape, int64_t n, double scale);

  // Two arrays of that shape; and one of it, in pairs.
  Parts parts_of(const ComplexArray& x, const Shape& shape);
  ir::Value* pairs_of(const ComplexArray& x, const Shape& shape);

 private:
  // [batch, done, r, m, columns]: of n = r m each, and how many such transforms there are by now.
  struct Step {
    Shape shape;
    double scale = 1;
    bool to_pairs = false;

    int64_t radix() const { return shape[2]; }
    int64_t rest() const { return shape[3]; }
    // On to the next factor of the length.
    void divide_by(int64_t factor) {
      shape[1] *= shape[2];
      shape[2] = factor;
      shape[3] /= factor;
    }
    Shape result() const { return {shape[0], shape[2], shape[1], shape[3], shape[4]}; }
  };

  using ComplexRow = std::vector<std::complex<double>>;

  // The transform back is the one ahead of numbers whose parts have changed places, and then change them
  // again: so both have the same kernels and tables.
  Parts turned(const Parts& x) const { return inverse_ ? Parts{x.im, x.re} : x; }
  bool fits_one_kernel(const Shape& shape, const std::vector<int64_t>& radices) const;
  ComplexArray in_one_kernel(const ComplexArray& x, const Shape& shape, const std::vector<int64_t>& radices,
                             double scale);
  ComplexArray of_real_in_one_kernel(ir::Value* pairs, const Shape& shape,
                                     const std::vector<int64_t>& radices);
  ComplexArray to_real_in_one_kernel(const ComplexArray& x, const Shape& shape,
                                     const std::vector<int64_t>& radices, double scale);
  std::optional<std::pair<int64_t, int64_t>> halves(const Shape& shape,
                                                    const std::vector<int64_t>& radices) const;
  ComplexArray in_two_kernels(const ComplexArray& x, std::pair<int64_t, int64_t> halves, double scale);
  std::vector<Parts> butterflies(FftWriter& w, const Parts& x, const Step& step, const Parts& table);
  static std::pair<ComplexRow, ComplexRow> chirps(int64_t n, int64_t length, DType part);
  ComplexArray by_chirp(const ComplexArray& x, const Shape& shape, double scale);
  ComplexArray written_out(const ComplexArray& x, const Step& step);
  Parts by_product(const Parts& x, const Step& step);
  Parts roots(const Step& step);
  Parts transformed(const Parts& x, double scale);
  static Parts of_even_and_odd(FftWriter& w, const Parts& ahead, const Parts& behind, const Parts& factors,
                               int64_t first);
  // The transform of real numbers, of n / 2 complex ones', and back, in pieces of dimension 1.
  static std::vector<Parts> parted(FftWriter& w, const Parts& z, const Parts& factors);
  static std::vector<Parts> united(FftWriter& w, const Parts& x, const Parts& factors);
  Parts factors_of_real(int64_t half);
  Parts factors_to_real(int64_t half);
  Parts joined(const std::vector<Parts>& pieces);

  // n odd (fft_odd.cc); nothing where the transform of complex numbers is no worse.
  std::optional<Parts> half_of_odd(ir::Value* x);
  ir::Value* odd_of_half(const Parts& x, int64_t n, double scale);
  int64_t real_factor(int64_t batch, int64_t n) const;
  bool on_a_circle(int64_t n) const;
  Parts half_by_factor(ir::Value* x, int64_t a);
  ir::Value* real_by_factor(const Parts& x, int64_t n, int64_t a, double scale);
  Parts half_on_circle(ir::Value* x);
  ir::Value* real_on_circle(const Parts& x, int64_t n, double scale);
  std::pair<ir::Value*, ir::Value*> hartley_on_circle(ir::Value* u, const std::vector<int64_t>& powers,
                                                      double scale);
  static ComplexRow transform_of_known(const ComplexRow& x);
  std::vector<ir::Value*> kernel_of(
      const std::vector<ir::Value*>& operands,
      const std::function<std::vector<ir::Value*>(FftWriter&, const std::vector<ir::Value*>&)>& body);

  friend class FftKernel;

  FftWriter& w_;
  const DType part_;
  const bool inverse_;
  const std::string name_;
  int kernels_ = 0;
};

}  // namespace ingot::pass
