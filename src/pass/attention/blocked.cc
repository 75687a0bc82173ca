#include "pass/attention/blocked.h"

#include <algorithm>

#include "base/check.h"
#include "ops/identities.h"
#include "ops/kinds.h"

namespace ingot::pass {

using ir::IntList;
using ir::Op;
using ir::Value;

bool is_elementwise(const Op& op) {
  return std::holds_alternative<ir::ScalarRecipe>(*op.record().becomes) && op.operand_count() > 0;
}

int64_t position(const IntList& list, int64_t entry) {
  const auto found = std::find(list.begin(), list.end(), entry);
  return found == list.end() ? -1 : found - list.begin();
}

namespace {

// The operand dimensions of a contraction along which its result's dimension `axis` runs; -1 for none.
struct FromSides {
  int64_t lhs = -1, rhs = -1;
};

FromSides contraction_sides(const Op& op, int64_t axis) {
  const ops::DotGeneralOp dot(op);
  const auto batch = static_cast<int64_t>(dot.batch(0).size());
  if (axis < batch) return {dot.batch(0)[at(axis)], dot.batch(1)[at(axis)]};
  int64_t left = axis - batch;
  for (int side = 0; side < 2; ++side) {
    for (int64_t d = 0; d < op.operand(side)->rank(); ++d) {
      if (position(dot.batch(side), d) >= 0 || position(dot.contract(side), d) >= 0) continue;
      if (left-- == 0) return side == 0 ? FromSides{d, -1} : FromSides{-1, d};
    }
  }
  throw InternalError("a contraction's result has no such dimension");
}

// A contraction is repeated for each block only if its result is larger than what it reads: it need not exist
// then.
bool grows(const Op& op) {
  int64_t read = 0;
  for (const Value* operand : op.operands()) read += element_count(operand->shape());
  return element_count(op.result()->shape()) > read;
}

}  // namespace

bool is_made_of_constants(const Value* value) {
  int left = 64;  // operations, more of which nobody wants in every block
  auto made = [&](auto& self, const Value* v) -> bool {
    const Op* op = v->op();
    if (op == nullptr || op->result_count() != 1 || --left < 0) return false;
    if (ops::is<ops::ConstantOp>(*op)) return v->rank() == 0;
    if (ops::is<ops::IotaOp>(*op)) return true;
    if (!is_elementwise(*op) && !std::holds_alternative<ir::View>(*op->record().becomes)) return false;
    return std::all_of(op->operands().begin(), op->operands().end(),
                       [&](const Value* operand) { return self(self, operand); });
  };
  return made(made, value);
}

Value* copy_of_constants(ir::Builder& builder, const Value* value) {
  std::vector<Value*> operands;
  for (const Value* operand : value->op()->operands())
    operands.push_back(copy_of_constants(builder, operand));
  return builder.value(value->op()->name(), std::move(operands), value->op()->attributes());
}

bool Blocked::is_copied(const Value* value, int64_t axis) const {
  const Op* op = value->op();
  return op != nullptr && op->result_count() == 1 &&
         (ops::is<ops::IotaOp>(*op) || !operands_of(value, axis).empty());
}

std::vector<Blocked::Operand> Blocked::operands_of(const Value* value, int64_t axis) const {
  const Op* op = value->op();
  if (op == nullptr || op->result_count() != 1) return {};
  if (is_elementwise(*op)) {
    std::vector<Operand> operands;
    for (Value* operand : op->operands()) operands.push_back({operand, axis});
    return operands;
  }
  if (const auto view = ops::as<ops::BroadcastOp>(*op))
    return {{op->operand(0), position(view->dims(), axis)}};
  if (const auto view = ops::as<ops::TransposeOp>(*op))
    return {{op->operand(0), view->permutation()[at(axis)]}};
  // A contraction is repeated for each block where its result need not exist then.
  const bool needed = value->uses().size() > 1 && value != root_;
  if (ops::is<ops::DotGeneralOp>(*op) && grows(*op) && !needed) {
    const FromSides sides = contraction_sides(*op, axis);
    return {{op->operand(0), sides.lhs}, {op->operand(1), sides.rhs}};
  }
  return {};
}

Blocked::Blocked(Value* value, int64_t axis) : root_(value), axis_(axis) {
  add(value, axis);
}

void Blocked::add_whole(Value* value) {
  if (is_made_of_constants(value)) return;  // copied
  if (std::find(wholes_.begin(), wholes_.end(), value) == wholes_.end()) wholes_.push_back(value);
}

void Blocked::add(Value* value, int64_t axis) {
  if (axis == kWhole) return add_whole(value);
  const Slice slice{value, axis};
  if (std::find(seen_.begin(), seen_.end(), slice) != seen_.end()) return;
  seen_.push_back(slice);
  if (!is_copied(value, axis)) {
    slices_.push_back(slice);
    return;
  }
  const Op& op = *value->op();
  if (const auto iota = ops::as<ops::IotaOp>(op)) needs_start_ = needs_start_ || iota->axis() == axis;
  for (const Operand& operand : operands_of(value, axis)) add(operand.value, operand.axis);
}

class Blocked::Emission {
 public:
  Emission(const Blocked& plan, ir::Builder& builder, const Inputs& inputs)
      : plan_(plan), builder_(builder), inputs_(inputs) {}

