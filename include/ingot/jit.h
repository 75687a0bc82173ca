// jit: a C++ function over arrays becomes a compiled program.
//
//   auto step = ingot::jit([](Params p, Array x, Array rate) { ...; return std::pair(p, loss); });
//   auto [p2, loss] = step(p, x, 0.01f);
//
// The first call with new argument types runs the function once, with traced arrays that record what is done
// to them, and compiles the record; later calls only run it. A call with the same types takes well under a
// microsecond on top of the work. Arguments and results are trees (tree.h). Any number of threads may call;
// while one of them traces, others that call with the same types wait for it. So a function that waits, while
// it is traced, for a thread that calls it waits for ever: that is an Error in that thread where the wait is
// a join (std::thread, std::async) on Linux with glibc, and a hang where it is anything else (a condition
// variable, a barrier, a promise).
//
// The same function is traced once per process and argument types, however often it is given to jit: function
// pointers are the same by value, callables without state by type, all others by the object that jit returned
// (and its copies). A jitted function that is called while another one is being traced becomes a call in its
// program. Captured concrete arrays are arguments of the program behind the scenes, with the value of the
// time of tracing. What grad, vmap and their like return of a function with captures is traced at each call
// outside of a program, and sees them as they are then.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "ingot/detail/call.h"

namespace ingot {

struct VmapOptions;

struct JitOptions {
  detail::ByName by_name = detail::ByName();
  // Arguments, by position, whose memory the call may take for its results. Their arrays, and all copies of
  // them, are dead afterwards: dtype() and shape() are still known, printing one says that it was donated,
  // and any use of its values is an Error. Where no result takes it, Compiled::notes() says why. A copy is
  // also what a function returns that has nothing to do: x.T() of rank 1, x.slice({}), squeeze without an
  // axis of extent 1, reshape to the same shape, astype to the same dtype, roll by 0, concatenate({x}), real
  // of a real array. To keep such a one, do something to it first: x + 0.
  std::vector<int> donate = {};
  std::string name =
      {};  // in reports; default: file and line of the call of jit; "main" is main_function there
  bool interpret =
      false;  // evaluate the traced program operation by operation: slow, and the definition of right
};

// One kernel of a compiled program.
struct KernelInfo {
  std::string name;
  uint64_t hash = 0;  // of its structure: equal kernels have equal hashes
  std::string kind;
  // Of one launch, of different elements: one that is read twice counts once. Of what is updated in its
  // place, those that are touched. The launch that moves most counts where they differ; plan() tells each
  // one's.
  int64_t bytes_read = 0, bytes_written = 0;
  int64_t flops = 0;
  int64_t units = 0;     // pieces of work that may run in parallel; 1 of a sort, which deals out its own
  int64_t launches = 0;  // by one call of the program; at least, where a while or a cond decides
  // "file:line", with " in scope" where there is one (scope.h), of all launches; plan() tells each one's.
  std::vector<std::string> source_lines;
};

struct FusionRefusal {
  std::string producer, consumer, reason, source;
};

namespace detail {
struct ProgramAccess;  // for parts of the library that go on with a program (frontend/program.h)
}

// A compiled program and the story of its making.
class Compiled {
 public:
  std::string text() const;  // the IR after all passes
  std::string plan() const;  // buffers and launches
  std::vector<KernelInfo> kernels() const;
  std::vector<FusionRefusal> refusals() const;
  // What was decided and nothing else shows: donated arguments whose memory no result takes, and why; orders
  // of dimensions in memory; ...
  std::vector<std::string> notes() const;
  // Kernel launches and copies between buffers of one call: at least so many, where a while or a cond
  // decides.
  int64_t launches() const;
  int64_t copies() const;
  // Arguments, results and all in between; scratch of one thread. A result in the place of a donated argument
  // counts once.
  int64_t peak_bytes() const;
  double trace_ms() const;
  double passes_ms() const;
  double kernels_ms() const;
  double codegen_ms() const;
  double total_ms() const;       // of compiling, without the trace
  int kernels_compiled() const;  // the others had been compiled before in this process

  struct Data;
  explicit Compiled(std::shared_ptr<const Data> data);

