#include "testing/tensors.h"
#include "base/visit_dtype.h"

#include <algorithm>
#include <cmath>
#include <limits>
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

namespace {

struct Extremes {
  double largest, least_normal, least;
};

Extremes extremes_of(DType dtype) {
  if (is_small_float(dtype)) {
    return visit_dtype(dtype, []<class T>(std::type_identity<T>) -> Extremes {
      using Limits = std::numeric_limits<T>;
      if constexpr (is_small_float(dtype_of<T>()))
        return {Limits::max(), Limits::min(), Limits::denorm_min()};
      else
        return {};
    });
  }
  switch (dtype) {
    case DType::kF16:
      return {65504, 0x1p-14, 0x1p-24};
    case DType::kBF16:
      return {0x1.fep127, 0x1p-126, 0x1p-133};
    case DType::kF32:
    case DType::kC64:
      return {0x1.fffffep127, 0x1p-126, 0x1p-149};
    default:
      return {0x1.fffffffffffffp1023, 0x1p-1022, 0x1p-1074};
  }
}

double special_real(Random& random, DType dtype, Values values) {
  const double sign = random() % 2 == 0 ? 1 : -1;
  if (random() % 100 < 60) return 4 * random_real(random) - 2;
  if (random() % 100 < 10) return std::numeric_limits<double>::quiet_NaN();
  if (values == Values::kInfinite || random() % 100 < 50)
    return sign * (random() % 2 == 0 ? 0 : std::numeric_limits<double>::infinity());
  const Extremes extremes = extremes_of(dtype);
  const double of[] = {
      extremes.largest,      extremes.largest / 2,
      extremes.least_normal, extremes.least_normal - extremes.least,
      extremes.least,        extremes.least * static_cast<double>(random_integer(random, 2, 1000))};
  return sign * of[random() % std::size(of)];
}

int64_t special_integer(Random& random, DType dtype) {
  const int bits = bit_width(dtype);
  const uint64_t all = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1, top = uint64_t{1} << (bits - 1);
  const uint64_t of[] = {top, top - 1, all, all - 1, top + 1, 0, 1, static_cast<uint64_t>(bits)};
  uint64_t value = random() % 100 < 50 ? of[random() % std::size(of)] : random() & all;
  if (random() % 100 < 40) value = random() % 17;
  if (is_signed(dtype) && (value & top) != 0) value |= ~all;
  return static_cast<int64_t>(value);
}

}  // namespace

Tensor special_tensor(Random& random, DType dtype, const Shape& shape, Values values) {
  if (values == Values::kOrdinary || dtype == DType::kPred) return random_tensor(random, dtype, shape);
  Tensor tensor(dtype, shape);
  for (int64_t i = 0; i < tensor.size(); ++i) {
    if (is_complex(dtype)) {
      const double re = special_real(random, dtype, values);
      tensor.set_complex(i, {re, special_real(random, dtype, values)});
    } else if (is_float(dtype)) {
      tensor.set_double(i, special_real(random, dtype, values));
    } else {
      tensor.set_int(i, special_integer(random, dtype));
    }
  }
  return tensor;
}

Values values_of(const ir::Value& argument) {
  const std::string& name = argument.name();
  return name.starts_with("extreme")    ? Values::kExtreme
         : name.starts_with("infinite") ? Values::kInfinite
                                        : Values::kOrdinary;
}

std::vector<Tensor> random_arguments(Random& random, const ir::Module& module) {
  std::vector<Tensor> arguments;
  for (const ir::Value* argument : module.entry()->body().arguments()) {
    arguments.push_back(special_tensor(random, argument->dtype(), argument->shape(), values_of(*argument)));
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
  // Small elements are judged by the largest one, at most by 1: a result that is small as a whole has to be
  // right as a whole, unless it is what cancellation of larger numbers leaves.
  double largest = 0;
  for (int64_t i = 0; is_inexact(expected.dtype()) && i < expected.size(); ++i) {
    const double size = std::abs(expected.get_complex(i));
    if (std::isfinite(size)) largest = std::max(largest, size);
  }
  const double least_size = std::clamp(largest, 1e-2, 1.0);
  for (int64_t i = 0; i < actual.size(); ++i) {
    if (!is_inexact(actual.dtype())) {
      if (actual.get_int(i) == expected.get_int(i)) continue;
      text << "element " << i << " is " << actual.get_int(i) << " instead of " << expected.get_int(i);
      return text.str();
    }
    const std::complex<double> a = actual.get_complex(i), b = expected.get_complex(i);
    // Parts are judged by the size of the whole, rounding is; but each by its own where the whole has none.
    const auto close = [&](double x, double y) {
      if (x == y) return tolerance > 0 || std::signbit(x) == std::signbit(y);
      if (std::isnan(x) && std::isnan(y)) return true;
      const double size = std::isfinite(std::abs(b)) ? std::abs(b) : std::abs(y);
      return std::isfinite(x) && std::isfinite(y) && std::abs(x - y) <= tolerance * (least_size + size);
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
