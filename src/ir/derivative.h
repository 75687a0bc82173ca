// How the record of an operation states its derivative, in two parts.
//
// `jvp` gives the tangent of a result from the tangents of the operands. `transpose` turns an operation that
// is linear in some of its operands round: it gives what the cotangents of the results add to the cotangents
// of these. Reverse mode needs no third part, since transform/ linearises (jvp, with all that is linear in a
// function of its own) and transposes what is linear. A tangent or cotangent that is null is zero.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "ir/ir.h"

namespace ingot::ir {

// Where a rule puts the operations that it makes.
class Emitter {
 public:
  using FillRegion = std::function<void(Region&)>;

  virtual ~Emitter() = default;
  // The types of the results are inferred. An operation with a region gets it from `fill`.
  virtual Op* emit(std::string_view record, std::vector<Value*> operands, Attributes attributes = {},
                   const FillRegion& fill = nullptr) = 0;
  Value* make(std::string_view record, std::vector<Value*> operands, Attributes attributes = {}) {
    return emit(record, std::move(operands), std::move(attributes))->result();
  }
};

// --- jvp

// The results do not vary continuously with the operands, so there is nothing to differentiate: floating
// results that depend on an operand with a tangent are an Error with this reason; others have no tangent.
struct NotDifferentiable {
  std::string_view reason;
  std::string_view named_by = {};  // the attribute that has the user's name of it, if there is one
};
// The derivative is zero wherever there is one.
struct LocallyConstant {};
// Linear in the operands from `first` on, taken together: the tangent is the operation on their tangents.
struct Linear {
  int first;
};
// The tangent of the one result is the sum of a term per operand that has a tangent. `operands` and `result`
// are values of the function being made; null for a term that is zero.
struct TermContext {
  const Op& op;
  std::span<Value* const> operands;
  Value* result;
};
using TermFn = Value* (*)(const TermContext&, int operand, Value* tangent, Emitter&);
struct Terms {
  TermFn of;
};
// The same for operations of one operand and several results: the tangents of all of them, null for one that
// is zero, or whose elements do not vary. `result` is the first one.
using TangentsFn = std::vector<Value*> (*)(const TermContext&, Value* tangent, Emitter&);
struct AllTangents {
  TangentsFn of;
};
// The operation has regions or callees that are differentiated in turn: transform/ knows its structure.
struct Structural {};

using Jvp = std::variant<NotDifferentiable, LocallyConstant, Linear, Terms, AllTangents, Structural>;

// --- transpose

// No linear function holds the operation on a linear operand.
struct NotLinear {};

class Transposition : public Emitter {
 public:
  // True if the operand is one that the operation is linear in here; all others are known.
  virtual bool is_linear(int operand) const = 0;
  // The value of an operand that is known.
  virtual Value* known(int operand) = 0;
  // Adds to the cotangent of an operand; does nothing for one that is known.
  virtual void add(int operand, Value* cotangent) = 0;
  // What the operand's cotangent has been so far, no longer a part of it: for a rule that adds in place and
  // gives it back by add(). Null: nothing yet.
  virtual Value* take(int operand) = 0;
};
// For operations of one result, whose cotangent is not zero.
using TransposeFn = void (*)(const Op&, Value* cotangent, Transposition&);

using Transpose = std::variant<NotLinear, TransposeFn, Structural>;

}  // namespace ingot::ir
