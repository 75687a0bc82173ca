// Special functions, and functions of two numbers, as compositions. Derivatives are those of JAX: where the
// formula that is computed would give another one at an end, the rule is stated.
#include <limits>
#include <numbers>

#include "base/visit_dtype.h"
#include "frontend/compose.h"
#include "ingot/autodiff.h"
#include "ingot/elementwise.h"
#include "library/rules_by_value.h"

namespace ingot {
namespace {

using detail::apply;

constexpr double kAboveAll = std::numeric_limits<double>::infinity();

using Two = std::tuple<Array, Array>;

// Of two arrays of one dtype that broadcast.
Array compose_two(const char* name, const Operand& x, const Operand& y,
                  const std::function<Array(const Array&, const Array&)>& body) {
  const CallerScope caller(x.where(), name);
  const std::vector<Array> arrays = detail::same_dtype(name, {x, y}, x.where());
  detail::broadcast_shape(name, arrays, x.where());
  return apply(name, arrays, {}, x.where(), [&](const std::vector<Array>& operands) {
    const Shape shape = detail::broadcast_shape(name, operands, x.where());
    return body(detail::emit_broadcast(operands[0], shape, x.where()),
                detail::emit_broadcast(operands[1], shape, x.where()));
  });
}

Array compose_inexact(const char* name, const Operand& x, const Operand& y,
                      const std::function<Array(const Array&, const Array&)>& body) {
  const CallerScope caller(x.where(), name);
  const std::vector<Array> both = detail::same_floats(name, {x, y}, x.where());
  return compose_two(name, Operand(both[0], x.where()), Operand(both[1], x.where()), body);
}

Array compose_one(const char* name, const Operand& x, const std::function<Array(const Array&)>& body) {
  const CallerScope caller(x.where(), name);
  const Array array = x.array();
  detail::checked_node(array, x.where());
  return apply(name, {array}, {}, x.where(),
               [&](const std::vector<Array>& operands) { return body(detail::floating(operands[0])); });
}

Array is_nan(const Array& x) {
  return x != x;
}
Array opposite_signs(const Array& a, const Array& b) {
  return (a < 0) != (b < 0);
}

// The quotient that is rounded down, with the rest that goes with it (CPython's float_divmod).
std::pair<Array, Array> floor_divmod(const Array& x, const Array& y) {
  const Array rest = x % y;
  const Array quotient = where(y == 0, x, x - rest) / y;
  const Array turned = (rest != 0) & (sign(y) != sign(rest));
  return {round(where(turned, quotient - 1, quotient)), where(turned, rest + y, rest)};
}

// y, but 1 where x is 0 and a logarithm that begins at `low` is not finite.
Array with_logarithm(const Array& x, const Array& y, double low) {
  return where((x == 0) & ((y <= low) | (y == kAboveAll)), 1, y);
}

// A function of two arrays whose formula has other derivatives than itself at some points. A rule cannot ask
// for the function whose rule it is, so it holds the function with one order less.
constexpr int kOrders = 3;
template <class Value, class Tangent>
Array with_tangent(int orders, const Value& value, const Tangent& tangent, const Array& a, const Array& b) {
  if (orders == 0) return value(a, b);
  return detail::custom_jvp_by_value([value](Array u, Array v) { return value(u, v); },
                                     [=](const Two& at, const Two& tangents) {
                                       const Array result = with_tangent(orders - 1, value, tangent,
                                                                         std::get<0>(at), std::get<1>(at));
                                       return std::pair(result, tangent(result, at, tangents));
                                     })(a, b);
}

Array xlogy_value(const Array& x, const Array& y) {
  return where((x == 0) & (y == y), 0, x * log(with_logarithm(x, y, 0)));
}
Array xlogy_tangent(const Array&, const Two& at, const Two& tangents) {
  const auto& [x, y] = at;
  return std::get<0>(tangents) * log(y) + std::get<1>(tangents) * x / y;
}

Array xlog1py_value(const Array& x, const Array& y) {
  return where((x == 0) & (y == y), 0, x * log1p(with_logarithm(x, y, -1)));
}
Array xlog1py_tangent(const Array&, const Two& at, const Two& tangents) {
  const auto& [x, y] = at;
  return std::get<0>(tangents) * log1p(y) + std::get<1>(tangents) * x / (1 + y);
}

Array hypot_value(const Array& x, const Array& y) {
  const Array u = abs(x), v = abs(y), large = maximum(u, v), small = minimum(u, v);
  const Array nothing = large == 0, ratio = small / where(nothing, 1, large);
  const Array size = where(nothing, large, large * sqrt(1 + ratio * ratio));
  return where((u == kAboveAll) | (v == kAboveAll), kAboveAll, size);
}
// The direction of (x, y); at zero half of each, as JAX has it. An infinite operand has no direction: NaN.
Array hypot_tangent(const Array& size, const Two& at, const Two& tangents) {
  const Array none = size == 0, divisor = where(none, 1, size);
  const auto part = [&](const Array& x, const Array& tangent) {
    return tangent * where(none, 0.5, x / divisor);
  };
  return part(std::get<0>(at), std::get<0>(tangents)) + part(std::get<1>(at), std::get<1>(tangents));
}

Array logit_value(const Array& x) {
  return log(x) - log1p(-x);
}

// The difference is NaN where both are infinite with one sign, or one is NaN.
Array logaddexp_of(const Array& x, const Array& y) {
  const Array order = x >= y, difference = where(order, y, x) - where(order, x, y);
  const Array none = is_nan(difference);
  // What is NaN stays so, and its derivatives are NaN, too; all else is 0 there, so that none of it gets one.
  const Array lost = where(none & (x != y), x + y, 0), limit = where(x == y, 0.5 * (x + y), exp(lost));
  return where(none, limit, where(order, x, y) + log1p(exp(where(none, 0, difference))));
}

}  // namespace

Array xlogy(const Operand& x, const Operand& y) {
  return compose_inexact("xlogy", x, y, [](const Array& a, const Array& b) {
    return with_tangent(kOrders, xlogy_value, xlogy_tangent, a, b);
  });
}

Array xlog1py(const Operand& x, const Operand& y) {
  return compose_inexact("xlog1py", x, y, [](const Array& a, const Array& b) {
    return with_tangent(kOrders, xlog1py_value, xlog1py_tangent, a, b);
  });
}

Array logaddexp(const Operand& x, const Operand& y) {
  return compose_inexact("logaddexp", x, y, logaddexp_of);
}

Array softplus(const Operand& x) {
  return compose_one("softplus", x,
                     [](const Array& a) { return logaddexp_of(a, Array::zeros(a.shape(), a.dtype())); });
}

Array logit(const Operand& x) {
  return compose_one("logit", x, [](const Array& a) {
    return custom_jvp([](Array u) { return logit_value(u); },
                      [](const std::tuple<Array>& at, const std::tuple<Array>& tangents) {
                        const auto& [u] = at;
                        return std::pair(logit_value(u), std::get<0>(tangents) / (u * (1 - u)));
                      })(a);
  });
}

Array hypot(const Operand& x, const Operand& y) {
  return compose_inexact("hypot", x, y, [&](const Array& a, const Array& b) {
    if (is_complex(a.dtype()))
      detail::fail(x.where(),
                   "hypot: takes floats, not " + std::string(name_of(a.dtype())) + "; take abs first");
    return with_tangent(kOrders, hypot_value, hypot_tangent, a, b);
  });
}

Array floor_divide(const Operand& x, const Operand& y) {
  return compose_two("floor_divide", x, y, [](const Array& a, const Array& b) {
    if (is_float(a.dtype())) return floor_divmod(a, b).first;
    const Array quotient = a / b;
    if (!is_signed(a.dtype())) return quotient;
    return where((sign(a) != sign(b)) & (a % b != 0), quotient - 1, quotient);
  });
}

namespace {

// Of floats of a byte or less, by their numbers, all of which f32 has: another last place, or another of the
// spaces between subnormal numbers.
Array next_small(const Array& a, const Array& b) {
  const DType dtype = a.dtype();
  float least = 0, normal = 0, most = 0;
  visit_dtype(dtype, [&]<class T>(std::type_identity<T>) {
    if constexpr (is_small_float(dtype_of<T>())) {
      least = std::numeric_limits<T>::denorm_min();
      normal = std::numeric_limits<T>::min();
      most = std::numeric_limits<T>::max();
    }
  });
  const Array x = a.astype(DType::kF32), y = b.astype(DType::kF32), size = abs(x);
  const Array grows = (x < y) == (x > 0);
  Array moved;
  if (significant_bits(dtype) == 1) {  // powers of two, some below the normal numbers of f32
    moved = where(grows, size * 2, size / 2);
  } else {
    const int unit = 1 << (24 - significant_bits(dtype));
    const Array bits = bitcast(size, DType::kS32);
    const Array up = where(size < normal, size + least, bitcast(bits + unit, DType::kF32));
    const Array down = where(size <= normal, size - least, bitcast(bits - unit, DType::kF32));
    moved = where(grows, up, where(size > most, most, down));
  }
  const Array next = where(x == y, y, where(x == 0, copysign(least, y), copysign(moved, x)));
  return where(isnan(x) | isnan(y), x + y, next).astype(dtype);
}

}  // namespace

// One up or down in the order of the bits; from a zero the least number with the sign of y.
Array nextafter(const Operand& x, const Operand& y) {
  return compose_two("nextafter", x, y, [&](const Array& a, const Array& b) {
    if (!is_float(a.dtype()))
      detail::fail(x.where(), "nextafter: takes floats, not " + std::string(name_of(a.dtype())));
    if (is_small_float(a.dtype())) return next_small(a, b);
    const size_t bytes = byte_size(a.dtype());
    const DType dtype = bytes == 2 ? DType::kS16 : bytes == 4 ? DType::kS32 : DType::kS64;
    const Array from = bitcast(a, dtype), to = bitcast(b, dtype);
    const Array least = (from * 0 + 1) << (8 * static_cast<int>(bytes) - 1);
    const Array moved = where((a < b) == (a > 0), from + 1, from - 1);
    const Array next = where(a == b, to, where(a == 0, (to & least) | 1, moved));
    return where(is_nan(a) | is_nan(b), a + b, bitcast(next, a.dtype()));
  });
}

Array mod(const Operand& x, const Operand& y) {
  return compose_two("mod", x, y, [](const Array& a, const Array& b) {
    const bool number = a.dtype() != DType::kPred;  // % refuses those
    const Array divisor = is_float(a.dtype()) || !number ? b : where(b == 0, 1, b);
    const Array rest = a % divisor;
    if (!is_signed(a.dtype())) return rest;
    return where(opposite_signs(rest, divisor) & (rest != 0), rest + divisor, rest);
  });
}

}  // namespace ingot
