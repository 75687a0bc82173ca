// The algebra of scalars while they are lowered: of integers, and of floats that zero is added to. The array
// program has these identities too, but views may stand between its operations; here they are gone, and all
// ways to write a program end in one kernel.
#include <cmath>

#include "kernel/lower/lowering_state.h"
#include "ops/kinds.h"

namespace ingot::kernel {

std::optional<ScalarId> Lowering::simplified(const ir::OpRecord& record,
                                             const std::vector<ScalarId>& operands, DType result) {
  if (ops::is_any<ops::ShiftLeftOp, ops::ShiftRightLogicalOp, ops::ShiftRightArithmeticOp>(record))
    return shifted(record, operands, result);
  if (operands.size() != 2 || result == DType::kPred) return std::nullopt;
  if (is_float(result)) return without_zero(record, operands);
  auto is = [&](ScalarId operand, int64_t number) {
    auto literal = literals_.find(operand);
    return literal != literals_.end() && literal->second.get_int(0) == number;
  };
  const ScalarId left = operands[0], right = operands[1];
  if (ops::is_any<ops::AddOp, ops::OrOp, ops::XorOp>(record)) {
    if (is(right, 0)) return left;
    if (is(left, 0)) return right;
  } else if (ops::is<ops::SubOp>(record)) {
    if (is(right, 0)) return left;
  } else if (ops::is_any<ops::MulOp, ops::AndOp>(record)) {
    if (is(right, 0)) return right;
    if (is(left, 0)) return left;
    if (ops::is<ops::MulOp>(record) && is(right, 1)) return left;
    if (ops::is<ops::MulOp>(record) && is(left, 1)) return right;
  }
  return std::nullopt;
}

// Adding 0 changes -0 alone. Gradients of elements of one array are added up as arrays that are 0 elsewhere:
// n elements would make n * n such additions.
std::optional<ScalarId> Lowering::without_zero(const ir::OpRecord& record,
                                               const std::vector<ScalarId>& operands) const {
  if (!ops::is<ops::AddOp>(record)) return std::nullopt;
  const ScalarId left = operands[0], right = operands[1];
  const auto is_zero = [&](ScalarId operand) {
    const auto literal = literals_.find(operand);
    return literal != literals_.end() && literal->second.get_double(0) == 0;
  };
  if (is_zero(right) && never_minus_zero(left)) return left;
  if (is_zero(left) && never_minus_zero(right)) return right;
  return std::nullopt;
}

bool Lowering::never_minus_zero(ScalarId scalar) const {
  const auto literal = literals_.find(scalar);
  if (literal == literals_.end()) return never_minus_zero_.count(scalar) > 0;
  const double number = literal->second.get_double(0);
  return number != 0 || !std::signbit(number);
}

// A sum is -0 only where both operands are; what is taken from something counts with its sign changed.
bool Lowering::gives_no_minus_zero(const ir::OpRecord& record, const std::vector<ScalarId>& operands) const {
  if (ops::is<ops::AddOp>(record)) return never_minus_zero(operands[0]) || never_minus_zero(operands[1]);
  return ops::is<ops::SubOp>(record) && never_minus_zero(operands[0]);
}

// Shifts by constants in a row are one shift, and zero is what is shifted by the whole width, or was zero
// before.
std::optional<ScalarId> Lowering::shifted(const ir::OpRecord& record, const std::vector<ScalarId>& operands,
                                          DType result) {
  auto number = literals_.find(operands[0]), amount = literals_.find(operands[1]);
  if (number != literals_.end() && number->second.get_int(0) == 0) return operands[0];
  if (amount == literals_.end()) return std::nullopt;
  const int64_t width = 8 * static_cast<int64_t>(byte_size(result));
  int64_t total = amount->second.get_int(0);
  ScalarId from = operands[0];
  if (total < 0) return std::nullopt;
  if (auto inner = shifts_.find(from); inner != shifts_.end() && inner->second.record == &record) {
    const int64_t before = literals_.at(inner->second.amount).get_int(0);
    if (before >= 0) {
      total = std::min(total, width) + std::min(before, width);
      from = inner->second.from;
    }
  }
  total = std::min(total, width);
  if (total == width && !ops::is<ops::ShiftRightArithmeticOp>(record)) return literal(Tensor(result, {}));
  if (from == operands[0] && total == amount->second.get_int(0)) return std::nullopt;
  Tensor sum(result, {});
  sum.set_int(0, total);
  return let(record, {from, literal(sum)}, result, {});
}

}  // namespace ingot::kernel
