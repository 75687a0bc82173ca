// Derivatives of functions over trees of arrays.
//
//   struct Params { Array w, b; };
//   const auto loss = [](Params p, Array x, Array y) { return mean(square(dot(x, p.w) + p.b - y)); };
//   Params g = ingot::grad(loss)(p, x, y);                  // of the type of p
//   auto [value, g2] = ingot::value_and_grad(loss)(p, x, y);
//
// All work inside and outside of jit, on jitted functions and on each other, to any order. Reverse mode
// (grad, vjp) linearises the traced program and transposes what is linear; nothing is recorded while it runs.
// A jitted function that is called many times is differentiated once and compiled once.
//
// Tangents and cotangents have the type of their value. An array of integers or preds has no derivative:
// where the tree has a place for one, it is zero and of the same type, and what is given for one is not
// looked at. Arrays that a function captures are constants for its derivative, but not for one taken around
// it.
//
// Complex numbers. The gradient of a real function u of z = x + i y is du/dx - i du/dy, as in JAX: what is
// descended along is its conjugate. A function with a complex result has a gradient only if it is
// holomorphic, and said to be (kHolomorphic); for others there are jvp and vjp, which pair cotangents and
// tangents by the real part of their product.
#pragma once

#include <source_location>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "ingot/checkpoint.h"
#include "ingot/detail/derive.h"
#include "ingot/jit.h"
#include "ingot/scan.h"

namespace ingot {

// The function returns std::pair(value, aux), and only the value is differentiated.
struct HasAux {};
inline constexpr HasAux kHasAux;
// The function is differentiable as one of complex numbers.
struct Holomorphic {};
inline constexpr Holomorphic kHolomorphic;

namespace detail {

// grad and its relatives as functions to be jitted.
template <class F, bool kAux, bool kValue, bool kComplex, size_t... I>
struct Grad {
  using Inner = F;
  F f;
  std::source_location where;
  const char* name;  // what the user called

