// vmap: a function of one element becomes a function of a whole batch.
//
//   // f : (f32[3], f32[3,4]) -> f32[4], applied to 100 vectors and one matrix
//   auto f = [](Array x, Array w) { return tanh(dot(x, w)); };
//   Array y = ingot::vmap(f, {.in_axes = {0, std::nullopt}})(x, w);   // x : f32[100,3], y : f32[100,4]
//
// The function runs once, with traced arrays of the shapes of one element; every operation that it records is
// then done to the whole batch. What does not depend on the batch is computed once. No loop comes of it, and
// no transpose that would have to be paid for: the batch stays along the axis where it is. vmap, jit and scan
// nest in any order. Outside of a program a call is compiled at once and kept, as that of a jitted function
// is; a function with captures is traced at each call, and sees them as they are then.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "ingot/functions.h"
#include "ingot/jit.h"
#include "ingot/scan.h"

namespace ingot {

// Where the batch stands in the arrays of a tree: one axis for all of them; std::nullopt where all elements
// share them; or a list with an entry for each argument, element or field that holds arrays, in their order,
// each of them one of these three. Negative axes count from the last axis of the whole array.
class BatchAxes {
 public:
  template <class T>
  requires(std::is_integral_v<T> && !std::is_same_v<T, bool>)
      BatchAxes(T axis, const std::source_location& where = std::source_location::current())  // NOLINT
      : axis_(Axis(axis, where)) {}
  BatchAxes(bool) = delete;     // no axis
  BatchAxes(std::nullopt_t) {}  // NOLINT
  template <class O>
  requires(std::is_same_v<O, std::optional<int64_t>> || std::is_same_v<O, Optional<int64_t>>)
      BatchAxes(const O& axis)  // NOLINT
      : axis_(axis) {}
  BatchAxes(std::initializer_list<BatchAxes> parts);  // NOLINT
  BatchAxes(std::vector<BatchAxes> parts);            // NOLINT
  BatchAxes(const BatchAxes& other);
  BatchAxes& operator=(const BatchAxes& other);
  ~BatchAxes();

  bool is_list() const { return is_list_; }
  const std::vector<BatchAxes>& parts() const { return parts_; }
  Optional<int64_t> axis() const { return axis_; }

 private:
  bool is_list_ = false;
  Optional<int64_t> axis_;
  std::vector<BatchAxes> parts_;
};

struct VmapOptions {
  detail::ByName by_name = detail::ByName();
  BatchAxes in_axes = 0;             // of the arguments; a list has an entry for each argument
  BatchAxes out_axes = 0;            // of the results; std::nullopt: the result must not depend on the batch
  Optional<int64_t> axis_size = {};  // of the batch; needed only where no argument is batched
  std::string axis_name = {};        // by which psum and the like name the batch inside of the function
  std::string name = {};             // of the function in reports; default: file and line of the call of vmap
};

namespace detail {
std::shared_ptr<const VmapOptions> keep_options(const VmapOptions& options);
}

// What vmap returns: cheap to copy, callable from any thread, in programs and outside.
template <class F>
class VmapFunction : public detail::CallOperator<VmapFunction<F>, typename detail::Parameters<F>::type> {
 public:
  VmapFunction(F f, const VmapOptions& options, const std::source_location& where)
      : f_(detail::keep(std::move(f))),
        options_(detail::keep_options(options)),
        state_(detail::make_jit_state(identity(), {.name = options_->name}, where,
                                      detail::Retrace::kAtEachCall)),
        where_(where) {}

  // f(args...) for every element of the batch.
  template <class... Args>
  auto call(const std::source_location& where, const Args&... args) const {
    if constexpr (check<Args...>()) {
      const tree::Ref arguments[] = {tree::ref(args)..., tree::Ref()};
      detail::CallResults results(*state_, detail::invocation_of<F, Args...>(f_.get(), arguments),
                                  &detail::TypeTag<VmapFunction>::tag, *options_,
                                  where.line() != 0 ? where : where_);
      return detail::result_tree<detail::ReturnedBy<F, Args...>>(results);
    } else {
      detail::say_no_call(&function(), static_cast<tree::traced_t<Args>*>(nullptr)...);
      return Array();  // what is done with the result is no second mistake
    }
  }

  // For the library itself.
  using Inner = F;
  template <class... Args>
  static constexpr bool check() {
    return detail::check_call<F, true, false, Args...>();
  }

 private:
  detail::Identity identity() const {
    detail::Identity identity = detail::identity_of(function());
    if (identity.kind == detail::Identity::Kind::kType) identity.value = &detail::TypeTag<VmapFunction>::tag;
    return identity;
  }

