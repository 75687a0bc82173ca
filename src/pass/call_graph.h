// Who calls whom. A snapshot: passes that add or remove calls make a new one.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "ir/ir.h"

namespace ingot::pass {

class CallGraph {
 public:
  explicit CallGraph(const ir::Module& module);

  // All functions, each after those that it calls; otherwise in the order of the module.
  const std::vector<ir::Function*>& callees_first() const { return order_; }
  // The operations that call a function, in loops and other regions too.
  const std::vector<ir::Op*>& calls_of(const ir::Function* function) const;
  // The functions that the entry calls, directly or through others, and itself.
  std::vector<ir::Function*> reachable_from(ir::Function* entry) const;
  ir::Function* callee(const ir::Op& call) const;

 private:
  void visit(ir::Function* function);

  std::unordered_map<std::string_view, ir::Function*> by_name_;
  std::unordered_map<const ir::Function*, std::vector<ir::Op*>> calls_of_;       // by callee
  std::unordered_map<const ir::Function*, std::vector<ir::Function*>> callees_;  // by caller
  std::unordered_map<const ir::Function*, bool> seen_;
  std::vector<ir::Function*> order_;
};

// Calls of a function are expanded if there is but one, or if it is light. Why an operation makes it heavy:
// "holds a contraction"; empty if not.
inline constexpr int64_t kLightOperations = 40;
std::string why_heavy(const ir::Op& op);
// What is said of a call that would have been expanded in a smaller program.
inline constexpr const char* kProgramHasGrown =
    "the program has grown by as much as inlining may make it grow";
int64_t operations_of(ir::Function& function);

// What stands before the names of a callee's values where the call is expanded.
std::string expansion_prefix(const ir::Op& call);

}  // namespace ingot::pass
