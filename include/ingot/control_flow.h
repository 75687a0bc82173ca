// Loops of unknown length and branches on values.
//
//   // Newton's method for a square root, to convergence
//   Array root = ingot::while_loop(
//       [&](Array x) { return abs(x * x - a) > 1e-6f * a; },         // pred[]: take one more step?
//       [&](Array x) { return (x + a / x) / 2; }, a);
//   Array y = ingot::cond(sum(x) > 0, [](Array x) { return x / sum(x); }, [](Array x) { return x; }, x);
//
// Carries, arguments and results are trees of arrays (tree.h); functions may use arrays from outside. Only
// the branch that is taken runs. A C++ `if` or `while` over an Array decides when a function is traced, where
// there are no values yet, and is an Error there.
//
// Under vmap each element goes its own way: one whose loop has ended keeps its carry until all have, and what
// a branch that is not taken would make (a NaN, an infinity) reaches neither results nor derivatives. Where
// the predicate is the same for all of a batch it stays one loop, and one branch.
//
// Derivatives: cond and switch_ in both modes; while_loop in forward mode (jvp), and in reverse mode (grad,
// vjp) where max_steps bounds its steps. A fori_loop between ints is a scan, and has both.
#pragma once

#include <array>
#include <optional>
#include <source_location>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "ingot/detail/call.h"
#include "ingot/scan.h"

namespace ingot {

struct WhileOptions {
  detail::ByName by_name = detail::ByName();
  // An Error when run if so many steps are not enough. Reverse mode needs it: it keeps as many steps.
  Optional<int64_t> max_steps = std::nullopt;
  const char* name = "";  // what errors call it; if empty, the function that is called
};

// What a branch depends on, with the user's line: pred[] for cond, an integer of rank 0 for switch_.
struct Choice {
  Array value;
  std::source_location where;
  Choice(const Array& v, std::source_location w = std::source_location::current())  // NOLINT
      : value(v), where(w) {}
  template <Number T>
  Choice(T v, std::source_location w = std::source_location::current())  // NOLINT
      : value(v), where(w) {}
};

namespace detail {

// Functions that become the regions of one operation, as the tracer sees them.
class TracedRegions {
 public:
  // Runs function `i` for these leaves of its arguments; returns those of its result.
  virtual std::vector<Array> run(size_t i, const std::vector<Array>& arguments) = 0;
  Structure returned;  // of what the last run has returned

 protected:
  ~TracedRegions() = default;
};

// The options of a loop, checked and with a name: the function's, unless there is one.
WhileOptions named_options(const char* function, const WhileOptions& options,
                           const std::source_location& where);
// Region 0 is the predicate, region 1 the step.
std::vector<Array> while_loop(TracedRegions& regions, const LeafArrays& init, const WhileOptions& options,
                              const std::source_location& where);
// `is_cond`: the choice is a pred, and region 1 the one for true.
std::vector<Array> choose(TracedRegions& regions, size_t count, bool is_cond, const Choice& choice,
                          const LeafArrays& arguments);

// An integer bound of a loop with an index: a number that is known, or an array.
struct LoopBound {
  Optional<Literal> number;
  Array array;
  LoopBound(const Array& a) : array(a) {}  // NOLINT
  template <class T>
  requires(std::is_integral_v<T> && !std::is_same_v<T, bool>) LoopBound(T n)  // NOLINT
      : number(Literal::of(n)) {}
};
struct LoopRange {
  // Between numbers: so many steps from `start` on.
  bool known = false;
  int64_t start = 0, steps = 0;
  DType dtype = DType::kS32;
  // Else the index runs from first to last.
  Array first, last;
};
LoopRange loop_range(const LoopBound& low, const LoopBound& high, const WhileOptions& options,
                     const std::source_location& where);
Array next_index(const Array& index, const std::source_location& where);
std::vector<Array> without_first(const std::vector<Array>& arrays);
// The last carry of a loop between numbers; the step is given the index as its slice.
std::vector<Array> counted_loop(ScanBody& body, const LeafArrays& init, const LoopRange& range,
                                const WhileOptions& options, const std::source_location& where);

// Leaves to a tree of the type that a function has returned, and from it.
template <class T>
LeafArrays result_leaves(const T& result) {
  return leaf_arrays(result, "the result");
}

template <class Predicate, class Body, class Carry>
class WhileRegions final : public TracedRegions {
 public:
  WhileRegions(Predicate& predicate, Body& body, const Carry& init)
      : predicate_(predicate), body_(body), init_(init) {}
  std::vector<Array> run(size_t i, const std::vector<Array>& arguments) override {
    if (i == 0) {
      const Array holds = call_traced(predicate_, with_leaves(init_, arguments));
      returned = {};
      returned.names = {"whether to take a step"};
      return {holds};
    }
    const tree::traced_t<Carry> next = call_traced(body_, with_leaves(init_, arguments));
    LeafArrays leaves = leaf_arrays(next, "carry");
    returned = leaves;
    return std::move(leaves.arrays);
  }

