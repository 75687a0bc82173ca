// What is told of kernels on both sides of a call that was not expanded: a value goes through memory between
// them, since no kernel reaches from one function into another.
#pragma once

#include <string>
#include <unordered_map>

#include "pass/pass.h"

namespace ingot::pass {

class CallRefusals {
 public:
  // Before there are kernels.
  explicit CallRefusals(ir::Module& module);
  // When there are.
  void tell(ir::Module& module, PassContext& context) const;

 private:
  // As the pass that expands calls has said.
  std::string why_apart(const ir::Op& call, const ir::Function& callee, const PassContext& context) const;

  std::unordered_map<const ir::Function*, size_t> calls_;
};

}  // namespace ingot::pass
