#include "pass/numbers/fft_writer.h"

#include "base/visit_dtype.h"
#include "ops/make.h"
#include "pass/numbers/fft_lengths.h"

namespace ingot::pass {

using ir::IntList;
using ir::Value;

Value* FftWriter::reshape(Value* x, const Shape& shape) {
  return x->shape() == shape ? x : make::reshape(b_, x, shape);
}

Value* FftWriter::slice(Value* x, int64_t axis, int64_t start, int64_t limit, int64_t stride) {
  const auto at = static_cast<size_t>(axis);
  IntList starts(x->shape().size(), 0), limits = x->shape(), strides(x->shape().size(), 1);
  if (start == 0 && limit == limits[at] && stride == 1) return x;
  starts[at] = start;
  limits[at] = limit;
  strides[at] = stride;
  return make::slice(b_, x, starts, limits, strides);
}

Value* FftWriter::concatenate(const std::vector<Value*>& parts, int64_t axis) {
  return parts.size() == 1 ? parts[0] : make::concatenate(b_, parts, axis);
}

Value* FftWriter::zeros_behind(Value* x, int64_t axis, int64_t extent) {
  const size_t rank = x->shape().size();
  IntList high(rank, 0);
  high[static_cast<size_t>(axis)] = extent - x->shape()[static_cast<size_t>(axis)];
  return make::pad(b_, {x, b_.constant(Tensor(x->dtype(), {}))}, IntList(rank, 0), high, IntList(rank, 0));
}

Parts FftWriter::taken_apart(Value* pairs, const Shape& shape) {
  Value* x = reshape(pairs, in_pairs(shape));
  const auto axis = static_cast<int64_t>(shape.size());
  return {reshape(slice(x, axis, 0, 1), shape), reshape(slice(x, axis, 1, 2), shape)};
}

Parts FftWriter::table(DType part, const Shape& shape,
                       const std::function<std::complex<double>(int64_t)>& number) {
  Tensor re(part, shape), im(part, shape);
  const int64_t count = re.size();
  visit_dtype(part, [&]<class T>(std::type_identity<T>) {
    T* real = reinterpret_cast<T*>(re.raw());
    T* imag = reinterpret_cast<T*>(im.raw());
    for (int64_t i = 0; i < count; ++i) {
      const std::complex<double> z = number(i);
      real[i] = static_cast<T>(z.real());
      imag[i] = static_cast<T>(z.imag());
    }
  });
  return {b_.constant(re), b_.constant(im)};
}

Parts FftWriter::roots(DType part, int64_t r, int64_t m) {
  const auto [known, fresh] = roots_.try_emplace({part, r, m});
  if (fresh) {
    const UnitRoots roots(r * m, part);
    known->second = table(part, {r * m}, [&](int64_t i) { return roots.of(i / m * (i % m)); });
  }
  return known->second;
}

}  // namespace ingot::pass
