// What the program of a transform is written with: arithmetic, views and constants of pairs of real arrays.
#pragma once

#include <functional>
#include <map>
#include <tuple>
#include <vector>

#include "ir/builder.h"
#include "ops/make.h"
#include "pass/numbers/complex_math.h"

namespace ingot::pass {

class FftWriter {
 public:
  explicit FftWriter(ir::Builder& builder) : b_(builder) {}

  ir::Value* add(ir::Value* x, ir::Value* y) { return make::add(b_, {x, y}); }
  ir::Value* sub(ir::Value* x, ir::Value* y) { return make::sub(b_, {x, y}); }
  ir::Value* mul(ir::Value* x, ir::Value* y) { return make::mul(b_, {x, y}); }
  ir::Value* times(ir::Value* x, double factor) {
    return factor == 1 ? x : mul(x, ComplexMath(b_).number(x, factor));
  }
  Parts add(const Parts& x, const Parts& y) { return {add(x.re, y.re), add(x.im, y.im)}; }
  Parts sub(const Parts& x, const Parts& y) { return {sub(x.re, y.re), sub(x.im, y.im)}; }
  Parts mul(const Parts& x, const Parts& y) { return ComplexMath(b_).mul(x, y); }
  Parts conj(const Parts& x) { return ComplexMath(b_).conj(x); }
  Parts times(const Parts& x, double factor) { return {times(x.re, factor), times(x.im, factor)}; }

  ir::Value* reshape(ir::Value* x, const Shape& shape);
  ir::Value* slice(ir::Value* x, int64_t axis, int64_t start, int64_t limit, int64_t stride = 1);
  ir::Value* concatenate(const std::vector<ir::Value*>& parts, int64_t axis);
  // In a kernel: there as a whole, along those dimensions, before what reads it.
  ir::Value* hold(ir::Value* x, const ir::IntList& dims) { return b_.value("hold", {x}, {{"dims", dims}}); }
  // Real and imaginary parts that take turns, and of such an array the parts, of that shape.
  static Shape in_pairs(Shape shape) {
    shape.push_back(2);
    return shape;
  }
  Parts taken_apart(ir::Value* pairs, const Shape& shape);
  ir::Value* reverse(ir::Value* x, int64_t axis) { return make::reverse(b_, x, ir::IntList{axis}); }
  ir::Value* take(ir::Value* x, int64_t axis, const ir::IntList& indices) {
    return b_.value("take", {x}, {{"axis", axis}, {"indices", indices}});
  }
  // Zeros behind the elements, up to that extent.
  ir::Value* zeros_behind(ir::Value* x, int64_t axis, int64_t extent);
  Parts each(const Parts& x, const std::function<ir::Value*(ir::Value*)>& f) { return {f(x.re), f(x.im)}; }

  // Constant arrays of complex numbers; `number` gives them in row-major order.
  Parts table(DType part, const Shape& shape, const std::function<std::complex<double>(int64_t)>& number);
  // exp(-2 pi i k p / (r m)) of [k, p], r rows of m: one table, however many ask for it.
  Parts roots(DType part, int64_t r, int64_t m);
  // The same for all other dimensions of `shape`.
  ir::Value* spread(ir::Value* x, const Shape& shape, const ir::IntList& dims) {
    return make::broadcast(b_, x, shape, dims);
  }
  ir::Builder& builder() { return b_; }

 private:
  ir::Builder& b_;
  std::map<std::tuple<DType, int64_t, int64_t>, Parts> roots_;
};

}  // namespace ingot::pass
