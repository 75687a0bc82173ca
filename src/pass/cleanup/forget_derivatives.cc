// Removes what only derivatives look at: stop_gradient, checkpoint_name, and the rules that calls carry. What
// a transform has asked for, as that a function is computed anew, stays.

#include <algorithm>

#include "pass/passes.h"
#include "pass/replace.h"

namespace ingot::pass {
namespace {

using ir::Op;
using ir::Region;

constexpr std::string_view kRules[] = {"jvp",       "vjp_forward", "vjp_backward", "transpose",
                                       "residuals", "batch_rule",  "checkpoint",   "policy"};

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
      if ((op->name() == "stop_gradient" || op->name() == "checkpoint_name") &&
          context.may(op->name(), *op)) {
        ir::Value* x = op->operand(0);
        replace_op(op, {&x, 1}, {});
        changed = true;
        continue;
      }
      const bool has_rule = std::any_of(std::begin(kRules), std::end(kRules),
                                        [&](std::string_view rule) { return op->attributes().has(rule); });
      if (op->name() != "call" || !has_rule || !context.may("rule", *op)) continue;
      for (std::string_view rule : kRules) op->attributes().erase(rule);
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
