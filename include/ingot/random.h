// Random numbers from keys, as jax.random: a key is an array u32[2], never changes, and gives the same
// numbers wherever it is used; new keys come from old ones by split and fold_in.
//
//   Array key = ingot::random::key(42);
//   auto [data, noise] = ingot::random::split<2>(key);
//   Array x = ingot::random::normal(data, {1000, 3});
//   Array y = x + 0.1f * ingot::random::normal(noise, x.shape());   // one kernel: no noise lies in memory
//
// The generator is threefry-2x32 with 20 rounds (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as
// easy as 1, 2, 3", 2011), counting elements as JAX does with jax_threefry_partitionable, its default: an
// element depends on the key, its place and the dtype's width alone. Bits, integers and uniform numbers are
// those of jax.random for the same key; what goes through functions (normal, gamma, ..) is so up to the units
// in the last place of these. For f64 and 64-bit integers that is JAX with jax_enable_x64. f16 and bf16 come
// from the same bits, but are computed in f32 and rounded once.
//
// All functions take one key: an array of keys [n, 2] is for vmap. Shapes say how many numbers there are;
// where a distribution has parameters, they broadcast to it, and a shape that is left out is theirs.
// Parameters may be numbers or arrays; the dtype, where it is not given, is that of the first floating array
// among them, else f32. Derivatives reach floating parameters as in JAX.
#pragma once

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>
#include <vector>

#include "ingot/functions.h"

namespace ingot::detail {
Array permutation_of(const Operand& key, int64_t n);
}

namespace ingot::random {

// The shape of samples: a list, or the extent of a vector; where it is left out, that of the parameters, and
// one number where there are none.
class SampleShape {
 public:
  SampleShape() = default;
  SampleShape(std::initializer_list<int64_t> shape) : shape_{Shape(shape)} {}  // NOLINT
  SampleShape(Shape shape) : shape_{std::move(shape)} {}                       // NOLINT
  template <Extent N>
  SampleShape(N extent) : shape_{Shape{static_cast<int64_t>(extent)}} {}  // NOLINT
  const Optional<Shape>& get() const { return shape_; }

