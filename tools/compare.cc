#include "tools/compare.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tools/show.h"

namespace ingot::tools {
namespace {

double error_of(const Tensor& actual, const Tensor& expected, int64_t i) {
  constexpr double kWrong = std::numeric_limits<double>::infinity();
  if (!is_inexact(actual.dtype())) return actual.get_int(i) == expected.get_int(i) ? 0 : kWrong;
  const std::complex<double> a = actual.get_complex(i), e = expected.get_complex(i);
  const double size = std::abs(e);
  double error = 0;
  for (auto [x, y] : {std::pair(a.real(), e.real()), std::pair(a.imag(), e.imag())}) {
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    if (!std::isfinite(x) || !std::isfinite(y)) return kWrong;
    error = std::max(error, std::abs(x - y) / (1 + size));
  }
  return error;
}

std::string element_text(const Tensor& tensor, int64_t i) {
  Tensor one(tensor.dtype(), {1});
  if (is_inexact(tensor.dtype())) {
    one.set_complex(0, tensor.get_complex(i));
  } else {
    one.set_int(0, tensor.get_int(i));
  }
  std::string text = show_tensor(one);  // "f32[1] [0.5]"
  const size_t open = text.find(" [") + 2;
  return text.substr(open, text.size() - open - 1);
}

std::string index_text(const Shape& shape, int64_t i) {
  std::string text;
  for (size_t d = shape.size(); d-- > 0; i /= shape[d]) {
    text = std::to_string(i % shape[d]) + (text.empty() ? "" : ",") + text;
  }
  return "[" + text + "]";
}

}  // namespace

Difference largest_difference(std::span<const Tensor> actual, std::span<const Tensor> expected) {
  check(actual.size() == expected.size(), "largest_difference: different numbers of results");
  Difference found;
  for (size_t r = 0; r < actual.size(); ++r) {
    const Tensor &a = actual[r], &e = expected[r];
    check(a.dtype() == e.dtype() && a.shape() == e.shape(), "largest_difference: results of different types");
    for (int64_t i = 0; i < a.size(); ++i) {
      const double error = error_of(a, e, i);
      if (error <= found.error) continue;
      found.error = error;
      found.dtype = a.dtype();
      found.where = "out" + std::to_string(r) + index_text(a.shape(), i) + ": " + element_text(a, i) +
                    " instead of " + element_text(e, i);
    }
  }
  return found;
}

double default_tolerance(std::span<const Tensor> results) {
  double tolerance = 1e-10;
  for (const Tensor& result : results) {
    const double own = result.dtype() == DType::kBF16              ? 4e-2
                       : result.dtype() == DType::kF16             ? 5e-3
                       : real_dtype(result.dtype()) == DType::kF32 ? 1e-4
                                                                   : 0;
    tolerance = std::max(tolerance, own);
  }
  return tolerance;
}

}  // namespace ingot::tools
