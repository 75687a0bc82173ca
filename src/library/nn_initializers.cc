// First values of parameters, step by step as jax.nn.initializers has them.
#include <algorithm>
#include <cmath>

#include "frontend/node.h"
#include "ingot/nn.h"

namespace ingot::nn {
namespace {

// A factor in the dtype of what it scales.
Array scaled(const Array& x, double factor) {
  return x * factor;
}

double in_precision(DType dtype, double value) {
  return dtype == DType::kF64 ? value : static_cast<double>(static_cast<float>(value));
}

int64_t checked_axis(const char* name, int64_t axis, const Shape& shape, const std::source_location& where) {
  const auto rank = static_cast<int64_t>(shape.size());
  const int64_t wanted = axis < 0 ? axis + rank : axis;
  if (wanted < 0 || wanted >= rank) {
    detail::fail(where, std::string(name) + ": a shape " + ingot::to_string(shape) + " has no axis " +
                            std::to_string(axis) + "; it should have an axis of inputs and one of outputs");
  }
  return wanted;
}

struct Fans {
  double in, out;
};
Fans fans_of(const VarianceScaling& options, const Shape& shape, const std::source_location& where) {
  const char* name = "nn::variance_scaling";
  const int64_t in_axis = checked_axis(name, options.in_axis, shape, where);
  const int64_t out_axis = checked_axis(name, options.out_axis, shape, where);
  double field = 1;
  for (int64_t i = 0; i < static_cast<int64_t>(shape.size()); ++i) {
    const bool is_batch = std::any_of(options.batch_axes.begin(), options.batch_axes.end(),
                                      [&](int64_t a) { return checked_axis(name, a, shape, where) == i; });
    if (i != in_axis && i != out_axis && !is_batch)
      field *= static_cast<double>(shape[static_cast<size_t>(i)]);
  }
  return {static_cast<double>(shape[static_cast<size_t>(in_axis)]) * field,
          static_cast<double>(shape[static_cast<size_t>(out_axis)]) * field};
}

Array of_variance(const Operand& key, const Shape& shape, DType dtype, const VarianceScaling& options) {
  const std::source_location& where = key.where();
  const CallerScope scope(where, "nn::variance_scaling");
  const Fans fans = fans_of(options, shape, where);
  const double fan = options.mode == Fan::kIn        ? fans.in
                     : options.mode == Fan::kOut     ? fans.out
                     : options.mode == Fan::kAverage ? (fans.in + fans.out) / 2
                                                     : std::sqrt(fans.in * fans.out);
  const double variance = in_precision(dtype, options.scale / fan);
  const auto root = [&](double x) { return in_precision(dtype, std::sqrt(in_precision(dtype, x))); };
  switch (options.distribution) {
    case Distribution::kTruncatedNormal: {
      const double of_truncated = in_precision(dtype, .87962566103423978);  // between -2 and 2
      return scaled(random::truncated_normal(key, -2, 2, shape, dtype), root(variance) / of_truncated);
    }
    case Distribution::kNormal:
      return scaled(random::normal(key, shape, dtype), root(variance));
    case Distribution::kUniform:
      break;
  }
  return scaled(random::uniform(key, shape, dtype, -1), root(3 * variance));
}

}  // namespace

Initializer::Initializer(Array (*function)(const Operand&, const Shape&, DType)) : function_(function) {}
Initializer::Initializer(const Initializer& other) = default;
Initializer& Initializer::operator=(const Initializer& other) = default;
Initializer::~Initializer() = default;
Array Initializer::operator()(const Operand& key, const Shape& shape, DType dtype) const {
  if (!function_) ingot::detail::fail(key.where(), "the initialiser is an empty function");
  return function_(key, shape, dtype);
}

Array zeros(const Operand& key, const Shape& shape, DType dtype) {
  return Array::zeros(shape, dtype, key.where());
}
Array ones(const Operand& key, const Shape& shape, DType dtype) {
  return Array::ones(shape, dtype, key.where());
}
Initializer constant(double value) {
  return [=](const Operand& key, const Shape& shape, DType dtype) {
    return Array::full(shape, Operand(value, key.where()), dtype);
  };
}
Initializer normal(double stddev) {
  return [=](const Operand& key, const Shape& shape, DType dtype) {
    return scaled(random::normal(key, shape, dtype), stddev);
  };
}
Initializer uniform(double scale) {
  return [=](const Operand& key, const Shape& shape, DType dtype) {
    return scaled(random::uniform(key, shape, dtype), scale);
  };
}
Initializer truncated_normal(double stddev, double lower, double upper) {
  return [=](const Operand& key, const Shape& shape, DType dtype) {
    return scaled(random::truncated_normal(key, lower, upper, shape, dtype), stddev);
  };
}

Initializer orthogonal(double scale, int64_t column_axis) {
  return [=](const Operand& key, const Shape& shape, DType dtype) {
    const CallerScope scope(key.where(), "nn::orthogonal");
    const int64_t axis = checked_axis("nn::orthogonal", column_axis, shape, key.where());
    if (shape.size() < 2) {
      detail::fail(key.where(),
                   "nn::orthogonal: the shape " + ingot::to_string(shape) + " should have two axes or more");
    }
    const int64_t count = element_count(shape), columns = shape[static_cast<size_t>(axis)];
    if (count == 0) return Array::zeros(shape, dtype);
    const Array q = random::orthogonal(key, count / columns, {}, dtype, columns);
    Shape turned = shape;
    turned.erase(turned.begin() + axis);
    turned.push_back(columns);
    // The columns go from the last axis to their own.
    std::vector<int64_t> order;
    for (int64_t i = 0; i + 1 < static_cast<int64_t>(shape.size()); ++i) order.push_back(i);
    order.insert(order.begin() + axis, static_cast<int64_t>(shape.size()) - 1);
    return scaled(transpose(reshape(q, turned), order), scale);
  };
}

Initializer variance_scaling(const VarianceScaling& options) {
  return [=](const Operand& key, const Shape& shape, DType dtype) {
    return of_variance(key, shape, dtype, options);
  };
}

Array glorot_uniform(const Operand& key, const Shape& shape, DType dtype) {
  return of_variance(key, shape, dtype, {.mode = Fan::kAverage, .distribution = Distribution::kUniform});
}
Array glorot_normal(const Operand& key, const Shape& shape, DType dtype) {
  return of_variance(key, shape, dtype, {.mode = Fan::kAverage});
}
Array he_uniform(const Operand& key, const Shape& shape, DType dtype) {
  return of_variance(key, shape, dtype, {.scale = 2, .distribution = Distribution::kUniform});
}
Array he_normal(const Operand& key, const Shape& shape, DType dtype) {
  return of_variance(key, shape, dtype, {.scale = 2});
}
Array lecun_uniform(const Operand& key, const Shape& shape, DType dtype) {
  return of_variance(key, shape, dtype, {.distribution = Distribution::kUniform});
}
Array lecun_normal(const Operand& key, const Shape& shape, DType dtype) {
  return of_variance(key, shape, dtype, {});
}
Array xavier_uniform(const Operand& key, const Shape& shape, DType dtype) {
  return glorot_uniform(key, shape, dtype);
}
Array xavier_normal(const Operand& key, const Shape& shape, DType dtype) {
  return glorot_normal(key, shape, dtype);
}
Array kaiming_uniform(const Operand& key, const Shape& shape, DType dtype) {
  return he_uniform(key, shape, dtype);
}
Array kaiming_normal(const Operand& key, const Shape& shape, DType dtype) {
  return he_normal(key, shape, dtype);
}

}  // namespace ingot::nn
