// Loops over whole tensors for the reference semantics of element-wise operations, from a function of one
// element.
//
// A reference never shares code with a recipe. Functions that are not exact in IEEE arithmetic are computed
// in the next wider type and rounded once.
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

#include "base/visit_dtype.h"
#include "ops/support.h"

namespace ingot::ops {

// The type that an operation on such elements computes in; its result is rounded once.
template <class T>
using Computed = ElementOf<computed_dtype(dtype_of<T>())>;

// The larger or the smaller one: NaN if either is NaN; +0 is above -0.
template <bool kMaximum>
struct Extreme {
  template <class T>
  T operator()(T x, T y) const {
    if constexpr (is_float(dtype_of<T>())) {
      if (x != x || y != y) return std::numeric_limits<T>::quiet_NaN();
      if (x == y) return std::signbit(static_cast<float>(x)) == kMaximum ? y : x;
    }
    return (x < y) == kMaximum ? y : x;
  }
};

template <class T>
struct Wider {
  using type = std::conditional_t<std::is_same_v<T, float>, double, long double>;
};
template <class T>
struct Wider<std::complex<T>> {
  using type = std::complex<typename Wider<T>::type>;
};
template <class T>
using Wide = typename Wider<T>::type;

// The product by its formula: what C++ gives looks for infinities in products that are NaN, which no kernel
// and no peer does.
template <class T>
T multiply(T x, T y) {
  if constexpr (requires { x.real(); })
    return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
  else
    return x * y;
}

// The type in which sums and products of many elements are computed, to be rounded once.
template <class T>
using Accumulated = std::conditional_t<is_inexact(dtype_of<T>()), Wide<Computed<T>>, uint64_t>;

// Integers in the arithmetic of their width: computed unsigned, cut off.
template <class T>
constexpr uint64_t bits(T value) {
  return static_cast<uint64_t>(value);
}

// One element through a function of the wider type.
template <auto kFn>
struct Rounded {
  template <class T>
  T operator()(T x) const {
    return static_cast<T>(kFn(static_cast<Wide<T>>(x)));
  }
  template <class T>
  T operator()(T x, T y) const {
    return static_cast<T>(kFn(static_cast<Wide<T>>(x), static_cast<Wide<T>>(y)));
  }
};

template <unsigned kSet, auto kFn>
Tensors unary_reference(const Op&, std::span<const Tensor> operands, Evaluator&) {
  const Tensor& x = operands[0];
  Tensor result(x.dtype(), x.shape());
  visit_dtype(x.dtype(), [&]<class T>(std::type_identity<T>) {
    if constexpr (contains(kSet, dtype_of<T>())) {
      const T* in = x.data<T>();
      T* out = result.data<T>();
      for (int64_t i = 0, n = x.size(); i < n; ++i)
        out[i] = static_cast<T>(kFn(static_cast<Computed<T>>(in[i])));
    }
  });
  return {result};
}

template <unsigned kSet, auto kFn>
Tensors binary_reference(const Op&, std::span<const Tensor> operands, Evaluator&) {
  const Tensor& x = operands[0];
  const Tensor& y = operands[1];
  Tensor result(x.dtype(), x.shape());
  visit_dtype(x.dtype(), [&]<class T>(std::type_identity<T>) {
    if constexpr (contains(kSet, dtype_of<T>())) {
      const T* a = x.data<T>();
      const T* b = y.data<T>();
      T* out = result.data<T>();
      using C = Computed<T>;
      for (int64_t i = 0, n = x.size(); i < n; ++i)
        out[i] = static_cast<T>(kFn(static_cast<C>(a[i]), static_cast<C>(b[i])));
    }
  });
  return {result};
}

}  // namespace ingot::ops
