// Numbers taken apart into a fraction and a power of two, and put together, by their bits: exact where the
// result is a number of the dtype.
#include "frontend/compose.h"
#include "ingot/elementwise.h"

namespace ingot {
namespace {

struct Format {
  DType bits;
  int64_t mantissa, bias;  // bits of the fraction; the exponent field of 1
  int64_t most() const { return 2 * bias + 1; }
};

Format format_of(DType dtype) {
  return dtype == DType::kF64 ? Format{DType::kS64, 52, 1023} : Format{DType::kS32, 23, 127};
}

// 2^n for integers n in the range of normal numbers.
Array power_of_two(const Array& n, DType dtype) {
  const Format format = format_of(dtype);
  return bitcast((n.astype(format.bits) + format.bias) << format.mantissa, dtype);
}

// x 2^n in three steps, since 2^n alone may be too large or too small. All but the last one are exact.
Array scaled_by_power(const Array& x, const Array& n) {
  const Format format = format_of(x.dtype());
  const int64_t most = 3 * (format.bias - 1);
  const Array whole = clip(n.astype(format.bits), -most, most), part = whole / 3;
  const Array factor = power_of_two(part, x.dtype());
  return x * factor * factor * power_of_two(whole - 2 * part, x.dtype());
}

void check_real(const Array& x, const std::source_location& where) {
  if (is_complex(x.dtype())) detail::fail(where, "takes real numbers, not " + x.type_string());
}

}  // namespace

Array ldexp(const Operand& x, const Operand& n) {
  const CallerScope caller(x.where(), "ldexp");
  const Array exponents = detail::checked_array(n);
  if (!is_integer(exponents.dtype()))
    detail::fail(x.where(), "the exponents are " + exponents.type_string() + ", but should be integers");
  const Array number = x.is_literal() ? astype(x, DType::kF32) : detail::floating(detail::checked_array(x));
  check_real(number, x.where());
  return detail::apply("ldexp", {number, exponents}, {}, x.where(), [&](const std::vector<Array>& given) {
    return scaled_by_power(detail::in_f32(given[0]), given[1]).astype(number.dtype());
  });
}

std::pair<Array, Array> frexp(const Operand& x) {
  const CallerScope caller(x.where(), "frexp");
  const Array number = x.is_literal() ? astype(x, DType::kF32) : detail::floating(detail::checked_array(x));
  check_real(number, x.where());
  const std::vector<Array> both =
      detail::apply_all("frexp", {number}, x.where(), [&](const std::vector<Array>& given) {
        const Array wide = detail::in_f32(given[0]);
        const Format format = format_of(wide.dtype());
        const int64_t up = format.mantissa + 2;  // what is below the normal numbers is lifted to them
        const Array least = power_of_two(Array(1 - format.bias), wide.dtype());
        const Array small = abs(wide) < least, lifted = where(small, scaled_by_power(wide, Array(up)), wide);
        const Array field = (bitcast(lifted, format.bits) >> format.mantissa) & format.most();
        const Array none = (wide == 0) | (field == format.most());  // zero, infinity, NaN
        const Array n = where(none, 0, field - (format.bias - 1) - small.astype(format.bits) * up);
        return std::vector<Array>{scaled_by_power(wide, -n).astype(number.dtype()), n.astype(DType::kS32)};
      });
  return {both[0], both[1]};
}

}  // namespace ingot
