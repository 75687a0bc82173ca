// The bits of elements as other elements: of the same width one operation, of others shifts.
#include <bit>

#include "frontend/apply.h"

namespace ingot {
namespace {

DType unsigned_of(size_t bytes) {
  constexpr DType kBySize[] = {DType::kU8, DType::kU16, DType::kU32, DType::kU64};
  return kBySize[std::countr_zero(bytes)];
}

Array same_width(const Array& x, DType dtype, const std::source_location& where) {
  return detail::apply_op("bitcast", {x}, {{"dtype", dtype}}, {static_cast<int64_t>(dtype)}, where);
}

int bits_before(int64_t part, size_t bytes) {
  return static_cast<int>(8 * part * static_cast<int64_t>(bytes));
}

// Each element as several, the lowest bits first.
Array taken_apart(const Array& x, DType dtype, size_t from, size_t to, const std::source_location& where) {
  const Array whole = same_width(x, unsigned_of(from), where);
  std::vector<Array> parts;
  for (int64_t i = 0; i < static_cast<int64_t>(from / to); ++i) {
    const Array moved = i == 0 ? whole : Operand(whole, where) >> Operand(bits_before(i, to), where);
    parts.push_back(expand_dims({astype({moved, where}, unsigned_of(to)), where}, {-1}));
  }
  return same_width(concatenate({parts, where}, -1), dtype, where);
}

Array put_together(const Array& x, DType dtype, size_t from, size_t to, const std::source_location& where) {
  const Array parts = same_width(x, unsigned_of(from), where);
  Array whole;
  for (int64_t i = 0; i < static_cast<int64_t>(to / from); ++i) {
    const Array part = astype({index_axis({parts, where}, -1, i), where}, unsigned_of(to));
    if (i == 0) {
      whole = part;
    } else {
      const Array moved = Operand(part, where) << Operand(bits_before(i, from), where);
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
  const size_t from = byte_size(own), to = byte_size(dtype);
  const auto has_bits = [](DType one) { return one != DType::kPred && !is_complex(one); };
  if (from == to || !has_bits(own) || !has_bits(dtype)) return same_width(array, dtype, where);
  const Shape& shape = array.shape();
  const auto parts = static_cast<int64_t>(to / from);
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