 private:
  friend struct detail::ProgramAccess;
  std::shared_ptr<const Data> data_;
};

// A traced function.
class Lowered {
 public:
  std::string text(bool locations = true) const;  // the IR as traced
  Compiled compile() const;                       // once per function and types; calls use the same

  struct Data;
  explicit Lowered(std::shared_ptr<const Data> data);

 private:
  friend struct detail::ProgramAccess;
  std::shared_ptr<const Data> data_;
};

namespace detail {

class JitState;
class Callable;
struct Signature;

struct Identity {
  enum class Kind { kObject, kPointer, kType } kind = Kind::kObject;
  const void* value = nullptr;    // the function's address, or a tag of its type
  const void* variant = nullptr;  // what tells apart functions of one type, as checkpoints by their policies
};
// Whether a function with state is traced anew at each call that is not inside of a program, and compiled
// where that gives another program, so that it sees what it captures as it is then: those of grad, vmap and
// their like are, those of jit are not. Functions without state are traced once.
enum class Retrace { kNever, kAtEachCall };
std::shared_ptr<JitState> make_jit_state(const Identity& identity, const JitOptions& options,
                                         const std::source_location& where,
                                         Retrace retrace = Retrace::kNever);
using ResultArrays = SmallVector<Array, 4>;
extern template class SmallVector<Array, 4>;
// Runs the function (or records a call of it, while a trace is going on).
class CallResults {
 public:
  CallResults(JitState& state, const Invocation& invocation, const std::source_location& where);
  // Of vmap: the arguments are whole batches. `type` tells its functions from others.
  CallResults(JitState& state, const Invocation& invocation, const void* type, const VmapOptions& options,
              const std::source_location& where);
  ~CallResults();
  CallResults(const CallResults&) = delete;
  CallResults& operator=(const CallResults&) = delete;

  const void* prototype() const { return prototype_; }  // of the result: a tree of it without arrays
  Array only();                                         // the result, where it is one array
  void fill(tree::Ref tree);                            // a copy of the prototype, with the arrays

 private:
  void run(JitState& state, Signature& signature, const Callable& callable);

