// Removes what only derivatives look at: stop_gradient, checkpoint_name, and the rules that calls carry. What
// a transform has asked for, as that a function is computed anew, stays.

#include <algorithm>

#include "ops/control.h"
#include "ops/kinds.h"
#include "pass/passes.h"
#include "pass/replace.h"

namespace ingot::pass {
namespace {

using ir::Op;
using ir::Region;

// The call without rules of derivatives and batches; what has been asked for stays.
ops::CallForm without_rules(const ops::CallForm& form) {
  return {.callee = form.callee, .recompute = form.recompute};
}

class ForgetDerivatives : public Pass {
 public:
  std::string_view name() const override { return "forget_derivatives"; }
  std::string_view why() const override {
    return "Drops the rules of derivatives that calls carry, stop_gradient and checkpoint_name; it runs "
           "first, "
           "since a program that is compiled is not differentiated any more.";
  }
  bool run(ir::Module& module, PassContext& context) override {
    bool changed = false;
    for (const auto& function : module.functions()) changed |= clean(function->body(), context);
    return changed;
  }

 private:
  static bool clean(Region& region, PassContext& context) {
    bool changed = false;
    for (auto it = region.ops().begin(); it != region.ops().end();) {
      Op* op = (it++)->get();
      for (int i = 0; i < op->region_count(); ++i) changed |= clean(op->region(i), context);
      if (ops::is_for_derivatives(*op) && context.may(op->name(), *op)) {
        ir::Value* x = op->operand(0);
        replace_op(op, {&x, 1}, {});
        changed = true;
        continue;
      }
      const auto call = ops::as<ops::CallOp>(*op);
      if (!call.has_value() || without_rules(call->form()) == call->form() || !context.may("rule", *op))
        continue;
      without_rules(call->form()).write(op->attributes());
      changed = true;
    }
    return changed;
  }
};

}  // namespace

std::unique_ptr<Pass> make_forget_derivatives() {
  return std::make_unique<ForgetDerivatives>();
}

}  // namespace ingot::pass
