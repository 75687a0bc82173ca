// Steps that run other functions of the plan: calls, loops over kernels, branches. Their regions are planned
// as functions of their own, whose frames lie in that of the one that holds them.
#include <algorithm>

#include "compiler/function_planner.h"
#include "ops/control.h"

namespace ingot::compiler {

using ir::Op;
using ir::Value;
using runtime::Location;

int64_t FunctionPlanner::callee_frame(const std::vector<int32_t>& functions) {
  int64_t bytes = 0;
  std::string purpose;
  for (int32_t function : functions) {
    const runtime::PlanFunction& callee = program_.plan().functions[static_cast<size_t>(function)];
    bytes = std::max(bytes, callee.frame_bytes);
    purpose += (purpose.empty() ? "frame of @" : ", @") + callee.name;
  }
  return scratch(bytes, purpose).offset;
}

void FunctionPlanner::plan_call(Op& op) {
  runtime::CallStep call;
  call.function = program_.function_index(ops::CallOp(op).callee());
  for (Value* operand : op.operands()) call.arguments.push_back(use(operand));
  for (Value* result : op.results()) call.results.push_back(define(result));
  call.frame_offset = callee_frame({call.function});
  push_step(std::move(call));
}

runtime::LoopCarry FunctionPlanner::plan_carry(Value* initial, Value* result) {
  runtime::LoopCarry carry;
  carry.initial = use(initial);
  carry.result = define(result);
  carry.bytes = bytes(result);
  carry.spare = scratch(carry.bytes, "spare of %" + result->name()).offset;
  return carry;
}

void FunctionPlanner::plan_loop(Op& op) {
  const ops::ScanOp scan(op);
  runtime::LoopStep loop;
  loop.function = program_.region_index(scan.body(), name_of("loop"), {});
  loop.trip_count = scan.length();
  loop.reverse = scan.reverse();
  auto sliced = [&](Value* value, int64_t axis, Location location) {
    runtime::SlicedBuffer buffer;
    buffer.location = location;
    buffer.shape = value->shape();
    buffer.axis = static_cast<int32_t>(axis);
    buffer.element_bytes = static_cast<int64_t>(byte_size(value->dtype()));
    buffer.slot =
        scratch(buffer.contiguous() ? 0 : buffer.slice_bytes(), "slice of %" + value->name()).offset;
    return buffer;
  };
  for (const auto& [initial, argument, next, result] : scan.carries())
    loop.carries.push_back(plan_carry(initial, result));
  for (const auto& [xs, slice, axis] : scan.scanned()) loop.inputs.push_back(sliced(xs, axis, use(xs)));
  for (const auto& [value, argument] : scan.invariants()) loop.invariants.push_back(use(value));
  for (const auto& [slice, ys, axis] : scan.stacks()) loop.outputs.push_back(sliced(ys, axis, define(ys)));
  loop.frame_offset = callee_frame({loop.function});
  push_step(std::move(loop));
}

// A predicate that is a carry itself is looked at where it lies.
void FunctionPlanner::plan_while(Op& op) {
  const ops::WhileOp loop(op);
  runtime::WhileStep step;
  step.body = program_.region_index(loop.body(), name_of("loop"), {});
  std::vector<int32_t> callees{step.body};
  const Value* predicate = root(loop.predicate().results()[0]);
  if (predicate->op() == nullptr && loop.is_carry(predicate->index())) {
    step.predicate_carry = predicate->index();
  } else {
    step.predicate = program_.region_index(loop.predicate(), name_of("predicate"), {});
    callees.push_back(step.predicate);
    step.predicate_byte = scratch(1, "predicate of @" + name_of("loop")).offset;
  }
  step.max_steps = loop.form().max_steps.value_or(-1);
  const ir::Provenance& line = op.provenance();
  if (!line.file.empty()) step.source_line = line.file + ":" + std::to_string(line.line);
  for (const ops::WhileOp::Carry& carry : loop.carries())
    step.carries.push_back(plan_carry(carry.initial, carry.result));
  for (const ops::WhileOp::Invariant& invariant : loop.invariants())
    step.invariants.push_back(use(invariant.value));
  step.frame_offset = callee_frame(callees);
  push_step(std::move(step));
}

void FunctionPlanner::plan_cond(Op& op) {
  const ops::CondOp cond(op);
  runtime::CondStep step;
  for (int b = 0; b < cond.branch_count(); ++b)
    step.functions.push_back(
        program_.region_index(cond.branch(b), name_of("branch" + std::to_string(b)), {}));
  step.index = use(cond.index());
  for (int i = 0; i < cond.argument_count(); ++i) step.arguments.push_back(use(cond.argument(i)));
  for (Value* result : op.results()) step.results.push_back(define(result));
  step.frame_offset = callee_frame(step.functions);
  push_step(std::move(step));
}

}  // namespace ingot::compiler
