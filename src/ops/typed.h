// Operations as types: what an operation of one kind has that others have not, by name.
//
// A typed operation is a small value made from an operation, which it does not own. Its parts are read from
// the attributes when it is made, so it is good for as long as these stay as they are. Only here, in ops/, is
// it known at which position an operand stands and what an attribute is called; who asks what an operation is
// asks for its type, or for what its record says.
#pragma once

#include <optional>

#include "base/check.h"
#include "ir/op_record.h"

namespace ingot::ops {

// Whether the record, the operation, or the one that makes the value, is of that type.
template <class T>
bool is(const ir::OpRecord& record) {
  return &record == &T::record();
}
template <class T>
bool is(const ir::Op& op) {
  return is<T>(op.record());
}
template <class T>
bool is(const ir::Value* value) {
  return value->op() != nullptr && is<T>(*value->op());
}

template <class... T>
bool is_any(const ir::OpRecord& record) {
  return (is<T>(record) || ...);
}
template <class... T>
bool is_any(const ir::Op& op) {
  return is_any<T...>(op.record());
}
// The operation that makes the value if it is of that type, or null.
template <class T>
const ir::Op* made_by(const ir::Value* value) {
  return is<T>(value) ? value->op() : nullptr;
}

template <class T>
std::optional<T> as(const ir::Op& op) {
  return is<T>(op) ? std::optional<T>(T(op)) : std::nullopt;
}
template <class T>
std::optional<T> as(const ir::Value* value) {
  return is<T>(value) ? std::optional<T>(T(*value->op())) : std::nullopt;
}

}  // namespace ingot::ops
