// Random numbers that are drawn until one is accepted: loops, in which each element has its own key and ends
// at its own step (gamma), or all share the keys of a step (poisson, binomial), as in jax.random.
#include "frontend/node.h"
#include "ingot/autodiff.h"
#include "ingot/control_flow.h"
#include "ingot/vmap.h"
#include "library/rules_by_value.h"
#include "library/samplers.h"

namespace ingot::samplers {
namespace {

// A carry of the loop over tries, and of the loop in it that looks for a positive v.
struct Try {
  Array key, x, v, u;
};
struct Cube {
  Array key, x, v;
};

// Marsaglia and Tsang, "A simple method for generating gamma variables", 2000. Below 1 it is a number for
// alpha + 1 times a power of a uniform one; in logarithms, where that would be 0.
Array one_gamma(const Array& start, const Array& wanted, bool log_space) {
  const DType dtype = wanted.dtype();
  const Array third = number(1.0 / 3, dtype), zero = number(0, dtype), one = number(1, dtype);
  const Array large = wanted >= 1;
  const Array alpha = where(large, wanted, wanted + 1);
  const Array d = alpha - third, c = third / sqrt(d);
  const auto rejected = [&](Try t) {
    return (t.u >= 1 - 0.0331 * (t.x * t.x)) & (log(t.u) >= t.x * 0.5 + d * ((1 - t.v) + log(t.v)));
  };
  const auto next_cube = [&](Cube cube) {
    const std::vector<Array> keys = split_in_lanes(cube.key, 2);
    const Array x = normal(keys[1], {}, dtype);
    return Cube{keys[0], x, 1 + x * c};
  };
  const auto next_try = [&](Try t) {
    const std::vector<Array> keys = split_in_lanes(t.key, 3);
    const Cube cube =
        while_loop([](Cube k) { return k.v <= 0; }, next_cube, Cube{keys[1], zero, number(-1, dtype)});
    return Try{keys[0], cube.x * cube.x, cube.v * cube.v * cube.v, uniform(keys[2], {}, dtype)};
  };
  const std::vector<Array> keys = split_in_lanes(start, 2);
  const Array v = while_loop(rejected, next_try, Try{keys[0], zero, one, number(2, dtype)}).v;
  if (!log_space) {
    const Array boost = where(large, 1, pow(1 - uniform(keys[1], {}, dtype), 1 / wanted));
    return d * v * boost;
  }
  const Array sample = -exponential(keys[1], {}, dtype);
  return log(d) + log(v) + where(large | (sample == 0), 0, sample * (1 / wanted));
}

Array gammas(const Array& key, const Array& a, bool log_space) {
  const Array keys = split_to(key, {a.size()});
  const auto one = [=](Array k, Array alpha) { return one_gamma(k, alpha, log_space); };
  return reshape(vmap(one)(keys, reshape(a, {-1})), a.shape());
}

// --- the derivative of the logarithm of a gamma number x in its parameter: that of the distribution function
// P(a, x), over x times the density, as in Figurnov, Mohamed and Mnih, "Implicit reparameterization
// gradients", 2018. Below all numbers x is 0, and its logarithm is still known: the series is 1 there.

struct Series {
  Array step, r, c, dc, sum, dsum;
};

// By the series of P, for x up to 1 or a.
Array slope_by_series(const Array& a, const Array& x, const Array& log_x, double limit) {
  const Array one = x - x + 1, zero = x - x;
  const Series last = while_loop(
      [=](Series s) { return any((abs(s.dc) > limit * abs(s.dsum)) | (s.step == 0)) & (s.step < 2000); },
      [=](Series s) {
        const Array r = s.r + 1, term = x / r;
        const Array dc = term * s.dc - x / (r * r) * s.c, c = s.c * term;
        return Series{s.step + 1, r, c, dc, s.sum + c, s.dsum + dc};
      },
      Series{Array(0), a, one, zero, one, zero});
  return -(last.dsum / last.sum + log_x - digamma(a + 1)) * last.sum / a;
}

struct Fraction {
  Array step, p, q, p_before, q_before, dp, dq, dp_before, dq_before, value, slope, change;
};

// By the continued fraction of 1 - P, for other x.
Array slope_by_fraction(const Array& a, const Array& x, double limit, double big) {
  const Array y = 1 - a, first_z = x + y + 1, zero = x - x;
  const auto slope_of = [](const Array& dp, const Array& dq, const Array& value, const Array& q) {
    return (dp - value * dq) / q;
  };
  const Array value = (x + 1) / (first_z * x);
  const Fraction last =
      while_loop([=](Fraction f) { return any(f.change > limit) & (f.step < 2000); },
                 [=](Fraction f) {
                   const Array c = f.step.astype(a.dtype()) + 1, z = first_z + 2 * c, yc = (y + c) * c;
                   Array p = f.p * z - f.p_before * yc, q = f.q * z - f.q_before * yc;
                   Array dp = f.dp * z - f.p - f.dp_before * yc + f.p_before * c;
                   Array dq = f.dq * z - f.q - f.dq_before * yc + f.q_before * c;
                   const Array some = q != 0, next = where(some, p / q, f.value);
                   const Array slope = where(some, slope_of(dp, dq, next, q), f.slope);
                   const Array scale = where(abs(p) > big, number(1 / big, a.dtype()), 1);
                   return Fraction{f.step + 1,   p * scale,  q * scale,  f.p * scale,
                                   f.q * scale,  dp * scale, dq * scale, f.dp * scale,
                                   f.dq * scale, next,       slope,      abs(slope - f.slope)};
                 },
                 Fraction{Array(0), x + 1, first_z * x, zero + 1, x, zero, -x, zero, zero, value,
                          slope_of(zero, -x, value, first_z * x), zero + 1});
  return last.slope + last.value * (log(x) - digamma(a));
}

Array log_slope(const Array& a, const Array& x, const Array& log_x) {
  const bool wide = a.dtype() == DType::kF64;
  const double limit = epsilon(a.dtype());
  const Array far = (x > 1) & (x > a);
  // Of what goes the other way a harmless number.
  const Array by_series = slope_by_series(a, where(far, 0.5, x), where(far, 0, log_x), limit);
  const Array by_fraction =
      slope_by_fraction(where(far, a, 1), where(far, x, 2), limit, wide ? 0x1p52 : 0x1p23);
  return where(far, by_fraction, by_series);
}

}  // namespace

Array loggamma(const Array& key, const Array& a, bool log_space) {
  if (a.size() == 0) return a;
  using Pair = std::tuple<Array, Array>;
  const auto rule = [=](const Pair& at, const Pair& tangents) {
    const auto& [k, alpha] = at;
    const Array result = gammas(k, alpha, log_space);
    const Array known = stop_gradient(result), sample = log_space ? exp(known) : known;
    // x log(x) is 0 at 0.
    const Array log_sample = log_space ? known : log(where(sample == 0, 1, sample));
    const Array slope = log_slope(stop_gradient(alpha), sample, log_sample);
    return std::pair(result, std::get<1>(tangents) * (log_space ? slope : slope * sample));
  };
  return detail::custom_jvp_by_value([=](Array k, Array alpha) { return gammas(k, alpha, log_space); }, rule)(
      key, a);
}

Array generalized_normal(const Array& key, double p, const Shape& shape, DType dtype) {
  const std::vector<Array> keys = samplers::split(key, 2);
  const Array g = loggamma(keys[0], broadcast_to(number(1 / p, dtype), shape), false);
  return rademacher(keys[1], shape, dtype) * pow(g, 1 / p);
}

}  // namespace ingot::samplers

