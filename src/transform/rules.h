// Rules of the user's that a call carries as attributes, in place of what follows from its callee.
//   jvp, vjp_forward and vjp_backward   functions (derivatives.h)
//   transpose                           a function (residuals, cotangents of the results) -> cotangents of
//                                       the other arguments, in which the callee is linear
//   residuals                           how many arguments those are
//   batch_rule                          a number (batch_rules.h)
#pragma once

#include "ir/ir.h"

namespace ingot::transform {

// Whether the call is of that callee and no other with more results or arguments.
inline bool has_rules(const ir::Op& call) {
  for (const char* rule : {"jvp", "vjp_forward", "transpose", "batch_rule"}) {
    if (call.attributes().has(rule)) return true;
  }
  return false;
}

// Whether all floating results have a tangent, whatever the callee says.
inline bool gives_all_tangents(const ir::Op& call) {
  return call.attributes().has("jvp") || call.attributes().has("vjp_forward") ||
         call.attributes().has("batch_rule");
}

// The attributes of a call of a derivative of the callee.
inline ir::Attributes without_rules(const ir::Op& call) {
  ir::Attributes attributes = call.attributes();
  for (const char* rule : {"transpose", "residuals", "batch_rule"}) attributes.erase(rule);
  return attributes;
}

}  // namespace ingot::transform
