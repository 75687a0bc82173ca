// Infinite and extreme values in random programs: which operations may take them, so that two right
// evaluations agree.
//
// A number that is infinite or NaN stays so however a sum is ordered and whether a multiply-add is rounded
// once, as long as nothing overflows: so infinite values go nearly everywhere. Where a product has an
// infinite factor, though, the other one must be exact, since its sign decides, and whether it is zero.
// Extreme values overflow and underflow: they are moved, compared and taken through one operation whose
// result is rounded once, and no sum or product is made of that.

#include <algorithm>
#include <string_view>

#include "ir/op_record.h"
#include "testing/random_body.h"

namespace ingot::testing {
namespace {

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// What the operation combines elements by; of reductions at once, the one that asks most of its elements.
std::string_view essence_of(const ir::Op& op) {
  if (op.name() == "reduce") {
    std::string_view most;
    for (const Value* result : op.region(0).results()) {
      const std::string_view combiner = result->op()->name();
      if (most.empty() || !is_one_of(combiner, {"max", "min"})) most = combiner;
    }
    return most;
  }
  if (op.name() == "scatter") return op.attributes().get<std::string>("combiner");
  return op.name();
}

bool is_16_bit_float(DType dtype) {
  return dtype == DType::kF16 || dtype == DType::kBF16;
}

bool is_padded(const ir::Op& convolution) {
  const auto pads = [&](std::string_view side) {
    const ir::IntList& zeros = convolution.attributes().list(side);
    return std::any_of(zeros.begin(), zeros.end(), [](int64_t count) { return count > 0; });
  };
  return pads("low") || pads("high");
}

}  // namespace

bool RandomBody::holds_special(const ir::Value* value) const {
  const auto known = infos_.find(value);
  return known != infos_.end() && known->second.values != Values::kOrdinary;
}

std::optional<Info> RandomBody::with_special_values(const ir::Op& op, Info result) const {
  Values values = Values::kOrdinary;
  bool exact = true, complex = false;
  double error = 0;
  for (const Value* operand : op.operands()) {
    const auto known = infos_.find(operand);
    if (known == infos_.end() || !is_inexact(operand->dtype())) continue;
    values = std::max(values, known->second.values);
    exact &= known->second.error == 0;
    error = std::max(error, known->second.error);
    complex |= is_complex(operand->dtype());
  }
  if (values == Values::kOrdinary) return result;

  const std::string_view essence = essence_of(op);
  const bool many = op.name() == "reduce" || op.name() == "scatter";
  const bool moves = std::holds_alternative<ir::View>(*op.record().becomes) ||
                     is_one_of(essence, {"neg", "abs", "select", "stop_gradient", "checkpoint_name", "gather",
                                         "set", "max", "min", "real", "imag", "complex", "conj"});
  const DType to = op.result()->dtype();
  if (complex && (!moves || essence == "abs")) return std::nullopt;
  if (!is_inexact(to)) return exact ? std::optional(result) : std::nullopt;

  result.values = std::max(values, result.values);
  if (values == Values::kInfinite) {
    // Zero times an infinite weight is NaN, or no term at all (docs/numerics.md).
    if (essence == "convolution" && is_padded(op) && holds_special(op.operand(1))) return std::nullopt;
    if (essence == "pow") return std::nullopt;  // 1 to the power of NaN is 1
    if (is_one_of(essence, {"mul", "dot_general", "convolution", "sign"}) && !exact) return std::nullopt;
    return result;
  }

  result.bound = 2;
  const double rounding = epsilon_of(to);
  if (moves) {
    result.error = error;
  } else if (many || !exact) {
    return std::nullopt;
  } else if (is_one_of(essence, {"floor", "ceil", "round_even"})) {
    result.error = 0;
  } else if (is_one_of(essence, {"add", "sub", "sqrt", "convert"})) {
    result.error = is_16_bit_float(to) ? rounding : 0;
  } else if (is_one_of(essence, {"mul", "div"})) {
    result.error = 2 * rounding;
  } else if (is_one_of(essence, {"exp", "expm1", "log", "log1p", "rsqrt"})) {
    result.error = 16 * rounding;
  } else if (is_one_of(essence, {"sign", "tanh", "logistic", "erf", "sin", "cos"})) {
    result = {1, essence == "sign" ? 0 : 16 * rounding, Values::kInfinite};
  } else {
    return std::nullopt;
  }
  return result;
}

}  // namespace ingot::testing
