// Other names: each says its own in errors.
#include "ingot/names.h"

#include "frontend/compose.h"
#include "ingot/cumulative.h"
#include "ingot/elementwise.h"
#include "ingot/special.h"

namespace ingot {
namespace {

using OfOne = Array (*)(const Operand&);
using OfTwo = Array (*)(const Operand&, const Operand&);

Array named(const char* name, OfOne function, const Operand& x) {
  const CallerScope caller(x.where(), name);
  return function(x);
}
Array named(const char* name, OfTwo function, const Operand& x, const Operand& y) {
  const CallerScope caller(x.where(), name);
  return function(x, y);
}

}  // namespace

Array absolute(const Operand& x) {
  return named("absolute", abs, x);
}
Array fabs(const Operand& x) {
  return detail::compose_floating("fabs", x, {}, [&](const Array& a) {
    if (is_complex(a.dtype()))
      detail::fail(x.where(), "takes real numbers, not " + a.type_string() + "; take abs");
    return abs(a);
  });
}
Array arcsin(const Operand& x) {
  return named("arcsin", asin, x);
}
Array arccos(const Operand& x) {
  return named("arccos", acos, x);
}
Array arctan(const Operand& x) {
  return named("arctan", atan, x);
}
Array arcsinh(const Operand& x) {
  return named("arcsinh", asinh, x);
}
Array arccosh(const Operand& x) {
  return named("arccosh", acosh, x);
}
Array arctanh(const Operand& x) {
  return named("arctanh", atanh, x);
}
Array negative(const Operand& x) {
  return named("negative", neg, x);
}
Array positive(const Operand& x) {
  return detail::checked_array(x);
}
Array conjugate(const Operand& z) {
  return named("conjugate", conj, z);
}
Array invert(const Operand& x) {
  return named("invert", bitwise_not, x);
}
Array bitwise_invert(const Operand& x) {
  return named("bitwise_invert", bitwise_not, x);
}
Array bitwise_count(const Operand& x) {
  return detail::compose_any("bitwise_count", x, {}, [](const Array& a) {
    return population_count(is_signed(a.dtype()) ? abs(a) : a).astype(DType::kU8);
  });
}
Array matrix_transpose(const Operand& x) {
  const CallerScope caller(x.where(), "matrix_transpose");
  if (detail::checked_array(x).rank() < 2)
    detail::fail(x.where(), "takes arrays of two axes or more, but this is a " + x.array().type_string());
  return swapaxes(x, -1, -2);
}
Array around(const Operand& x, int64_t decimals) {
  const CallerScope caller(x.where(), "around");
  return round(x, decimals);
}
Array iscomplex(const Operand& x) {
  return detail::compose_any("iscomplex", x, {}, [](const Array& a) { return imag(a) != 0; });
}
Array isreal(const Operand& x) {
  return detail::compose_any("isreal", x, {}, [](const Array& a) { return imag(a) == 0; });
}
Array cumulative_sum(const Operand& x, Axis axis) {
  const CallerScope caller(x.where(), "cumulative_sum");
  return cumsum(x, axis);
}
Array cumulative_prod(const Operand& x, Axis axis) {
  const CallerScope caller(x.where(), "cumulative_prod");
  return cumprod(x, axis);
}
Array amax(const Operand& x, const Axes& axes, KeepDims keepdims) {
  const CallerScope caller(x.where(), "amax");
  return max(x, axes, keepdims);
}
Array amin(const Operand& x, const Axes& axes, KeepDims keepdims) {
  const CallerScope caller(x.where(), "amin");
  return min(x, axes, keepdims);
}
Array permute_dims(const Operand& x, std::vector<int64_t> permutation) {
  const CallerScope caller(x.where(), "permute_dims");
  return transpose(x, std::move(permutation));
}
Array concat(const Operands& arrays, Axis axis) {
  const CallerScope caller(arrays.where(), "concat");
  return concatenate(arrays, axis);
}
int64_t ndim(const Operand& x) {
  return x.array().rank(x.where());
}
int64_t size(const Operand& x) {
  return x.array().size(x.where());
}
int64_t size(const Operand& x, Axis axis) {
  return x.array().shape(axis, x.where());
}
Shape shape(const Operand& x) {
  return x.array().shape(x.where());
}

Array add(const Operand& x, const Operand& y) {
  return named("add", operator+, x, y);
}
Array subtract(const Operand& x, const Operand& y) {
  return named("subtract", operator-, x, y);
}
Array multiply(const Operand& x, const Operand& y) {
  return named("multiply", operator*, x, y);
}
Array divide(const Operand& x, const Operand& y) {
  return named("divide", true_divide, x, y);
}
Array power(const Operand& x, const Operand& y) {
  return named("power", pow, x, y);
}
Array arctan2(const Operand& y, const Operand& x) {
  return named("arctan2", atan2, y, x);
}
Array bitwise_left_shift(const Operand& x, const Operand& amount) {
  return named("bitwise_left_shift", left_shift, x, amount);
}
Array bitwise_right_shift(const Operand& x, const Operand& amount) {
  return named("bitwise_right_shift", right_shift, x, amount);
}
Array igamma(const Operand& a, const Operand& x) {
  return named("igamma", gammainc, a, x);
}
Array igammac(const Operand& a, const Operand& x) {
  return named("igammac", gammaincc, a, x);
}
Array equal(const Operand& x, const Operand& y) {
  return named("equal", operator==, x, y);
}
Array not_equal(const Operand& x, const Operand& y) {
  return named("not_equal", operator!=, x, y);
}
Array less(const Operand& x, const Operand& y) {
  return named("less", operator<, x, y);
}
Array less_equal(const Operand& x, const Operand& y) {
  return named("less_equal", operator<=, x, y);
}
Array greater(const Operand& x, const Operand& y) {
  return named("greater", operator>, x, y);
}
Array greater_equal(const Operand& x, const Operand& y) {
  return named("greater_equal", operator>=, x, y);
}

}  // namespace ingot
