// What stands between the templates of jit.h and the library: the user's function and its arguments without
// their types, so that a call is compiled once, in the library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <source_location>
#include <type_traits>
#include <utility>
#include <vector>

#include "ingot/array.h"
#include "ingot/detail/checks.h"
#include "ingot/detail/small_vector.h"
#include "ingot/detail/structure.h"
#include "ingot/tree.h"

namespace ingot::detail {

// An argument where the function's parameter is an Array: an array or a number, with the line of the call.
struct ArrayArgument {
  const Array* array = nullptr;
  Literal literal;
  std::source_location where;

  ArrayArgument(const Array& a, std::source_location w = std::source_location::current())  // NOLINT
      : array(&a), where(w) {}
  template <Number T>
  ArrayArgument(T number, std::source_location w = std::source_location::current())  // NOLINT
      : literal(Literal::of(number)), where(w) {}
};

// An argument where the function's parameter is a tree that is passed as it stands, with the line of the
// call.
template <class T>
struct TreeArgument {
  const T& value;
  std::source_location where;

  TreeArgument(const T& v, std::source_location w = std::source_location::current())  // NOLINT
      : value(v), where(w) {}
};

// The user's line that has the innermost function traced.
const std::source_location& traced_line();

// What the library makes and users call, such as jitted functions: call(where, args...) is told the line.
struct TakesLine {};

// A null pointer to a function, or a std::function that holds none.
template <class F>
bool is_null(const F& f) {
  if constexpr (std::is_constructible_v<F, std::nullptr_t> && requires { f == nullptr; })
    return f == nullptr;
  else
    return false;
}
[[noreturn]] void fail_null_function();  // an Error at traced_line()

// f(args...) in a trace, f being what the user gave to the library: the call stands in no line of the user's,
// so that what takes one is told where the trace was asked for.
template <class F, class... Args>
decltype(auto) call_traced(F&& f, Args&&... args) {
  if (is_null(f)) fail_null_function();
  if constexpr (std::is_base_of_v<TakesLine, std::remove_cvref_t<F>>) {
    return f.call(traced_line(), args...);
  } else {
    if constexpr (std::is_member_pointer_v<std::remove_cvref_t<F>>)
      return std::invoke(std::forward<F>(f), std::forward<Args>(args)...);
    else
      return std::forward<F>(f)(std::forward<Args>(args)...);
  }
}

template <class T>
struct TypeTag {
  static constexpr char tag = 0;
};

// A tree that is kept.
struct KeptTree {
  std::shared_ptr<const void> value;
  tree::Ref ref;
};

// A user's function together with the arguments of one call.
struct Invocation {
  const void* function;
  // The function's result for arguments with other leaves.
  KeptTree (*run)(const void* function, const tree::Ref* arguments, tree::LeafReader& leaves);
  const void* types;  // a tag: what tells calls apart before their leaves are looked at
  const tree::Ref* arguments;
  size_t count;
};

// What f returns for traced arguments of these types.
template <class F, class... Args>
using ReturnedBy = std::invoke_result_t<const F&, tree::traced_t<Args>...>;

// A result whose arguments, in braces, are made from left to right: in the order of the leaves.
template <class R>
struct Evaluated {
  R value;
  template <class F, class... Args>
  explicit Evaluated(const F& f, Args&&... args) : value(call_traced(f, std::forward<Args>(args)...)) {}
};
template <>
struct Evaluated<void> {
  template <class F, class... Args>
  explicit Evaluated(const F& f, Args&&... args) {
    call_traced(f, std::forward<Args>(args)...);
  }
};

// The arguments of an invocation one after the other, with other leaves.
struct ArgumentReader {
  const tree::Ref* next;
  tree::LeafReader& leaves;
  template <class T>
  tree::traced_t<T> take() {
    return tree::to_traced(*static_cast<const T*>((next++)->value), leaves);
  }
};

template <class F, class... Args>
KeptTree run_function(const void* function, const tree::Ref* arguments, tree::LeafReader& leaves) {
  using Result = std::remove_cvref_t<ReturnedBy<F, Args...>>;
  [[maybe_unused]] ArgumentReader argument{arguments, leaves};
  Evaluated<Result> result{*static_cast<const F*>(function), argument.template take<Args>()...};
  if constexpr (std::is_void_v<Result>) {
    return {};
  } else {
    auto* kept = new Result(std::move(result.value));
    return {keep(kept, [](const void* value) { delete static_cast<const Result*>(value); }),
            tree::ref(*kept)};
  }
}

// `arguments` has one more, so that there is a list of none.
template <class F, class... Args>
Invocation invocation_of(const void* function, const tree::Ref* arguments) {
  return {function, &run_function<F, Args...>, &TypeTag<std::tuple<F, tree::traced_t<Args>...>>::tag,
          arguments, sizeof...(Args)};
}

}  // namespace ingot::detail