  const F& function() const { return *static_cast<const F*>(f_.get()); }

  std::shared_ptr<const void> f_;  // an F
  std::shared_ptr<const VmapOptions> options_;
  std::shared_ptr<detail::JitState> state_;
  std::source_location where_;
};

// The function that does to whole batches what f does to each element: the batch stands along in_axes of the
// arguments and out_axes of the results. An Error names the leaf and its type where an axis does not exist,
// sizes of the batch disagree, or a result depends on the batch that must not.
template <class F>
VmapFunction<std::decay_t<F>> vmap(F&& f, const VmapOptions& options = {},
                                   const std::source_location& where = std::source_location::current()) {
  return VmapFunction<std::decay_t<F>>(std::forward<F>(f), options, where);
}

// --- inside of a function that is mapped over an axis with a name; Error elsewhere ---

Array psum(const Operand& x, const std::string& axis_name);   // the sum over the batch, of the shape of x
Array pmean(const Operand& x, const std::string& axis_name);  // floats
Array pmax(const Operand& x, const std::string& axis_name);
Array pmin(const Operand& x, const std::string& axis_name);
Array axis_index(const std::string& axis_name,
                 Where where = Where::current());  // s32[]: which element this is
int64_t axis_size(const std::string& axis_name, Where where = Where::current());

namespace detail {

// How many slices there are of the arrays of a tree along the axis. Error where they disagree.
int64_t mapped_length(const LeafArrays& xs, int64_t axis, int64_t batch_size,
                      const std::source_location& where);
// Error unless the results of slices can be stacked along that axis.
void check_out_axis(const LeafArrays& result, int64_t out_axis, const std::source_location& where);
// Elements along the axis in whole steps of `size`, [..., steps, size, ...], and those that are left over.
Array whole_steps(const Array& x, int64_t axis, int64_t size, const std::source_location& where);
Array left_over(const Array& x, int64_t axis, int64_t size, const std::source_location& where);
// Results of both along the axis, as one: [..., steps, size, ...] and [..., rest, ...].
Array joined_steps(const Array& steps, const Array& rest, int64_t axis, const std::source_location& where);

}  // namespace detail

// f of every slice of xs along `axis`, one after the other (a scan without carry), stacked along `out_axis`.
// xs is a tree of arrays. Takes the memory of one step where vmap takes that of all; vmap is the faster one.
// In between: `batch_size` slices at a time, by vmap; all of them where there are no more.
template <class F, class Xs>
auto map(F&& f, const Xs& xs, int64_t axis = 0, int64_t out_axis = 0, int64_t batch_size = 1,
         const std::source_location& where = std::source_location::current()) {
  if constexpr (!detail::check_call<std::remove_reference_t<F>, false, true, Xs>()) {
    detail::say_no_call(&f, static_cast<tree::traced_t<Xs>*>(nullptr));
    return detail::no_result<Array>();
  } else {
    const int64_t length = detail::mapped_length(detail::leaf_arrays(xs, "x"), axis, batch_size, where);
    const auto element = [&](tree::traced_t<Xs> x) {
      auto result = detail::call_traced(f, std::move(x));
      detail::check_out_axis(detail::leaf_arrays(result, "result"), out_axis, where);
      return result;
    };
    const auto scanned = [&](const auto& function, const Xs& all, int64_t from, int64_t to) {
      const auto step = [&](std::tuple<>, tree::traced_t<Xs> x) {
        return std::pair(std::tuple<>(), detail::call_traced(function, std::move(x)));
      };
      return scan(step, std::tuple<>(), all, {.axis = from, .ys_axis = to, .name = "map"}, where).second;
    };
    if (batch_size > length) batch_size = length;
    if (batch_size <= 1) return scanned(element, xs, axis, out_axis);
    const auto batched = vmap(element, {.in_axes = axis, .out_axes = out_axis}, where);
    // A negative axis counts from the end, where the axis of the steps stands before that of the elements.
    const auto before = [](int64_t a) { return a < 0 ? a - 1 : a; };
    const Xs whole =
        tree::map(xs, [&](const Array& x) { return detail::whole_steps(x, axis, batch_size, where); });
    const Xs rest =
        tree::map(xs, [&](const Array& x) { return detail::left_over(x, axis, batch_size, where); });
    auto result = scanned(batched, whole, before(axis), before(out_axis));
    const std::vector<Array> of_rest = tree::flatten(batched.call(where, rest));
    size_t next = 0;
    return tree::map(std::move(result), [&](const Array& steps) {
      return detail::joined_steps(steps, of_rest[next++], out_axis, where);
    });
  }
}

}  // namespace ingot
