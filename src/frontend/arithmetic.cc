// Quotients, rests, parts and signs of numbers.
#include <cmath>
#include <limits>
#include <numbers>

#include "base/visit_dtype.h"
#include "frontend/compose.h"
#include "ingot/autodiff.h"
#include "ingot/control_flow.h"
#include "ingot/elementwise.h"
#include "ingot/functions.h"

namespace ingot {
namespace {

using detail::compose_any;
using detail::compose_floating;
using detail::compose_floats;
using detail::compose_same;
using detail::fail;

constexpr double kPi = std::numbers::pi;

Array whole_part(const Array& a) {
  return where(a < 0, ceil(a), floor(a));
}

Array truncated(const char* name, const Operand& x) {
  return compose_any(name, x, {}, [](const Array& a) { return is_float(a.dtype()) ? whole_part(a) : a; });
}

Array scaled(const char* name, const Operand& x, double factor) {
  return compose_floating(name, x, {}, [&](const Array& a) { return a * factor; });
}

double greatest_float(DType dtype) {
  return visit_dtype(dtype, []<class T>(std::type_identity<T>) {
    if constexpr (is_float(dtype_of<T>()))
      return static_cast<double>(std::numeric_limits<T>::max());
    else
      return std::numeric_limits<double>::max();
  });
}

Array finite_numbers(const Array& a, const NanOptions& options) {
  const double infinity = std::numeric_limits<double>::infinity(), greatest = greatest_float(a.dtype());
  const Array number = where(a != a, options.nan, a);
  const Array below = where(number == infinity, options.posinf.value_or(greatest), number);
  return where(below == -infinity, options.neginf.value_or(-greatest), below);
}

Array common_divisor(const Array& x, const Array& y) {
  using Pair = std::pair<Array, Array>;
  const Shape shape = detail::broadcast_shape("gcd", {x, y}, Where::current());
  // The size of the least number has no sign bit to spare.
  const auto prepare = [&](const Array& a) {
    const Array whole = a.astype(unsigned_of(a.dtype()));
    return broadcast_to(is_signed(a.dtype()) ? where(a < 0, 0 - whole, whole) : whole, shape);
  };
  const auto more = [](Pair p) { return any(p.second != 0); };
  const auto step = [](Pair p) {
    const auto& [a, b] = p;
    const Array goes_on = b != 0;
    return Pair(where(goes_on, b, a), where(goes_on, a % where(goes_on, b, 1), detail::number(b.dtype(), 0)));
  };
  return while_loop(more, step, Pair(prepare(x), prepare(y))).first.astype(x.dtype());
}

void check_whole(const char* name, const Array& x, const std::source_location& where) {
  if (!is_integer(x.dtype()))
    fail(where, std::string(name) + ": takes integers, but this is a " + x.type_string());
}

Array without_nan(const char* name, const Operand& x, const Operand& y, bool greater) {
  return compose_same(name, x, y, {}, [&](const Array& a, const Array& b) {
    // At a tie the derivative goes to the second one, as in JAX.
    return where((greater ? a > b : a < b) | (b != b), a, b);
  });
}

}  // namespace

std::pair<Array, Array> divmod(const Operand& x, const Operand& y) {
  const CallerScope caller(x.where(), "divmod");
  return {floor_divide(x, y), mod(x, y)};
}
Array fmod(const Operand& x, const Operand& y) {
  return compose_same("fmod", x, y, {}, [](const Array& a, const Array& b) {
    if (!is_integer(a.dtype())) return a % b;
    return a % where(b == 0, 1, b);
  });
}
Array remainder(const Operand& x, const Operand& y) {
  const CallerScope caller(x.where(), "remainder");
  return mod(x, y);
}
Array true_divide(const Operand& x, const Operand& y) {
  return compose_same("true_divide", x, y, {}, [](const Array& a, const Array& b) {
    return detail::floating(a) / detail::floating(b);
  });
}
Array reciprocal(const Operand& x) {
  return compose_floating("reciprocal", x, {}, [](const Array& a) { return 1 / a; });
}
Array log10(const Operand& x) {
  return compose_floating("log10", x, {}, [](const Array& a) {
    const Array natural = log(a);
    if (!is_complex(a.dtype())) return natural / std::numbers::ln10;
    // Part by part: a quotient of complex numbers is none of infinities.
    return complex(real(natural) / std::numbers::ln10, imag(natural) / std::numbers::ln10);
  });
}
Array trunc(const Operand& x) {
  return truncated("trunc", x);
}
Array fix(const Operand& x) {
  return truncated("fix", x);
}
Array rint(const Operand& x) {
  return compose_floating("rint", x, {}, [](const Array& a) { return round(a); });
}

namespace {

// To a whole number of 10^-decimals; a number whose last place is greater is one. The derivative is 0.
Array rounded_float(const Array& x, int64_t decimals) {
  const Array a = stop_gradient(x);
  const bool wide = a.dtype() == DType::kF64;
  const int digits = wide ? std::numeric_limits<double>::digits : std::numeric_limits<float>::digits;
  const int64_t most =
      wide ? std::numeric_limits<double>::max_exponent10 : std::numeric_limits<float>::max_exponent10;
  const auto power = [](int64_t n) { return std::pow(10.0, static_cast<double>(n)); };
  if (decimals < -most) return where(is_finite(a), a * 0, a);  // the greatest number is less than a half
  const double whole = std::ldexp(1.0, digits);
  if (decimals < 0) {
    const Array scaled = a / power(-decimals);
    return where(abs(scaled) < whole, round(scaled) * power(-decimals), a);
  }
  // 10^decimals is beyond all numbers where denormals are rounded.
  const int64_t first = std::min(decimals, most), second = decimals - first;
  if (second > digits) return a;  // the least number is greater
  const Array scaled = a * power(first) * power(second);
  const Array fraction = abs(scaled) < whole;
  return where(fraction, round(where(fraction, scaled, 0)) / power(second) / power(first), a);
}

// In f64, which holds all integers of 4 bytes; of 8 bytes those up to 2^53.
Array rounded_integer(const Array& a, int64_t decimals) {
  if (decimals >= 0 || a.dtype() == DType::kPred) return a;
  if (decimals < -std::numeric_limits<uint64_t>::digits10) return a * 0;  // less than half of 10^20
  const double unit = std::pow(10.0, static_cast<double>(-decimals));
  return (round(a.astype(DType::kF64) / unit) * unit).astype(a.dtype());
}

}  // namespace

Array round(const Operand& x, int64_t decimals) {
  return compose_any("round_to", x, {decimals}, [&](const Array& a) {
    if (is_complex(a.dtype()))
      return complex(rounded_float(real(a), decimals), rounded_float(imag(a), decimals));
    if (!is_float(a.dtype())) return rounded_integer(a, decimals);
    return decimals == 0 ? round(a) : rounded_float(detail::in_f32(a), decimals).astype(a.dtype());
  });
}

std::pair<Array, Array> modf(const Operand& x) {
  const CallerScope caller(x.where(), "modf");
  const Array whole = compose_floating("modf", x, {}, whole_part);
  return {detail::floating(detail::checked_array(x)) - whole, whole};
}

Array copysign(const Operand& x, const Operand& y) {
  return compose_floats("copysign", x, y, {}, [](const Array& a, const Array& b) {
    const Array size = abs(a);
    return where(signbit(b), -size, size);
  });
}
Array heaviside(const Operand& x, const Operand& half) {
  return compose_floats("heaviside", x, half, {}, [](const Array& a, const Array& b) {
    const Array zero = detail::number(a.dtype(), 0), one = detail::number(a.dtype(), 1);
    return where(a < 0, zero, where(a > 0, one, where(a == 0, b, a)));
  });
}
Array float_power(const Operand& x, const Operand& y) {
  return compose_floats("float_power", x, y, {}, [](const Array& a, const Array& b) { return pow(a, b); });
}

Array gcd(const Operand& x, const Operand& y) {
  return compose_same("gcd", x, y, {}, [&](const Array& a, const Array& b) {
    check_whole("gcd", a, x.where());
    return common_divisor(a, b);
  });
}
Array lcm(const Operand& x, const Operand& y) {
  return compose_same("lcm", x, y, {}, [&](const Array& a, const Array& b) {
    check_whole("lcm", a, x.where());
    const Array divisor = common_divisor(a, b);
    const Array multiple = a * (b / where(divisor == 0, 1, divisor));
    return is_signed(a.dtype()) ? abs(multiple) : multiple;
  });
}

Array fmax(const Operand& x, const Operand& y) {
  return without_nan("fmax", x, y, true);
}
Array fmin(const Operand& x, const Operand& y) {
  return without_nan("fmin", x, y, false);
}
Array logaddexp2(const Operand& x, const Operand& y) {
  return compose_floats("logaddexp2", x, y, {}, [](const Array& a, const Array& b) {
    return logaddexp(a * std::numbers::ln2, b * std::numbers::ln2) / std::numbers::ln2;
  });
}

Array rad2deg(const Operand& x) {
  return scaled("rad2deg", x, 180 / kPi);
}
Array deg2rad(const Operand& x) {
  return scaled("deg2rad", x, kPi / 180);
}
Array degrees(const Operand& x) {
  return scaled("degrees", x, 180 / kPi);
}
Array radians(const Operand& x) {
  return scaled("radians", x, kPi / 180);
}

Array nan_to_num(const Operand& x, const NanOptions& options) {
  const auto word = [](const Optional<double>& number) { return detail::word_of(number.value_or(0)); };
  return compose_any("nan_to_num", x,
                     {detail::word_of(options.nan), word(options.posinf), options.posinf.has_value(),
                      word(options.neginf), options.neginf.has_value()},
                     [&](const Array& a) {
                       if (is_complex(a.dtype()))
                         return complex(finite_numbers(real(a), options), finite_numbers(imag(a), options));
                       return is_float(a.dtype()) ? finite_numbers(a, options) : a;
                     });
}

Array erfinv(const Operand& x) {
  const CallerScope caller(x.where(), "erfinv");
  return erf_inv(x);
}

}  // namespace ingot
