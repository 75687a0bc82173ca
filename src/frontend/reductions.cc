// Reductions: the operation reduce with its combiner, its neutral elements, and the dtype that it is done in.
#include <algorithm>
#include <limits>

#include "frontend/apply.h"

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
    const double infinity = std::numeric_limits<double>::infinity();
    return Array(detail::convert(detail::Literal::of(high ? infinity : -infinity), dtype));
  }
  if (dtype == DType::kPred) return Array(high);
  if (is_signed(dtype)) {
    const int64_t top =
        std::numeric_limits<int64_t>::max() >> (64 - 8 * static_cast<int64_t>(byte_size(dtype)));
    return Array(detail::convert(detail::Literal::of(high ? top : -top - 1), dtype));
  }
  const uint64_t top = std::numeric_limits<uint64_t>::max() >> (64 - 8 * byte_size(dtype));
  return Array(detail::convert(detail::Literal::of(high ? top : uint64_t{0}), dtype));
}

Array number(DType dtype, int value) {
  return Array(detail::convert(detail::Literal::of(value), dtype));
}

using Combine =
    std::function<std::vector<Array>(const std::vector<Array>& accumulators, const std::vector<Array>& next)>;

// Emits a reduce of n arrays with n neutral elements; the combiner is traced in a region of its own.
std::vector<Array> emit_reduce(const std::vector<Array>& arrays, const std::vector<Array>& neutral,
                               const std::vector<int64_t>& axes, const Combine& combine,
                               const std::source_location& where) {
  detail::Frame& frame = *detail::current_frame();
  std::vector<Array> operands = arrays;
  operands.insert(operands.end(), neutral.begin(), neutral.end());
  std::unique_ptr<ir::Region> region = frame.region->function()->make_region();
  {
    detail::FrameScope body(frame.state, region.get(), nullptr);
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

// Sums and products of preds count in s32.
Operand countable(const Operand& x) {
  const Array array = x.array();
  if (array.empty() || array.dtype() != DType::kPred) return x;
  return Operand(astype(x, DType::kS32), x.where());
}

Array reduce_preds(const char* name, const char* op, const Operand& x, const Axes& axes, bool keepdims,
                   bool neutral) {
  const Array array = x.array();
  if (detail::checked_node(array, x.where()).type->dtype != DType::kPred) {
    fail(x.where(), std::string(name) + ": takes a pred array, but this is a " + array.type_string() +
                        "; compare it with 0 first");
  }
  return reduce(name, op, x, axes, keepdims, [&](DType) { return Array(neutral); });
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

// The index of the extreme element of an axis: values and indices are reduced together, NaN before all.
Array arg_extreme(const char* name, const char* direction, Extreme neutral, const Operand& x, int64_t axis,
                  bool keepdims) {
  const std::source_location& where = x.where();
  const Array array = x.array();
  axis = detail::checked_axis(
      name, axis, static_cast<int64_t>(detail::checked_node(array, where).type->shape.size()), where);
  check_not_empty(name, x, axis);
  return apply(name, {array}, {axis, keepdims}, where, [&](const std::vector<Array>& operands) {
    const auto compare = [&](const char* how, const Array& a, const Array& b) {
      return emit("compare", {a, b}, {{"direction", std::string(how)}}, where);
    };
    const auto combine = [&](const std::vector<Array>& acc, const std::vector<Array>& next) {
      Array better = compare(direction, next[0], acc[0]);
      Array equal = compare("eq", next[0], acc[0]);
      if (is_float(array.dtype())) {
        const Array next_nan = compare("ne", next[0], next[0]), acc_nan = compare("ne", acc[0], acc[0]);
        better = better | (next_nan & ~acc_nan);
        equal = equal | (next_nan & acc_nan);
      }
      const Array pick = better | (equal & compare("lt", next[1], acc[1]));
      return std::vector<Array>{emit("select", {pick, next[0], acc[0]}, {}, where),
                                emit("select", {pick, next[1], acc[1]}, {}, where)};
    };
    const Array index =
        emit("iota", {}, {{"dtype", DType::kS32}, {"shape", array.shape()}, {"axis", axis}}, where);
    const Array last(std::numeric_limits<int32_t>::max());
    const Array result =
        emit_reduce({operands[0], index}, {extreme(array.dtype(), neutral), last}, {axis}, combine, where)[1];
    return keep(result, reduced_shape(array.shape(), {axis}, keepdims), where);
  });
}

}  // namespace

Array sum(const Operand& x, const Axes& axes, bool keepdims) {
  return reduce("sum", "add", countable(x), axes, keepdims, [](DType dtype) { return number(dtype, 0); });
}

Array prod(const Operand& x, const Axes& axes, bool keepdims) {
  return reduce("prod", "mul", countable(x), axes, keepdims, [](DType dtype) { return number(dtype, 1); });
}

Array max(const Operand& x, const Axes& axes, bool keepdims) {
  check_not_empty("max", x, axes);
  return reduce("reduce_max", "max", x, axes, keepdims,
                [](DType dtype) { return extreme(dtype, Extreme::kLow); });
}

Array min(const Operand& x, const Axes& axes, bool keepdims) {
  check_not_empty("min", x, axes);
  return reduce("reduce_min", "min", x, axes, keepdims,
                [](DType dtype) { return extreme(dtype, Extreme::kHigh); });
}

Array mean(const Operand& x, const Axes& axes, bool keepdims) {
  const CallerScope caller(x.where());
  const Array array = x.array();
  if (!is_float(detail::checked_node(array, x.where()).type->dtype)) {
    fail(x.where(), "mean: takes a floating array, but this is a " + array.type_string() +
                        "; convert it with .astype(ingot::DType::kF32)");
  }
  int64_t count = 1;
  for (int64_t axis : detail::checked_axes("mean", axes, array.rank(), x.where())) count *= array.shape(axis);
  std::vector<int64_t> words = detail::checked_axes("mean", axes, array.rank(), x.where());
  words.push_back(keepdims);
  return apply("mean", {array}, words, x.where(), [&](const std::vector<Array>& operands) {
    return sum(operands[0], axes, keepdims) * (1.0 / static_cast<double>(count));
  });
}

Array any(const Operand& x, const Axes& axes, bool keepdims) {
  return reduce_preds("any", "or", x, axes, keepdims, false);
}

Array all(const Operand& x, const Axes& axes, bool keepdims) {
  return reduce_preds("all", "and", x, axes, keepdims, true);
}

Array argmax(const Operand& x, int64_t axis, bool keepdims) {
  return arg_extreme("argmax", "gt", Extreme::kLow, x, axis, keepdims);
}

Array argmin(const Operand& x, int64_t axis, bool keepdims) {
  return arg_extreme("argmin", "lt", Extreme::kHigh, x, axis, keepdims);
}

}  // namespace ingot
