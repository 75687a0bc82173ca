// Operations that take shapes, paddings and limits as operands: where these are constants, or computed from
// constants alone, they are the static ones. What a program computes sizes with is short, and runs here.
#include <algorithm>
#include <unordered_set>

#include "ingot/error.h"
#include "interpreter/interpreter.h"
#include "ops/control.h"
#include "ops/kinds.h"
#include "ops/windows.h"
#include "stablehlo/import_windows.h"

namespace ingot::stablehlo {
namespace {

constexpr size_t kMostSteps = 400;          // operations behind one operand
constexpr int64_t kMostComputed = 1 << 12;  // elements of what they make

// Whether the interpreter ends soon: no loops, and no calls within calls.
bool is_short(const ir::Op& op, bool calls) {
  if (ops::is_any<ops::WhileOp, ops::ScanOp>(op)) return false;
  if (ops::has_callee(op)) {
    if (!calls || !ops::is<ops::CallOp>(op)) return false;
    const ir::Region& body = ops::callee_of(op)->body();
    if (body.ops().size() > kMostSteps) return false;
    return std::all_of(body.ops().begin(), body.ops().end(),
                       [](const auto& inner) { return is_short(*inner, false); });
  }
  for (const ir::Value* result : op.results()) {
    if (result->type().elements() > kMostComputed) return false;
  }
  for (int r = 0; r < op.region_count(); ++r) {
    for (const auto& inner : op.region(r).ops()) {
      if (!is_short(*inner, false)) return false;
    }
  }
  return true;
}

// The operations that a value is made by, operands first; none where it depends on an argument.
std::vector<const ir::Op*> makers_of(const ir::Value* value) {
  std::vector<const ir::Op*> order;
  std::unordered_set<const ir::Op*> seen;
  std::vector<std::pair<const ir::Op*, int>> stack;
  const auto visit = [&](const ir::Value* wanted) {
    const ir::Op* op = wanted->op();
    if (op == nullptr || !is_short(*op, true)) return false;
    if (seen.insert(op).second) stack.emplace_back(op, 0);
    return seen.size() <= kMostSteps;
  };
  if (!visit(value)) return {};
  while (!stack.empty()) {
    const auto [op, next] = stack.back();
    if (next == op->operand_count()) {
      order.push_back(op);
      stack.pop_back();
      continue;
    }
    ++stack.back().second;
    if (!visit(op->operand(next))) return {};
  }
  return order;
}

std::optional<Tensor> value_of(const ir::Value* value) {
  if (ops::is<ops::ConstantOp>(value)) return ops::ConstantOp(*value->op()).value();
  const std::vector<const ir::Op*> makers = makers_of(value);
  if (makers.empty()) return std::nullopt;
  ir::Module module;
  for (const ir::Op* op : makers) {  // calls name functions of their module
    if (!ops::is<ops::CallOp>(*op) || module.find(ops::callee_of(*op)->name()) != nullptr) continue;
    const ir::Function& callee = *ops::callee_of(*op);
    ir::clone_region(callee.body(), module.add_function(callee.name())->body());
  }
  const ir::Function* function = module.add_function("known");
  ir::Region& body = module.functions().back()->body();
  ir::ValueMap map;
  for (const ir::Op* op : makers) ir::clone_op(*op, body, map);
  body.set_results({map.at(value)});
  return interpret(*function, std::vector<Tensor>{}).front();
}

}  // namespace

// What is found out stands there as a constant from then on.
std::optional<Tensor> OpImport::known(size_t i) const {
  std::optional<Tensor> found = value_of(operand(i));
  if (!found || ops::is<ops::ConstantOp>(operand(i))) return found;
  ir::Builder builder(*frame_->region);
  builder.set_provenance(operand(i)->op()->provenance());
  frame_->values[op_->operands[i]].value = builder.constant(*found);
  return found;
}

void OpImport::fold_sizes() {
  constexpr int64_t kMostFolded = 64;  // of a list of paddings, a pair for each dimension
  const bool of_sizes = takes_sizes();
  for (const ValueId id : op_->results) {
    const auto found = frame_->values.find(id);
    const ir::Value* value = found == frame_->values.end() ? nullptr : found->second.value;
    if (value == nullptr || value->op() == nullptr || ops::is<ops::ConstantOp>(value)) continue;
    if (!is_integer(value->dtype()) && value->dtype() != DType::kPred) continue;
    if (value->type().elements() > kMostFolded) continue;
    const std::optional<Tensor> known = value_of(value);
    if (!known) continue;
    if (of_sizes) check_size(*known);
    found->second.value = builder_.constant(*known);
    if (of_sizes) importer_->add_size(found->second.value);
  }
}

Ints OpImport::known_ints(size_t i, std::string_view what) const {
  const std::optional<Tensor> found = known(i);
  if (!found) refuse(std::string(what) + " are known only when the program runs; Ingot's shapes are fixed");
  if (!is_integer(found->dtype())) fail(std::string(what) + " are to be integers");
  Ints list;
  for (int64_t k = 0; k < found->size(); ++k) list.push_back(found->get_int(k));
  return list;
}

Shape OpImport::shape_by(size_t i) const {
  const bool is_static = result(0).is_static();
  if (is_static && !known(i)) return result_type().shape;
  Shape shape = known_ints(i, "the result's extents");
  if (is_static && shape != result_type().shape) {
    fail("operand " + std::to_string(i) + " says that the result's shape is " + ingot::to_string(shape) +
         ", but the module says " + to_string(result(0)));
  }
  element_count(shape);  // an Error where there are too many, or negative ones
  return shape;
}

bool OpImport::takes_sizes() const {
  return std::any_of(op_->operands.begin(), op_->operands.end(), [&](ValueId id) {
    const auto found = frame_->values.find(id);
    return found != frame_->values.end() && importer_->is_size(found->second.value);
  });
}

// Sizes that wrapped would be wrong without a word: sums and products of them are taken in 64 bits too.
void OpImport::check_size(const Tensor& found) const {
  const bool sum = op_->name == "stablehlo.add", product = op_->name == "stablehlo.multiply",
             difference = op_->name == "stablehlo.subtract", same = op_->name == "stablehlo.convert";
  if (!(sum || product || difference || same) || !is_integer(found.dtype())) return;
  const std::optional<Tensor> a = value_of(operand(0));
  const std::optional<Tensor> b = same ? a : value_of(operand(1));
  if (!a || !b || !is_integer(a->dtype())) return;
  for (int64_t i = 0; i < found.size(); ++i) {
    const int64_t x = a->get_int(i), y = b->get_int(i);
    int64_t exact = x;
    const bool beyond = sum          ? __builtin_add_overflow(x, y, &exact)
                        : product    ? __builtin_mul_overflow(x, y, &exact)
                        : difference ? __builtin_sub_overflow(x, y, &exact)
                                     : false;
    if (!beyond && exact == found.get_int(i)) continue;
    fail("the size " + (beyond ? std::string("that it computes") : std::to_string(exact)) +
         " does not fit into " + std::string(name_of(found.dtype())) +
         "; export the program with 64-bit sizes (jax_enable_x64)");
  }
}

namespace {

void import_dynamic_reshape(OpImport& op) {
  ir::Value* x = op.operand(0);
  const Shape shape = op.shape_by(1);
  op.set(x->shape() == shape ? x : op.make("reshape", {x}, {{"shape", shape}}));
}

void import_dynamic_broadcast(OpImport& op) {
  op.set(broadcast_in_dim(op, op.shape_by(1)));
}

void import_dynamic_iota(OpImport& op) {
  op.set(op.make(
      "iota", {},
      {{"dtype", op.result_dtype()}, {"shape", op.shape_by(0)}, {"axis", op.integer("iota_dimension")}}));
}

void import_dynamic_pad(OpImport& op) {
  const char* const what = "the paddings";
  op.set(padded(op, op.known_ints(2, what), op.known_ints(3, what), op.known_ints(4, what)));
}

// Where the limits are the starts and a known number behind them, as JAX has its windows: that number.
std::optional<Shape> window_behind(const ir::Value* starts, const ir::Value* limits) {
  const ir::Op* sum = ops::made_by<ops::AddOp>(limits);
  for (int side = 0; sum != nullptr && side < 2; ++side) {
    if (sum->operand(side) != starts) continue;
    const std::optional<Tensor> behind = value_of(sum->operand(1 - side));
    if (!behind) return std::nullopt;
    Shape window;
    for (int64_t d = 0; d < behind->size(); ++d) window.push_back(behind->get_int(d));
    return window;
  }
  return std::nullopt;
}

// Of known limits it is a slice. A window of a known extent may begin anywhere.
void import_real_dynamic_slice(OpImport& op) {
  ir::Value* x = op.operand(0);
  const Ints strides = op.known_ints(3, "the strides");
  const auto rank = static_cast<size_t>(x->rank());
  if (strides.size() != rank) op.fail("there is to be one stride per dimension");
  std::optional<Shape> extents;  // of the result
  if (op.result(0).is_static()) extents = op.result_type().shape;
  const bool unit = std::all_of(strides.begin(), strides.end(), [](int64_t stride) { return stride == 1; });
  if (!extents && unit) extents = window_behind(op.operand(1), op.operand(2));
  const std::optional<Tensor> start = op.known(1);
  if (start || !extents) {
    return op.set(op.make("slice", {x},
                          {{"starts", op.known_ints(1, "the starts")},
                           {"limits", op.known_ints(2, "the limits")},
                           {"strides", strides}}));
  }
  const Shape result = *extents;
  if (result.size() != rank) op.fail("the result has another number of dimensions");
  Shape window;
  for (size_t d = 0; d < rank; ++d) {
    if (strides[d] < 1 || strides[d] > kMostElements) op.fail("strides are positive");
    window.push_back(result[d] == 0 ? 0 : (result[d] - 1) * strides[d] + 1);
    if (window[d] > x->shape()[d]) op.fail("the slice is longer than the array");
  }
  ir::Value* part = op.make("gather", {x, op.operand(1)}, ops::one_window(x->rank(), window));
  op.set(window == result ? part
                          : op.make("slice", {part},
                                    {{"starts", Ints(rank, 0)}, {"limits", window}, {"strides", strides}}));
}

// The sizes of windows are those of the result, where these are known.
void import_dynamic_gather(OpImport& op) {
  if (!op.result(0).is_static()) return op.set(gathered(op, op.known_ints(2, "the sizes of slices")));
  const Record* dims = op.record("dimension_numbers");
  const Shape result = op.result_type().shape;
  const Ints offset = op.field(dims, "offset_dims"), collapsed = op.field(dims, "collapsed_slice_dims"),
             batching = op.field(dims, "operand_batching_dims");
  const auto holds = [](const Ints& list, int64_t d) {
    return std::find(list.begin(), list.end(), d) != list.end();
  };
  Ints sizes;
  size_t next = 0;
  for (int64_t d = 0; d < op.operand(0)->rank(); ++d) {
    if (holds(collapsed, d) || holds(batching, d)) {
      sizes.push_back(1);
      continue;
    }
    if (next >= offset.size() || offset[next] < 0 || offset[next] >= static_cast<int64_t>(result.size()))
      op.fail("offset_dims names no dimension of the result for dimension " + std::to_string(d));
    sizes.push_back(result[static_cast<size_t>(offset[next++])]);
  }
  op.set(gathered(op, sizes));
}

void import_dynamic_conv(OpImport& op) {
  op.set(convolved(op, op.known_ints(2, "the paddings")));
}

int64_t own_extent(OpImport& op) {
  const int64_t dimension = op.integer("dimension");
  const Shape& shape = op.operand(0)->shape();
  if (dimension < 0 || dimension >= op.operand(0)->rank())
    op.fail("there is no dimension " + std::to_string(dimension));
  return shape[static_cast<size_t>(dimension)];
}

void import_get_dimension_size(OpImport& op) {
  const int64_t extent = own_extent(op);
  const DType dtype = op.result_dtype();
  ir::Value* size = op.scalar_int(dtype, extent);
  if (ops::ConstantOp(*size->op()).value().get_int(0) != extent) {
    op.fail("the dimension has " + std::to_string(extent) + " elements, which does not fit into " +
            std::string(name_of(dtype)));
  }
  op.set(size);
  op.importer().add_size(size);
}

void import_set_dimension_size(OpImport& op) {
  const int64_t extent = own_extent(op);
  const Ints size = op.known_ints(1, "the dimension's size");
  if (size.size() != 1) op.fail("the size is to be one number");
  if (size[0] != extent) {
    op.refuse("a dimension of " + std::to_string(extent) + " elements becomes one of " +
              std::to_string(size[0]) + " with a bound; Ingot's shapes are fixed");
  }
  op.set(op.operand(0));
}

// What a program asks of the sizes that it is called with: true, or an Error with the program's own text, in
// which {i} stands for the size that is operand i + 1.
void check_shapes(OpImport& op) {
  const std::optional<Tensor> holds = op.known(0);
  if (!holds) op.refuse("it is about values that are known only when the program runs");
  if (holds->dtype() != DType::kPred || holds->size() != 1) op.fail("takes one truth value, and sizes");
  if (holds->get_int(0) != 0) return;
  std::string text =
      op.word("error_message", "the shapes of the arguments are not those that the program takes");
  for (size_t i = 1; i < op.operand_count(); ++i) {
    const std::string place = "{" + std::to_string(i - 1) + "}";
    const Ints size = op.known_ints(i, "the sizes");
    for (size_t at = text.find(place); at != std::string::npos && !size.empty(); at = text.find(place))
      text.replace(at, place.size(), std::to_string(size[0]));
  }
  op.fail(text);
}

// reduce_window whose windows, strides, dilations and paddings are operands: with these known it is the
// static one, of which the region is the function that is called.
void dynamic_reduce_window(OpImport& op) {
  const Attribute* called = op.find("called_computations");
  const auto* names = called ? called->as<Attribute::Array>() : nullptr;
  const Function* combine =
      names && names->size() == 1 ? op.importer().function(word(names->front()).value_or("")) : nullptr;
  const size_t n = op.op().results.size();
  if (combine == nullptr || op.operand_count() != 2 * n + 5)
    op.fail("takes arrays, an initial value for each, and five lists of numbers, and calls one function");
  Function typed = *combine;  // and, as values of it, the results
  Operation window;
  window.name = "stablehlo.reduce_window";
  window.regions = {combine->body};
  window.location = op.op().location;
  window.line = op.op().line;
  window.column = op.op().column;
  constexpr const char* kLists[] = {"window_dimensions", "window_strides", "base_dilations",
                                    "window_dilations", "padding"};
  for (size_t i = 0; i < std::size(kLists); ++i)
    window.attributes.emplace_back(kLists[i], Attribute(op.known_ints(2 * n + i, "the windows")));
  Frame inner;
  inner.region = op.frame().region;
  std::deque<Type> types;
  for (size_t i = 0; i < 2 * n; ++i) {
    window.operands.push_back(-1 - static_cast<ValueId>(i));
    inner.values[window.operands.back()].value = op.operand(i);
  }
  for (size_t i = 0; i < n; ++i) {
    OpImport sizes(op.importer(), typed, window, inner);
    Type& type = types.emplace_back(op.result(i));
    type.shape = window_counts(op.operand(i)->shape(), windows_of(sizes, op.operand(i)->rank()));
    type.ranked = true;
    window.results.push_back(typed.add_value(&type));
  }
  op.importer().import_operation(window, typed, inner);
  std::vector<ir::Value*> results;
  for (const ValueId id : window.results) results.push_back(inner.values.at(id).value);
  op.set_all(results);
}

constexpr NamedRule kCalls[] = {
    {"shape_assertion", check_shapes},
    {"stablehlo.dynamic_reduce_window", dynamic_reduce_window},
};

constexpr NamedRule kDynamic[] = {
    {"stablehlo.dynamic_broadcast_in_dim", import_dynamic_broadcast},
    {"stablehlo.dynamic_conv", import_dynamic_conv},
    {"stablehlo.dynamic_gather", import_dynamic_gather},
    {"stablehlo.dynamic_iota", import_dynamic_iota},
    {"stablehlo.dynamic_pad", import_dynamic_pad},
    {"stablehlo.dynamic_reshape", import_dynamic_reshape},
    {"stablehlo.get_dimension_size", import_get_dimension_size},
    {"stablehlo.real_dynamic_slice", import_real_dynamic_slice},
    {"stablehlo.set_dimension_size", import_set_dimension_size},
};

}  // namespace

bool import_dynamic_call(OpImport& op, const std::string& target) {
  for (const NamedRule& known : kCalls) {
    if (known.name != target) continue;
    known.rule(op);
    return true;
  }
  return false;
}

Rules dynamic_rules() {
  return kDynamic;
}

}  // namespace ingot::stablehlo
