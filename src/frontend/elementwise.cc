// Element-wise functions and operators: dtypes and shapes are made equal here, as the operations of the IR
// want.
#include <cmath>
#include <complex>

#include "frontend/compose.h"

namespace ingot {
namespace {

using detail::apply;
using detail::emit;

// `name` is the user's where the operation has another one.
Array unary(const char* op, const Operand& x, const char* name = nullptr) {
  const CallerScope caller(x.where(), name);
  const Array array = detail::checked_array(x);
  return detail::apply_elementwise(
      op, {array}, array.shape(), {}, x.where(),
      [&](const std::vector<Array>& operands) { return emit(op, operands, {}, x.where()); });
}

// Integers and preds as f32, as in JAX.
Array floating_unary(const char* op, const Operand& x) {
  const CallerScope caller(x.where());
  const Array array = detail::checked_array(x);
  return unary(op, Operand(detail::floating(array), x.where()));
}

// What rounds; integers are whole.
Array rounding(const char* op, const Operand& x, const char* name = nullptr) {
  const Array array = detail::checked_array(x);
  return is_integer(array.dtype()) ? array : unary(op, x, name);
}

// The first operand that is an array carries the line that is sure to be the user's; numbers carry it too.
Array broadcasting(const char* name, const char* op, std::vector<Array> arrays,
                   const ir::Attributes& attributes, const std::vector<int64_t>& words,
                   const std::source_location& where) {
  const Shape all = detail::broadcast_shape(name, arrays, where);
  return detail::apply_elementwise(op, arrays, all, words, where, [&](const std::vector<Array>& operands) {
    const Shape shape = detail::broadcast_shape(name, operands, where);
    std::vector<Array> broadcast;
    for (const Array& operand : operands) broadcast.push_back(detail::emit_broadcast(operand, shape, where));
    return emit(op, broadcast, attributes, where);
  });
}

// Of two floats; integers and preds become such.
Array floating_binary(const char* op, const Operand& x, const Operand& y) {
  const CallerScope caller(x.where());
  return broadcasting(op, op, detail::same_floats(op, {x, y}, x.where()), {}, {}, x.where());
}

Array binary(const char* op, const Operand& x, const Operand& y, const char* name = nullptr) {
  const CallerScope caller(x.where(), name);
  return broadcasting(op, op, detail::same_dtype(op, {x, y}, x.where()), {}, {}, x.where());
}

Array whole_power(const Operand& x, double n) {
  const CallerScope caller(x.where(), "pow");
  Array result, square = x.array();
  for (auto left = static_cast<int64_t>(std::abs(n)); left > 0; left /= 2) {
    if (left % 2 == 1)
      result =
          result.empty() ? square : binary("mul", Operand(result, x.where()), Operand(square, x.where()));
    if (left > 1) square = binary("mul", Operand(square, x.where()), Operand(square, x.where()));
  }
  return n > 0 ? result : binary("div", Operand(1, x.where()), Operand(result, x.where()));
}

// By the bits of the exponent, wrapping as products do; 1 / x^-y, cut off, where y is negative.
DType dtype_of_operand(const Operand& x) {
  return x.is_literal() ? x.literal().dtype : detail::checked_array(x).dtype();
}

// Preds are integers like those beside them, and s32 where there are none.
Array power_of_integers(const Operand& x, const Operand& y) {
  const CallerScope caller(x.where(), "pow");
  const DType of_x = dtype_of_operand(x), of_y = dtype_of_operand(y);
  const auto counted = [&](const Operand& a, DType own, const Operand& beside, DType other) {
    if (own != DType::kPred) return a;
    const bool integer = other != DType::kPred && !beside.is_literal();
    return Operand(astype(a, integer ? other : DType::kS32), a.where());
  };
  const std::vector<Array> both =
      detail::same_dtype("pow", {counted(x, of_x, y, of_y), counted(y, of_y, x, of_x)}, x.where());
  const Shape all = detail::broadcast_shape("pow", both, x.where());
  return detail::apply_elementwise(
      "pow_of_integers", both, all, {}, x.where(), [&](const std::vector<Array>& given) {
        const DType dtype = given[0].dtype();
        const Array one = detail::number(dtype, 1), zero = detail::number(dtype, 0);
        Array factor = given[0], left = given[1], result;
        const int bits = bit_width(dtype) - (is_signed(dtype) ? 1 : 0);
        for (int bit = 0; bit < bits; ++bit) {
          const Array next = where((left & one) != zero, factor, one);
          result = bit == 0 ? next : result * next;
          factor = factor * factor;
          left = left >> one;
        }
        if (!is_signed(dtype)) return result;
        const Array odd = (given[1] & one) != zero, unit = where(odd, given[0], one);
        return where(given[1] >= zero, result, where(abs(given[0]) == one, unit, zero));
      });
}

constexpr const char* kDirections[] = {"eq", "ne", "lt", "le", "gt", "ge"};

bool has_complex(const Operand& x, const Operand& y) {
  return is_complex(dtype_of_operand(x)) || is_complex(dtype_of_operand(y));
}

// In the order of real parts, then of imaginary ones; NaN where either is.
Array extreme_of_complex(const char* name, const Operand& x, const Operand& y, bool greatest) {
  return detail::compose_same(name, x, y, {}, [&](const Array& a, const Array& b) {
    const Array u = greatest ? real(a) : real(b), v = greatest ? real(b) : real(a);
    const Array p = greatest ? imag(a) : imag(b), q = greatest ? imag(b) : imag(a);
    return where(((u > v) | ((u == v) & (p >= q)) | (a != a)) & (b == b), a, b);
  });
}

}  // namespace

Array exp(const Operand& x) {
  return floating_unary("exp", x);
}
Array log(const Operand& x) {
  return floating_unary("log", x);
}
Array expm1(const Operand& x) {
  return floating_unary("expm1", x);
}
Array log1p(const Operand& x) {
  return floating_unary("log1p", x);
}
Array erf(const Operand& x) {
  return floating_unary("erf", x);
}
Array sin(const Operand& x) {
  return floating_unary("sin", x);
}
Array cos(const Operand& x) {
  return floating_unary("cos", x);
}
Array tanh(const Operand& x) {
  return floating_unary("tanh", x);
}
Array tan(const Operand& x) {
  return floating_unary("tan", x);
}
Array asin(const Operand& x) {
  return floating_unary("asin", x);
}
Array acos(const Operand& x) {
  return floating_unary("acos", x);
}
Array atan(const Operand& x) {
  return floating_unary("atan", x);
}
Array sinh(const Operand& x) {
  return floating_unary("sinh", x);
}
Array cosh(const Operand& x) {
  return floating_unary("cosh", x);
}
Array asinh(const Operand& x) {
  return floating_unary("asinh", x);
}
Array acosh(const Operand& x) {
  return floating_unary("acosh", x);
}
Array atanh(const Operand& x) {
  return floating_unary("atanh", x);
}
Array exp2(const Operand& x) {
  return floating_unary("exp2", x);
}
Array log2(const Operand& x) {
  return floating_unary("log2", x);
}
Array cbrt(const Operand& x) {
  return floating_unary("cbrt", x);
}
Array erfc(const Operand& x) {
  return floating_unary("erfc", x);
}
Array erf_inv(const Operand& x) {
  return floating_unary("erf_inv", x);
}
Array lgamma(const Operand& x) {
  return floating_unary("lgamma", x);
}
Array digamma(const Operand& x) {
  return floating_unary("digamma", x);
}
Array bessel_i0e(const Operand& x) {
  return floating_unary("bessel_i0e", x);
}
Array bessel_i1e(const Operand& x) {
  return floating_unary("bessel_i1e", x);
}
Array logistic(const Operand& x) {
  return floating_unary("logistic", x);
}
Array sqrt(const Operand& x) {
  return floating_unary("sqrt", x);
}
Array rsqrt(const Operand& x) {
  return floating_unary("rsqrt", x);
}
Array is_finite(const Operand& x) {
  return unary("is_finite", x);
}

Array floor(const Operand& x) {
  return rounding("floor", x);
}
Array ceil(const Operand& x) {
  return rounding("ceil", x);
}
Array round(const Operand& x) {
  const CallerScope caller(x.where(), "round");
  if (!is_complex(detail::checked_array(x).dtype())) return rounding("round_even", x, "round");
  return complex(round(real(x)), round(imag(x)));
}
Array round_away(const Operand& x) {
  return rounding("round_away", x);
}
Array reduce_precision(const Operand& x, int64_t exponent_bits, int64_t mantissa_bits) {
  return detail::apply_op("reduce_precision", {x.array()},
                          {{"exponent_bits", exponent_bits}, {"mantissa_bits", mantissa_bits}},
                          {exponent_bits, mantissa_bits}, x.where());
}
Array population_count(const Operand& x) {
  return unary("popcnt", x, "population_count");
}
Array clz(const Operand& x) {
  return unary("clz", x);
}
Array abs(const Operand& x) {
  // Of preds they are themselves, as in jnp.
  if (!x.is_literal() && !x.array().empty() && x.array().dtype(x.where()) == DType::kPred) return x.array();
  return unary("abs", x);
}
Array sign(const Operand& x) {
  return unary("sign", x);
}
Array neg(const Operand& x) {
  return unary("neg", x);
}
Array logical_not(const Operand& x) {
  const CallerScope caller(x.where(), "logical_not");
  const Array array = x.array();
  const bool pred = detail::checked_node(array, x.where()).type->dtype == DType::kPred;
  return pred ? unary("not", x) : compare(Compare::kEq, x, 0);
}

Array complex(const Operand& re, const Operand& im) {
  return binary("complex", re, im);
}
Array real(const Operand& z) {
  const Array array = z.array();
  return is_complex(detail::checked_node(array, z.where()).type->dtype) ? unary("real", z) : array;
}
Array imag(const Operand& z) {
  const Array array = z.array();
  if (is_complex(detail::checked_node(array, z.where()).type->dtype)) return unary("imag", z);
  return Array::zeros(array.shape(), array.dtype(), z.where());
}
Array conj(const Operand& z) {
  const Array array = z.array();
  return is_complex(detail::checked_node(array, z.where()).type->dtype) ? unary("conj", z) : array;
}
Array angle(const Operand& z) {
  const CallerScope caller(z.where(), "angle");
  return atan2(imag(z), real(z));
}

Array atan2(const Operand& y, const Operand& x) {
  return floating_binary("atan2", y, x);
}
Array pow(const Operand& x, const Operand& y) {
  // Whole powers of complex numbers are products, which are exact where logarithms are not.
  if (!x.is_literal() && y.is_literal() && !x.array().empty() && is_complex(x.array().dtype())) {
    const std::complex<double> power = detail::as_complex(y.literal());
    const double n = power.real();
    if (power.imag() == 0 && n == std::trunc(n) && n != 0 && std::abs(n) <= 64) return whole_power(x, n);
  }
  const auto whole = [](const Operand& a) {
    const DType dtype = dtype_of_operand(a);
    return is_integer(dtype) || dtype == DType::kPred;
  };
  if (whole(x) && whole(y)) return power_of_integers(x, y);
  return floating_binary("pow", x, y);
}
Array zeta(const Operand& s, const Operand& q) {
  return floating_binary("zeta", s, q);
}
Array polygamma(const Operand& n, const Operand& x) {
  return floating_binary("polygamma", n, x);
}
Array maximum(const Operand& x, const Operand& y) {
  return has_complex(x, y) ? extreme_of_complex("maximum", x, y, true) : binary("max", x, y, "maximum");
}
Array minimum(const Operand& x, const Operand& y) {
  return has_complex(x, y) ? extreme_of_complex("minimum", x, y, false) : binary("min", x, y, "minimum");
}
Array shift_right_logical(const Operand& x, const Operand& amount) {
  return binary("shift_right_logical", x, amount);
}
Array shift_right_arithmetic(const Operand& x, const Operand& amount) {
  return binary("shift_right_arithmetic", x, amount);
}

Array compare(Compare direction, const Operand& x, const Operand& y) {
  const int64_t index = detail::checked_choice("compare", "the direction", static_cast<int64_t>(direction),
                                               std::size(kDirections), x.where());
  return broadcasting("compare", "compare", detail::same_dtype("compare", {x, y}, x.where()),
                      {{"direction", std::string(kDirections[index])}}, {index}, x.where());
}

namespace {

Array select_called(const char* name, const Operand& pred, const Operand& if_true, const Operand& if_false) {
  std::vector<Array> arrays = detail::same_dtype(name, {if_true, if_false}, pred.where());
  arrays.insert(arrays.begin(), pred.array());
  if (detail::checked_node(arrays[0], pred.where()).type->dtype != DType::kPred) {
    detail::fail(pred.where(), std::string(name) + ": the condition is a " + arrays[0].type_string() +
                                   ", but should be a pred array, such as x > 0 gives");
  }
  return broadcasting(name, "select", std::move(arrays), {}, {}, pred.where());
}

}  // namespace

Array select(const Operand& pred, const Operand& if_true, const Operand& if_false) {
  return select_called("select", pred, if_true, if_false);
}
Array where(const Operand& pred, const Operand& if_true, const Operand& if_false) {
  return select_called("where", pred, if_true, if_false);
}

Array astype(const Operand& x, DType dtype) {
  if (static_cast<size_t>(dtype) >= std::size(kAllDTypes)) {
    detail::fail(x.where(),
                 "astype: DType(" + std::to_string(static_cast<int>(dtype)) + ") is none of the dtypes");
  }
  const DType from =
      x.is_literal() ? x.literal().dtype : detail::checked_node(x.array(), x.where()).type->dtype;
  if (is_complex(from) && !is_complex(dtype)) {
    detail::fail(x.where(), "astype: a " + x.array().type_string() + " has no counterpart in " +
                                std::string(name_of(dtype)) + "; take real, imag or abs first");
  }
  if (x.is_literal()) return Array(detail::convert(x.literal(), dtype));
  const Array array = x.array();
  if (detail::checked_node(array, x.where()).type->dtype == dtype) return detail::as_weak(array, false);
  const Array converted =
      detail::apply_elementwise("convert", {array}, array.shape(), {static_cast<int64_t>(dtype)}, x.where(),
                                [&](const std::vector<Array>& operands) {
                                  return emit("convert", operands, {{"dtype", dtype}}, x.where());
                                });
  return detail::as_weak(converted, false);
}

// --- operators

Array operator+(const Operand& a, const Operand& b) {
  return binary("add", a, b);
}
Array operator-(const Operand& a, const Operand& b) {
  return binary("sub", a, b);
}
Array operator*(const Operand& a, const Operand& b) {
  return binary("mul", a, b);
}
Array operator/(const Operand& a, const Operand& b) {
  return binary("div", a, b);
}
Array operator%(const Operand& a, const Operand& b) {
  return binary("rem", a, b, "operator %");
}
Array operator&(const Operand& a, const Operand& b) {
  return binary("and", a, b, "operator &");
}
Array operator|(const Operand& a, const Operand& b) {
  return binary("or", a, b, "operator |");
}
Array operator^(const Operand& a, const Operand& b) {
  return binary("xor", a, b, "operator ^");
}
Array operator~(const Operand& a) {
  return unary("not", a, "operator ~");
}
Array operator<<(const Operand& a, const Operand& b) {
  return binary("shift_left", a, b, "operator <<");
}
Array operator>>(const Operand& a, const Operand& b) {
  const DType dtype = a.is_literal() ? b.array().dtype() : a.array().dtype();
  return binary(is_signed(dtype) ? "shift_right_arithmetic" : "shift_right_logical", a, b, "operator >>");
}
Array operator-(const Operand& a) {
  return unary("neg", a);
}
Array operator==(const Operand& a, const Operand& b) {
  return compare(Compare::kEq, a, b);
}
Array operator!=(const Operand& a, const Operand& b) {
  return compare(Compare::kNe, a, b);
}
Array operator<(const Operand& a, const Operand& b) {
  return compare(Compare::kLt, a, b);
}
Array operator<=(const Operand& a, const Operand& b) {
  return compare(Compare::kLe, a, b);
}
Array operator>(const Operand& a, const Operand& b) {
  return compare(Compare::kGt, a, b);
}
Array operator>=(const Operand& a, const Operand& b) {
  return compare(Compare::kGe, a, b);
}

}  // namespace ingot
