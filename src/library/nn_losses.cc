// Losses, by the formulas of optax.
#include "frontend/apply.h"
#include "frontend/node.h"
#include "ingot/nn.h"

namespace ingot::nn {
namespace {

void check_float(const char* name, const Operand& x) {
  detail::check_inexact(name, x.array(), x.where());
}

}  // namespace

Array softmax_cross_entropy(const Operand& logits, const Operand& labels) {
  const CallerScope scope(logits.where(), "nn::softmax_cross_entropy");
  check_float("nn::softmax_cross_entropy", logits);
  const Array given = labels.array();
  detail::checked_node(given, logits.where(), "labels");
  if (!is_inexact(given.dtype()))
    detail::fail(logits.where(), "nn::softmax_cross_entropy: the labels are " + given.type_string() +
                                     ", but should be the probability of each class; of classes as integers "
                                     "there is softmax_cross_entropy_with_integer_labels, or one_hot");
  return -sum(labels * log_softmax(logits, -1), -1);
}

Array softmax_cross_entropy_with_integer_labels(const Operand& logits, const Operand& labels) {
  const char* name = "nn::softmax_cross_entropy_with_integer_labels";
  const std::source_location& where = logits.where();
  const CallerScope scope(where, name);
  check_float(name, logits);
  const Array given = logits.array(), classes = labels.array();
  detail::checked_node(classes, where, "labels");
  const bool fits =
      given.rank() > 0 && classes.shape() == Shape(given.shape().begin(), given.shape().end() - 1);
  if (!fits || !is_integer(classes.dtype())) {
    detail::fail(where, std::string(name) + ": the logits are " + given.type_string() + " and the labels " +
                            classes.type_string() +
                            "; labels should be integers of the shape of the logits without the last axis");
  }
  const Array chosen = squeeze(take_along_axis(given, expand_dims(classes, {-1}), -1), {-1});
  return logsumexp(given, -1) - chosen;
}

Array sigmoid_binary_cross_entropy(const Operand& logits, const Operand& labels) {
  const CallerScope scope(logits.where(), "nn::sigmoid_binary_cross_entropy");
  check_float("nn::sigmoid_binary_cross_entropy", logits);
  const Array given = logits.array();
  return labels * softplus(-given) + (1 - labels) * softplus(given);
}

Array squared_error(const Operand& x, const Operand& target) {
  const CallerScope scope(x.where(), "nn::squared_error");
  return square(x - target);
}

Array l2_loss(const Operand& x, const Operand& target) {
  const CallerScope scope(x.where(), "nn::l2_loss");
  return 0.5 * square(x - target);
}

Array mse_loss(const Operand& x, const Operand& target) {
  const CallerScope scope(x.where(), "nn::mse_loss");
  return mean(square(x - target));
}

Array huber_loss(const Operand& x, const Operand& target, double delta) {
  const CallerScope scope(x.where(), "nn::huber_loss");
  if (!(delta >= 0)) {
    detail::fail(x.where(), "nn::huber_loss: delta, where the loss becomes linear, is " +
                                std::to_string(delta) + ", but should be 0 or more");
  }
  const Array error = abs(x - target), inside = minimum(error, delta);
  return 0.5 * square(inside) + delta * (error - inside);
}

}  // namespace ingot::nn
