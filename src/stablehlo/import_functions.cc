// Functions of CHLO that are not one operation of Ingot's, but a few.
#include <algorithm>
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
  if (is_small_float(x->dtype())) {
    return op.set(op.make_by_library({x, y}, [](const std::vector<Array>& a, const auto& where) {
      return nextafter({a[0], where}, {a[1], where});
    }));
  }
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

// The upper half of the product of two integers. Of 64 bits it is put together from halves of 32.
void import_mulhi(OpImport& op) {
  ir::Value *a = op.operand(0), *b = op.operand(1);
  const DType dtype = a->dtype();
  if (!is_integer(dtype)) op.fail("takes integers");
  const auto bits = static_cast<int64_t>(bit_width(dtype));
  const auto make = [&](const char* name, ir::Value* x, ir::Value* y) { return op.make(name, {x, y}); };
  const auto number = [&](ir::Value* like, int64_t value) { return op.filled_int(like->type(), value); };
  if (bits < 64) {
    const DType wide = is_signed(dtype) ? DType::kS64 : DType::kU64;
    ir::Value* product = make("mul", op.convert(a, wide), op.convert(b, wide));
    return op.set(op.convert(make("shift_right_logical", product, number(product, bits)), dtype));
  }
  const auto as = [&](ir::Value* x, DType to) {
    return x->dtype() == to ? x : op.make("bitcast", {x}, {{"dtype", to}});
  };
  ir::Value *x = as(a, DType::kU64), *y = as(b, DType::kU64);
  const auto low = [&](ir::Value* v) { return make("and", v, number(v, 0xffffffff)); };
  const auto high = [&](ir::Value* v) { return make("shift_right_logical", v, number(v, 32)); };
  ir::Value *xl = low(x), *xh = high(x), *yl = low(y), *yh = high(y);
  ir::Value* middle = make("add", make("mul", xh, yl), high(make("mul", xl, yl)));
  ir::Value* other = make("add", make("mul", xl, yh), low(middle));
  ir::Value* upper = make("add", make("add", make("mul", xh, yh), high(middle)), high(other));
  if (is_signed(dtype)) {  // less y where x is negative, and x where y is
    const auto where_negative = [&](ir::Value* of, ir::Value* part) {
      ir::Value* negative = op.make("compare", {of, number(of, 0)}, {{"direction", std::string("lt")}});
      return op.make("select", {negative, part, number(part, 0)});
    };
    upper = make("sub", make("sub", upper, where_negative(a, y)), where_negative(b, x));
  }
  op.set(as(upper, dtype));
}

// The operation behind "broadcast_" of operands that are brought to one shape first: aligned at their last
// dimensions, or the one of lower rank by broadcast_dimensions.
void import_broadcasting(OpImport& op) {
  constexpr std::string_view kOfChlo[] = {"next_after", "polygamma", "zeta"}, kBefore = "chlo.broadcast_";
  const std::string name = op.op().name.substr(kBefore.size());
  const bool of_chlo = std::find(std::begin(kOfChlo), std::end(kOfChlo), name) != std::end(kOfChlo);
  std::vector<ir::Value*> operands = op.operands();
  Shape shape;
  for (const ir::Value* x : operands) {
    while (shape.size() < x->shape().size()) shape.insert(shape.begin(), 1);
  }
  const auto rank = static_cast<int64_t>(shape.size());
  std::vector<Ints> dims;
  for (const ir::Value* x : operands) {
    Ints& own = dims.emplace_back();
    const bool given = x->rank() < rank && op.find("broadcast_dimensions") != nullptr;
    if (given) own = op.ints("broadcast_dimensions");
    for (int64_t d = rank - x->rank(); d < rank && !given; ++d) own.push_back(d);
    if (static_cast<int64_t>(own.size()) != x->rank())
      op.fail("broadcast_dimensions has not one entry for each dimension of the smaller operand");
    for (size_t i = 0; i < own.size(); ++i) {
      if (own[i] < 0 || own[i] >= rank || (i > 0 && own[i] <= own[i - 1]))
        op.fail("broadcast_dimensions names dimensions of the larger operand, ascending");
      int64_t& extent = shape[static_cast<size_t>(own[i])];
      if (x->shape()[i] != 1 && extent != 1 && x->shape()[i] != extent)
        op.fail("its operands' shapes do not broadcast to one");
      if (x->shape()[i] != 1) extent = x->shape()[i];
    }
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    ir::Value*& x = operands[i];
    if (x->shape() == shape || (name == "select" && i == 0 && x->rank() == 0)) continue;
    Shape kept;
    ir::IntList at;
    for (size_t d = 0; d < dims[i].size(); ++d) {
      if (x->shape()[d] == 1 && shape[static_cast<size_t>(dims[i][d])] != 1) continue;
      kept.push_back(x->shape()[d]);
      at.push_back(dims[i][d]);
    }
    if (kept != x->shape()) x = op.make("reshape", {x}, {{"shape", kept}});
    x = op.make("broadcast", {x}, {{"dims", at}, {"shape", shape}});
  }
  Attributes attributes = op.op().attributes;
  std::erase_if(attributes, [](const auto& item) { return item.first == "broadcast_dimensions"; });
  op.become((of_chlo ? "chlo." : "stablehlo.") + name, operands, std::move(attributes));
}

