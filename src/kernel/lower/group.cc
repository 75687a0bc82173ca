#include "kernel/lower/group.h"

#include <algorithm>

#include "base/check.h"
#include "ops/control.h"
#include "ops/kinds.h"

namespace ingot::kernel {

using ir::Op;
using ir::Value;

Group make_group(std::vector<Op*> ops, std::vector<Value*> outputs) {
  Group group{std::move(ops), std::move(outputs), {}};
  std::unordered_set<const Value*> made, seen;
  for (Op* op : group.ops) {
    for (Value* operand : op->operands()) {
      if (!made.count(operand) && seen.insert(operand).second) group.inputs.push_back(operand);
    }
    for (Value* result : op->results()) made.insert(result);
  }
  return group;
}

Group group_of_region(ir::Region& region) {
  Group group;
  for (auto& op : region.ops()) {
    if (!op->is_return()) group.ops.push_back(op.get());
  }
  group.outputs.assign(region.results().begin(), region.results().end());
  group.inputs = region.arguments();
  return group;
}

Group group_of(Op& fused) {
  Group group = group_of_region(fused.region());
  const auto add = [&](const Value* inside, const Value& outside) {
    if (const int64_t pitch = pitch_of(outside); pitch > 0) group.pitches[inside] = pitch;
  };
  for (int i = 0; i < fused.operand_count(); ++i)
    add(group.inputs[static_cast<size_t>(i)], *fused.operand(i));
  for (int i = 0; i < fused.result_count(); ++i) add(group.outputs[static_cast<size_t>(i)], *fused.result(i));
  return group;
}

Shape Group::shape_in_memory(const Value* value) const {
  Shape shape = value->shape();
  if (const auto it = pitches.find(value); it != pitches.end()) shape.back() = it->second;
  return shape;
}

namespace {

// A group knows one pitch of a value: where a result is an argument or another result too, none is different.
bool is_one_buffer(const ir::Region& kernel, const Value* inside) {
  const auto results = kernel.results();
  return std::count(results.begin(), results.end(), inside) == (inside->op() == nullptr ? 0 : 1);
}

}  // namespace

int64_t pitch_of(const Value& value) {
  if (value.op() == nullptr || !ops::is<ops::FusedOp>(*value.op()) || value.rank() < 2) return 0;
  const int64_t pitch = ops::stored_pitch(value).value_or(0);
  const bool holds = pitch > value.shape().back() &&
                     is_one_buffer(value.op()->region(),
                                   value.op()->region().results()[static_cast<size_t>(value.index())]) &&
                     std::all_of(value.uses().begin(), value.uses().end(), [&](const ir::Use& use) {
                       return ops::is<ops::FusedOp>(*use.op) &&
                              is_one_buffer(use.op->region(), use.op->region().argument(use.operand));
                     });
  return holds ? pitch : 0;
}

int64_t bytes_in_memory(const Value& value) {
  ir::TensorType stored = value.type();
  if (const int64_t pitch = pitch_of(value); pitch > 0) stored.shape.back() = pitch;
  return stored.bytes();
}

}  // namespace ingot::kernel