 private:
  Optional<Shape> shape_;
};

// --- keys ---

// u32[2] of an integer seed. Of numbers the lowest 32 bits count, as in JAX without x64; of an s64[] or u64[]
// all 64.
Array key(const Operand& seed);
// n new keys, u32[n, 2]; keys[i] is one.
Array split(const Operand& key, int64_t n = 2);
// The same for a shape of keys: u32[..., 2].
Array split(const Operand& key, const Shape& shape);
// The same, each by itself.
std::vector<Array> split_apart(const Operand& key, int64_t n);
// The same as C++ variables: auto [a, b, c] = split<3>(key).
template <size_t N>
std::array<Array, N> split(const Operand& key) {
  const std::vector<Array> keys = split_apart(key, static_cast<int64_t>(N));
  std::array<Array, N> result;
  for (size_t i = 0; i < N; ++i) result[i] = keys[i];
  return result;
}
// The key that belongs to a number, such as that of a step or a layer; its lowest 32 bits count.
Array fold_in(const Operand& key, const Operand& data);

// --- bits and integers ---

Array bits(const Operand& key, const SampleShape& shape = {}, DType dtype = DType::kU32);  // unsigned
// Integers from minval up to but without maxval; minval where there are none. Slightly uneven unless their
// number is a power of 2: of 32-bit ones by less than 2^-32 times it.
Array randint(const Operand& key, const SampleShape& shape, const Operand& minval, const Operand& maxval,
              DType dtype = DType::kS32);
using Extents = std::initializer_list<int64_t>;
Array randint(const Operand&, const Operand&, const Operand&, Extents) = delete;       // the shape is second
Array randint(const Operand&, const Operand&, const Operand&, const Shape&) = delete;  // the shape is second
Array rademacher(const Operand& key, const SampleShape& shape = {}, DType dtype = DType::kS32);  // -1 or 1
// true with probability p: a pred.
Array bernoulli(const Operand& key, const Operand& p = 0.5f, const SampleShape& shape = {});
// Numbers of events, integers.
Array poisson(const Operand& key, const Operand& lambda, const SampleShape& shape = {},
              DType dtype = DType::kS32);
Array geometric(const Operand& key, const Operand& p, const SampleShape& shape = {},
                DType dtype = DType::kS32);  // trials up to the first success: from 1 on
// How many of n trials succeed, as floats.
Array binomial(const Operand& key, const Operand& n, const Operand& p, const SampleShape& shape = {},
               Optional<DType> dtype = {});

// --- floats without parameters ---

// From minval up to but without maxval (which rounding may reach).
Array uniform(const Operand& key, const SampleShape& shape = {}, DType dtype = DType::kF32,
              const Operand& minval = 0.f, const Operand& maxval = 1.f);
// With mean 0 and variance 1; of c64 and c128 each part has the variance 1/2.
Array normal(const Operand& key, const SampleShape& shape = {}, DType dtype = DType::kF32);
Array exponential(const Operand& key, const SampleShape& shape = {}, DType dtype = DType::kF32);
Array gumbel(const Operand& key, const SampleShape& shape = {}, DType dtype = DType::kF32);
Array laplace(const Operand& key, const SampleShape& shape = {}, DType dtype = DType::kF32);
Array logistic(const Operand& key, const SampleShape& shape = {}, DType dtype = DType::kF32);
Array cauchy(const Operand& key, const SampleShape& shape = {}, DType dtype = DType::kF32);
Array maxwell(const Operand& key, const SampleShape& shape = {}, DType dtype = DType::kF32);

// --- floats with parameters ---

// Normal numbers between lower and upper, both of them excluded.
Array truncated_normal(const Operand& key, const Operand& lower, const Operand& upper,
                       const SampleShape& shape = {}, Optional<DType> dtype = {});
Array gamma(const Operand& key, const Operand& a, const SampleShape& shape = {}, Optional<DType> dtype = {});
// log(gamma(key, a)), also where that would be 0.
Array loggamma(const Operand& key, const Operand& a, const SampleShape& shape = {},
               Optional<DType> dtype = {});
Array beta(const Operand& key, const Operand& a, const Operand& b, const SampleShape& shape = {},
           Optional<DType> dtype = {});
Array chisquare(const Operand& key, const Operand& df, const SampleShape& shape = {},
                Optional<DType> dtype = {});
Array f(const Operand& key, const Operand& dfnum, const Operand& dfden, const SampleShape& shape = {},
        Optional<DType> dtype = {});
Array t(const Operand& key, const Operand& df, const SampleShape& shape = {}, Optional<DType> dtype = {});
Array pareto(const Operand& key, const Operand& b, const SampleShape& shape = {}, Optional<DType> dtype = {});
Array rayleigh(const Operand& key, const Operand& scale, const SampleShape& shape = {},
               Optional<DType> dtype = {});
Array weibull_min(const Operand& key, const Operand& scale, const Operand& concentration,
                  const SampleShape& shape = {}, Optional<DType> dtype = {});
Array wald(const Operand& key, const Operand& mean, const SampleShape& shape = {},
           Optional<DType> dtype = {});
Array triangular(const Operand& key, const Operand& left, const Operand& mode, const Operand& right,
                 const SampleShape& shape = {}, Optional<DType> dtype = {});
Array lognormal(const Operand& key, const Operand& sigma = 1.f, const SampleShape& shape = {},
                Optional<DType> dtype = {});
Array generalized_normal(const Operand& key, double p, const SampleShape& shape = {},
                         DType dtype = DType::kF32);

// --- vectors and matrices ---

// Vectors along the last axis with sum 1, for alpha of [..., k]; `shape` is without that axis.
Array dirichlet(const Operand& key, const Operand& alpha, const SampleShape& shape = {},
                Optional<DType> dtype = {});
// The root of a covariance that is taken.
enum class Root { kCholesky, kEigh, kSvd };
// Vectors along the last axis, for a mean of [..., n] and a covariance of [..., n, n]; `shape` is without n.
Array multivariate_normal(const Operand& key, const Operand& mean, const Operand& cov,
                          const SampleShape& shape = {}, Root root = Root::kCholesky);
// Points of d coordinates in the ball of the p-norm, evenly.
Array ball(const Operand& key, int64_t d, double p = 2, const SampleShape& shape = {},
           DType dtype = DType::kF32);
Array ball(const Operand&, int64_t, Extents) = delete;       // the shape is fourth: ball(key, 3, 2, {5})
Array ball(const Operand&, int64_t, const Shape&) = delete;  // the shape is fourth: ball(key, 3, 2, {5})
// Matrices [..., n, n] evenly among all orthogonal ones; with m parts of such, [..., n, m].
Array orthogonal(const Operand& key, int64_t n, const SampleShape& shape = {}, DType dtype = DType::kF32,
                 Optional<int64_t> m = {});

// --- choices ---

struct CategoricalOptions {
  ingot::detail::ByName by_name = ingot::detail::ByName();
  Axis axis = -1;          // of the categories
  SampleShape shape = {};  // ends with that of the logits without the axis
  bool replace = true;     // else those that stand before that end differ from each other
};
// Indices of categories, s32, with probabilities softmax(logits).
Array categorical(const Operand& key, const Operand& logits, const CategoricalOptions& options = {});

struct PermutationOptions {
  ingot::detail::ByName by_name = ingot::detail::ByName();
  Axis axis = 0;
  bool independent = false;  // each row by itself, instead of whole slices
};
// The slices of x along an axis in another order: shuffled rows.
Array permutation(const Operand& key, const Operand& x, const PermutationOptions& options = {});
// The numbers 0 .. n-1 in another order, s32. Error where n is negative.
template <Extent T>
Array permutation(const Operand& key, T n) {
  return ingot::detail::permutation_of(key, static_cast<int64_t>(n));
}

struct ChoiceOptions {
  ingot::detail::ByName by_name = ingot::detail::ByName();
  bool replace = true;
  Optional<Array> p = {};  // probabilities, f[n]; by default all are equal
  Axis axis = 0;
};
// Slices of x along an axis, chosen at random: `shape` stands in the place of that axis. Error where there
// are more without replacement than x has.
Array choice(const Operand& key, const Operand& x, const SampleShape& shape = {},
             const ChoiceOptions& options = {});
// Of the numbers 0 .. n-1, s32.
template <Extent T>
Array choice(const Operand& key, T n, const SampleShape& shape = {}, const ChoiceOptions& options = {}) {
  return choice(key, Operand(arange(static_cast<int64_t>(n), DType::kS32, key.where()), key.where()), shape,
                options);
}

}  // namespace ingot::random
