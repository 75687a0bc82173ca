// Optimisers of trees of parameters, by the formulas and with the defaults of optax.
//
//   const ingot::optim::Adam adam{.rate = 1e-3};
//   auto state = ingot::optim::init(adam, params);
//   auto step = ingot::jit([=](Params p, ingot::optim::AdamState<Params> s, Array x, Array y) {
//     auto [value, gradients] = ingot::value_and_grad(loss)(p, x, y);
//     auto [next, next_state] = ingot::optim::update(adam, gradients, s, p);
//     return std::tuple(value, next, next_state);
//   });
//
// A state is a struct of trees of the parameters' type; jit, grad, vmap, scan and save take it as any other.
// Arrays of integers and preds among the parameters stay as they are. A dtype stays, too: of bf16 parameters
// the state is bf16; keep them in f32 and convert them where they are used, if that is too little.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "ingot/autodiff.h"
#include "ingot/functions.h"
#include "ingot/tree_math.h"

namespace ingot::optim {

// --- learning rates ---

// A number for each step: a function of the step, s32[], which counts from 0.
using Schedule = std::function<Array(const Array& step)>;

Schedule constant(double value);
// From `from` to `to` in so many steps, beginning with step `begin`, along a straight line; to the power of
// `power` of what is left.
Schedule linear(double from, double to, int64_t steps, int64_t begin = 0, Where where = Where::current());
Schedule polynomial(double from, double to, double power, int64_t steps, int64_t begin = 0,
                    Where where = Where::current());
struct ExponentialOptions {
  ingot::detail::ByName by_name = ingot::detail::ByName();
  int64_t begin = 0;
  bool staircase = false;     // falls at whole multiples of `steps` alone
  Optional<double> end = {};  // never beyond this
};
// value * factor^(step / steps).
Schedule exponential(double value, int64_t steps, double factor, const ExponentialOptions& options = {},
                     Where where = Where::current());
// From `value` to alpha * value in so many steps, along half a wave of the cosine to the power of `exponent`.
Schedule cosine(double value, int64_t steps, double alpha = 0, double exponent = 1,
                Where where = Where::current());
// A straight line from `from` to `peak` in `warmup` steps, then a cosine to `end` at step `steps`.
Schedule warmup_cosine(double from, double peak, int64_t warmup, int64_t steps, double end = 0,
                       double exponent = 1, Where where = Where::current());
// `value`, multiplied by a factor from each of some steps on: {{1000, 0.1}, {2000, 0.1}}.
Schedule piecewise_constant(double value, const std::vector<std::pair<int64_t, double>>& factors);
// One schedule after the other: the next one begins, with its own step 0, at each boundary.
Schedule join(const std::vector<Schedule>& schedules, const std::vector<int64_t>& boundaries,
              Where where = Where::current());

// A learning rate: a number, an Array (f32[], so that it may change without another trace), or a schedule.
class Rate {
 public:
  template <Number T>
  Rate(T value) : value_(static_cast<double>(value)) {}  // NOLINT
  Rate(Array value) : array_(std::move(value)) {}        // NOLINT
  // Error for a schedule that is none.
  Rate(Schedule schedule, Where where = Where::current());  // NOLINT
  Operand at(const Array& step) const;

