// Functions of CHLO that are not one operation of Ingot's, but a few.
#include <cmath>

#include "stablehlo/importer.h"

namespace ingot::stablehlo {
namespace {

void import_square(OpImport& op) {
  op.set(op.make("mul", {op.operand(0), op.operand(0)}));
}

void import_conj(OpImport& op) {
  ir::Value* x = op.operand(0);
  op.set(is_complex(x->dtype()) ? op.make("conj", {x}) : x);
}

// abs(x) == inf, x == inf or x == -inf
void import_is_infinite(OpImport& op) {
  ir::Value* x = op.operand(0);
  const bool any = op.op().name == "chlo.is_inf", negative = op.op().name == "chlo.is_neg_inf";
  ir::Value* infinity = op.filled(x->type(), negative ? -INFINITY : INFINITY);
  op.set(op.make("compare", {any ? op.make("abs", {x}) : x, infinity}, {{"direction", std::string("eq")}}));
}

// The next number from x towards y: one up or down in the order of the bits. From a zero it is the least
// number with the sign of y.
void import_next_after(OpImport& op) {
  ir::Value *x = op.operand(0), *y = op.operand(1);
  if (!is_float(x->dtype())) op.refuse("Ingot has this function of real floats alone");
  const size_t bytes = byte_size(x->dtype());
  const DType dtype = bytes == 2 ? DType::kS16 : bytes == 4 ? DType::kS32 : DType::kS64;
  const ir::TensorType bits_type{dtype, x->shape()};
  const auto compare = [&](ir::Value* a, ir::Value* b, const char* direction) {
    return op.make("compare", {a, b}, {{"direction", std::string(direction)}});
  };
  const auto bits_of = [&](ir::Value* v) { return op.make("bitcast", {v}, {{"dtype", dtype}}); };
  ir::Value *zero = op.filled(x->type(), 0), *one = op.filled_int(bits_type, 1);
  ir::Value* least = op.filled_int(bits_type, bytes == 2 ? INT16_MIN : bytes == 4 ? INT32_MIN : INT64_MIN);
  ir::Value *bits = bits_of(x), *y_bits = bits_of(y);
  // Away from zero adds one to the magnitude, which is all but the first bit.
  ir::Value* up = compare(x, y, "lt");
  ir::Value* positive = compare(x, zero, "gt");
  ir::Value* grows = op.make("not", {op.make("xor", {up, positive})});
  ir::Value* moved = op.make("select", {grows, op.make("add", {bits, one}), op.make("sub", {bits, one})});
  ir::Value* from_zero = op.make("or", {op.make("and", {y_bits, least}), one});
  ir::Value* next = op.make("select", {compare(x, zero, "eq"), from_zero, moved});
  next = op.make("select", {compare(x, y, "eq"), y_bits, next});
  ir::Value* result = op.make("bitcast", {next}, {{"dtype", x->dtype()}});
  ir::Value* nan = op.make("or", {compare(x, x, "ne"), compare(y, y, "ne")});
  op.set(op.make("select", {nan, op.make("add", {x, y}), result}));
}

constexpr NamedRule kFunctions[] = {
    {"chlo.conj", import_conj},
    {"chlo.is_inf", import_is_infinite},
    {"chlo.is_neg_inf", import_is_infinite},
    {"chlo.is_pos_inf", import_is_infinite},
    {"chlo.next_after", import_next_after},
    {"chlo.square", import_square},
};

}  // namespace

Rules function_rules() {
  return kFunctions;
}

}  // namespace ingot::stablehlo