namespace ingot::random {
namespace {

using samplers::number;
using samplers::Sampler;

// Parameters are stretched to the shape of the result.
Array sample_stretched(const char* name, const Operand& key, const std::vector<const Operand*>& operands,
                       const SampleShape& wanted, Optional<DType> wanted_dtype,
                       const samplers::Distribution& body) {
  return samplers::sample(
      name, key, operands, wanted, wanted_dtype,
      [&](const Array& k, const std::vector<Array>& given, const Shape& shape, DType dtype) {
        std::vector<Array> stretched;
        for (const Array& one : given) stretched.push_back(broadcast_to(one, shape));
        return body(k, stretched, shape, dtype);
      });
}

}  // namespace

Array gamma(const Operand& key, const Operand& a, const SampleShape& shape, Optional<DType> dtype) {
  return sample_stretched("random::gamma", key, {&a}, shape, dtype,
                          [](const Array& k, const std::vector<Array>& given, const Shape&, DType) {
                            return samplers::loggamma(k, given[0], false);
                          });
}

Array loggamma(const Operand& key, const Operand& a, const SampleShape& shape, Optional<DType> dtype) {
  return sample_stretched("random::loggamma", key, {&a}, shape, dtype,
                          [](const Array& k, const std::vector<Array>& given, const Shape&, DType) {
                            return samplers::loggamma(k, given[0], true);
                          });
}

Array beta(const Operand& key, const Operand& a, const Operand& b, const SampleShape& shape,
           Optional<DType> dtype) {
  return sample_stretched("random::beta", key, {&a, &b}, shape, dtype,
                          [](const Array& k, const std::vector<Array>& given, const Shape&, DType) {
                            const std::vector<Array> keys = samplers::split(k, 2);
                            const Array log_a = samplers::loggamma(keys[0], given[0], true);
                            const Array log_b = samplers::loggamma(keys[1], given[1], true);
                            const Array most = maximum(log_a, log_b);
                            const Array of_a = exp(log_a - most), of_b = exp(log_b - most);
                            return of_a / (of_a + of_b);
                          });
}

namespace {

Array chisquares(const Array& key, const Array& df) {
  return exp(samplers::loggamma(key, df / 2, true)) * 2;
}

}  // namespace

Array chisquare(const Operand& key, const Operand& df, const SampleShape& shape, Optional<DType> dtype) {
  return sample_stretched("random::chisquare", key, {&df}, shape, dtype,
                          [](const Array& k, const std::vector<Array>& given, const Shape&, DType) {
                            return chisquares(k, given[0]);
                          });
}

Array f(const Operand& key, const Operand& dfnum, const Operand& dfden, const SampleShape& shape,
        Optional<DType> dtype) {
  return sample_stretched("random::f", key, {&dfnum, &dfden}, shape, dtype,
                          [](const Array& k, const std::vector<Array>& given, const Shape&, DType) {
                            const std::vector<Array> keys = samplers::split(k, 2);
                            return (chisquares(keys[1], given[0]) / given[0]) /
                                   (chisquares(keys[0], given[1]) / given[1]);
                          });
}

Array t(const Operand& key, const Operand& df, const SampleShape& shape, Optional<DType> dtype) {
  return sample_stretched(
      "random::t", key, {&df}, shape, dtype,
      [](const Array& k, const std::vector<Array>& given, const Shape& all, DType floats) {
        const std::vector<Array> keys = samplers::split(k, 2);
        const Array half = given[0] / 2;
        return samplers::normal(keys[0], all, floats) * sqrt(half / samplers::loggamma(keys[1], half, false));
      });
}

Array dirichlet(const Operand& key, const Operand& alpha, const SampleShape& wanted,
                Optional<DType> wanted_dtype) {
  const Sampler sampler("random::dirichlet", key);
  const DType dtype = sampler.floats(wanted_dtype, {&alpha});
  const Array a = sampler.parameter(alpha, dtype);
  if (a.rank() < 1)
    sampler.fail("alpha is " + a.type_string() + ", but should be [..., k], with an entry for each part");
  Shape shape = sampler.shape(wanted, {Array::abstract(dtype, {a.shape().begin(), a.shape().end() - 1})});
  shape.push_back(a.shape(-1));
  return sampler.run({a}, shape, dtype, [&](const Array& k, const std::vector<Array>& given) {
    return softmax(samplers::loggamma(k, broadcast_to(given[0], shape), true), -1);
  });
}

namespace {

// Knuth, The Art of Computer Programming, volume 2, 3.4.1: how many uniform numbers have a product above
// exp(-lambda).
Array poisson_by_product(const Array& start, const Array& lambda, DType dtype) {
  struct Count {
    Array key, k, log_product;
  };
  const Shape& shape = lambda.shape();
  const Count last = while_loop(
      [&](Count c) { return any(c.log_product > -lambda); },
      [&](Count c) {
        const std::vector<Array> keys = samplers::split(c.key, 2);
        const Array k = where(c.log_product > -lambda, c.k + 1, c.k);
        return Count{keys[0], k, c.log_product + log(samplers::uniform(keys[1], shape, DType::kF32))};
      },
      Count{start, Array::zeros(shape, dtype), Array::zeros(shape)});
  return last.k - 1;
}

struct Tries {
  Array key, k, accepted;
};

// Hörmann, "The transformed rejection method for generating Poisson random variables", 1993.
Array poisson_by_rejection(const Array& start, const Array& lambda, DType dtype) {
  const Shape& shape = lambda.shape();
  const Array log_lambda = log(lambda);
  const Array b = 0.931 + 2.53 * sqrt(lambda), a = -0.059 + 0.02483 * b;
  const Array inverse = 1.1239 + 1.1328 / (b - 3.4), accept_below = 0.9277 - 3.6224 / (b - 2);
  const Tries last =
      while_loop([](Tries tries) { return any(~tries.accepted); },
                 [&](Tries tries) {
                   const std::vector<Array> keys = samplers::split(tries.key, 3);
                   const Array u = samplers::uniform(keys[1], shape, DType::kF32) - 0.5;
                   const Array v = samplers::uniform(keys[2], shape, DType::kF32);
                   const Array rest = 0.5 - abs(u);
                   const Array k = floor((2 * a / rest + b) * u + lambda + 0.43);
                   const Array s = log(v * inverse / (a / (rest * rest) + b));
                   const Array limit = -lambda + k * log_lambda - lgamma(k + 1);
                   const Array rejected = (k < 0) | ((rest < 0.013) & (v > rest));
                   const Array accepted = ((rest >= 0.07) & (v <= accept_below)) | (~rejected & (s <= limit));
                   return Tries{keys[0], where(accepted, k, tries.k), tries.accepted | accepted};
                 },
                 Tries{start, Array::full(shape, -1.f), Array::zeros(shape, DType::kPred)});
  return last.k.astype(dtype);
}

}  // namespace

Array poisson(const Operand& key, const Operand& lambda, const SampleShape& wanted, DType dtype) {
  const Sampler sampler("random::poisson", key);
  sampler.want_integers(dtype);
  const std::vector<Array> parameters = {sampler.parameter(lambda, DType::kF32)};
  const Shape shape = sampler.shape(wanted, parameters);
  return sampler.run(parameters, shape, dtype, [&](const Array& k, const std::vector<Array>& given) {
    const Array rate = stop_gradient(broadcast_to(given[0], shape));
    const Array small = (rate != rate) | (rate < 10);
    const Array result = where(small, poisson_by_product(k, where(small, rate, 0.f), dtype),
                               poisson_by_rejection(k, where(small, 1e5f, rate), dtype));
    return where(rate == 0, 0, result);
  });
}

namespace {

// How many geometric numbers fit into n.
Array binomial_by_sums(const Array& start, const Array& n, const Array& p) {
  struct Sum {
    Array key, k, sum;
  };
  const Array log_other = log1p(-p);
  const Sum last =
      while_loop([&](Sum s) { return any(s.sum <= n); },
                 [&](Sum s) {
                   const std::vector<Array> keys = samplers::split(s.key, 2);
                   const Array step = ceil(log(samplers::uniform(keys[0], n.shape(), n.dtype())) / log_other);
                   return Sum{keys[1], where(s.sum <= n, s.k + 1, s.k), s.sum + step};
                 },
                 Sum{start, Array::zeros(n.shape(), n.dtype()), Array::zeros(n.shape(), n.dtype())});
  return last.k - 1;
}

// What Stirling's formula leaves out of log(k!).
Array stirling_tail(const Array& k) {
  const std::vector<double> small = {
      0.0810614667953272, 0.0413406959554092, 0.0276779256849983, 0.02079067210376509, 0.0166446911898211,
      0.0138761288230707, 0.0118967099458917, 0.0104112652619720, 0.00925546218271273, 0.00833056343336287};
  const Array within = clip(k, 0.0, 9.0), squared = (within + 1) * (within + 1);
  const Array series = (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / squared) / squared) / (within + 1);
  Array listed = Array::full(k.shape(), small[9], k.dtype());
  for (size_t i = 9; i-- > 0;) listed = where(within < static_cast<double>(i + 1), small[i], listed);
  return where(k <= 9, listed, series);
}

// Hörmann, "The generation of binomial random variates", 1993.
Array binomial_by_rejection(const Array& start, const Array& n, const Array& p) {
  const Shape& shape = n.shape();
  const DType dtype = n.dtype();
  const Array spread = sqrt(n * p * (1 - p));
  const Array b = 1.15 + 2.53 * spread, a = -0.0873 + 0.0248 * b + 0.01 * p;
  const Array center = n * p + 0.5, accept_below = 0.92 - 4.2 / b;
  const Array r = p / (1 - p), alpha = (2.83 + 5.1 / b) * spread, m = floor((n + 1) * p);
  const Tries last = while_loop(
      [](Tries tries) { return any(~tries.accepted); },
      [&](Tries tries) {
        const std::vector<Array> keys = samplers::split(tries.key, 3);
        const Array u = samplers::uniform(keys[1], shape, dtype) - 0.5;
        const Array v = samplers::uniform(keys[2], shape, dtype);
        const Array rest = 0.5 - abs(u);
        const Array k = floor((2 * a / rest + b) * u + center);
        const Array s = log(v * alpha / (a / (rest * rest) + b));
        const Array limit = (m + 0.5) * log((m + 1) / (r * (n - m + 1))) +
                            (n + 1) * log((n - m + 1) / (n - k + 1)) +
                            (k + 0.5) * log(r * (n - k + 1) / (k + 1)) + stirling_tail(m) +
                            stirling_tail(n - m) - stirling_tail(k) - stirling_tail(n - k);
        const Array accepted = ((rest >= 0.07) & (v <= accept_below)) | (~((k < 0) | (k > n)) & (s <= limit));
        return Tries{keys[0], where(accepted, k, tries.k), tries.accepted | accepted};
      },
      Tries{start, Array::full(shape, -1.0, dtype), Array::zeros(shape, DType::kPred)});
  return last.k;
}

}  // namespace

