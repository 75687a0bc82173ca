// Running totals along an axis. All become loops of the compiled program that go over the axis where it lies.
#pragma once

#include <source_location>

#include "ingot/functions.h"
#include "ingot/scan.h"

namespace ingot {

// Element i of the result combines the elements 0..i of the axis, with `reverse` those from the last one down
// to i. The shape and dtype of x stay, but counts of preds are s32.
Array cumsum(const Operand& x, Axis axis = 0, bool reverse = false);
Array cumprod(const Operand& x, Axis axis = 0, bool reverse = false);
Array cummax(const Operand& x, Axis axis = 0, bool reverse = false);
Array cummin(const Operand& x, Axis axis = 0, bool reverse = false);
Array cumlogsumexp(const Operand& x, Axis axis = 0, bool reverse = false);  // log(cumsum(exp(x)))

namespace detail {

// Step i of the result is body.step(step i - 1, x[i]), that of the first one x itself.
std::vector<Array> associative_scan(ScanBody& body, const LeafArrays& xs, Axis axis, bool reverse,
                                    const std::source_location& where);

template <class F, class Xs>
class AssociativeStep final : public ScanBody {
 public:
  AssociativeStep(F& f, const Xs& xs) : f_(f), xs_(xs) {}

  std::vector<Array> step(const std::vector<Array>& total, const std::vector<Array>& next) override {
    const tree::traced_t<Xs> result = call_traced(f_, with_leaves(xs_, total), with_leaves(xs_, next));
    LeafArrays leaves = leaf_arrays(result, "result");
    next_carry = leaves;
    result_names = std::move(leaves.names);
    return std::move(leaves.arrays);
  }

 private:
  F& f_;
  const Xs& xs_;
};

}  // namespace detail

// Combines the elements of an axis from the first one on (with `reverse` from the last one down) by an
// associative f(total, next), and keeps every total. xs is a tree of arrays of equal extent along the axis; f
// takes and returns such trees, of slices without the axis. Error if f changes a
// type, or the structure of the tree.
template <class F, class Xs>
tree::traced_t<Xs> associative_scan(F&& f, const Xs& xs, Axis axis = 0, bool reverse = false,
                                    const std::source_location& where = std::source_location::current()) {
  using Total = tree::traced_t<Xs>;
  constexpr bool fits = detail::check_tree<Xs>();
  constexpr bool joins = std::is_invocable_r_v<Total, F&, Total, Total>;
  static_assert(!fits || joins || !detail::has_one_call<std::decay_t<F>>,
                "ingot::associative_scan: the function takes (total, next), both of the type of xs, and "
                "returns the next total, of that type too");
  if constexpr (!fits) {
    return detail::no_result<Total>();
  } else if constexpr (!joins) {
    detail::say_no_call(&f, static_cast<Total*>(nullptr), static_cast<Total*>(nullptr));
    return detail::no_result<Total>();
  } else {
    detail::AssociativeStep<std::remove_reference_t<F>, Xs> step(f, xs);
    const detail::LeafArrays leaves = detail::leaf_arrays(xs, "x");
    return detail::with_leaves(xs, detail::associative_scan(step, leaves, axis, reverse, where));
  }
}

}  // namespace ingot
