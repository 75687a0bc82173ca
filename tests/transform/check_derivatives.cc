#include "transform/check_derivatives.h"

#include <cmath>

#include "interpreter/interpreter.h"
#include "ir/builder.h"
#include "ir/text.h"
#include "ir/verifier.h"
#include "testing/differential.h"
#include "testing/tensors.h"
#include "transform/extract.h"

namespace ingot::testing {
namespace {

using transform::Derivatives;
using transform::Mask;
using Tensors = std::vector<Tensor>;

constexpr double kStep = 1e-5;

Mask floating_arguments(const ir::Function& function) {
  Mask mask;
  for (const ir::Value* argument : function.body().arguments()) mask.push_back(is_inexact(argument->dtype()));
  return mask;
}

// Of complex numbers the real part of the products, without a conjugate: cotangents pair so with tangents.
double dot(const Tensors& a, const Tensors& b) {
  double sum = 0;
  for (size_t k = 0; k < a.size(); ++k) {
    for (int64_t i = 0; i < a[k].size(); ++i) sum += (a[k].get_complex(i) * b[k].get_complex(i)).real();
  }
  return sum;
}

Tensors concat(Tensors a, const Tensors& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

template <class T>
std::vector<T> picked(const std::vector<T>& list, const Mask& mask) {
  std::vector<T> result;
  for (size_t i = 0; i < mask.size(); ++i) {
    if (mask[i]) result.push_back(list[i]);
  }
  return result;
}

// A function moved along a tangent by one step and by a tenth of it, forwards and backwards, brackets its
// derivative: between the slopes to both sides, wherever these differ. Where a slope grows as the step
// shrinks the function jumps, and there is nothing to compare.
struct Bracket {
  std::vector<double> low, high;  // by element
  std::vector<bool> jumps;
};

Bracket bracket(const Tensor& here, const Tensor& up, const Tensor& down, const Tensor& up_little,
                const Tensor& down_little) {
  Bracket result;
  for (int64_t i = 0; i < here.size(); ++i) {
    const double f = here.get_double(i);
    const double above = (up.get_double(i) - f) / kStep, below = (f - down.get_double(i)) / kStep;
    const double near_above = (up_little.get_double(i) - f) / (kStep / 10);
    const double near_below = (f - down_little.get_double(i)) / (kStep / 10);
    const double rounding = 1e-9 * (1 + std::fabs(f)) / kStep;
    const auto grows = [&](double near, double far) {
      return !(std::fabs(near) <= 3 * std::fabs(far) + rounding);
    };
    result.low.push_back(std::min(above, below));
    result.high.push_back(std::max(above, below));
    result.jumps.push_back(grows(near_above, above) || grows(near_below, below));
  }
  return result;
}

double slack(double low, double high, double value, double tolerance) {
  return tolerance * (1 + std::fabs(low) + std::fabs(high) + std::fabs(value));
}

// One line for the first derivative that is not between the slopes.
std::string outside(const Bracket& bracket, const Tensor& derivative, const Tensor& value, double tolerance) {
  for (int64_t i = 0; i < derivative.size(); ++i) {
    const auto e = static_cast<size_t>(i);
    const double d = derivative.get_double(i), low = bracket.low[e], high = bracket.high[e];
    const double room = slack(low, high, value.get_double(i), tolerance);
    if (bracket.jumps[e] || (d >= low - room && d <= high + room)) continue;
    return "element " + std::to_string(i) + " is " + std::to_string(d) + ", not between " +
           std::to_string(low) + " and " + std::to_string(high);
  }
  return "";
}

void count(const Bracket& bracket, Coverage* coverage) {
  if (coverage == nullptr) return;
  for (size_t i = 0; i < bracket.jumps.size(); ++i) {
    const double low = bracket.low[i], high = bracket.high[i];
    ++coverage->elements;
    coverage->compared += bracket.jumps[i] ? 0 : 1;
    coverage->sharp += !bracket.jumps[i] && high - low <= 1e-3 * (1 + std::fabs(low)) ? 1 : 0;
  }
}

// Where the sum of cotangents times slopes lies.
struct Interval {
  double low = 0, high = 0, room = 0;
};
void add_to(Interval& sum, const Bracket& bracket, const Tensor& cotangents, const Tensor& value,
            double tolerance) {
  for (int64_t i = 0; i < cotangents.size(); ++i) {
    const auto e = static_cast<size_t>(i);
    const double ct = cotangents.get_double(i);
    if (ct == 0) continue;
    sum.low += std::min(ct * bracket.low[e], ct * bracket.high[e]);
    sum.high += std::max(ct * bracket.low[e], ct * bracket.high[e]);
    sum.room += std::fabs(ct) * slack(bracket.low[e], bracket.high[e], value.get_double(i), tolerance);
  }
}

class Checker {
 public:
  Checker(const ir::Module& module, uint64_t seed, const DerivativeOptions& options)
      : module_(clone(module)), derivatives_(*module_), random_(seed), options_(options) {
    function_ = module_->entry();
    active_ = floating_arguments(*function_);
    for (const ir::Value* argument : function_->body().arguments()) {
      Tensor x = random_tensor(random_, argument->dtype(), argument->shape());
      if (!options.points.empty() && is_float(x.dtype())) {
        for (int64_t i = 0; i < x.size(); ++i)
          x.set_double(i, options.points[random_() % options.points.size()]);
      }
      if (options.positive && is_inexact(x.dtype())) {
        for (int64_t i = 0; i < x.size(); ++i) x.set_complex(i, x.get_complex(i) / 2.0 + 1.3);
      }
      arguments_.push_back(x);
      if (is_inexact(argument->dtype()))
        tangents_.push_back(random_tensor(random_, argument->dtype(), argument->shape()));
    }
  }

  void run() {
    results_ = interpret(*function_, arguments_);
    forward_mode();
    linear_mode();
    reverse_mode();
  }

 private:
  [[noreturn]] static void fail(const std::string& text) { throw text; }

  static void expect(const std::string& what, const Tensors& actual, const Tensors& expected,
                     double tolerance) {
    for (size_t i = 0; i < expected.size(); ++i) {
      const std::string text = difference(actual[i], expected[i], tolerance);
      if (!text.empty()) fail(what + " " + std::to_string(i) + ": " + text);
    }
  }

  // Results at arguments moved along the tangents.
  Tensors moved(double step) const {
    Tensors inputs;
    size_t next = 0;
    for (size_t k = 0; k < arguments_.size(); ++k) {
      if (!active_[k]) {
        inputs.push_back(arguments_[k]);
        continue;
      }
      const Tensor& tangent = tangents_[next++];
      Tensor x(arguments_[k].dtype(), arguments_[k].shape());
      for (int64_t i = 0; i < x.size(); ++i)
        x.set_complex(i, arguments_[k].get_complex(i) + step * tangent.get_complex(i));
      inputs.push_back(x);
    }
    return interpret(*function_, inputs);
  }

  void forward_mode() {
    const transform::Jvp& jvp = derivatives_.jvp(function_, active_);
    verify(*module_);
    const Tensors outputs = interpret(*jvp.function, concat(arguments_, tangents_));
    expect("value under jvp", outputs, results_, 1e-12);
    has_tangent_ = jvp.result_tangents;
    result_tangents_.assign(outputs.begin() + static_cast<std::ptrdiff_t>(results_.size()), outputs.end());
    if (options_.smooth) finite_differences();
    if (options_.bracketed) one_sided_differences();
    if (options_.compiled) {
      const std::string text = compiled(*transform::extract(*jvp.function));
      if (!text.empty()) fail("jvp, compiled: " + text + "\n" + to_string(*jvp.function));
    }
  }

  std::string compiled(const ir::Module& module) const {
    const std::vector<double> tolerances(module.entry()->body().results().size(),
                                         options_.compiled_tolerance);
    return check_compiled(module, options_.compiled_tolerance > 0 ? tolerances : std::vector<double>(), 1);
  }

  void finite_differences() {
    const Tensors above = moved(kStep), below = moved(-kStep);
    size_t next = 0;
    for (size_t k = 0; k < results_.size(); ++k) {
      if (!is_inexact(results_[k].dtype())) continue;
      Tensor slope(results_[k].dtype(), results_[k].shape());
      for (int64_t i = 0; i < slope.size(); ++i)
        slope.set_complex(i, (above[k].get_complex(i) - below[k].get_complex(i)) / (2 * kStep));
      const Tensor zero(slope.dtype(), slope.shape());
      const std::string text =
          difference(has_tangent_[k] ? result_tangents_[next++] : zero, slope, options_.tolerance);
      if (!text.empty())
        fail("tangent of result " + std::to_string(k) + " against finite differences: " + text);
    }
  }

  void one_sided_differences() {
    const Tensors up = moved(kStep), down = moved(-kStep), up_little = moved(kStep / 10),
                  down_little = moved(-kStep / 10);
    size_t next = 0;
    for (size_t k = 0; k < results_.size(); ++k) {
      brackets_.emplace_back();
      if (!is_float(results_[k].dtype())) {
        next += has_tangent_[k];
        continue;
      }
      brackets_[k] = bracket(results_[k], up[k], down[k], up_little[k], down_little[k]);
      count(brackets_[k], options_.coverage);
      const Tensor zero(results_[k].dtype(), results_[k].shape());
      const std::string text = outside(brackets_[k], has_tangent_[k] ? result_tangents_[next++] : zero,
                                       results_[k], options_.bracket_tolerance);
      if (!text.empty())
        fail("tangent of result " + std::to_string(k) + " against one-sided differences: " + text);
    }
  }

  void linear_mode() {
    const transform::Linearized& linearized = derivatives_.linearize(function_, active_);
    verify(*module_);
    if (linearized.result_tangents != has_tangent_) fail("the linearisation has other tangents than the jvp");
    const Tensors outputs = interpret(*linearized.forward, arguments_);
    expect("value under linearize", outputs, results_, 1e-12);
    Tensors inputs = tangents_;
    for (const auto& residual : linearized.residuals)
      inputs.push_back((residual.is_argument ? arguments_ : outputs)[static_cast<size_t>(residual.index)]);
    expect("linear function", interpret(*linearized.linear, inputs), result_tangents_, 1e-9);
  }

  void reverse_mode() {
    const Gradient gradient = gradient_of(*transform::extract(*function_));
    verify(*gradient.module);
    Tensors cotangents;
    Interval between;
    for (size_t k = 0; k < results_.size(); ++k) {
      if (!gradient.cotangents[k]) continue;
      cotangents.push_back(random_tensor(random_, results_[k].dtype(), results_[k].shape()));
      if (brackets_.empty()) continue;
      if (brackets_[k].low.empty()) {
        // Complex numbers have no bracket; what they add to the sum is what the forward mode says.
        const double part = dot({result_tangents_[cotangents.size() - 1]}, {cotangents.back()});
        between.low += part;
        between.high += part;
        between.room += 1e-9 * (1 + std::fabs(part));
        continue;
      }
      for (int64_t i = 0; i < cotangents.back().size(); ++i) {
        if (brackets_[k].jumps[static_cast<size_t>(i)]) cotangents.back().set_double(i, 0);
      }
      add_to(between, brackets_[k], cotangents.back(), results_[k], options_.bracket_tolerance);
    }
    const Tensors gradients = interpret(*gradient.module, concat(arguments_, cotangents));
    Tensors along;
    size_t next = 0;
    for (size_t k = 0, active = 0; k < arguments_.size(); ++k) {
      if (!active_[k]) continue;
      if (next < gradient.arguments.size() && gradient.arguments[next] == static_cast<int>(k)) {
        along.push_back(tangents_[active]);
        ++next;
      }
      ++active;
    }
    const double forward = dot(result_tangents_, cotangents), backward = dot(along, gradients);
    if (!brackets_.empty() &&
        !(backward >= between.low - between.room && backward <= between.high + between.room))
      fail("reverse mode against one-sided differences: " + std::to_string(backward) + " is not between " +
           std::to_string(between.low) + " and " + std::to_string(between.high) + "\n" +
           to_string(*gradient.module));
    if (!(std::fabs(forward - backward) <= 1e-9 * (1 + std::fabs(forward) + std::fabs(backward))))
      fail("reverse against forward mode: " + std::to_string(backward) + " should be " +
           std::to_string(forward) + "\n" + to_string(*gradient.module));
    if (options_.compiled) {
      const std::string text = compiled(*gradient.module);
      if (!text.empty()) fail("gradient, compiled: " + text + "\n" + to_string(*gradient.module));
    }
    if (options_.order < 2) return;
    DerivativeOptions next_order = options_;
    --next_order.order;
    const std::string text = check_derivatives(*gradient.module, 7, next_order);
    if (!text.empty()) fail("of the gradient: " + text);
  }

  std::unique_ptr<ir::Module> module_;
  Derivatives derivatives_;
  Random random_;
  DerivativeOptions options_;
  ir::Function* function_;
  Mask active_, has_tangent_;
  Tensors arguments_, tangents_, results_, result_tangents_;
  std::vector<Bracket> brackets_;  // of results; empty where nobody asked
};

}  // namespace

Gradient gradient_of(const ir::Module& source) {
  std::unique_ptr<ir::Module> module = clone(source);
  Derivatives derivatives(*module);
  ir::Function* function = module->entry();
  const Mask active = floating_arguments(*function);
  const transform::Linearized& linearized = derivatives.linearize(function, active);
  Mask linear(static_cast<size_t>(linearized.linear->body().argument_count()), false);
  std::vector<int> active_arguments;
  for (size_t i = 0; i < active.size(); ++i) {
    if (active[i]) active_arguments.push_back(static_cast<int>(i));
  }
  std::fill(linear.begin(), linear.begin() + static_cast<std::ptrdiff_t>(active_arguments.size()), true);
  Gradient gradient;
  gradient.cotangents = linearized.result_tangents;
  const Mask all(linearized.linear->body().results().size(), true);
  const transform::Transposed& transposed = derivatives.transpose(linearized.linear, linear, all);

  ir::Function* root = module->add_function("gradient");
  std::vector<ir::Value*> arguments, operands;
  for (const ir::Value* argument : function->body().arguments())
    arguments.push_back(root->body().add_argument(argument->type(), argument->name()));
  for (size_t i = 0; i < gradient.cotangents.size(); ++i) {
    if (gradient.cotangents[i])
      operands.push_back(root->body().add_argument(function->body().results()[i]->type(), "ct"));
  }
  ir::Builder builder(root->body());
  const ir::Op* forward =
      builder.make("call", arguments, {{"callee", ir::Symbol{linearized.forward->name()}}});
  for (int k : transposed.known) {
    const auto& residual = linearized.residuals[static_cast<size_t>(k) - active_arguments.size()];
    operands.push_back(residual.is_argument ? arguments[static_cast<size_t>(residual.index)]
                                            : forward->result(residual.index));
  }
  const ir::Op* backward =
      builder.make("call", operands, {{"callee", ir::Symbol{transposed.function->name()}}});
  root->body().set_results(backward->results());
  for (int k : transposed.arguments) gradient.arguments.push_back(active_arguments[static_cast<size_t>(k)]);
  gradient.module = transform::extract(*root);
  return gradient;
}

std::string check_derivatives(const ir::Module& module, uint64_t seed, const DerivativeOptions& options) {
  try {
    Checker(module, seed, options).run();
    return "";
  } catch (const std::string& text) {
    return text;
  }
}

namespace {

Tensors converted(const Tensors& list, DType from, DType to) {
  Tensors result;
  for (const Tensor& x : list) {
    if (x.dtype() != from) {
      result.push_back(x);
      continue;
    }
    result.emplace_back(to, x.shape());
    for (int64_t i = 0; i < x.size(); ++i) result.back().set_double(i, x.get_double(i));
  }
  return result;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

}  // namespace

std::string check_derivatives_in_f32(const ir::Module& narrow, uint64_t seed, Coverage* coverage) {
  constexpr double kTolerance = 2e-3;  // f32, and what amplifies its errors
  const std::unique_ptr<ir::Module> wide =
      ir::parse(replaced(replaced(to_string(narrow), "f32", "f64"), "c64", "c128"), "wide");
  const std::unique_ptr<ir::Module> module = clone(narrow);
  ir::Function* function = module->entry();
  const Mask active = floating_arguments(*function);
  Random random(seed);
  const Tensors arguments = random_arguments(random, *module);
  Tensors tangents;
  for (const Tensor& x : arguments) {
    if (is_float(x.dtype())) tangents.push_back(random_tensor(random, x.dtype(), x.shape()));
  }
  const auto moved = [&](double step) {
    Tensors inputs = converted(arguments, DType::kF32, DType::kF64);
    size_t next = 0;
    for (Tensor& x : inputs) {
      if (!is_float(x.dtype())) continue;
      const Tensor& tangent = tangents[next++];
      for (int64_t i = 0; i < x.size(); ++i) x.set_double(i, x.get_double(i) + step * tangent.get_double(i));
    }
    return interpret(*wide, inputs);
  };
  const Tensors here = moved(0), up = moved(kStep), down = moved(-kStep), up_little = moved(kStep / 10),
                down_little = moved(-kStep / 10);
  const Gradient gradient = gradient_of(*module);
  Derivatives derivatives(*module);
  const transform::Jvp& jvp = derivatives.jvp(function, active);
  const Tensors outputs = interpret(*jvp.function, concat(arguments, tangents));

  Tensors cotangents;
  Interval between;
  size_t next = here.size();
  for (size_t k = 0; k < here.size(); ++k) {
    if (!is_float(here[k].dtype())) continue;
    const Bracket slopes = bracket(here[k], up[k], down[k], up_little[k], down_little[k]);
    count(slopes, coverage);
    const Tensor zero(here[k].dtype(), here[k].shape());
    const std::string text =
        outside(slopes, jvp.result_tangents[k] ? outputs[next++] : zero, here[k], kTolerance);
    if (!text.empty()) return "tangent of result " + std::to_string(k) + " in f32: " + text;
    if (!gradient.cotangents[k]) continue;
    cotangents.push_back(random_tensor(random, DType::kF32, here[k].shape()));
    for (int64_t i = 0; i < zero.size(); ++i) {
      if (slopes.jumps[static_cast<size_t>(i)]) cotangents.back().set_double(i, 0);
    }
    add_to(between, slopes, cotangents.back(), here[k], kTolerance);
  }
  const Tensors gradients = interpret(*gradient.module, concat(arguments, cotangents));
  double backward = 0, magnitude = 0;
  for (size_t k = 0, g = 0, t = 0; k < arguments.size(); ++k) {
    if (!active[k]) continue;
    const Tensor& tangent = tangents[t++];
    if (g >= gradient.arguments.size() || gradient.arguments[g] != static_cast<int>(k)) continue;
    for (int64_t i = 0; i < tangent.size(); ++i) {
      const double term = tangent.get_double(i) * gradients[g].get_double(i);
      backward += term;
      magnitude += std::fabs(term);
    }
    ++g;
  }
  between.room += 1e-4 * magnitude;
  if (backward >= between.low - between.room && backward <= between.high + between.room) return "";
  return "reverse mode in f32: " + std::to_string(backward) + " is not between " +
         std::to_string(between.low) + " and " + std::to_string(between.high);
}

}  // namespace ingot::testing