  Identity identity() const { return identity_around<Grad>(identity_of(f)); }
  template <class... Args>
  static constexpr bool check() {
    constexpr bool there = ((I < sizeof...(Args)) && ...);
    static_assert(there, "ingot::grad: the function takes fewer arguments");
    if constexpr (there)
      return check_call<F, true, true, Args...>();
    else
      return false;
  }
  template <class... Args>
  auto operator()(const Args&... args) const {
    LeafCall<F, Args...> call(f, args...);
    const Linearized at = linearize(name, call, call.arguments(), call.leaves_of({I...}), 1, where);
    const std::vector<Array> gradients = gradient(at, kAux, kComplex, where);
    auto gradient = only_or_tuple(call.template argument<I>(gradients)...);
    if constexpr (!kAux && !kValue) {
      return gradient;
    } else {
      auto result = call.result(at.results);
      if constexpr (!kAux) {
        return std::pair(std::move(result), std::move(gradient));
      } else {
        auto& [value, aux] = result;
        if constexpr (kValue)
          return std::pair(std::pair(std::move(value), std::move(aux)), std::move(gradient));
        else
          return std::pair(std::move(gradient), std::move(aux));
      }
    }
  }
};

template <bool kAux, bool kValue, bool kComplex, size_t... I, class F>
auto make_grad(F&& f, const std::source_location& where, const char* name = "grad") {
  using Function = std::decay_t<F>;
  if constexpr (sizeof...(I) == 0) {
    return wrapped(Grad<Function, kAux, kValue, kComplex, 0>{std::forward<F>(f), where, name}, where);
  } else {
    return wrapped(Grad<Function, kAux, kValue, kComplex, I...>{std::forward<F>(f), where, name}, where);
  }
}

}  // namespace detail

// --- gradients of scalar functions, in reverse mode

// The function that takes the arguments of f, which returns a floating scalar, and returns the gradient in
// argument I (default: the first): a tree of the argument's type and shapes. With several I a std::tuple of
// them. Error, naming the leaf, if f returns no floating scalar or the argument holds no floating array.
template <size_t... I, class F>
auto grad(F&& f, const std::source_location& where = std::source_location::current()) {
  return detail::make_grad<false, false, false, I...>(std::forward<F>(f), where);
}
// The derivative of a function of complex numbers that has one as such (d f(z) / dz): of complex arguments,
// to a complex scalar. Error for other ones.
template <size_t... I, class F>
auto grad(F&& f, Holomorphic, const std::source_location& where = std::source_location::current()) {
  return detail::make_grad<false, false, true, I...>(std::forward<F>(f), where);
}
// f returns std::pair(value, aux): std::pair(gradient, aux).
template <size_t... I, class F>
auto grad(F&& f, HasAux, const std::source_location& where = std::source_location::current()) {
  return detail::make_grad<true, false, false, I...>(std::forward<F>(f), where);
}
// std::pair(value, gradient); with aux std::pair(std::pair(value, aux), gradient).
template <size_t... I, class F>
auto value_and_grad(F&& f, const std::source_location& where = std::source_location::current()) {
  return detail::make_grad<false, true, false, I...>(std::forward<F>(f), where, "value_and_grad");
}
template <size_t... I, class F>
auto value_and_grad(F&& f, HasAux, const std::source_location& where = std::source_location::current()) {
  return detail::make_grad<true, true, false, I...>(std::forward<F>(f), where, "value_and_grad");
}

// --- derivatives at a point. The primals are one argument of f, or a std::tuple of all of them.

// std::pair(f(primals), the derivative of f in the direction of the tangents), in forward mode. Error, naming
// the leaf, if a tangent has another type than its primal, or stands elsewhere in its tree: tangents are
// trees of the structure of the primals, static values and keys of maps included.
template <class F, class Primals, class Tangents>
auto jvp(const F& f, const Primals& primals, const Tangents& tangents,
         const std::source_location& where = std::source_location::current()) {
  if constexpr (detail::TakesPrimals<F, Primals>::check()) {
    auto call = detail::leaf_call(f, primals);
    const detail::DirectionalDerivative at =
        detail::jvp("jvp", call, call.arguments(),
                    detail::leaves_of_parts<detail::argument_count<Primals>>(tangents, "tangent"), where);
    return std::pair(call.result(at.results), call.result(at.tangents));
  }
}

// The derivative of f at a point, a linear function of tangents of the primals.
template <class Primals, class Result>
class LinearFunction {
 public:
  LinearFunction(detail::Linearized at, Result prototype)
      : at_(std::move(at)), prototype_(std::move(prototype)) {}
  Result operator()(const Primals& tangents,
                    const std::source_location& where = std::source_location::current()) const {
    constexpr size_t kCount = detail::argument_count<Primals>;
    return detail::with_leaves(
        prototype_, push_forward(at_, detail::leaves_of_parts<kCount>(tangents, "tangent"), where));
  }

 private:
  detail::Linearized at_;
  Result prototype_;
};

// Its transpose: from a cotangent of the result to cotangents of the primals.
template <class Primals, class Result>
class Pullback {
 public:
  Pullback(detail::Linearized at, Primals prototype) : at_(std::move(at)), prototype_(std::move(prototype)) {}
  Primals operator()(const Result& cotangent,
                     const std::source_location& where = std::source_location::current()) const {
    return detail::with_leaves(prototype_,
                               pull_back(at_, detail::leaf_arrays(cotangent, "cotangent"), where));
  }

