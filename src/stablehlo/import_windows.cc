// reduce_window: what a window reads, place by place, as slices of the padded array; large windows by Ingot's
// own, whose work does not grow with their extent.
#include "stablehlo/import_windows.h"

#include <algorithm>

#include "base/extents.h"
#include "ingot/windows.h"
#include "ops/windows.h"

namespace ingot::stablehlo {

Windows windows_of(OpImport& op, int64_t rank) {
  const auto n = static_cast<size_t>(rank);
  const Ints ones(n, 1);
  Windows windows{op.ints("window_dimensions", ones),
                  op.ints("window_strides", ones),
                  op.ints("base_dilations", ones),
                  op.ints("window_dilations", ones),
                  {},
                  {}};
  const Ints padding = op.ints("padding", Ints(2 * n, 0));
  for (const Ints* list : {&windows.sizes, &windows.strides, &windows.base_dilation, &windows.dilation}) {
    if (list->size() != n || std::any_of(list->begin(), list->end(), [](int64_t v) { return v < 1; })) {
      op.fail("windows, strides and dilations have one positive entry per dimension, " +
              std::to_string(rank));
    }
  }
  if (padding.size() != 2 * n) op.fail("padding has one pair per dimension");
  for (size_t i = 0; i < n; ++i) {
    windows.low.push_back(padding[2 * i]);
    windows.high.push_back(padding[2 * i + 1]);
    windows.places = multiply_extents(windows.places, windows.sizes[i]);
  }
  return windows;
}

Shape window_counts(const Shape& array, const Windows& windows) {
  Shape counts;
  for (size_t d = 0; d < array.size(); ++d) {
    const auto dilated = [](int64_t extent, int64_t by) {
      return extent == 0 ? 0 : add_extents(multiply_extents(extent - 1, by), 1);
    };
    const int64_t padding = std::clamp(windows.low[d], -kMostElements, kMostElements) +
                            std::clamp(windows.high[d], -kMostElements, kMostElements);
    const int64_t padded = dilated(array[d], windows.base_dilation[d]) + padding,
                  window = dilated(windows.sizes[d], windows.dilation[d]);
    counts.push_back(padded < window ? 0 : (padded - window) / windows.strides[d] + 1);
  }
  return counts;
}

bool no_window_fits(const Shape& counts) {
  return std::find(counts.begin(), counts.end(), 0) != counts.end();
}

ir::Value* padded_for(OpImport& op, ir::Value* x, ir::Value* value, const Windows& windows) {
  const size_t rank = x->shape().size();
  Ints low, high, interior, starts, limits;
  for (size_t i = 0; i < rank; ++i) {
    low.push_back(std::max<int64_t>(windows.low[i], 0));
    high.push_back(std::max<int64_t>(windows.high[i], 0));
    interior.push_back(windows.base_dilation[i] - 1);
  }
  x = op.make("pad", {x, value}, {{"low", low}, {"high", high}, {"interior", interior}});
  for (size_t i = 0; i < rank; ++i) {
    starts.push_back(std::max<int64_t>(0 - std::max(windows.low[i], -kMostElements), 0));
    limits.push_back(x->shape()[i] + std::max(std::min<int64_t>(windows.high[i], 0), -kMostElements));
    if (starts[i] > limits[i]) op.fail("the padding cuts off more than there is");
  }
  if (limits == x->shape() && std::all_of(starts.begin(), starts.end(), [](int64_t s) { return s == 0; }))
    return x;
  return op.make("slice", {x}, {{"starts", starts}, {"limits", limits}, {"strides", Ints(rank, 1)}});
}

ir::Value* at_place(OpImport& op, ir::Value* padded, const Ints& place, const Windows& windows,
                    const Shape& count) {
  Ints starts, limits;
  for (size_t d = 0; d < place.size(); ++d) {
    starts.push_back(place[d] * windows.dilation[d]);
    limits.push_back(starts[d] + std::max<int64_t>(count[d] - 1, 0) * windows.strides[d] +
                     (count[d] > 0 ? 1 : 0));
  }
  return op.make("slice", {padded}, {{"starts", starts}, {"limits", limits}, {"strides", windows.strides}});
}

ir::Value* at_numbered_place(OpImport& op, ir::Value* padded, ir::Value* number, const Windows& windows,
                             const Shape& count) {
  const auto rank = static_cast<int64_t>(count.size());
  std::vector<ir::Value*> starts(count.size());
  int64_t inner = 1;
  for (size_t d = count.size(); d-- > 0;) {
    ir::Value* place = op.make("div", {number, op.scalar_int(DType::kS64, inner)});
    place = op.make("rem", {place, op.scalar_int(DType::kS64, windows.sizes[d])});
    place = op.make("mul", {place, op.scalar_int(DType::kS64, windows.dilation[d])});
    starts[d] = op.make("reshape", {place}, {{"shape", Shape{1}}});
    inner *= windows.sizes[d];
  }
  Shape reach;
  for (size_t d = 0; d < count.size(); ++d)
    reach.push_back(count[d] == 0 ? 0 : (count[d] - 1) * windows.strides[d] + 1);
  ir::Value* begin = rank == 1 ? starts[0] : op.make("concatenate", starts, {{"axis", int64_t{0}}});
  ir::Value* part = op.make("gather", {padded, begin}, ops::one_window(rank, reach));
  if (reach == count) return part;
  return op.make("slice", {part},
                 {{"starts", Ints(count.size(), 0)}, {"limits", reach}, {"strides", windows.strides}});
}

namespace {

constexpr int64_t kFewPlaces =
    9;  // in two dimensions or more: the order of sums is that of the specification

// One array: Ingot's own windows, whose work does not grow with their extent. `region` combines two elements.
ir::Value* by_library(OpImport& op, ir::Value* x, ir::Value* neutral, const Windows& windows,
                      const ir::Region& region, const std::vector<ir::Value*>& captured) {
  WindowOptions options;
  options.strides = windows.strides;
  options.x_dilation = windows.base_dilation;
  options.window_dilation = windows.dilation;
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (size_t i = 0; i < windows.low.size(); ++i) pairs.emplace_back(windows.low[i], windows.high[i]);
  options.padding = ConvPadding(pairs);
  std::vector<ir::Value*> operands{x, neutral};
  operands.insert(operands.end(), captured.begin(), captured.end());
  return op.make_by_library(operands, [&](const std::vector<Array>& arrays, const auto& where) {
    const auto combine = [&](const Array& a, const Array& b) {
      std::vector<Array> arguments{a, b};
      arguments.insert(arguments.end(), arrays.begin() + 2, arrays.end());
      return emit_region(region, arguments, where).front();
    };
    return reduce_window(combine, Operand(arrays[0], where), Operand(arrays[1], where), windows.sizes,
                         options, where);
  });
}

ir::Value* by_known(OpImport& op, const std::string& record, ir::Value* x, const Windows& windows) {
  // Sums and products of many narrow floats are rounded once.
  if (is_narrow_float(x->dtype()) && (record == "add" || record == "mul")) {
    ir::Value* wide = op.make("convert", {x}, {{"dtype", DType::kF32}});
    return op.make("convert", {by_known(op, record, wide, windows)}, {{"dtype", x->dtype()}});
  }
  const std::unique_ptr<ir::Region> region = op.builder().make_region();
  ir::Value *a = region->add_argument({x->dtype(), {}}), *b = region->add_argument({x->dtype(), {}});
  region->set_results({ir::Builder(*region).value(record, {a, b})});
  ir::Value* neutral = op.builder().constant(neutral_of(record, x->dtype()));
  return by_library(op, x, neutral, windows, *region, {});
}

// Any region, place by place: a loop over the windows' places combines those of all windows.
std::vector<ir::Value*> by_loop(OpImport& op, const Windows& windows) {
  const size_t n = op.operand_count() / 2;
  const Shape count = window_counts(op.operand(0)->shape(), windows);
  OpImport::Loop loop;
  for (size_t i = 0; i < n; ++i) {
    loop.carries.push_back(op.spread(op.operand(n + i), count));
    loop.invariants.push_back(padded_for(op, op.operand(i), op.operand(n + i), windows));
  }
  loop.scanned.push_back(
      op.make("iota", {}, {{"dtype", DType::kS64}, {"shape", Shape{windows.places}}, {"axis", int64_t{0}}}));
  loop.xs_axes = {0};
  loop.length = windows.places;
  return op.loop(loop, [&](OpImport& inside, const std::vector<ir::Value*>& arguments) {
    std::vector<ir::Value*> both(arguments.begin(), arguments.begin() + static_cast<std::ptrdiff_t>(n));
    for (size_t i = 0; i < n; ++i)
      both.push_back(at_numbered_place(inside, arguments[n + 1 + i], arguments[n], windows, count));
    return inside.apply(op.op().regions.front(), both, count);
  });
}

// Any region: of few places, these stand along a new dimension, over which `reduce` goes.
void by_places(OpImport& op, const Windows& windows) {
  const size_t n = op.operand_count() / 2;
  if (windows.places > kMostPlaces) {
    if (n > 1 || !looks_neutral(op.operand(1))) return op.set_all(by_loop(op, windows));
    const DType dtype = op.operand(0)->dtype();
    const OpImport::ScalarRegion made = op.closed_region(op.op().regions.front(), {dtype, dtype});
    if (!made.is_of_elements()) return op.set_all(by_loop(op, windows));
    return op.set(by_library(op, op.operand(0), op.operand(1), windows, *made.region, made.captured));
  }
  // An initial value that is not neutral is one more place, as of reduce.
  bool neutral = true;
  for (size_t i = 0; i < n; ++i) neutral = neutral && looks_neutral(op.operand(n + i));
  std::vector<ir::Value*> stacks, initial;
  for (size_t i = 0; i < n; ++i) {
    const Shape shape = window_counts(op.operand(i)->shape(), windows);
    ir::Value* whole = padded_for(op, op.operand(i), op.operand(n + i), windows);
    Shape row = shape;
    row.insert(row.begin(), 1);
    std::vector<ir::Value*> places;
    if (!neutral) places.push_back(op.spread(op.operand(n + i), row));
    for_each_place(windows, [&](const Ints& place) {
      places.push_back(op.make("reshape", {at_place(op, whole, place, windows, shape)}, {{"shape", row}}));
    });
    stacks.push_back(op.make("concatenate", places, {{"axis", int64_t{0}}}));
    initial.push_back(op.operand(n + i));
  }
  op.set_all(op.reduce(op.op().regions.front(), stacks, initial, {0}));
}

// A known combiner and few places: combined one after the other, the initial value first.
ir::Value* one_by_one(OpImport& op, const std::string& record, const Windows& windows) {
  const Shape shape = window_counts(op.operand(0)->shape(), windows);
  ir::Value *whole = padded_for(op, op.operand(0), op.operand(1), windows), *total = nullptr;
  if (!equals(op.operand(1), neutral_of(record, whole->dtype()))) total = op.spread(op.operand(1), shape);
  for_each_place(windows, [&](const Ints& place) {
    ir::Value* next = at_place(op, whole, place, windows, shape);
    total = total ? op.make(record, {total, next}) : next;
  });
  return total;
}

void import_reduce_window(OpImport& op) {
  const size_t n = op.operand_count() / 2;
  if (op.op().regions.size() != 1 || n == 0 || 2 * n != op.operand_count())
    op.fail("it takes one region and an initial value for each array, but has " +
            std::to_string(op.op().regions.size()) + " regions and the operands " +
            types_of(op.function(), op.op().operands));
  op.promote_reduced(n);
  ir::Value* x = op.operand(0);
  for (size_t i = 0; i < n; ++i) {
    if (op.operand(i)->shape() != x->shape()) op.fail("its operands have different shapes");
  }
  const Windows windows = windows_of(op, x->rank());
  const Shape counts = window_counts(x->shape(), windows);
  for (size_t i = 0; i < n; ++i) {
    const ir::TensorType wanted{op.operand(i)->dtype(), counts};
    if (!op.importer().fits(op.result(i), wanted))
      op.fail("result " + std::to_string(i) + " is " + ir::to_string(wanted) +
              ", one element for each window" + ", but the module says " + to_string(op.result(i)));
  }
  if (no_window_fits(counts)) {
    std::vector<ir::Value*> nothing;
    for (size_t i = 0; i < n; ++i) nothing.push_back(op.filled({op.operand(i)->dtype(), counts}, 0));
    return op.set_all(nothing);
  }
  const std::string record =
      n == 1 ? record_of_combiner(combiner_of(op.op().regions.front()).name, x->dtype()) : "";
  if (record.empty()) return by_places(op, windows);
  const bool neutral = equals(op.operand(1), neutral_of(record, x->dtype()));
  const auto dims =
      std::count_if(windows.sizes.begin(), windows.sizes.end(), [](int64_t size) { return size > 1; });
  const bool few = dims > 1 && windows.places <= kFewPlaces;
  if (few || x->rank() == 0 || (!neutral && windows.places <= kMostPlaces)) {
    return op.set(one_by_one(op, record, windows));
  }
  const bool pads = std::any_of(windows.low.begin(), windows.low.end(), [](int64_t p) { return p > 0; }) ||
                    std::any_of(windows.high.begin(), windows.high.end(), [](int64_t p) { return p > 0; });
  const bool spreads = std::any_of(windows.base_dilation.begin(), windows.base_dilation.end(),
                                   [](int64_t d) { return d > 1; });
  if (!neutral && (pads || spreads)) return op.set_all(by_loop(op, windows));
  ir::Value* result = by_known(op, record, x, windows);
  op.set(neutral ? result : op.make(record, {op.spread(op.operand(1), result->shape()), result}));
}

constexpr NamedRule kWindows[] = {{"stablehlo.reduce_window", import_reduce_window}};

}  // namespace

Rules window_rules() {
  return kWindows;
}

}  // namespace ingot::stablehlo
