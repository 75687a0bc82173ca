// reduce_window and select_and_scatter: what a window reads, place by place, as slices of the padded array.
#include <algorithm>
#include <map>

#include "base/extents.h"
#include "frontend/trace.h"
#include "ingot/functions.h"
#include "ingot/windows.h"
#include "ir/ir.h"
#include "stablehlo/importer.h"

namespace ingot::stablehlo {
namespace {

constexpr int64_t kMostPlaces = 128;  // of a window that is written out place by place
constexpr int64_t kFewPlaces =
    9;  // in two dimensions or more: the order of sums is that of the specification

struct Windows {
  Ints sizes, strides, base_dilation, dilation, low, high;
  int64_t places = 1;
};

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

// Whether no window fits into the array along some dimension, so that the results have no elements; nor has
// what the program says that they have.
bool no_window_fits(const Shape& array, const Windows& windows, const Shape& results) {
  bool none = false;
  for (size_t d = 0; d < array.size(); ++d) {
    const auto dilated = [](int64_t extent, int64_t by) {
      return extent == 0 ? 0 : add_extents(multiply_extents(extent - 1, by), 1);
    };
    const int64_t padding = std::clamp(windows.low[d], -kMostElements, kMostElements) +
                            std::clamp(windows.high[d], -kMostElements, kMostElements);
    const int64_t padded = dilated(array[d], windows.base_dilation[d]) + padding,
                  window = dilated(windows.sizes[d], windows.dilation[d]);
    none = none || (padded < window && results[d] == 0);
  }
  return none;
}

// x with its dilation and padding; what is negative cuts off.
ir::Value* padded(OpImport& op, ir::Value* x, ir::Value* value, const Windows& windows) {
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

// Calls visit(where the place stands in its window) for all places, in row-major order.
template <class Visit>
void for_each_place(const Windows& windows, const Visit& visit) {
  Ints place(windows.sizes.size(), 0);
  for (int64_t p = 0; p < windows.places; ++p) {
    visit(place);
    for (size_t d = place.size(); d-- > 0;) {
      if (++place[d] < windows.sizes[d]) break;
      place[d] = 0;
    }
  }
}

// The elements at one place of every window.
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

// One of the known combiners: Ingot's own windows, whose work does not grow with their extent.
ir::Value* by_library(OpImport& op, const std::string& record, ir::Value* x, const Windows& windows) {
  WindowOptions options;
  options.strides = windows.strides;
  options.x_dilation = windows.base_dilation;
  options.window_dilation = windows.dilation;
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (size_t i = 0; i < windows.low.size(); ++i) pairs.emplace_back(windows.low[i], windows.high[i]);
  options.padding = ConvPadding(pairs);
  ir::Value* neutral = op.builder().constant(neutral_of(record, x->dtype()));
  return op.make_by_library({x, neutral}, [&](const std::vector<Array>& arrays, const auto& where) {
    const auto combine = [&](const Array& a, const Array& b) {
      return detail::emit(record, {a, b}, {}, where);
    };
    return reduce_window(combine, Operand(arrays[0], where), Operand(arrays[1], where), windows.sizes,
                         options, where);
  });
}

// Any region: the windows' places stand along a new dimension, over which `reduce` goes.
void by_places(OpImport& op, const Windows& windows) {
  const size_t n = op.operand_count() / 2;
  if (windows.places > kMostPlaces) {
    op.refuse("Ingot reduces windows of more than " + std::to_string(kMostPlaces) +
              " places by a single add, multiply, minimum, maximum, and, or or xor alone");
  }
  std::vector<ir::Value*> stacks, initial;
  std::vector<DType> dtypes;
  for (size_t i = 0; i < n; ++i) {
    const Shape shape = op.result_type(i).shape;
    ir::Value* whole = padded(op, op.operand(i), op.operand(n + i), windows);
    std::vector<ir::Value*> places;
    Shape row = shape;
    row.insert(row.begin(), 1);
    for_each_place(windows, [&](const Ints& place) {
      places.push_back(op.make("reshape", {at_place(op, whole, place, windows, shape)}, {{"shape", row}}));
    });
    stacks.push_back(op.make("concatenate", places, {{"axis", int64_t{0}}}));
    initial.push_back(op.operand(n + i));
    dtypes.push_back(initial.back()->dtype());
  }
  dtypes.insert(dtypes.end(), dtypes.begin(), dtypes.begin() + static_cast<std::ptrdiff_t>(n));
  stacks.insert(stacks.end(), initial.begin(), initial.end());
  std::vector<std::unique_ptr<ir::Region>> regions;
  regions.push_back(op.scalar_region(op.op().regions.front(), dtypes));
  op.set_all(op.builder().make("reduce", stacks, {{"axes", ir::IntList{0}}}, std::move(regions))->results());
}

bool is_constant_equal(const ir::Value* value, const Tensor& tensor) {
  while (value->op() && value->op()->name() == "broadcast" && value->rank() == 0)
    value = value->op()->operand(0);
  if (!value->op() || value->op()->name() != "constant") return false;
  const auto& own = value->op()->attributes().get<Tensor>("value");
  if (own.dtype() != tensor.dtype() || own.size() != 1) return false;
  return own == tensor || (is_float(own.dtype()) && own.get_double(0) == tensor.get_double(0));
}

// A known combiner and few places: combined one after the other, the initial value first.
ir::Value* one_by_one(OpImport& op, const std::string& record, const Windows& windows) {
  const Shape shape = op.result_type().shape;
  ir::Value *whole = padded(op, op.operand(0), op.operand(1), windows), *total = nullptr;
  if (!is_constant_equal(op.operand(1), neutral_of(record, whole->dtype())))
    total = op.spread(op.operand(1), shape);
  for_each_place(windows, [&](const Ints& place) {
    ir::Value* next = at_place(op, whole, place, windows, shape);
    total = total ? op.make(record, {total, next}) : next;
  });
  return total;
}

void import_reduce_window(OpImport& op) {
  const size_t n = op.operand_count() / 2;
  if (op.op().regions.size() != 1 || n == 0 || 2 * n != op.operand_count())
    op.fail("operands and region do not fit");
  ir::Value* x = op.operand(0);
  for (size_t i = 0; i < n; ++i) {
    if (op.operand(i)->rank() != x->rank() ||
        static_cast<int64_t>(op.result_type(i).shape.size()) != x->rank())
      op.fail("operands and results have other numbers of dimensions");
  }
  const Windows windows = windows_of(op, x->rank());
  if (no_window_fits(x->shape(), windows, op.result_type(0).shape)) {
    std::vector<ir::Value*> nothing;
    for (size_t i = 0; i < n; ++i) nothing.push_back(op.filled(op.result_type(i), 0));
    return op.set_all(nothing);
  }
  const std::string record =
      n == 1 ? record_of_combiner(combiner_of(op.op().regions.front()).name, x->dtype()) : "";
  if (record.empty()) return by_places(op, windows);
  const bool neutral = is_constant_equal(op.operand(1), neutral_of(record, x->dtype()));
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
  if (!neutral && (pads || spreads)) op.refuse("the initial value of such large windows has to be neutral");
  ir::Value* result = by_library(op, record, x, windows);
  op.set(neutral ? result : op.make(record, {op.spread(op.operand(1), result->shape()), result}));
}

// The element of a window that is not replaced when (selected so far, next) is asked from the first place on
// gets the window's update; elements that get several combine them.
void import_select_and_scatter(OpImport& op) {
  ir::Value *x = op.operand(0), *source = op.operand(1), *initial = op.operand(2);
  if (op.op().regions.size() != 2) op.fail("there are to be two regions");
  const Combiner select = combiner_of(op.op().regions[0]), scatter = combiner_of(op.op().regions[1]);
  const std::string combine = record_of_combiner(scatter.name, x->dtype());
  if (combine.empty())
    op.refuse(
        "Ingot scatters to selected elements with a single add, multiply, minimum, maximum, and, or or xor");
  if (select.name != "compare" || select.swapped) op.refuse("Ingot selects elements by a single comparison");
  std::string direction =
      word(*stablehlo::find(select.operation->attributes, "comparison_direction")).value_or("GE");
  for (char& c : direction) c = static_cast<char>(c | 0x20);
  const Windows windows = windows_of(op, x->rank());
  if (windows.places > kMostPlaces)
    op.refuse("Ingot selects among at most " + std::to_string(kMostPlaces) + " elements");
  if (source->rank() != x->rank()) op.fail("the operand and the source have other numbers of dimensions");
  const Shape& count = source->shape();
  if (no_window_fits(x->shape(), windows, count)) return op.set(op.spread(initial, x->shape()));
  const Tensor none(x->dtype(), {});
  ir::Value* whole = padded(op, x, op.builder().constant(none), windows);
  // Padding is no element.
  ir::Value* there = nullptr;
  const bool pads = std::any_of(windows.low.begin(), windows.low.end(), [](int64_t p) { return p > 0; }) ||
                    std::any_of(windows.high.begin(), windows.high.end(), [](int64_t p) { return p > 0; });
  if (pads) {
    there = padded(op, op.filled_int({DType::kPred, x->shape()}, 1), op.scalar_int(DType::kPred, 0), windows);
  }
  ir::Value *best = nullptr, *chosen = nullptr, *any = nullptr;
  const ir::TensorType place_type{DType::kS32, count};
  int64_t number = 0;
  for_each_place(windows, [&](const Ints& place) {
    ir::Value* next = at_place(op, whole, place, windows, count);
    ir::Value* real = there ? at_place(op, there, place, windows, count) : nullptr;
    ir::Value* mine = op.filled_int(place_type, number++);
    if (!best) {
      best = next;
      chosen = mine;
      any = real;
      return;
    }
    ir::Value* keeps = op.make("compare", {best, next}, {{"direction", direction}});
    ir::Value* replaces = op.make("not", {keeps});
    if (real) {
      replaces = op.make("and", {real, op.make("or", {replaces, op.make("not", {any})})});
      any = op.make("or", {any, real});
    }
    best = op.make("select", {replaces, next, best});
    chosen = op.make("select", {replaces, mine, chosen});
  });
  // What each place adds to the padded array, which is then cut to the array.
  ir::Value *total = nullptr, *zero = op.builder().constant(neutral_of(combine, source->dtype()));
  ir::Value* zeros = op.spread(zero, count);
  number = 0;
  for_each_place(windows, [&](const Ints& place) {
    ir::Value* mine =
        op.make("compare", {chosen, op.filled_int(place_type, number++)}, {{"direction", std::string("eq")}});
    ir::Value* part = op.make("select", {mine, source, zeros});
    Ints low, high, interior;
    for (size_t d = 0; d < place.size(); ++d) {
      low.push_back(place[d]);
      interior.push_back(windows.strides[d] - 1);
      const int64_t spread = count[d] == 0 ? 0 : (count[d] - 1) * windows.strides[d] + 1;
      high.push_back(std::max<int64_t>(whole->shape()[d] - place[d] - spread, 0));
    }
    part = op.make("pad", {part, zero}, {{"low", low}, {"high", high}, {"interior", interior}});
    total = total ? op.make(combine, {total, part}) : part;
  });
  Ints starts, limits;
  for (size_t d = 0; d < x->shape().size(); ++d) {
    starts.push_back(std::max<int64_t>(windows.low[d], 0));
    limits.push_back(starts[d] + x->shape()[d]);
    if (windows.low[d] < 0 || windows.high[d] < 0)
      op.refuse("Ingot selects in windows with no negative padding");
  }
  total = op.make("slice", {total},
                  {{"starts", starts}, {"limits", limits}, {"strides", Ints(starts.size(), 1)}});
  op.set(op.make(combine, {total, op.spread(initial, total->shape())}));
}

constexpr NamedRule kWindows[] = {
    {"stablehlo.reduce_window", import_reduce_window},
    {"stablehlo.select_and_scatter", import_select_and_scatter},
};

}  // namespace

Rules window_rules() {
  return kWindows;
}

}  // namespace ingot::stablehlo
