// Running totals: scans whose carry is the total.
#include "ingot/cumulative.h"

#include <limits>

#include "frontend/compose.h"
#include "frontend/derive.h"
#include "frontend/program.h"
#include "frontend/regions.h"
#include "frontend/structure.h"
#include "ingot/autodiff.h"
#include "library/running_extreme.h"

namespace ingot {
namespace {

using detail::apply;
using detail::fail;

Array filled(const Array& x, int64_t axis, const Array& value) {
  Shape shape = x.shape();
  shape.erase(shape.begin() + axis);
  return broadcast_to(value, shape);
}

// `name` is the function's own; `neutral` of the combiner for a dtype.
Array cumulative(const char* name, const Operand& x, int64_t axis, bool reverse,
                 const std::function<Array(DType)>& neutral,
                 const std::function<Array(const Array&, const Array&)>& combine) {
  const CallerScope caller(x.where(), name);
  const Array array = x.array();
  axis = detail::checked_axis(
      name, axis, static_cast<int64_t>(detail::checked_node(array, x.where()).type->shape.size()), x.where());
  return apply(name, {array}, {axis, reverse}, x.where(), [&](const std::vector<Array>& operands) {
    const Array a = detail::in_f32(operands[0]);
    const Array totals = scan(
                             [&](Array total, Array next) {
                               const Array sum = combine(total, next);
                               return std::pair(sum, sum);
                             },
                             filled(a, axis, neutral(a.dtype())), a, {.axis = axis, .reverse = reverse})
                             .second;
    return totals.astype(array.dtype());
  });
}

// What a running sum of preds counts is s32.
void check_count(const Operand& x, int64_t given) {
  const Array array = x.array();
  const detail::ArrayType& type = *detail::checked_node(array, x.where()).type;
  if (type.dtype != DType::kPred) return;
  const int64_t axis =
      detail::checked_axis("cumsum", given, static_cast<int64_t>(type.shape.size()), x.where());
  const int64_t count = type.shape[static_cast<size_t>(axis)];
  if (count > std::numeric_limits<int32_t>::max())
    fail(x.where(), "cumsum: the count of " + std::to_string(count) +
                        " preds may be too large for s32; convert " + array.type_string() +
                        " with astype(kS64) first");
}

Array cumulative_extreme(const char* name, const Operand& x, int64_t axis, bool reverse, bool greatest) {
  const CallerScope caller(x.where(), name);
  const Array array = x.array();
  axis = detail::checked_axis(
      name, axis, static_cast<int64_t>(detail::checked_node(array, x.where()).type->shape.size()), x.where());
  return apply(name, {array}, {axis, reverse}, x.where(), [&](const std::vector<Array>& operands) {
    return detail::running_extreme(detail::in_f32(operands[0]), axis, reverse, greatest)
        .astype(array.dtype());
  });
}

}  // namespace

Array cumsum(const Operand& x, Axis axis, bool reverse) {
  check_count(x, axis);
  return cumulative(
      "cumsum", detail::countable(x), axis, reverse, [](DType dtype) { return detail::number(dtype, 0); },
      [](const Array& a, const Array& b) { return a + b; });
}

Array cumprod(const Operand& x, Axis axis, bool reverse) {
  return cumulative(
      "cumprod", detail::countable(x), axis, reverse, [](DType dtype) { return detail::number(dtype, 1); },
      [](const Array& a, const Array& b) { return a * b; });
}

Array cummax(const Operand& x, Axis axis, bool reverse) {
  return cumulative_extreme("cummax", x, axis, reverse, true);
}

Array cummin(const Operand& x, Axis axis, bool reverse) {
  return cumulative_extreme("cummin", x, axis, reverse, false);
}

// The greatest element so far, and the sum of the exponentials relative to it.
Array cumlogsumexp(const Operand& x, Axis axis, bool reverse) {
  const CallerScope caller(x.where());
  const Array array = detail::floating(detail::checked_array(x));
  axis = detail::checked_axis("cumlogsumexp", axis, array.rank(), x.where());
  if (is_complex(array.dtype()))
    fail(x.where(), "cumlogsumexp: takes real numbers, but this is a " + array.type_string());
  return apply("cumlogsumexp", {array}, {axis, reverse}, x.where(), [&](const std::vector<Array>& operands) {
    const Array a = detail::in_f32(operands[0]);
    const double infinity = std::numeric_limits<double>::infinity();
    const Array low = filled(a, axis, Array(detail::convert(detail::Literal::of(-infinity), a.dtype()))),
                none = filled(a, axis, detail::number(a.dtype(), 0));
    return scan(
               [&](std::pair<Array, Array> so_far, Array next) {
                 const Array greatest = stop_gradient(maximum(so_far.first, next));
                 const Array shift = where(is_finite(greatest), greatest, 0);
                 const Array sum = so_far.second * exp(so_far.first - shift) + exp(next - shift);
                 // As long as all are -inf the total is the element itself, and its derivative 1.
                 const Array none = sum == 0, total = shift + log(where(none, 1, sum));
                 return std::pair(std::pair(greatest, sum), where(none, next, total));
               },
               std::pair(low, none), a, {.axis = axis, .reverse = reverse})
        .second.astype(array.dtype());
  });
}

namespace detail {
namespace {

// Takes the first element as it is: the combiner need not have a neutral one, nor a derivative where an
// element meets itself, so that it is not asked there (a cond, and no select).
class FromTheFirst final : public ScanBody {
 public:
  FromTheFirst(ScanBody& body, int64_t first, const Structure& structure, const std::source_location& where)
      : body_(body), first_(first), structure_(structure), where_(where) {}