 private:
  Predicate& predicate_;
  Body& body_;
  const Carry& init_;
};

// A loop whose index runs to an array: the index is carried before the user's carry, and errors speak of the
// latter alone.
template <class Body, class Carry>
class ForRegions final : public TracedRegions {
 public:
  ForRegions(Body& body, const Carry& init, const Array& last, const std::source_location& where)
      : body_(body), init_(init), last_(last), where_(where) {}

  static LeafArrays leaves(const Array& index, const tree::traced_t<Carry>& carry) {
    LeafArrays all;
    all.add(tree::ref(index), tree::Path{nullptr, "the index"});
    all.add(tree::ref(carry), tree::Path{nullptr, "carry"});
    return all;
  }
  std::vector<Array> run(size_t i, const std::vector<Array>& arguments) override {
    const Array& index = arguments[0];
    if (i == 0) {
      returned = {};
      returned.names = {"whether to take a step"};
      return {Operand(index, where_) < Operand(last_, where_)};
    }
    const tree::traced_t<Carry> next =
        call_traced(body_, index, with_leaves(init_, without_first(arguments)));
    LeafArrays all = leaves(next_index(index, where_), next);
    returned = all;
    return std::move(all.arrays);
  }

 private:
  Body& body_;
  const Carry& init_;
  const Array& last_;
  const std::source_location& where_;
};

// Calls function i of some with the arguments; all return trees of one type, that of `Result`.
template <class Call, class Result, class... Args>
class BranchRegions final : public TracedRegions {
 public:
  BranchRegions(Call call, const std::tuple<const Args&...>& arguments)
      : call_(std::move(call)), arguments_(arguments) {}
  std::vector<Array> run(size_t i, const std::vector<Array>& leaves) override {
    tree::LeafReader next(leaves);
    // In the order of the arguments, which only braces promise.
    std::tuple<tree::traced_t<Args>...> given = ingot::detail::on_each(
        [&](const Args&... args) {
          return std::tuple<tree::traced_t<Args>...>{tree::to_traced(args, next)...};
        },
        arguments_);
    Result result = call_(i, std::move(given));
    LeafArrays made = result_leaves(result);
    result_ = with_leaves(result, made.arrays);
    returned = made;
    return std::move(made.arrays);
  }
  const tree::traced_t<Result>& result() const { return *result_; }  // of the last run

