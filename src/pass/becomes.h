// What an operation becomes in a kernel (ir/op_record.h), asked in one word: becomes<ir::View>(op).
#pragma once

#include <variant>

#include "ir/ir.h"
#include "ir/op_record.h"

namespace ingot::pass {

template <class T>
bool becomes(const ir::Op& op) {
  return std::holds_alternative<T>(*op.record().becomes);
}

}  // namespace ingot::pass
