// Arithmetic on trees of arrays: parameters, gradients and the states of optimisers.
//
//   Params next = ingot::tree::add_scaled(params, -0.1f, gradients);      // params - 0.1 gradients
//   Array size = ingot::tree::norm(gradients);
//
// Trees of several operands have one structure; an Error names where they differ. Arrays of integers and
// preds are arrays as all others here.
#pragma once

#include "ingot/functions.h"
#include "ingot/tree.h"

namespace ingot::tree {

// Arrays of the same shapes and dtypes.
template <class V>
V zeros_like(V value, const std::source_location& line = std::source_location::current()) {
  const TreeScope scope(line, "tree::zeros_like", {{tree::ref(value), "value"}});
  return tree::map([](const Array& x) { return Array::zeros(x.shape(), x.dtype()); }, std::move(value));
}
template <class V>
V ones_like(V value, const std::source_location& line = std::source_location::current()) {
  const TreeScope scope(line, "tree::ones_like", {{tree::ref(value), "value"}});
  return tree::map([](const Array& x) { return Array::ones(x.shape(), x.dtype()); }, std::move(value));
}
template <class V>
V full_like(V value, const Operand& number,
            const std::source_location& line = std::source_location::current()) {
  const TreeScope scope(line, "tree::full_like", {{tree::ref(value), "value"}});
  return tree::map([&](const Array& x) { return Array::full(x.shape(), number, x.dtype()); },
                   std::move(value));
}
template <class V>
V astype(V value, DType dtype, const std::source_location& line = std::source_location::current()) {
  const TreeScope scope(line, "tree::astype", {{tree::ref(value), "value"}});
  return tree::map([&](const Array& x) { return x.astype(dtype); }, std::move(value));
}

template <class V>
V add(V a, const V& b, const std::source_location& line = std::source_location::current()) {
  const TreeScope scope(line, "tree::add", {{tree::ref(a), "a"}, {tree::ref(b), "b"}});
  return tree::map([](const Array& x, const Array& y) { return x + y; }, std::move(a), b);
}
template <class V>
V sub(V a, const V& b, const std::source_location& line = std::source_location::current()) {
  const TreeScope scope(line, "tree::sub", {{tree::ref(a), "a"}, {tree::ref(b), "b"}});
  return tree::map([](const Array& x, const Array& y) { return x - y; }, std::move(a), b);
}
template <class V>
V mul(V a, const V& b, const std::source_location& line = std::source_location::current()) {
  const TreeScope scope(line, "tree::mul", {{tree::ref(a), "a"}, {tree::ref(b), "b"}});
  return tree::map([](const Array& x, const Array& y) { return x * y; }, std::move(a), b);
}
template <class V>
V div(V a, const V& b, const std::source_location& line = std::source_location::current()) {
  const TreeScope scope(line, "tree::div", {{tree::ref(a), "a"}, {tree::ref(b), "b"}});
  return tree::map([](const Array& x, const Array& y) { return x / y; }, std::move(a), b);
}
template <class V>
V scale(V value, const Operand& factor, const std::source_location& line = std::source_location::current()) {
  const TreeScope scope(line, "tree::scale", {{tree::ref(value), "value"}});
  return tree::map([&](const Array& x) { return x * factor; }, std::move(value));
}
// a + factor * b
template <class V>
V add_scaled(V a, const Operand& factor, const V& b,
             const std::source_location& line = std::source_location::current()) {
  const TreeScope scope(line, "tree::add_scaled", {{tree::ref(a), "a"}, {tree::ref(b), "b"}});
  return tree::map([&](const Array& x, const Array& y) { return x + factor * y; }, std::move(a), b);
}
// a where the pred[] holds, else b, as a whole.
template <class V>
V where(const Operand& pred, V a, const V& b,
        const std::source_location& line = std::source_location::current()) {
  const TreeScope scope(line, "tree::where", {{tree::ref(a), "a"}, {tree::ref(b), "b"}});
  return tree::map([&](const Array& x, const Array& y) { return ingot::where(pred, x, y); }, std::move(a), b);
}

// The sum of all elements; 0 of a tree without arrays.
template <class V>
Array sum(const V& value, const std::source_location& line = std::source_location::current()) {
  const TreeScope scope(line, "tree::sum", {{tree::ref(value), "value"}});
  Array total;
  for_each(value, [&](const Array& x, const Path&) {
    total = total.empty() ? ingot::sum(x) : total + ingot::sum(x);
  });
  return total.empty() ? Array(0.f) : total;
}
// The sum of products of elements at equal places.
template <class V>
Array dot(V a, const V& b, const std::source_location& line = std::source_location::current()) {
  const TreeScope scope(line, "tree::dot", {{tree::ref(a), "a"}, {tree::ref(b), "b"}});
  return tree::sum(tree::mul(std::move(a), b));
}
// The root of the sum of squares of all elements.
template <class V>
Array norm(const V& value, const std::source_location& line = std::source_location::current()) {
  const TreeScope scope(line, "tree::norm", {{tree::ref(value), "value"}});
  return sqrt(tree::sum(tree::map([](const Array& x) { return real(x * conj(x)); }, value)));
}
// The number of elements of all arrays.
template <class V>
int64_t size(const V& value) {
  return tree::reduce([](int64_t n, const Array& x) { return n + x.size(); }, value, int64_t{0});
}

}  // namespace ingot::tree