 private:
  detail::Linearized at_;
  Primals prototype_;
};

// std::pair(f(primals), pullback). The pullback keeps what it needs of the computation, and may be called any
// number of times.
template <class F, class Primals>
auto vjp(const F& f, const Primals& primals,
         const std::source_location& where = std::source_location::current()) {
  if constexpr (detail::TakesPrimals<F, Primals>::check()) {
    auto call = detail::leaf_call(f, primals);
    detail::Linearized at = linearize("vjp", call, call.arguments(), call.all_leaves(), -1, where);
    auto result = call.result(at.results);
    using Inputs = tree::traced_t<Primals>;
    Inputs inputs = detail::with_leaves(primals, call.arguments().arrays);
    return std::pair(result, Pullback<Inputs, decltype(result)>(std::move(at), std::move(inputs)));
  }
}

// std::pair(f(primals), linear function): jvp with f done once, for many tangents.
template <class F, class Primals>
auto linearize(const F& f, const Primals& primals,
               const std::source_location& where = std::source_location::current()) {
  if constexpr (detail::TakesPrimals<F, Primals>::check()) {
    auto call = detail::leaf_call(f, primals);
    detail::Linearized at = linearize("linearize", call, call.arguments(), call.all_leaves(), -1, where);
    auto result = call.result(at.results);
    using Inputs = tree::traced_t<Primals>;
    return std::pair(result, LinearFunction<Inputs, decltype(result)>(std::move(at), result));
  }
}

// --- whole Jacobians

namespace detail {

template <class F, bool kForward, size_t I>
struct Jacobian {
  using Inner = F;
  F f;
  std::source_location where;

  Identity identity() const { return identity_around<Jacobian>(identity_of(f)); }
  template <class... Args>
  static constexpr bool check() {
    constexpr bool there = I < sizeof...(Args);
    static_assert(there, "ingot::jacobian: the function takes fewer arguments");
    if constexpr (there)
      return check_call<F, true, true, Args...>();
    else
      return false;
  }
  template <class... Args>
  auto operator()(const Args&... args) const {
    LeafCall<F, Args...> call(f, args...);
    // A row for each leaf of the result, with an array for each leaf of all arguments.
    const std::vector<std::vector<Array>> rows = [&] {
      if constexpr (kForward) {
        return jacobian_by_columns("jacfwd", call, call.arguments(), call.leaves_of({I}), where);
      } else {
        return jacobian_by_rows(linearize("jacrev", call, call.arguments(), call.leaves_of({I}), -1, where),
                                where);
      }
    }();
    using Input = tree::traced_t<std::tuple_element_t<I, std::tuple<Args...>>>;
    using Result = typename LeafCall<F, Args...>::Result;
    if constexpr (std::is_same_v<Result, Array>) {
      return call.template argument<I>(rows[0]);
    } else if constexpr (std::is_same_v<Input, Array>) {
      std::vector<Array> leaves;
      for (const std::vector<Array>& row : rows) leaves.push_back(call.template argument<I>(row));
      return call.result(leaves);
    } else {
      std::vector<Input> trees;
      for (const std::vector<Array>& row : rows) trees.push_back(call.template argument<I>(row));
      return trees;
    }
  }
};

}  // namespace detail

// The function that takes the arguments of f and returns the Jacobian in argument I: for each array of the
// result and each of the argument one of the shape of the first, then of the second. It is a tree of the
// argument if f returns an Array, a tree of the result if the argument is an Array, else a std::vector with a
// tree of the argument for each array of the result. jacfwd takes a column per element of the argument,
// jacrev a row per element of the result; all at once, by vmap.
template <size_t I = 0, class F>
auto jacfwd(F&& f, const std::source_location& where = std::source_location::current()) {
  return detail::wrapped(detail::Jacobian<std::decay_t<F>, true, I>{std::forward<F>(f), where}, where);
}
template <size_t I = 0, class F>
auto jacrev(F&& f, const std::source_location& where = std::source_location::current()) {
  return detail::wrapped(detail::Jacobian<std::decay_t<F>, false, I>{std::forward<F>(f), where}, where);
}
// The second derivatives of a scalar function in argument I: the Jacobian of its gradient, forward over
// reverse.
template <size_t I = 0, class F>
auto hessian(F&& f, const std::source_location& where = std::source_location::current()) {
  return jacfwd<I>(detail::make_grad<false, false, false, I>(std::forward<F>(f), where, "hessian"), where);
}

// The product of the Hessian of a scalar function of one argument with a vector of the argument's type: the
// directional derivative of the gradient, for some two gradients' time.
template <class F, class Primals>
auto hvp(const F& f, const Primals& primal, const Primals& vector,
         const std::source_location& where = std::source_location::current()) {
  const auto gradient = detail::make_grad<false, false, false>(f, where, "hvp");
  auto call = detail::leaf_call(gradient, primal);
  const auto vectors = detail::leaves_of_parts<detail::argument_count<Primals>>(vector, "vector");
  return call.result(detail::jvp("hvp", call, call.arguments(), vectors, where).tangents);
}

// --- saying what the derivative is

// x itself, but constant for derivatives; of every array of a tree.
Array stop_gradient(const Operand& x);
template <class T>
requires(!std::is_convertible_v<const T&, Operand>) T stop_gradient(const T& tree) {
  return tree::map(tree, [](const Array& array) { return stop_gradient(array); });
}

namespace detail {

// f with rules of the user's. Kind::call(call, where, rules..., args...) says what they are for.
template <class Kind, class F, class... Rules>
struct WithRules {
  using Inner = F;
  F f;
  std::tuple<Rules...> rules;
  std::source_location where;

