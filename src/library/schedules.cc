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

void check_steps(const char* name, int64_t steps, Where where) {
  if (steps > 0) return;
  ingot::detail::fail(
      where, std::string(name) + ": takes " + std::to_string(steps) + " steps, but should take 1 or more");
}

Schedule polynomial_of(double from, double to, double power, int64_t steps, int64_t begin) {
  return [=](const Array& step) {
    const Array count =
        ingot::clip(as_float(step) - static_cast<double>(begin), 0, static_cast<double>(steps));
    const Array left = 1 - count / static_cast<double>(steps);
    return (from - to) * (power == 1 ? left : pow(left, power)) + to;
  };
}

}  // namespace

Schedule constant(double value) {
  return [=](const Array&) { return Array(static_cast<float>(value)); };
}

Schedule linear(double from, double to, int64_t steps, int64_t begin, Where where) {
  check_steps("optim::linear", steps, where);
  return polynomial_of(from, to, 1, steps, begin);
}

Schedule polynomial(double from, double to, double power, int64_t steps, int64_t begin, Where where) {
  check_steps("optim::polynomial", steps, where);
  return polynomial_of(from, to, power, steps, begin);
}

Schedule exponential(double value, int64_t steps, double factor, const ExponentialOptions& options,
                     Where where) {
  check_steps("optim::exponential", steps, where);
  return [=](const Array& step) {
    const Array count = as_float(step) - static_cast<double>(options.begin);
    Array turns = count / static_cast<double>(steps);
    if (options.staircase) turns = floor(turns);
    Array rate = ingot::where(count <= 0, value, value * pow(factor, turns));
    if (options.end) rate = factor < 1 ? maximum(rate, *options.end) : minimum(rate, *options.end);
    return rate;
  };
}

Schedule cosine(double value, int64_t steps, double alpha, double exponent, Where where) {
  check_steps("optim::cosine", steps, where);
  return [=](const Array& step) {
    const Array count = minimum(as_float(step), static_cast<double>(steps));
    const Array wave = 0.5 * (1 + cos(std::numbers::pi * count / static_cast<double>(steps)));
    return value * ((1 - alpha) * (exponent == 1 ? wave : pow(wave, exponent)) + alpha);
  };
}

Schedule warmup_cosine(double from, double peak, int64_t warmup, int64_t steps, double end, double exponent,
                       Where where) {
  if (steps <= warmup) {
    ingot::detail::fail(where, "optim::warmup_cosine: all " + std::to_string(steps) + " steps, `warmup` of " +
                                   std::to_string(warmup) + " among them, should be more than those");
  }
  const Schedule fall = cosine(peak, steps - warmup, peak == 0 ? 0 : end / peak, exponent, where);
  if (warmup <= 0) return fall;
  return join({linear(from, peak, warmup, 0, where), fall}, {warmup}, where);
}

Schedule piecewise_constant(double value, const std::vector<std::pair<int64_t, double>>& factors) {
  return [=](const Array& step) {
    Array rate(static_cast<float>(value));
    for (const auto& [from, factor] : factors) rate = ingot::where(step < from, rate, factor * rate);
    return rate;
  };
}

Schedule join(const std::vector<Schedule>& schedules, const std::vector<int64_t>& boundaries, Where where) {
  if (schedules.size() != boundaries.size() + 1) {
    ingot::detail::fail(where, "optim::join: there are " + std::to_string(schedules.size()) +
                                   " schedules and " + std::to_string(boundaries.size()) +
                                   " boundaries, but should be one boundary less");
  }
  for (size_t i = 0; i < schedules.size(); ++i) {
    if (!schedules[i]) ingot::detail::fail(where, "optim::join: schedule " + std::to_string(i) + " is empty");
  }
  return [=](const Array& step) {
    Array rate = schedules[0](step);
    for (size_t i = 0; i < boundaries.size(); ++i)
      rate = ingot::where(step < boundaries[i], rate, schedules[i + 1](step - boundaries[i]));
    return rate;
  };
}

Rate::Rate(Schedule schedule, Where where) : schedule_(std::move(schedule)) {
  if (!schedule_)
    ingot::detail::fail(where, "optim: the schedule of a learning rate is empty, a function of no step");
}

void detail::check_limit(const char* name, double limit, const std::source_location& where) {
  if (limit >= 0) return;
  ingot::detail::fail(
      where, std::string(name) + ": the limit is " + std::to_string(limit) + ", but should be 0 or more");
}

Operand Rate::at(const Array& step) const {
  if (schedule_) return Operand(schedule_(step));
  if (!array_.empty()) return Operand(array_);
  return Operand(value_);
}

Array detail::in_type_of(const Array& made, const Array& x) {
  if (made.shape() != x.shape()) {
    ingot::detail::fail(Where::current(), "what is made of a " + x.type_string() + " is a " +
                                              made.type_string() +
                                              ", but has to keep its shape; a rate is one number");
  }
  return ingot::detail::as_weak(made.astype(x.dtype()), ingot::detail::is_weak(x));
}

Array detail::bias(double decay, const Array& step) {
  return 1 - pow(static_cast<float>(decay), as_float(step));
}

}  // namespace ingot::optim
