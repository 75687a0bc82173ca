// Activation functions of neural networks. Where a formula has another derivative at a kink than JAX's, it is
// written so that it has not.
#include "ingot/activations.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "frontend/compose.h"
#include "ingot/autodiff.h"

namespace ingot {
namespace {

using detail::checked_array;
using detail::compose_floating;
using detail::compose_floats;
using detail::fail;

Array zero_of(const Array& a) {
  return detail::number(a.dtype(), 0);
}

// alpha (exp(x) - 1) below 0; what stands there above 0 must not overflow.
Array elu_of(const Array& a, const Array& alpha) {
  const Array positive = a > 0;
  return where(positive, a, alpha * expm1(where(positive, zero_of(a), a)));
}

// The derivative at 0 and at 6 is 0, not the half that maximum and minimum give to equal operands.
Array relu6_of(const Array& a) {
  return where((a > 0) & (a < 6), a, stop_gradient(minimum(maximum(a, 0), 6)));
}

}  // namespace

Array sigmoid(const Operand& x) {
  return compose_floating("sigmoid", x, {}, [](const Array& a) { return logistic(a); });
}
Array log_sigmoid(const Operand& x) {
  return compose_floating("log_sigmoid", x, {}, [](const Array& a) { return -softplus(-a); });
}
Array soft_sign(const Operand& x) {
  return compose_floating("soft_sign", x, {}, [](const Array& a) { return a / (1 + abs(a)); });
}
Array leaky_relu(const Operand& x, const Operand& negative_slope) {
  return compose_floats("leaky_relu", x, negative_slope, {},
                        [](const Array& a, const Array& slope) { return where(a >= 0, a, slope * a); });
}
Array elu(const Operand& x, const Operand& alpha) {
  return compose_floats("elu", x, alpha, {}, elu_of);
}
Array selu(const Operand& x) {
  return compose_floating("selu", x, {}, [](const Array& a) {
    const double alpha = 1.6732632423543772848170429916717, scale = 1.0507009873554804934193349852946;
    const Array positive = a > 0;
    return scale * where(positive, a, alpha * expm1(where(positive, zero_of(a), a)));
  });
}
Array celu(const Operand& x, const Operand& alpha) {
  return compose_floats("celu", x, alpha, {}, [](const Array& a, const Array& c) {
    return maximum(a, 0) + c * expm1(minimum(a, 0) / c);
  });
}
Array relu6(const Operand& x) {
  return compose_floating("relu6", x, {}, relu6_of);
}
Array hard_sigmoid(const Operand& x) {
  return compose_floating("hard_sigmoid", x, {}, [](const Array& a) { return relu6_of(a + 3) / 6; });
}
Array hard_tanh(const Operand& x) {
  return compose_floating("hard_tanh", x, {}, [](const Array& a) {
    return where(a > 1, detail::number(a.dtype(), 1), where(a < -1, detail::number(a.dtype(), -1), a));
  });
}
Array hard_silu(const Operand& x) {
  return compose_floating("hard_silu", x, {}, [](const Array& a) { return a * (relu6_of(a + 3) / 6); });
}
Array hard_swish(const Operand& x) {
  return hard_silu(x);
}
Array swish(const Operand& x) {
  return compose_floating("swish", x, {}, [](const Array& a) { return a * logistic(a); });
}
Array mish(const Operand& x) {
  return compose_floating("mish", x, {}, [](const Array& a) { return a * tanh(softplus(a)); });
}
Array squareplus(const Operand& x, const Operand& b) {
  return compose_floats("squareplus", x, b, {},
                        [](const Array& a, const Array& width) { return 0.5 * (a + sqrt(a * a + width)); });
}
Array log1mexp(const Operand& x) {
  return compose_floating("log1mexp", x, {}, [](const Array& a) {
    // Maechler (2012): which of both is accurate.
    const Array small = a < std::numbers::ln2;
    const Array near = where(small, a, 1), far = where(small, 1, a);
    return where(small, log(-expm1(-near)), log1p(-exp(-far)));
  });
}

Array glu(const Operand& x, Axis wanted) {
  const CallerScope caller(x.where(), "glu");
  const Array array = checked_array(x);
  const int64_t axis = detail::checked_axis("glu", wanted, array.rank(), x.where()),
                extent = array.shape(axis);
  if (extent % 2 != 0)
    fail(x.where(), "glu: axis " + std::to_string(axis) + " of " + array.type_string() + " has " +
                        std::to_string(extent) + " elements, which do not make two halves");
  return compose_floating("glu", x, {axis}, [&](const Array& a) {
    return slice_axis(a, axis, 0, extent / 2) * logistic(slice_axis(a, axis, extent / 2, extent));
  });
}

Array gelu(const Operand& x, const GeluOptions& options) {
  const CallerScope caller(x.where(), "gelu");
  if (options.approximate) return gelu(Operand(detail::floating(checked_array(x)), x.where()));
  return compose_floating("gelu_exact", x, {},
                          [](const Array& a) { return 0.5 * a * erfc(-a * std::sqrt(0.5)); });
}

Array standardize(const Operand& x, const StandardizeOptions& options) {
  const CallerScope caller(x.where(), "standardize");
  std::vector<int64_t> words =
      detail::checked_axes("standardize", options.axes, checked_array(x).rank(), x.where());
  words.push_back(detail::word_of(options.epsilon));
  return compose_floating("standardize", x, words, [&](const Array& a) {
    const Array centred = a - mean(a, options.axes, true);
    return centred * rsqrt(mean(square(centred), options.axes, true) + options.epsilon);
  });
}

Array detail::weighted_logsumexp(const Operand& x, const Axes& axes, const Operand& weights,
                                 KeepDims keepdims) {
  const CallerScope caller(x.where(), "logsumexp");
  std::vector<int64_t> words = detail::checked_axes("logsumexp", axes, checked_array(x).rank(), x.where());
  words.push_back(keepdims.value);
  return compose_floats("weighted_logsumexp", x, weights, words, [&](const Array& a, const Array& w) {
    // An element that does not count must not count as the greatest one either.
    const Array counted = where(w == 0, -std::numeric_limits<double>::infinity(), a);
    const Array greatest = stop_gradient(max(counted, axes, true));
    const Array shift = where(is_finite(greatest), greatest, zero_of(a));
    const Array total = log(sum(w * exp(counted - shift), axes, keepdims));
    return total + (keepdims.value ? shift : reshape(shift, total.shape()));
  });
}

}  // namespace ingot
