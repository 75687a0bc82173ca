// Reductions: the operation reduce with its combiner, its neutral elements, and the dtype that it is done in.
#include <algorithm>
#include <limits>
#include <optional>

#include "frontend/compose.h"
#include "ingot/autodiff.h"
#include "library/found_places.h"
#include "library/rules_by_value.h"

namespace ingot {
namespace {

using detail::apply;
using detail::emit;
using detail::fail;

enum class Extreme { kLow, kHigh };

// The lowest or highest value of a dtype, infinities for floats.
Array extreme(DType dtype, Extreme which) {
  const bool high = which == Extreme::kHigh;
  if (is_float(dtype)) {
    return Array(detail::farthest_float(dtype, high));
  }
  if (dtype == DType::kPred) return Array(high);
  if (is_signed(dtype)) {
    const int64_t top = std::numeric_limits<int64_t>::max() >> (64 - bit_width(dtype));
    return Array(detail::convert(detail::Literal::of(high ? top : -top - 1), dtype));
  }
  const uint64_t top = std::numeric_limits<uint64_t>::max() >> (64 - bit_width(dtype));
  return Array(detail::convert(detail::Literal::of(high ? top : uint64_t{0}), dtype));
}

using Combine =
    std::function<std::vector<Array>(const std::vector<Array>& accumulators, const std::vector<Array>& next)>;

// Emits a reduce of n arrays with n neutral elements; the combiner is traced in a region of its own.
std::vector<Array> emit_reduce(const std::vector<Array>& arrays, const std::vector<Array>& neutral,
                               const std::vector<int64_t>& axes, const Combine& combine,
                               const std::source_location& where) {
  detail::TraceFrame& frame = *detail::current_frame();
  std::vector<Array> operands = arrays;
  operands.insert(operands.end(), neutral.begin(), neutral.end());
  std::unique_ptr<ir::Region> region = frame.region->function()->make_region();
  {
    detail::FrameScope body(frame.state, region.get(), nullptr, where);
    std::vector<Array> accumulators, next;
    for (const Array& array : arrays) {
      accumulators.push_back(body->argument(detail::intern_type(array.dtype(), {}), "acc"));
    }
    for (const Array& array : arrays)
      next.push_back(body->argument(detail::intern_type(array.dtype(), {}), "x"));
    std::vector<ir::Value*> results;
    for (const Array& result : combine(accumulators, next)) results.push_back(body->value_of(result, where));
    region->set_results(std::move(results));
  }
  std::vector<std::unique_ptr<ir::Region>> regions;
  regions.push_back(std::move(region));
  return detail::emit_all("reduce", operands, {{"axes", axes}}, where, std::move(regions));
}

Shape reduced_shape(const Shape& shape, const std::vector<int64_t>& axes, bool keepdims) {
  Shape result;
  for (size_t i = 0; i < shape.size(); ++i) {
    const bool reduced = std::binary_search(axes.begin(), axes.end(), static_cast<int64_t>(i));
    if (!reduced || keepdims) result.push_back(reduced ? 1 : shape[i]);
  }
  return result;
}

Array keep(const Array& reduced, const Shape& shape, const std::source_location& where) {
  return reduced.shape() == shape ? reduced : emit("reshape", {reduced}, {{"shape", shape}}, where);
}

// `name` is the function's own, `op` the combiner, `neutral` its neutral element for a dtype.
Array reduce(const char* name, const char* op, const Operand& x, const Axes& axes, bool keepdims,
             const std::function<Array(DType)>& neutral) {
  const std::source_location& where = x.where();
  Array array = x.array();
  const int64_t rank = static_cast<int64_t>(detail::checked_node(array, where).type->shape.size());
  const std::vector<int64_t> reduced = detail::checked_axes(name, axes, rank, where);
  if (reduced.empty()) return array;
  std::vector<int64_t> words = reduced;
  words.push_back(keepdims);
  return apply(name, {array}, words, where, [&](const std::vector<Array>& operands) {
    const Array result = emit_reduce(
        {operands[0]}, {neutral(array.dtype())}, reduced,
        [&](const std::vector<Array>& acc, const std::vector<Array>& next) {
          return std::vector<Array>{emit(op, {acc[0], next[0]}, {}, where)};
        },
        where)[0];
    return keep(result, reduced_shape(array.shape(), reduced, keepdims), where);
  });
}

// What is added up, or multiplied, in at least 32 bits: preds, and integers of fewer.
Operand summable(const Operand& x) {
  const Array array = x.array();
  if (array.empty() || is_inexact(array.dtype()) || byte_size(array.dtype()) >= 4) return x;
  const bool is_unsigned = array.dtype() != DType::kPred && !is_signed(array.dtype());
  return Operand(astype(x, is_unsigned ? DType::kU32 : DType::kS32), x.where());
}

Array reduce_preds(const char* name, const char* op, const Operand& x, const Axes& axes, bool keepdims,
                   bool neutral) {
  const CallerScope caller(x.where(), name);
  const Operand holds(detail::truth(detail::checked_array(x)), x.where());
  return reduce(name, op, holds, axes, keepdims, [&](DType) { return Array(neutral); });
}

// What has a greatest and a least element.
void check_ordered(const char* name, const Operand& x) {
  const Array array = x.array();
  if (detail::checked_node(array, x.where()).type->dtype != DType::kPred) return;
  fail(x.where(), std::string(name) + ": takes numbers that are ordered, but this is a " +
                      array.type_string() + "; any says whether one is true, all whether every one is");
}

void check_not_empty(const char* name, const Operand& x, const Axes& axes) {
  const Array array = x.array();
  const Shape& shape = detail::checked_node(array, x.where()).type->shape;
  for (int64_t axis : detail::checked_axes(name, axes, static_cast<int64_t>(shape.size()), x.where())) {
    if (shape[static_cast<size_t>(axis)] == 0) {
      fail(x.where(), std::string(name) + ": axis " + std::to_string(axis) + " of " + array.type_string() +
                          " is empty and has no such element");
    }
  }
}

}  // namespace

void detail::check_place(const char* name, const Array& x, int64_t axis, const std::source_location& where) {
  check_not_empty(name, Operand(x, where), axis);
  check_places(name, x, axis, where);
}

void detail::check_places(const char* name, const Array& x, int64_t axis, const std::source_location& where) {
  const int64_t extent = x.shape(axis);
  if (extent - 1 <= std::numeric_limits<int32_t>::max()) return;
  fail(where, std::string(name) + ": axis " + std::to_string(axis) + " has " + std::to_string(extent) +
                  " elements, and places are s32; reshape it to two axes");
}

namespace {

// What a sum of preds counts is s32.
void check_count(const Operand& x, const Axes& axes) {
  const Array array = x.array();
  const detail::ArrayType& type = *detail::checked_node(array, x.where()).type;
  if (type.dtype != DType::kPred) return;
  int64_t count = 1;
  for (int64_t axis : detail::checked_axes("sum", axes, static_cast<int64_t>(type.shape.size()), x.where()))
    count *= type.shape[static_cast<size_t>(axis)];
  if (count > std::numeric_limits<int32_t>::max())
    fail(x.where(), "sum: the count of " + std::to_string(count) +
                        " preds may be too large for s32; convert " + array.type_string() +
                        " with astype(kS64) first");
}

// The index of the extreme element of an axis: values and indices are reduced together, NaN before all.
Array arg_extreme(const char* name, const char* direction, Extreme neutral, const Operand& x, int64_t axis,
                  bool keepdims) {
  const std::source_location& where = x.where();
  const CallerScope caller(where, name);
  const Array array = x.array();
  axis = detail::checked_axis(
      name, axis, static_cast<int64_t>(detail::checked_node(array, where).type->shape.size()), where);
  detail::check_place(name, array, axis, where);
  return apply(name, {array}, {axis, keepdims}, where, [&](const std::vector<Array>& operands) {
    const auto compare = [&](const char* how, const Array& a, const Array& b) {
      return emit("compare", {a, b}, {{"direction", std::string(how)}}, where);
    };
    const auto combine = [&](const std::vector<Array>& acc, const std::vector<Array>& next) {
      // In the order in which what is known of the places (they rise in a kernel's loop) leaves the least:
      // acc >= next, or acc is NaN.
      const Array before = compare("lt", acc[1], next[1]);
      Array stays = compare(direction, acc[0], next[0]) | (compare("eq", acc[0], next[0]) & before);
      if (is_float(array.dtype())) {
        const Array acc_nan = compare("ne", acc[0], acc[0]), next_number = compare("eq", next[0], next[0]);
        stays = stays | (acc_nan & (next_number | before));
      }
      return std::vector<Array>{emit("select", {stays, acc[0], next[0]}, {}, where),
                                emit("select", {stays, acc[1], next[1]}, {}, where)};
    };
    const Array index =
        emit("iota", {}, {{"dtype", DType::kS32}, {"shape", array.shape()}, {"axis", axis}}, where);
    const Array last(std::numeric_limits<int32_t>::max());
    const Array result =
        emit_reduce({operands[0], index}, {extreme(array.dtype(), neutral), last}, {axis}, combine, where)[1];
    return keep(result, reduced_shape(array.shape(), {axis}, keepdims), where);
  });
}

// A reduction in two steps: `inner` axes are few enough elements for the first-level cache, to be gone
// through several times; what they amount to is combined over the `outer` ones. Memory is read once, then.
struct Blocks {
  Array x;
  std::vector<int64_t> outer, inner;
  int64_t size = 1;  // elements of a block
};

constexpr int64_t kLargestBlock = 8192, kSmallestBlock = 256;

// Nothing, where the elements are few anyway, or do not lie side by side.
std::optional<Blocks> in_blocks(const Array& x, const std::vector<int64_t>& axes) {
  int64_t elements = 1;
  for (int64_t axis : axes) elements *= x.shape(axis);
  if (axes.empty() || elements <= kLargestBlock || axes.back() != x.rank() - 1) return std::nullopt;
  Blocks blocks{x, axes, {}};
  while (!blocks.outer.empty() && blocks.size * x.shape(blocks.outer.back()) <= kLargestBlock) {
    blocks.size *= x.shape(blocks.outer.back());
    blocks.inner.insert(blocks.inner.begin(), blocks.outer.back());
    blocks.outer.pop_back();
  }
  if (blocks.size >= kSmallestBlock || blocks.outer.empty()) return blocks;
  // The last axis that is left is cut in two.
  const int64_t cut = blocks.outer.back(), extent = x.shape(cut);
  for (int64_t length = kLargestBlock / blocks.size; length * blocks.size >= kSmallestBlock; --length) {
    if (extent % length != 0) continue;
    Shape shape = x.shape();
    shape[static_cast<size_t>(cut)] = extent / length;
    shape.insert(shape.begin() + cut + 1, length);
    blocks.x = reshape(x, shape);
    for (int64_t& axis : blocks.inner) ++axis;
    blocks.inner.insert(blocks.inner.begin(), cut + 1);
    blocks.size *= length;
    return blocks;
  }
  return std::nullopt;
}

// Chan, Golub and LeVeque (1979): means and sums of squared distances from them, of two sets, give those of
// both.
Array squares_from_blocks(const Blocks& blocks, const std::source_location& where) {
  const DType dtype = blocks.x.dtype();
  const Array mean = sum(blocks.x, blocks.inner, true) * (1.0 / static_cast<double>(blocks.size));
  const Array squares = sum(square(blocks.x - mean), blocks.inner);
  const Array means = reshape(mean, squares.shape());
  const Array counts = broadcast_to(
      Array(detail::convert(detail::Literal::of(static_cast<double>(blocks.size)), dtype)), squares.shape());
  const auto combine = [&](const std::vector<Array>& a, const std::vector<Array>& b) {
    const Array count = a[2] + b[2], share = b[2] / maximum(count, 1);  // of nothing and nothing: 0
    const Array distance = b[0] - a[0];
    return std::vector<Array>{a[0] + distance * share, a[1] + b[1] + distance * distance * a[2] * share,
                              count};
  };
  const Array zero = detail::number(dtype, 0);
  return emit_reduce({means, squares, counts}, {zero, zero, zero}, blocks.outer, combine, where)[1];
}

// What exponentials may be taken relative to.
Array finite(const Array& x) {
  return where(is_finite(x), x, 0);
}

// Greatest elements, and sums of exponentials relative to them.
Array log_sum_from_blocks(const Blocks& blocks, const std::source_location& where) {
  const DType dtype = blocks.x.dtype();
  const Array low = extreme(dtype, Extreme::kLow);
  const Array greatest = max(blocks.x, blocks.inner, true);
  const Array sums = sum(exp(blocks.x - finite(greatest)), blocks.inner);
  const auto combine = [&](const std::vector<Array>& a, const std::vector<Array>& b) {
    const Array both = maximum(a[0], b[0]), shift = finite(both);
    return std::vector<Array>{both, a[1] * exp(a[0] - shift) + b[1] * exp(b[0] - shift)};
  };
  const std::vector<Array> all = emit_reduce({reshape(greatest, sums.shape()), sums},
                                             {low, detail::number(dtype, 0)}, blocks.outer, combine, where);
  return finite(all[0]) + log(all[1]);
}

// The reduced axes of real numbers, or of complex ones if those will do.
std::vector<int64_t> number_axes(const char* name, const Operand& x, const Axes& axes, bool complex = false) {
  const Array array = detail::checked_array(x);
  if (is_complex(array.dtype()) && !complex)
    fail(x.where(), std::string(name) + ": takes real numbers, but this is a " + array.type_string() +
                        "; take real, imag or abs first");
  return detail::checked_axes(name, axes, array.rank(), x.where());
}

// In the order of real parts, then of imaginary ones; NaN where there is one.
Array reduce_complex(const char* name, const Operand& x, const Axes& axes, bool keepdims, bool greatest) {
  const CallerScope caller(x.where(), name);
  const Array array = detail::checked_array(x);
  const std::vector<int64_t> reduced = detail::checked_axes(name, axes, array.rank(), x.where());
  std::vector<int64_t> words = reduced;
  words.insert(words.end(), {keepdims, greatest});
  const std::source_location where = x.where();
  return apply("complex_extreme", {array}, words, where, [&](const std::vector<Array>& given) {
    const Array re = real(given[0]), im = imag(given[0]);
    const auto extreme_of = [&](const Array& a) {
      return greatest ? max(a, reduced, true) : min(a, reduced, true);
    };
    const double beyond = std::numeric_limits<double>::infinity() * (greatest ? -1 : 1);
    const Array first = extreme_of(ingot::where(im == im, re, std::numeric_limits<double>::quiet_NaN()));
    const Array second = extreme_of(ingot::where(re == first, im, beyond));
    const Array both = complex(first, ingot::where(first == first, second, first));
    return keep(both, reduced_shape(array.shape(), reduced, keepdims), where);
  });
}

}  // namespace

Array sum(const Operand& x, const Axes& axes, KeepDims keepdims) {
  check_count(x, axes);
  return reduce("sum", "add", summable(x), axes, keepdims.value,
                [](DType dtype) { return detail::number(dtype, 0); });
}

Array prod(const Operand& x, const Axes& axes, KeepDims keepdims) {
  return reduce("prod", "mul", summable(x), axes, keepdims.value,
                [](DType dtype) { return detail::number(dtype, 1); });
}

Array max(const Operand& x, const Axes& axes, KeepDims keepdims) {
  check_ordered("max", x);
  check_not_empty("max", x, axes);
  if (is_complex(x.array().dtype())) return reduce_complex("max", x, axes, keepdims.value, true);
  return reduce("reduce_max", "max", x, axes, keepdims.value,
                [](DType dtype) { return extreme(dtype, Extreme::kLow); });
}

Array min(const Operand& x, const Axes& axes, KeepDims keepdims) {
  check_ordered("min", x);
  check_not_empty("min", x, axes);
  if (is_complex(x.array().dtype())) return reduce_complex("min", x, axes, keepdims.value, false);
  return reduce("reduce_min", "min", x, axes, keepdims.value,
                [](DType dtype) { return extreme(dtype, Extreme::kHigh); });
}

Array mean(const Operand& x, const Axes& axes, KeepDims keepdims) {
  const CallerScope caller(x.where(), "mean");
  const Array array = detail::floating(detail::checked_array(x));
  std::vector<int64_t> words = number_axes("mean", x, axes, true);
  int64_t count = 1;
  for (int64_t axis : words) count *= array.shape(axis);
  words.push_back(keepdims.value);
  return apply("mean", {array}, words, x.where(), [&](const std::vector<Array>& operands) {
    const Array result =
        sum(detail::in_f32(operands[0]), axes, keepdims) * (1.0 / static_cast<double>(count));
    return result.astype(array.dtype());
  });
}

Array var(const Operand& x, const Axes& axes, int64_t ddof, KeepDims keepdims) {
  const CallerScope caller(x.where(), "var");
  const Array array = detail::floating(detail::checked_array(x));
  const std::vector<int64_t> reduced = number_axes("var", x, axes, true);
  if (ddof < -kMostElements || ddof > kMostElements) {
    fail(x.where(), "var: 'ddof' is " + std::to_string(ddof) + ", but may not be beyond " +
                        std::to_string(kMostElements) + " (2^48)");
  }
  int64_t count = 1;
  for (int64_t axis : reduced) count *= array.shape(axis);
  if (ddof > 0 && ddof >= count) {
    fail(x.where(), "var: each result is of " + std::to_string(count) +
                        (count == 1 ? " element" : " elements") + " of " + array.type_string() +
                        ", of which ddof = " + std::to_string(ddof) +
                        " leaves none to divide by; ddof must be less than the number of elements");
  }
  std::vector<int64_t> words = reduced;
  words.insert(words.end(), {ddof, keepdims.value});
  const std::source_location where = x.where();
  return apply("var", {array}, words, where, [&](const std::vector<Array>& given) {
    const std::vector<Array> operands = {detail::in_f32(given[0])};
    const double scale = 1.0 / static_cast<double>(count - ddof);
    const Shape shape = reduced_shape(array.shape(), reduced, keepdims.value);
    if (is_complex(array.dtype())) {
      const Array distance = operands[0] - mean(operands[0], reduced, true);
      return keep(sum(square(real(distance)) + square(imag(distance)), reduced), shape, where) * scale;
    }
    const auto plain = [=](Array a) {
      return keep(sum(square(a - mean(a, reduced, true)), reduced), shape, where) * scale;
    };
    if (!in_blocks(operands[0], reduced)) return plain(operands[0]).astype(array.dtype());
    const auto whole = [=](Array a) {
      return keep(squares_from_blocks(*in_blocks(a, reduced), where), shape, where) * scale;
    };
    const auto rule = [=](std::tuple<Array> primal, std::tuple<Array> tangent) {
      const Array& a = std::get<0>(primal);
      const Array change = sum((a - mean(a, reduced, true)) * std::get<0>(tangent), reduced);
      return std::pair(whole(a), keep(change, shape, where) * (2 * scale));
    };
    return detail::custom_jvp_by_value(whole, rule, where)(operands[0]).astype(array.dtype());
  });
}

Array std_(const Operand& x, const Axes& axes, int64_t ddof, KeepDims keepdims) {
  const CallerScope caller(x.where(), "std_");
  return sqrt(var(x, axes, ddof, keepdims));
}

Array logsumexp(const Operand& x, const Axes& axes, KeepDims keepdims) {
  const CallerScope caller(x.where(), "logsumexp");
  const std::vector<int64_t> reduced = number_axes("logsumexp", x, axes);
  std::vector<int64_t> words = reduced;
  words.push_back(keepdims.value);
  const std::source_location where = x.where();
  return apply(
      "logsumexp", {detail::floating(x.array())}, words, where, [&](const std::vector<Array>& given) {
        const DType dtype = given[0].dtype();
        const std::vector<Array> operands = {detail::in_f32(given[0])};
        const Shape shape = reduced_shape(operands[0].shape(), reduced, keepdims.value);
        const auto blocks = in_blocks(operands[0], reduced);
        if (!blocks) {
          const Array& a = operands[0];
          Shape kept = reduced_shape(a.shape(), reduced, true);
          const bool empty = element_count(a.shape()) == 0;
          const Array shift =
              empty ? Array::zeros(kept, a.dtype()) : finite(stop_gradient(max(a, reduced, true)));
          const Array total = log(sum(exp(a - shift), reduced, true)) + shift;
          return keep(total, shape, where).astype(dtype);
        }
        const auto whole = [=](Array a) {
          return keep(log_sum_from_blocks(*in_blocks(a, reduced), where), shape, where);
        };
        const auto rule = [=](std::tuple<Array> primal, std::tuple<Array> tangent) {
          const Array& a = std::get<0>(primal);
          const Array total = whole(a), kept = keep(total, reduced_shape(a.shape(), reduced, true), where);
          const Array change = sum(exp(a - finite(kept)) * std::get<0>(tangent), reduced);
          return std::pair(total, keep(change, shape, where));
        };
        return detail::custom_jvp_by_value(whole, rule, where)(operands[0]).astype(dtype);
      });
}

Array any(const Operand& x, const Axes& axes, KeepDims keepdims) {
  return reduce_preds("any", "or", x, axes, keepdims.value, false);
}

Array all(const Operand& x, const Axes& axes, KeepDims keepdims) {
  return reduce_preds("all", "and", x, axes, keepdims.value, true);
}

Array argmax(const Operand& x, Axis axis, KeepDims keepdims) {
  return arg_extreme("argmax", "gt", Extreme::kLow, x, axis, keepdims.value);
}

Array argmin(const Operand& x, Axis axis, KeepDims keepdims) {
  return arg_extreme("argmin", "lt", Extreme::kHigh, x, axis, keepdims.value);
}

}  // namespace ingot