Array binomial(const Operand& key, const Operand& n, const Operand& p, const SampleShape& shape,
               Optional<DType> dtype) {
  return sample_stretched(
      "random::binomial", key, {&n, &p}, shape, dtype,
      [](const Array& k, const std::vector<Array>& given, const Shape&, DType floats) {
        const double infinity = std::numeric_limits<double>::infinity();
        const Array trials = floor(stop_gradient(given[0])), chance = stop_gradient(given[1]);
        const Array low = chance < 0.5, rare = where(low, chance, 1 - chance);
        const Array no_trials = (trials != trials) | (trials < 0), unlimited = trials == infinity;
        const Array no_chance = (rare != rare) | (rare < 0), q = where(no_chance, 0.01, rare);
        const Array few = no_trials | (trials * q <= 10);
        Array result = where(few, binomial_by_sums(k, where(few, trials, 0.0), q),
                             binomial_by_rejection(k, where(few, 1e4, trials), where(few, 0.5, q)));
        const Array invalid = no_chance | no_trials;
        result = where(invalid, std::numeric_limits<double>::quiet_NaN(), result);
        result = where(unlimited & ~invalid, infinity, result);
        return where(low | no_trials | (rare != rare) | unlimited, result, trials - result).astype(floats);
      });
}

}  // namespace ingot::random