 private:
  double value_ = 0;
  Array array_;
  Schedule schedule_;
};

namespace detail {
// `made` in the dtype of x, and a number where x is one. Error where it has another shape.
Array in_type_of(const Array& made, const Array& x);
}  // namespace detail

// params + updates, in the dtypes of the parameters (optax.apply_updates): for updates of your own.
template <class P>
P apply_updates(P params, const P& updates,
                const std::source_location& line = std::source_location::current()) {
  const tree::TreeScope scope(line, "optim::apply_updates",
                              {{tree::ref(params), "params"}, {tree::ref(updates), "updates"}});
  return tree::map(
      [](const Array& p, const Array& u) {
        return is_inexact(p.dtype()) ? detail::in_type_of(p + u.astype(p.dtype()), p) : p;
      },
      std::move(params), updates);
}

// --- optimisers: their options, and their states ---

struct Sgd {
  ingot::detail::ByName by_name = ingot::detail::ByName();
  Rate rate = 0.01;
  double momentum = 0;
  bool nesterov = false;
};
template <class P>
struct SgdState {
  Array step;
  P trace;  // of gradients; zeros where there is no momentum
};

// Kingma and Ba, "Adam: a method for stochastic optimization", 2014.
struct Adam {
  ingot::detail::ByName by_name = ingot::detail::ByName();
  Rate rate = 1e-3;
  double b1 = 0.9, b2 = 0.999;  // how much of the moments stays in a step
  double eps = 1e-8;            // outside of the root
  double eps_root = 0;          // inside
  bool nesterov = false;
};
template <class P>
struct AdamState {
  Array step;
  P mu, nu;  // running means of gradients and of their squares
};
// Adam with decoupled weight decay (Loshchilov and Hutter, 2017).
struct AdamW {
  ingot::detail::ByName by_name = ingot::detail::ByName();
  Rate rate = 1e-3;
  double b1 = 0.9, b2 = 0.999;
  double eps = 1e-8;
  double eps_root = 0;
  double weight_decay = 1e-4;
  bool nesterov = false;
};

// Chen et al., "Symbolic discovery of optimization algorithms", 2023.
struct Lion {
  ingot::detail::ByName by_name = ingot::detail::ByName();
  Rate rate = 1e-4;
  double b1 = 0.9, b2 = 0.99;
  double weight_decay = 1e-3;
};
template <class P>
struct LionState {
  Array step;
  P mu;
};

// Tieleman and Hinton, lecture 6.5 of "Neural networks for machine learning", 2012.
struct RmsProp {
  ingot::detail::ByName by_name = ingot::detail::ByName();
  Rate rate = 1e-3;
  double decay = 0.9;
  double eps = 1e-8;         // inside of the root
  double initial_scale = 0;  // of the mean of squares
  bool centered = false;     // divides by the deviation from the mean
  double momentum = 0;
  bool nesterov = false;
};
template <class P>
struct RmsPropState {
  Array step;
  P mu, nu, trace;  // zeros where they are not used
};

// Duchi, Hazan and Singer, "Adaptive subgradient methods for online learning", 2011.
struct AdaGrad {
  ingot::detail::ByName by_name = ingot::detail::ByName();
  Rate rate = 0.1;
  double initial = 0.1;  // of the sum of squares
  double eps = 1e-7;
};
template <class P>
struct AdaGradState {
  Array step;
  P squares;
};

template <class P, class S>
struct Updated {
  P params;
  S state;
};

namespace detail {

// In an update while one lives: a TreeScope. Error, which names the leaf, where a gradient or a part of the
// state has another shape than the parameter that it belongs to. The state is a step and trees as that of the
// parameters.
class UpdateScope {
 public:
  template <class P, class State>
  UpdateScope(const std::source_location& where, const P& gradients, const State& state, const P& params)
      : UpdateScope(where, tree::ref(gradients), tree::ref(state), tree::ref(params)) {}

 private:
  UpdateScope(const std::source_location& where, tree::Ref gradients, tree::Ref state, tree::Ref params);

