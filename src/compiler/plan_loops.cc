// Steps that run other functions of the plan: calls, loops over kernels, branches. Their regions are planned
// as functions of their own, whose frames lie in that of the one that holds them.
#include <algorithm>

#include "compiler/function_planner.h"
#include "ir/builder.h"
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
  return scratch(bytes, purpose);
}

void FunctionPlanner::plan_call(Op& op) {
  runtime::CallStep call;
  call.function = program_.function_index(ops::CallOp(op).callee());
  for (Value* operand : op.operands()) call.arguments.push_back(use(operand));
  for (Value* result : op.results()) call.results.push_back(define(result));
  call.frame_offset = callee_frame({call.function});
  push_step(std::move(call));
}

runtime::LoopCarry FunctionPlanner::plan_carry(Op& op, int k, const LoopPlaces& places) {
  Value *initial = op.operand(k), *result = op.result(k);
  runtime::LoopCarry carry;
  carry.takes = places.takes[static_cast<size_t>(k)];
  carry.stack = places.stack[static_cast<size_t>(k)];
  carry.ahead = places.ahead[static_cast<size_t>(k)];
  carry.bytes = bytes(result);
  carry.initial_name = initial->name();
  carry.name = result->name();
  carry.initial = use(initial);
  carry.result = define(result);
  if (carry.stack >= 0) return carry;
  if (carry.takes < 0) {
    carry.spare = scratch(carry.bytes, "spare of %" + result->name());
    // Its own place is free then, unless another carry is made there, whose place is free then, unless ..
    int free = k;
    for (size_t other = 0; other < places.takes.size(); ++other) {
      if (places.takes[other] != free) continue;
      free = static_cast<int>(other);
      other = static_cast<size_t>(-1);
    }
    if (free != k) carry.next_spare = free;
  }
  // Given away by the caller, for a result of the program that is made in its place.
  Value* given = root(initial);
  const std::optional<int> own = result_index(result);
  const auto reads = std::count_if(op.operands().begin(), op.operands().end(),
                                   [&](Value* operand) { return root(operand) == given; });
  if (carry.takes == k && own && given->region() == &region_ && donated_.count(given->index()) > 0 &&
      last_use_[given] == &op && reads == 1 && root(region_.results()[static_cast<size_t>(*own)]) == result &&
      !takes_a_place(result)) {
    function_.results[static_cast<size_t>(*own)].may_alias_argument = given->index();
    describe_place(result, given, runtime::PlanValue::Kind::kMayBeInPlace);
  }
  return carry;
}

std::vector<runtime::LoopCarry> FunctionPlanner::plan_carries(Op& op, int count, GivenPlaces& body) {
  const LoopPlaces& places = program_.shared_places().of_loop(op);
  std::vector<runtime::LoopCarry> carries;
  for (int k = 0; k < count; ++k) {
    carries.push_back(plan_carry(op, k, places));
    if (carries.back().takes >= 0) body.pairs[k] = carries.back().takes;
    if (const runtime::LoopCarry& carry = carries.back(); carry.stack >= 0)
      (carry.ahead ? body.pairs : body.same)[count + carry.stack] = k;
    if (const auto why = places.refused.find(k); why != places.refused.end() && carries.back().takes < 0)
      program_.notes().push_back({"in place", "%" + op.result(k)->name(),
                                  "is copied at each step to be changed in part: " + why->second});
  }
  return carries;
}

void FunctionPlanner::plan_loop(Op& op) {
  const ops::ScanOp scan(op);
  runtime::LoopStep loop;
  GivenPlaces given;
  loop.carries = plan_carries(op, scan.carry_count(), given);
  loop.function = program_.region_index(scan.body(), name_of("loop"), given);
  loop.trip_count = scan.length();
  loop.reverse = scan.reverse();
  loop.source_lines = own_lines(op);
  auto sliced = [&](Value* value, int64_t axis, Location location) {
    runtime::SlicedBuffer buffer;
    buffer.location = location;
    buffer.shape = value->shape();
    buffer.axis = static_cast<int32_t>(axis);
    buffer.name = value->name();
    buffer.element_bytes = static_cast<int64_t>(byte_size(value->dtype()));
    buffer.slot = scratch(buffer.contiguous() ? 0 : buffer.slice_bytes(), "slice of %" + value->name());
    return buffer;
  };
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
  GivenPlaces given;
  step.carries = plan_carries(op, loop.carry_count(), given);
  step.body = program_.region_index(loop.body(), name_of("loop"), given);
  std::vector<int32_t> callees{step.body};
  const Value* predicate = root(loop.predicate().results()[0]);
  if (predicate->op() == nullptr && loop.is_carry(predicate->index())) {
    step.predicate_carry = predicate->index();
  } else {
    step.predicate = program_.region_index(loop.predicate(), name_of("predicate"), {});
    callees.push_back(step.predicate);
    step.predicate_byte = scratch(1, "predicate of @" + name_of("loop"));
  }
  step.max_steps = loop.form().max_steps.value_or(-1);
  step.steps_before = loop.form().steps_before;
  step.at_once = loop.form().at_once;
  step.place = ir::place_of(op);
  step.source_lines = own_lines(op);
  for (const ops::WhileOp::Invariant& invariant : loop.invariants())
    step.invariants.push_back(use(invariant.value));
  step.frame_offset = callee_frame(callees);
  push_step(std::move(step));
}

void FunctionPlanner::plan_cond(Op& op) {
  const ops::CondOp cond(op);
  runtime::CondStep step;
  GivenPlaces given;
  for (const auto& [result, argument] : program_.shared_places().of_branches(op)) {
    const auto taken = shared_.takes.find(op.result(result));
    if (taken != shared_.takes.end() && taken->second == root(cond.argument(argument)))
      given.pairs[result] = argument;
  }
  for (int b = 0; b < cond.branch_count(); ++b)
    step.functions.push_back(
        program_.region_index(cond.branch(b), name_of("branch" + std::to_string(b)), given));
  step.index = use(cond.index());
  for (int i = 0; i < cond.argument_count(); ++i) step.arguments.push_back(use(cond.argument(i)));
  for (Value* result : op.results()) step.results.push_back(define(result));
  step.frame_offset = callee_frame(step.functions);
  push_step(std::move(step));
}

}  // namespace ingot::compiler
