// The value is a plain scan. The derivative at ties is the question: of two equal operands maximum gives each
// one half, so that among three or more the order of combination decides, and JAX combines by a tree: the
// first L elements are cut into blocks whose sizes are the powers of two in L, the largest first; a block is
// combined from its two halves, and the blocks from the left.
//
// Such trees over strided slices are slow, here as there, so the same weights come from one pass that counts
// like a binary counter: the carry has the tangent of the pending block of each size, and element i merges
// the blocks below the lowest zero bit of i. It is linear in the tangents, with coefficients 0, 1/2 and 1
// that depend on values alone. A scan over the values computes these, as bits of one number per element,
// which is all that reverse mode keeps. Where nothing ties, both scans do their full work: at run time there
// is nothing to branch on that vmap would not undo.
#include "library/running_extreme.h"
#include "library/rules_by_value.h"

#include <limits>

#include "frontend/derive.h"
#include "frontend/program.h"
#include "ingot/autodiff.h"
#include "ingot/scan.h"

namespace ingot::detail {
namespace {

Array bits_of(DType dtype, uint64_t value) {
  return Array(convert(Literal::of(value), dtype));
}

struct Extreme {
  int64_t axis;
  bool reverse;
  bool greatest;

  Array combine(const Array& a, const Array& b) const { return greatest ? maximum(a, b) : minimum(a, b); }

  Shape slice(const Array& x) const {
    Shape shape = x.shape();
    shape.erase(shape.begin() + axis);
    return shape;
  }
  // What every element replaces.
  Array neutral(const Array& x) const {
    const DType dtype = x.dtype();
    Literal literal;
    if (is_float(dtype)) {
      literal = detail::farthest_float(dtype, !greatest);
    } else if (dtype == DType::kPred) {
      literal = Literal::of(!greatest);
    } else {
      const int bits = bit_width(dtype) - (is_signed(dtype) ? 1 : 0);
      const uint64_t top = std::numeric_limits<uint64_t>::max() >> (64 - bits);
      const int64_t low = is_signed(dtype) ? -static_cast<int64_t>(top) - 1 : 0;
      literal = greatest ? Literal::of(low) : Literal::of(top);
    }
    return broadcast_to(Array(convert(literal, dtype)), slice(x));
  }

  Array value(const Array& x) const {
    return scan(
               [&](Array so_far, Array next) {
                 const Array extreme = combine(so_far, next);
                 return std::pair(extreme, extreme);
               },
               neutral(x), x, {.axis = axis, .reverse = reverse})
        .second;
  }
};

// How the elements of one axis are combined. A word of element i has the fields
//   risen   the element is beyond all before it (or NaN): nothing of them is in the result any more
//   here    the element equals the result
//   merge   bit k: in the merge with the pending block of size 2^k both sides have the extreme
//   fold    bit k: so has the final block of size 2^k, and one to the left of it
class Ties {
 public:
  Ties(const Extreme& extreme, const Array& x) : extreme_(extreme), shape_(extreme.slice(x)) {
    length_ = x.shape(extreme.axis);
    while ((int64_t{1} << levels_) <= length_) ++levels_;
    type_ = 2 + 2 * levels_ <= 32 ? DType::kU32 : DType::kU64;
    if (2 + 2 * levels_ > 64) {
      throw Error("the derivative of cummax and cummin takes an axis below 2^31 elements; this one has " +
                  std::to_string(length_));
    }
  }

  Array words(const Array& x) const {
    const auto step = [&](std::pair<Array, Array> carry, std::pair<Array, Array> element) {
      const auto& [extreme, pending] = carry;  // bit k: the pending block of size 2^k has the extreme
      const auto& [next, i] = element;
      const auto [top, low] = counted(i);
      const Array result = extreme_.combine(extreme, next);
      const Array risen = result != extreme, here = result == next;
      const Array before = where(risen, none(), pending);
      // What is merged has the extreme if the element or a smaller block does: in all but the lowest of them.
      const Array merge = where(here, before, before & (before - word(1))) & low;
      const Array whole = here | ((before & low) != word(0));
      const Array after = (before & ~low) | where(whole, broadcast_to(top, shape_), none());
      Array higher = after >> word(1);  // all bits below the highest one
      for (uint64_t k = 1; k < static_cast<uint64_t>(levels_); k *= 2) higher = higher | (higher >> word(k));
      const Array fields = risen.astype(type_) | (here.astype(type_) << word(1)) | (merge << word(2)) |
                           ((after & higher) << word(static_cast<uint64_t>(2 + levels_)));
      return std::pair(std::pair(result, after), fields);
    };
    ScanOptions options{.axis = {extreme_.axis, 0}, .reverse = extreme_.reverse};
    options.ys_axis = ScanAxes(extreme_.axis);
    return scan(step, std::pair(extreme_.neutral(x), none()), std::pair(x, steps()), options).second;
  }

