// scan: a loop over one axis of arrays, with carried values.
//
//   // cumulative sums along axis 1 of x : f32[n, t]
//   auto [total, sums] = ingot::scan(
//       [](Array carry, Array xi) { Array next = carry + xi; return std::pair(next, next); },
//       Array::zeros({n}), x, {.axis = 1});
//
// The carry, the scanned xs and the collected ys are trees of arrays (tree.h); several carries are a tuple or
// a struct. The body sees slices with the scanned axis dropped, may use arrays from outside, and becomes one
// loop of the compiled program. ys are stacked along ys_axis (default: the axis of the first x).
#pragma once

#include <initializer_list>
#include <memory>
#include <source_location>
#include <type_traits>
#include <utility>
#include <vector>

#include "ingot/detail/call.h"

namespace ingot {

// One axis for all leaves, or one for each leaf in order.
class ScanAxes {
 public:
  template <class T>
  requires(std::is_integral_v<T> && !std::is_same_v<T, bool>)
      ScanAxes(T axis, const std::source_location& where = std::source_location::current())  // NOLINT
      : ScanAxes(Axis(axis, where)) {}
  ScanAxes(Axis axis);                            // NOLINT
  ScanAxes(std::initializer_list<int64_t> axes);  // NOLINT
  ScanAxes(std::vector<int64_t> axes);            // NOLINT
  const std::vector<int64_t>& axes() const { return axes_; }

 private:
  std::vector<int64_t> axes_;
};

// What reverse mode keeps of a long scan: the carry at some steps, from which the steps behind it are
// computed again on the way back.
class ScanCheckpoints {
 public:
  // The carry before every so many steps: of n steps n / steps carries are kept, and what `steps` of them
  // need. Each step is computed twice.
  static ScanCheckpoints every(int64_t steps) { return {Kind::kEvery, steps}; }
  // In so many levels of chunks, each inside of a chunk of the level above: of n steps about
  // (levels + 1) n^(1 / (levels + 1)) carries, where each step is computed levels + 1 times. levels(1) keeps
  // 2 sqrt(n).
  static ScanCheckpoints levels(int64_t levels) { return {Kind::kLevels, levels}; }
  // As many levels as there can be, down to chunks of about log2(n) steps, which keep as much as the levels
  // do: some multiple of log2(n) carries, where each step is computed log2(n) times at most.
  static ScanCheckpoints logarithmic() { return {Kind::kLogarithmic, 0}; }

  enum class Kind { kEvery, kLevels, kLogarithmic };
  Kind kind() const { return kind_; }
  int64_t number() const { return number_; }

 private:
  ScanCheckpoints(Kind kind, int64_t number) : kind_(kind), number_(number) {}
  Kind kind_;
  int64_t number_;
};

struct ScanOptions {
  detail::ByName by_name = detail::ByName();
  ScanAxes axis = 0;                          // scanned axis of each x
  bool reverse = false;                       // from the last index to the first; ys keep the order of the xs
  Optional<ScanAxes> ys_axis = std::nullopt;  // of each y in the result
  int64_t length = -1;                        // number of steps; needed where there are no xs
  const char* name = "scan";                  // what errors call it
  int64_t unroll = 1;  // so many steps are one step of the loop; the body is traced for each of them
  Optional<ScanCheckpoints> checkpoints = std::nullopt;  // default: what each step needs is kept
};

namespace detail {

// The body of a scan as the tracer sees it.
class ScanBody {
 public:
  // Runs the body for the leaves of carry and xs; returns those of the next carry, then those of the ys.
  virtual std::vector<Array> step(const std::vector<Array>& carry, const std::vector<Array>& xs) = 0;
  // Of what the last step has returned: the paths of all, and the structure of the next carry.
  std::vector<std::string> result_names;
  Structure next_carry;

