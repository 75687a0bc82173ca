// What stands between the templates of autodiff.h and the library: the user's functions as functions over
// leaves.
#pragma once

#include <memory>
#include <optional>
#include <source_location>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "ingot/jit.h"
#include "ingot/scan.h"

namespace ingot::detail {

struct Signature;

// A function of the user's as the tracer sees it.
class LeafFunction {
 public:
  virtual std::vector<Array> run(const std::vector<Array>& leaves) = 0;
  Structure returned;                     // of what the last run has returned
  std::shared_ptr<const void> prototype;  // the tree of that, of any arrays

  // Adds what tells this call from others that may become another program. False if nothing does, since the
  // function has a state.
  virtual bool sign(Signature&) const { return false; }

 protected:
  ~LeafFunction() = default;
};

// The arguments with traced leaves in place of their own, as a user's function takes them.
template <class... Args>
auto traced_arguments(const std::tuple<Args...>& arguments, tree::LeafReader& leaves) {
  return ingot::detail::on_each(
      [&](const auto&... args) {
        return std::tuple<tree::traced_t<std::remove_cvref_t<Args>>...>{tree::to_traced(args, leaves)...};
      },
      arguments);
}
template <class... Args>
auto traced_arguments(const std::tuple<Args...>& arguments, const std::vector<Array>& leaves) {
  tree::LeafReader next(leaves);
  return traced_arguments(arguments, next);
}

// An invocation as a function of the leaves of the arguments.
class InvocationLeaves : public LeafFunction {
 public:
  InvocationLeaves(const Invocation& invocation, const Identity& identity,
                   std::initializer_list<tree::Ref> arguments);
  InvocationLeaves(const InvocationLeaves&) = delete;
  InvocationLeaves& operator=(const InvocationLeaves&) = delete;

  const LeafArrays& arguments() const { return arguments_; }
  std::vector<bool> leaves_of(std::initializer_list<size_t> positions) const;
  std::vector<bool> all_leaves() const;

  std::vector<Array> run(const std::vector<Array>& leaves) override;
  bool sign(Signature& signature) const override;

 protected:
  ~InvocationLeaves() = default;
  // Those of an argument, of one for each leaf of all arguments.
  std::vector<Array> leaves_of_argument(size_t position, const std::vector<Array>& leaves) const;
  const tree::Ref& argument_ref(size_t position) const { return refs_[position]; }

 private:
  Invocation invocation_;
  Identity identity_;
  std::vector<tree::Ref> refs_;
  LeafArrays arguments_;
  std::vector<size_t> starts_;
};

// Where a function lies that a call is to find: an object where it is, the name of a function as a pointer.
template <class F>
struct FunctionAt {
  using Type = F;
  const F& function;
};
template <class F>
requires std::is_function_v<F>
struct FunctionAt<F> {
  using Type = F*;
  F* function;
};

// f(args...) as a function of the leaves of the arguments.
template <class F, class... Args>
class LeafCall final : private FunctionAt<F>, public InvocationLeaves {
 public:
  using Callable = typename FunctionAt<F>::Type;
  using Returned = std::remove_cvref_t<ReturnedBy<Callable, Args...>>;
  using Result = tree::traced_t<Returned>;

  LeafCall(const F& f, const Args&... args)
      : FunctionAt<F>{f},
        InvocationLeaves(invocation_of<Callable, Args...>(&this->function, nullptr),
                         identity_of<Callable>(this->function), {tree::ref(args)...}) {}

