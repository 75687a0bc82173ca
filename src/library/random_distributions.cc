// Random numbers of distributions with parameters, each a formula of others.
#include <cmath>
#include <limits>
#include <numbers>

#include "frontend/node.h"
#include "ingot/autodiff.h"
#include "ingot/linalg.h"
#include "library/samplers.h"

namespace ingot::random {
namespace {

using samplers::number;
using samplers::sample;
using samplers::Sampler;

}  // namespace

Array bernoulli(const Operand& key, const Operand& p, const SampleShape& shape) {
  return sample("random::bernoulli", key, {&p}, shape, {},
                [](const Array& k, const std::vector<Array>& given, const Shape& all, DType dtype) {
                  return samplers::uniform(k, all, dtype) < given[0];
                });
}

Array geometric(const Operand& key, const Operand& p, const SampleShape& wanted, DType dtype) {
  const Sampler sampler("random::geometric", key);
  sampler.want_integers(dtype);
  const DType floats = sampler.floats({}, {&p});
  const std::vector<Array> parameters = {sampler.parameter(p, floats)};
  const Shape shape = sampler.shape(wanted, parameters);
  return sampler.run(parameters, shape, dtype, [&](const Array& k, const std::vector<Array>& given) {
    Array u = samplers::uniform(k, shape, floats);
    u = where(u == 0, 1, u);
    return (floor(log(u) / log1p(-given[0])) + 1).astype(dtype);
  });
}

namespace {

// sqrt(2) erf_inv(u) for u from erf(lower / sqrt(2)) to erf(upper / sqrt(2)), within the open interval, which
// rounding must not lead out of.
Array truncated(const Array& key, const Shape& shape, DType dtype, const Array& u_low, const Array& u_high,
                const Array& least, const Array& most) {
  const Array u = samplers::uniform(key, shape, dtype, u_low, u_high);
  return clip(number(std::numbers::sqrt2, dtype) * erf_inv(u), least, most);
}

// Of numbers, all but the samples is known.
template <class T>
Array truncated_by_numbers(const Array& key, const Shape& shape, T lower, T upper) {
  const DType dtype = dtype_of<T>();
  const T root = static_cast<T>(std::numbers::sqrt2), infinity = std::numeric_limits<T>::infinity();
  return truncated(key, shape, dtype, Array(std::erf(lower / root)), Array(std::erf(upper / root)),
                   Array(std::nextafter(lower, infinity)), Array(std::nextafter(upper, -infinity)));
}

}  // namespace

Array truncated_normal(const Operand& key, const Operand& lower, const Operand& upper,
                       const SampleShape& wanted, Optional<DType> wanted_dtype) {
  const char* name = "random::truncated_normal";
  const Sampler sampler(name, key);
  const DType dtype = sampler.floats(wanted_dtype, {&lower, &upper});
  const std::vector<Array> bounds = {sampler.parameter(lower, dtype), sampler.parameter(upper, dtype)};
  const Shape shape = sampler.shape(wanted, bounds);
  if (lower.is_literal() && upper.is_literal() && !is_narrow_float(dtype)) {
    const double low = detail::as_double(lower.literal()), high = detail::as_double(upper.literal());
    const std::vector<int64_t> words = {std::bit_cast<int64_t>(low), std::bit_cast<int64_t>(high)};
    return sampler.run(
        {}, shape, dtype,
        [&](const Array& k, const std::vector<Array>&) {
          if (dtype == DType::kF64) return truncated_by_numbers<double>(k, shape, low, high);
          return truncated_by_numbers<float>(k, shape, static_cast<float>(low), static_cast<float>(high));
        },
        words);
  }
  return sampler.run(bounds, shape, dtype, [&](const Array& k, const std::vector<Array>& given) {
    const Array root = number(std::numbers::sqrt2, dtype);
    const Array infinite = number(std::numeric_limits<double>::infinity(), dtype);
    return truncated(k, shape, dtype, erf(given[0] / root), erf(given[1] / root),
                     nextafter(stop_gradient(given[0]), infinite),
                     nextafter(stop_gradient(given[1]), -infinite));
  });
}

Array pareto(const Operand& key, const Operand& b, const SampleShape& wanted, Optional<DType> wanted_dtype) {
  return sample("random::pareto", key, {&b}, wanted, wanted_dtype,
                [](const Array& k, const std::vector<Array>& given, const Shape& shape, DType dtype) {
                  return exp(samplers::exponential(k, shape, dtype) / given[0]);
                });
}

Array rayleigh(const Operand& key, const Operand& scale, const SampleShape& wanted,
               Optional<DType> wanted_dtype) {
  return sample("random::rayleigh", key, {&scale}, wanted, wanted_dtype,
                [](const Array& k, const std::vector<Array>& given, const Shape& shape, DType dtype) {
                  return given[0] * sqrt(log(samplers::uniform(k, shape, dtype)) * -2);
                });
}

Array weibull_min(const Operand& key, const Operand& scale, const Operand& concentration,
                  const SampleShape& wanted, Optional<DType> wanted_dtype) {
  return sample("random::weibull_min", key, {&scale, &concentration}, wanted, wanted_dtype,
                [](const Array& k, const std::vector<Array>& given, const Shape& shape, DType dtype) {
                  return pow(samplers::exponential(k, shape, dtype), 1 / given[1]) * given[0];
                });
}

// Michael, Schucany and Haas, "Generating random variates using transformations with multiple roots", 1976.
Array wald(const Operand& key, const Operand& mean, const SampleShape& wanted, Optional<DType> wanted_dtype) {
  return sample("random::wald", key, {&mean}, wanted, wanted_dtype,
                [](const Array& k, const std::vector<Array>& given, const Shape& shape, DType dtype) {
                  const std::vector<Array> keys = samplers::split(k, 2);
                  const Array& m = given[0];
                  const Array y = square(samplers::normal(keys[0], shape, dtype));
                  const Array z = samplers::uniform(keys[1], shape, dtype);
                  const Array root = sqrt(4 * m * y + square(m) * square(y));
                  const Array x = m + square(m) * y / 2 - m / 2 * root;
                  return where(z <= m / (m + x), x, square(m) / x);
                });
}

Array triangular(const Operand& key, const Operand& left, const Operand& mode, const Operand& right,
                 const SampleShape& wanted, Optional<DType> wanted_dtype) {
  return sample("random::triangular", key, {&left, &mode, &right}, wanted, wanted_dtype,
                [](const Array& k, const std::vector<Array>& given, const Shape& shape, DType dtype) {
                  const Array &l = given[0], &m = given[1], &r = given[2];
                  const Array u = samplers::uniform(k, shape, dtype);
                  return where(u < (m - l) / (r - l), l + sqrt(u * (r - l) * (m - l)),
                               r - sqrt((1 - u) * (r - l) * (r - m)));
                });
}

Array lognormal(const Operand& key, const Operand& sigma, const SampleShape& wanted,
                Optional<DType> wanted_dtype) {
  return sample("random::lognormal", key, {&sigma}, wanted, wanted_dtype,
                [](const Array& k, const std::vector<Array>& given, const Shape& shape, DType dtype) {
                  return exp(samplers::normal(k, shape, dtype) * given[0]);
                });
}

Array orthogonal(const Operand& key, int64_t n, const SampleShape& wanted, DType wanted_dtype,
                 Optional<int64_t> columns) {
  const Sampler sampler("random::orthogonal", key);
  const DType dtype = sampler.floats(wanted_dtype);
  const int64_t m = columns.value_or(n);
  Shape shape = sampler.shape(wanted, {});
  shape.insert(shape.end(), {std::max(n, m), std::min(n, m)});
  sampler.checked(shape);
  return sampler.run({}, shape, dtype,
                     [&](const Array& k, const std::vector<Array>&) {
                       const Qr factors = qr(samplers::normal(k, shape, dtype));
                       const Array eye = iota(DType::kS32, {shape.back(), shape.back()}, 0) ==
                                         iota(DType::kS32, {shape.back(), shape.back()}, 1);
                       // The signs of the diagonal, which the algorithm chooses, are taken out.
                       const Array diagonal = sum(where(eye, factors.r, 0), -2);
                       const Array even = factors.q * expand_dims(sign(diagonal), {-2});
                       return n < m ? swapaxes(even, -1, -2) : even;
                     },
                     {n < m});
}

Array multivariate_normal(const Operand& key, const Operand& mean, const Operand& cov,
                          const SampleShape& wanted, Root root) {
  const Sampler sampler("random::multivariate_normal", key);
  const DType dtype = sampler.floats({}, {&mean, &cov});
  detail::checked_choice("random::multivariate_normal", "the root", static_cast<int64_t>(root), 3,
                         sampler.where());
  const Array m = sampler.parameter(mean, dtype), c = sampler.parameter(cov, dtype);
  const int64_t n = m.rank() < 1 ? 0 : m.shape(-1);
  if (m.rank() < 1 || c.rank() < 2 || c.shape(-1) != n || c.shape(-2) != n) {
    sampler.fail("the mean is " + m.type_string() + " and the covariance " + c.type_string() +
                 "; they should be [..., n] and [..., n, n]");
  }
  const Shape& of_cov = c.shape();
  const Shape shape = sampler.shape(wanted, {Array::abstract(dtype, {m.shape().begin(), m.shape().end() - 1}),
                                             Array::abstract(dtype, {of_cov.begin(), of_cov.end() - 2})});
  Shape all = shape;
  all.push_back(n);
  return sampler.run(
      {m, c}, all, dtype,
      [&](const Array& k, const std::vector<Array>& given) {
        Array factor;
        if (root == Root::kCholesky) {
          factor = cholesky(given[1]);
        } else if (root == Root::kEigh) {
          const Eigh parts = eigh(given[1]);
          factor = parts.vectors * expand_dims(sqrt(parts.values), {-2});
        } else {
          const Svd parts = svd(given[1]);
          factor = parts.u * expand_dims(sqrt(parts.s), {-2});
        }
        return given[0] + einsum("...ij,...j->...i", {factor, samplers::normal(k, all, dtype)});
      },
      {static_cast<int64_t>(root)});
}

// Barthe, Guedon, Mendelson and Naor, "A probabilistic approach to the geometry of the l_p^n-ball", 2005.
Array ball(const Operand& key, int64_t d, double p, const SampleShape& wanted, DType wanted_dtype) {
  const Sampler sampler("random::ball", key);
  const DType dtype = sampler.floats(wanted_dtype);
  Shape shape = sampler.shape(wanted, {});
  shape.push_back(d);
  sampler.checked(shape);
  return sampler.run(
      {}, shape, dtype,
      [&](const Array& k, const std::vector<Array>&) {
        const std::vector<Array> keys = samplers::split(k, 2);
        const Array g = samplers::generalized_normal(keys[0], p, shape, dtype);
        const Array e = samplers::exponential(keys[1], {shape.begin(), shape.end() - 1}, dtype);
        const Array size = pow(sum(pow(abs(g), p), -1) + e, 1 / p);
        return g / expand_dims(size, {-1});
      },
      {std::bit_cast<int64_t>(p)});
}

Array generalized_normal(const Operand& key, double p, const SampleShape& wanted, DType wanted_dtype) {
  const Sampler sampler("random::generalized_normal", key);
  const DType dtype = sampler.floats(wanted_dtype);
  const Shape shape = sampler.shape(wanted, {});
  return sampler.run({}, shape, dtype,
                     [&](const Array& k, const std::vector<Array>&) {
                       return samplers::generalized_normal(k, p, shape, dtype);
                     },
                     {std::bit_cast<int64_t>(p)});
}

}  // namespace ingot::random
