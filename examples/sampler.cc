// Hamiltonian Monte Carlo (Duane et al., 1987; Neal, "MCMC using Hamiltonian dynamics", 2011): many chains at
// once that draw from a density of which only the logarithm is written down.
#include <cstdio>

#include "programs/check.h"

namespace {

using ingot::Array;
namespace random = ingot::random;

// Rosenbrock's valley, bent: x[0] is normal, x[1] lies around its square.
Array log_density(const Array& x) {
  const Array bend = x[1] - x[0] * x[0];
  return -0.5f * x[0] * x[0] - 2 * bend * bend;
}

struct Chain {
  Array x, accepted;
};

// A proposal at the end of a path of some leapfrog steps, taken with the probability that keeps the density.
Chain step(Chain chain, Array key, float size, int steps) {
  const auto force = ingot::grad(log_density);
  const auto [a, b] = random::split<2>(key);
  const Array kick = random::normal(a, {2});
  struct Path {
    Array x, p;
  };
  const Path end = ingot::fori_loop(
      0, steps,
      [&](Array, Path path) {
        const Array half = path.p + 0.5f * size * force(path.x), x = path.x + size * half;
        return Path{x, half + 0.5f * size * force(x)};
      },
      Path{chain.x, kick});
  const auto energy = [](const Array& x, const Array& p) { return 0.5f * sum(p * p) - log_density(x); };
  const Array accept = log(random::uniform(b)) < energy(chain.x, kick) - energy(end.x, end.p);
  return {where(accept, end.x, chain.x), chain.accepted + accept.astype(ingot::DType::kS32)};
}

struct Samples {
  Array x, rate;  // [chains, draws, 2], [chains]
};
Samples sample(Array key, int64_t chains, int64_t draws) {
  const auto one = [=](Array chain_key) {
    const auto next = [](Chain chain, Array k) {
      const Chain moved = step(chain, k, 0.2f, 10);
      return std::pair(moved, moved.x);
    };
    auto [last, xs] = ingot::scan(next, Chain{Array::zeros({2}), Array(0)}, random::split(chain_key, draws));
    return Samples{xs, last.accepted.astype(ingot::DType::kF32) / static_cast<float>(draws)};
  };
  return ingot::vmap(one)(random::split(key, chains));
}

}  // namespace

int main(int argc, char** argv) {
  programs::Check check(argc, argv);
  const int64_t chains = check.wanted() ? 3 : 64, draws = check.wanted() ? 12 : 2000;
  const auto run = ingot::jit([=](Array key) { return sample(key, chains, draws); });
  const Samples samples = run(random::key(1));
  check.expect("sampler_x", samples.x, 2e-3);
  check.expect("sampler_rate", samples.rate, 1e-6);
  const Array all = samples.x.reshape({-1, 2});
  std::printf("%lld chains of %lld draws, %.0f%% accepted; means %.3f and %.3f (0 and 1)\n",
              static_cast<long long>(chains), static_cast<long long>(draws),
              100 * mean(samples.rate).item<float>(), mean(all, 0)[0].item<float>(),
              mean(all, 0)[1].item<float>());
  return check.result();
}
