// What is told of kernels on both sides of a call that was not expanded: a value goes through memory between
// them, since no kernel reaches from one function into another.
#pragma once

#include <string>
#include <unordered_map>

#include "pass/pass.h"

namespace ingot::pass {

class CallRefusals {
 public:
  // Before there are kernels, when functions show what they hold.
  explicit CallRefusals(ir::Module& module);
  // When there are.
  void tell(ir::Module& module, PassContext& context) const;

 private:
  std::string why_apart(const ir::Op& call, const ir::Function& callee) const;

  struct Callee {
    std::string heavy;
    size_t calls = 0;
  };
  std::unordered_map<const ir::Function*, Callee> callees_;
};

}  // namespace ingot::pass