  std::vector<Array> step(const std::vector<Array>& carry, const std::vector<Array>& xs) override {
    const std::vector<Array> next(xs.begin(), xs.end() - 1);
    const Operand index(xs.back(), where_);  // no CallerScope: the body is the user's
    const DType places = xs.back().dtype();
    const Array is_first = index == Operand(Array(convert(Literal::of(first_), places)), where_);
    std::vector<Array> operands = carry;
    operands.insert(operands.end(), next.begin(), next.end());
    const auto half = static_cast<std::ptrdiff_t>(carry.size());
    RegionsTracer branches(detail::types_of(operands), "x", where_);
    std::vector<Array> combined;
    branches.trace([&](const std::vector<Array>& pair) {
      std::vector<Array> results =
          body_.step({pair.begin(), pair.begin() + half}, {pair.begin() + half, pair.end()});
      results =
          checked_results("associative_scan: the function", std::move(results), body_.result_names, where_);
      check_structure("associative_scan: of what the function returns,", body_.next_carry, structure_,
                      where_);
      check_types(results, next);
      combined = results;
      return results;
    });
    branches.trace(
        [&](const std::vector<Array>& pair) { return std::vector<Array>(pair.begin() + half, pair.end()); });
    operands.insert(operands.begin(), astype(Operand(is_first, where_), DType::kS32));
    std::vector<Array> results = branches.finish("cond", operands, {});
    for (size_t i = 0; i < results.size(); ++i)
      results[i] = as_weak(results[i], is_weak(combined[i]) && is_weak(next[i]));
    next_carry = structure_;
    const std::vector<Array> kept = results;
    result_names = body_.result_names;
    result_names.insert(result_names.end(), body_.result_names.begin(), body_.result_names.end());
    results.insert(results.end(), kept.begin(), kept.end());
    return results;
  }

 private:
  void check_types(const std::vector<Array>& results, const std::vector<Array>& next) const {
    for (size_t i = 0; i < results.size(); ++i) {
      if (results[i].type_string() == next[i].type_string()) continue;
      fail(where_, "associative_scan: the elements of " + structure_.names[i] + " along the axis are " +
                       next[i].type_string() + ", but the function makes " + results[i].type_string() +
                       " of two of them; what it returns must have their type, since it is combined with "
                       "the next one: keep the shape, and convert with .astype where the dtype differs");
    }
  }

  ScanBody& body_;
  int64_t first_;
  const Structure& structure_;
  const std::source_location& where_;
};

std::vector<Array> traced_associative_scan(ScanBody& body, const std::vector<Array>& xs,
                                           const Structure& structure, int64_t axis, bool reverse,
                                           const std::source_location& where) {
  const std::vector<std::string>& names = structure.names;
  LeafArrays init, scanned;
  static_cast<Structure&>(init) = structure;
  scanned.arrays = xs;
  scanned.names = names;
  std::vector<int64_t> axes;
  int64_t length = 0;
  for (size_t i = 0; i < xs.size(); ++i) {
    axes.push_back(
        checked_axis("associative_scan", axis, checked_node(xs[i], where).type->shape.size(), where));
    length = xs[0].shape(axes[0]);
    if (xs[i].shape(axes[i]) != length) {
      fail(where, "associative_scan: " + names[i] + ", a " + xs[i].type_string() + ", has " +
                      std::to_string(xs[i].shape(axes[i])) + " elements along axis " +
                      std::to_string(axes[i]) + ", but " + names[0] + " has " + std::to_string(length));
    }
  }
  if (length == 0) return xs;
  const int64_t first = reverse ? length - 1 : 0;
  for (size_t i = 0; i < xs.size(); ++i)
    init.arrays.push_back(index_axis(Operand(xs[i], where), axes[i], first));
  scanned.arrays.push_back(arange(length, places_dtype(length), where));
  axes.push_back(0);
  scanned.names.push_back("index");
  ScanOptions options{.axis = axes, .reverse = reverse};
  options.ys_axis = ScanAxes(std::vector<int64_t>(axes.begin(), axes.end() - 1));
  FromTheFirst step(body, first, structure, where);
  return detail::scan(step, init, scanned, options, where).ys;
}

}  // namespace

std::vector<Array> associative_scan(ScanBody& body, const LeafArrays& xs, Axis axis, bool reverse,
                                    const std::source_location& where) {
  if (tracing()) return traced_associative_scan(body, xs.arrays, xs, axis, reverse, where);
  std::vector<const ArrayType*> types;
  for (const Array& x : xs.arrays) types.push_back(checked_node(x, where).type);
  const auto traced = trace_function(
      "associative_scan", types, xs.names,
      [&](const std::vector<Array>& arguments) {
        return Outputs{traced_associative_scan(body, arguments, xs, axis, reverse, where), nullptr};
      },
      nullptr, where);
  return run_or_record(traced, xs.arrays, where);
}

}  // namespace detail
}  // namespace ingot
