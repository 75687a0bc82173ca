// excess_precision: rounding to f16 or bf16 that nobody would see is not done.
//
// Inside of a kernel, f32 -> bf16 -> f32 is the f32 itself: the value is in a register, and exacter than what
// was asked for. Between kernels the narrow float is what lies in memory. XLA does the same by default. A
// program that wants every rounding of its source skips this pass.

#include "ir/builder.h"
#include "kernel/lower/group.h"
#include "pass/passes.h"
#include "pass/replace.h"

namespace ingot::pass {
namespace {

using ir::Op;
using ir::Value;

bool is_convert(const Op* op) {
  return op != nullptr && op->name() == "convert";
}

class ExcessPrecision : public Pass {
 public:
  std::string_view name() const override { return "excess_precision"; }
  std::string_view why() const override {
    return "Drops roundings to f16 and bf16 that are undone in the same kernel; it follows fuse, which "
           "decides "
           "what is one. Skip it to have them all.";
  }
  bool run(ir::Module& module, PassContext& context) override {
    bool changed = false;
    for (const auto& function : module.functions()) {
      std::vector<Op*> kernels;
      walk(function->body(), [&](Op& op) {
        if (kernel::is_fused(op)) kernels.push_back(&op);
      });
      for (Op* kernel : kernels) changed |= clean(kernel->region(), context);
    }
    return changed;
  }

 private:
  static bool clean(ir::Region& kernel, PassContext& context) {
    std::vector<Op*> found;
    walk(kernel, [&](Op& op) {
      if (is_convert(&op) && is_convert(op.operand(0)->op()) && is_narrow_float(op.operand(0)->dtype()) &&
          op.operand(0)->op()->operand(0)->dtype() == DType::kF32 && op.result()->dtype() == DType::kF32) {
        found.push_back(&op);
      }
    });
    bool changed = false;
    for (Op* op : found) {
      Op* rounding = op->operand(0)->op();
      if (!context.may("drop_rounding", *op)) continue;
      Value* exact = rounding->operand(0);
      replace_op(op, {&exact, 1}, {});
      if (!rounding->used()) rounding->erase();
      changed = true;
    }
    return changed;
  }
};

}  // namespace

std::unique_ptr<Pass> make_excess_precision() {
  return std::make_unique<ExcessPrecision>();
}

}  // namespace ingot::pass