  ResultArrays arrays_;
  const void* prototype_ = nullptr;
  std::shared_ptr<const void> kept_;  // the prototype, where nothing else keeps it
};
Lowered lower(const std::shared_ptr<JitState>& state, const Invocation& invocation);
// The line that made it.
const std::source_location& made_at(const JitState& state);
int64_t trace_count(const JitState& state);

template <class F>
Identity identity_of(const F& f) {
  if constexpr (requires { f.identity(); }) {  // a function of the library's around one of the user's
    return f.identity();
  } else if constexpr (std::is_pointer_v<F>) {
    return {Identity::Kind::kPointer, reinterpret_cast<const void*>(f)};
  } else if constexpr (std::is_empty_v<F>) {
    return {Identity::Kind::kType, &TypeTag<F>::tag};
  } else {
    return {};
  }
}

// What a call returns, R being what the function does: the prototype of that with the arrays in place.
template <class R>
auto result_tree([[maybe_unused]] CallResults& results) {
  if constexpr (std::is_void_v<R>) {
    return;
  } else if constexpr (std::is_same_v<std::remove_cvref_t<R>, Array>) {
    return results.only();
  } else {
    std::remove_cvref_t<R> tree = *static_cast<const std::remove_cvref_t<R>*>(results.prototype());
    results.fill(tree::ref(tree));
    return tree;
  }
}

// The parameters of a callable that has one signature; `type` is void for all others.
template <class F>
struct Parameters {
  using type = void;
};
template <class R, class... Ps>
struct Parameters<R (*)(Ps...)> {
  using type = std::tuple<std::decay_t<Ps>...>;
};
template <class C, class R, class... Ps>
struct Parameters<R (C::*)(Ps...) const> {
  using type = std::tuple<std::decay_t<Ps>...>;
};
template <class F>
requires(
    !requires { typename F::Inner; } && requires { &F::operator(); }) struct Parameters<F>
    : Parameters<decltype(&F::operator())> {
};
// A function of the library's takes what the user's does that it stands for.
template <class F>
requires requires {
  typename F::Inner;
}
struct Parameters<F> : Parameters<typename F::Inner> {};

// The identity of a function of the library's type W around a user's function.
template <class W>
Identity identity_around(const Identity& inner) {
  Identity identity = inner;
  if (inner.kind == Identity::Kind::kType) identity.value = &TypeTag<W>::tag;
  return identity;
}

// Arrays, and classes whose values are passed as they stand. All others (numbers, which arrive as arrays or
// Static; containers, which may hold numbers) need to be seen as the caller wrote them.
template <class P>
inline constexpr bool has_own_type = std::is_same_v<P, Array> ||
                                     (std::is_class_v<P> && std::is_aggregate_v<P> &&
                                      !tree::kinds::IsStatic<P>::value && !tree::kinds::IsSequence<P>::value);
template <class P>
using Argument = std::conditional_t<std::is_same_v<P, Array>, ArrayArgument, TreeArgument<P>>;

inline const ArrayArgument& unwrap(const ArrayArgument& argument) {
  return argument;
}
template <class T>
const T& unwrap(const TreeArgument<T>& argument) {
  return argument.value;
}

// The call operator of a jitted function, which learns the line of the call: from the arguments, where the
// types of the parameters are known, or else by one operator for each number of arguments up to twelve, since
// no default argument follows a pack. What a call of more reports has the line where the function was made.
template <class Self, class Params>
struct CallOperator : TakesLine {
  using Where = std::source_location;
  auto operator()(Where w = Where::current()) const { return self().call(w); }
  template <class A>
  auto operator()(const A& a, Where where = Where::current()) const {
    return self().call(where, a);
  }
  template <class A, class B>
  auto operator()(const A& a, const B& b, Where where = Where::current()) const {
    return self().call(where, a, b);
  }
  template <class A, class B, class C>
  auto operator()(const A& a, const B& b, const C& c, Where where = Where::current()) const {
    return self().call(where, a, b, c);
  }
  template <class A, class B, class C, class D>
  auto operator()(const A& a, const B& b, const C& c, const D& d, Where where = Where::current()) const {
    return self().call(where, a, b, c, d);
  }
  template <class A, class B, class C, class D, class E>
  auto operator()(const A& a, const B& b, const C& c, const D& d, const E& e,
                  Where where = Where::current()) const {
    return self().call(where, a, b, c, d, e);
  }
  template <class A, class B, class C, class D, class E, class F>
  auto operator()(const A& a, const B& b, const C& c, const D& d, const E& e, const F& f,
                  Where where = Where::current()) const {
    return self().call(where, a, b, c, d, e, f);
  }
  template <class A, class B, class C, class D, class E, class F, class G>
  auto operator()(const A& a, const B& b, const C& c, const D& d, const E& e, const F& f, const G& g,
                  Where where = Where::current()) const {
    return self().call(where, a, b, c, d, e, f, g);
  }
  template <class A, class B, class C, class D, class E, class F, class G, class H>
  auto operator()(const A& a, const B& b, const C& c, const D& d, const E& e, const F& f, const G& g,
                  const H& h, Where where = Where::current()) const {
    return self().call(where, a, b, c, d, e, f, g, h);
  }
  template <class A, class B, class C, class D, class E, class F, class G, class H, class I>
  auto operator()(const A& a, const B& b, const C& c, const D& d, const E& e, const F& f, const G& g,
                  const H& h, const I& i, Where where = Where::current()) const {
    return self().call(where, a, b, c, d, e, f, g, h, i);
  }
  template <class A, class B, class C, class D, class E, class F, class G, class H, class I, class J>
  auto operator()(const A& a, const B& b, const C& c, const D& d, const E& e, const F& f, const G& g,
                  const H& h, const I& i, const J& j, Where where = Where::current()) const {
    return self().call(where, a, b, c, d, e, f, g, h, i, j);
  }
  template <class A, class B, class C, class D, class E, class F, class G, class H, class I, class J, class K>
  auto operator()(const A& a, const B& b, const C& c, const D& d, const E& e, const F& f, const G& g,
                  const H& h, const I& i, const J& j, const K& k, Where where = Where::current()) const {
    return self().call(where, a, b, c, d, e, f, g, h, i, j, k);
  }
  template <class A, class B, class C, class D, class E, class F, class G, class H, class I, class J, class K,
            class L>
  auto operator()(const A& a, const B& b, const C& c, const D& d, const E& e, const F& f, const G& g,
                  const H& h, const I& i, const J& j, const K& k, const L& l,
                  Where where = Where::current()) const {
    return self().call(where, a, b, c, d, e, f, g, h, i, j, k, l);
  }
  template <class... Args>
  requires(sizeof...(Args) > 12) auto operator()(const Args&... args) const {
    return self().call(Where(), args...);
  }

