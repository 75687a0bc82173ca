// Operations that take shapes, paddings and limits as operands: where these are constants, or computed from
// constants alone, they are the static ones. What a program computes sizes with is short, and runs here.
#include <algorithm>
#include <unordered_set>

#include "ingot/error.h"
#include "interpreter/interpreter.h"
#include "ops/control.h"
#include "ops/kinds.h"
#include "ops/windows.h"
#include "stablehlo/importer.h"

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

Ints OpImport::known_ints(size_t i, std::string_view what) const {
  const std::optional<Tensor> found = known(i);
  if (!found) refuse(std::string(what) + " are known only when the program runs; Ingot's shapes are fixed");
  if (!is_integer(found->dtype())) fail(std::string(what) + " are to be integers");
  Ints list;
  for (int64_t k = 0; k < found->size(); ++k) list.push_back(found->get_int(k));
  return list;
}

namespace {

// The result's, where the module says it; else what operand i says.
Shape shape_by(OpImport& op, size_t i) {
  if (op.result(0).is_static()) return op.result_type().shape;
  Shape shape = op.known_ints(i, "the result's extents");
  element_count(shape);  // an Error where there are too many, or negative ones
  return shape;
}

void import_dynamic_reshape(OpImport& op) {
  ir::Value* x = op.operand(0);
  const Shape shape = shape_by(op, 1);
  op.set(x->shape() == shape ? x : op.make("reshape", {x}, {{"shape", shape}}));
}

void import_dynamic_broadcast(OpImport& op) {
  op.set(broadcast_in_dim(op, shape_by(op, 1)));
}

void import_dynamic_iota(OpImport& op) {
  op.set(op.make(
      "iota", {},
      {{"dtype", op.result_dtype()}, {"shape", shape_by(op, 0)}, {"axis", op.integer("iota_dimension")}}));
}

void import_dynamic_pad(OpImport& op) {
  const char* const what = "the paddings";
  op.set(padded(op, op.known_ints(2, what), op.known_ints(3, what), op.known_ints(4, what)));
}

// Of known limits it is a slice. A window of a known extent may begin anywhere.
void import_real_dynamic_slice(OpImport& op) {
  ir::Value* x = op.operand(0);
  const Ints strides = op.known_ints(3, "the strides");
  const auto rank = static_cast<size_t>(x->rank());
  if (strides.size() != rank) op.fail("there is to be one stride per dimension");
  const std::optional<Tensor> start = op.known(1);
  if (start || !op.result(0).is_static()) {
    return op.set(op.make("slice", {x},
                          {{"starts", op.known_ints(1, "the starts")},
                           {"limits", op.known_ints(2, "the limits")},
                           {"strides", strides}}));
  }
  const Shape result = op.result_type().shape;
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
  op.set(op.scalar_int(op.result_dtype(), own_extent(op)));
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

Rules dynamic_rules() {
  return kDynamic;
}

}  // namespace ingot::stablehlo
