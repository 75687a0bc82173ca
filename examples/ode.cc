// An adaptive Runge-Kutta method (Dormand and Prince, 1980) as a while_loop: foxes and rabbits, and how many
// there are depending on where they began, by forward mode through the loop.
#include <cstdio>

#include "programs/check.h"

namespace {

using ingot::Array;

struct Point {
  Array t, step, y, tried;
};

// y' of Lotka and Volterra: rabbits, foxes.
Array change(const Array& y) {
  const Array rabbits = y[0], foxes = y[1];
  return ingot::stack({rabbits * (1.5 - foxes), foxes * (rabbits - 3)});
}

// y at time `end`, with errors of about `tolerance` in each step.
Point integrate(const Array& start, double end, double tolerance) {
  // The weights of earlier slopes in each next one, in the result, and in its estimated error.
  const std::vector<std::vector<double>> stages = {
      {1 / 5.},
      {3 / 40., 9 / 40.},
      {44 / 45., -56 / 15., 32 / 9.},
      {19372 / 6561., -25360 / 2187., 64448 / 6561., -212 / 729.},
      {9017 / 3168., -355 / 33., 46732 / 5247., 49 / 176., -5103 / 18656.},
      {35 / 384., 0, 500 / 1113., 125 / 192., -2187 / 6784., 11 / 84.}};
  const std::vector<double> errors = {71 / 57600.,      0,         -71 / 16695., 71 / 1920.,
                                      -17253 / 339200., 22 / 525., -1 / 40.};
  const auto weighted = [](const std::vector<Array>& slopes, const std::vector<double>& weights) {
    Array total = slopes[0] * weights[0];
    for (size_t i = 1; i < weights.size(); ++i) total += slopes[i] * weights[i];
    return total;
  };
  const auto step = [&](Point p) {
    const Array h = minimum(p.step, end - p.t);
    std::vector<Array> slopes = {change(p.y)};
    Array y = p.y;
    for (const std::vector<double>& weights : stages) {
      y = p.y + h * weighted(slopes, weights);
      slopes.push_back(change(y));
    }
    const Array error = max(abs(h * weighted(slopes, errors)) / (tolerance * (1 + abs(p.y))));
    const Array fits = error <= 1;
    const Array factor = clip(0.9 * pow(maximum(error, 1e-10), -0.2), 0.2, 5.0);
    return Point{where(fits, p.t + h, p.t), stop_gradient(h * factor), where(fits, y, p.y), p.tried + 1};
  };
  return ingot::while_loop([&](Point p) { return p.t < end; }, step,
                           Point{Array(0.0), Array(0.1), start, Array(0)});
}

}  // namespace

int main(int argc, char** argv) {
  programs::Check check(argc, argv);
  const double end = check.wanted() ? 5 : 100;
  const auto solve = ingot::jit([=](Array start) { return integrate(start, end, 1e-9); });
  const Array start = Array::from<double>({1.0, 1.0});
  const Point last = solve(start);
  std::printf("after %g: %.6f rabbits, %.6f foxes, in %d steps\n", end, last.y[0].item<double>(),
              last.y[1].item<double>(), last.tried.item<int>());
  // What one rabbit more at the beginning changes.
  const auto tangent = ingot::jit([=](Array y, Array direction) {
    return ingot::jvp([=](Array from) { return integrate(from, end, 1e-9).y; }, y, direction).second;
  })(start, Array::from<double>({1.0, 0.0}));
  check.expect("ode_y", last.y, 1e-7);
  check.expect("ode_tangent", tangent, 1e-4);
  // Many beginnings at once: each has its own steps.
  const Array many = ingot::stack({start, start * 2, start * 3});
  const auto all = ingot::vmap([=](Array y) { return integrate(y, end, 1e-9).y; })(many);
  check.expect("ode_many", all, 1e-7);
  return check.result();
}
