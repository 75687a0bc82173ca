// What is asked of a user's function and of its arguments, before templates are entered that would fail deep
// inside: the compiler's first error is one of these, and the last one, too.
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include "ingot/tree.h"

namespace ingot::detail {

// --- trees

enum class TreeFault { kNone, kNoTree, kFunction, kTooManyFields, kKey };

template <class T, class... Seen>
constexpr TreeFault tree_fault();

// A function, or a lambda: one of `auto` parameters has no call operator of one type.
template <class T>
inline constexpr bool is_function_object = std::is_function_v<std::remove_pointer_t<T>> ||
                                           (std::is_empty_v<T> && !std::is_aggregate_v<T>) || requires {
  &T::operator();
};

template <class Seen, class... Parts>
struct FirstFault;
template <class... Seen, class... Parts>
struct FirstFault<std::tuple<Seen...>, Parts...> {
  static constexpr TreeFault find() {
    TreeFault fault = TreeFault::kNone;
    (static_cast<void>(fault == TreeFault::kNone &&
                       (fault = tree_fault<std::remove_cvref_t<Parts>, Seen...>(), true)),
     ...);
    return fault;
  }
};
template <class Seen, class Whole>
struct PartsFault;
template <class Seen, template <class...> class Whole, class... Parts>
struct PartsFault<Seen, Whole<Parts...>> : FirstFault<Seen, Parts...> {};

// What keeps a T from being a tree; of a type that holds itself, the rest of it.
template <class T, class... Seen>
constexpr TreeFault tree_fault() {
  using namespace tree::kinds;
  using All = std::tuple<T, Seen...>;
  if constexpr ((std::is_same_v<T, Seen> || ...)) {
    return TreeFault::kNone;
  } else if constexpr (std::is_same_v<T, Array> || std::is_same_v<T, ArrayArgument> ||
                       std::is_arithmetic_v<T> || Number<T> || Fixed<T> ||
                       (std::is_same_v<T, std::monostate> || std::is_same_v<T, std::nullopt_t>) ||
                       OptedIn<T>) {
    return TreeFault::kNone;
  } else if constexpr (IsStatic<T>::value) {
    return tree_fault<std::remove_cvref_t<decltype(T::value)>, T, Seen...>();
  } else if constexpr (IsTuple<T>::value || IsVariant<T>::value) {
    return PartsFault<All, T>::find();
  } else if constexpr (IsSequence<T>::value || IsOptional<T>::value) {
    return tree_fault<std::remove_cvref_t<typename T::value_type>, T, Seen...>();
  } else if constexpr (std::is_array_v<T>) {
    return tree_fault<std::remove_cv_t<std::remove_extent_t<T>>, T, Seen...>();
  } else if constexpr (IsMap<T>::value) {
    if constexpr (!std::is_arithmetic_v<typename T::key_type> && !Fixed<typename T::key_type>)
      return TreeFault::kKey;
    else
      return tree_fault<typename T::mapped_type, T, Seen...>();
  } else if constexpr (!std::is_aggregate_v<T>) {
    return is_function_object<T> ? TreeFault::kFunction : TreeFault::kNoTree;
  } else if constexpr (field_count<T> > kMaxFields) {
    return TreeFault::kTooManyFields;
  } else {
    return PartsFault<All, field_types<T>>::find();
  }
}

template <class T>
constexpr bool check_tree() {
  constexpr TreeFault fault = tree_fault<std::remove_cvref_t<T>>();
  static_assert(fault != TreeFault::kNoTree,
                "ingot: arguments and results are Arrays, numbers and aggregates of them; a class with "
                "private members or constructors of its own, and a pointer, is none. For a class of your own "
                "specialise ingot::tree::Traits");
  static_assert(
      fault != TreeFault::kFunction,
      "ingot: a function stands where arrays are asked for. The order of arguments is scan(f, init, "
      "xs), while_loop(cond, body, init), fori_loop(low, high, f, init), cond(pred, f, g, args...)");
  static_assert(fault != TreeFault::kTooManyFields,
                "ingot: a struct with more than 48 fields; nest some, or specialise ingot::tree::Traits");
  static_assert(
      fault != TreeFault::kKey,
      "ingot: a map whose keys are no numbers, enums or texts; keys are known when a function is traced");
  return fault == TreeFault::kNone;
}

// --- calls

// A class with one call operator whose type is known. A lambda with a mistake in its body has none, and
// neither has one of `auto` parameters: of these the compiler speaks by itself.
template <class F>
inline constexpr bool has_one_call = !std::is_class_v<F> || requires {
  &F::operator();
};

enum class CallFault { kNone, kState, kArguments, kMistake };
template <class F, class... Args>
constexpr CallFault call_fault() {
  if (std::is_invocable_v<const F&, Args...>) return CallFault::kNone;
  if (std::is_invocable_v<F&, Args...>) return CallFault::kState;
  return has_one_call<F> ? CallFault::kArguments : CallFault::kMistake;  // say_no_call
}
// Of others the compiler says what is wrong with the call, if it has not yet; F::Inner is the user's
// function.
template <class F, class... Args>
void say_no_call([[maybe_unused]] F* f, [[maybe_unused]] Args*... args) {
  if constexpr (requires { typename F::Inner; })
    say_no_call(static_cast<const typename F::Inner*>(nullptr), args...);
  else if constexpr (!has_one_call<F> && !std::is_invocable_v<F&, Args...>)
    static_cast<void>((*f)(static_cast<Args&&>(*args)...));
}

// Whether f(args...) can be traced, Args being what the user passes. A function of the library's around one
// of the user's answers for that one. One that is not kept, as the body of a loop, may change its own state,
// and one whose result is used has one.
template <class F, bool kIsKept, bool kIsUsed, class... Args>
constexpr bool check_call() {
  if constexpr ((check_tree<Args>() && ...)) {
    if constexpr (requires { F::template check<Args...>(); }) {
      return F::template check<Args...>();
    } else {
      constexpr CallFault found = call_fault<F, tree::traced_t<Args>...>();
      constexpr CallFault fault = found == CallFault::kState && !kIsKept ? CallFault::kNone : found;
      static_assert(
          fault != CallFault::kState,
          "ingot: the function changes its own state (a mutable lambda), but is traced once and then "
          "run without it; what changes is an argument and a result");
      static_assert(
          fault != CallFault::kArguments,
          "ingot: the function does not take these arguments. A number arrives as an Array of rank 0: "
          "let the parameter be an Array, or pass ingot::Static{n} for a value known when tracing. "
          "Parameters are values or const references. What has arguments of its own by default, as "
          "ingot::sum, stands in a lambda");
      if constexpr (fault == CallFault::kNone) {
        using Result =
            std::invoke_result_t<std::conditional_t<kIsKept, const F&, F&>, tree::traced_t<Args>...>;
        static_assert(!kIsUsed || !std::is_void_v<Result>,
                      "ingot: the function returns nothing, but its result is what is asked for");
        if constexpr (std::is_void_v<Result>)
          return !kIsUsed;
        else
          return check_tree<Result>();
      }
    }
  }
  return false;
}

// What a call gives that does not compile, so that what is done with it is no second mistake. There is none.
template <class T>
T no_result();

}  // namespace ingot::detail