  tree::TreeScope scope_;
};

inline Array first_step() {
  return Array::zeros({}, DType::kS32);
}
// The tree of fn(array, ...) where the first array is floating or complex, and of the first array elsewhere.
template <class F, class V, class... Others>
V map_floats(F&& fn, V first, const Others&... others) {
  return tree::map(
      [&](const Array& x, const auto&... rest) -> Array {
        return is_inexact(x.dtype()) ? in_type_of(fn(x, rest...), x) : x;
      },
      std::move(first), others...);
}
// mean * decay + x * (1 - decay)
template <class P>
P running(const P& mean, const P& x, double decay) {
  return map_floats([&](const Array& m, const Array& g) { return (1 - decay) * g + decay * m; }, mean, x);
}
template <class P>
P running_square(const P& mean, const P& x, double decay) {
  return map_floats(
      [&](const Array& m, const Array& g) { return (1 - decay) * real(g * conj(g)) + decay * m; }, mean, x);
}
// 1 - decay^step, by which a running mean that began with 0 is divided.
Array bias(double decay, const Array& step);
template <class P>
P traced(const P& trace, const P& x, double momentum) {
  return map_floats([&](const Array& t, const Array& g) { return g + momentum * t; }, trace, x);
}

template <class P>
P adam_direction(const Adam& o, const P& gradients, const AdamState<P>& next) {
  const Array of_nu = bias(o.b2, next.step);
  const Array of_mu = bias(o.b1, o.nesterov ? next.step + 1 : next.step), of_g = bias(o.b1, next.step);
  return map_floats(
      [&](const Array& g, const Array& m, const Array& n) {
        Array mean = m / of_mu.astype(m.dtype());
        if (o.nesterov) mean = o.b1 * mean + (1 - o.b1) * (g / of_g.astype(g.dtype()));
        return mean / (sqrt(n / of_nu.astype(n.dtype()) + o.eps_root) + o.eps);
      },
      gradients, next.mu, next.nu);
}
template <class P>
AdamState<P> adam_state(const Adam& o, const P& gradients, const AdamState<P>& state) {
  return {state.step + 1, running(state.mu, gradients, o.b1), running_square(state.nu, gradients, o.b2)};
}
// params - rate * (direction + decay * params)
template <class P>
P stepped(const P& params, const P& direction, const Operand& rate, double decay = 0) {
  return map_floats(
      [&](const Array& p, const Array& d) { return p - rate * (decay == 0 ? d : d + decay * p); }, params,
      direction);
}

}  // namespace detail

template <class P>
SgdState<P> init(const Sgd&, const P& params,
                 const std::source_location& line = std::source_location::current()) {
  const tree::TreeScope scope(line, "optim::init", {{tree::ref(params), "params"}});
  return {detail::first_step(), tree::zeros_like(params)};
}
template <class P>
Updated<P, SgdState<P>> update(const Sgd& o, const P& gradients, const SgdState<P>& state, const P& params,
                               const std::source_location& line = std::source_location::current()) {
  const detail::UpdateScope scope(line, gradients, state, params);
  const Operand rate = o.rate.at(state.step);
  if (o.momentum == 0) return {detail::stepped(params, gradients, rate), {state.step + 1, state.trace}};
  const P trace = detail::traced(state.trace, gradients, o.momentum);
  const P direction = o.nesterov ? detail::traced(trace, gradients, o.momentum) : trace;
  return {detail::stepped(params, direction, rate), {state.step + 1, trace}};
}

template <class P>
AdamState<P> init(const Adam&, const P& params,
                  const std::source_location& line = std::source_location::current()) {
  const tree::TreeScope scope(line, "optim::init", {{tree::ref(params), "params"}});
  return {detail::first_step(), tree::zeros_like(params), tree::zeros_like(params)};
}
template <class P>
Updated<P, AdamState<P>> update(const Adam& o, const P& gradients, const AdamState<P>& state, const P& params,
                                const std::source_location& line = std::source_location::current()) {
  const detail::UpdateScope scope(line, gradients, state, params);
  const AdamState<P> next = detail::adam_state(o, gradients, state);
  return {detail::stepped(params, detail::adam_direction(o, gradients, next), o.rate.at(state.step)), next};
}

template <class P>
AdamState<P> init(const AdamW&, const P& params,
                  const std::source_location& line = std::source_location::current()) {
  const tree::TreeScope scope(line, "optim::init", {{tree::ref(params), "params"}});
  return init(Adam(), params);
}
template <class P>
Updated<P, AdamState<P>> update(const AdamW& o, const P& gradients, const AdamState<P>& state,
                                const P& params,
                                const std::source_location& line = std::source_location::current()) {
  const detail::UpdateScope scope(line, gradients, state, params);
  const Adam adam{
      .rate = o.rate, .b1 = o.b1, .b2 = o.b2, .eps = o.eps, .eps_root = o.eps_root, .nesterov = o.nesterov};
  const AdamState<P> next = detail::adam_state(adam, gradients, state);
  return {detail::stepped(params, detail::adam_direction(adam, gradients, next), o.rate.at(state.step),
                          o.weight_decay),
          next};
}

template <class P>
LionState<P> init(const Lion&, const P& params,
                  const std::source_location& line = std::source_location::current()) {
  const tree::TreeScope scope(line, "optim::init", {{tree::ref(params), "params"}});
  return {detail::first_step(), tree::zeros_like(params)};
}
template <class P>
Updated<P, LionState<P>> update(const Lion& o, const P& gradients, const LionState<P>& state, const P& params,
                                const std::source_location& line = std::source_location::current()) {
  const detail::UpdateScope scope(line, gradients, state, params);
  const P direction =
      detail::map_floats([](const Array& x) { return sign(x); }, detail::running(state.mu, gradients, o.b1));
  return {detail::stepped(params, direction, o.rate.at(state.step), o.weight_decay),
          {state.step + 1, detail::running(state.mu, gradients, o.b2)}};
}

template <class P>
RmsPropState<P> init(const RmsProp& o, const P& params,
                     const std::source_location& line = std::source_location::current()) {
  const tree::TreeScope scope(line, "optim::init", {{tree::ref(params), "params"}});
  const P zeros = tree::zeros_like(params);
  return {detail::first_step(), zeros,
          detail::map_floats([&](const Array& x) { return x + o.initial_scale; }, zeros), zeros};
}
template <class P>
Updated<P, RmsPropState<P>> update(const RmsProp& o, const P& gradients, const RmsPropState<P>& state,
                                   const P& params,
                                   const std::source_location& line = std::source_location::current()) {
  const detail::UpdateScope scope(line, gradients, state, params);
  RmsPropState<P> next = state;
  next.step = state.step + 1;
  next.nu = detail::running_square(state.nu, gradients, o.decay);
  if (o.centered) next.mu = detail::running(state.mu, gradients, o.decay);
  const Operand rate = o.rate.at(state.step);
  P change = detail::map_floats(
      [&](const Array& g, const Array& m, const Array& n) {
        const Array variance = o.centered ? n - real(m * conj(m)) : n;
        return rate * (g * rsqrt(variance + o.eps));
      },
      gradients, next.mu, next.nu);
  if (o.momentum != 0) {
    next.trace = detail::traced(state.trace, change, o.momentum);
    change = o.nesterov ? detail::traced(next.trace, change, o.momentum) : next.trace;
  }
  return {detail::stepped(params, change, Operand(1)), next};
}

template <class P>
AdaGradState<P> init(const AdaGrad& o, const P& params,
                     const std::source_location& line = std::source_location::current()) {
  const tree::TreeScope scope(line, "optim::init", {{tree::ref(params), "params"}});
  return {detail::first_step(),
          detail::map_floats([&](const Array& x) { return Array::full(x.shape(), o.initial, x.dtype()); },
                             params)};
}
template <class P>
Updated<P, AdaGradState<P>> update(const AdaGrad& o, const P& gradients, const AdaGradState<P>& state,
                                   const P& params,
                                   const std::source_location& line = std::source_location::current()) {
  const detail::UpdateScope scope(line, gradients, state, params);
  const P squares = detail::map_floats([](const Array& s, const Array& g) { return real(g * conj(g)) + s; },
                                       state.squares, gradients);
  const P direction = detail::map_floats(
      [&](const Array& g, const Array& s) { return where(real(s) > 0, rsqrt(s + o.eps), 0) * g; }, gradients,
      squares);
  return {detail::stepped(params, direction, o.rate.at(state.step)), {state.step + 1, squares}};
}

// --- gradients that are cut off ---

namespace detail {
void check_limit(const char* name, double limit, const std::source_location& where);
}

// Each element to between -limit and limit.
template <class P>
P clip(const P& gradients, double limit, const std::source_location& line = std::source_location::current()) {
  const tree::TreeScope scope(line, "optim::clip", {{tree::ref(gradients), "gradients"}});
  detail::check_limit("optim::clip", limit, line);
  return detail::map_floats([&](const Array& g) { return ingot::clip(g, -limit, limit); }, gradients);
}
// All of them scaled so that the root of the sum of squares is at most `limit`.
template <class P>
P clip_by_global_norm(const P& gradients, double limit,
                      const std::source_location& line = std::source_location::current()) {
  const tree::TreeScope scope(line, "optim::clip_by_global_norm", {{tree::ref(gradients), "gradients"}});
  detail::check_limit("optim::clip_by_global_norm", limit, line);
  const Array norm = tree::norm(gradients);
  return detail::map_floats(
      [&](const Array& g) {
        return ingot::where(norm < limit, g, (g / norm.astype(real_dtype(g.dtype()))) * limit);
      },
      gradients);
}

}  // namespace ingot::optim
