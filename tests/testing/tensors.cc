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
    if (is_complex(dtype)) {
      const double re = 4 * random_real(random) - 2;
      tensor.set_complex(i, {re, 4 * random_real(random) - 2});
    } else if (is_float(dtype)) {
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
    if (!is_inexact(actual.dtype())) {
      if (actual.get_int(i) == expected.get_int(i)) continue;
      text << "element " << i << " is " << actual.get_int(i) << " instead of " << expected.get_int(i);
      return text.str();
    }
    const std::complex<double> a = actual.get_complex(i), b = expected.get_complex(i);
    // Parts are judged by the size of the whole: rounding is.
    const auto close = [&](double x, double y) {
      if (x == y || (std::isnan(x) && std::isnan(y))) return true;
      return std::isfinite(x) && std::isfinite(y) && std::abs(x - y) <= tolerance * (1 + std::abs(b));
    };
    if (close(a.real(), b.real()) && close(a.imag(), b.imag())) continue;
    if (!is_complex(actual.dtype())) {
      text << "element " << i << " is " << a.real() << " instead of " << b.real() << " (tolerance "
           << tolerance << ")";
      return text.str();
    }
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
