// Learning rates as functions of the step, by the formulas of optax.
#include <algorithm>
#include <numbers>

#include "frontend/node.h"
#include "ingot/optim.h"

namespace ingot::optim {
namespace {

Array as_float(const Array& step) {
  return is_float(step.dtype()) ? step : step.astype(DType::kF32);
}

void check_steps(const char* name, int64_t steps) {
  if (steps > 0) return;
  throw Error(std::string(name) + ": takes " + std::to_string(steps) + " steps, but should take 1 or more");
}

}  // namespace

Schedule constant(double value) {
  return [=](const Array&) { return Array(static_cast<float>(value)); };
}

Schedule linear(double from, double to, int64_t steps, int64_t begin) {
  return polynomial(from, to, 1, steps, begin);
}

Schedule polynomial(double from, double to, double power, int64_t steps, int64_t begin) {
  check_steps("optim::polynomial", steps);
  return [=](const Array& step) {
    const Array count =
        ingot::clip(as_float(step) - static_cast<double>(begin), 0, static_cast<double>(steps));
    const Array left = 1 - count / static_cast<double>(steps);
    return (from - to) * (power == 1 ? left : pow(left, power)) + to;
  };
}

Schedule exponential(double value, int64_t steps, double factor, const ExponentialOptions& options) {
  check_steps("optim::exponential", steps);
  return [=](const Array& step) {
    const Array count = as_float(step) - static_cast<double>(options.begin);
    Array turns = count / static_cast<double>(steps);
    if (options.staircase) turns = floor(turns);
    Array rate = where(count <= 0, value, value * pow(factor, turns));
    if (options.end) rate = factor < 1 ? maximum(rate, *options.end) : minimum(rate, *options.end);
    return rate;
  };
}

Schedule cosine(double value, int64_t steps, double alpha, double exponent) {
  check_steps("optim::cosine", steps);
  return [=](const Array& step) {
    const Array count = minimum(as_float(step), static_cast<double>(steps));
    const Array wave = 0.5 * (1 + cos(std::numbers::pi * count / static_cast<double>(steps)));
    return value * ((1 - alpha) * (exponent == 1 ? wave : pow(wave, exponent)) + alpha);
  };
}

Schedule warmup_cosine(double from, double peak, int64_t warmup, int64_t steps, double end, double exponent) {
  check_steps("optim::warmup_cosine", steps - warmup);
  const Schedule fall = cosine(peak, steps - warmup, peak == 0 ? 0 : end / peak, exponent);
  if (warmup <= 0) return fall;
  return join({linear(from, peak, warmup), fall}, {warmup});
}

Schedule piecewise_constant(double value, const std::vector<std::pair<int64_t, double>>& factors) {
  return [=](const Array& step) {
    Array rate(static_cast<float>(value));
    for (const auto& [from, factor] : factors) rate = where(step < from, rate, factor * rate);
    return rate;
  };
}

Schedule join(const std::vector<Schedule>& schedules, const std::vector<int64_t>& boundaries) {
  if (schedules.size() != boundaries.size() + 1) {
    throw Error("optim::join: there are " + std::to_string(schedules.size()) + " schedules and " +
                std::to_string(boundaries.size()) + " boundaries, but should be one boundary less");
  }
  return [=](const Array& step) {
    Array rate = schedules[0](step);
    for (size_t i = 0; i < boundaries.size(); ++i)
      rate = where(step < boundaries[i], rate, schedules[i + 1](step - boundaries[i]));
    return rate;
  };
}

Operand Rate::at(const Array& step) const {
  if (schedule_) return Operand(schedule_(step));
  if (!array_.empty()) return Operand(array_);
  return Operand(value_);
}

Array detail::bias(double decay, const Array& step) {
  return 1 - pow(static_cast<float>(decay), as_float(step));
}

}  // namespace ingot::optim