void import_constant_like(OpImport& op) {
  const ir::TensorType type = op.operand(0)->type();
  const Attribute* value = op.find("value");
  if (const auto* elements = value ? value->as<Elements>() : nullptr) {
    if (elements->values.size() != 1 || elements->values.dtype() != type.dtype)
      op.fail("its value is to be one number");
    Tensor one(type.dtype, {});
    std::copy_n(elements->values.raw(), one.bytes(), one.raw());
    return op.set(op.spread(op.builder().constant(one), type.shape));
  }
  op.set(is_integer(type.dtype) || type.dtype == DType::kPred ? op.filled_int(type, op.integer("value"))
                                                              : op.filled(type, op.real("value")));
}

constexpr NamedRule kFunctions[] = {
    {"chlo.broadcast_add", import_broadcasting},
    {"chlo.broadcast_and", import_broadcasting},
    {"chlo.broadcast_atan2", import_broadcasting},
    {"chlo.broadcast_compare", import_broadcasting},
    {"chlo.broadcast_complex", import_broadcasting},
    {"chlo.broadcast_divide", import_broadcasting},
    {"chlo.broadcast_maximum", import_broadcasting},
    {"chlo.broadcast_minimum", import_broadcasting},
    {"chlo.broadcast_multiply", import_broadcasting},
    {"chlo.broadcast_next_after", import_broadcasting},
    {"chlo.broadcast_or", import_broadcasting},
    {"chlo.broadcast_polygamma", import_broadcasting},
    {"chlo.broadcast_power", import_broadcasting},
    {"chlo.broadcast_remainder", import_broadcasting},
    {"chlo.broadcast_select", import_broadcasting},
    {"chlo.broadcast_shift_left", import_broadcasting},
    {"chlo.broadcast_shift_right_arithmetic", import_broadcasting},
    {"chlo.broadcast_shift_right_logical", import_broadcasting},
    {"chlo.broadcast_subtract", import_broadcasting},
    {"chlo.broadcast_xor", import_broadcasting},
    {"chlo.broadcast_zeta", import_broadcasting},
    {"chlo.conj", import_conj},
    {"chlo.constant_like", import_constant_like},
    {"chlo.is_inf", import_is_infinite},
    {"chlo.is_neg_inf", import_is_infinite},
    {"chlo.is_pos_inf", import_is_infinite},
    {"chlo.mulhi", import_mulhi},
    {"chlo.next_after", import_next_after},
    {"chlo.square", import_square},
};

}  // namespace

Rules function_rules() {
  return kFunctions;
}

}  // namespace ingot::stablehlo
