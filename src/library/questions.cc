// Questions about elements: what they are, whether they are equal or close, and logic on the answers.
#include <limits>

#include "frontend/compose.h"
#include "ingot/elementwise.h"
#include "ingot/shapes.h"

namespace ingot {
namespace {

using detail::compose_any;
using detail::compose_same;
using detail::truth;

constexpr double kInfinite = std::numeric_limits<double>::infinity();

Array nowhere(const Array& x) {
  return Array::zeros(x.shape(), DType::kPred);
}

Array is_signed_infinity(const char* name, const Operand& x, double infinity) {
  return compose_any(name, x, {}, [&](const Array& a) {
    if (is_complex(a.dtype()))
      detail::fail(x.where(), std::string(name) + ": takes numbers with a sign, not " + a.type_string());
    return is_float(a.dtype()) ? a == infinity : nowhere(a);
  });
}

Array logical(const char* name, const Operand& x, const Operand& y, const detail::TwoArrays& body) {
  const CallerScope caller(x.where(), name);
  const std::vector<Array> both = {detail::checked_array(x), detail::checked_array(y)};
  return detail::apply(name, both, {}, x.where(),
                       [&](const std::vector<Array>& a) { return body(truth(a[0]), truth(a[1])); });
}

Array close(const Array& a, const Array& b, const CloseOptions& options) {
  const Array near = abs(a - b) <= options.atol + options.rtol * abs(b);
  const Array either = ~(isfinite(a) & isfinite(b));
  const Array result = where(either, a == b, near);
  return options.equal_nan ? result | ((a != a) & (b != b)) : result;
}

bool broadcast_together(const Shape& a, const Shape& b) {
  for (size_t i = 1; i <= std::min(a.size(), b.size()); ++i) {
    const int64_t m = a[a.size() - i], n = b[b.size() - i];
    if (m != n && m != 1 && n != 1) return false;
  }
  return true;
}

std::vector<int64_t> words_of(const CloseOptions& options) {
  return {detail::word_of(options.rtol), detail::word_of(options.atol), options.equal_nan};
}

}  // namespace

Array isfinite(const Operand& x) {
  return compose_any("isfinite", x, {}, [](const Array& a) {
    if (is_complex(a.dtype())) return is_finite(real(a)) & is_finite(imag(a));
    return is_float(a.dtype()) ? is_finite(a) : ~nowhere(a);
  });
}
Array isnan(const Operand& x) {
  return compose_any("isnan", x, {},
                     [](const Array& a) { return is_inexact(a.dtype()) ? a != a : nowhere(a); });
}
Array isinf(const Operand& x) {
  return compose_any("isinf", x, {}, [](const Array& a) {
    if (is_complex(a.dtype())) return (abs(real(a)) == kInfinite) | (abs(imag(a)) == kInfinite);
    return is_float(a.dtype()) ? abs(a) == kInfinite : nowhere(a);
  });
}
Array isposinf(const Operand& x) {
  return is_signed_infinity("isposinf", x, kInfinite);
}
Array isneginf(const Operand& x) {
  return is_signed_infinity("isneginf", x, -kInfinite);
}

Array signbit(const Operand& x) {
  return compose_any("signbit", x, {}, [&](const Array& a) {
    if (is_complex(a.dtype()))
      detail::fail(x.where(), "signbit: takes numbers with a sign, not " + a.type_string());
    if (!is_signed(a.dtype())) return nowhere(a);
    if (!is_float(a.dtype())) return a < 0;
    if (is_small_float(a.dtype())) return bitcast(a.astype(DType::kF32), DType::kS32) < 0;
    const size_t bytes = byte_size(a.dtype());
    return bitcast(a, bytes == 2 ? DType::kS16 : bytes == 4 ? DType::kS32 : DType::kS64) < 0;
  });
}

Array isclose(const Operand& a, const Operand& b, const CloseOptions& options) {
  return detail::compose_floats("isclose", a, b, words_of(options),
                                [&](const Array& x, const Array& y) { return close(x, y, options); });
}
Array allclose(const Operand& a, const Operand& b, const CloseOptions& options) {
  return detail::compose_floats("allclose", a, b, words_of(options),
                                [&](const Array& x, const Array& y) { return all(close(x, y, options)); });
}

Array array_equal(const Operand& a, const Operand& b, bool equal_nan) {
  const CallerScope caller(a.where(), "array_equal");
  if (detail::checked_array(a).shape() != detail::checked_array(b).shape()) return Array(false);
  return compose_same("array_equal", a, b, {equal_nan}, [&](const Array& x, const Array& y) {
    const Array equal = x == y;
    return all(equal_nan && is_inexact(x.dtype()) ? equal | ((x != x) & (y != y)) : equal);
  });
}
Array array_equiv(const Operand& a, const Operand& b) {
  const CallerScope caller(a.where(), "array_equiv");
  if (!broadcast_together(detail::checked_array(a).shape(), detail::checked_array(b).shape()))
    return Array(false);
  return compose_same("array_equiv", a, b, {}, [](const Array& x, const Array& y) { return all(x == y); });
}

Array isin(const Operand& x, const Operand& values, bool invert) {
  return compose_same("isin", x, values, {invert}, [&](const Array& a, const Array& list) {
    const Array found = any(expand_dims(a, -1) == ravel(list), -1);
    return invert ? ~found : found;
  });
}

Array logical_and(const Operand& x, const Operand& y) {
  return logical("logical_and", x, y, [](const Array& a, const Array& b) { return a & b; });
}
Array logical_or(const Operand& x, const Operand& y) {
  return logical("logical_or", x, y, [](const Array& a, const Array& b) { return a | b; });
}
Array logical_xor(const Operand& x, const Operand& y) {
  return logical("logical_xor", x, y, [](const Array& a, const Array& b) { return a ^ b; });
}

Array bitwise_and(const Operand& x, const Operand& y) {
  const CallerScope caller(x.where(), "bitwise_and");
  return x & y;
}
Array bitwise_or(const Operand& x, const Operand& y) {
  const CallerScope caller(x.where(), "bitwise_or");
  return x | y;
}
Array bitwise_xor(const Operand& x, const Operand& y) {
  const CallerScope caller(x.where(), "bitwise_xor");
  return x ^ y;
}
Array bitwise_not(const Operand& x) {
  const CallerScope caller(x.where(), "bitwise_not");
  return ~x;
}
Array left_shift(const Operand& x, const Operand& amount) {
  const CallerScope caller(x.where(), "left_shift");
  return x << amount;
}
Array right_shift(const Operand& x, const Operand& amount) {
  const CallerScope caller(x.where(), "right_shift");
  return x >> amount;
}

}  // namespace ingot