 protected:
  ~ScanBody() = default;
};

struct ScanResult {
  std::vector<Array> carry, ys;
};
ScanResult scan(ScanBody& body, const LeafArrays& init, const LeafArrays& xs, const ScanOptions& options,
                const std::source_location& where);

template <class F, class Carry, class Xs>
class ScanStep final : public ScanBody {
 public:
  using Result = std::invoke_result_t<F&, tree::traced_t<Carry>, tree::traced_t<Xs>>;
  static auto split(Result result) {
    auto& [carry, y] = result;
    static_assert(std::is_constructible_v<tree::traced_t<Carry>, decltype(carry)>,
                  "ingot::scan: the first of what the body returns is the next carry, of the type of init");
    // The next carry may be written as a number or an expression of another tree type of the same leaves.
    return std::pair(tree::traced_t<Carry>(std::move(carry)), std::move(y));
  }
  using Ys = tree::traced_t<typename decltype(split(std::declval<Result>()))::second_type>;

  ScanStep(F& f, const Carry& init, const Xs& xs) : f_(f), init_(init), xs_(xs) {}

  std::vector<Array> step(const std::vector<Array>& carry, const std::vector<Array>& xs) override {
    auto [next, y] = split(call_traced(f_, with_leaves(init_, carry), with_leaves(xs_, xs)));
    LeafArrays leaves = leaf_arrays(next, "carry");
    next_carry = leaves;
    LeafArrays stacked = leaf_arrays(y, "y");
    ys_.reset(new Ys(with_leaves(y, stacked.arrays)));
    append(leaves.names, stacked.names);
    append(leaves.arrays, stacked.arrays);
    result_names = std::move(leaves.names);
    return std::move(leaves.arrays);
  }
  const Ys& ys() const { return *ys_; }  // of the last step: the tree of the result

 private:
  F& f_;
  const Carry& init_;
  const Xs& xs_;
  std::unique_ptr<Ys> ys_;
};

}  // namespace detail

// f(carry, x) returns a pair, tuple or struct of the next carry and y. Returns std::pair(last carry, stacked
// ys). The carry keeps its types and its structure over a step (static values, lengths of vectors, keys of
// maps, what optionals and variants hold); where it does not, the Error names what changes.
// Pass std::nullopt for no xs, and return it for no ys, as JAX has None; std::tuple<>() is the same.
template <class F, class Carry, class Xs>
auto scan(F&& f, const Carry& init, const Xs& xs, const ScanOptions& options = {},
          const std::source_location& where = std::source_location::current()) {
  using In = tree::traced_t<Carry>;
  using X = tree::traced_t<Xs>;
  using Failed = std::pair<In, Array>;
  if constexpr (!detail::check_tree<Carry>() || !detail::check_tree<Xs>()) {
    return detail::no_result<Failed>();
  } else {
    static_assert(std::is_invocable_v<F&, In, X> || !detail::has_one_call<std::decay_t<F>>,
                  "ingot::scan: the body takes (carry, x), of the types of init and of a slice of xs, by "
                  "value or const "
                  "reference; numbers arrive as Arrays of rank 0");
    static_assert(
        !std::is_invocable_v<F&, In, X> || detail::returns_two<F&, In, X>(),
        "ingot::scan: the body returns two values, as std::pair(next carry, y); where there is no y, "
        "std::pair(next carry, std::nullopt)");
    if constexpr (detail::returns_two<F&, In, X>()) {
      using Step = detail::ScanStep<std::remove_reference_t<F>, Carry, Xs>;
      Step step(f, init, xs);
      const detail::LeafArrays carry = detail::leaf_arrays(init, "carry");
      const detail::LeafArrays scanned = detail::leaf_arrays(xs, "x");
      const detail::ScanResult result = detail::scan(step, carry, scanned, options, where);
      return std::pair<In, typename Step::Ys>(detail::with_leaves(init, result.carry),
                                              tree::unflatten(step.ys(), result.ys));
    } else {
      detail::say_no_call(&f, static_cast<In*>(nullptr), static_cast<X*>(nullptr));
      return detail::no_result<Failed>();
    }
  }
}

}  // namespace ingot
