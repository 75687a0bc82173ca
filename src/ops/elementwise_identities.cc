// The algebra of element-wise operations.
#include <bit>
#include <cmath>
#include <cstring>

#include "ops/counts.h"
#include "ops/identities.h"

namespace ingot::ops {
namespace {

class NoRegions : public Evaluator {
  Tensors run(const ir::Region&, std::span<const Tensor>) override {
    throw InternalError("an element-wise operation has no region");
  }
};

bool integral(const Op& op) {
  return !is_inexact(op.operand(0)->dtype());
}

// A constant stands to the right, so that other rules need not look on both sides, and equal sums are equal.
Values constant_to_right(Op& op, Rewriter& rewriter) {
  if (!is_constant(op.operand(0)) || is_constant(op.operand(1))) return {};
  if (!rewriter.may("constant_to_right", op)) return {};
  return {rewriter.make(op.name(), {op.operand(1), op.operand(0)})};
}

// (x . a) . b is x . (a . b) for constants a and b: integers only, since floats would round elsewhere.
Values join_constants(Op& op, Rewriter& rewriter) {
  const Op* inner = made_by(op.operand(0), op.name());
  if (inner == nullptr || !integral(op)) return {};
  const auto a = splat(inner->operand(1)), b = splat(op.operand(1));
  if (!a || !b || !rewriter.may("join_constants", op)) return {};
  Value* joined = make_splat(rewriter, op.result()->type(), evaluate(op, {*a, *b}));
  return {rewriter.make(op.name(), {inner->operand(0), joined})};
}

// x . e is x where the right operand is the neutral element e.
Values neutral(Op& op, Rewriter& rewriter, double element, std::string_view rule) {
  if (!is_splat_of(op.operand(1), element) || !rewriter.may(rule, op)) return {};
  return {op.operand(0)};
}

// The same for the element that reductions by the operation begin with, at the dtype at hand.
Values neutral_of_recipe(Op& op, Rewriter& rewriter, std::string_view rule) {
  const std::optional<Tensor> given = splat(op.operand(1));
  const auto& recipe = std::get<ir::ScalarRecipe>(*op.record().becomes);
  if (!given || *given != recipe.identity(given->dtype()) || !rewriter.may(rule, op)) return {};
  return {op.operand(0)};
}

// x . z is z.
Values absorbing(Op& op, Rewriter& rewriter, double element, std::string_view rule) {
  if (!is_splat_of(op.operand(1), element) || !rewriter.may(rule, op)) return {};
  return {op.operand(1)};
}

// x . x is x.
Values idempotent(Op& op, Rewriter& rewriter, std::string_view rule) {
  if (op.operand(0) != op.operand(1) || !rewriter.may(rule, op)) return {};
  return {op.operand(0)};
}

// x . x is zero.
Values cancelling(Op& op, Rewriter& rewriter, std::string_view rule) {
  if (op.operand(0) != op.operand(1) || !integral(op) || !rewriter.may(rule, op)) return {};
  return {make_splat(rewriter, op.result()->type(), Tensor(op.result()->dtype(), {}))};
}

// As get_int reads it.
double all_bits(const Op& op) {
  const DType dtype = op.operand(0)->dtype();
  if (dtype == DType::kPred) return 1;
  if (is_signed(dtype) || dtype == DType::kU64) return -1;
  return std::ldexp(1.0, bit_width(dtype)) - 1;
}

template <class... Rules>
Values first_of(Op& op, Rewriter& rewriter, Rules... rules) {
  Values values;
  (void)((values = rules(op, rewriter), !values.empty()) || ...);
  return values;
}

}  // namespace

// --- what the rules look for

const Op* made_by(const Value* value, std::string_view name) {
  return value->op() != nullptr && value->op()->name() == name ? value->op() : nullptr;
}

std::optional<Tensor> splat(const Value* value) {
  while (const Op* broadcast = made_by(value, "broadcast")) value = broadcast->operand(0);
  const Op* constant = made_by(value, "constant");
  if (constant == nullptr) return std::nullopt;
  const Tensor& literal = constant->attributes().get<Tensor>("value");
  if (!is_uniform(literal)) return std::nullopt;
  Tensor scalar(literal.dtype(), {});
  copy_element(scalar, 0, literal, 0);
  return scalar;
}

bool is_splat_of(const Value* value, double number) {
  const auto scalar = splat(value);
  if (!scalar || is_complex(scalar->dtype())) return false;  // a product with 1 has zeros times infinities
  if (!is_float(scalar->dtype())) return scalar->get_int(0) == static_cast<int64_t>(number);
  return std::bit_cast<uint64_t>(scalar->get_double(0)) == std::bit_cast<uint64_t>(number);
}

bool is_constant(const Value* value) {
  return made_by(value, "constant") != nullptr || splat(value).has_value();
}

Value* make_splat(Rewriter& rewriter, const TensorType& type, const Tensor& scalar) {
  Value* value = rewriter.constant(scalar);
  if (type.rank() == 0) return value;
  return rewriter.make("broadcast", {value}, {{"dims", IntList{}}, {"shape", type.shape}});
}

Tensor evaluate(const Op& op, const std::vector<Tensor>& operands) {
  NoRegions none;
  ir::ReferenceFn reference = op.record().reference;
  return reference(op, operands, none)[0];
}

// --- arithmetic

// For floats only -0 is neutral: -0 + 0 is +0.
Values add_identities(Op& op, Rewriter& rewriter) {
  return first_of(
      op, rewriter, [](Op& o, Rewriter& r) { return neutral(o, r, integral(o) ? 0.0 : -0.0, "add_zero"); },
      constant_to_right, join_constants);
}

Values sub_identities(Op& op, Rewriter& rewriter) {
  return first_of(
      op, rewriter, [](Op& o, Rewriter& r) { return neutral(o, r, 0.0, "sub_zero"); },
      [](Op& o, Rewriter& r) { return cancelling(o, r, "sub_self"); });
}

// Not for floats: 0 * NaN is NaN, and 0 * -1 is -0.
Values mul_identities(Op& op, Rewriter& rewriter) {
  return first_of(
      op, rewriter, [](Op& o, Rewriter& r) { return neutral(o, r, 1.0, "mul_one"); },
      [](Op& o, Rewriter& r) { return integral(o) ? absorbing(o, r, 0.0, "mul_zero") : Values(); },
      constant_to_right, join_constants);
}

Values div_identities(Op& op, Rewriter& rewriter) {
  return neutral(op, rewriter, 1.0, "div_one");
}

// JAX's maxima with an initial value, as of softmax, are those of its reduction and -infinity once more.
Values extreme_identities(Op& op, Rewriter& rewriter) {
  return first_of(
      op, rewriter, [](Op& o, Rewriter& r) { return idempotent(o, r, "extreme_self"); },
      [](Op& o, Rewriter& r) { return neutral_of_recipe(o, r, "extreme_farthest"); }, constant_to_right,
      join_constants);
}

// --- bits

Values and_identities(Op& op, Rewriter& rewriter) {
  return first_of(
      op, rewriter, [](Op& o, Rewriter& r) { return idempotent(o, r, "and_self"); },
      [](Op& o, Rewriter& r) { return neutral(o, r, all_bits(o), "and_ones"); },
      [](Op& o, Rewriter& r) { return absorbing(o, r, 0.0, "and_zero"); }, constant_to_right, join_constants);
}

Values or_identities(Op& op, Rewriter& rewriter) {
  return first_of(
      op, rewriter, [](Op& o, Rewriter& r) { return idempotent(o, r, "or_self"); },
      [](Op& o, Rewriter& r) { return neutral(o, r, 0.0, "or_zero"); },
      [](Op& o, Rewriter& r) { return absorbing(o, r, all_bits(o), "or_ones"); }, constant_to_right,
      join_constants);
}

Values xor_identities(Op& op, Rewriter& rewriter) {
  return first_of(
      op, rewriter, [](Op& o, Rewriter& r) { return cancelling(o, r, "xor_self"); },
      [](Op& o, Rewriter& r) { return neutral(o, r, 0.0, "xor_zero"); }, constant_to_right, join_constants);
}

// Shifts by constants in a row are one shift. Amounts up to the width are added as they are; their sum fits.
namespace {

// Of a count below 2^k nothing is left k places to the right: the upper half of 64-bit places, as JAX makes
// them.
Values count_shifted_out(Op& op, Rewriter& rewriter) {
  if (op.name() == "shift_left") return {};
  const auto places = splat(op.operand(1));
  const auto most = places ? greatest_count(op.operand(0)) : std::nullopt;
  if (!most) return {};
  const int64_t bits = places->get_int(0);
  if (bits < 0 || bits > 62 || *most >> bits != 0 || !rewriter.may("shift_count_out", op)) return {};
  return {make_splat(rewriter, op.result()->type(), Tensor(op.result()->dtype(), {}))};
}

}  // namespace

Values shift_identities(Op& op, Rewriter& rewriter) {
  if (Values values = neutral(op, rewriter, 0.0, "shift_zero"); !values.empty()) return values;
  if (Values values = count_shifted_out(op, rewriter); !values.empty()) return values;
  const Op* inner = made_by(op.operand(0), op.name());
  if (inner == nullptr) return {};
  const auto a = splat(inner->operand(1)), b = splat(op.operand(1));
  if (!a || !b) return {};
  const int64_t width = bit_width(op.result()->dtype());
  const int64_t first = a->get_int(0), second = b->get_int(0);
  if (first < 0 || second < 0 || first > width || second > width || !rewriter.may("shift_of_shift", op))
    return {};
  Tensor sum(op.result()->dtype(), {});
  sum.set_int(0, first + second);
  return {rewriter.make(op.name(), {inner->operand(0), make_splat(rewriter, op.result()->type(), sum)})};
}

// --- one operand

Values involution_identities(Op& op, Rewriter& rewriter) {
  const Op* inner = made_by(op.operand(0), op.name());
  if (inner == nullptr || !rewriter.may("undo", op)) return {};
  return {inner->operand(0)};
}

Values projection_identities(Op& op, Rewriter& rewriter) {
  if (is_complex(op.result()->dtype())) return {};
  if (made_by(op.operand(0), op.name()) == nullptr || !rewriter.may("done_already", op)) return {};
  return {op.operand(0)};
}

// --- compare, select, convert

Values compare_identities(Op& op, Rewriter& rewriter) {
  const std::string& direction = op.attributes().get<std::string>("direction");
  if (op.operand(0) == op.operand(1) && integral(op)) {  // NaN is not equal to itself
    if (!rewriter.may("compare_self", op)) return {};
    Tensor answer(DType::kPred, {});
    answer.set_int(0, direction == "eq" || direction == "le" || direction == "ge");
    return {make_splat(rewriter, op.result()->type(), answer)};
  }
  if (is_constant(op.operand(0)) && !is_constant(op.operand(1))) {
    if (!rewriter.may("constant_to_right", op)) return {};
    std::string swapped = direction;
    if (direction[0] == 'l') swapped[0] = 'g';
    if (direction[0] == 'g') swapped[0] = 'l';
    return {rewriter.make("compare", {op.operand(1), op.operand(0)}, {{"direction", swapped}})};
  }
  return {};
}

namespace {

bool same_value(const Value* a, const Value* b) {
  if (a == b) return true;
  const auto x = splat(a), y = splat(b);
  return x && y && *x == *y && a->type() == b->type();
}

// x > y ? x : max(x, y) is the maximum, for NaN too; and so for <, min.
bool is_extreme(const Op& op) {
  const Op* compare = made_by(op.operand(0), "compare");
  if (compare == nullptr || compare->operand(0) != op.operand(1)) return false;
  const std::string& direction = compare->attributes().get<std::string>("direction");
  const Op* extreme = made_by(op.operand(2), direction == "gt" ? "max" : direction == "lt" ? "min" : "");
  if (extreme == nullptr) return false;
  const Value *x = compare->operand(0), *y = compare->operand(1);
  return (extreme->operand(0) == x && same_value(extreme->operand(1), y)) ||
         (extreme->operand(1) == x && same_value(extreme->operand(0), y));
}

}  // namespace

Values select_identities(Op& op, Rewriter& rewriter) {
  if (op.operand(1) == op.operand(2)) {
    if (!rewriter.may("select_same", op)) return {};
    return {op.operand(1)};
  }
  if (const auto pred = splat(op.operand(0))) {
    if (!rewriter.may("select_known", op)) return {};
    return {op.operand(pred->get_int(0) != 0 ? 1 : 2)};
  }
  if (const Op* inner = made_by(op.operand(0), "not")) {
    if (!rewriter.may("select_not", op)) return {};
    return {rewriter.make("select", {inner->operand(0), op.operand(2), op.operand(1)})};
  }
  if (is_extreme(op) && rewriter.may("select_extreme", op)) return {op.operand(2)};
  return {};
}

namespace {

// Does every value of `from` have its exact counterpart in `to`?
bool holds_all(DType to, DType from) {
  if (to == from) return true;
  if (from == DType::kPred) return to != DType::kF8E8M0FNU;  // which has no zero
  if (is_complex(to) || is_complex(from))
    return is_complex(to) && holds_all(real_dtype(to), real_dtype(from));
  if (to == DType::kPred) return false;
  const int to_bits = bit_width(to), from_bits = bit_width(from);
  if (is_float(from)) {  // narrow floats do not hold each other's, or not all
    return is_float(to) && to_bits >= from_bits && !(is_narrow_float(to) && is_narrow_float(from));
  }
  if (is_float(to)) return !is_small_float(to) && from_bits <= significant_bits(to);
  if (is_signed(from)) return is_signed(to) && to_bits >= from_bits;
  return is_signed(to) ? to_bits > from_bits : to_bits >= from_bits;
}

}  // namespace

// Whether the kernel that makes it may hold a float of 16 bits in 32, which an operation gave. Conversions
// that the program made are rounded, once it is known which they are (pass/numbers/widen_floats.cc).
bool may_be_wider(const Value* x) {
  if (!is_narrow_float(x->dtype()) || is_small_float(x->dtype())) return false;
  while (x->op() != nullptr && x->op()->operand_count() > 0 &&  // an iota is a view of nothing
         std::holds_alternative<ir::View>(*x->op()->record().becomes))
    x = x->op()->operand(0);
  const Op* op = x->op();
  if (op == nullptr || op->operand_count() == 0) return false;
  const bool converts = op->name() == "convert" && op->operand(0)->dtype() != DType::kF32;
  return !converts && !op->attributes().has("rounds");
}

namespace {

// A count is made in the narrower dtype that it is wanted in: what is cut off at the end need never be
// computed, and twice as many lanes compute at once.
Values convert_count(Op& op, Rewriter& rewriter) {
  const DType to = op.result()->dtype();
  const Op* count = op.operand(0)->op();
  if (!is_integer(to) || bit_width(to) < 8 || bit_width(to) >= bit_width(op.operand(0)->dtype()) ||
      !greatest_count(op.operand(0)) || is_constant(op.operand(0)) || !rewriter.may("convert_count", op))
    return {};
  if (count->name() == "iota") {
    Attributes attributes = count->attributes();
    attributes.set("dtype", to);
    return {rewriter.make("iota", {}, attributes)};
  }
  std::vector<Value*> narrow;
  for (Value* operand : count->operands()) {
    if (const auto constant = splat(operand)) {
      narrow.push_back(make_splat(rewriter, {to, operand->type().shape}, evaluate(op, {*constant})));
    } else {
      narrow.push_back(rewriter.make("convert", {operand}, {{"dtype", to}}));
    }
  }
  return {rewriter.make(count->name(), narrow, count->attributes())};
}

}  // namespace

// There and back again without loss, where there is nothing to round.
Values convert_identities(Op& op, Rewriter& rewriter) {
  Value* x = op.operand(0);
  const DType to = op.result()->dtype();
  if (x->dtype() == to) {
    if (!rewriter.may("convert_to_same", op)) return {};
    return {x};
  }
  if (Values values = convert_count(op, rewriter); !values.empty()) return values;
  const Op* inner = made_by(x, "convert");
  if (inner == nullptr) return {};
  Value* original = inner->operand(0);
  if (original->dtype() != to || !holds_all(x->dtype(), to) || may_be_wider(original)) return {};
  if (!rewriter.may("convert_back", op)) return {};
  return {original};
}

Values bitcast_identities(Op& op, Rewriter& rewriter) {
  Value* x = op.operand(0);
  const DType to = op.result()->dtype();
  if (x->dtype() == to) {
    if (!rewriter.may("bitcast_to_same", op)) return {};
    return {x};
  }
  const Op* inner = made_by(x, "bitcast");
  if (inner == nullptr || !rewriter.may("bitcast_of_bitcast", op)) return {};
  if (inner->operand(0)->dtype() == to) return {inner->operand(0)};
  return {rewriter.make("bitcast", {inner->operand(0)}, {{"dtype", to}})};
}

}  // namespace ingot::ops
