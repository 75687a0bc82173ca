// Reductions whose combiner has no derivative rule become scans, which have one: the reduced dimensions are
// brought together and walked one element after the other, all results side by side.
#include <algorithm>

#include "ir/builder.h"
#include "ir/op_record.h"
#include "ops/control.h"
#include "ops/derivatives.h"
#include "ops/kinds.h"
#include "ops/make.h"
#include "transform/derivatives.h"

namespace ingot::transform {
namespace {

using ir::IntList;
using ir::Op;
using ir::Region;
using ir::Value;

bool has_rule(const Op& reduce) {
  const std::string_view combiner = ops::combiner_of(reduce);
  return combiner == "add" || combiner == "max" || combiner == "min";
}

bool wants_expansion(const Op& op) {
  if (!std::holds_alternative<ir::Reduction>(*op.record().becomes) || has_rule(op)) return false;
  bool floating = false;
  for (const Value* result : op.results())
    floating = floating || (is_inexact(result->dtype()) && result->used());
  // What the combiner does to one element, it must be able to do to many.
  return floating && std::all_of(op.region().ops().begin(), op.region().ops().end(), [](const auto& inner) {
           const ir::Becomes& becomes = *inner->record().becomes;
           return inner->is_return() || std::holds_alternative<ir::ScalarRecipe>(becomes) ||
                  std::holds_alternative<ir::Literal>(becomes);
         });
}

Value* spread(ir::Builder& builder, Value* scalar, const Shape& shape) {
  if (shape.empty()) return scalar;
  return make::spread(builder, scalar, shape);
}

// The array with the reduced dimensions as one, the last.
Value* gathered(ir::Builder& builder, Value* x, const IntList& axes, int64_t length) {
  IntList permutation;
  Shape shape;
  for (int64_t i = 0; i < x->rank(); ++i) {
    if (std::binary_search(axes.begin(), axes.end(), i)) continue;
    permutation.push_back(i);
    shape.push_back(x->shape()[static_cast<size_t>(i)]);
  }
  permutation.insert(permutation.end(), axes.begin(), axes.end());
  shape.push_back(length);
  return make::reshape(builder, make::transpose(builder, x, permutation), shape);
}

void expand(Op& reduce) {
  ir::Builder builder(*reduce.parent(), &reduce);
  builder.set_provenance(reduce.provenance().derived("expand_reductions", "reduce"));
  const ops::ReduceOp reduction(reduce);
  const int n = reduction.count();
  const Shape& shape = reduce.result()->shape();
  const int64_t length = reduction.reduced_elements();

  std::vector<Value*> operands;
  std::unique_ptr<Region> region = builder.make_region();
  ir::ValueMap map;
  const Region& combiner = reduction.combiner();
  for (int k = 0; k < n; ++k) operands.push_back(spread(builder, reduction.initial(k), shape));
  for (int k = 0; k < n; ++k)
    operands.push_back(gathered(builder, reduction.array(k), reduction.axes(), length));
  for (const Value* argument : combiner.arguments())
    map[argument] = region->add_argument({argument->dtype(), shape}, argument->name());
  ir::Builder inner(*region);
  for (const auto& op : combiner.ops()) {
    if (op->is_return()) break;
    inner.set_provenance(op->provenance());
    std::vector<Value*> inputs;
    for (const Value* operand : op->operands()) inputs.push_back(map.at(operand));
    Value* made = inner.value(op->name(), inputs, op->attributes());
    map[op->result()] = op->operand_count() == 0 ? spread(inner, made, shape) : made;
  }
  std::vector<Value*> results;
  for (const Value* result : combiner.results()) results.push_back(map.at(result));
  region->set_results(results);
  std::vector<std::unique_ptr<Region>> regions;
  regions.push_back(std::move(region));
  const IntList scanned(static_cast<size_t>(n), static_cast<int64_t>(shape.size()));
  const ops::ScanForm form{.carries = n, .length = length, .xs_axes = scanned};
  Op* scan = builder.make("scan", operands, form.attributes(), std::move(regions));
  for (int k = 0; k < n; ++k) reduce.result(k)->replace_all_uses_with(scan->result(k));
  reduce.erase();
}

}  // namespace

bool expand_reductions(ir::Function& function) {
  std::vector<Op*> found;
  walk(function.body(), [&](Op& op) {
    if (wants_expansion(op)) found.push_back(&op);
  });
  for (Op* op : found) expand(*op);
  return !found.empty();
}

}  // namespace ingot::transform