 private:
  Call call_;
  const std::tuple<const Args&...>& arguments_;
  std::optional<tree::traced_t<Result>> result_;
};

template <class Result, class Call, class... Args>
tree::traced_t<Result> choose_tree(Call call, size_t count, bool is_cond, const Choice& choice,
                                   const Args&... args) {
  const std::tuple<const Args&...> arguments(args...);
  BranchRegions<Call, Result, Args...> regions(std::move(call), arguments);
  const LeafArrays leaves = argument_leaves({tree::ref(args)...});
  const std::vector<Array> results = choose(regions, count, is_cond, choice, leaves);
  return tree::unflatten(regions.result(), results);
}

template <class F, class... Args>
using BranchResult = std::decay_t<std::invoke_result_t<F&, tree::traced_t<Args>...>>;

// Whether the other branches return what the first one does.
template <class Result, class... Others>
constexpr bool check_alternatives() {
  constexpr bool same = (std::is_convertible_v<Others, Result> && ...);
  static_assert(same, "ingot: all functions of a cond or switch_ return the same type");
  return same;
}
// Whether all of some functions can be branches.
template <class Functions, class... Args>
struct Branches;
template <template <class...> class List, class First, class... Rest, class... Args>
struct Branches<List<First, Rest...>, Args...> {
  static constexpr bool check() {
    if constexpr (check_call<First, false, true, Args...>() &&
                  (check_call<Rest, false, true, Args...>() && ...))
      return check_alternatives<BranchResult<First, Args...>, BranchResult<Rest, Args...>...>();
    else
      return false;
  }
};

}  // namespace detail

// While cond(carry) is true: carry = body(carry). Returns the last carry, `init` where no step is taken. cond
// returns pred[], body a carry of the same types. Error where they do not, and, when run, where `max_steps`
// are not enough.
template <class Cond, class Body, class Carry>
tree::traced_t<Carry> while_loop(Cond&& cond, Body&& body, const Carry& init,
                                 const WhileOptions& options = {},
                                 const std::source_location& where = std::source_location::current()) {
  constexpr bool fits = detail::check_tree<Carry>();
  constexpr bool asks = std::is_invocable_r_v<Array, Cond&, tree::traced_t<Carry>>;
  constexpr bool steps = std::is_invocable_r_v<tree::traced_t<Carry>, Body&, tree::traced_t<Carry>>;
  static_assert(!fits || asks || !detail::has_one_call<std::decay_t<Cond>>,
                "ingot::while_loop: the condition takes the carry and returns an Array, pred[]; numbers "
                "arrive as Arrays of rank 0");
  static_assert(!fits || steps || !detail::has_one_call<std::decay_t<Body>>,
                "ingot::while_loop: the body takes the carry and returns the next one, of the type of init; "
                "numbers arrive as Arrays of rank 0");
  if constexpr (!fits) {
    return detail::no_result<tree::traced_t<Carry>>();
  } else if constexpr (asks && steps) {
    detail::WhileRegions<std::remove_reference_t<Cond>, std::remove_reference_t<Body>, Carry> regions(
        cond, body, init);
    const detail::LeafArrays leaves = detail::leaf_arrays(init, "carry");
    const WhileOptions named = detail::named_options("while_loop", options, where);
    return detail::with_leaves(init, detail::while_loop(regions, leaves, named, where));
  } else {
    detail::say_no_call(&cond, static_cast<tree::traced_t<Carry>*>(nullptr));
    detail::say_no_call(&body, static_cast<tree::traced_t<Carry>*>(nullptr));
    throw InternalError("while_loop");
  }
}

// For i = low; i < high; ++i: carry = body(i, carry). i is an Array of rank 0. Between ints it is a scan, and
// i an s32 (s64 where a bound needs it); a bound that is an Array, an integer of rank 0, makes it a
// while_loop, and i is of its dtype, as a number beside it is. `options.max_steps` bounds the steps: more of
// them are an Error, between ints at once, else when run.
template <class Body, class Carry>
tree::traced_t<Carry> fori_loop(const detail::LoopBound& low, const detail::LoopBound& high, Body&& body,
                                const Carry& init, const WhileOptions& options = {},
                                const std::source_location& where = std::source_location::current()) {
  using Traced = tree::traced_t<Carry>;
  constexpr bool fits = detail::check_tree<Carry>();
  constexpr bool steps = std::is_invocable_r_v<Traced, Body&, Array, Traced>;
  static_assert(
      !fits || steps || !detail::has_one_call<std::decay_t<Body>>,
      "ingot::fori_loop: the body takes (i, carry) and returns the next carry, of the type of init");
  if constexpr (!fits) {
    return detail::no_result<Traced>();
  } else if constexpr (!steps) {
    detail::say_no_call(&body, static_cast<Array*>(nullptr), static_cast<Traced*>(nullptr));
    throw InternalError("fori_loop");
  } else {
    const WhileOptions named = detail::named_options("fori_loop", options, where);
    const detail::LoopRange range = detail::loop_range(low, high, named, where);
    detail::LeafArrays leaves = detail::leaf_arrays(init, "carry");
    if (range.known) {
      const auto step = [&](Traced carry, Array i) {
        return std::pair<Traced, std::tuple<>>(detail::call_traced(body, i, std::move(carry)), {});
      };
      const Array index;
      detail::ScanStep<decltype(step), Carry, Array> all(step, init, index);
      return detail::with_leaves(init, detail::counted_loop(all, leaves, range, named, where));
    }
    using Regions = detail::ForRegions<std::remove_reference_t<Body>, Carry>;
    Regions regions(body, init, range.last, where);
    leaves = Regions::leaves(range.first, detail::with_leaves(init, leaves.arrays));
    return detail::with_leaves(init,
                               detail::without_first(detail::while_loop(regions, leaves, named, where)));
  }
}

// if_true(args...) where the predicate, pred[], holds, else if_false(args...): only that one runs. Both
// return trees of the same types.
template <class F, class G, class... Args>
auto cond(const Choice& predicate, F&& if_true, G&& if_false, const Args&... args) {
  constexpr bool fits = (detail::check_tree<Args>() && ...);
  constexpr bool first = std::is_invocable_v<F&, tree::traced_t<Args>...>,
                 second = std::is_invocable_v<G&, tree::traced_t<Args>...>;
  static_assert(!fits || ((first || !detail::has_one_call<std::decay_t<F>>)&&(
                             second || !detail::has_one_call<std::decay_t<G>>)),
                "ingot::cond: both functions take the arguments behind them; numbers arrive as Arrays of "
                "rank 0. Between arrays choose with where(predicate, x, y)");
  if constexpr (!fits) {
    return detail::no_result<Array>();
  } else if constexpr (!first || !second) {
    detail::say_no_call(&if_true, static_cast<tree::traced_t<Args>*>(nullptr)...);
    detail::say_no_call(&if_false, static_cast<tree::traced_t<Args>*>(nullptr)...);
    return detail::no_result<Array>();
  } else if constexpr (!detail::check_call<std::remove_reference_t<F>, false, true, Args...>()) {
    return detail::no_result<Array>();
  } else if constexpr (!detail::check_alternatives<detail::BranchResult<F, Args...>,
                                                   detail::BranchResult<G, Args...>>()) {
    return detail::no_result<Array>();
  } else {
    using Result = detail::BranchResult<F, Args...>;
    const auto call = [&](size_t i, std::tuple<tree::traced_t<Args>...> given) -> Result {
      return ingot::detail::on_each(
          [&](auto&... x) -> Result {
            if (i == 1) return detail::call_traced(if_true, std::move(x)...);
            return detail::call_traced(if_false, std::move(x)...);
          },
          given);
    };
    return detail::choose_tree<Result>(call, 2, true, predicate, args...);
  }
}

// branches[index](args...), the index an integer of rank 0, clamped to the branches that there are: only that
// one runs. `branches` is a std::tuple of functions, or an array or vector of one type of function.
template <class Branches, class... Args>
auto switch_(const Choice& index, Branches&& branches, const Args&... args) {
  using List = std::remove_cvref_t<Branches>;
  if constexpr (tree::kinds::IsSequence<List>::value) {
    if constexpr (!detail::check_call<typename List::value_type, false, true, Args...>())
      return detail::no_result<Array>();
    else {
      using Result = detail::BranchResult<typename List::value_type, Args...>;
      const auto call = [&](size_t i, std::tuple<tree::traced_t<Args>...> given) -> Result {
        return ingot::detail::on_each(
            [&](auto&... x) -> Result { return detail::call_traced(branches[i], std::move(x)...); }, given);
      };
      return detail::choose_tree<Result>(call, branches.size(), false, index, args...);
    }
  } else if constexpr (!tree::kinds::IsTuple<List>::value) {
    static_assert(tree::kinds::IsTuple<List>::value,
                  "ingot::switch_: the branches are a std::tuple, std::array or std::vector of functions");
    return detail::no_result<Array>();
  } else if constexpr (!detail::Branches<List, Args...>::check()) {
    return detail::no_result<Array>();
  } else {
    using Result = detail::BranchResult<std::tuple_element_t<0, List>, Args...>;
    const auto call = [&](size_t i, std::tuple<tree::traced_t<Args>...> given) -> Result {
      std::optional<Result> result;
      const auto run = [&](auto& branch) {
        result.emplace(ingot::detail::on_each(
            [&](auto&... x) -> Result { return detail::call_traced(branch, std::move(x)...); }, given));
      };
      size_t k = 0;
      ingot::detail::on_each([&](auto&... branch) { ((k++ == i ? run(branch) : void()), ...); }, branches);
      return std::move(*result);
    };
    return detail::choose_tree<Result>(call, std::tuple_size_v<List>, false, index, args...);
  }
}

}  // namespace ingot