  // The result's tree, as the last run has left it, of other arrays.
  Result result(const std::vector<Array>& leaves) const {
    return with_leaves(*static_cast<const Returned*>(prototype.get()), leaves);
  }
  // The tree of argument I of other arrays, taken from one for each leaf of all arguments.
  template <size_t I>
  auto argument(const std::vector<Array>& leaves) const {
    using Argument = std::tuple_element_t<I, std::tuple<Args...>>;
    return with_leaves(*static_cast<const Argument*>(argument_ref(I).value), leaves_of_argument(I, leaves));
  }
};

// Whether f takes the primals, to stand before all that follows from it.
template <class F, class Primals>
struct TakesPrimals {
  static constexpr bool check() { return check_call<F, true, true, Primals>(); }
};
template <class F, class... Args>
struct TakesPrimals<F, std::tuple<Args...>> {
  static constexpr bool check() { return check_call<F, true, true, Args...>(); }
};

// A std::tuple holds the arguments; anything else is the only one.
template <class F, class... Args>
LeafCall<F, Args...> leaf_call(const F& f, const std::tuple<Args...>& primals) {
  return ingot::detail::on_each([&](const Args&... args) { return LeafCall<F, Args...>(f, args...); },
                                primals);
}
template <class F, class Primal>
LeafCall<F, Primal> leaf_call(const F& f, const Primal& primal) {
  return LeafCall<F, Primal>(f, primal);
}

template <class T>
T only_or_tuple(T only) {
  return only;
}
template <class A, class B, class... Rest>
std::tuple<A, B, Rest...> only_or_tuple(A a, B b, Rest... rest) {
  return {std::move(a), std::move(b), std::move(rest)...};
}

// A function of the library's around one of the user's, jitted, so that both are one function of a program,
// and kept where the user's function is.
template <class W>
JitFunction<W> wrapped(W function, const std::source_location& where) {
  return JitFunction<W>(std::move(function), {}, where, Retrace::kAtEachCall);
}

// --- the library's side; runs programs, or records calls of them where a trace is going on

struct LinearizedData;
struct Linearized {
  std::vector<Array> results;
  std::shared_ptr<const LinearizedData> data;
};
// At the given arguments. `active`: which leaves are differentiated, of those that are floating; `wanted`:
// how many of the results, from the first on, -1: all. `what` is the user's function, for errors.
Linearized linearize(const char* what, LeafFunction& f, const LeafArrays& arguments,
                     const std::vector<bool>& active, int wanted, const std::source_location& where);
// One for each leaf of the arguments; empty for those that are not differentiated.
std::vector<Array> gradient(const Linearized& at, bool has_aux, bool holomorphic,
                            const std::source_location& where);
// Of trees that the user gives: Error where they have another structure or other types.
std::vector<Array> pull_back(const Linearized& at, const LeafArrays& cotangents,
                             const std::source_location& where);
std::vector<Array> push_forward(const Linearized& at, const LeafArrays& tangents,
                                const std::source_location& where);

// For each leaf of the result an array for each leaf of the arguments, of the shapes of both.
std::vector<std::vector<Array>> jacobian_by_rows(const Linearized& at, const std::source_location& where);
std::vector<std::vector<Array>> jacobian_by_columns(const char* what, LeafFunction& f,
                                                    const LeafArrays& arguments,
                                                    const std::vector<bool>& active,
                                                    const std::source_location& where);

struct DirectionalDerivative {
  std::vector<Array> results, tangents;
};
DirectionalDerivative jvp(const char* what, LeafFunction& f, const LeafArrays& arguments,
                          const LeafArrays& tangents, const std::source_location& where);

// Abstract arrays.
std::vector<Array> result_types(LeafFunction& f, const LeafArrays& arguments);

// --- rules of the user's

std::vector<Array> call_checkpoint(LeafFunction& f, const LeafArrays& arguments, const std::string& policy,
                                   const std::source_location& where);

// rule(primals, tangents) over the leaves of both, returning those of the result and of its tangent.
class JvpRule : public LeafFunction {
 public:
  Structure result, tangent;  // of what the last run has returned: the leaves of one, then of the other

  virtual ~JvpRule() = default;
  virtual bool may_outlive_the_call() const = 0;
};
std::vector<Array> call_custom_jvp(LeafFunction& f, std::shared_ptr<JvpRule> rule,
                                   const LeafArrays& arguments, const std::source_location& where);

// The tree without its arrays, which may be kept.
template <class T>
tree::traced_t<T> without_leaves(const T& tree) {
  tree::LeafReader none;
  return tree::to_traced(tree, none);
}

// Who calls a rule without state later calls the same. One with a state may refer to variables that are gone
// by then, unless `kHoldsAll` says that it holds what it uses.
template <bool kHoldsAll, class Rule, class... Args>
class JvpRuleCall final : public JvpRule {
 public:
  static constexpr bool kKept =
      (kHoldsAll || std::is_empty_v<Rule> || std::is_pointer_v<Rule>)&&std::is_copy_constructible_v<Rule>;

  JvpRuleCall(const Rule& rule, const Args&... args) : rule_(rule), args_(without_leaves(args)...) {}
  bool may_outlive_the_call() const override { return kKept; }

  std::vector<Array> run(const std::vector<Array>& leaves) override {
    tree::LeafReader next(leaves);
    auto primals = traced_arguments(args_, next);
    auto tangents = traced_arguments(args_, next);
    const auto [value, derivative] = call_traced(rule_, std::move(primals), std::move(tangents));
    LeafArrays all = leaf_arrays(value, "result");
    const LeafArrays pushed = leaf_arrays(derivative, "tangent");
    result = all;
    tangent = pushed;
    append(all.arrays, pushed.arrays);
    returned.names = result.names;
    append(returned.names, tangent.names);
    return std::move(all.arrays);
  }

 private:
  std::conditional_t<kKept, const Rule, const Rule&> rule_;
  std::tuple<tree::traced_t<Args>...> args_;
};

// Both sides of a rule for reverse mode. forward() returns the leaves of the result, then of the residuals;
// backward() takes those of the residuals, then of the result's cotangent, and returns one per argument leaf.
class VjpRule {
 public:
  virtual std::vector<Array> forward(const std::vector<Array>& leaves) = 0;
  virtual LeafArrays backward(const std::vector<Array>& leaves) = 0;
  Structure result;                       // of what forward() has returned
  std::vector<std::string> result_names;  // the paths in that and in the residuals

