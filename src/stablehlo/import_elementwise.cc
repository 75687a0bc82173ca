// Element-wise operations: those of which a record has the same meaning, found by the records' own StableHLO
// names, and those that differ in a dtype, a direction or a form.
#include <algorithm>
#include <deque>

#include "ingot/error.h"
#include "ir/op_record.h"
#include "stablehlo/importer.h"

namespace ingot::stablehlo {
namespace {

// The record's own operation, on operands of the same types.
void import_same(OpImport& op) {
  static const auto records = [] {
    std::unordered_map<std::string_view, std::string_view> names;
    for (const ir::OpRecord* record : ir::all_records()) {
      if (!record->stablehlo->empty()) names.emplace(*record->stablehlo, *record->name);
    }
    return names;
  }();
  const auto record = records.find(op.op().name);
  if (record == records.end()) op.refuse("Ingot has no such operation yet");
  op.set(op.make(record->second, op.operands()));
}

// Arithmetic, which of preds is logic.
void import_arithmetic(OpImport& op) {
  const std::string name = op.op().name.substr(op.op().name.find('.') + 1);
  if (op.operand(0)->dtype() != DType::kPred) return import_same(op);
  op.set(op.make(record_of_combiner(name, DType::kPred), op.operands()));
}

// The integer that orders as the float does, -NaN < -inf < .. < -0 < +0 < .. < NaN: the bits, with all but
// the sign inverted where it is set.
ir::Value* total_order(OpImport& op, ir::Value* x) {
  const size_t bytes = byte_size(x->dtype());
  const DType dtype = bytes == 2 ? DType::kS16 : bytes == 4 ? DType::kS32 : DType::kS64;
  ir::Value* bits = op.make("bitcast", {x}, {{"dtype", dtype}});
  const ir::TensorType type{dtype, x->shape()};
  ir::Value* sign =
      op.make("shift_right_arithmetic", {bits, op.filled_int(type, 8 * static_cast<int64_t>(bytes) - 1)});
  const int64_t all_but_sign = bytes == 2 ? INT16_MAX : bytes == 4 ? INT32_MAX : INT64_MAX;
  return op.make("xor", {bits, op.make("and", {sign, op.filled_int(type, all_but_sign)})});
}

void import_compare(OpImport& op) {
  std::string direction = op.word("comparison_direction");
  for (char& c : direction) c = static_cast<char>(c | 0x20);
  ir::Value *a = op.operand(0), *b = op.operand(1);
  if (op.word("compare_type") == "TOTALORDER" && is_float(a->dtype()) && is_float(b->dtype())) {
    a = total_order(op, a);
    b = total_order(op, b);
  }
  op.set(op.make("compare", {a, b}, {{"direction", direction}}));
}

void import_convert(OpImport& op) {
  ir::Value* x = op.operand(0);
  const DType to = op.result_type().dtype;
  if (is_complex(x->dtype()) && to == DType::kPred) {  // is it nonzero
    op.set(op.make("compare", {x, op.filled(x->type(), 0)}, {{"direction", std::string("ne")}}));
    return;
  }
  op.set(op.convert(x, to));
}

void import_bitcast(OpImport& op) {
  ir::Value* x = op.operand(0);
  const DType to = op.result_type().dtype;
  if (x->dtype() == to) return op.set(x);
  if (byte_size(x->dtype()) != byte_size(to)) {
    op.refuse("Ingot reads bits as elements of the same width alone, not " +
              std::string(name_of(x->dtype())) + " as " + std::string(name_of(to)));
  }
  op.set(op.make("bitcast", {x}, {{"dtype", to}}));
}

ir::Value* to_shape(OpImport& op, ir::Value* x, const Shape& shape) {
  return x->rank() == 0 ? op.spread(x, shape) : x;
}

void import_clamp(OpImport& op) {
  const Shape& shape = op.operand(1)->shape();
  ir::Value *low = to_shape(op, op.operand(0), shape), *high = to_shape(op, op.operand(2), shape);
  op.set(op.make("min", {op.make("max", {op.operand(1), low}), high}));
}

void import_select(OpImport& op) {
  ir::Value* predicate = to_shape(op, op.operand(0), op.operand(1)->shape());
  op.set(op.make("select", {predicate, op.operand(1), op.operand(2)}));
}

void import_part(OpImport& op) {
  ir::Value* x = op.operand(0);
  const bool real = op.op().name == "stablehlo.real";
  if (is_complex(x->dtype())) return op.set(op.make(real ? "real" : "imag", {x}));
  op.set(real ? x : op.filled(x->type(), 0));
}

// The nearest whole number, away from zero where two are equally near. x + 0.5 would round.
void import_round_away(OpImport& op) {
  ir::Value *x = op.operand(0), *size = op.make("abs", {x}), *low = op.make("floor", {size});
  ir::Value* half = op.make("compare", {op.make("sub", {size, low}), op.filled(x->type(), 0.5)},
                            {{"direction", std::string("ge")}});
  ir::Value* rounded = op.make("select", {half, op.make("add", {low, op.filled(x->type(), 1)}), low});
  op.set(op.make("mul", {op.make("sign", {x}), rounded}));
}

// Counts bits in parallel (Warren, Hacker's Delight, 5-1): sums of neighbours, of pairs, of fours, then
// bytes.
ir::Value* bits_set(OpImport& op, ir::Value* x) {
  const auto width = 8 * static_cast<int64_t>(byte_size(x->dtype()));
  const ir::TensorType type = x->type();
  const auto all = [&](uint64_t pattern) { return op.filled_int(type, static_cast<int64_t>(pattern)); };
  const auto right = [&](ir::Value* v, int64_t by) {
    return op.make("shift_right_logical", {v, op.filled_int(type, by)});
  };
  const auto masked = [&](ir::Value* v, uint64_t pattern) { return op.make("and", {v, all(pattern)}); };
  x = op.make("sub", {x, masked(right(x, 1), 0x5555555555555555)});
  x = op.make("add", {masked(x, 0x3333333333333333), masked(right(x, 2), 0x3333333333333333)});
  x = masked(op.make("add", {x, right(x, 4)}), 0x0f0f0f0f0f0f0f0f);
  for (int64_t by = 8; by < width; by *= 2) x = op.make("add", {x, right(x, by)});
  return masked(x, 0x7f);
}

void import_popcnt(OpImport& op) {
  op.set(bits_set(op, op.operand(0)));
}

// The zeros above the highest bit: with all bits below that set, those that are not.
void import_leading_zeros(OpImport& op) {
  ir::Value* x = op.operand(0);
  const auto width = 8 * static_cast<int64_t>(byte_size(x->dtype()));
  for (int64_t by = 1; by < width; by *= 2) {
    x = op.make("or", {x, op.make("shift_right_logical", {x, op.filled_int(x->type(), by)})});
  }
  op.set(bits_set(op, op.make("not", {x})));
}

// The nearest number with so many bits of exponent and mantissa; what is too large is infinite, what is too
// small is zero, a NaN stays.
void import_reduce_precision(OpImport& op) {
  ir::Value* x = op.operand(0);
  const DType dtype = x->dtype();
  if (!is_float(dtype)) op.fail("takes floats, not " + std::string(name_of(dtype)));
  const int64_t exponent = op.integer("exponent_bits"), mantissa = op.integer("mantissa_bits");
  const int64_t width = 8 * static_cast<int64_t>(byte_size(dtype)),
                own_mantissa = significant_bits(dtype) - 1, own_exponent = width - 1 - own_mantissa;
  if (exponent < 1 || mantissa < 0)
    op.fail("there is to be at least one bit of exponent, and none below 0 of mantissa");
  if (exponent >= own_exponent && mantissa >= own_mantissa) return op.set(x);
  const DType whole = width == 16 ? DType::kU16 : width == 32 ? DType::kU32 : DType::kU64;
  const ir::TensorType type{whole, x->shape()};
  const auto all = [&](uint64_t pattern) { return op.filled_int(type, static_cast<int64_t>(pattern)); };
  ir::Value *original = op.make("bitcast", {x}, {{"dtype", whole}}), *bits = original;
  if (mantissa <
      own_mantissa) {  // to nearest, ties to even: half of the last place that is kept, or just less
    const int64_t lost = own_mantissa - mantissa;
    const uint64_t last = uint64_t{1} << lost;
    ir::Value* odd =
        op.make("shift_right_logical", {op.make("and", {bits, all(last)}), all(static_cast<uint64_t>(lost))});
    bits = op.make("add", {bits, op.make("add", {odd, all((last >> 1) - 1)})});
    bits = op.make("and", {bits, all(~(last - 1))});
  }
  if (exponent < own_exponent) {
    const uint64_t bias = (uint64_t{1} << (own_exponent - 1)) - 1,
                   reduced = (uint64_t{1} << (exponent - 1)) - 1;
    const uint64_t field = ((uint64_t{1} << own_exponent) - 1) << own_mantissa;
    ir::Value* own = op.make("and", {bits, all(field)});
    ir::Value* sign = op.make("and", {original, all(uint64_t{1} << (width - 1))});
    ir::Value* over =
        op.make("compare", {own, all((bias + reduced) << own_mantissa)}, {{"direction", std::string("gt")}});
    ir::Value* under =
        op.make("compare", {own, all((bias - reduced) << own_mantissa)}, {{"direction", std::string("le")}});
    bits = op.make("select", {over, op.make("or", {sign, all(field)}), bits});
    bits = op.make("select", {under, sign, bits});
  }
  ir::Value* nan = op.make("compare", {x, x}, {{"direction", std::string("ne")}});
  op.set(op.make("select", {nan, x, op.make("bitcast", {bits}, {{"dtype", dtype}})}));
}

constexpr NamedRule kElementwise[] = {
    {"stablehlo.abs", import_same},
    {"stablehlo.add", import_arithmetic},
    {"stablehlo.and", import_same},
    {"stablehlo.atan2", import_same},
    {"stablehlo.bitcast_convert", import_bitcast},
    {"stablehlo.ceil", import_same},
    {"stablehlo.clamp", import_clamp},
    {"stablehlo.compare", import_compare},
    {"stablehlo.complex", import_same},
    {"stablehlo.convert", import_convert},
    {"stablehlo.cosine", import_same},
    {"stablehlo.count_leading_zeros", import_leading_zeros},
    {"stablehlo.divide", import_same},
    {"stablehlo.exponential", import_same},
    {"stablehlo.exponential_minus_one", import_same},
    {"stablehlo.floor", import_same},
    {"stablehlo.imag", import_part},
    {"stablehlo.is_finite", import_same},
    {"stablehlo.log", import_same},
    {"stablehlo.log_plus_one", import_same},
    {"stablehlo.logistic", import_same},
    {"stablehlo.maximum", import_arithmetic},
    {"stablehlo.minimum", import_arithmetic},
    {"stablehlo.multiply", import_arithmetic},
    {"stablehlo.negate", import_same},
    {"stablehlo.not", import_same},
    {"stablehlo.or", import_same},
    {"stablehlo.popcnt", import_popcnt},
    {"stablehlo.power", import_same},
    {"stablehlo.real", import_part},
    {"stablehlo.reduce_precision", import_reduce_precision},
    {"stablehlo.remainder", import_same},
    {"stablehlo.round_nearest_afz", import_round_away},
    {"stablehlo.round_nearest_even", import_same},
    {"stablehlo.rsqrt", import_same},
    {"stablehlo.select", import_select},
    {"stablehlo.shift_left", import_same},
    {"stablehlo.shift_right_arithmetic", import_same},
    {"stablehlo.shift_right_logical", import_same},
    {"stablehlo.sign", import_same},
    {"stablehlo.sine", import_same},
    {"stablehlo.sqrt", import_same},
    {"stablehlo.subtract", import_same},
    {"stablehlo.tanh", import_same},
    {"stablehlo.xor", import_same},
};

}  // namespace

Rules elementwise_rules() {
  return kElementwise;
}

}  // namespace ingot::stablehlo
