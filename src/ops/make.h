// Makes operations, by functions whose arguments are what the operation is: attributes are spelled here, and
// the type of the result comes from the record. For passes and transforms, which so know neither names nor
// attributes.
//
// Operands stand in braces, so that those that are made in their place are made in their order:
//
//   make::add(builder, {x, make::spread(builder, make::neg(builder, bias), x->shape())})
#pragma once

#include <array>
#include <string>
#include <vector>

#include "ir/builder.h"
#include "ir/derivative.h"
#include "ops/kinds.h"

namespace ingot::make {

// Where an operation is made: by a builder, or by the emitter of a rule, which gives values its own names.
class Place {
 public:
  Place(ir::Builder& builder) : builder_(&builder) {}
  Place(ir::Emitter& emitter) : emitter_(&emitter) {}

  ir::Value* value(std::string_view record, std::vector<ir::Value*> operands, ir::Attributes attributes,
                   const std::string& name) const;

 private:
  ir::Builder* builder_ = nullptr;
  ir::Emitter* emitter_ = nullptr;
};

using Two = std::array<ir::Value*, 2>;
using Three = std::array<ir::Value*, 3>;
using Unary = ir::Value*(const Place&, ir::Value* x, const std::string& name);
using Binary = ir::Value*(const Place&, const Two& xs, const std::string& name);

// --- element by element

#define UNARY(function, record)                                                                \
  inline ir::Value* function(const Place& place, ir::Value* x, const std::string& name = {}) { \
    return place.value(record, {x}, {}, name);                                                 \
  }
#define BINARY(function, record)                                                                \
  inline ir::Value* function(const Place& place, const Two& xs, const std::string& name = {}) { \
    return place.value(record, {xs[0], xs[1]}, {}, name);                                       \
  }
UNARY(neg, "neg")
UNARY(abs, "abs")
UNARY(exp, "exp")
UNARY(expm1, "expm1")
UNARY(log, "log")
UNARY(log1p, "log1p")
UNARY(sqrt, "sqrt")
UNARY(cbrt, "cbrt")
UNARY(tanh, "tanh")
UNARY(sin, "sin")
UNARY(cos, "cos")
UNARY(is_finite, "is_finite")
UNARY(bit_not, "not")
UNARY(real, "real")
UNARY(imag, "imag")
BINARY(add, "add")
BINARY(sub, "sub")
BINARY(mul, "mul")
BINARY(div, "div")
BINARY(max, "max")
BINARY(min, "min")
BINARY(atan2, "atan2")
BINARY(bit_and, "and")
BINARY(bit_or, "or")
BINARY(shift_right_logical, "shift_right_logical")
BINARY(complex, "complex")
#undef UNARY
#undef BINARY

ir::Value* select(const Place& place, const Three& pred_yes_no, const std::string& name = {});
// The same by one pred for all of an array.
ir::Value* choose(const Place& place, ir::Value* pred, const Two& yes_no);
ir::Value* compare(const Place& place, std::string_view direction, const Two& xs);  // "lt", "eq"
ir::Value* convert(const Place& place, ir::Value* x, DType dtype);
ir::Value* bitcast(const Place& place, ir::Value* x, DType dtype);

// --- views

// Dimension i of the operand is dimension dims[i] of the result.
ir::Value* broadcast(const Place& place, ir::Value* x, Shape shape, ir::IntList dims);
// A scalar at all places.
ir::Value* spread(const Place& place, ir::Value* scalar, Shape shape);
ir::Value* reshape(const Place& place, ir::Value* x, Shape shape);
// Dimension i of the result is dimension permutation[i] of the operand.
ir::Value* transpose(const Place& place, ir::Value* x, ir::IntList permutation);
ir::Value* slice(const Place& place, ir::Value* x, ir::IntList starts, ir::IntList limits,
                 ir::IntList strides);
ir::Value* reverse(const Place& place, ir::Value* x, ir::IntList axes);
ir::Value* concatenate(const Place& place, std::vector<ir::Value*> parts, int64_t axis);
ir::Value* pad(const Place& place, const Two& x_padding, ir::IntList low, ir::IntList high,
               ir::IntList interior);

// --- others

// Along some axes, ascending, by one operation; to an array, with what it begins with.
ir::Value* reduce(ir::Builder& builder, Binary* combiner, const Two& x_initial, ir::IntList axes);
ir::Value* iota(const Place& place, DType dtype, Shape shape, int64_t axis);
ir::Value* dot_general(const Place& place, const Two& sides, const ops::DotForm& form);
// The same operation, of one result and without a region, of other operands.
ir::Value* like(const Place& place, const ir::Op& op, std::vector<ir::Value*> operands,
                const std::string& name = {});

}  // namespace ingot::make
