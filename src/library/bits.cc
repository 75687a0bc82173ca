// The bits of elements as other elements: of the same width one operation, of others shifts.
#include <bit>

#include "frontend/apply.h"

namespace ingot {
namespace {

DType unsigned_of(int bits) {
  constexpr DType kByWidth[] = {DType::kU2, DType::kU4, DType::kU8, DType::kU16, DType::kU32, DType::kU64};
  return kByWidth[std::countr_zero(static_cast<unsigned>(bits)) - 1];
}

Array same_width(const Array& x, DType dtype, const std::source_location& where) {
  return detail::apply_op("bitcast", {x}, {{"dtype", dtype}}, {static_cast<int64_t>(dtype)}, where);
}

// Each element as several, the lowest bits first.
Array taken_apart(const Array& x, DType dtype, int from, int to, const std::source_location& where) {
  const Array whole = same_width(x, unsigned_of(from), where);
  std::vector<Array> parts;
  for (int i = 0; i < from / to; ++i) {
    const Array moved = i == 0 ? whole : Operand(whole, where) >> Operand(i * to, where);
    parts.push_back(expand_dims({astype({moved, where}, unsigned_of(to)), where}, {-1}));
  }
  return same_width(concatenate({parts, where}, -1), dtype, where);
}

Array put_together(const Array& x, DType dtype, int from, int to, const std::source_location& where) {
  const Array parts = same_width(x, unsigned_of(from), where);
  Array whole;
  for (int i = 0; i < to / from; ++i) {
    const Array part = astype({index_axis({parts, where}, -1, i), where}, unsigned_of(to));
    if (i == 0) {
      whole = part;
    } else {
      const Array moved = Operand(part, where) << Operand(i * from, where);
      whole = Operand(whole, where) | Operand(moved, where);
    }
  }
  return same_width(whole, dtype, where);
}

}  // namespace

Array bitcast(const Operand& x, DType dtype) {
  const std::source_location& where = x.where();
  const Array array = x.array();
  const DType own = detail::checked_node(array, where).type->dtype;
  const int from = bit_width(own), to = bit_width(dtype);
  const auto has_bits = [](DType one) {
    return one != DType::kPred && !is_complex(one) &&
           std::has_single_bit(static_cast<unsigned>(bit_width(one)));
  };
  if (from == to || !has_bits(own) || !has_bits(dtype)) return same_width(array, dtype, where);
  const Shape& shape = array.shape();
  const int64_t parts = to / from;
  if (from < to && (shape.empty() || shape.back() != parts)) {
    detail::fail(where, "bitcast: cannot read a " + array.type_string() + " as " +
                            std::string(name_of(dtype)) + "; its last dimension must be " +
                            std::to_string(parts));
  }
  return detail::apply("bitcast", {array}, {static_cast<int64_t>(dtype)}, where,
                       [&](const std::vector<Array>& operands) {
                         return from > to ? taken_apart(operands[0], dtype, from, to, where)
                                          : put_together(operands[0], dtype, from, to, where);
                       });
}

}  // namespace ingot
