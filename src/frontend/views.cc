// Functions that move elements without computing: each is one or two view operations of the IR.
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "base/extents.h"
#include "frontend/apply.h"

namespace ingot {
namespace {

using detail::apply;
using detail::apply_op;
using detail::checked_axes;
using detail::checked_axis;
using detail::emit;
using detail::fail;

// The words that tell lists of attributes apart: lengths, then entries.
std::vector<int64_t> words(std::initializer_list<std::vector<int64_t>> lists) {
  std::vector<int64_t> result;
  for (const auto& list : lists) {
    result.push_back(static_cast<int64_t>(list.size()));
    result.insert(result.end(), list.begin(), list.end());
  }
  return result;
}

int64_t rank_of(const Operand& x) {
  return static_cast<int64_t>(detail::checked_node(x.array(), x.where()).type->shape.size());
}

Array reshaped(const Array& x, Shape shape, const std::source_location& where) {
  if (x.shape() == shape) return x;
  return apply_op("reshape", {x}, {{"shape", shape}}, words({shape}), where);
}

}  // namespace

Array transpose(const Operand& x, std::vector<int64_t> permutation) {
  const int64_t rank = rank_of(x);
  if (permutation.empty()) {
    for (int64_t i = rank; i-- > 0;) permutation.push_back(i);
  }
  for (int64_t& axis : permutation) axis = checked_axis("transpose", axis, rank, x.where());
  std::vector<int64_t> sorted = permutation;
  std::sort(sorted.begin(), sorted.end());
  std::vector<int64_t> all(static_cast<size_t>(rank));
  std::iota(all.begin(), all.end(), 0);
  if (sorted != all) {
    fail(x.where(), "transpose: " + ingot::to_string(permutation) + " is not a permutation of the " +
                        std::to_string(rank) + " axes of " + x.array().type_string());
  }
  if (permutation == all) return x.array();
  return apply_op("transpose", {x.array()}, {{"permutation", permutation}}, words({permutation}), x.where());
}

Array swapaxes(const Operand& x, int64_t a, int64_t b) {
  const CallerScope caller(x.where());
  const int64_t rank = rank_of(x);
  std::vector<int64_t> permutation(static_cast<size_t>(rank));
  std::iota(permutation.begin(), permutation.end(), 0);
  std::swap(permutation[static_cast<size_t>(checked_axis("swapaxes", a, rank, x.where()))],
            permutation[static_cast<size_t>(checked_axis("swapaxes", b, rank, x.where()))]);
  return transpose(x, permutation);
}

Array reshape(const Operand& x, Shape shape) {
  const Array array = x.array();
  const int64_t elements = detail::checked_node(array, x.where()).type->elements;
  int64_t known = 1;
  int64_t* open = nullptr;
  bool valid = true;
  for (int64_t& extent : shape) {
    if (extent == -1 && open == nullptr) {
      open = &extent;
    } else if (extent < 0) {
      valid = false;
    } else {
      known = multiply_extents(known, extent);  // a product beyond 64 bits fits no array
    }
  }
  if (open != nullptr && valid && known > 0 && elements % known == 0) {
    *open = elements / known;
    known = elements;
  }
  if (!valid || known != elements || (open != nullptr && *open == -1)) {
    fail(x.where(), "reshape: " + array.type_string() + " has " + std::to_string(elements) +
                        " elements, which do not fill the shape " + ingot::to_string(shape) +
                        "; one extent may be -1, for what is left");
  }
  return reshaped(array, std::move(shape), x.where());
}

Array broadcast_to(const Operand& x, Shape shape) {
  const Array array = x.array();
  const Shape& from = detail::checked_node(array, x.where()).type->shape;
  bool fits = from.size() <= shape.size();
  for (size_t i = 0; fits && i < from.size(); ++i) {
    const int64_t extent = shape[shape.size() - from.size() + i];
    fits = from[i] == extent || from[i] == 1;
  }
  if (!fits) {
    fail(x.where(), "broadcast_to: " + array.type_string() + " does not broadcast to " +
                        ingot::to_string(shape) +
                        "; aligned at the last axis, its extents should be equal or 1");
  }
  if (from == shape) return array;
  return apply("broadcast_to", {array}, words({shape}), x.where(), [&](const std::vector<Array>& operands) {
    return detail::emit_broadcast(operands[0], shape, x.where());
  });
}

Array expand_dims(const Operand& x, const Axes& axes) {
  const Array array = x.array();
  const size_t added = axes.get() ? axes.get()->size() : 0;
  const int64_t rank = rank_of(x) + static_cast<int64_t>(added);
  if (added == 0) return array;
  Shape shape = array.shape();
  for (int64_t axis : checked_axes("expand_dims", axes, rank, x.where()))
    shape.insert(shape.begin() + axis, 1);
  return reshaped(array, std::move(shape), x.where());
}

Array squeeze(const Operand& x, const Axes& axes) {
  const Array array = x.array();
  const std::vector<int64_t> dropped = checked_axes("squeeze", axes, rank_of(x), x.where());
  Shape shape;
  for (int64_t i = 0; i < array.rank(); ++i) {
    const int64_t extent = array.shape(i);
    const bool named = std::binary_search(dropped.begin(), dropped.end(), i);
    if (named && extent == 1) continue;
    if (named && axes.get()) {
      fail(x.where(), "squeeze: axis " + std::to_string(i) + " of " + array.type_string() +
                          " has the extent " + std::to_string(extent) + ", not 1");
    }
    shape.push_back(extent);
  }
  return reshaped(array, std::move(shape), x.where());
}

Array flip(const Operand& x, const Axes& axes) {
  const std::vector<int64_t> flipped = checked_axes("flip", axes, rank_of(x), x.where());
  if (flipped.empty()) return x.array();
  return apply_op("reverse", {x.array()}, {{"axes", flipped}}, words({flipped}), x.where());
}

// --- parts

Array slice(const Operand& x, std::vector<int64_t> starts, std::vector<int64_t> limits,
            std::vector<int64_t> strides) {
  rank_of(x);
  if (strides.empty()) strides.assign(starts.size(), 1);
  ir::Attributes attributes{{"starts", starts}, {"limits", limits}, {"strides", strides}};
  return apply_op("slice", {x.array()}, attributes, words({starts, limits, strides}), x.where());
}

Array slice_axis(const Operand& x, Axis axis, int64_t start, int64_t limit, int64_t stride) {
  const CallerScope caller(x.where());
  return slice_axis(x, axis, Slice{start, limit, stride});
}

Array slice_axis(const Operand& x, Axis axis, Slice s) {
  const CallerScope caller(x.where(), "slice_axis");
  const Array array = x.array();
  axis = checked_axis("slice_axis", axis, rank_of(x), x.where());
  const int64_t extent = array.shape(axis);
  if (s.step == 0) fail(x.where(), "the step is 0; it should be positive or negative");
  const auto position = [&](int64_t index, int64_t end_of_axis, int64_t low, int64_t high) {
    if (index == Slice::kEnd) return end_of_axis;
    return std::clamp(index < 0 ? index + extent : index, low, high);
  };
  // A negative step takes the elements start, start+step, ... above stop: the same ones forwards, then
  // reversed.
  const bool backwards = s.step < 0;
  s.step = std::clamp(s.step, -kMostElements, kMostElements);  // longer ones take one element, too
  const int64_t step = std::abs(s.step);
  int64_t start = backwards ? position(s.start, extent - 1, -1, extent - 1) : position(s.start, 0, 0, extent);
  int64_t stop = backwards ? position(s.stop, -1, -1, extent - 1) : position(s.stop, extent, 0, extent);
  const int64_t count = std::max<int64_t>(0, ((backwards ? start - stop : stop - start) + step - 1) / step);
  if (backwards) start = start - (count - 1) * step;
  if (count == 0) start = 0;
  std::vector<int64_t> starts(array.shape().size(), 0), limits = array.shape(),
                                                        strides(array.shape().size(), 1);
  starts[static_cast<size_t>(axis)] = start;
  limits[static_cast<size_t>(axis)] = count == 0 ? 0 : start + (count - 1) * step + 1;
  strides[static_cast<size_t>(axis)] = count <= 1 ? 1 : step;
  const bool whole = count == extent;
  Array part = whole ? array : slice(Operand(array, x.where()), starts, limits, strides);
  return backwards && count > 1 ? flip(Operand(part, x.where()), axis) : part;
}

Array index_axis(const Operand& x, Axis axis, int64_t index) {
  const CallerScope caller(x.where());
  const Array array = x.array();
  axis = checked_axis("index_axis", axis, rank_of(x), x.where());
  const int64_t extent = array.shape(axis);
  const int64_t wanted = index < 0 ? index + extent : index;
  if (wanted < 0 || wanted >= extent) {
    fail(x.where(), "index " + std::to_string(index) + " is out of range for axis " + std::to_string(axis) +
                        " of " + array.type_string());
  }
  Shape shape = array.shape();
  shape.erase(shape.begin() + axis);
  return apply("index_axis", {array}, {axis, wanted}, x.where(), [&](const std::vector<Array>& operands) {
    std::vector<int64_t> starts(array.shape().size(), 0), limits = array.shape(),
                                                          strides(array.shape().size(), 1);
    starts[static_cast<size_t>(axis)] = wanted;
    limits[static_cast<size_t>(axis)] = wanted + 1;
    Array part =
        emit("slice", operands, {{"starts", starts}, {"limits", limits}, {"strides", strides}}, x.where());
    return emit("reshape", {part}, {{"shape", shape}}, x.where());
  });
}

Array take(const Operand& x, const std::vector<int64_t>& indices, Axis axis) {
  const Array array = x.array();
  axis = checked_axis("take", axis, rank_of(x), x.where());
  const int64_t extent = array.shape(axis);
  std::vector<int64_t> wanted = indices;
  for (int64_t& index : wanted) {
    const int64_t given = index;
    if (index < 0) index += extent;
    if (index < 0 || index >= extent) {
      fail(x.where(), "take: index " + std::to_string(given) + " is out of range for axis " +
                          std::to_string(axis) + " of " + array.type_string());
    }
  }
  return apply_op("take", {array}, {{"axis", axis}, {"indices", wanted}}, words({{axis}, wanted}), x.where());
}

Array roll(const Operand& x, int64_t shift, Axis axis) {
  const CallerScope caller(x.where());
  const Array array = x.array();
  axis = checked_axis("roll", axis, rank_of(x), x.where());
  const int64_t extent = array.shape(axis);
  if (extent == 0) return array;
  shift = ((shift % extent) + extent) % extent;
  if (shift == 0) return array;
  return apply("roll", {array}, {axis, shift}, x.where(), [&](const std::vector<Array>& operands) {
    const Array tail = slice_axis(operands[0], axis, extent - shift, extent);
    const Array head = slice_axis(operands[0], axis, 0, extent - shift);
    return concatenate({tail, head}, axis);
  });
}

// --- joining

Array concatenate(const Operands& operands, Axis axis) {
  const std::source_location& where = operands.where();
  if (operands.items().empty()) fail(where, "concatenate: there is no array to take the shape from");
  const std::vector<Array> arrays = detail::same_dtype("concatenate", operands.items(), where);
  axis = checked_axis("concatenate", axis, arrays[0].rank(), where);
  if (arrays.size() == 1) return arrays[0];
  return apply_op("concatenate", arrays, {{"axis", axis}}, {axis}, where);
}

Array stack(const Operands& operands, Axis axis) {
  const std::source_location& where = operands.where();
  if (operands.items().empty()) fail(where, "stack: there is no array to take the shape from");
  const CallerScope caller(where);
  const std::vector<Array> arrays = detail::same_dtype("stack", operands.items(), where);
  axis = checked_axis("stack", axis, arrays[0].rank() + 1, where);
  for (const Array& array : arrays) {
    if (array.shape() != arrays[0].shape()) {
      fail(where, "stack: the arrays " + arrays[0].type_string() + " and " + array.type_string() +
                      " should have one shape");
    }
  }
  return apply("stack", arrays, {axis}, where, [&](const std::vector<Array>& items) {
    std::vector<Array> expanded;
    for (const Array& item : items) expanded.push_back(expand_dims(item, axis));
    return concatenate(expanded, axis);
  });
}

Array pad(const Operand& x, std::vector<int64_t> low, std::vector<int64_t> high, const Operand& value,
          std::vector<int64_t> interior) {
  rank_of(x);
  if (interior.empty()) interior.assign(low.size(), 0);
  std::vector<Array> arrays = detail::same_dtype("pad", {x, value}, x.where());
  if (arrays[0].dtype() != x.array().dtype()) {
    fail(x.where(),
         "pad: the value is no " + std::string(name_of(x.array().dtype())) + ", the dtype of the array");
  }
  // Negative ones cut off, once all else is around the elements and between them.
  std::vector<int64_t> starts(low.size(), 0), cut(high.size(), 0);
  for (size_t i = 0; i < low.size(); ++i) starts[i] = -std::clamp<int64_t>(low[i], -kMostElements - 1, 0);
  for (size_t i = 0; i < high.size(); ++i) cut[i] = -std::clamp<int64_t>(high[i], -kMostElements - 1, 0);
  for (int64_t& count : low) count = std::max<int64_t>(count, 0);
  for (int64_t& count : high) count = std::max<int64_t>(count, 0);
  const auto all_zero = [](const std::vector<int64_t>& list) {
    return std::all_of(list.begin(), list.end(), [](int64_t count) { return count == 0; });
  };
  const bool cuts = !all_zero(starts) || !all_zero(cut);
  const CallerScope caller(x.where());
  const ir::Attributes attributes{{"low", low}, {"high", high}, {"interior", interior}};
  const Array padded = apply_op("pad", arrays, attributes, words({low, high, interior}), x.where());
  if (!cuts) return padded;
  Shape limits = padded.shape();
  for (size_t i = 0; i < limits.size(); ++i) {
    if (starts[i] + cut[i] > limits[i])
      fail(x.where(), "pad: along axis " + std::to_string(i) + " of " + arrays[0].type_string() +
                          " the negative padding cuts off more than the " + std::to_string(limits[i]) +
                          " elements that there are, with those around and between them");
    limits[i] -= cut[i];
  }
  return slice(Operand(padded, x.where()), starts, limits);
}

namespace {

// The indices along the axis, modulo the number of values that an integer has.
Array counted(DType dtype, const Shape& shape, int64_t axis, const std::source_location& where) {
  std::vector<int64_t> key = words({shape, {axis, static_cast<int64_t>(dtype)}});
  return apply_op("iota", {}, {{"dtype", dtype}, {"shape", shape}, {"axis", axis}}, key, where);
}

// The largest integer of that dtype; of floats, which round, none.
std::optional<int64_t> largest_of(DType dtype) {
  if (is_float(dtype) || is_complex(dtype) || dtype == DType::kPred || byte_size(dtype) == 8)
    return std::nullopt;
  const int bits = bit_width(dtype);
  return (int64_t{1} << (is_signed(dtype) ? bits - 1 : bits)) - 1;
}

void check_numbers(const char* name, int64_t first, int64_t last, DType dtype,
                   const std::source_location& where) {
  const std::optional<int64_t> high = largest_of(dtype);
  if (!high) return;
  const int64_t low = is_signed(dtype) ? -*high - 1 : 0;
  for (const int64_t number : {first, last}) {
    if (number < low || number > *high)
      fail(where, name + (": " + std::to_string(number)) + " is not a number of " +
                      std::string(name_of(dtype)) + ", which holds " + std::to_string(low) + " to " +
                      std::to_string(*high) + "; give a wider dtype, such as kS64");
  }
}

}  // namespace

Array iota(DType dtype, Shape shape, Axis axis, Where where) {
  axis = checked_axis("iota", axis, static_cast<int64_t>(shape.size()), where);
  const bool empty = std::find(shape.begin(), shape.end(), 0) != shape.end();
  if (const int64_t count = shape[static_cast<size_t>(axis)]; count > 0 && !empty)
    check_numbers("iota", 0, count - 1, dtype, where);
  return counted(dtype, shape, axis, where);
}

Array arange(int64_t stop, DType dtype, Where where) {
  const CallerScope caller(where);
  if (stop > 0) check_numbers("arange", 0, stop - 1, dtype, where);
  return iota(dtype, {std::max<int64_t>(0, stop)}, 0, where);
}

Array detail::arange_of_floats(double start, double stop, double step, DType dtype, const Where& where) {
  const CallerScope caller(where);
  if (!std::isfinite(start) || !std::isfinite(stop) || !std::isfinite(step) || step == 0)
    fail(where, "arange: start and stop should be finite, and the step finite and not 0");
  if (!is_float(dtype))
    fail(where, "arange: of floating numbers the dtype is a floating one, not " +
                    std::string(name_of(dtype)) +
                    "; for integers give integers, or convert the result with .astype");
  const double length = std::ceil((stop - start) / step);
  if (!(length <= static_cast<double>(kMostElements)))
    fail(where, "arange: there are more numbers than the 2^48 elements that an array may have");
  const int64_t count = std::max<int64_t>(0, static_cast<int64_t>(length));
  return apply(
      "arange_of_floats", {},
      {std::bit_cast<int64_t>(start), std::bit_cast<int64_t>(step), count, static_cast<int64_t>(dtype)},
      where, [&](const std::vector<Array>&) {
        const Array index = counted(DType::kF64, {count}, 0, where);
        return astype(Operand(index * step + start, where), dtype);
      });
}

Array arange(int64_t start, int64_t stop, int64_t step, DType dtype, Where where) {
  const CallerScope caller(where);
  if (step == 0) fail(where, "arange: the step is 0; it should be positive or negative");
  const int64_t low = step > 0 ? start : stop, high = step > 0 ? stop : start;
  const uint64_t span = high <= low ? 0 : static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  const uint64_t width = step > 0 ? static_cast<uint64_t>(step) : 0 - static_cast<uint64_t>(step);
  const uint64_t length = span / width + (span % width != 0 ? 1 : 0);
  if (length > static_cast<uint64_t>(kMostElements)) {
    fail(where, "arange: from " + std::to_string(start) + " to " + std::to_string(stop) + " in steps of " +
                    std::to_string(step) + " there are " + std::to_string(length) +
                    " numbers, more than the 2^48 elements that an array may have");
  }
  const auto count = static_cast<int64_t>(length);
  if (count > 0) check_numbers("arange", start, start + (count - 1) * step, dtype, where);
  return apply("arange", {}, {start, step, count, static_cast<int64_t>(dtype)}, where,
               [&](const std::vector<Array>&) {
                 // Each may leave the dtype's range where their sum does not: integers wrap.
                 const auto wrapped = [dtype](int64_t n) {
                   return Array(detail::convert(detail::Literal::of(n), dtype));
                 };
                 Array index = counted(dtype, {count}, 0, where);
                 if (step != 1) index = index * wrapped(step);
                 return start == 0 ? index : index + wrapped(start);
               });
}

}  // namespace ingot