 private:
  const Self& self() const { return static_cast<const Self&>(*this); }
};
template <class Self, class First, class... Rest>
requires(has_own_type<First> &&
         (has_own_type<Rest> && ...)) struct CallOperator<Self, std::tuple<First, Rest...>> : TakesLine {
  auto operator()(Argument<First> first, Argument<Rest>... rest) const {
    return static_cast<const Self&>(*this).call(first.where, unwrap(first), unwrap(rest)...);
  }
  template <class... Args>
  static constexpr bool kMisfit = sizeof...(Args) != 1 + sizeof...(Rest);
  template <class... Args>
  requires(kMisfit<Args...>) void operator()(const Args&...) const = delete;  // f takes more or fewer
};

}  // namespace detail

// What jit returns: cheap to copy, callable from any thread.
template <class F>
class JitFunction : public detail::CallOperator<JitFunction<F>, typename detail::Parameters<F>::type> {
 public:
  JitFunction(F f, const JitOptions& options, const std::source_location& where,
              detail::Retrace retrace = detail::Retrace::kNever)
      : f_(detail::keep(std::move(f))),
        state_(detail::make_jit_state(detail::identity_of(function()), options, where, retrace)) {}

  // f(args...) runs the compiled program, made at the first call with these types. The result is what f
  // returns, with concrete arrays (traced ones inside of another trace). The same with the line that reports
  // name:
  template <class... Args>
  auto call(const std::source_location& where, const Args&... args) const {
    if constexpr (check<Args...>()) {
      const tree::Ref arguments[] = {tree::ref(args)..., tree::Ref()};
      detail::CallResults results(*state_, detail::invocation_of<F, Args...>(f_.get(), arguments), where);
      return detail::result_tree<detail::ReturnedBy<F, Args...>>(results);
    } else {
      detail::say_no_call(&function(), static_cast<tree::traced_t<Args>*>(nullptr)...);
      return Array();  // what is done with the result is no second mistake
    }
  }

  // The traced program for arguments of these types; values do not matter, Array::abstract(...) will do.
  template <class... Args>
  Lowered lower(const Args&... args) const {
    if constexpr (check<Args...>()) {
      const tree::Ref arguments[] = {tree::ref(args)..., tree::Ref()};
      return detail::lower(state_, detail::invocation_of<F, Args...>(f_.get(), arguments));
    }
  }
  template <class... Args>
  Compiled compile(const Args&... args) const {
    return lower(args...).compile();
  }
  template <class... Args>
  std::string text(const Args&... args) const {
    return lower(args...).text();
  }
  template <class... Args>
  std::vector<KernelInfo> kernels(const Args&... args) const {
    return compile(args...).kernels();
  }

  int64_t trace_count() const { return detail::trace_count(*state_); }  // how often f has run, in all

  // For the library itself.
  using Inner = F;
  detail::Identity identity() const {
    return detail::identity_around<JitFunction>(detail::identity_of(function()));
  }
  // Nothing else is said of a call that is none.
  template <class... Args>
  static constexpr bool check() {
    return detail::check_call<F, true, false, Args...>();
  }

 private:
  const F& function() const { return *static_cast<const F*>(f_.get()); }

  std::shared_ptr<const void> f_;  // an F
  std::shared_ptr<detail::JitState> state_;
};

template <class F>
JitFunction<std::decay_t<F>> jit(F&& f, const JitOptions& options = {},
                                 const std::source_location& where = std::source_location::current()) {
  return JitFunction<std::decay_t<F>>(std::forward<F>(f), options, where);
}

}  // namespace ingot
