// Element-wise operations: those of which a record has the same meaning, found by the records' own StableHLO
// names, and those that differ in a dtype, a direction or a form.
#include <algorithm>
#include <deque>

#include "ingot/error.h"
#include "ingot/functions.h"
#include "ir/op_record.h"
#include "ops/comparators.h"
#include "stablehlo/importer.h"

namespace ingot::stablehlo {

std::string_view record_named(std::string_view operation) {
  static const auto records = [] {
    std::unordered_map<std::string_view, std::string_view> names;
    for (const ir::OpRecord* record : ir::all_records()) {
      if (!record->stablehlo->empty()) names.emplace(*record->stablehlo, *record->name);
    }
    return names;
  }();
  const auto record = records.find(operation);
  return record == records.end() ? std::string_view() : record->second;
}

namespace {

// The record's own operation, on operands of the same types.
void import_same(OpImport& op) {
  const std::string_view record = record_named(op.op().name);
  if (record.empty()) op.refuse("Ingot has no such operation yet");
  op.set(op.make(record, op.operands()));
}

// Arithmetic, which of preds is logic.
void import_arithmetic(OpImport& op) {
  const std::string name = op.op().name.substr(op.op().name.find('.') + 1);
  if (op.operand(0)->dtype() != DType::kPred) return import_same(op);
  op.set(op.make(record_of_combiner(name, DType::kPred), op.operands()));
}

// Complex numbers are ordered by their real parts, and where these are equal, by their imaginary ones; false
// is below true.
ir::Value* extreme(OpImport& op, const std::vector<ir::Value*>& operands, bool greatest) {
  const DType dtype = operands[0]->dtype();
  if (!is_complex(dtype))
    return op.make(record_of_combiner(greatest ? "maximum" : "minimum", dtype), operands);
  return op.make_by_library(operands, [&](const std::vector<Array>& arrays, const auto& where) {
    const Operand a{arrays[0], where}, b{arrays[1], where};
    return greatest ? maximum(a, b) : minimum(a, b);
  });
}

void import_extreme(OpImport& op) {
  op.set(extreme(op, op.operands(), op.op().name == "stablehlo.maximum"));
}

ir::Value* compared(OpImport& op, ir::Value* a, ir::Value* b, const std::string& direction) {
  if (op.word("compare_type") == "TOTALORDER" && is_float(a->dtype()) && is_float(b->dtype())) {
    a = ops::total_order(op.builder(), a);
    b = ops::total_order(op.builder(), b);
  }
  return op.make("compare", {a, b}, {{"direction", direction}});
}

// Of complex numbers the imaginary parts decide where the real ones are equal.
void import_compare(OpImport& op) {
  std::string direction = op.word("comparison_direction");
  for (char& c : direction) c = static_cast<char>(c | 0x20);
  ir::Value *a = op.operand(0), *b = op.operand(1);
  if (!is_complex(a->dtype()) || !is_complex(b->dtype()) || direction == "eq" || direction == "ne")
    return op.set(compared(op, a, b, direction));
  const auto of_parts = [&](const char* part, const std::string& how) {
    return compared(op, op.make(part, {a}), op.make(part, {b}), how);
  };
  op.set(
      op.make("select", {of_parts("real", "eq"), of_parts("imag", direction), of_parts("real", direction)}));
}

void import_convert(OpImport& op) {
  ir::Value* x = op.operand(0);
  const DType to = op.result_dtype();
  if (is_complex(x->dtype()) && to == DType::kPred) {  // is it nonzero
    op.set(op.make("compare", {x, op.filled(x->type(), 0)}, {{"direction", std::string("ne")}}));
    return;
  }
  op.set(op.convert(x, to));
}

void import_bitcast(OpImport& op) {
  ir::Value* x = op.operand(0);
  const DType to = op.result_dtype();
  if (x->dtype() == to) return op.set(x);
  op.set(op.make_by_library({x}, [&](const std::vector<Array>& arrays, const auto& where) {
    return bitcast({arrays[0], where}, to);
  }));
}

// Operand i, of the shape of another or a scalar, as an array of that shape.
ir::Value* to_shape(OpImport& op, size_t i, ir::Value* other) {
  ir::Value* x = op.operand(i);
  if (x->rank() == 0) return op.spread(x, other->shape());
  if (x->shape() != other->shape())
    op.fail("operand " + std::to_string(i) + " is " + ir::to_string(x->type()) +
            ", but must be a scalar or have the shape of " + ir::to_string(other->type()) + ", operand 1");
  return x;
}

void import_clamp(OpImport& op) {
  ir::Value* x = op.operand(1);
  for (size_t i : {0, 2}) {
    if (op.operand(i)->dtype() != x->dtype())
      op.fail("operand " + std::to_string(i) + " is " + ir::to_string(op.operand(i)->type()) +
              ", but must have the dtype of " + ir::to_string(x->type()) + ", operand 1");
  }
  ir::Value *low = to_shape(op, 0, x), *high = to_shape(op, 2, x);
  op.set(extreme(op, {extreme(op, {x, low}, true), high}, false));
}

void import_select(OpImport& op) {
  ir::Value* predicate = to_shape(op, 0, op.operand(1));
  op.set(op.make("select", {predicate, op.operand(1), op.operand(2)}));
}

// Of complex numbers -i log((x + iy) / sqrt(x^2 + y^2)).
void import_atan2(OpImport& op) {
  ir::Value *y = op.operand(0), *x = op.operand(1);
  if (!is_complex(x->dtype())) return import_same(op);
  ir::Value* zero = op.filled({real_dtype(x->dtype()), x->shape()}, 0);
  const auto imaginary = [&](double by) {
    return op.make("complex", {zero, op.filled({real_dtype(x->dtype()), x->shape()}, by)});
  };
  ir::Value* size = op.make("sqrt", {op.make("add", {op.make("mul", {x, x}), op.make("mul", {y, y})})});
  ir::Value* direction = op.make("div", {op.make("add", {x, op.make("mul", {imaginary(1), y})}), size});
  op.set(op.make("mul", {imaginary(-1), op.make("log", {direction})}));
}

void import_part(OpImport& op) {
  ir::Value* x = op.operand(0);
  const bool real = op.op().name == "stablehlo.real";
  if (is_complex(x->dtype())) return op.set(op.make(real ? "real" : "imag", {x}));
  op.set(real ? x : op.filled(x->type(), 0));
}

void import_reduce_precision(OpImport& op) {
  ir::Value* x = op.operand(0);
  const int64_t exponent = op.integer("exponent_bits"), mantissa = op.integer("mantissa_bits");
  if (is_float(x->dtype())) {  // to as many bits as there are
    const int64_t own = significant_bits(x->dtype()) - 1;
    if (mantissa >= own && exponent >= 8 * static_cast<int64_t>(byte_size(x->dtype())) - 1 - own)
      return op.set(x);
  }
  op.set(op.make("reduce_precision", {x}, {{"exponent_bits", exponent}, {"mantissa_bits", mantissa}}));
}

// Of integers as the library has them: products wrap, and of negative exponents only 1 and -1 have a power
// that is whole; that of others is 0.
void import_power(OpImport& op) {
  if (!is_integer(op.operand(0)->dtype())) return import_same(op);
  op.set(op.make_by_library(op.operands(), [&](const std::vector<Array>& given, const auto& where) {
    return pow(Operand(given[0], where), Operand(given[1], where));
  }));
}

void import_tan(OpImport& op) {
  op.set(op.make("tan", op.operands()));
}

constexpr NamedRule kElementwise[] = {
    {"chlo.acos", import_same},
    {"chlo.acosh", import_same},
    {"chlo.asin", import_same},
    {"chlo.asinh", import_same},
    {"chlo.atan", import_same},
    {"chlo.atanh", import_same},
    {"chlo.bessel_i1e", import_same},
    {"chlo.cosh", import_same},
    {"chlo.digamma", import_same},
    {"chlo.erf", import_same},
    {"chlo.erf_inv", import_same},
    {"chlo.erfc", import_same},
    {"chlo.lgamma", import_same},
    {"chlo.polygamma", import_same},
    {"chlo.sinh", import_same},
    {"chlo.tan", import_tan},
    {"chlo.zeta", import_same},
    {"stablehlo.abs", import_same},
    {"stablehlo.add", import_arithmetic},
    {"stablehlo.and", import_same},
    {"stablehlo.atan2", import_atan2},
    {"stablehlo.bitcast_convert", import_bitcast},
    {"stablehlo.cbrt", import_same},
    {"stablehlo.ceil", import_same},
    {"stablehlo.clamp", import_clamp},
    {"stablehlo.compare", import_compare},
    {"stablehlo.complex", import_same},
    {"stablehlo.convert", import_convert},
    {"stablehlo.cosine", import_same},
    {"stablehlo.count_leading_zeros", import_same},
    {"stablehlo.divide", import_same},
    {"stablehlo.exponential", import_same},
    {"stablehlo.exponential_minus_one", import_same},
    {"stablehlo.floor", import_same},
    {"stablehlo.imag", import_part},
    {"stablehlo.is_finite", import_same},
    {"stablehlo.log", import_same},
    {"stablehlo.log_plus_one", import_same},
    {"stablehlo.logistic", import_same},
    {"stablehlo.maximum", import_extreme},
    {"stablehlo.minimum", import_extreme},
    {"stablehlo.multiply", import_arithmetic},
    {"stablehlo.negate", import_same},
    {"stablehlo.not", import_same},
    {"stablehlo.or", import_same},
    {"stablehlo.popcnt", import_same},
    {"stablehlo.power", import_power},
    {"stablehlo.real", import_part},
    {"stablehlo.reduce_precision", import_reduce_precision},
    {"stablehlo.remainder", import_same},
    {"stablehlo.round_nearest_afz", import_same},
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
    {"stablehlo.tan", import_same},
    {"stablehlo.tanh", import_same},
    {"stablehlo.xor", import_same},
};

}  // namespace

Rules elementwise_rules() {
  return kElementwise;
}

}  // namespace ingot::stablehlo
