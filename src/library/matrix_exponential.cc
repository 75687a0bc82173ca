// The exponential of matrices by scaling and squaring (Higham, 2005): a quotient of polynomials of a matrix
// that is made small by a power of two, and squared as often.
#include <cmath>
#include <limits>

#include "frontend/compose.h"
#include "ingot/control_flow.h"
#include "ingot/creation.h"
#include "ingot/elementwise.h"
#include "ingot/linalg.h"
#include "library/matrices.h"

namespace ingot {
namespace {

constexpr int64_t kMostSquarings = 17;  // 16 of JAX, which halves once less

// The coefficients of the numerator for f32 and f64, and the norm up to which the quotient has full accuracy.
struct Approximant {
  std::vector<double> coefficients;
  double largest_norm;
};

const Approximant& approximant_for(DType real) {
  static const auto& narrow =
      *new Approximant{{17297280, 8648640, 1995840, 277200, 25200, 1512, 56, 1}, 3.97};
  static const auto& wide = *new Approximant{
      {64764752532480000., 32382376266240000., 7771770303897600., 1187353796428800., 129060195264000.,
       10559470521600., 670442572800., 33522128640., 1323241920., 40840800., 960960., 16380., 182., 1.},
      5.37};
  return real == DType::kF64 ? wide : narrow;
}

// The even and the odd part of the numerator; the denominator is their difference.
std::pair<Array, Array> parts_of(const Array& a, const std::vector<double>& coefficients,
                                 const Array& identity) {
  const Array square = matmul(a, a);
  Array power = identity, even, odd;
  for (size_t i = 0; i < coefficients.size(); i += 2) {
    if (i > 0) power = i == 2 ? square : matmul(power, square);
    even = i == 0 ? power * coefficients[0] : even + power * coefficients[i];
    odd = i == 0 ? power * coefficients[1] : odd + power * coefficients[i + 1];
  }
  return {even, matmul(a, odd)};
}

Array exponential(const Array& a) {
  const DType real = real_dtype(a.dtype());
  const Approximant& approximant = approximant_for(real);
  const Array norm = max(sum(abs(a), -2), -1, kKeepDims);  // [..., 1]
  // As often as the norm has to be halved.
  const Array halvings = frexp(norm / approximant.largest_norm).second;
  const Array count = clip(halvings, 0, kMostSquarings + 1);
  const Array times = expand_dims(count, -1);
  const Array identity = broadcast_to(eye(a.shape(-1), std::nullopt, 0, a.dtype()), a.shape());
  const Array scaled = a * ldexp(astype(1.0, real), -times).astype(a.dtype());
  const auto [even, odd] = parts_of(scaled, approximant.coefficients, identity);
  Array result = solve(even - odd, even + odd);
  result = fori_loop(
      0, kMostSquarings,
      [&](Array i, Array r) {
        return cond(
            any(i < times), [](Array more, Array s) { return where(more, matmul(s, s), s); },
            [](Array, Array s) { return s; }, i < times, r);
      },
      result);
  return where(times > kMostSquarings, std::numeric_limits<double>::quiet_NaN(), result);
}

}  // namespace

Array expm(const Operand& x) {
  const CallerScope caller(x.where(), "expm");
  const Array array = detail::floating(detail::checked_array(x));
  detail::check_square("expm", "the operand", array, x.where());
  if (array.size() == 0) return array;
  return detail::apply("expm", {array}, {}, x.where(), [&](const std::vector<Array>& given) {
    return exponential(detail::in_f32(given[0])).astype(array.dtype());
  });
}

}  // namespace ingot