  template <class... Args>
  static constexpr bool check() {
    return check_call<F, true, true, Args...>();
  }
  template <class... Args>
  auto operator()(const Args&... args) const {
    LeafCall<F, Args...> call(f, args...);
    const std::vector<Array> results = ingot::detail::on_each(
        [&](const Rules&... each) { return Kind::call(call, where, each..., args...); }, rules);
    return call.result(results);
  }
};

template <class Kind, class F, class... Rules>
auto with_rules(const std::source_location& where, F&& f, Rules&&... rules) {
  return wrapped(
      WithRules<Kind, std::decay_t<F>, std::decay_t<Rules>...>{
          std::forward<F>(f), {std::forward<Rules>(rules)...}, where},
      where);
}

template <bool kHoldsAll>
struct CustomJvpKind {
  template <class Call, class Rule, class... Args>
  static std::vector<Array> call(Call& call, const std::source_location& where, const Rule& rule,
                                 const Args&... args) {
    using Tuple = std::tuple<tree::traced_t<Args>...>;
    static_assert(
        returns_two<const Rule&, Tuple, Tuple>(),
        "ingot::custom_jvp: the rule takes two std::tuples, of the arguments and of their tangents, "
        "and returns std::pair(result, tangent of the result)");
    if constexpr (returns_two<const Rule&, Tuple, Tuple>()) {
      auto rule_call = std::make_shared<JvpRuleCall<kHoldsAll, Rule, Args...>>(rule, args...);
      return call_custom_jvp(call, std::move(rule_call), call.arguments(), where);
    }
  }
};
using CustomJvp = CustomJvpKind<false>;
// For rules that hold by value all that they use.
using CustomJvpByValue = CustomJvpKind<true>;
struct CustomVjp {
  template <class Call, class Forward, class Backward, class... Args>
  static std::vector<Array> call(Call& call, const std::source_location& where, const Forward& forward,
                                 const Backward& backward, const Args&... args) {
    static_assert(returns_two<const Forward&, tree::traced_t<Args>...>(),
                  "ingot::custom_vjp: the forward function takes the arguments and returns std::pair(result, "
                  "residuals)");
    if constexpr (returns_two<const Forward&, tree::traced_t<Args>...>()) {
      VjpRuleCall<Forward, Backward, Args...> rule_call(forward, backward, args...);
      return call_custom_vjp(call, rule_call, call.arguments(), where);
    }
  }
};
struct CustomTranspose {
  template <class Call, class Transpose, class Residuals, class X>
  static std::vector<Array> call(Call& call, const std::source_location& where, const Transpose& transpose,
                                 const Residuals& residuals, const X&) {
    TransposeRuleCall<Transpose, Call, Residuals> rule_call(transpose, call, residuals);
    const size_t count = leaf_arrays(residuals, "residuals").arrays.size();
    return call_custom_transpose(call, rule_call, call.arguments(), count, where);
  }
};
struct CustomVmap {
  template <class Call, class Rule, class... Args>
  static std::vector<Array> call(Call& call, const std::source_location& where, const Rule& rule,
                                 const Args&... args) {
    constexpr bool takes =
        std::is_invocable_v<const Rule&, int64_t, const std::vector<bool>&, tree::traced_t<Args>...>;
    static_assert(takes,
                  "ingot::custom_vmap: the rule takes (int64_t size, std::vector<bool> batched) before the "
                  "arguments");
    if constexpr (takes) {
      auto rule_call = std::make_shared<BatchRuleCall<Rule, Args...>>(rule, args...);
      return call_custom_vmap(call, std::move(rule_call), call.arguments(), where);
    }
  }
};

}  // namespace detail

// f with a derivative of your own: rule(primals, tangents) takes two std::tuples with an entry per argument
// and returns std::pair(result, tangent of the result), linear in the tangents. It serves forward and reverse
// mode. Neither f nor the rule may use arrays from outside. Error if the rule returns other types or another
// structure than f; where the rule is a function or a lambda without captures it is traced, and that is told,
// when a derivative is first asked for.
template <class F, class Rule>
auto custom_jvp(F&& f, Rule&& rule, const std::source_location& where = std::source_location::current()) {
  return detail::with_rules<detail::CustomJvp>(where, std::forward<F>(f), std::forward<Rule>(rule));
}

// f with a reverse mode of your own: forward(args...) returns std::pair(result, residuals), any tree, and
// backward(residuals, cotangent of the result) a std::tuple of cotangents, one for each argument. Forward
// mode is an Error. None of the three may use arrays from outside. Error if types do not fit, naming the
// leaf.
template <class F, class Forward, class Backward>
auto custom_vjp(F&& f, Forward&& forward, Backward&& backward,
                const std::source_location& where = std::source_location::current()) {
  return detail::with_rules<detail::CustomVjp>(where, std::forward<F>(f), std::forward<Forward>(forward),
                                               std::forward<Backward>(backward));
}

// f(residuals, x), which is linear in x, with a transpose of your own: transpose(residuals, cotangent of the
// result) returns the cotangent of x. The transpose of that is f again. In the residuals f is differentiated
// as it stands. Everything in x and in the result is floating. Neither may use arrays from outside. Error if
// types do not fit, naming the leaf.
template <class F, class Transpose>
auto custom_transpose(F&& f, Transpose&& transpose,
                      const std::source_location& where = std::source_location::current()) {
  return detail::with_rules<detail::CustomTranspose>(where, std::forward<F>(f),
                                                     std::forward<Transpose>(transpose));
}

// f with a batching rule of your own: under vmap, rule(size, batched, args...) is called instead, with a
// batch of `size` in front of each array for which std::vector<bool> batched has true, in the order of the
// arrays, and returns what f does with the batch in front of every array; but not in a branch or loop where
// elements of the batch go different ways, where each is computed by f. Derivatives of a batch, taken
// inside of it or outside, are those of the rule. Neither f nor the rule may use arrays from outside.
template <class F, class Rule>
auto custom_vmap(F&& f, Rule&& rule, const std::source_location& where = std::source_location::current()) {
  return detail::with_rules<detail::CustomVmap>(where, std::forward<F>(f), std::forward<Rule>(rule));
}

// --- looking without running

// What f would return for arguments of these types, as a tree of abstract arrays; nothing is computed.
template <class F, class... Args>
auto eval_shape(const F& f, const Args&... args) {
  if constexpr (detail::check_call<F, true, true, Args...>()) {
    detail::LeafCall<F, Args...> call(f, args...);
    return call.result(detail::result_types(call, call.arguments()));
  }
}

// The IR that f becomes for arguments of these types, as text.
template <class F, class... Args>
std::string make_ir(const F& f, const Args&... args) {
  return jit(f, {.name = "function"}).text(args...);
}

}  // namespace ingot