 protected:
  ~VjpRule() = default;
};
std::vector<Array> call_custom_vjp(LeafFunction& f, VjpRule& rule, const LeafArrays& arguments,
                                   const std::source_location& where);

template <class Forward, class Backward, class... Args>
class VjpRuleCall final : public VjpRule {
 public:
  VjpRuleCall(const Forward& forward, const Backward& backward, const Args&... args)
      : forward_(forward), backward_(backward), args_(args...) {}

  std::vector<Array> forward(const std::vector<Array>& leaves) override {
    auto inputs = traced_arguments(args_, leaves);
    const auto [value, residuals] = ingot::detail::on_each(
        [&](auto&... values) { return call_traced(forward_, std::move(values)...); }, inputs);
    LeafArrays all = leaf_arrays(value, "result");
    result = all;
    result_.emplace(with_leaves(value, all.arrays));
    LeafArrays kept = leaf_arrays(residuals, "residuals");
    residuals_.emplace(with_leaves(residuals, kept.arrays));
    result_names = std::move(all.names);
    append(result_names, kept.names);
    append(all.arrays, kept.arrays);
    return std::move(all.arrays);
  }

  LeafArrays backward(const std::vector<Array>& leaves) override {
    static_assert(
        std::is_invocable_v<const Backward&, typename Types::second_type, typename Types::first_type>,
        "ingot::custom_vjp: the backward function takes (residuals, cotangent of the result) and "
        "returns a std::tuple with a cotangent for each argument");
    tree::LeafReader next(leaves);
    auto residuals = tree::to_traced(*residuals_, next);
    auto cotangent = tree::to_traced(*result_, next);
    const auto cotangents = call_traced(backward_, std::move(residuals), std::move(cotangent));
    return leaves_of_parts<sizeof...(Args)>(cotangents, "cotangents");
  }

 private:
  using ForwardResult = std::remove_cvref_t<std::invoke_result_t<const Forward&, tree::traced_t<Args>...>>;
  template <class Pair>
  static auto split_types(Pair pair) {
    auto& [result, residuals] = pair;
    return std::pair<tree::traced_t<std::remove_cvref_t<decltype(result)>>,
                     tree::traced_t<std::remove_cvref_t<decltype(residuals)>>>(result, residuals);
  }
  using Types = decltype(split_types(std::declval<ForwardResult>()));

  const Forward& forward_;
  const Backward& backward_;
  std::tuple<const Args&...> args_;
  std::optional<typename Types::first_type> result_;
  std::optional<typename Types::second_type> residuals_;
};

// transpose(residuals, cotangent of the result of a call) over leaves.
template <class Transpose, class Call, class Residuals>
class TransposeRuleCall final : public LeafFunction {
 public:
  TransposeRuleCall(const Transpose& transpose, const Call& call, const Residuals& residuals)
      : transpose_(transpose), call_(call), residuals_(residuals) {}

  std::vector<Array> run(const std::vector<Array>& leaves) override {
    tree::LeafReader next(leaves);
    auto residuals = tree::to_traced(residuals_, next);
    auto cotangent =
        tree::to_traced(*static_cast<const typename Call::Returned*>(call_.prototype.get()), next);
    LeafArrays cotangents =
        leaf_arrays(call_traced(transpose_, std::move(residuals), std::move(cotangent)), "cotangent");
    returned = cotangents;
    return std::move(cotangents.arrays);
  }

 private:
  const Transpose& transpose_;
  const Call& call_;
  const Residuals& residuals_;
};
std::vector<Array> call_custom_transpose(LeafFunction& f, LeafFunction& transpose,
                                         const LeafArrays& arguments, size_t residuals,
                                         const std::source_location& where);

// A batching rule over leaves; outlives the call that it belongs to.
class BatchRule {
 public:
  virtual ~BatchRule() = default;
  virtual LeafArrays run(int64_t size, const std::vector<bool>& batched,
                         const std::vector<Array>& leaves) = 0;
};
std::vector<Array> call_custom_vmap(LeafFunction& f, std::shared_ptr<BatchRule> rule,
                                    const LeafArrays& arguments, const std::source_location& where);

template <class Rule, class... Args>
class BatchRuleCall final : public BatchRule {
 public:
  BatchRuleCall(const Rule& rule, const Args&... args) : rule_(rule), args_(without_leaves(args)...) {}

  LeafArrays run(int64_t size, const std::vector<bool>& batched, const std::vector<Array>& leaves) override {
    auto inputs = traced_arguments(args_, leaves);
    return ingot::detail::on_each(
        [&](auto&... values) {
          return leaf_arrays(call_traced(rule_, size, batched, std::move(values)...), "result");
        },
        inputs);
  }

 private:
  Rule rule_;
  std::tuple<tree::traced_t<Args>...> args_;
};

}  // namespace ingot::detail
