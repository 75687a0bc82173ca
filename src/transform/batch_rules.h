// Batching rules of the user's, which calls name by a number, their attribute `batch_rule`, and the rules
// that follow for derivatives of such calls.
//
// The derivative of a call with a rule is a call with a rule: for a batch, the derivative of what the rule
// makes of that batch. So the order of vmap and grad does not matter for what the user's rule computes. A
// call whose function's arguments are the same for all has nothing that the rule is about, as where a
// Jacobian pushes a batch of tangents through one point: it follows from the callee.
//
// A rule lives as long as somebody holds it: traced functions do, for the calls in their modules.
#pragma once

#include <memory>
#include <vector>

#include "ir/ir.h"

namespace ingot::transform {

// What takes the place of the call for a batch. Results of the call that it does not give follow from the
// callee, and so does everything if there is no function.
struct RuleForBatch {
  std::shared_ptr<const void> owner;  // of the function
  const ir::Function* function = nullptr;
  std::vector<int> operands;  // of the call: those that the function takes
  std::vector<bool> batched;  // and which of them with the batch in front
  std::vector<int> results;   // of the call: those that it gives, all with the batch in front
  ir::Provenance line = {};   // of what derivatives of the function make for no operation
};

class BatchRule {
 public:
  BatchRule() = default;
  BatchRule(const BatchRule&) = delete;
  BatchRule& operator=(const BatchRule&) = delete;
  virtual ~BatchRule();

  // `batched`: the operands of the call that are another for each element of the batch.
  virtual RuleForBatch of(int64_t size, const std::vector<bool>& batched) const = 0;
  int64_t number() const { return number_; }

 private:
  friend std::shared_ptr<const BatchRule> registered(std::shared_ptr<BatchRule> rule);
  int64_t number_ = -1;
};

// Gives the rule its number.
std::shared_ptr<const BatchRule> registered(std::shared_ptr<BatchRule> rule);
// The rule that a call names. Error if it is gone.
std::shared_ptr<const BatchRule> batch_rule_of(const ir::Op& call);
// Those that calls of the module name.
std::vector<std::shared_ptr<const BatchRule>> batch_rules_of(const ir::Module& module);

// The rule of a call's linearisation, (operands of the call, residuals, tangents of active ones) -> tangents
// of the floating results. The residuals are what the callee has left: the rule makes its own.
std::shared_ptr<const BatchRule> linear_rule(std::shared_ptr<const BatchRule> base, std::vector<bool> active,
                                             int residuals, std::vector<bool> floating_results);
// The rule of a call's transpose, (operands that are not linear, cotangents of the floating results) ->
// cotangents of the linear operands.
std::shared_ptr<const BatchRule> transposed_rule(std::shared_ptr<const BatchRule> base,
                                                 std::vector<bool> linear,
                                                 std::vector<bool> floating_results);

}  // namespace ingot::transform
