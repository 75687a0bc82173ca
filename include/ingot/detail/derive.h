// What stands between the templates of autodiff.h and the library: the user's functions as functions over
// leaves.
#pragma once

#include <memory>
#include <optional>
#include <source_location>
#include <tuple>
#include <utility>
#include <vector>

#include "ingot/jit.h"
#include "ingot/scan.h"

namespace ingot::detail {

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

// The arguments with traced leaves in place of their own, as a user's function takes them; `used` counts the
// leaves that are taken.
template <class... Args>
auto traced_arguments(const std::tuple<Args...>& arguments, const std::vector<Array>& leaves, size_t& used) {
  auto next = [&]() -> Array { return leaves[used++]; };
  return ingot::detail::on_each(
      [&](const auto&... args) {
        return std::tuple<tree::traced_t<std::remove_cvref_t<Args>>...>{tree::to_traced(args, next)...};
      },
      arguments);
}
template <class... Args>
auto traced_arguments(const std::tuple<Args...>& arguments, const std::vector<Array>& leaves) {
  size_t used = 0;
  return traced_arguments(arguments, leaves, used);
}

// f(args...) as a function of the leaves of the arguments.
template <class F, class... Args>
class LeafCall final : public LeafFunction {
 public:
  using Result = tree::traced_t<std::remove_cvref_t<std::invoke_result_t<const F&, tree::traced_t<Args>...>>>;

  LeafCall(const F& f, const Args&... args) : f_(f), args_(args...) {
    int position = 0;
    (add_argument(args, position++), ...);
    starts_.push_back(arguments_.arrays.size());
  }

  const LeafArrays& arguments() const { return arguments_; }
  std::vector<bool> leaves_of(std::initializer_list<size_t> positions) const {
    std::vector<bool> mask(arguments_.arrays.size(), false);
    for (size_t position : positions) {
      for (size_t i = starts_[position]; i < starts_[position + 1]; ++i) mask[i] = true;
    }
    return mask;
  }
  std::vector<bool> all_leaves() const { return std::vector<bool>(arguments_.arrays.size(), true); }

  std::vector<Array> run(const std::vector<Array>& leaves) override {
    auto inputs = traced_arguments(args_, leaves);
    auto result = ingot::detail::on_each(
        [&](auto&... values) { return call_traced(f_, std::move(values)...); }, inputs);
    LeafArrays results = leaf_arrays(result, "result");
    prototype = keep(with_leaves(result, results.arrays));
    returned = results;
    return std::move(results.arrays);
  }

  bool sign(Signature& signature) const override {
    const Identity identity = identity_of(f_);
    if (identity.kind == Identity::Kind::kObject) return false;
    signature.word(reinterpret_cast<uintptr_t>(identity.value));
    signature.word(reinterpret_cast<uintptr_t>(identity.variant));
    signature.word(reinterpret_cast<uintptr_t>(&TypeTag<std::tuple<F, tree::traced_t<Args>...>>::tag));
    ingot::detail::on_each(
        [&](const Args&... args) { (tree::visit<false>(args, signature, tree::Path{}), ...); }, args_);
    return true;
  }

  // The result's tree, as the last run has left it, of other arrays.
  Result result(const std::vector<Array>& leaves) const {
    return with_leaves(*static_cast<const Result*>(prototype.get()), leaves);
  }
  // The tree of argument I of other arrays, taken from one for each leaf of all arguments.
  template <size_t I>
  auto argument(const std::vector<Array>& leaves) const {
    return with_leaves(std::get<I>(args_), {leaves.begin() + static_cast<std::ptrdiff_t>(starts_[I]),
                                            leaves.begin() + static_cast<std::ptrdiff_t>(starts_[I + 1])});
  }

 private:
  template <class T>
  void add_argument(const T& value, int position) {
    starts_.push_back(arguments_.arrays.size());
    const std::string name = "arg" + std::to_string(position);
    const tree::Path path{nullptr, name};
    if constexpr (sizeof...(Args) > 1)
      arguments_.add_part(value, path);
    else
      tree::visit<false>(value, arguments_, path);
  }

  const F& f_;
  std::tuple<const Args&...> args_;
  LeafArrays arguments_;
  std::vector<size_t> starts_;
};

// Whether f takes the primals, to stand before all that follows from it.
template <class F, class Primals>
struct TakesPrimals {
  static constexpr bool check() { return check_call<F, Primals>(); }
};
template <class F, class... Args>
struct TakesPrimals<F, std::tuple<Args...>> {
  static constexpr bool check() { return check_call<F, Args...>(); }
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
  return JitFunction<W>(std::move(function), {}, where);
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

 protected:
  ~JvpRule() = default;
};
std::vector<Array> call_custom_jvp(LeafFunction& f, JvpRule& rule, const LeafArrays& arguments,
                                   const std::source_location& where);

template <class Rule, class... Args>
class JvpRuleCall final : public JvpRule {
 public:
  JvpRuleCall(const Rule& rule, const Args&... args) : rule_(rule), args_(args...) {}

  std::vector<Array> run(const std::vector<Array>& leaves) override {
    size_t used = 0;
    auto primals = traced_arguments(args_, leaves, used);
    auto tangents = traced_arguments(args_, leaves, used);
    const auto [value, derivative] = call_traced(rule_, std::move(primals), std::move(tangents));
    LeafArrays all = leaf_arrays(value, "result");
    const LeafArrays pushed = leaf_arrays(derivative, "tangent");
    result = all;
    tangent = pushed;
    all.arrays.insert(all.arrays.end(), pushed.arrays.begin(), pushed.arrays.end());
    returned.names = result.names;
    returned.names.insert(returned.names.end(), tangent.names.begin(), tangent.names.end());
    return std::move(all.arrays);
  }

 private:
  const Rule& rule_;
  std::tuple<const Args&...> args_;
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
    result_names.insert(result_names.end(), kept.names.begin(), kept.names.end());
    all.arrays.insert(all.arrays.end(), kept.arrays.begin(), kept.arrays.end());
    return std::move(all.arrays);
  }

  LeafArrays backward(const std::vector<Array>& leaves) override {
    static_assert(
        std::is_invocable_v<const Backward&, typename Types::second_type, typename Types::first_type>,
        "ingot::custom_vjp: the backward function takes (residuals, cotangent of the result) and "
        "returns a std::tuple with a cotangent for each argument");
    const auto split = leaves.end() - static_cast<std::ptrdiff_t>(result.names.size());
    const auto cotangents = call_traced(backward_, with_leaves(*residuals_, {leaves.begin(), split}),
                                        with_leaves(*result_, {split, leaves.end()}));
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
    size_t used = 0;
    auto residuals = traced_arguments(std::tie(residuals_), leaves, used);
    const std::vector<Array> rest(leaves.begin() + static_cast<std::ptrdiff_t>(used), leaves.end());
    LeafArrays cotangents = leaf_arrays(
        call_traced(transpose_, std::move(std::get<0>(residuals)), call_.result(rest)), "cotangent");
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
  template <class T>
  static tree::traced_t<T> without_leaves(const T& tree) {
    auto none = [] { return Array(); };
    return tree::to_traced(tree, none);
  }

  Rule rule_;
  std::tuple<tree::traced_t<Args>...> args_;
};

}  // namespace ingot::detail
