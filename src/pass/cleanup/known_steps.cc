#include "pass/cleanup/known_steps.h"

#include <algorithm>

#include "base/extents.h"
#include "ops/kinds.h"

namespace ingot::pass {
namespace {

using ir::Op;
using ir::Value;

// Sums and products of a few numbers below this are in 64 bits.
constexpr int64_t kFar = int64_t{1} << 60;

std::optional<int64_t> constant_integer(const Value* value) {
  const Op* op = value->op();
  if (op == nullptr || !ops::is<ops::ConstantOp>(*op) || value->rank() != 0 || !is_integer(value->dtype()))
    return std::nullopt;
  const int64_t number = ops::ConstantOp(*op).value().get_int(0);
  const bool wrapped = value->dtype() == DType::kU64 && number < 0;
  return wrapped || number > kFar || number < -kFar ? std::nullopt : std::optional(number);
}

// Which carry an argument of the predicate or the body is, if it is one.
std::optional<int> carry_of(const ops::WhileOp& loop, const Value* argument) {
  const bool is_carry = argument->op() == nullptr && loop.is_carry(argument->index());
  return is_carry ? std::optional(argument->index()) : std::nullopt;
}

// What stays the same number in all steps: a constant inside, an invariant, or a carry that is handed on.
std::optional<int64_t> fixed_integer(const ops::WhileOp& loop, const Value* value) {
  if (value->op() != nullptr) return constant_integer(value);
  if (const auto k = carry_of(loop, value)) {
    const ops::WhileOp::Carry carry = loop.carry(*k);
    if (carry.next != carry.argument) return std::nullopt;
  }
  return constant_integer(loop.op().operand(value->index()));
}

// What each step adds to the carry.
std::optional<int64_t> step_of(const ops::WhileOp& loop, const ops::WhileOp::Carry& carry) {
  const Op* op = carry.next->op();
  if (op == nullptr || !ops::is_any<ops::AddOp, ops::SubOp>(*op)) return std::nullopt;
  const bool adds = ops::is<ops::AddOp>(*op);
  if (op->operand(0) == carry.argument) {
    const std::optional<int64_t> step = fixed_integer(loop, op->operand(1));
    return step && !adds ? std::optional(-*step) : step;
  }
  return adds && op->operand(1) == carry.argument ? fixed_integer(loop, op->operand(0)) : std::nullopt;
}

bool holds(DType dtype, int64_t number) {
  const int bits = bit_width(dtype);
  if (bits == 64) return is_signed(dtype) || number >= 0;
  if (!is_signed(dtype)) return number >= 0 && number < int64_t{1} << bits;
  return number >= -(int64_t{1} << (bits - 1)) && number < int64_t{1} << (bits - 1);
}

// The least n >= 0 with first + n * step >= end.
std::optional<int64_t> steps_until(int64_t first, int64_t step, int64_t end) {
  if (first >= end) return 0;
  if (step <= 0) return std::nullopt;
  return (end - first + step - 1) / step;
}

std::optional<int64_t> steps_while(std::string_view direction, int64_t first, int64_t step, int64_t bound) {
  if (direction == "lt") return steps_until(first, step, bound);
  if (direction == "le") return steps_until(first, step, bound + 1);
  if (direction == "gt") return steps_until(-first, -step, -bound);
  if (direction == "ge") return steps_until(-first, -step, 1 - bound);
  if (direction != "ne" || step == 0 || (bound - first) % step != 0 || (bound - first) / step < 0)
    return std::nullopt;
  return (bound - first) / step;
}

std::string_view turned_round(std::string_view direction) {
  return direction == "lt"   ? "gt"
         : direction == "le" ? "ge"
         : direction == "gt" ? "lt"
         : direction == "ge" ? "le"
                             : direction;
}

}  // namespace

std::optional<int64_t> known_steps(const ops::WhileOp& loop) {
  const Op* compare = loop.predicate().results()[0]->op();
  if (loop.lanes().any() || compare == nullptr || !ops::is<ops::CompareOp>(*compare)) return std::nullopt;
  for (const bool counter_first : {true, false}) {
    const Value *counter = compare->operand(counter_first ? 0 : 1),
                *other = compare->operand(counter_first ? 1 : 0);
    const std::optional<int> k = carry_of(loop, counter);
    const std::optional<int64_t> bound = fixed_integer(loop, other);
    if (!k || !bound) continue;
    const ops::WhileOp::Carry carry = loop.carry(*k);
    const std::optional<int64_t> first = constant_integer(carry.initial), step = step_of(loop, carry);
    if (!first || !step) continue;
    const std::string_view direction = ops::CompareOp(*compare).direction();
    const std::optional<int64_t> steps =
        steps_while(counter_first ? direction : turned_round(direction), *first, *step, *bound);
    if (!steps || *steps > std::min(loop.form().max_steps.value_or(kMostElements), kMostElements) ||
        !holds(counter->dtype(), *first + *steps * *step))
      return std::nullopt;
    return steps;
  }
  return std::nullopt;
}

}  // namespace ingot::pass