  Array tangent(const Array& words, const Array& x_tangent) const {
    const DType dtype = x_tangent.dtype();
    const Array zero = broadcast_to(bits_of(dtype, 0), shape_);
    const auto step = [&](std::vector<Array> pending, std::tuple<Array, Array, Array> element) {
      const auto& [next, fields, i] = element;
      const auto [top, low] = counted(i);
      const Array risen = has(fields, 0);
      Array block = where(has(fields, 1), next, zero);
      for (int64_t k = 0; k < levels_; ++k) {
        Array& slot = pending[static_cast<size_t>(k)];
        const Array kept = where(risen, zero, slot), merged = broadcast_to(has(low, k), shape_);
        slot = where(broadcast_to(has(top, k), shape_), block, where(merged, zero, kept));
        block = halved(block + where(merged, kept, zero), has(fields, 2 + k));
      }
      Array result = pending.back();
      for (int64_t k = levels_ - 2; k >= 0; --k)
        result = halved(result + pending[static_cast<size_t>(k)], has(fields, 2 + levels_ + k));
      return std::pair(pending, result);
    };
    ScanOptions options{.axis = {extreme_.axis, extreme_.axis, 0}, .reverse = extreme_.reverse};
    options.ys_axis = ScanAxes(extreme_.axis);
    const std::vector<Array> init(static_cast<size_t>(levels_), zero);
    return scan(step, init, std::tuple(x_tangent, words, steps()), options).second;
  }

 private:
  Array word(uint64_t value) const { return bits_of(type_, value); }
  Array none() const { return broadcast_to(word(0), shape_); }
  // The elements in the order of the scan.
  Array steps() const {
    const Array up = arange(length_).astype(type_);
    return extreme_.reverse ? flip(up) : up;
  }
  // The size of the block that element i completes, and the sizes of those it merges.
  std::pair<Array, Array> counted(const Array& i) const {
    const Array top = (i + word(1)) & ~i;
    return {top, top - word(1)};
  }
  Array has(const Array& bits, int64_t k) const { return (bits & word(uint64_t{1} << k)) != word(0); }
  static Array halved(const Array& x, const Array& condition) {
    return x * where(condition, Array(convert(Literal::of(0.5), x.dtype())), bits_of(x.dtype(), 1));
  }

  const Extreme& extreme_;
  Shape shape_;
  int64_t length_ = 0, levels_ = 0;
  DType type_ = DType::kU32;
};

// The tangent of x, and the extreme for whoever differentiates again.
template <class Value>
auto rule_of(const Extreme& extreme, Value&& value) {
  return [extreme, value](std::tuple<Array> primals, std::tuple<Array> tangents) {
    const Array& x = std::get<0>(primals);
    const Ties ties(extreme, x);
    const Array words = ties.words(stop_gradient(x));
    return std::pair(value(x, ties, words), ties.tangent(words, std::get<0>(tangents)));
  };
}

}  // namespace

Array running_extreme(const Array& x, int64_t axis, bool reverse, bool greatest) {
  const Extreme extreme{axis, reverse, greatest};
  if (!is_float(x.dtype()) || x.shape(axis) < 2) return extreme.value(x);
  const auto value = [extreme](Array a) { return extreme.value(a); };
  // In the first derivative the extreme is the plain scan again. In the second one, where a rule cannot refer
  // to itself, it is what the linear function makes of x: the mean of what is equal, unless that overflows.
  const auto again = rule_of(extreme, [extreme](const Array& a, const Ties& ties, const Array& words) {
    const Array mean = ties.tangent(words, a), plain = extreme.value(stop_gradient(a));
    return where(mean == plain, mean, plain);
  });
  const auto rule = rule_of(extreme, [value, again](const Array& a, const Ties&, const Array&) {
    return custom_jvp_by_value(value, again)(a);
  });
  return custom_jvp_by_value(value, rule)(x);
}

}  // namespace ingot::detail
