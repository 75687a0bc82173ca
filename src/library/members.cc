// The functions over arrays that are members, too.
#include "frontend/trace.h"
#include "ingot/creation.h"
#include "ingot/cumulative.h"
#include "ingot/elementwise.h"
#include "ingot/shapes.h"
#include "ingot/sorting.h"
#include "ingot/statistics.h"

namespace ingot {

using detail::fail;

void detail::fail_index(uint64_t index, const std::source_location& where) {
  fail(where, "index " + std::to_string(index) + " is out of range for an axis of any array");
}

void detail::fail_axis(uint64_t axis, const std::source_location& where) {
  fail(where,
       "axis " + std::to_string(axis) + " is out of range for any array; negative axes are signed numbers");
}

namespace {

void check_has_axes(const Array& x, const std::string& index, const std::source_location& where) {
  if (x.empty() || x.rank() > 0) return;
  fail(where, "a scalar has no element [" + index + "]; this is " + x.type_string() +
                  ", whose number item<T>() gives");
}

}  // namespace

Array Array::operator[](const Subscript& at) const {
  if (at.kind() != Subscript::Kind::kInteger) return (*this)(at);
  const CallerScope caller(at.where());
  check_has_axes(*this, std::to_string(at.integer()), at.where());
  return index_axis(Operand(*this, at.where()), 0, at.integer());
}
Array Array::row(const At& at) const {
  const CallerScope caller(at.where);
  check_has_axes(*this, std::to_string(at.index), at.where);
  return index_axis(Operand(*this, at.where), 0, at.index);
}
Array Array::slice(Slice first, Where where) const {
  const CallerScope caller(where, "slice");
  return slice_axis(Operand(*this, where), 0, first);
}
Array Array::slices(const std::vector<Slice>& axes, Where where) const {
  const CallerScope caller(where, "slices");
  Array result = *this;
  for (size_t i = 0; i < axes.size(); ++i) result = slice_axis(result, static_cast<int64_t>(i), axes[i]);
  return result;
}
Array Array::T(Where where) const {
  return ingot::transpose(Operand(*this, where));
}
Array Array::astype(DType dtype, Where where) const {
  return ingot::astype(Operand(*this, where), dtype);
}
Array Array::reshape(Shape shape, Where where) const {
  return ingot::reshape(Operand(*this, where), std::move(shape));
}

Array Array::transpose(const std::vector<int64_t>& permutation, Where where) const {
  return ingot::transpose(Operand(*this, where), permutation);
}
Array Array::swapaxes(int64_t a, int64_t b, Where where) const {
  return ingot::swapaxes(Operand(*this, where), a, b);
}
Array Array::ravel(Where where) const {
  return ingot::ravel(Operand(*this, where));
}
Array Array::squeeze(const Axes& axes, Where where) const {
  return ingot::squeeze(Operand(*this, where), axes);
}
Array Array::copy(Where where) const {
  detail::checked_node(*this, where);
  return *this;
}
Array Array::sum(const Axes& axes, KeepDims keepdims, Where where) const {
  return ingot::sum(Operand(*this, where), axes, keepdims);
}
Array Array::prod(const Axes& axes, KeepDims keepdims, Where where) const {
  return ingot::prod(Operand(*this, where), axes, keepdims);
}
Array Array::mean(const Axes& axes, KeepDims keepdims, Where where) const {
  return ingot::mean(Operand(*this, where), axes, keepdims);
}
Array Array::max(const Axes& axes, KeepDims keepdims, Where where) const {
  return ingot::max(Operand(*this, where), axes, keepdims);
}
Array Array::min(const Axes& axes, KeepDims keepdims, Where where) const {
  return ingot::min(Operand(*this, where), axes, keepdims);
}
Array Array::any(const Axes& axes, KeepDims keepdims, Where where) const {
  return ingot::any(Operand(*this, where), axes, keepdims);
}
Array Array::all(const Axes& axes, KeepDims keepdims, Where where) const {
  return ingot::all(Operand(*this, where), axes, keepdims);
}
Array Array::var(const Axes& axes, int64_t ddof, KeepDims keepdims, Where where) const {
  return ingot::var(Operand(*this, where), axes, ddof, keepdims);
}
Array Array::std_(const Axes& axes, int64_t ddof, KeepDims keepdims, Where where) const {
  return ingot::std_(Operand(*this, where), axes, ddof, keepdims);
}
Array Array::argmax(Where where) const {
  return ingot::argmax(Operand(*this, where));
}
Array Array::argmax(Axis axis, KeepDims keepdims, Where where) const {
  return ingot::argmax(Operand(*this, where), axis, keepdims);
}
Array Array::argmin(Where where) const {
  return ingot::argmin(Operand(*this, where));
}
Array Array::argmin(Axis axis, KeepDims keepdims, Where where) const {
  return ingot::argmin(Operand(*this, where), axis, keepdims);
}
Array Array::round(int64_t decimals, Where where) const {
  return ingot::round(Operand(*this, where), decimals);
}
Array Array::clip(const Operand& low, const Operand& high, Where where) const {
  return ingot::clip(Operand(*this, where), low, high);
}
Array Array::dot(const Operand& other, Where where) const {
  return ingot::dot(Operand(*this, where), other);
}
Array Array::abs(Where where) const {
  return ingot::abs(Operand(*this, where));
}
Array Array::real(Where where) const {
  return ingot::real(Operand(*this, where));
}
Array Array::imag(Where where) const {
  return ingot::imag(Operand(*this, where));
}
Array Array::conj(Where where) const {
  return ingot::conj(Operand(*this, where));
}
Array Array::cumsum(Axis axis, Where where) const {
  return ingot::cumsum(Operand(*this, where), axis);
}
Array Array::cumprod(Axis axis, Where where) const {
  return ingot::cumprod(Operand(*this, where), axis);
}
Array Array::sort(Axis axis, Where where) const {
  return ingot::sort(Operand(*this, where), axis);
}
Array Array::argsort(Axis axis, Where where) const {
  return ingot::argsort(Operand(*this, where), axis);
}
Array Array::diagonal(int64_t offset, Axis axis1, Axis axis2, Where where) const {
  return ingot::diagonal(Operand(*this, where), offset, axis1, axis2);
}
Array Array::trace(int64_t offset, Axis axis1, Axis axis2, Where where) const {
  return ingot::trace(Operand(*this, where), offset, axis1, axis2);
}
Array Array::ptp(const Axes& axes, KeepDims keepdims, Where where) const {
  return ingot::ptp(Operand(*this, where), axes, keepdims);
}
Array Array::repeat(int64_t repeats, Where where) const {
  return ingot::repeat(Operand(*this, where), repeats);
}
Array Array::repeat(int64_t repeats, Axis axis, Where where) const {
  return ingot::repeat(Operand(*this, where), repeats, axis);
}
Array Array::take(const std::vector<int64_t>& indices, Axis axis, Where where) const {
  return ingot::take(Operand(*this, where), indices, axis);
}
Array Array::take_rows(const Array& indices, Axis axis, Where where) const {
  return ingot::take(Operand(*this, where), indices, axis);
}

Array& Array::operator+=(const Operand& other) & {
  return *this = Operand(*this, other.where()) + other;
}
Array& Array::operator-=(const Operand& other) & {
  return *this = Operand(*this, other.where()) - other;
}
Array& Array::operator*=(const Operand& other) & {
  return *this = Operand(*this, other.where()) * other;
}
Array& Array::operator/=(const Operand& other) & {
  return *this = Operand(*this, other.where()) / other;
}

}  // namespace ingot
