// Functions over arrays. Element-wise ones broadcast and convert numbers as the operators do (array.h). An
// axis may be negative, counting from the last one. Integers and preds become f32 where the result is no
// integer, as in JAX.
#pragma once

#include <array>
#include <concepts>
#include <string_view>

#include "ingot/array.h"

namespace ingot {

// Several arrays as one parameter: {a, b, c}, or a vector or std::array of them.
class Operands {
 public:
  using Where = std::source_location;
  Operands(std::initializer_list<Operand> items, Where where = Where::current());  // NOLINT
  Operands(const std::vector<Array>& arrays, Where where = Where::current());      // NOLINT
  template <size_t N>
  Operands(const std::array<Array, N>& arrays, Where where = Where::current())  // NOLINT
      : Operands(arrays.data(), N, where) {}
  Operands(const Operands& other);
  Operands& operator=(const Operands& other);
  ~Operands();
  const std::vector<Operand>& items() const { return items_; }
  const Where& where() const;  // the line of the first array, or of the list where there is none

 private:
  Operands(const Array* arrays, size_t count, Where where);

  std::vector<Operand> items_;
  Where where_;
};

using Where = std::source_location;

// --- element-wise, one operand ---
Array exp(const Operand& x);
Array log(const Operand& x);
Array expm1(const Operand& x);  // exp(x) - 1, accurate near 0
Array log1p(const Operand& x);  // log(1 + x), accurate near 0
Array erf(const Operand& x);
Array sin(const Operand& x);
Array cos(const Operand& x);
Array tan(const Operand& x);
Array asin(const Operand& x);  // from -pi/2 to pi/2; NaN beyond 1
Array acos(const Operand& x);  // from 0 to pi; NaN beyond 1
Array atan(const Operand& x);  // from -pi/2 to pi/2
Array sinh(const Operand& x);
Array cosh(const Operand& x);
Array tanh(const Operand& x);
Array asinh(const Operand& x);
Array acosh(const Operand& x);       // NaN below 1
Array atanh(const Operand& x);       // infinite at 1, NaN beyond
Array exp2(const Operand& x);        // 2 to the power of x
Array log2(const Operand& x);        // exact for powers of 2
Array cbrt(const Operand& x);        // the cube root, of negative numbers too
Array erfc(const Operand& x);        // 1 - erf(x), accurate where it is small
Array erf_inv(const Operand& x);     // infinite at 1, NaN beyond
Array lgamma(const Operand& x);      // log(|gamma(x)|), as jax.scipy.special.gammaln; infinite at the poles
Array digamma(const Operand& x);     // the derivative of lgamma; NaN at the poles
Array bessel_i0e(const Operand& x);  // exp(-|x|) I0(x)
Array bessel_i1e(const Operand& x);  // exp(-|x|) I1(x)
Array logit(const Operand& x);       // log(x / (1 - x))
Array softplus(const Operand& x);    // log(1 + exp(x)) without overflow
Array logistic(const Operand& x);    // 1 / (1 + exp(-x))
Array sqrt(const Operand& x);
Array rsqrt(const Operand& x);  // 1 / sqrt(x)
Array floor(const Operand& x);
Array ceil(const Operand& x);
Array round(const Operand& x);       // to the nearest integer, halves to the even one
Array round_away(const Operand& x);  // to the nearest integer, halves away from zero
// The nearest number that a format of so many bits has, in the same dtype: infinite beyond its greatest one,
// zero below its least normal one. 8 and 7 are bf16's. Its derivative is rounded in the same way.
Array reduce_precision(const Operand& x, int64_t exponent_bits, int64_t mantissa_bits);
Array population_count(const Operand& x);  // how many bits of an integer are set
Array clz(const Operand& x);               // how many bits are zero above the highest that is set
Array abs(const Operand& x);               // of a complex array its real magnitude
Array sign(const Operand& x);              // -1, 0 or 1
Array is_finite(const Operand& x);         // pred: neither infinite nor NaN
Array neg(const Operand& x);
// --- complex numbers: std::complex<float> is c64, std::complex<double> c128 ---
Array complex(const Operand& re, const Operand& im);  // re + i im; f32 or f64
Array real(const Operand& z);                         // of a real array: itself
Array imag(const Operand& z);                         // of a real array: zeros
Array conj(const Operand& z);                         // of a real array: itself
Array angle(const Operand& z);                        // atan2(imag, real), from -pi to pi
Array logical_not(const Operand& x);

// --- element-wise, two operands ---
Array pow(const Operand& x, const Operand& y);
Array atan2(const Operand& y, const Operand& x);  // the angle of the vector (x, y)
Array hypot(const Operand& x, const Operand& y);  // sqrt(x^2 + y^2) without overflow
// The quotient rounded down, and the rest that goes with it, which has the sign of y. Integers by zero: as /
// gives, less 1 where signs differ; the rest is 0 (numpy warns and gives 0 for both).
Array floor_divide(const Operand& x, const Operand& y);
Array mod(const Operand& x, const Operand& y);
// The next number from x towards y. Made of bits, it has the derivative 0.
Array nextafter(const Operand& x, const Operand& y);
Array xlogy(const Operand& x, const Operand& y);      // x log(y), and 0 where x is
Array xlog1py(const Operand& x, const Operand& y);    // x log1p(y), and 0 where x is
Array logaddexp(const Operand& x, const Operand& y);  // log(exp(x) + exp(y)) without overflow
// The sum of (q + k)^-s over k = 0, 1, ..., for s > 1 and q > 0; differentiable in q.
Array zeta(const Operand& s, const Operand& q);
// The n-th derivative of digamma, for whole n; of n > 0 for x > 0. Differentiable in x.
Array polygamma(const Operand& n, const Operand& x);
Array maximum(const Operand& x, const Operand& y);  // NaN if either is NaN
Array minimum(const Operand& x, const Operand& y);
Array shift_right_logical(const Operand& x, const Operand& amount);
Array shift_right_arithmetic(const Operand& x, const Operand& amount);
enum class Compare { kEq, kNe, kLt, kLe, kGt, kGe };
Array compare(Compare direction, const Operand& x, const Operand& y);

// if_true where the pred array is true, else if_false; all three broadcast.
Array select(const Operand& pred, const Operand& if_true, const Operand& if_false);
Array where(const Operand& pred, const Operand& if_true, const Operand& if_false);  // the same
template <std::same_as<Array> A>
Array where(const Operand&, const A&) = delete;  // where(pred, x, y), or nonzero(pred) for places

// Conversion of values: float to integer truncates and saturates, NaN gives 0; to pred: != 0. Error from a
// complex dtype to a real one: take real, imag or abs. To f16 and bf16 it rounds, to the nearest. (What
// operations on f16 and bf16 make is rounded where it leaves a kernel of a compiled program, and within one
// only with INGOT_SKIP_PASSES=excess_precision, which JAX's CPU does.)
Array astype(const Operand& x, DType dtype);
// The same bits as another dtype. To a narrower one, elements become several, the lowest bits first, along a
// new last dimension: f32[3] as u8 is u8[3,4]; to a wider one, such a dimension goes: Error where it is not
// as long as that. Complex numbers are read as their parts, c64[3] as f32[3,2], and the other way round.
Array bitcast(const Operand& x, DType dtype);

// --- views: these cost no memory traffic of their own inside of a program ---
Array transpose(const Operand& x, std::vector<int64_t> permutation = {});  // default: all axes reversed
Array swapaxes(const Operand& x, int64_t a, int64_t b);
Array reshape(const Operand& x, Shape shape);  // one extent may be -1
Array broadcast_to(const Operand& x, Shape shape);
template <Extent N>  // reshape(x, -1)
Array reshape(const Operand& x, N extent) {
  return reshape(x, Shape{static_cast<int64_t>(extent)});
}
template <Extent N>
Array broadcast_to(const Operand& x, N extent) {
  return broadcast_to(x, Shape{static_cast<int64_t>(extent)});
}
template <Extent N, Extent M, class... Others>
Array reshape(const Operand&, N, M, Others...) = delete;  // reshape(x, {5, 4})
template <Extent N, Extent M, class... Others>
Array broadcast_to(const Operand&, N, M, Others...) = delete;  // broadcast_to(x, {5, 4})
Array expand_dims(const Operand& x, const Axes& axes);         // axes of the result
Array squeeze(const Operand& x, const Axes& axes = {});        // default: all axes of extent 1
Array flip(const Operand& x, const Axes& axes = {});
Array slice(const Operand& x, std::vector<int64_t> starts, std::vector<int64_t> limits,
            std::vector<int64_t> strides = {});
Array slice_axis(const Operand& x, Axis axis, int64_t start, int64_t limit, int64_t stride = 1);
Array slice_axis(const Operand& x, Axis axis, Slice slice);
Array index_axis(const Operand& x, Axis axis, int64_t index);  // one element of the axis, which is dropped
Array concatenate(const Operands& arrays, Axis axis = 0);
Array stack(const Operands& arrays, Axis axis = 0);  // along a new axis of the result
template <std::same_as<Array> A, class... Others>
Array concatenate(const Array&, const A&, const Others&...) = delete;  // concatenate({x, y}, axis)
template <std::same_as<Array> A, class... Others>
Array stack(const Array&, const A&, const Others&...) = delete;  // stack({x, y}, axis)
// `low` and `high` elements of `value` around each axis (negative: cut off), `interior` between elements.
Array pad(const Operand& x, std::vector<int64_t> low, std::vector<int64_t> high, const Operand& value = 0,
          std::vector<int64_t> interior = {});
// x at constant indices along an axis; negative indices count from its end.
Array take(const Operand& x, const std::vector<int64_t>& indices, Axis axis = 0);
Array roll(const Operand& x, int64_t shift, Axis axis);
Array iota(DType dtype, Shape shape, Axis axis,
           Where where = Where::current());  // the index along an axis
Array arange(int64_t stop, DType dtype = DType::kS32, Where where = Where::current());
Array arange(int64_t start, int64_t stop, int64_t step = 1, DType dtype = DType::kS32,
             Where where = Where::current());
namespace detail {
Array arange_of_floats(double start, double stop, double step, DType dtype, const Where& where);
}
// start + i * step, for as many i as lie before stop; computed in f64 and rounded once. Error for a step of
// 0, numbers that are not finite, and dtypes that are not floating.
template <class A>
requires std::is_floating_point_v<A> Array arange(A stop, DType dtype = DType::kF32,
                                                  Where where = Where::current()) {
  return detail::arange_of_floats(0, stop, 1, dtype, where);
}
template <class A, class B, class C = int>
requires(std::is_arithmetic_v<A>&& std::is_arithmetic_v<B>&& std::is_arithmetic_v<C> &&
         (std::is_floating_point_v<A> || std::is_floating_point_v<B> || std::is_floating_point_v<C>)) Array
    arange(A start, B stop, C step = 1, DType dtype = DType::kF32, Where where = Where::current()) {
  return detail::arange_of_floats(static_cast<double>(start), static_cast<double>(stop),
                                  static_cast<double>(step), dtype, where);
}

// --- elements at indices that are known at run time ---
// What an index out of range gives. kFill: NaN, the least signed or the greatest unsigned number; a negative
// index counts from the end of the axis. kClip: the nearest element; a negative index is out of range.
enum class IndexMode { kFill, kClip };
// x at integer indices along an axis, in whose place the result has the axes of the indices. Rows of a matrix
// are take(x, rows).
Array take_at(const Operand& x, const Array& indices, Axis axis, IndexMode mode);
template <std::same_as<Array> A>  // {0, 1} are constant indices, as above
Array take(const Operand& x, const A& indices, Axis axis = 0, IndexMode mode = IndexMode::kFill) {
  return take_at(x, indices, axis, mode);
}
template <std::integral I>  // one index
Array take(const Operand& x, I index, Axis axis = 0, IndexMode mode = IndexMode::kFill) {
  return take_at(x, Array(static_cast<int64_t>(index)), axis, mode);
}
// result[i, j] = x[i, indices[i, j]] along axis 1, and so on; the other axes are equal or broadcast.
Array take_along_axis(const Operand& x, const Array& indices, Axis axis, IndexMode mode = IndexMode::kFill);
// The part of x of that shape that begins at `starts`, one integer scalar for each axis; negative ones count
// from the end, and a part that would leave x is moved back inside.
Array dynamic_slice(const Operand& x, const Operands& starts, Shape sizes);
// x with `part` in place of what dynamic_slice gives at these starts.
Array dynamic_update_slice(const Operand& x, const Operand& part, const Operands& starts);

// x with `updates` put at, or combined with, the elements or rows that take(x, indices, axis, mode) reads,
// one after the other in the order of the indices: sums are the same for any number of threads, and where an
// index comes twice, kSet keeps the last. An index out of range is left out (kFill) or cut off (kClip). The
// updates have the shape that take gives, or broadcast to it.
enum class Scatter { kSet, kAdd, kMul, kMax, kMin };
Array scatter(Scatter combiner, const Operand& x, const Array& indices, const Operand& updates, Axis axis = 0,
              IndexMode mode = IndexMode::kFill);
Array scatter_add(const Operand& x, const Array& indices, const Operand& updates, Axis axis = 0);
// The sums of the rows of x (along axis 0) with equal ids, in rows 0 .. segments-1.
Array segment_sum(const Operand& x, const Array& ids, int64_t segments);

// --- reductions over some axes, by default all ---
// Of preds, s8 and s16 the result is s32, of u8 and u16 u32, as in JAX; other dtypes stay.
Array sum(const Operand& x, const Axes& axes = {}, KeepDims keepdims = {});
Array prod(const Operand& x, const Axes& axes = {}, KeepDims keepdims = {});
Array max(const Operand& x, const Axes& axes = {}, KeepDims keepdims = {});
Array min(const Operand& x, const Axes& axes = {}, KeepDims keepdims = {});
Array mean(const Operand& x, const Axes& axes = {}, KeepDims keepdims = {});
// The mean square distance from the mean, over n - ddof for n elements; accurate however far the mean is from
// zero. Error if ddof > 0 is not below n (numpy warns and gives NaN or infinity, JAX gives NaN in silence).
Array var(const Operand& x, const Axes& axes = {}, int64_t ddof = 0, KeepDims keepdims = {});
Array std_(const Operand& x, const Axes& axes = {}, int64_t ddof = 0, KeepDims keepdims = {});
template <std::same_as<bool> B>  // it would be ddof = 1: name ddof before keepdims
Array var(const Operand& x, const Axes& axes, B ddof, KeepDims keepdims = {}) = delete;
template <std::same_as<bool> B>
Array std_(const Operand& x, const Axes& axes, B ddof, KeepDims keepdims = {}) = delete;
Array logsumexp(const Operand& x, const Axes& axes = {}, KeepDims keepdims = {});  // log(sum(exp(x)))
// Of preds, and of numbers, which are true where they are not 0.
Array any(const Operand& x, const Axes& axes = {}, KeepDims keepdims = {});
Array all(const Operand& x, const Axes& axes = {}, KeepDims keepdims = {});
Array argmax(const Operand& x, Axis axis, KeepDims keepdims = {});  // s32; the first of equal ones
Array argmin(const Operand& x, Axis axis, KeepDims keepdims = {});

// --- contractions ---
// All take the dtype of the result, if it is to be wider than that of x and y: products and sums are then
// those of x and y converted to it. Without it, those of f16 and bf16 are summed in f32 and rounded once.
// As numpy.dot: the last axis of x with the second to last (or only) one of y.
Array dot(const Operand& x, const Operand& y, Optional<DType> result = {});
// As numpy.matmul: matrices in the last two axes, the leading ones broadcast.
Array matmul(const Operand& x, const Operand& y, Optional<DType> result = {});
struct DotDims {
  detail::ByName by_name = detail::ByName();
  std::vector<int64_t> lhs_contract = {}, rhs_contract = {}, lhs_batch = {}, rhs_batch = {};
  Optional<DType> result = {};
};
// Result axes: batch, then those left of x, then those left of y.
Array dot_general(const Operand& x, const Operand& y, const DotDims& dims);

// Sums of products by labels, as numpy.einsum: einsum("ij,jk->ik", {x, y}). Any number of arrays, repeated
// labels (diagonals), "..." for axes that broadcast, the result implied where there is no arrow. Several
// arrays are contracted two at a time, the cheapest pair first. Error where labels do not fit the arrays.
Array einsum(std::string_view subscripts, const Operands& arrays, Optional<DType> result = {});
// The same of arrays or numbers as arguments: einsum("ij,jk->ik", x, y).
template <class T>
concept EinsumTerm = std::same_as<T, Array> || Number<T>;
template <EinsumTerm A>
Array einsum(std::string_view subscripts, const A& x, Where where = Where::current()) {
  return einsum(subscripts, Operands({Operand(x, where)}, where));
}
template <EinsumTerm A, EinsumTerm B>
Array einsum(std::string_view subscripts, const A& x, const B& y, Where where = Where::current()) {
  return einsum(subscripts, Operands({Operand(x, where), Operand(y, where)}, where));
}
template <EinsumTerm A, EinsumTerm B, EinsumTerm C>
Array einsum(std::string_view subscripts, const A& x, const B& y, const C& z,
             Where where = Where::current()) {
  return einsum(subscripts, Operands({Operand(x, where), Operand(y, where), Operand(z, where)}, where));
}
namespace detail {
struct Labels {  // with the user's line, which no argument behind a list of any length can bring
  template <std::convertible_to<std::string_view> T>
  Labels(const T& labels, Where line = Where::current()) : text(labels), where(line) {}  // NOLINT
  std::string_view text;
  Where where;
};
}  // namespace detail
template <EinsumTerm A, EinsumTerm B, EinsumTerm C, EinsumTerm D, EinsumTerm... More>
Array einsum(const detail::Labels& subscripts, const A& x, const B& y, const C& z, const D& u,
             const More&... more) {
  const Where where = subscripts.where;
  return einsum(subscripts.text, Operands({Operand(x, where), Operand(y, where), Operand(z, where),
                                           Operand(u, where), Operand(more, where)...},
                                          where));
}
// The last `axes` axes of x with the first ones of y; or the axes that are named, pair by pair.
Array tensordot(const Operand& x, const Operand& y, int64_t axes = 2);
Array tensordot(const Operand& x, const Operand& y, const std::vector<int64_t>& x_axes,
                const std::vector<int64_t>& y_axes);
Array outer(const Operand& x, const Operand& y);  // x[i] * y[j], both flattened
Array vdot(const Operand& x, const Operand& y);   // the sum of conj(x) * y, both flattened

// --- compositions ---
Array softmax(const Operand& x, Axis axis = -1);
Array log_softmax(const Operand& x, Axis axis = -1);
struct AttentionOptions {
  detail::ByName by_name = detail::ByName();
  bool causal = false;          // a query sees keys up to its own position
  Optional<double> scale = {};  // of the scores; 1 / sqrt(depth) where it is not given
  Optional<Array> bias = {};    // [..., queries, keys], added to the scores; broadcasts
};
// softmax(q . k^T * scale + bias) . v over the last two axes: q [..., queries, depth], k [..., keys, depth],
// v [..., keys, width] -> [..., queries, width], of one float dtype; the leading axes broadcast. Long keys
// are gone through in blocks, so that memory grows with queries and keys and not with their product. Error
// where shapes do not fit.
Array attention(const Operand& q, const Operand& k, const Operand& v, const AttentionOptions& options = {});
Array silu(const Operand& x);  // x * logistic(x); -0 where logistic(x) is below the smallest normal number
Array gelu(const Operand& x);  // the form with tanh (Hendrycks and Gimpel, 2016)
Array relu(const Operand& x);  // maximum(x, 0), but its derivative at 0 is 0, as that of jax.nn.relu
Array square(const Operand& x);
Array clip(const Operand& x, const Operand& low, const Operand& high);
Array rotl(const Operand& x, int bits);  // rotates the bits of integers to the left

}  // namespace ingot
