// A Kalman filter as a scan: where a body is that moves at a nearly constant speed, from noisy observations
// of its place, and how strongly it is pushed, by the gradient of the likelihood through the filter.
#include <cstdio>

#include "programs/check.h"

namespace {

using ingot::Array;
using ingot::dot;

struct Belief {
  Array mean, cov;  // [2] place and speed, [2, 2]
};

// The log-likelihood of all observations, and the last belief. `push` and `noise` are standard deviations.
struct Filtered {
  Array likelihood;
  Belief last;
};
Filtered filter(Array push, Array noise, Array observations) {
  const Array move = Array::from({2, 2}, std::vector<float>{1, 1, 0, 1});
  const Array see = Array::from<float>({1, 0});
  const Array kick = Array::from({2, 2}, std::vector<float>{0.25f, 0.5f, 0.5f, 1});
  const auto step = [&](Belief belief, Array seen) {
    const Array mean = dot(move, belief.mean);
    const Array cov = dot(dot(move, belief.cov), move.T()) + kick * (push * push);
    const Array surprise = seen - dot(see, mean), spread = dot(see, dot(cov, see)) + noise * noise;
    const Array gain = dot(cov, see) / spread;
    const Array likelihood = -0.5f * (log(2 * 3.14159265f * spread) + surprise * surprise / spread);
    return std::pair(Belief{mean + gain * surprise, cov - outer(gain, dot(see, cov))}, likelihood);
  };
  const Belief start{Array::zeros({2}), Array::from({2, 2}, std::vector<float>{10, 0, 0, 10})};
  auto [last, likelihoods] = ingot::scan(step, start, observations);
  return {sum(likelihoods), last};
}

// Of a body that is pushed by 0.1 in each step, seen with errors of 1.
Array observe(int64_t steps) {
  const auto [a, b] = ingot::random::split<2>(ingot::random::key(0));
  const Array speeds = cumsum(0.1f * ingot::random::normal(a, {steps}));
  return cumsum(speeds) + ingot::random::normal(b, {steps});
}

}  // namespace

int main(int argc, char** argv) {
  programs::Check check(argc, argv);
  const Array observations = observe(check.wanted() ? 100 : 10000);
  const auto run = ingot::jit(filter);
  const Filtered first = run(Array(0.5f), Array(1.f), observations);
  const auto loss = [](Array log_push, Array seen) {
    return -filter(exp(log_push), Array(1.f), seen).likelihood;
  };
  const auto slope = ingot::jit(ingot::value_and_grad(loss));
  check.expect("kalman_likelihood", first.likelihood, 1e-4);
  check.expect("kalman_mean", first.last.mean, 1e-4);
  check.expect("kalman_slope", slope(log(Array(0.5f)), observations).second, 1e-3);

  // How strongly it is pushed: gradient descent on the logarithm, with Adam.
  const ingot::optim::Adam adam{.rate = 0.05};
  Array log_push = log(Array(0.5f));
  auto state = ingot::optim::init(adam, log_push);
  for (const int step : ingot::progress(check.wanted() ? 30 : 100, "kalman")) {
    (void)step;
    const auto [value, gradient] = slope(log_push, observations);
    auto [next, next_state] = ingot::optim::update(adam, gradient, state, log_push);
    log_push = next;
    state = next_state;
  }
  const float push = exp(log_push).item<float>();
  std::printf("pushed by 0.1, as estimated %.3f; at %.2f with speed %.3f\n", push,
              first.last.mean[0].item<float>(), first.last.mean[1].item<float>());
  check.expect("kalman_push", exp(log_push), 1e-2);
  return check.result();
}
