#include "transform/hoist.h"

#include <algorithm>

#include "ir/op_record.h"
#include "ir/unused.h"
#include "ops/kinds.h"
#include "ops/make.h"

namespace ingot::transform {
namespace {

using ir::IntList;
using ir::Op;
using ir::Value;

// dot_general of the whole stack in place of its slice. The steps are one more free dimension.
struct StackedContraction {
  ir::Attributes attributes;
  int64_t axis;  // of the steps in the result
};

StackedContraction over_all_steps(const Op& op, int slice, int64_t axis) {
  ops::DotForm form = ops::DotForm::of(op.attributes());
  const auto batch = static_cast<int64_t>(form.batch[0].size()),
             contracted = static_cast<int64_t>(form.contract[0].size());
  StackedContraction result{op.attributes(), batch};
  IntList taken;
  for (IntList* dims : {&form.batch[slice], &form.contract[slice]}) {
    taken.insert(taken.end(), dims->begin(), dims->end());
    for (int64_t& dim : *dims) dim += dim >= axis ? 1 : 0;
  }
  form.write(result.attributes);
  const auto is_free = [&](int64_t dim) { return std::find(taken.begin(), taken.end(), dim) == taken.end(); };
  for (int64_t dim = 0; dim < axis; ++dim) result.axis += is_free(dim) ? 1 : 0;
  if (slice == 1) result.axis += op.operand(0)->rank() - batch - contracted;
  return result;
}

bool grows(const Op& op) {
  int64_t operands = 0;
  for (const Value* operand : op.operands()) operands += operand->type().elements();
  return op.result()->type().elements() > operands;
}

}  // namespace

Value* one_step_late(ir::Emitter& outside, Value* first, Value* stack, int64_t axis, bool reverse) {
  const size_t a = static_cast<size_t>(axis);
  ir::IntList shape = first->shape();
  shape.insert(shape.begin() + axis, 1);
  Value* step = make::reshape(outside, first, shape);
  if (stack->shape()[a] == 0) return stack;
  if (stack->shape()[a] == 1) return step;
  IntList starts(shape.size(), 0), limits = stack->shape();
  if (reverse)
    starts[a] = 1;
  else
    --limits[a];
  Value* others = make::slice(outside, stack, starts, limits, IntList(shape.size(), 1));
  return make::concatenate(
      outside, reverse ? std::vector<Value*>{others, step} : std::vector<Value*>{step, others}, axis);
}

void hoist_from_loop(ir::Region& body, LoopArguments& arguments, ir::Emitter& outside) {
  for (auto it = body.ops().begin(); it != body.ops().end();) {
    Op* op = (it++)->get();
    if (op->operand_count() == 0 || op->result_count() != 1 || op->region_count() > 0) continue;
    std::vector<Value*> operands;
    int slices = 0, slice = -1;
    for (int i = 0; i < op->operand_count(); ++i) {
      const LoopArguments::Argument* argument = arguments.find(op->operand(i));
      if (argument == nullptr) break;
      operands.push_back(argument->outside);
      if (argument->axis >= 0) ++slices, slice = i;
    }
    if (static_cast<int>(operands.size()) != op->operand_count()) continue;
    const ir::Becomes& becomes = *op->record().becomes;
    const bool contraction = std::holds_alternative<ir::Contraction>(becomes),
               dot = ops::is<ops::DotGeneralOp>(*op);
    const bool element_wise =
        std::holds_alternative<ir::ScalarRecipe>(becomes) || std::holds_alternative<ir::View>(becomes);
    StackedContraction stacked{op->attributes(), -1};
    if (slices == 0 ? !contraction && (!element_wise || grows(*op)) : !dot || slices > 1) continue;
    if (slices == 1) stacked = over_all_steps(*op, slice, arguments.find(op->operand(slice))->axis);
    Value* made = outside.make(op->name(), operands, stacked.attributes);
    Value* argument = body.add_argument(op->result()->type(), op->result()->name());
    arguments.add(argument, made, stacked.axis);
    op->result()->replace_all_uses_with(argument);
    op->erase();
  }
  erase_unused(body);
}

}  // namespace ingot::transform
