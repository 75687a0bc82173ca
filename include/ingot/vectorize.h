// Functions of single elements, vectors or matrices made functions of arrays of them, by broadcasting.
//
//   auto f = ingot::vectorize([](Array x, Array y) { return hypot(x, y); });       // of two numbers
//   auto g = ingot::vectorize([](Array m, Array v) { return dot(m, v); }, "(m,n),(n)->(m)");
#pragma once

#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "ingot/functions.h"
#include "ingot/vmap.h"

namespace ingot {
namespace detail {

// The arguments with all axes that are not the function's as one axis in front, of one extent.
struct Vectorized {
  std::vector<Array> arguments;
  Shape shape;  // of the axes that became one
  std::string signature;
  std::vector<std::vector<std::string>> results;  // the names of their axes
  std::map<std::string, int64_t> extents;         // of axes by their names, as the arguments have them
};
Vectorized vectorized(const std::string& signature, const std::vector<Array>& arguments,
                      const std::source_location& where);
// Error if what was made, with the axis in front, is not what the signature says.
void check_results(const Vectorized& all, const std::vector<const Array*>& results,
                   const std::source_location& where);
// The axis in front as those of the shape again.
Array with_leading(const Array& x, const Shape& shape, const std::source_location& where);
// The other way round for the results of a function along an axis.
Array axis_last(const Array& x, int64_t axis, const std::source_location& where);
Array result_axes(const Array& x, const Shape& others, int64_t axis, const std::source_location& where);

}  // namespace detail

template <class F>
class VectorizedFunction {
 public:
  VectorizedFunction(F f, std::string signature, const std::source_location& where)
      : f_(std::move(f)), signature_(std::move(signature)), where_(where) {}

  template <class... Args>
  requires(std::is_convertible_v<const Args&, Operand>&&...) auto operator()(const Args&... args) const {
    constexpr bool takes = std::is_invocable_v<const F&, std::conditional_t<true, Array, Args>...>;
    static_assert(takes || !detail::has_one_call<F>,
                  "ingot::vectorize: the function does not take so many arrays");
    if constexpr (!takes) {
      detail::say_no_call(&f_, static_cast<std::conditional_t<true, Array, Args>*>(nullptr)...);
      return detail::no_result<Array>();
    } else {
      const detail::Vectorized all = [&] {
        const CallerScope caller(where_, "vectorize");
        return detail::vectorized(signature_, {Operand(args).array()...}, where_);
      }();
      auto result = call(all.arguments, std::index_sequence_for<Args...>());  // of lines of its own
      const CallerScope caller(where_, "vectorize");
      std::vector<const Array*> made;
      tree::for_each(result, [&](const Array& x, const tree::Path&) { made.push_back(&x); });
      detail::check_results(all, made, where_);
      return tree::map(std::move(result),
                       [&](const Array& x) { return detail::with_leading(x, all.shape, where_); });
    }
  }

 private:
  template <size_t... I>
  auto call(const std::vector<Array>& arguments, std::index_sequence<I...>) const {
    return vmap(f_, {}, where_)(arguments[I]...);
  }

  F f_;
  std::string signature_;
  std::source_location where_;
};

// f for all elements of arrays, which broadcast together. f takes and returns scalars, or, by a signature as
// that of numpy.vectorize, arrays with so many of the last axes: "(m,n),(n)->(m)". One vmap, in programs and
// outside.
template <class F>
VectorizedFunction<std::decay_t<F>> vectorize(
    F&& f, std::string signature = "", const std::source_location& where = std::source_location::current()) {
  return {std::forward<F>(f), std::move(signature), where};
}

// f of every vector along the axis; what f returns stands in place of the axis (numpy.apply_along_axis).
template <class F>
Array apply_along_axis(F&& f, Axis axis, const Operand& x) {
  Shape others;
  const Array flat = [&] {
    const CallerScope caller(x.where(), "apply_along_axis");
    const Array rows = detail::axis_last(x.array(), axis, x.where());
    others = rows.shape();
    const int64_t length = others.back();
    others.pop_back();
    return reshape(rows, {element_count(others), length});
  }();
  const Array results = vmap(std::forward<F>(f), {}, x.where())(flat);  // of lines of its own
  const CallerScope caller(x.where(), "apply_along_axis");
  return detail::result_axes(results, others, axis, x.where());
}

}  // namespace ingot