  Value* block(Value* value, int64_t axis) {
    auto [it, fresh] = made_.emplace(std::pair(value, axis), nullptr);
    if (fresh) {
      Value* made = axis == kWhole ? whole(value) : piece(value, axis);
      made_[{value, axis}] = made;
      return made;
    }
    return it->second;
  }

 private:
  Value* whole(Value* value) {
    const auto found = std::find(plan_.wholes_.begin(), plan_.wholes_.end(), value);
    if (found != plan_.wholes_.end()) return inputs_.wholes[at(found - plan_.wholes_.begin())];
    return copy_of_constants(builder_, value);
  }

  Value* piece(Value* value, int64_t axis) {
    const auto found = std::find(plan_.slices_.begin(), plan_.slices_.end(), Slice{value, axis});
    if (found != plan_.slices_.end()) return inputs_.slices[at(found - plan_.slices_.begin())];
    const Op& op = *value->op();
    if (ops::is<ops::IotaOp>(op)) return iota(op, axis);
    std::vector<Value*> operands;
    for (const Operand& operand : plan_.operands_of(value, axis))
      operands.push_back(block(operand.value, operand.axis));
    ir::Attributes attributes = op.attributes();
    if (ops::is<ops::BroadcastOp>(op)) attributes.set("shape", shape_of(value, axis));
    return builder_.value(op.name(), std::move(operands), std::move(attributes), value->name());
  }

  Value* iota(const Op& op, int64_t axis) {
    ir::Attributes attributes = op.attributes();
    const Shape shape = shape_of(op.result(), axis);
    attributes.set("shape", shape);
    Value* numbers = builder_.value("iota", {}, attributes);
    if (ops::IotaOp(op).axis() != axis) return numbers;
    Value* start = inputs_.start;
    if (start->dtype() != numbers->dtype())
      start = builder_.value("convert", {start}, {{"dtype", numbers->dtype()}});
    return builder_.value(
        "add", {numbers, builder_.value("broadcast", {start}, {{"shape", shape}, {"dims", IntList()}})});
  }

  Shape shape_of(const Value* value, int64_t axis) const {
    Shape shape = value->shape();
    shape[at(axis)] = inputs_.size;
    return shape;
  }

  const Blocked& plan_;
  ir::Builder& builder_;
  const Inputs& inputs_;
  std::map<std::pair<Value*, int64_t>, Value*> made_;
};

Value* Blocked::emit(ir::Builder& builder, const Inputs& inputs) const {
  return Emission(*this, builder, inputs).block(root_, axis_);
}

}  // namespace ingot::pass
