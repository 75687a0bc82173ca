// Elements in order. All sorts are stable: elements that are equal keep their order, in descending order too,
// which jnp.sort(descending=True) does not do for ties. Of floats -0 and +0 are equal, and so are NaN, which
// are greater than all numbers, as numpy and JAX have it (but for top_k); complex numbers are ordered by
// their real parts, then by their imaginary ones. Derivatives go to where elements come from.
#pragma once

#include "ingot/functions.h"

namespace ingot {

enum class Order { kAscending, kDescending };

struct SortOptions {
  detail::ByName by_name = detail::ByName();
  int64_t axis = -1;
  bool descending = false;
};

Array sort(const Operand& x, Axis axis = -1, Order order = Order::kAscending);
Array sort(const Operand& x, const SortOptions& options);
// The places of the elements of sort(x, axis, order), s32: take_along_axis(x, argsort(x), -1) is sort(x).
Array argsort(const Operand& x, Axis axis = -1, Order order = Order::kAscending);
Array argsort(const Operand& x, const SortOptions& options);
// The element that would stand at place k of the sorted axis stands there, less ones before it and greater
// ones behind it. As jnp.partition: those before in order, those behind the greatest first. argpartition: the
// places of such elements, those of the greater ones ascending.
Array partition(const Operand& x, int64_t k, Axis axis = -1);
Array argpartition(const Operand& x, int64_t k, Axis axis = -1);
// The places in the order of several keys of one shape, of which the last one counts first (numpy.lexsort).
Array lexsort(const Operands& keys, Axis axis = -1);
// The arrays in the order of the keys, of which the first one counts first; all have one shape.
std::vector<Array> sort_by_keys(const Operands& keys, const Operands& arrays, Axis axis = -1,
                                Order order = Order::kAscending);

struct TopK {
  Array values, places;  // s32
};
// The k greatest elements along an axis, the greatest first, of equal ones the first. As lax.top_k it
// goes by the sign first: +0 is greater than -0, and a NaN with a sign, which x86 makes of 0 / 0, is less
// than all numbers. Error if there are not so many.
TopK top_k(const Operand& x, int64_t k, Axis axis = -1);

// Parts, from 0 to 1 or to 100: a number, or a list, which becomes the first axis of the result. An array of
// rank 0 or 1 is the same where numbers are not known in advance; those outside of the range are taken for
// its ends.
class Quantiles {
 public:
  Quantiles(Array q);                          // NOLINT
  Quantiles(double q);                         // NOLINT
  Quantiles(std::initializer_list<double> q);  // NOLINT
  Quantiles(std::vector<double> q);            // NOLINT
  Quantiles(const Quantiles& other);
  Quantiles& operator=(const Quantiles& other);
  ~Quantiles();
  const std::vector<double>& values() const { return values_; }
  const Optional<Array>& array() const { return array_; }  // in place of the values
  bool single() const { return single_; }
  // The same as parts of 1. Error of the function where a number is not from 0 to 100.
  Quantiles of_percents(const char* name, const std::source_location& where) const;

 private:
  std::vector<double> values_;
  Optional<Array> array_;
  bool single_ = false;
};
// Where a quantile lies between two elements.
enum class QuantileMethod {
  kLinear,  // on the line through both
  kLower,   // at the lower one, or at the higher one
  kHigher,
  kMidpoint,  // in the middle
  kNearest,   // at the nearer one, of both as near at the lower one
};
// The value below which a part q of the elements lies; NaN with derivative 0 where one of them is. Integers
// and preds become f32. Error unless 0 <= q <= 1, or where there are no elements.
Array quantile(const Operand& x, const Quantiles& q, const Axes& axes = {}, KeepDims keepdims = {},
               QuantileMethod method = QuantileMethod::kLinear);
Array median(const Operand& x, const Axes& axes = {}, KeepDims keepdims = {});

}  // namespace ingot
