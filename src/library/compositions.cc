// Functions composed of others. Each opens a CallerScope, so that reports name the user's line and not these.
#include "frontend/compose.h"
#include "ingot/autodiff.h"

namespace ingot {
namespace {

using detail::apply;
using detail::fail;

// A composition of one array: one kernel when called outside of a program.
Array compose(const char* name, const Operand& x, const std::vector<int64_t>& words,
              const std::function<Array(const Array&)>& body) {
  const CallerScope caller(x.where(), name);
  const Array array = x.array();
  detail::checked_node(array, x.where());
  return apply(name, {array}, words, x.where(),
               [&](const std::vector<Array>& operands) { return body(operands[0]); });
}

// The same of integers and preds as f32.
Array compose_of_floats(const char* name, const Operand& x, const std::vector<int64_t>& words,
                        const std::function<Array(const Array&)>& body) {
  return compose(name, x, words, [&](const Array& a) { return body(detail::floating(a)); });
}

}  // namespace

Array softmax(const Operand& x, Axis axis) {
  return compose_of_floats("softmax", x, {axis}, [&](const Array& a) {
    if (a.shape(detail::checked_axis("softmax", axis, a.rank(), x.where())) == 0) return exp(a);  // empty
    // The result does not depend on what is taken off, so neither does the derivative.
    const Array shifted = exp(a - stop_gradient(max(a, axis, kKeepDims)));
    return shifted / sum(shifted, axis, kKeepDims);
  });
}

Array log_softmax(const Operand& x, Axis axis) {
  return compose_of_floats("log_softmax", x, {axis}, [&](const Array& a) {
    if (a.shape(detail::checked_axis("log_softmax", axis, a.rank(), x.where())) == 0) return exp(a);  // empty
    const Array shifted = a - stop_gradient(max(a, axis, kKeepDims));
    return shifted - log(sum(exp(shifted), axis, kKeepDims));
  });
}

Array silu(const Operand& x) {
  return compose_of_floats("silu", x, {}, [&](const Array& a) { return a * logistic(a); });
}

Array gelu(const Operand& x) {
  return compose_of_floats("gelu", x, {}, [&](const Array& a) {
    const double scale = 0.7978845608028654;  // sqrt(2 / pi)
    return 0.5 * a * (1.0 + tanh(scale * (a + 0.044715 * (a * a * a))));
  });
}

Array relu(const Operand& x) {
  return compose("relu", x, {}, [](const Array& a) {
    const Array positive = maximum(a, 0);
    if (!is_float(a.dtype())) return positive;
    // The derivative at 0 is 0, not the half that maximum gives to equal operands. What is computed is the
    // maximum alone: canonicalize knows the pattern (select_extreme).
    return where(a > 0, a, stop_gradient(positive));
  });
}

Array square(const Operand& x) {
  return compose("square", x, {}, [](const Array& a) { return a * a; });
}

Array clip(const Operand& x, const Operand& low, const Operand& high) {
  const CallerScope caller(x.where(), "clip");
  return minimum(Operand(maximum(x, low), x.where()), high);
}

Array rotl(const Operand& x, int bits) {
  const CallerScope caller(x.where());
  const Array array = x.array();
  const DType dtype = detail::checked_node(array, x.where()).type->dtype;
  if (!is_integer(dtype)) {
    fail(x.where(), "rotl: takes an integer array, but this is a " + array.type_string());
  }
  const int width = bit_width(dtype);
  bits = ((bits % width) + width) % width;
  if (bits == 0) return array;
  return compose("rotl", x, {bits},
                 [&](const Array& a) { return (a << bits) | shift_right_logical(a, width - bits); });
}

}  // namespace ingot
