#include "testing/tensors.h"

#include <cmath>
#include <sstream>

namespace ingot::testing {

// std::uniform_int_distribution differs between libraries; this does not.
int64_t random_integer(Random& random, int64_t low, int64_t high) {
  return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
}

double random_real(Random& random) {
  return static_cast<double>(random() >> 11) * 0x1p-53;
}

Tensor random_tensor(Random& random, DType dtype, const Shape& shape) {
  Tensor tensor(dtype, shape);
  for (int64_t i = 0; i < tensor.size(); ++i) {
    if (is_float(dtype)) {
      tensor.set_double(i, 4 * random_real(random) - 2);
    } else if (dtype == DType::kPred) {
      tensor.set_int(i, random_integer(random, 0, 1));
    } else {
      tensor.set_int(i, is_signed(dtype) ? random_integer(random, -8, 8) : random_integer(random, 0, 16));
    }
  }
  return tensor;
}

std::vector<Tensor> random_arguments(Random& random, const ir::Module& module) {
  std::vector<Tensor> arguments;
  for (const ir::Value* argument : module.entry()->body().arguments()) {
    arguments.push_back(random_tensor(random, argument->dtype(), argument->shape()));
  }
  return arguments;
}

std::string difference(const Tensor& actual, const Tensor& expected, double tolerance) {
  std::ostringstream text;
  text.precision(17);
  if (actual.dtype() != expected.dtype() || actual.shape() != expected.shape()) {
    text << "the type is " << name_of(actual.dtype()) << to_string(actual.shape()) << " instead of "
         << name_of(expected.dtype()) << to_string(expected.shape());
    return text.str();
  }
  for (int64_t i = 0; i < actual.size(); ++i) {
    if (!is_float(actual.dtype())) {
      if (actual.get_int(i) == expected.get_int(i)) continue;
      text << "element " << i << " is " << actual.get_int(i) << " instead of " << expected.get_int(i);
      return text.str();
    }
    double a = actual.get_double(i), b = expected.get_double(i);
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    if (std::isfinite(a) && std::isfinite(b) && std::abs(a - b) <= tolerance * (1 + std::abs(b))) continue;
    text << "element " << i << " is " << a << " instead of " << b << " (tolerance " << tolerance << ")";
    return text.str();
  }
  return "";
}

std::string difference(std::span<const Tensor> actual, std::span<const Tensor> expected, double tolerance) {
  if (actual.size() != expected.size()) {
    return std::to_string(actual.size()) + " results instead of " + std::to_string(expected.size());
  }
  for (size_t i = 0; i < actual.size(); ++i) {
    std::string text = difference(actual[i], expected[i], tolerance);
    if (!text.empty()) return "result " + std::to_string(i) + ": " + text;
  }
  return "";
}

}  // namespace ingot::testing
