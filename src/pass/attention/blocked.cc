#include "pass/attention/blocked.h"

#include <algorithm>

#include "ops/identities.h"
#include "ops/kinds.h"
#include "ops/make.h"

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

int64_t free_in_result(const Op& op, int side, int64_t dim) {
  const ops::DotGeneralOp dot(op);
  auto next = static_cast<int64_t>(dot.batch(0).size());
  for (int of = 0; of < 2; ++of) {
    for (int64_t d = 0; d < op.operand(of)->rank(); ++d) {
      if (position(dot.batch(of), d) >= 0 || position(dot.contract(of), d) >= 0) continue;
      if (of == side && d == dim) return next;
      ++next;
    }
  }
  return BlockPlace::kWhole;
}

std::array<int64_t, 2> contraction_sides(const Op& op, int64_t axis) {
  const ops::DotGeneralOp dot(op);
  const auto batch = static_cast<int64_t>(dot.batch(0).size());
  if (axis < batch) return {dot.batch(0)[at(axis)], dot.batch(1)[at(axis)]};
  std::array<int64_t, 2> sides = {BlockPlace::kWhole, BlockPlace::kWhole};
  for (int side = 0; side < 2; ++side) {
    for (int64_t d = 0; d < op.operand(side)->rank(); ++d) {
      if (free_in_result(op, side, d) == axis) sides[static_cast<size_t>(side)] = d;
    }
  }
  return sides;
}

bool product_grows(const Op& op) {
  return ops::is<ops::DotGeneralOp>(op) &&
         op.result()->type().elements() > op.operand(0)->type().elements() + op.operand(1)->type().elements();
}

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

bool Blocked::is_repeated(const Op& op) const {
  if (is_elementwise(op) || ops::is<ops::BroadcastOp>(op) || ops::is<ops::TransposeOp>(op)) return true;
  if (ops::is<ops::ReduceOp>(op)) return repeats_ == Repeats::kRows;
  if (!product_grows(op)) return false;
  const bool is_root = std::any_of(roots_.begin(), roots_.end(),
                                   [&](const BlockPlace& root) { return root.value == op.result(); });
  return repeats_ == Repeats::kRows || is_root || op.result()->uses().size() <= 1;
}

std::vector<BlockPlace> Blocked::operands_of(const BlockPlace& place) const {
  const Op* op = place.value->op();
  std::vector<BlockPlace> operands;
  if (op == nullptr || op->result_count() != 1 || !is_repeated(*op)) return operands;
  if (const auto broadcast = ops::as<ops::BroadcastOp>(*op)) {
    operands = {{op->operand(0), position(broadcast->dims(), place.axis)}};
  } else if (const auto transpose = ops::as<ops::TransposeOp>(*op)) {
    operands = {{op->operand(0), transpose->permutation()[at(place.axis)]}};
  } else if (const auto reduce = ops::as<ops::ReduceOp>(*op)) {
    int64_t axis = place.axis;
    IntList axes = reduce->axes();
    std::sort(axes.begin(), axes.end());
    for (int64_t reduced : axes) axis += reduced <= axis;
    operands = {{op->operand(0), axis}, {op->operand(1)}};
  } else if (ops::is<ops::DotGeneralOp>(*op)) {
    const auto [lhs, rhs] = contraction_sides(*op, place.axis);
    operands = {{op->operand(0), lhs}, {op->operand(1), rhs}};
  } else {
    for (Value* operand : op->operands()) operands.push_back({operand, place.axis});
  }
  return operands;
}

Blocked::Blocked(const std::vector<BlockPlace>& roots, Repeats repeats) : repeats_(repeats), roots_(roots) {
  for (const BlockPlace& root : roots) add(root);
}

void Blocked::add(const BlockPlace& place) {
  if (place.axis == BlockPlace::kWhole) {
    const bool known = std::find(wholes_.begin(), wholes_.end(), place.value) != wholes_.end();
    if (!known && !is_made_of_constants(place.value)) wholes_.push_back(place.value);  // others are copied
    return;
  }
  if (std::find(seen_.begin(), seen_.end(), place) != seen_.end()) return;
  seen_.push_back(place);
  const auto iota = ops::as<ops::IotaOp>(place.value);
  const std::vector<BlockPlace> operands = operands_of(place);
  if (iota.has_value())
    needs_start_ = needs_start_ || iota->axis() == place.axis;
  else if (operands.empty())
    slices_.push_back(place);
  for (const BlockPlace& operand : operands) add(operand);
}

Blocked::Emission::Emission(const Blocked& plan, ir::Builder& builder, const Inputs& inputs)
    : plan_(plan), builder_(builder), start_(inputs.start), size_(inputs.size) {
  for (size_t i = 0; i < plan.slices_.size(); ++i) made_[plan.slices_[i]] = inputs.slices[i];
  for (size_t i = 0; i < plan.wholes_.size(); ++i) made_[{plan.wholes_[i]}] = inputs.wholes[i];
}

Value* Blocked::Emission::piece(const BlockPlace& place) {
  if (const auto known = made_.find(place); known != made_.end()) return known->second;
  Value* made = make(place);
  return made_[place] = made;
}

Value* Blocked::Emission::make(const BlockPlace& place) {
  if (place.axis == BlockPlace::kWhole) return copy_of_constants(builder_, place.value);
  const Op& op = *place.value->op();
  if (ops::is<ops::IotaOp>(op)) return iota(op, place.axis);
  std::vector<Value*> operands;
  for (const BlockPlace& operand : plan_.operands_of(place)) operands.push_back(piece(operand));
  ir::Attributes attributes = op.attributes();
  if (ops::is<ops::BroadcastOp>(op)) attributes.set("shape", shape_of(place));
  std::vector<std::unique_ptr<ir::Region>> regions;
  if (op.region_count() > 0) {
    regions.push_back(builder_.make_region());
    ir::clone_region(op.region(), *regions[0]);
  }
  return builder_
      .make(op.name(), std::move(operands), std::move(attributes), std::move(regions), {place.value->name()})
      ->result();
}

Value* Blocked::Emission::iota(const Op& op, int64_t axis) {
  const Shape shape = shape_of({op.result(), axis});
  const int64_t along = ops::IotaOp(op).axis();
  Value* numbers = make::iota(builder_, op.result()->dtype(), shape, along);
  if (along != axis) return numbers;
  Value* first = start_;
  if (first->dtype() != numbers->dtype()) first = make::convert(builder_, first, numbers->dtype());
  return make::add(builder_, {numbers, make::spread(builder_, first, shape)});
}

Shape Blocked::Emission::shape_of(const BlockPlace& place) const {
  Shape shape = place.value->shape();
  shape[at(place.axis)] = size_;
  return shape;
}

}  // namespace ingot::pass
