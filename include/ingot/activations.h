// Activation functions, as in jax.nn; relu, gelu, silu, softplus, softmax and log_softmax stand in
// functions.h. Integers become f32.
#pragma once

#include "ingot/functions.h"

namespace ingot {
namespace detail {

Array weighted_logsumexp(const Operand& x, const Axes& axes, const Operand& weights, KeepDims keepdims);

}  // namespace detail

Array sigmoid(const Operand& x);      // jax.nn's name of logistic
Array log_sigmoid(const Operand& x);  // log(sigmoid(x)) without overflow
Array soft_sign(const Operand& x);    // x / (1 + |x|)
Array leaky_relu(const Operand& x, const Operand& negative_slope = 0.01);
Array elu(const Operand& x, const Operand& alpha = 1.0);  // alpha (exp(x) - 1) below 0
Array selu(const Operand& x);                             // elu with the constants of Klambauer et al. (2017)
Array celu(const Operand& x, const Operand& alpha = 1.0);    // alpha (exp(x / alpha) - 1) below 0
Array relu6(const Operand& x);                               // from 0 to 6
Array hard_sigmoid(const Operand& x);                        // relu6(x + 3) / 6
Array hard_tanh(const Operand& x);                           // from -1 to 1
Array hard_silu(const Operand& x);                           // x hard_sigmoid(x)
Array hard_swish(const Operand& x);                          // the same
Array swish(const Operand& x);                               // silu
Array mish(const Operand& x);                                // x tanh(softplus(x))
Array squareplus(const Operand& x, const Operand& b = 4.0);  // (x + sqrt(x^2 + b)) / 2
Array log1mexp(const Operand& x);                            // log(1 - exp(-x)) for x > 0
// The first half of an axis times the sigmoid of the second one. Error for an odd extent.
Array glu(const Operand& x, Axis axis = -1);

struct GeluOptions {
  detail::ByName by_name = detail::ByName();
  bool approximate = true;  // the form with tanh; else x times the normal distribution function
};
Array gelu(const Operand& x, const GeluOptions& options);

struct StandardizeOptions {
  detail::ByName by_name = detail::ByName();
  Axes axes = -1;
  double epsilon = 1e-5;
};
// (x - mean) / sqrt(variance + epsilon).
Array standardize(const Operand& x, const StandardizeOptions& options = {});
// log(sum(weights exp(x))), the weights an array: a number there would be taken for `keepdims`.
template <std::same_as<Array> A>
Array logsumexp(const Operand& x, const Axes& axes, const A& weights, KeepDims keepdims = {}) {
  return detail::weighted_logsumexp(x, axes, Operand(weights, x.where()), keepdims);
}

}  // namespace ingot
