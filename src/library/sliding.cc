// Products of vectors: those that slide along each other, and those of all pairs.
#include <algorithm>

#include "frontend/compose.h"
#include "ingot/calculus.h"
#include "ingot/conv.h"
#include "ingot/shapes.h"

namespace ingot {
namespace {

using detail::apply;
using detail::fail;

std::pair<int64_t, int64_t> sliding_padding(ConvolveMode mode, int64_t length) {
  if (mode == ConvolveMode::kFull) return {length - 1, length - 1};
  if (mode == ConvolveMode::kSame) return {length / 2, length - length / 2 - 1};
  return {0, 0};
}

// Windows of x with y, which is not the longer one.
Array slide(const Array& x, const Array& y, ConvolveMode mode, bool backwards) {
  const Array result = conv_general(reshape(x, {1, x.size(), 1}), reshape(y, {y.size(), 1, 1}),
                                    {.padding = {sliding_padding(mode, y.size())}, .flip = backwards});
  return reshape(result, {result.size()});
}

Array sliding(const char* name, const Operand& x, const Operand& y, ConvolveMode mode, bool convolves) {
  const CallerScope caller(x.where(), name);
  detail::checked_choice(name, "the mode", static_cast<int64_t>(mode), 3, x.where());
  const std::vector<Array> both = detail::same_floats(name, {x, y}, x.where());
  if (both[0].rank() != 1 || both[1].rank() != 1 || both[0].size() == 0 || both[1].size() == 0)
    fail(x.where(), std::string(name) + ": takes two vectors that are not empty, but these are " +
                        both[0].type_string() + " and " + both[1].type_string());
  const bool exchanged = both[0].size() < both[1].size();
  return apply(name, both, {static_cast<int64_t>(mode)}, x.where(), [&](const std::vector<Array>& a) {
    const Array first = a[0], second = convolves ? a[1] : conj(a[1]);
    const Array result =
        exchanged ? slide(second, first, mode, convolves) : slide(first, second, mode, convolves);
    return exchanged && !convolves ? flip(result) : result;
  });
}

}  // namespace

Array convolve(const Operand& x, const Operand& y, ConvolveMode mode) {
  return sliding("convolve", x, y, mode, true);
}
Array correlate(const Operand& x, const Operand& y, ConvolveMode mode) {
  return sliding("correlate", x, y, mode, false);
}

Array cross(const Operand& x, const Operand& y, Axis wanted) {
  const CallerScope caller(x.where(), "cross");
  const std::vector<Array> both = detail::same_dtype("cross", {x, y}, x.where());
  const int64_t m = detail::checked_axis("cross", wanted, both[0].rank(), x.where());
  const int64_t n = detail::checked_axis("cross", wanted, both[1].rank(), x.where());
  const int64_t length = both[0].shape(m);
  if (length != both[1].shape(n) || (length != 2 && length != 3))
    fail(x.where(), "cross: takes vectors of 3 elements, or both of 2, but these are " +
                        both[0].type_string() + " and " + both[1].type_string());
  return apply("cross", both, {wanted}, x.where(), [&](const std::vector<Array>& operands) {
    const Array a = moveaxis(operands[0], m, -1), b = moveaxis(operands[1], n, -1);
    if (length == 2)
      return index_axis(a, -1, 0) * index_axis(b, -1, 1) - index_axis(a, -1, 1) * index_axis(b, -1, 0);
    const auto turned = [](const Array& v, std::vector<int64_t> order) { return take(v, order, -1); };
    const Array product =
        turned(a, {1, 2, 0}) * turned(b, {2, 0, 1}) - turned(a, {2, 0, 1}) * turned(b, {1, 2, 0});
    return moveaxis(product, -1, std::max(m, n));
  });
}

Array kron(const Operand& x, const Operand& y) {
  return detail::compose_same("kron", x, y, {}, [](const Array& a, const Array& b) {
    const auto rank = static_cast<size_t>(std::max(a.rank(), b.rank()));
    Shape left, right, result;
    for (size_t i = 0; i < rank; ++i) {
      const auto extent = [&](const Array& v) {
        const size_t missing = rank - v.shape().size();
        return i < missing ? 1 : v.shape()[i - missing];
      };
      left.insert(left.end(), {extent(a), 1});
      right.insert(right.end(), {1, extent(b)});
      result.push_back(extent(a) * extent(b));
    }
    return reshape(reshape(a, left) * reshape(b, right), result);
  });
}

Array inner(const Operand& x, const Operand& y) {
  const CallerScope caller(x.where(), "inner");
  const std::vector<Array> both = detail::same_dtype("inner", {x, y}, x.where());
  if (both[0].rank() == 0 || both[1].rank() == 0) return both[0] * both[1];
  return tensordot(both[0], both[1], {both[0].rank() - 1}, {both[1].rank() - 1});
}

Array vecdot(const Operand& x, const Operand& y, Axis axis) {
  return detail::compose_same("vecdot", x, y, {axis}, [&](const Array& a, const Array& b) {
    return sum(moveaxis(conj(a), axis, -1) * moveaxis(b, axis, -1), -1);
  });
}

}  // namespace ingot
